//! The kinds of worlds that can stay on a device, and which of them a simulation is.

use std::fmt::{Display, Formatter};

use pliant::solve::SolverChoice;
use pliant::{Fluid, Matching, Simulation};

use crate::device::{Device, DeviceChoice};
use crate::error::GpuError;
use crate::fluid::ResidentFluid;
use crate::hair::GpuHair;
use crate::matching::GpuMatching;
use crate::particles::GpuParticles;
use crate::resident::ResidentWorld;
use crate::solver::GpuParams;
use crate::world::{GpuWorld, GpuWorldError, MOVING_PINS_APART};

/// What is left to do for a world that has found its place.
type Move = Box<dyn FnOnce(Simulation) -> Box<dyn ResidentWorld>>;

/// A kind of worlds.
struct Kind {
    /// What its bodies are, for errors.
    name: &'static str,
    /// Whether it computes what this solver of the engine does.
    serves: fn(&SolverChoice) -> bool,
    /// Whether the world has what makes it one of this kind, or of no other. So what a world is refused for is said once, and by the kind that it is.
    suits: fn(&Simulation) -> bool,
    /// Whether it has [`move_pins`](ResidentWorld::move_pins).
    moves_pins: bool,
    /// Refuses what would not be done as on the CPU. It needs no device.
    check: fn(&Simulation) -> Result<(), GpuWorldError>,
    /// Prepares a device for a simulation, or says why it cannot be brought there.
    prepare: fn(&mut Simulation, &DeviceChoice) -> Result<Move, GpuWorldError>,
}

fn has_fluid(sim: &Simulation) -> bool {
    sim.model().matter_of::<Fluid>().next().is_some()
}

fn is_matched(sim: &Simulation) -> bool {
    sim.model().matter_of::<Matching>().next().is_some()
}

/// All kinds. The first that serves the solver, suits the world and has no objection takes it.
static KINDS: [Kind; 5] = [
    Kind {
        name: "elastic bodies",
        serves: |solver| GpuParams::of(solver).is_some(),
        suits: |_| true,
        moves_pins: true,
        check: GpuWorld::check,
        // The solver of the world names its device.
        prepare: |sim, _| {
            let begin = GpuWorld::prepare(sim)?;
            Ok(Box::new(|sim| Box::new(begin(sim))))
        },
    },
    Kind {
        name: "fluids",
        serves: |solver| matches!(solver, SolverChoice::PositionBased(_)),
        suits: has_fluid,
        moves_pins: false,
        check: ResidentFluid::check,
        prepare: |sim, choice| {
            let begin = ResidentFluid::prepare(sim, choice)?;
            Ok(Box::new(|sim| Box::new(begin(sim))))
        },
    },
    Kind {
        name: "shape matching on a lattice",
        serves: |solver| matches!(solver, SolverChoice::PositionBased(_)),
        suits: |sim| is_matched(sim) && !has_fluid(sim),
        moves_pins: true,
        check: GpuMatching::check,
        prepare: |sim, choice| {
            GpuMatching::check(sim)?;
            let begin = GpuMatching::prepare(&Device::open(choice)?, sim)?;
            Ok(Box::new(|sim| Box::new(begin(sim))))
        },
    },
    Kind {
        name: "position-based bodies",
        serves: |solver| matches!(solver, SolverChoice::PositionBased(_)),
        suits: |sim| !has_fluid(sim) && !is_matched(sim),
        moves_pins: true,
        check: GpuParticles::check,
        prepare: |sim, choice| {
            GpuParticles::check(sim)?;
            let begin = GpuParticles::prepare(&Device::open(choice)?, sim)?;
            Ok(Box::new(|sim| Box::new(begin(sim))))
        },
    },
    Kind {
        name: "hair",
        serves: |solver| matches!(solver, SolverChoice::FollowLeader(_)),
        suits: |_| true,
        moves_pins: true,
        check: GpuHair::check,
        prepare: |sim, choice| {
            GpuHair::check(sim)?;
            let begin = GpuHair::prepare(&Device::open(choice)?, sim)?;
            Ok(Box::new(|sim| Box::new(begin(sim))))
        },
    },
];

/// What is going to be done with a world on a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demands {
    /// Pinned vertices will be moved.
    pub moving_pins: bool,
}

/// Why a world cannot stay on a device.
#[derive(Debug)]
pub struct Objections {
    /// Its solver.
    pub solver: String,
    /// What each kind of worlds that has its solver says: what it is for, and why it is not for this one. Empty where no kind has its solver.
    pub reasons: Vec<(&'static str, GpuWorldError)>,
}

impl Objections {
    /// In a few words, such as "the world has wind".
    pub fn in_short(&self) -> String {
        match &self.reasons[..] {
            [(_, GpuWorldError::Feature { feature })] => format!("the world has {feature}"),
            [(_, GpuWorldError::Gpu(GpuError::Unsupported { what, feature, .. }))] => format!("{what} has {feature}"),
            _ => self.to_string(),
        }
    }
}

impl Display for Objections {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match &self.reasons[..] {
            [] => {
                let solver = &self.solver;
                write!(
                    f,
                    "no world of the solver {solver} can stay on a GPU: one of the GPU's solver, of the position-based one, or hair that follows its leaders, can"
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

impl std::error::Error for Objections {}

/// A world that could not be brought to a device, and why.
#[derive(Debug)]
pub struct NotResident {
    /// The simulation, as it was.
    pub simulation: Simulation,
    /// Why.
    pub objections: Objections,
}

impl Display for NotResident {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        Display::fmt(&self.objections, f)
    }
}

impl std::error::Error for NotResident {}

/// The kinds that a world may be of.
struct Candidates {
    solver: String,
    kinds: Vec<&'static Kind>,
}

impl Candidates {
    fn of(sim: &Simulation) -> Self {
        let solver = sim.solver_choice();
        let kinds = KINDS.iter().filter(|kind| (kind.serves)(solver) && (kind.suits)(sim));
        Self { solver: solver.to_string(), kinds: kinds.collect() }
    }

    /// Tries them all, until one has no objection.
    fn first<T>(self, mut attempt: impl FnMut(&Kind) -> Result<T, GpuWorldError>) -> Result<T, Objections> {
        let mut reasons = Vec::new();
        for kind in self.kinds {
            match attempt(kind) {
                Ok(found) => return Ok(found),
                Err(why) => reasons.push((kind.name, why)),
            }
        }
        Err(Objections { solver: self.solver, reasons })
    }
}

/// Whether [`resident`] would take a world, as far as that can be known without a device.
pub fn check_resident(sim: &Simulation, demands: Demands) -> Result<(), Objections> {
    Candidates::of(sim).first(|kind| {
        (kind.check)(sim)?;
        if demands.moving_pins && !kind.moves_pins {
            return Err(no_moving_pins());
        }
        if demands.moving_pins && sim.self_collision().is_some() {
            return Err(GpuWorldError::Feature { feature: MOVING_PINS_APART.to_owned() });
        }
        Ok(())
    })
}

pub(crate) fn no_moving_pins() -> GpuWorldError {
    GpuWorldError::Feature { feature: "pins that move".to_owned() }
}

/// Brings a world to a device, where its state stays: a world of the GPU's solver, of the position-based one, or hair that follows its leaders. What is not done
/// there as on the CPU is an error that names it and gives the simulation back.
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
    match Candidates::of(&sim).first(|kind| (kind.prepare)(&mut sim, choice)) {
        Ok(begin) => Ok(begin(sim)),
        Err(objections) => Err(Box::new(NotResident { simulation: sim, objections })),
    }
}
