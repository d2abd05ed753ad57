//! From bodies to a running simulation.

use crate::clock::Clock;
use crate::collide::Collider;
use crate::contact::{Colliders, ContactParams};
use crate::force::damping::Damping;
use crate::force::wind::Wind;
use crate::integrate::TimeIntegrator;
use crate::math::{Vec3, diagonal};
use crate::solve::limit::StrainLimiting;
use crate::solve::{SolverChoice, Touchable};
use crate::step::applies::{self, Uses};
use crate::step::change::{Attached, Roster};
use crate::step::energy;
use crate::step::groups::{Circumstances, Plan, Planned, Wishes};
use crate::step::pool::Pool;
use crate::step::self_collision::{SelfCollider, SelfCollision};
use crate::step::simulation::{Settings, Simulation};
use crate::step::substeps::{MOST_SUBSTEPS, NEED};
use crate::world::assemble::{Attachment, World, check_masses};
use crate::world::body::Body;
use crate::world::error::ModelError;
use crate::world::model::Model;
use crate::world::state::{AirPath, State};

/// Builds a simulation. Defaults: 60 steps per second, gravity −9.81 m/s² along y, implicit Euler, a solver and
/// substeps that suit the world ([`SolverChoice::Auto`]), no damping.
#[derive(Debug, Default)]
pub struct SimulationBuilder {
    settings: Settings,
    solver: SolverChoice,
    damping: Damping,
    bodies: Vec<Body>,
    attachments: Vec<Attachment>,
    colliders: Vec<Collider>,
    contact: ContactParams,
    threads: Option<usize>,
    /// Whether the number of substeps was asked for.
    substeps_given: bool,
    /// Whether somebody has asked for the integrator.
    integrator_given: bool,
    clock: Clock,
    self_collision: Option<SelfCollision>,
    strain_limiting: Option<StrainLimiting>,
}

impl SimulationBuilder {
    /// Adds a body.
    pub fn body(mut self, body: Body) -> Self {
        self.bodies.push(body);
        self
    }

    /// Adds a collider.
    pub fn collider(mut self, collider: Collider) -> Self {
        self.colliders.push(collider);
        self
    }

    /// How contacts with colliders are handled.
    pub fn contact(mut self, params: ContactParams) -> Self {
        self.contact = params;
        self
    }

    /// Length of a step \[s\].
    pub fn time_step(mut self, seconds: f64) -> Self {
        self.settings.time_step = seconds;
        self
    }

