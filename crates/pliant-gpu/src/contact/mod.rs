//! Contact of vertices with colliders on a device: what they meet on their way, forces that stop them, friction, restitution.
//!
//! | file | does |
//! |---|---|
//! | `shapes` | colliders in numbers, and how far a place is from them; a closed mesh is a grid of distances |
//! | `law.wgsl` | the law of one contact |
//! | `meet.wgsl` | finds contacts, lets them follow surfaces and forces, or moves vertices by them |
//! | `respond.wgsl` | forces and blocks of Newton's matrix |
//! | `leave.wgsl` | restitution, and a last projection |
//!
//! Contacts belong to vertices: each has room for one with every collider, and no thread touches those of another. The factor of the constant matrix knows
//! nothing of them. In Newton's method they are blocks on the diagonal of the matrix; local/global iterations move vertices after each.

mod shapes;

pub(crate) use shapes::Times;

use bytemuck::Pod;
use pliant::SelfCollision;
use pliant::collide::Collider;

use crate::device::{Access, Bound, Device, Dispatch, Storage};
use crate::error::GpuError;
use crate::local::LocalStep;
use shapes::{Table, unsupported};

/// Colliders that a world may have: there is room for a contact with each at every vertex.
pub(crate) const MOST_COLLIDERS: usize = 16;
/// Threads of a workgroup.
const THREADS: usize = 128;
/// Rows of a contact; see `law.wgsl`.
const TOUCH_ROWS: usize = 5;

/// What is in the way of a world.
#[derive(Debug, Clone)]
pub(crate) struct Way<'a> {
    pub(crate) colliders: &'a [Collider],
    /// Weight of a contact in Newton's method, over the diagonal of the constant matrix.
    pub(crate) weight: f64,
    pub(crate) times: Times,
    /// How surfaces are kept apart, if they are.
    pub(crate) self_collision: Option<&'a SelfCollision>,
    /// Offsets at the start of a substep.
    pub(crate) starts: &'a Storage<[f32; 4]>,
}

/// Buffers of the substep at whose end velocities are found.
pub(crate) struct Ending<'a> {
    pub(crate) velocities: &'a Storage<[f32; 4]>,
    pub(crate) bases: &'a Storage<[f32; 4]>,
    pub(crate) earlier: &'a Storage<[f32; 4]>,
}

/// Contacts with colliders on a device.
#[derive(Debug)]
pub(crate) struct Obstacles {
    colliders: Vec<Collider>,
    table: Table,
    rows: Storage<[f32; 4]>,
    touches: Storage<[f32; 4]>,
    /// Weight of a contact of each vertex, and its inertia m/τ² \[N/m\].
    weights: Storage<[f32; 2]>,
    starts: Storage<[f32; 4]>,
    /// How many contacts press after an iteration of Newton's method, by parts.
    pub(crate) pressing: Storage<u32>,
    free: usize,
}

impl Obstacles {
    /// `weights` are the weight of a contact of each free vertex in its place, and its inertia m/τ² \[N/m\].
    pub(crate) fn new(device: &Device, way: &Way<'_>, weights: &[[f32; 2]]) -> Result<Self, GpuError> {
        check(way.colliders)?;
        let table = Table::new(way.colliders, &way.times);
        let free = weights.len();
        Ok(Self {
            colliders: way.colliders.to_vec(),
            rows: device.array("colliders", &table.rows)?,
            touches: device.zeros("contacts", 1 + TOUCH_ROWS * way.colliders.len() * free)?,
            weights: device.array("weights of contacts", weights)?,
            starts: way.starts.clone(),
            pressing: device.zeros("contacts that press", free.div_ceil(THREADS))?,
            table,
            free,
        })
    }

    /// Puts colliders to where they are in the substep that is asked for next \[s\].
    pub(crate) fn place(&mut self, device: &Device, span: [f64; 2]) -> Result<(), GpuError> {
        if self.table.is_still {
            return Ok(());
        }
        self.table.place(&self.colliders, span);
        device.write(&self.rows, 0, self.table.moving_rows(self.colliders.len()))
    }

    /// Whether no collider moves.
    pub(crate) fn is_still(&self) -> bool {
        self.table.is_still
    }

    /// Finds what vertices meet on the way to where they are predicted to be, and stops them there. Newton's `guess` of their movement changes by as much.
    pub(crate) fn begin(
        &self,
        device: &Device,
        local: &LocalStep,
        guess: &Storage<[f32; 4]>,
    ) -> Result<Dispatch, GpuError> {
        self.meeting(device, local, "begin_contacts", Some(guess), false)
    }

