//! Volume conservation for closed surfaces [Diziol 2011; Bender 2014, equations 11 to 13].
//!
//! ```text
//! V = ⅓ Σ A (centre · n)      ∇V of a vertex = ⅓ Σ A n over its triangles      C = V − V at rest
//! Δxᵢ = −C wᵢ nᵢ / Σ w n · ∇   wᵢ = (1 − local) / count + local · lᵢ            l ∝ distances |Δd| + (1 − distances) ‖g − x‖
//! ```
//!
//! with g the goal of a vertex and Δd how much nearer or farther the vertex opposite to it is than at rest. On a closed surface the gradient is
//! exact, so that what is left of a small error is of second order. Velocities are corrected in the same way, to ∇V · v = 0. Vertices that
//! are pinned or touch a collider have no weight.
//!
//! Departure: the papers move vertices along ∇, which is as long as triangles are large, so that large ones grow ever faster and spikes come out;
//! along normals n, smoothed like the weights, the surface stays smooth. No local weight is far above the mean, for the same reason: what
//! sticks out is far from its goal. Movements lose the movement of the whole that they would add, so that momentum and angular
//! momentum of a free body are kept; one that is held gets from outside what ∇ would get it.

use super::Matching;
use super::regions::RegionError;
use crate::math::{Mat3, Vec3, outer, symmetric_inverse_where_positive};
use crate::mesh::bvh::Bvh;
use crate::mesh::{Bounds, Csr, TriangleMesh, tet_volume, triangle_area_vector};

/// Volume conservation for a body with shape matching and a closed surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeConservation {
    /// How much vertices near a dent compensate for it, 0 to 1. With 0, all vertices move by the same amount.
    pub local: f64,
    /// Share of these local weights that depends on distances through the body, 0 to 1; the rest depends on how far
    /// vertices are from their goals. Distances make a body that is squeezed from one side bulge on both.
    pub distances: f64,
    /// Number of times that local weights are smoothed along edges.
    pub smoothing: usize,
}

impl Default for VolumeConservation {
    /// All vertices alike.
    fn default() -> Self {
        Self { local: 0.0, distances: 0.5, smoothing: 4 }
    }
}

impl VolumeConservation {
    pub(super) fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        let all = [("local volume conservation", self.local), ("distances of volume conservation", self.distances)];
        let smoothing = (self.smoothing > MOST_SMOOTHING).then_some(self.smoothing as f64);
        let rounds = smoothing.map(|value| ("smoothing of volume conservation", value, "at most 1000"));
        let shares = all.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value));
        shares.map(|(name, value)| (name, value, "0 to 1")).or(rounds)
    }
}

impl Matching {
    /// Checks that a volume that is to be kept is enclosed.
    pub(crate) fn check_surface(&self, rest: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), RegionError> {
        if self.volume.is_none() {
            return Ok(());
        }
        let surface = TriangleMesh { positions: rest.to_vec(), triangles: triangles.to_vec() };
        surface.check_closed().map_err(RegionError::OpenVolume)?;
        // What is flat cannot be filled.
        if volume(triangles, rest) == 0.0 { Err(RegionError::NoVolume) } else { Ok(()) }
    }
}

const MOST_SMOOTHING: usize = 1000;
/// The largest share of a volume that is made up for at once: beyond, the surface is no longer near to where the gradient holds.
const MOST_AT_ONCE: f64 = 0.2;
/// Local weights above so many times their mean are cut off there.
const MOST_ABOVE_MEAN: f64 = 3.0;
/// Vertices touch what is nearer than this share of an edge.
const TOUCHING: f64 = 1e-3;
/// Rays through a vertex or an edge meet the triangles around it, also after rounding.
const SLACK: f64 = 1e-9;

/// A closed surface while it is stepped.
#[derive(Debug)]
pub(super) struct Volume {
    params: VolumeConservation,
    triangles: Vec<[u32; 3]>,
    /// Vertices of the surface, ascending.
    surface: Vec<u32>,
    /// Neighbours along edges.
    neighbours: Csr,
    masses: Vec<f64>,
    at_rest: f64,
    /// The vertex opposite to each of the surface's, and how far it is at rest \[m\].
    opposite: Vec<Option<(u32, f64)>>,
    touching: f64,
    /// Of each vertex in this step; 0 inside.
    weights: Vec<f64>,
    /// Vertices that may not be moved.
    is_held: Vec<bool>,
    /// Positions before the step.
    before: Vec<Vec3>,
}