    /// Divides each step into this number of equal substeps, at most [`MOST_SUBSTEPS`]; one by default, or as many as
    /// [`SolverChoice::Auto`] chooses. Each is a complete step, from damping and forces to contacts and tearing, and
    /// costs as much. Pins and goals move evenly to their targets for the end of the step; colliders are where they are
    /// at the times of the substeps; reports are sums. For a cloth that swings at 1/60 s, two to four substeps are far
    /// more accurate than any number of iterations.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let rope = rope(Vec3::ZERO, Vec3::X, 10)?;
    /// let rope = Body::strands(&rope, &StrandMaterial::default())?.named("rope").pin([0]);
    /// let mut sim = Simulation::builder().body(rope).substeps(4).build()?;
    /// sim.move_pin("rope", 0, Vec3::Y * 0.1)?;
    /// let report = sim.step()?;
    /// assert_eq!((report.step, sim.time()), (1, 1.0 / 60.0));
    /// // As fast in each of the substeps: 0.1 m in 1/60 s.
    /// assert!((sim.velocities()[0] - Vec3::Y * 6.0).length() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn substeps(mut self, count: usize) -> Self {
        self.settings.substeps = count;
        self.substeps_given = true;
        self
    }

    /// Acceleration of free fall \[m/s²\].
    pub fn gravity(mut self, gravity: Vec3) -> Self {
        self.settings.gravity = gravity;
        self
    }

    /// Wind on all surfaces, strands and oriented particles.
    pub fn wind(mut self, wind: Wind) -> Self {
        self.settings.wind = Some(wind);
        self
    }

    /// Time integrator. By default implicit Euler, or what [`SolverChoice::Auto`] chooses: BDF2 for worlds that contain
    /// only solids and have no self-collision, since implicit Euler damps their rebounds.
    pub fn integrator(mut self, integrator: TimeIntegrator) -> Self {
        self.settings.integrator = integrator;
        self.integrator_given = true;
        self
    }

    /// The solver, given by its parameters; [`SolverChoice::Auto`] by default.
    pub fn solver(mut self, solver: impl Into<SolverChoice>) -> Self {
        self.solver = solver.into();
        self
    }

    /// Damping.
    pub fn damping(mut self, damping: Damping) -> Self {
        self.damping = damping;
        self
    }

    /// Ties a vertex of one body to a vertex of another by a spring of rest length 0 and a stiffness \[N/m\].
    pub fn attach(mut self, first: (impl Into<String>, u32), second: (impl Into<String>, u32), stiffness: f64) -> Self {
        let ends = [(first.0.into(), first.1), (second.0.into(), second.1)];
        self.attachments.push(Attachment { ends, stiffness, length: Some(0.0) });
        self
    }

    /// Ties two vertices by a spring that keeps their rest distance; [`attach`](Self::attach) would pull them together.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let line = |y: f64| -> Result<Body, pliant::ModelError> {
    ///     let rope = rope(Vec3::new(0.0, y, 0.0), Vec3::new(1.0, y, 0.0), 4)?;
    ///     Ok(Body::strands(&rope, &StrandMaterial::default())?.named(format!("at {y}")))
    /// };
    /// let builder = Simulation::builder().body(line(0.0)?).body(line(0.1)?).gravity(Vec3::ZERO);
    /// let mut sim = builder.attach_at_distance(("at 0", 0), ("at 0.1", 0), 1e3).build()?;
    /// sim.step()?;
    /// assert!(sim.report().max_speed < 1e-12, "nothing pulls");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attach_at_distance(
        mut self,
        first: (impl Into<String>, u32),
        second: (impl Into<String>, u32),
        stiffness: f64,
    ) -> Self {
        let ends = [(first.0.into(), first.1), (second.0.into(), second.1)];
        self.attachments.push(Attachment { ends, stiffness, length: None });
        self
    }

    /// Runs on its own pool with this many threads instead of the process-wide one; 0 means one per core. The results
    /// are the same with any number. More threads than cores do not make anything faster, so at most four are started
    /// for each core; more than [`MOST_THREADS`](crate::MOST_THREADS) are an error.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// If a vertex moves by more than this many diagonals of the world in one substep, the step fails as runaway. 100
    /// by default.
    pub fn runaway_limit(mut self, diagonals: f64) -> Self {
        self.settings.runaway_limit = diagonals;
        self
    }

    /// Clock for the timings in reports.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Keeps all surfaces and strands from passing through each other and themselves.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let sheet = Sheet { width: 0.4, height: 0.4, columns: 4, rows: 4, plane: Plane::Xz, ..Sheet::default() }.mesh()?;
    /// let layer = |name: &str, y: f64| -> Result<Body, pliant::ModelError> {
    ///     let mesh = sheet.clone().translated(Vec3::Y * y);
    ///     Ok(Body::cloth(&mesh, &ClothMaterial::default())?.named(name))
    /// };
    /// let below = layer("below", 0.0)?.pin_where(|_| true);
    /// let settings = SelfCollision { thickness: 5e-3, ..SelfCollision::default() };
    /// let mut sim = Simulation::builder().body(below).body(layer("above", 0.02)?).self_collision(settings).build()?;
    /// for _ in 0..60 {
    ///     sim.step()?;
    /// }
    /// assert!(sim.positions()[25..].iter().all(|p| p.y > 2e-3), "it rests on the lower layer");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn self_collision(mut self, settings: SelfCollision) -> Self {
        self.self_collision = Some(settings);
        self
    }

    /// Limits how far bodies stretch, at the end of each step and after any solver.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let sheet = Sheet { columns: 10, rows: 10, ..Sheet::default() };
    /// let soft = ClothMaterial { youngs_modulus: 1e3, ..ClothMaterial::default() };
    /// let cloth = Body::cloth(&sheet.mesh()?, &soft)?.pin([sheet.vertex(0, 10), sheet.vertex(10, 10)]);
    /// let mut sim = Simulation::builder().body(cloth).strain_limiting(StrainLimiting::global(1.05)).build()?;
    /// for _ in 0..20 {
    ///     let limited = sim.step()?.strain_limiting.unwrap();
    ///     assert!(limited.stretch_after <= 1.0501);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn strain_limiting(mut self, limiting: StrainLimiting) -> Self {
        self.strain_limiting = Some(limiting);
        self
    }

    /// Checks everything and builds the simulation.
    pub fn build(mut self) -> Result<Simulation, ModelError> {
        self.check_parameters()?;
        let (mut world, mut named) = (World::default(), Vec::new());
        for mut body in std::mem::take(&mut self.bodies) {
            named.push(body.take_named_solver());
            world.add(body)?;
        }
        let wishes = Wishes {
            world: self.solver.clone(),
            bodies: named,
            substeps: self.substeps_given.then_some(self.settings.substeps),
            integrator: self.integrator_given.then_some(self.settings.integrator),
        };
        let attached = world.attached_bodies(&self.attachments)?;
        let groups = Plan::by_key(wishes.keys(&attached, &world.needing_position_based())).of_body;
        world.attach(&self.attachments, &|body| groups[body])?;
        let World { mut parts, mut positions, velocities } = world;
        check_masses(&parts.bodies, &parts.mass, &parts.pinned)?;
        let extent = diagonal(&parts.rest).max(diagonal(&positions));
        parts.diagonal = if extent > 0.0 { extent } else { 1.0 };
        parts.stiffness_damping = self.damping.stiffness;
        let model = Model::new(parts)?;
        let (colliders, layers) = (!self.colliders.is_empty(), self.self_collision.is_some());
        let around = Circumstances {
            time_step: self.settings.time_step,
            has_wind: self.settings.wind.is_some(),
            touchable: Touchable { colliders, layers, mode: self.contact.mode },
            standard: (self.settings.substeps, self.settings.integrator),
        };
        let Planned { plan, substeps, integrator } = wishes.planned(&model, &around)?;
        (self.settings.substeps, self.settings.integrator) = (substeps, integrator);
        crate::matter::check_world(&model, self.settings.integrator)?;
        crate::world::topology::check_tearing(&model)?;
        let uses = Uses {
            damping: self.damping,
            strain_limiting: self.strain_limiting.is_some(),
            wind: self.settings.wind.is_some(),
            self_collision: self.self_collision.is_some(),
        };
        applies::check(&model, &uses)?;
        energy::check_kept(&model, integrator, uses.strain_limiting, self.contact.mode)?;
        let collider = |settings| SelfCollider::new(settings, &model, &mut positions);
        let collider = self.self_collision.clone().map(collider).transpose()?;
        let channels = crate::matter::initial(&model, &positions)?;
        let state = State { time: 0.0, step: 0, positions, velocities, channels, air: AirPath::default() };
        let pool = Pool::new(self.threads)?;
        let mut simulation =
            Simulation::new(model, state, self.settings, self.damping, (wishes, plan), pool, self.clock);
        simulation.lineage.self_collision = self.self_collision;
        let ends = |(bodies, attachment): (&[usize; 2], &Attachment)| Attached {
            serial: 0,
            ends: [0, 1].map(|k| (bodies[k], attachment.ends[k].1)),
            stiffness: attachment.stiffness,
            length: attachment.length,
        };
        let attached = attached.iter().zip(&self.attachments).map(ends);
        simulation.roster = Roster::new(simulation.model.bodies().len(), attached, self.colliders.len());
        simulation.strain_limiting = self.strain_limiting;
        // How contacts act also holds for colliders that come later.
        if !self.colliders.is_empty() || self.contact != ContactParams::default() {
            let (colliders, params) = (self.colliders, self.contact);
            simulation.colliders = Some(Colliders { colliders, params, touched: Vec::new(), held: Vec::new() });
        }
        Ok(simulation.with_self_collision(collider))
    }

    fn check_parameters(&self) -> Result<(), ModelError> {
        let require = |name, value: f64, need, holds: bool| {
            if holds && value.is_finite() { Ok(()) } else { Err(ModelError::BadParameter { name, value, need }) }
        };
        self.self_collision.as_ref().map_or(Ok(()), SelfCollision::check)?;
        self.strain_limiting.as_ref().map_or(Ok(()), StrainLimiting::check)?;
        let Settings { time_step: h, substeps, gravity, runaway_limit, .. } = self.settings;
        require("time step", h, "positive and finite", h > 0.0)?;
        require("number of substeps", substeps as f64, NEED, (1..=MOST_SUBSTEPS).contains(&substeps))?;
        let part = self.settings.substep_length();
        require("length of a substep", part, "positive", part > 0.0)?;
        require("gravity", gravity.length(), "finite", true)?;
        require("runaway limit", runaway_limit, "positive", runaway_limit > 0.0)?;
        for (name, rate) in [
            ("drag", self.damping.drag),
            ("deformation damping", self.damping.deformation),
            ("stiffness damping", self.damping.stiffness),
            ("spring damping", self.damping.spring),
            ("radial damping", self.damping.radial),
        ] {
            require(name, rate, "at least 0", rate >= 0.0)?;
        }
        if let Some((name, value, need)) = self.settings.wind.as_ref().and_then(Wind::problem) {
            return Err(ModelError::BadParameter { name, value, need });
        }
        for solver in std::iter::once(&self.solver).chain(self.bodies.iter().filter_map(Body::named_solver)) {
            solver.check_parameters(self.contact.mode, self.settings.integrator)?;
        }
        for (number, collider) in self.colliders.iter().enumerate() {
            collider.check().map_err(|error| {
                let name = collider.name().map_or_else(|| number.to_string(), str::to_owned);
                ModelError::Collider { collider: name, error }
            })?;
        }
        require("weight of contacts", self.contact.weight, "positive", self.contact.weight > 0.0)?;
        Ok(())
    }
}
