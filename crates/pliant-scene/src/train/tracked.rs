//! A coarse scene, and beside it a fine cloth that tracks it [Bergou 2007; Kavan 2011].
//!
//! After each frame of the coarse cloth the fine one takes its steps, with the averages of `averages.rs` on their way to those of
//! the new smooth surface: ⟨x⟩ → ⟨S u⟩. Averages of momenta follow, since positions do so in every step. Pins of the coarse cloth
//! hold the fine vertices that follow nothing else. Gravity, wind, pressure, colliders and self-collision act on both; forces on
//! vertices and handles act on the coarse cloth, and reach the fine one through its averages.

use std::borrow::Cow;
use std::sync::Arc;

use pliant::energy::AverageGoals;
use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pliant::upsample::Refinement;
use pliant::{Body, Checkpoint, CheckpointError, ModelError, Simulation, StepError};
use pliant_io::store::{Frame, Topology};

use super::averages::Averages;
use super::error::TrainError;
use super::plan::{Training, TrainingMotion};
use crate::body::cloth;
use crate::budget::Budget;
use crate::drive::Driver;
use crate::error::SceneError;
use crate::fault::Fault;
use crate::folder::Recorded;
use crate::format::{ClothSection, MaterialSection};
use crate::run::SceneRun;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::solver::choice;

/// What goals of averages are called.
const GOALS: &str = "average";
/// Of a fine vertex, the share that follows pins if it is pinned itself: all but rounding.
const PINNED: f64 = 1.0 - 1e-9;

/// Both cloths in step with each other.
#[derive(Debug)]
pub struct TrackedRun {
    motion: String,
    body: String,
    coarse: SceneRun,
    fine: Simulation,
    refinement: Arc<Refinement>,
    averages: Averages,
    wind: Option<Driver>,
    steps: u32,
    /// Pinned fine vertices, ascending.
    pinned: Vec<u32>,
    smooth: Vec<Vec3>,
    topology: Topology,
    largest_offset: f64,
}

impl TrackedRun {
    pub(super) fn new(training: &Training, motion: &TrainingMotion) -> Result<Self, TrainError> {
        let (scene, refinement) = (&motion.scene, Arc::clone(training.refinement()));
        let mut coarse = scene.build()?;
        let own = coarse.sim.positions().len();
        if own != refinement.vertex_counts()[0] || coarse.sim.model().rest() != refinement.coarse_mesh().positions {
            let fault = Fault::new("upsample", format!("motion {:?} has another mesh than the scene", motion.name));
            return Err(scene.fault(&scene.list_path("body", 0), &fault).into());
        }
        let masses = coarse.sim.model().mass().lumped().to_vec();
        coarse.drivers.extend(motion.random_forces(
            f64::from(training.skip()) * training.frame_seconds(),
            coarse.sim.model().rest(),
            &masses,
        ));
        let pinned = pinned_vertices(&refinement, coarse.sim.model().pinned());
        let fine_masses = vertex_areas(refinement.fine_mesh());
        let averages = Averages::new(&refinement, &fine_masses);
        let Fine { simulation, wind, steps } = fine(scene, training, &averages, &pinned)?;
        let mut topology = Topology::default();
        topology.add_surface(training.body(), refinement.coarse_mesh());
        topology.add_surface(&format!("{} (fine)", training.body()), refinement.fine_mesh());
        Ok(Self {
            motion: motion.name.clone(),
            body: training.body().to_owned(),
            smooth: refinement.fine_mesh().positions.clone(),
            coarse,
            fine: simulation,
            refinement,
            averages,
            wind,
            steps,
            pinned,
            topology,
            largest_offset: 0.0,
        })
    }

    /// Number of finished frames.
    pub fn frame(&self) -> u32 {
        self.coarse.frame()
    }

    /// Positions of the coarse vertices \[m\].
    pub fn coarse(&self) -> &[Vec3] {
        self.coarse.sim.positions()
    }