impl Volume {
    pub(super) fn new(params: VolumeConservation, triangles: Vec<[u32; 3]>, rest: &[Vec3], masses: &[f64]) -> Self {
        let mesh = TriangleMesh { positions: rest.to_vec(), triangles };
        let edges = mesh.edges();
        let both = edges.iter().flat_map(|&[a, b]| [(a, b), (b, a)]);
        let neighbours = Csr::from_pairs(rest.len(), both);
        let surface = (0..rest.len() as u32).filter(|&v| !neighbours.row(v as usize).is_empty()).collect();
        let length: f64 = edges.iter().map(|&[a, b]| rest[a as usize].distance(rest[b as usize])).sum();
        let needs_opposite = params.local > 0.0 && params.distances > 0.0;
        Self {
            params,
            surface,
            neighbours,
            masses: masses.to_vec(),
            at_rest: volume(&mesh.triangles, rest),
            opposite: if needs_opposite { opposite_vertices(&mesh) } else { vec![None; rest.len()] },
            touching: TOUCHING * length / edges.len().max(1) as f64,
            weights: vec![0.0; rest.len()],
            is_held: vec![false; rest.len()],
            before: Vec::new(),
            triangles: mesh.triangles,
        }
    }

    /// Whether weights go by goals.
    pub(super) fn needs_goals(&self) -> bool {
        self.params.local > 0.0 && self.params.distances < 1.0
    }

    /// Weights of a step that goes on from x, from where particles would move so far to their goals.
    pub(super) fn begin(&mut self, to_goals: &[Vec3], x: &[Vec3]) {
        self.before.clear();
        self.before.extend_from_slice(x);
        let share = 1.0 / self.surface.len() as f64;
        self.surface.iter().for_each(|&v| self.weights[v as usize] = share);
        let VolumeConservation { local, distances, smoothing } = self.params;
        if local == 0.0 {
            return;
        }
        let mut strains = vec![0.0; x.len()];
        for v in self.surface.iter().map(|&v| v as usize) {
            let squeezed =
                self.opposite[v].map_or(0.0, |(other, rest)| (x[v].distance(x[other as usize]) - rest).abs());
            let moved = if distances < 1.0 { to_goals[v].length() } else { 0.0 };
            strains[v] = distances * squeezed + (1.0 - distances) * moved;
        }
        let most = MOST_ABOVE_MEAN * share * strains.iter().sum::<f64>();
        strains.iter_mut().for_each(|strain| *strain = strain.min(most));
        self.smooth(&mut strains, 0.0, smoothing, &|_| true);
        let sum: f64 = strains.iter().sum();
        // Where nothing is strained all vertices are alike.
        if sum > 0.0 && sum.is_finite() {
            self.surface.iter().for_each(|&v| {
                self.weights[v as usize] = (1.0 - local) * share + local * strains[v as usize] / sum;
            });
        }
    }

    /// Halfway to the mean of neighbours, so many times; what may not be moved is zero.
    fn smooth<T>(&self, values: &mut [T], zero: T, rounds: usize, is_movable: &dyn Fn(usize) -> bool)
    where
        T: Copy + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
    {
        for _ in 0..rounds {
            let last = values.to_vec();
            for v in self.surface.iter().map(|&v| v as usize).filter(|&v| is_movable(v)) {
                let own = self.neighbours.row(v);
                let sum = own.iter().fold(zero, |sum, &other| sum + last[other as usize]);
                values[v] = (last[v] + sum * (1.0 / own.len() as f64)) * 0.5;
            }
        }
    }

    /// Forgets which vertices touch something.
    pub(super) fn release(&mut self) {
        self.is_held.fill(false);
    }

    /// A vertex so far from a collider \[m\].
    pub(super) fn touch(&mut self, vertex: usize, distance: f64) {
        self.is_held[vertex] |= distance < self.touching;
    }

    /// Moves vertices so that the surface has its volume, up to what is of second order.
    pub(super) fn correct(&self, inverse_masses: &[f64], x: &mut [Vec3]) {
        let most = MOST_AT_ONCE * self.at_rest.abs();
        let missing = (self.at_rest - volume(&self.triangles, x)).clamp(-most, most);
        let movements = self.movements(inverse_masses, x, &self.before, missing);
        x.iter_mut().zip(movements).for_each(|(x, movement)| *x += movement);
    }