    /// After an iteration of Newton's method that has begun at `origin`.
    pub(crate) fn settle(
        &self,
        device: &Device,
        local: &LocalStep,
        origin: &Storage<[f32; 4]>,
    ) -> Result<Dispatch, GpuError> {
        self.meeting(device, local, "settle_contacts", Some(origin), false)
    }

    /// After a local/global iteration, or before the first one.
    pub(crate) fn push_apart(&self, device: &Device, local: &LocalStep, begins: bool) -> Result<Dispatch, GpuError> {
        self.meeting(device, local, "push_apart", None, begins)
    }

    fn meeting(
        &self,
        device: &Device,
        local: &LocalStep,
        entry: &str,
        origin: Option<&Storage<[f32; 4]>>,
        begins: bool,
    ) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let source = source(include_str!("meet.wgsl"));
        let mut access = vec![Read, Write, Read, Read, Write, Read];
        let mut buffers: Vec<&dyn Bound> =
            vec![&self.rows, &self.touches, &local.anchors, &self.starts, &local.offsets, &self.weights];
        if let Some(origin) = origin {
            access.extend([Write, Write]);
            buffers.extend([origin as &dyn Bound, &self.pressing]);
        }
        let kernel = device.kernel(&source, entry, &access)?;
        let parameters = [self.free as u32, self.colliders.len() as u32, begins.into(), 0];
        Ok(device.dispatch(&kernel, &buffers, parameters, self.free.div_ceil(THREADS)))
    }

    /// What contacts do at the current positions: forces into `slots`, one of each vertex, and blocks of Newton's matrix from one on.
    pub(crate) fn respond<T: Pod>(
        &self,
        device: &Device,
        local: &LocalStep,
        (places, slots): (&Storage<u32>, &Storage<[f32; 4]>),
        (blocks, first_block): (&Storage<T>, u32),
    ) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let kernel = device.kernel(
            &source(include_str!("respond.wgsl")),
            "contact_forces",
            &[Read, Write, Read, Read, Read, Write, Write],
        )?;
        let buffers: [&dyn Bound; 7] =
            [&self.rows, &self.touches, &local.offsets, &self.weights, places, slots, blocks];
        let parameters = [self.free as u32, self.colliders.len() as u32, first_block, 0];
        Ok(device.dispatch(&kernel, &buffers, parameters, self.free.div_ceil(THREADS)))
    }

    /// What remains after a substep is solved: restitution, and no vertex ends inside a collider.
    pub(crate) fn leave(&self, device: &Device, local: &LocalStep, ending: &Ending<'_>) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let kernel = device.kernel(
            &source(include_str!("leave.wgsl")),
            "leave_contacts",
            &[Read, Write, Read, Read, Write, Write, Write, Write],
        )?;
        let Ending { velocities, bases, earlier } = *ending;
        let buffers: [&dyn Bound; 8] =
            [&self.rows, &self.touches, &local.anchors, velocities, &self.starts, bases, &local.offsets, earlier];
        let parameters = [self.free as u32, self.colliders.len() as u32, 0, 0];
        Ok(device.dispatch(&kernel, &buffers, parameters, self.free.div_ceil(THREADS)))
    }

    /// Whether that has moved a vertex out of a collider. It waits for the device.
    pub(crate) fn has_moved(&self, device: &Device) -> Result<bool, GpuError> {
        Ok(device.read(&self.touches, 1)?[0][0] != 0.0)
    }
}

fn source(own: &str) -> String {
    [include_str!("shapes.wgsl"), include_str!("law.wgsl"), own].concat()
}

/// Refuses colliders that a device does not know.
pub(crate) fn check(colliders: &[Collider]) -> Result<(), GpuError> {
    let unsupported_by =
        |what: String, feature: String, instead: &'static str| Err(GpuError::Unsupported { what, feature, instead });
    if colliders.len() > MOST_COLLIDERS {
        let feature = format!("{} colliders, more than {MOST_COLLIDERS}", colliders.len());
        return unsupported_by("the world".to_owned(), feature, "use fewer colliders, or one mesh for several");
    }
    for (number, collider) in colliders.iter().enumerate() {
        if let Some(feature) = unsupported(collider) {
            let name =
                collider.name().map_or_else(|| format!("collider {number}"), |name| format!("collider {name:?}"));
            return unsupported_by(
                name,
                feature.to_owned(),
                "step this world as any other, which brings its state back",
            );
        }
    }
    Ok(())
}