    /// Positions of the fine vertices \[m\].
    pub fn fine(&self) -> &[Vec3] {
        self.fine.positions()
    }

    /// The fine simulation.
    pub fn fine_simulation(&self) -> &Simulation {
        &self.fine
    }

    /// How far an average of the fine cloth has been from that of the smooth surface, at most, at the end of a frame of this
    /// object \[m\].
    pub fn largest_offset(&self) -> f64 {
        self.largest_offset
    }

    /// How far averages of positions \[m\] and of velocities \[m/s\] of the fine cloth are from those of the smooth surface now, at most.
    pub fn offsets(&self) -> [f64; 2] {
        let most = |a: &[Vec3], b: &[Vec3]| {
            let (a, b) = (self.averages.of(a), self.averages.of(b));
            a.iter().zip(&b).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)))
        };
        let smooth = self.smoothed(self.coarse.sim.velocities());
        [most(self.fine.positions(), &self.smooth), most(self.fine.velocities(), &smooth)]
    }

    fn smoothed(&self, coarse: &[Vec3]) -> Vec<Vec3> {
        let each = |fine| self.refinement.weights(fine).map(|(v, weight)| weight * coarse[v as usize]).sum();
        (0..self.refinement.vertex_counts()[1]).map(each).collect()
    }

    /// Advances both by a frame. After an error the run cannot go on.
    pub fn next_frame(&mut self) -> Result<(), TrainError> {
        let frame = self.coarse.frame() + 1;
        let motion = self.motion.clone();
        let failed = |which| move |error: StepError| TrainError::Step { motion, which, frame, error: Box::new(error) };
        self.coarse.next_frame().map_err(failed.clone()("coarse"))?;
        let before = std::mem::take(&mut self.smooth);
        self.smooth = self.smoothed(self.coarse.sim.positions());
        let goals = [&before, &self.smooth].map(|surface| self.averages.of(surface));
        for step in 1..=self.steps {
            let share = f64::from(step) / f64::from(self.steps);
            self.aim(&goals, &before, share);
            self.fine.step().map_err(failed.clone()("fine"))?;
        }
        self.largest_offset = self.largest_offset.max(self.offsets()[0]);
        Ok(())
    }

    /// Sets goals and pins for the next step, a share of the way through the frame.
    fn aim(&mut self, goals: &[Vec<Vec3>; 2], before: &[Vec3], share: f64) {
        let [from, to] = goals;
        for (k, (from, to)) in from.iter().zip(to).enumerate() {
            let set = self.fine.set_goal(GOALS, k, from.lerp(*to, share));
            debug_assert!(set.is_ok(), "averages of finite positions: {set:?}");
        }
        for &vertex in &self.pinned {
            let at = before[vertex as usize].lerp(self.smooth[vertex as usize], share);
            let set = self.fine.move_pin(&self.body, vertex, at);
            debug_assert!(set.is_ok(), "it is pinned: {set:?}");
        }
        if let Some(wind) = &self.wind {
            let set = wind.act(&mut self.fine);
            debug_assert!(set.is_ok(), "the scene was checked when it was built: {set:?}");
        }
    }
}

/// The fine simulation with what acts on it.
struct Fine {
    simulation: Simulation,
    wind: Option<Driver>,
    steps: u32,
}

