//! Colliders as kernels know them.

use pliant::collide::{Collider, DistanceGrid, Pose, Shape};
use pliant::math::{Quat, Vec3};
use pliant::mesh::sdf::SignedDistance;

use crate::local::indexed;

/// Rows before those of the first collider, and rows of each; see `shapes.wgsl`.
const HEAD: usize = 2;
const ROWS: usize = 8;
/// Cells along the longest side of a grid that stands for a closed mesh.
const CELLS: f64 = 64.0;

/// Times of a substep, and what accelerates vertices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// Its length \[s\].
    pub(crate) h: f64,
    /// Length of its implicit stage \[s\].
    pub(crate) tau: f64,
    /// What drag leaves of velocities.
    pub(crate) kept: f64,
    /// Whether the integrator looks back one substep.
    pub(crate) looks_back: bool,
    pub(crate) gravity: Vec3,
}

/// Why a collider cannot be on a device.
pub(super) fn unsupported(collider: &Collider) -> Option<&'static str> {
    // An animated mesh would need a grid for every frame.
    collider.frame(0.0).is_some().then_some("vertices that move")
}

/// Rows of all colliders, and after them the values of grids.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) rows: Vec<[f32; 4]>,
    pub(super) is_still: bool,
}

impl Table {
    pub(super) fn new(colliders: &[Collider], times: &Times) -> Self {
        let mut rows = vec![[0.0; 4]; HEAD + ROWS * colliders.len()];
        let clock = [times.h, times.tau, times.kept, f64::from(u8::from(times.looks_back))];
        rows[0] = clock.map(|value| value as f32);
        rows[1] = quad(times.gravity, 0.0);
        for (number, collider) in colliders.iter().enumerate() {
            let shape = Numbers::of(collider.shape());
            let surface = collider.surface();
            let counts = shape.counts.map(|count| indexed(count as u32));
            let first = indexed(rows.len() as u32);
            let own = &mut rows[HEAD + ROWS * number..][..ROWS];
            own[0][3] = indexed(shape.kind);
            own[4] = quad(shape.sizes, surface.thickness);
            own[5] = quad(Vec3::new(surface.friction, surface.restitution, shape.steepness), 0.0);
            own[6] = shape.grid.map(|value| value as f32);
            own[7] = [counts[0], counts[1], counts[2], first];
            let mut values = shape.values.chunks(4);
            rows.extend(values.by_ref().map(|part| {
                let mut four = [0.0; 4];
                four.iter_mut().zip(part).for_each(|(to, value)| *to = *value as f32);
                four
            }));
        }
        let mut table = Self { rows, is_still: colliders.iter().all(Collider::is_still) };
        table.place(colliders, [0.0; 2]);
        table
    }

    /// Puts colliders to where they are at the start and at the end of a substep \[s\].
    pub(super) fn place(&mut self, colliders: &[Collider], [start, end]: [f64; 2]) {
        for (number, collider) in colliders.iter().enumerate() {
            let [start, end] = [collider.pose(start), collider.pose(end)];
            let own = &mut self.rows[HEAD + ROWS * number..][..ROWS];
            let kind = own[0][3];
            own[0] = quad(start.position, 0.0);
            own[0][3] = kind;
            own[1] = rotation(start.rotation);
            own[2] = quad(end.position, angle_between(&start, &end));
            own[3] = rotation(end.rotation);
        }
    }

    /// Rows that change when colliders move.
    pub(super) fn moving_rows(&self, colliders: usize) -> &[[f32; 4]] {
        &self.rows[..HEAD + ROWS * colliders]
    }
}

/// By how much a shape turns \[rad\].
fn angle_between(start: &Pose, end: &Pose) -> f64 {
    if start.rotation == end.rotation { 0.0 } else { start.rotation.angle_between(end.rotation) }
}

/// A shape in numbers; see `shapes.wgsl`.
struct Numbers {
    kind: u32,
    sizes: Vec3,
    /// By how much more than one metre its distance may change in a metre.
    steepness: f64,
    grid: [f64; 4],
    counts: [usize; 3],
    values: Vec<f64>,
}

impl Numbers {
    fn plain(kind: u32, sizes: Vec3) -> Self {
        Self { kind, sizes, steepness: 1.0, grid: [0.0; 4], counts: [0; 3], values: Vec::new() }
    }

    fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Plane => Self::plain(0, Vec3::ZERO),
            Shape::Sphere { radius } => Self::plain(1, Vec3::X * *radius),
            Shape::Capsule { radius, length } => Self::plain(2, Vec3::new(*radius, 0.5 * length, 0.0)),
            Shape::Box { size } => Self::plain(3, *size * 0.5),
            Shape::Cylinder { radius, length } => Self::plain(4, Vec3::new(*radius, 0.5 * length, 0.0)),
            Shape::Heightfield(field) => {
                let ([nx, nz], [dx, dz]) = (field.counts(), field.spacing());
                let values = field.heights().to_vec();
                // Not convex: a hair more tells it from shapes that are.
                let steepness = 1.0 + 1e-6;
                Self { steepness, grid: [dx, dz, 0.0, 0.0], counts: [nx, nz, 0], values, ..Self::plain(5, Vec3::ZERO) }
            }
            Shape::Mesh(mesh) => {
                let size = mesh.bounds().size();
                let spacing = size.max_element() / CELLS;
                match DistanceGrid::sampled(mesh, spacing) {
                    Ok(grid) => Self::grid(&grid),
                    // A closed mesh has a size.
                    Err(_) => Self::plain(1, Vec3::ZERO),
                }
            }
            Shape::Grid(grid) => Self::grid(grid),
        }
    }

    fn grid(grid: &DistanceGrid) -> Self {
        let corner = grid.origin();
        let grid_row = [corner.x, corner.y, corner.z, grid.spacing()];
        let (counts, values) = (grid.counts(), grid.values().to_vec());
        Self { steepness: 3.0_f64.sqrt(), grid: grid_row, counts, values, ..Self::plain(6, Vec3::ZERO) }
    }
}

fn quad(v: Vec3, last: f64) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, last as f32]
}

fn rotation(q: Quat) -> [f32; 4] {
    [q.x, q.y, q.z, q.w].map(|value| value as f32)
}