    /// Changes velocities v at x so that the volume stays as it is.
    pub(super) fn correct_velocities(&self, inverse_masses: &[f64], x: &[Vec3], v: &mut [Vec3]) {
        let gradient = gradient(&self.triangles, x);
        let rate: f64 = gradient.iter().zip(v.iter()).map(|(g, v)| g.dot(*v)).sum();
        let changes = self.movements(inverse_masses, x, x, -rate);
        v.iter_mut().zip(changes).for_each(|(v, change)| *v += change);
    }

    /// Movements that change the volume by so much, to first order; moments are taken with these arms.
    fn movements(&self, inverse_masses: &[f64], x: &[Vec3], arms: &[Vec3], wanted: f64) -> Vec<Vec3> {
        let gradient = gradient(&self.triangles, x);
        let is_movable = |v: usize| !self.is_held[v] && inverse_masses[v] > 0.0;
        let along = |direction: &dyn Fn(usize) -> Vec3| {
            let mut movements = vec![Vec3::ZERO; x.len()];
            let own = self.surface.iter().map(|&v| v as usize).filter(|&v| is_movable(v));
            own.for_each(|v| movements[v] = direction(v));
            movements
        };
        let mut movements = along(&|v| gradient[v].normalize_or_zero() * self.weights[v]);
        self.smooth(&mut movements, Vec3::ZERO, self.params.smoothing, &is_movable);
        let movements = self.scaled(movements, &gradient, wanted);
        let is_free = (0..x.len()).all(is_movable);
        let surplus: Vec<Vec3> = match is_free {
            true => movements.clone(),
            false => {
                let from_outside = self.scaled(along(&|v| gradient[v] * inverse_masses[v]), &gradient, wanted);
                movements.iter().zip(from_outside).map(|(own, outside)| *own - outside).collect()
            }
        };
        let rigid = self.rigid_part(&surplus, arms, &is_movable);
        let left = movements.iter().zip(rigid).map(|(movement, rigid)| *movement - rigid).collect();
        self.scaled(left, &gradient, wanted)
    }

    /// Movements by a factor, so that they change the volume by what is wanted; none if they cannot.
    fn scaled(&self, mut movements: Vec<Vec3>, gradient: &[Vec3], wanted: f64) -> Vec<Vec3> {
        let rate: f64 = gradient.iter().zip(&movements).map(|(g, movement)| g.dot(*movement)).sum();
        let factor = wanted / rate;
        let factor = if factor.is_finite() { factor } else { 0.0 };
        movements.iter_mut().for_each(|movement| *movement *= factor);
        movements
    }

    /// The movement as a rigid body that has the momentum and the angular momentum of movements.
    fn rigid_part(&self, movements: &[Vec3], arms: &[Vec3], is_movable: &dyn Fn(usize) -> bool) -> Vec<Vec3> {
        let all = || (0..arms.len()).filter(|&v| is_movable(v));
        let mass: f64 = all().map(|v| self.masses[v]).sum();
        if mass == 0.0 {
            return vec![Vec3::ZERO; arms.len()];
        }
        let centre = all().fold(Vec3::ZERO, |sum, v| sum + arms[v] * self.masses[v]) / mass;
        let shift = all().fold(Vec3::ZERO, |sum, v| sum + movements[v] * self.masses[v]) / mass;
        let (mut spin, mut square) = (Vec3::ZERO, Mat3::ZERO);
        for v in all() {
            let arm = arms[v] - centre;
            spin += arm.cross(movements[v]) * self.masses[v];
            square += outer(arm * self.masses[v], arm);
        }
        let trace = square.x_axis.x + square.y_axis.y + square.z_axis.z;
        let turn = symmetric_inverse_where_positive(Mat3::from_diagonal(Vec3::splat(trace)) - square).0 * spin;
        let mut rigid = vec![Vec3::ZERO; arms.len()];
        all().for_each(|v| rigid[v] = shift + turn.cross(arms[v] - centre));
        rigid
    }
}

/// The volume inside a closed surface \[m³\].
pub(super) fn volume(triangles: &[[u32; 3]], x: &[Vec3]) -> f64 {
    // The sum is the same about any point; about a near one it loses no digits to the offset.
    let origin = x[0];
    triangles.iter().map(|t| t.map(|v| x[v as usize])).map(|[a, b, c]| tet_volume([origin, a, b, c])).sum()
}

