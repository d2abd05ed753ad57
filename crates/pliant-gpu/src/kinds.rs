//! The kinds of worlds that can stay on a device, and which of them a simulation is.

use std::any::Any;
use std::fmt::{Display, Formatter};

use pliant::Simulation;
use pliant::solve::SolverChoice;

use crate::device::DeviceChoice;
use crate::fluid::ResidentFluid;
use crate::resident::ResidentWorld;
use crate::solver::GpuParams;
use crate::world::{GpuWorld, GpuWorldError};

/// What is left to do for a world that has found its place.
type Move = Box<dyn FnOnce(Simulation) -> Box<dyn ResidentWorld>>;

/// A kind of worlds.
struct Kind {
    /// What its bodies are, for errors.
    name: &'static str,
    /// Whether it computes what this solver of the engine does.
    serves: fn(&SolverChoice) -> bool,
    /// Prepares a device for a simulation, or says why it cannot be brought there.
    prepare: fn(&mut Simulation, &DeviceChoice) -> Result<Move, GpuWorldError>,
}

/// All kinds. The first that serves the solver and has no objection takes the world.
const KINDS: [Kind; 2] = [
    Kind {
        name: "elastic bodies",
        serves: is_of_gpu,
        // The solver of the world names its device.
        prepare: |sim, _| {
            let begin = GpuWorld::prepare(sim)?;
            Ok(Box::new(|sim| Box::new(begin(sim))))
        },
    },
    Kind {
        name: "fluids",
        serves: |solver| matches!(solver, SolverChoice::PositionBased(_)),
        prepare: |sim, choice| {
            let begin = ResidentFluid::prepare(sim, choice)?;
            Ok(Box::new(|sim| Box::new(begin(sim))))
        },
    },
];

fn is_of_gpu(solver: &SolverChoice) -> bool {
    gpu_params(solver).is_some()
}

/// The parameters of the solver on a GPU, if it is that.
pub(crate) fn gpu_params(solver: &SolverChoice) -> Option<&GpuParams> {
    let SolverChoice::Custom(own) = solver else { return None };
    let recipe: &dyn Any = own.recipe();
    recipe.downcast_ref()
}

/// Why a world cannot stay on a device, with the world.
#[derive(Debug)]
pub struct NotResident {
    /// The simulation, as it was.
    pub simulation: Box<Simulation>,
    /// What each kind of worlds that has its solver says: what it is for, and why it is not for this one. Empty where no kind has its solver.
    pub reasons: Vec<(&'static str, GpuWorldError)>,
}

impl Display for NotResident {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match &self.reasons[..] {
            [] => {
                let solver = self.simulation.solver_choice();
                write!(
                    f,
                    "no world of the solver {solver} can stay on a GPU: the GPU's solver and the position-based one can"
                )
            }
            [(_, only)] => write!(f, "{only}"),
            several => {
                let reasons: Vec<String> = several.iter().map(|(kind, why)| format!("as {kind}: {why}")).collect();
                f.write_str(&reasons.join("; "))
            }
        }
    }
}

impl std::error::Error for NotResident {}

/// Brings a world to a device, where its state stays: worlds of the GPU's solver, and fluids of the position-based one. What is not done there as on the CPU is an
/// error that names it and gives the simulation back.
///
/// ```
/// use pliant::mesh::generate::particle_block;
/// use pliant::prelude::*;
/// use pliant_gpu::{GpuParams, device::DeviceChoice, resident};
/// # if pliant_gpu::device::Device::adapters().is_empty() { return Ok(()) }
///
/// let mesh = Sheet { columns: 20, rows: 20, ..Sheet::default() }.mesh()?;
/// let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.pin([420, 440]);
/// let sim = Simulation::builder().body(cloth).solver(GpuParams::plain(10)).build()?;
/// let mut world = resident(sim, &DeviceChoice::default())?;
/// for _ in 0..10 {
///     world.step()?;
/// }
/// let after_ten = world.request_state()?;
/// world.step()?; // It is computed while the state of ten steps comes back.
/// world.accept(&after_ten.wait()?)?;
/// assert!((world.last_synced().time() - 10.0 / 60.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn resident(mut sim: Simulation, choice: &DeviceChoice) -> Result<Box<dyn ResidentWorld>, Box<NotResident>> {
    let mut reasons = Vec::new();
    for kind in KINDS {
        if !(kind.serves)(sim.solver_choice()) {
            continue;
        }
        match (kind.prepare)(&mut sim, choice) {
            Ok(begin) => return Ok(begin(sim)),
            Err(why) => reasons.push((kind.name, why)),
        }
    }
    Err(Box::new(NotResident { simulation: Box::new(sim), reasons }))
}
