//! Contacts with colliders that stand still, by the law that fluids have.

use pliant::Simulation;
use pliant::math::Vec3;

use super::numbers::literal;
use super::schedule::THREADS;
use super::world::unsupported;
use crate::device::{Access, Bound, Device, Dispatch, Storage};
use crate::error::GpuError;
use crate::fluid::{CONTACT, MOST_COLLIDERS, SHAPES, collider_functions, is_known};

/// How far away what is no collider is \[m\].
const FARTHEST: f64 = 1e6;

/// The kernels of contact.
#[derive(Debug)]
pub(super) struct Contacts {
    part: Dispatch,
    /// What comes at the end of a substep.
    pub(super) leave: Dispatch,
}

impl Contacts {
    /// None in a world without colliders.
    pub(super) fn new(
        device: &Device,
        sim: &Simulation,
        centre: Vec3,
        [points, starts, velocities]: [&Storage<[f32; 4]>; 3],
    ) -> Result<Option<Self>, GpuError> {
        let (colliders, count) = (sim.colliders(), points.len());
        if colliders.is_empty() {
            return Ok(None);
        }
        let contacts = device.zeros::<[f32; 4]>("contacts of vertices", 2 * colliders.len() * count)?;
        let touched = device.zeros::<u32>("what vertices have met", count)?;
        let (number, h) = (colliders.len(), sim.time_step() / sim.substeps() as f64);
        let head = format!(
            "const COUNT = {count}u;\nconst THREADS = {THREADS}u;\nconst COLLIDERS = {number}u;\nconst STEP = {};\n\
             const FARTHEST_CELL = {};\n",
            literal(h),
            literal(FARTHEST)
        );
        let shapes = collider_functions(colliders, centre, 1.0);
        let source = [&head, SHAPES, &shapes, CONTACT, include_str!("contacts.wgsl")].join("\n");
        use Access::{Read, Write};
        let buffers: [&dyn Bound; 5] = [&contacts, points, starts, &touched, velocities];
        let one = |entry: &str| {
            let kernel = device.kernel(&source, entry, &[Write, Write, Read, Write, Write])?;
            Ok::<_, GpuError>(device.dispatch(&kernel, &buffers, [0; 4], count.div_ceil(THREADS)))
        };
        Ok(Some(Self { part: one("part")?, leave: one("leave")? }))
    }

    /// What comes after an iteration.
    pub(super) fn part(&self, is_first: bool) -> Dispatch {
        self.part.with_parameters([u32::from(is_first), 0, 0, 0])
    }
}

/// Refuses colliders that kernels do not know.
pub(super) fn check_colliders(sim: &Simulation, iterations: usize) -> Result<(), GpuError> {
    let colliders = sim.colliders();
    if colliders.len() > MOST_COLLIDERS {
        let feature = format!("{} colliders, more than {MOST_COLLIDERS}", colliders.len());
        return Err(unsupported("the world", feature, "use fewer colliders"));
    }
    if iterations == 0 && !colliders.is_empty() {
        return Err(unsupported("the world", "colliders, but no iterations", "make one at least"));
    }
    for (number, collider) in colliders.iter().enumerate() {
        let name = collider.name().map_or_else(|| format!("collider {number}"), |name| format!("collider {name:?}"));
        if !is_known(collider.shape()) {
            let instead = "use planes, balls, boxes, capsules and cylinders";
            return Err(unsupported(name, "triangles, heights or a grid for its shape", instead));
        }
        if !collider.is_still() {
            return Err(unsupported(name, "a motion", "let it stand still"));
        }
        if collider.surface().restitution > 0.0 {
            return Err(unsupported(name, "restitution", "set it to 0"));
        }
    }
    Ok(())
}