/// Its change with each vertex \[m²\].
fn gradient(triangles: &[[u32; 3]], x: &[Vec3]) -> Vec<Vec3> {
    let mut gradient = vec![Vec3::ZERO; x.len()];
    for triangle in triangles {
        let third = triangle_area_vector(triangle.map(|v| x[v as usize])) / 3.0;
        triangle.iter().for_each(|&v| gradient[v as usize] += third);
    }
    gradient
}

/// For each vertex of a closed surface the one where a ray into the body comes out again, with its distance \[m\].
fn opposite_vertices(mesh: &TriangleMesh) -> Vec<Option<(u32, f64)>> {
    let corners: Vec<[Vec3; 3]> = (0..mesh.triangles.len()).map(|triangle| mesh.corners(triangle)).collect();
    let around = |corners: &[Vec3; 3]| Bounds::around(corners).unwrap_or(Bounds { min: Vec3::ZERO, max: Vec3::ZERO });
    let boxes: Vec<Bounds> = corners.iter().map(around).collect();
    if boxes.is_empty() {
        return vec![None; mesh.positions.len()];
    }
    let (tree, normals) = (Bvh::new(&boxes), mesh.vertex_normals());
    // Normals of a surface that is inside out point inwards.
    let inwards = if volume(&mesh.triangles, &mesh.positions) > 0.0 { -1.0 } else { 1.0 };
    let opposite = |v: usize| {
        let (from, along) = (mesh.positions[v], normals[v] * inwards);
        let (triangle, distance) = first_exit(&tree, &mesh.triangles, &corners, v as u32, from, along)?;
        let there = from + along * distance;
        let far = |other: &u32| mesh.positions[*other as usize].distance_squared(there);
        let other = mesh.triangles[triangle].into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
        Some((other, from.distance(mesh.positions[other as usize])))
    };
    (0..mesh.positions.len()).map(opposite).collect()
}

/// The first triangle, none of the vertex's own, that a ray from a vertex meets, and how far away.
fn first_exit(
    tree: &Bvh,
    triangles: &[[u32; 3]],
    corners: &[[Vec3; 3]],
    vertex: u32,
    from: Vec3,
    along: Vec3,
) -> Option<(usize, f64)> {
    let (mut best, mut waiting) = (None, vec![0]);
    while let Some(own) = waiting.pop() {
        let node = &tree.nodes[own];
        let farthest = best.map_or(f64::INFINITY, |(_, distance)| distance);
        if !meets_box(&node.bounds, from, along, farthest) {
            continue;
        }
        if let Some(children) = node.children(own) {
            waiting.extend(children);
            continue;
        }
        for &item in &tree.items[node.items.start as usize..node.items.end as usize] {
            let triangle = item as usize;
            if triangles[triangle].contains(&vertex) {
                continue;
            }
            let Some(distance) = meets_triangle(corners[triangle], from, along) else { continue };
            if best.is_none_or(|(_, nearest)| distance < nearest) {
                best = Some((triangle, distance));
            }
        }
    }
    best
}

/// Whether a ray enters a box before a distance.
fn meets_box(bounds: &Bounds, from: Vec3, along: Vec3, farthest: f64) -> bool {
    let (mut low, mut high) = (0.0_f64, farthest);
    for axis in 0..3 {
        let ends = [bounds.min[axis], bounds.max[axis]].map(|side| (side - from[axis]) / along[axis]);
        // 0/0 on a side of the box: the ray runs along it.
        if ends.iter().any(|end| end.is_nan()) {
            continue;
        }
        low = low.max(ends[0].min(ends[1]));
        high = high.min(ends[0].max(ends[1]));
    }
    low <= high * (1.0 + SLACK)
}

/// How far along a ray a triangle is [Möller & Trumbore 1997].
fn meets_triangle([a, b, c]: [Vec3; 3], from: Vec3, along: Vec3) -> Option<f64> {
    let (ab, ac, p) = (b - a, c - a, from - a);
    let (h, q) = (along.cross(ac), p.cross(ab));
    let determinant = ab.dot(h);
    let [u, v, distance] = [p.dot(h), along.dot(q), ac.dot(q)].map(|n| n / determinant);
    (u >= -SLACK && v >= -SLACK && u + v <= 1.0 + SLACK && distance > 0.0).then_some(distance)
}

#[cfg(test)]
#[path = "volume_tests.rs"]
mod tests;
