//! Runs a scene.

use std::iter::Sum;
use std::ops::Mul;

use pliant::collide::Shape;
use pliant::math::Vec3;
use pliant::mesh::{Bounds, Edge};
use pliant::proximity::{Primitives, intersections, least_distance};
use pliant::solve::SolverChoice;
use pliant::{
    ChangeError, Checkpoint, CheckpointError, RestoreError, SettleError, SettleParams, Settled, Simulation, StepError,
    StepReport,
};
use pliant_io::store::{Frame, Topology};
use pliant_io::write::TextureCoordinates;

use crate::body::BuiltBody;
use crate::course::{Course, drive, riders_at};
use crate::drive::Driver;
use crate::expectation::{Check, Verdict};
use crate::format::{ExpectSection, Quantity};
use crate::home::Home;
use crate::presence::Presence;
use crate::residence::{Placement, Residence};
use crate::rider::Rider;
use crate::tear::{TimedCut, edges_of, pieces, topology_of};

/// A simulation with the motions and expectations of a scene.
#[derive(Debug)]
pub struct SceneRun {
    /// The simulation.
    pub sim: Home,
    substeps: u32,
    pub(crate) drivers: Vec<Driver>,
    /// In the order of their moments.
    pub(crate) cuts: Vec<TimedCut>,
    cuts_done: usize,
    /// Changes of the model that `edges` and `topology` know of.
    changes_seen: usize,
    /// Vertices of each body at the beginning. This list, like those below, has the bodies as the scene numbers them.
    first_counts: Vec<usize>,
    /// Edges with rest lengths of each body, in its own vertices.
    edges: Vec<Vec<(Edge, f64)>>,
    /// For each body the surface that is shown in its place, if there is one.
    pub(crate) riders: Vec<Option<Rider>>,
    textures: Vec<TextureCoordinates>,
    pub(crate) presence: Presence,
    /// Comings and goings that `topology` knows of.
    goings_seen: usize,
    /// What would be stored if all bodies were there.
    all_bodies: Topology,
    topology: Topology,
    /// How often `topology` has changed.
    topology_changes: usize,
    pub(crate) checks: Vec<Check>,
    pub(crate) residence: Residence,
    frame: u32,
}

/// What a run is made of.
pub(crate) struct Parts {
    pub(crate) sim: Simulation,
    pub(crate) substeps: u32,
    pub(crate) drivers: Vec<Driver>,
    pub(crate) cuts: Vec<TimedCut>,
    pub(crate) edges: Vec<Vec<(Edge, f64)>>,
    pub(crate) riders: Vec<Option<Rider>>,
    pub(crate) textures: Vec<TextureCoordinates>,
    pub(crate) presence: Presence,
    /// Of all bodies.
    pub(crate) topology: Topology,
    pub(crate) expect: Vec<ExpectSection>,
    pub(crate) placement: Placement,
}