fn fine(scene: &Scene, training: &Training, averages: &Averages, pinned: &[u32]) -> Result<Fine, SceneError> {
    let (section, mesh) = (&scene.file().body[0], training.refinement().fine_mesh());
    let train = scene.file().train.clone().unwrap_or_default();
    let at_body = |fault: &Fault| scene.fault(&scene.list_path("body", 0), fault);
    let own = match &section.material {
        MaterialSection::Cloth(cloth) => cloth.clone(),
        _ => ClothSection::default(),
    };
    let material = cloth(train.cloth.as_ref().unwrap_or(&own)).map_err(|fault| at_body(&fault))?;
    let at_engine = |error: &ModelError| {
        let message = format!("the fine cloth: {error}");
        if train.cloth.is_some() {
            scene.fault(&["train".to_owned()], &Fault::new("cloth", message))
        } else {
            at_body(&Fault::new("material", message))
        }
    };
    let Settings { mut builder, substeps, wind } = scene.world(train.solver.as_ref())?;
    builder = scene.add_colliders(builder, &scene.files(), &mut Budget::new(scene.most_vertices))?;
    let step = 1.0 / (scene.frame_rate() * f64::from(substeps));
    let mass = material.density * vertex_areas(mesh).iter().sum::<f64>() / averages.patches.len() as f64;
    let stiffness = training.tracking * mass / (step * step);
    let goals = AverageGoals { averages: averages.patches.clone(), goals: None, stiffness }.build(&mesh.positions);
    let goals = goals.map_err(|error| at_body(&Fault::new("upsample", error.to_string())))?;
    let mut body = Body::cloth(mesh, &material).map_err(|error| at_engine(&error))?;
    body = body.named(section.name.clone()).with_energy(goals).pin(pinned.iter().copied());
    body = body.with_pressure(section.pressure).with_motion(section.velocity.into(), section.spin.into());
    if section.self_collision == Some(false) {
        body = body.without_self_collision();
    }
    if let (None, Some(solver)) = (&train.solver, &section.solver) {
        body = body.with_solver(choice(Some(solver)).map_err(|fault| at_body(&fault))?);
    }
    let simulation = builder.body(body).build().map_err(|error| at_engine(&error))?;
    Ok(Fine { simulation, wind, steps: substeps })
}

/// Fine vertices that follow pinned coarse ones alone, ascending.
fn pinned_vertices(refinement: &Refinement, pinned: &[u32]) -> Vec<u32> {
    let [coarse, fine] = refinement.vertex_counts();
    let mut is_pinned = vec![false; coarse];
    pinned.iter().for_each(|&v| is_pinned[v as usize] = true);
    let share = |v: u32| -> f64 {
        refinement.weights(v as usize).filter(|(v, _)| is_pinned[*v as usize]).map(|(_, weight)| weight).sum()
    };
    (0..fine as u32).filter(|&v| share(v) > PINNED).collect()
}

/// A third of the area of its triangles for each vertex \[m²\].
fn vertex_areas(mesh: &TriangleMesh) -> Vec<f64> {
    let mut areas = vec![0.0; mesh.positions.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|&v| areas[v as usize] += third);
    }
    areas
}

impl Recorded for TrackedRun {
    fn simulation(&self) -> &Simulation {
        &self.coarse.sim
    }

    fn stored_topology(&self) -> Cow<'_, Topology> {
        Cow::Borrowed(&self.topology)
    }

    /// The coarse vertices, and after them the fine ones.
    fn stored_frame(&self, _topology: &Topology) -> Frame<'_> {
        let (coarse, fine) = (&self.coarse.sim, &self.fine);
        Frame::new(coarse.time(), [coarse.positions(), fine.positions()].concat())
            .with_velocities([coarse.velocities(), fine.velocities()].concat())
    }

    fn stretches(&self) -> (f64, f64) {
        self.fine.stretches()
    }

    /// The length of what continues the coarse scene, that, and what continues the fine cloth.
    fn save(&self) -> Vec<u8> {
        let coarse = self.coarse.save();
        let length = (coarse.len() as u64).to_le_bytes();
        [&length[..], &coarse, &self.fine.checkpoint().to_bytes()].concat()
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let damaged = || CheckpointError::Damaged { at: 0, size: bytes.len() };
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (coarse, fine) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let (kept, fine) = (self.fine.checkpoint(), Checkpoint::from_bytes(fine)?);
        self.fine.restore(&fine)?;
        if let Err(error) = self.coarse.restore(coarse) {
            let back = self.fine.restore(&kept);
            debug_assert!(back.is_ok(), "it was there before: {back:?}");
            return Err(error);
        }
        self.smooth = self.smoothed(self.coarse.sim.positions());
        Ok(())
    }
}