impl SceneRun {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { sim, substeps, drivers, cuts, edges, riders, textures, presence, topology, expect, placement } =
            parts;
        let check = |expect| Check { expect, value: f64::NAN, is_observed: false };
        let checks = expect.into_iter().map(check).collect();
        let (cuts_done, changes_seen) = (0, 0);
        let first_counts = presence.vertex_counts(&sim, vec![0; riders.len()]);
        let (shown, all_bodies) = (presence.topology(&topology), topology);
        Self {
            sim: Home::new(sim),
            substeps,
            drivers,
            cuts,
            cuts_done,
            changes_seen,
            first_counts,
            edges,
            riders,
            textures,
            presence,
            goings_seen: 0,
            topology: shown,
            all_bodies,
            topology_changes: 0,
            checks,
            residence: Residence { placement, ..Residence::default() },
            frame: 0,
        }
    }

    /// Texture coordinates of bodies whose files have them, for exports.
    pub fn textures(&self) -> &[TextureCoordinates] {
        &self.textures
    }

    /// Number of finished frames.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// How often [`topology`](Self::topology) has changed.
    pub fn topology_changes(&self) -> usize {
        self.topology_changes
    }

    /// The current rest shapes, elements and bodies; they change when bodies tear, are cut, come or go. All bodies of the
    /// scene are in it, in the order of the scene; those that are not there have no vertices. An embedded surface comes
    /// after the tets of its body, so a stored frame may have more vertices than the simulation.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The current frame as it is stored, with embedded surfaces.
    pub fn stored_frame(&self) -> Frame<'_> {
        let (x, v) = (self.sim.positions(), self.sim.velocities());
        if self.riders.iter().all(Option::is_none) {
            return Frame::new(self.sim.time(), x).with_velocities(v);
        }
        let velocities = self.by_body(v, |rider, body| rider.stored_velocities(&self.sim, body, v));
        Frame::new(self.sim.time(), self.stored_positions(x)).with_velocities(velocities)
    }

    /// Positions of the simulation's vertices \[m\] as they are stored, with embedded surfaces. Surfaces of oriented
    /// vertices use the current orientations. Wrinkles are those that followed the simulation, and flat where x differs
    /// from its positions.
    ///
    /// # Panics
    /// If their number differs from the number of vertices of the simulation.
    pub fn stored_positions(&self, x: &[Vec3]) -> Vec<Vec3> {
        self.by_body(x, |rider, body| rider.stored_positions(&self.sim, body, x))
    }

    /// What is stored for each body: what its rider makes of it, or what stands at its vertices.
    fn by_body<T: Copy>(&self, simulated: &[T], ridden: impl Fn(&Rider, usize) -> Vec<T>) -> Vec<T> {
        let mut all = Vec::with_capacity(self.topology.vertex_count());
        for (number, rider) in self.riders.iter().enumerate() {
            let Some(body) = self.presence.number(number) else { continue };
            match rider {
                Some(rider) => all.extend(ridden(rider, body)),
                None => all.extend_from_slice(&simulated[self.sim.model().bodies()[body].vertices.clone()]),
            }
        }
        all
    }

    /// Numbers or vectors at the simulation's vertices, with those of embedded surfaces, each after its body, or in its
    /// place if it has wrinkles.
    ///
    /// # Panics
    /// If their number differs from the number of vertices of the simulation.
    pub fn stored<T>(&self, simulated: &[T]) -> Vec<T>
    where
        T: Copy + Sum,
        f64: Mul<T, Output = T>,
    {
        let own = |body: usize| &simulated[self.sim.model().bodies()[body].vertices.clone()];
        self.by_body(simulated, |rider, body| rider.stored(own(body)))
    }

    /// Numbers or vectors at the vertices of a stored frame, with those of surfaces on tets or particles interpolated
    /// from these. None if their number differs from the number of vertices of the topology.
    pub fn taken_from_tets<T>(&self, stored: &[T]) -> Option<Vec<T>>
    where
        T: Copy + Sum,
        f64: Mul<T, Output = T>,
    {
        let from_tets = self.stored(&self.simulated(stored)?);
        let mut all = stored.to_vec();
        let embedded = self.topology.bodies.iter().zip(&self.riders);
        for (body, _) in embedded.filter(|(_, rider)| matches!(rider, Some(Rider::Embedded(_) | Rider::Matched(_)))) {
            all[body.vertices.clone()].copy_from_slice(&from_tets[body.vertices.clone()]);
        }
        Some(all)
    }

    /// Selects, from numbers or vectors at the vertices of a stored frame, those of the simulation's vertices, or of
    /// the wrinkle vertices attached there. None if their number differs from the number of vertices of the topology.
    pub fn simulated<T: Copy>(&self, stored: &[T]) -> Option<Vec<T>> {
        if stored.len() != self.topology.vertex_count() {
            return None;
        }
        let bodies = self.sim.model().bodies().iter().zip(self.presence.present());
        let own = bodies.flat_map(|(simulated, &number)| {
            self.topology.bodies[number].vertices.clone().take(simulated.vertices.len())
        });
        Some(own.map(|vertex| stored[vertex]).collect())
    }

    /// Everything needed to continue from here, bit for bit: the simulation, the frame, and the state of the expectations.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = u64::from(self.frame).to_le_bytes().to_vec();
        bytes.extend((self.cuts_done as u64).to_le_bytes());
        bytes.extend((self.presence.done() as u64).to_le_bytes());
        bytes.extend((self.checks.len() as u64).to_le_bytes());
        for check in &self.checks {
            bytes.extend(check.value.to_le_bytes());
            bytes.extend(u64::from(check.is_observed).to_le_bytes());
        }
        let wrinkles = self.riders.iter().flatten().flat_map(Rider::memory);
        wrinkles.for_each(|p| p.to_array().into_iter().for_each(|c| bytes.extend(c.to_le_bytes())));
        bytes.extend(self.sim.checkpoint().to_bytes());
        bytes
    }

    /// Continues from what [`save`](Self::save) returned. After an error nothing has changed, except that bodies may have
    /// come and gone as they had when it was saved. A run cannot return to before bodies came or went: build the scene
    /// again for that.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let damaged = CheckpointError::Damaged { at: 0, size: bytes.len() };
        let (numbers, _) = bytes.as_chunks::<8>();
        let [frame, cuts_done, goings, count, rest @ ..] = numbers else { return Err(damaged) };
        let goings = usize::try_from(u64::from_le_bytes(*goings)).map_err(|_| damaged.clone())?;
        let cuts_done = usize::try_from(u64::from_le_bytes(*cuts_done)).map_err(|_| damaged.clone())?;
        let frame = u32::try_from(u64::from_le_bytes(*frame)).map_err(|_| damaged.clone())?;
        let count = usize::try_from(u64::from_le_bytes(*count)).map_err(|_| damaged.clone())?;
        let lengths: Vec<usize> = self.riders.iter().flatten().map(|rider| rider.memory().len()).collect();
        let wrinkled = 3 * lengths.iter().sum::<usize>();
        let observed = 2 * self.checks.len();
        if count != self.checks.len()
            || rest.len() < observed + wrinkled
            || cuts_done > self.cuts.len()
            || goings > self.presence.count()
        {
            return Err(damaged);
        }
        let (values, wrinkles) = rest[..observed + wrinkled].split_at(observed);
        let wrinkles: Vec<f64> = wrinkles.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        if let Some(index) = wrinkles.iter().position(|number| !number.is_finite()) {
            let value = wrinkles[index].to_string();
            return Err(CheckpointError::BadNumber { name: "wrinkles".to_owned(), index, value });
        }
        if goings < self.presence.done() {
            let reason = "bodies have come or gone since; build the scene again, then restore".to_owned();
            return Err(CheckpointError::Topology { change: self.presence.done() - goings, reason });
        }
        let saved = Checkpoint::from_bytes(&bytes[32 + 8 * (observed + wrinkled)..])?;
        let (sim, presence) = (&mut self.sim, &mut self.presence);
        sim.restore_after(&saved, |sim| presence.advance_to(sim, goings)).map_err(|error| match error {
            RestoreError::Checkpoint(error) => error,
            RestoreError::Change(error) => CheckpointError::Topology { change: goings, reason: error.to_string() },
        })?;
        (self.frame, self.cuts_done) = (frame, cuts_done);
        self.follow_changes();
        for (check, [value, is_observed]) in self.checks.iter_mut().zip(values.as_chunks::<2>().0) {
            check.value = f64::from_le_bytes(*value);
            check.is_observed = u64::from_le_bytes(*is_observed) != 0;
        }
        let mut fine = wrinkles.as_chunks::<3>().0.iter().map(|p| Vec3::from_array(*p));
        for ((own, rider), length) in riders_at(&self.sim, &self.presence, &mut self.riders).zip(lengths) {
            let memory: Vec<Vec3> = fine.by_ref().take(length).collect();
            let Some(own) = own else { continue };
            let resumed = rider.resume(&self.sim.positions()[own], &memory, &self.sim);
            debug_assert!(resumed.is_ok(), "a body keeps its number of vertices, at finite places: {resumed:?}");
        }
        Ok(())
    }

    /// Number of steps per frame.
    pub fn substeps(&self) -> u32 {
        self.substeps
    }

    /// Sets pins, handles, forces and wind of the scene for the next step.
    pub fn drive(&mut self) {
        drive(&self.drivers, &mut self.sim);
    }

    /// Advances by one step, with the motions of the scene. Only [`next_frame`](Self::next_frame) counts frames and
    /// checks expectations.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        self.check_single_steps()?;
        self.advance(|course, sim| course.step(sim, None))
    }

    /// The same with another solver, such as the exact one; the scene keeps its own.
    pub fn step_with(&mut self, solver: impl Into<SolverChoice>) -> Result<StepReport, StepError> {
        let solver = solver.into();
        self.advance(|course, sim| course.step(sim, Some(&solver)))
    }

    fn advance<T>(&mut self, work: impl FnOnce(&mut Course<'_>, &mut Simulation) -> T) -> T {
        let Self { sim, drivers, cuts, cuts_done, riders, presence, substeps, .. } = self;
        let mut course = Course { drivers, cuts, cuts_done, riders, presence, steps_per_frame: *substeps };
        let result = work(&mut course, sim);
        if self.sim.topology_changes() != self.changes_seen || self.presence.done() != self.goings_seen {
            self.follow_changes();
        }
        result
    }

    /// Takes in a body that the scene does not have.
    pub(crate) fn welcome(&mut self, name: &str, built: BuiltBody) -> Result<(), ChangeError> {
        let (mut own, textures) = (Topology::default(), built.textures(name));
        built.describe(name, &mut own);
        let BuiltBody { body, edges, rider, .. } = built;
        let count = body.rest().len();
        self.sim.add(body)?;
        self.presence.take_in(name);
        self.edges.push(edges);
        self.riders.push(rider);
        self.textures.extend(textures);
        self.first_counts.push(count);
        self.all_bodies.add_body_of(&own, 0);
        self.topology.add_body_of(&own, 0);
        self.topology_changes += 1;
        Ok(())
    }

    /// Brings the world to rest, with pins and handles at their current places; see [`Simulation::settle`]. No frame is
    /// counted.
    pub fn settle(&mut self, params: &SettleParams) -> Result<Settled, SettleError> {
        self.advance(|course, sim| {
            drive(course.drivers, sim);
            let found = sim.settle(params);
            course.follow(sim);
            found
        })
    }

    /// Looks at the elements again after bodies were torn or cut, came or went.
    pub(crate) fn follow_changes(&mut self) {
        (self.changes_seen, self.goings_seen) = (self.sim.topology_changes(), self.presence.done());
        self.topology_changes += 1;
        if self.presence.is_changing() {
            // Bodies that come and go do not tear.
            self.topology = self.presence.topology(&self.all_bodies);
            self.first_counts = self.presence.vertex_counts(&self.sim, std::mem::take(&mut self.first_counts));
            return;
        }
        self.topology = topology_of(&self.sim, &self.topology);
        for (body, edges) in self.edges.iter_mut().enumerate() {
            if let Some(own) = edges_of(&self.sim, body) {
                *edges = own;
            }
        }
    }

    /// Advances by one frame; returns the reports of its steps, none where the state stays on a GPU. If one of several steps fails, the whole frame is undone.
    pub fn next_frame(&mut self) -> Result<Vec<StepReport>, StepError> {
        let (mut reports, steps) = (Vec::new(), self.substeps);
        if !self.frame_on_gpu()? {
            reports = self.advance(|course, sim| course.frame(steps, sim))?;
        }
        self.frame += 1;
        for k in 0..self.checks.len() {
            let ExpectSection { quantity, body, .. } = &self.checks[k].expect;
            // Of a body that is not there, there is nothing to see.
            if body.as_ref().is_some_and(|name| self.sim.body(name).is_err()) {
                continue;
            }
            let value = self.measure(*quantity, body.as_deref());
            let is_first = !self.checks[k].is_observed;
            self.checks[k].observe(value, is_first);
        }
        Ok(reports)
    }

    /// A quantity of the current state, of a body or of the world. NaN if the body does not exist.
    pub fn measure(&self, quantity: Quantity, body: Option<&str>) -> f64 {
        let bodies = self.sim.model().bodies();
        let chosen: Vec<usize> =
            (0..bodies.len()).filter(|&k| body.is_none_or(|name| bodies[k].name == name)).collect();
        if chosen.is_empty() {
            return f64::NAN;
        }
        let vertices = || chosen.iter().flat_map(|&k| bodies[k].vertices.clone());
        let (x, v) = (self.sim.positions(), self.sim.velocities());
        let stretches = || {
            chosen.iter().flat_map(|&k| {
                let base = bodies[k].vertices.start;
                let length = move |[a, b]: Edge| (x[base + b as usize] - x[base + a as usize]).length();
                self.edges[self.presence.present()[k]].iter().map(move |&(edge, rest)| length(edge) / rest)
            })
        };
        let centre = || {
            let masses = self.sim.model().mass().lumped();
            let total: f64 = vertices().map(|i| masses[i]).sum();
            vertices().fold(Vec3::ZERO, |sum, i| sum + x[i] * masses[i]) / total
        };
        let touching = || {
            let inside = |vertex| chosen.iter().any(|&k| bodies[k].vertices.contains(&vertex));
            self.sim.contacts().iter().filter(move |contact| inside(contact.vertex))
        };
        match quantity {
            // Without edges nothing is stretched.
            Quantity::MaxStretch | Quantity::MinStretch | Quantity::MeanStretch if stretches().next().is_none() => 1.0,
            Quantity::MaxStretch => stretches().fold(f64::NEG_INFINITY, f64::max),
            Quantity::MeanStretch => {
                let (sum, count) = stretches().fold((0.0, 0.0), |(sum, count), ratio| (sum + ratio, count + 1.0));
                sum / count
            }
            Quantity::MinStretch => stretches().fold(f64::INFINITY, f64::min),
            Quantity::Lowest => vertices().map(|i| x[i].y).fold(f64::INFINITY, f64::min),
            Quantity::Highest => vertices().map(|i| x[i].y).fold(f64::NEG_INFINITY, f64::max),
            Quantity::MaxSpeed => vertices().map(|i| v[i].length()).fold(0.0, f64::max),
            Quantity::KineticEnergy => self.sim.report().kinetic,
            Quantity::ElasticEnergy => self.sim.report().potential(),
            Quantity::TotalEnergy => self.sim.report().total(),
            Quantity::Torn => {
                let first_count = |k: usize| self.first_counts[self.presence.present()[k]];
                let added = |&k: &usize| bodies[k].vertices.len().saturating_sub(first_count(k)) as f64;
                chosen.iter().map(added).sum()
            }
            Quantity::MaxWrinkleStrain => {
                let strain = |&k: &usize| match &self.riders[self.presence.present()[k]] {
                    Some(Rider::Wrinkled(wrinkles)) => wrinkles.largest_strain(),
                    _ => 0.0,
                };
                chosen.iter().map(strain).fold(0.0, f64::max)
            }
            Quantity::Pieces => pieces(&self.sim, &chosen) as f64,
            Quantity::Intersections => intersections(&self.surfaces(), x).len() as f64,
            Quantity::LeastGap => least_distance(&self.surfaces(), x),
            Quantity::Penetration => penetration(&self.sim, vertices()),
            Quantity::Contacts => touching().filter(|contact| contact.normal_force > 0.0).count() as f64,
            Quantity::CarriedWeight => {
                let gravity = self.sim.gravity();
                let mass: f64 = vertices().map(|i| self.sim.model().mass().lumped()[i]).sum();
                let carried = touching().fold(Vec3::ZERO, |sum, contact| sum + contact.force()).dot(-gravity);
                carried / (mass * gravity.length_squared())
            }
            Quantity::PinnedWeight => {
                let gravity = self.sim.gravity();
                let mass: f64 = self.sim.model().mass().lumped().iter().sum();
                let held = self.sim.pin_forces().into_iter().sum::<Vec3>().dot(-gravity);
                held / (mass * gravity.length_squared())
            }
            Quantity::CentreX => centre().x,
            Quantity::CentreY => centre().y,
            Quantity::CentreZ => centre().z,
        }
    }

    /// All surfaces, also of bodies that may pass through themselves.
    fn surfaces(&self) -> Primitives {
        let mut bodies = self.sim.model().bodies().to_vec();
        bodies.iter_mut().for_each(|body| body.collides_with_itself = true);
        Primitives::new(&bodies)
    }

    /// The results of the expectations so far.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let decide = |check: &Check| {
            let Check { expect, value, is_observed } = check.clone();
            Verdict { expect, value, is_observed }
        };
        self.checks.iter().map(decide).collect()
    }
}

/// How deep the deepest of some vertices is in a collider \[m\].
pub(crate) fn penetration(sim: &Simulation, vertices: impl Iterator<Item = usize> + Clone) -> f64 {
    let (time, x) = (sim.time(), sim.positions());
    let mut deepest = 0.0_f64;
    for collider in sim.colliders() {
        let (pose, moving) = (collider.pose(time), collider.moving_over(time, time));
        // Distances to many triangles take long; what is outside of the box around them is not inside.
        let inside = match collider.shape() {
            Shape::Mesh(mesh) if collider.frame(time).is_none() => Bounds::around(mesh.surface().0),
            _ => None,
        };
        let within = |bounds: &Bounds, p: Vec3| p.cmpge(bounds.min).all() && p.cmple(bounds.max).all();
        let possible = |p: Vec3| inside.as_ref().is_none_or(|bounds| within(bounds, pose.to_local(p)));
        let depths = vertices.clone().map(|vertex| x[vertex]).filter(|&p| possible(p));
        deepest = depths.fold(deepest, |deepest, p| deepest.max(-moving.distance_at_start(p)));
    }
    deepest
}
