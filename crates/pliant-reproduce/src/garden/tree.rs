//! A tree of capsules, filled with tets, with leaves of two triangles each.

use std::collections::HashMap;
use std::f64::consts::TAU;

use pliant::energy::{Batch, ElementBatch, HingeBending, HingeStiffness, Operator, TetStrain};
use pliant::mesh::sdf::{Capsule, SignedDistance};
use pliant::mesh::{Bounds, Keep, MassKind, Resolution, Simplices, Tetrahedralise};
use pliant::prelude::*;

use super::{Straight, nearest, random};
use crate::ReproduceError;

pub(super) const NAME: &str = "tree";
/// Young's modulus \[Pa\] and density \[kg/m³\] of the wood: of rubber rather, so that the wind sways it.
const YOUNGS_MODULUS: f64 = 4e7;
const DENSITY: f64 = 400.0;
/// Where it grows \[m\].
const PLACE: Vec3 = Vec3::new(2.7, 0.0, -0.25);
/// Length and width of a leaf \[m\].
const LEAF: [f64; 2] = [0.36, 0.21];
/// Mass of one of its three vertices \[kg\].
const LEAF_MASS: f64 = 2e-3;
/// Springs within a leaf, and those that hold it at its twig \[N/m\].
const LEAF_SPRING: f64 = 30.0;
const STALK_SPRING: f64 = 5.0;
/// Bending of a leaf \[N·m\].
const LEAF_BENDING: f64 = 1e-2;
/// Leaves grow above this height \[m\], and none hangs into the clothes.
const LEAVES_FROM: f64 = 2.35;

/// Length, radius, number and angle from their bough of boughs of each order, the trunk's own boughs first.
const ORDERS: [(f64, f64, usize, f64); 3] = [(0.95, 0.12, 5, 0.85), (0.75, 0.09, 3, 0.65), (0.5, 0.07, 3, 0.7)];

#[derive(Debug, Clone)]
struct Boughs(Vec<(Capsule, usize)>);

impl Boughs {
    fn grown() -> Self {
        let up = [PLACE, PLACE + Vec3::new(0.06, 0.9, 0.0), PLACE + Vec3::new(0.0, 1.8, 0.05)];
        let trunk = |k: usize, radius| (Capsule { ends: [up[k], up[k + 1]], radius }, 0);
        let mut boughs = Self(vec![trunk(0, 0.2), trunk(1, 0.17)]);
        boughs.grow(up[2], Vec3::Y, 0, 1);
        boughs
    }

    /// Boughs from a fork.
    fn grow(&mut self, fork: Vec3, along: Vec3, order: usize, seed: usize) {
        let Some(&(length, radius, count, angle)) = ORDERS.get(order) else { return };
        let side = along.any_orthonormal_vector();
        for k in 0..count {
            let seed = 7 * seed + k;
            let turn = TAU * (k as f64 + 0.5 * random(seed)) / count as f64;
            // One bough of the trunk goes on upwards.
            let lean = if order == 0 && k == 0 { 0.1 } else { angle * (0.8 + 0.4 * random(seed + 31)) };
            let across = Quat::from_axis_angle(along, turn) * side;
            let direction = (along * lean.cos() + across * lean.sin() + Vec3::Y * 0.18).normalize();
            let tip = fork + direction * (length * (0.85 + 0.3 * random(seed + 57)));
            self.0.push((Capsule { ends: [fork, tip], radius }, order + 1));
            self.grow(tip, direction, order + 1, seed);
        }
    }

    /// Order of the bough that is nearest.
    fn order(&self, p: Vec3) -> usize {
        let nearest = self.0.iter().min_by(|a, b| a.0.distance(p).total_cmp(&b.0.distance(p)));
        nearest.map_or(0, |(_, order)| *order)
    }
}

impl SignedDistance for Boughs {
    fn distance(&self, p: Vec3) -> f64 {
        let trunk = self.0.iter().fold(f64::INFINITY, |least, (capsule, _)| least.min(capsule.distance(p)));
        trunk.max(PLACE.y - p.y)
    }

    fn bounds(&self) -> Bounds {
        let all = self.0.iter().map(|(capsule, _)| capsule.bounds());
        let none = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
        let whole = all.fold(none, |a, b| Bounds { min: a.min.min(b.min), max: a.max.max(b.max) });
        Bounds { min: whole.min.with_y(PLACE.y), ..whole }
    }
}

fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}

/// A leaf: the vertex of the tree that it grows from, its left, right and tip.
type Leaf = [u32; 4];

#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) mesh: TetMesh,
    /// Vertices of the wood, then of the leaves.
    positions: Vec<Vec3>,
    pub(super) skin: Vec<[u32; 3]>,
    pub(super) leaves: Vec<Leaf>,
    /// The tet that each leaf grows from.
    stalks: Vec<[u32; 4]>,
}

impl Tree {
    pub(super) fn new(cell: f64, count: usize) -> Result<Self, ReproduceError> {
        let boughs = Boughs::grown();
        let fill = Tetrahedralise { resolution: Resolution::Cell(cell), keep: Keep::LargestPiece };
        let mesh = fill.fill(&boughs)?.mesh;
        let surface = mesh.surface()?;
        let skin: Vec<[u32; 3]> =
            surface.mesh.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize])).collect();
        let mut tree = Self { positions: mesh.positions.clone(), mesh, skin, leaves: Vec::new(), stalks: Vec::new() };
        tree.sprout(&boughs, count);
        Ok(tree)
    }

    /// Leaves on corners of the bark of twigs, in an order that looks random.
    fn sprout(&mut self, boughs: &Boughs, count: usize) {
        let at = |v: u32| self.mesh.positions[v as usize];
        let twigs = (0..self.skin.len()).filter(|&t| {
            let corner = at(self.skin[t][0]);
            corner.y > LEAVES_FROM && boughs.order(corner) >= 2
        });
        let mut places: Vec<usize> = twigs.collect();
        places.sort_by(|a, b| random(3 * a).total_cmp(&random(3 * b)));
        let [long, wide] = LEAF;
        let faces = self.mesh.tets.iter().flat_map(|&[a, b, c, d]| {
            [([a, b, c], d), ([a, b, d], c), ([a, c, d], b), ([b, c, d], a)].map(|(face, inner)| (sorted(face), inner))
        });
        let inside: HashMap<[u32; 3], u32> = faces.collect();
        for &triangle in places.iter().take(count) {
            let corners @ [base, a, b] = self.skin[triangle];
            let [p, q, r] = corners.map(at);
            let Some(&inner) = inside.get(&sorted(corners)) else { continue };
            let outwards = (q - p).cross(r - p).normalize();
            let chance = Vec3::from_array([0, 1, 2].map(|c| 2.0 * random(5 * triangle + 101 * c) - 1.0));
            let along = (outwards + 0.6 * chance + 0.2 * Vec3::NEG_Y).normalize_or(outwards);
            // The left side is the one of the first neighbour.
            let across = (q - r).reject_from_normalized(along).normalize_or(along.any_orthonormal_vector());
            let size = 0.75 + 0.5 * random(triangle + 11);
            let middle = p + along * (0.5 * size * long);
            let first = self.positions.len() as u32;
            let side = across * (0.5 * size * wide);
            self.positions.extend([middle + side, middle - side, p + along * (size * long)]);
            self.leaves.push([base, first, first + 1, first + 2]);
            self.stalks.push([base, a, b, inner]);
        }
    }

    pub(super) fn body(&self) -> Result<Body, ReproduceError> {
        let rest = &self.positions;
        let mut mass = self.mesh.mass_matrix(MassKind::Lumped, DENSITY)?;
        mass.extend((self.mesh.positions.len() as u32..rest.len() as u32).map(|v| (v, v, LEAF_MASS)));
        let strain = TetStrain { tets: self.mesh.tets.clone(), stiffness: YOUNGS_MODULUS, set: StrainSet::Rotation };
        let sides =
            |&[base, left, right, tip]: &Leaf| [[base, left], [base, right], [left, right], [left, tip], [right, tip]];
        let edges = self.leaves.iter().flat_map(sides).collect();
        let springs = EdgeSprings::new(edges, SpringStiffness::Uniform(LEAF_SPRING));
        let hinges = self.leaves.iter().map(|&[base, left, right, tip]| [left, right, tip, base]).collect();
        let bending = HingeBending::new(hinges, HingeStiffness::Uniform(LEAF_BENDING));
        let surface = self.skin.iter().copied().chain(self.blades());
        Ok(Body::new(rest.clone(), mass)
            .with_energy(strain.build(rest)?)
            .with_energy(springs.build(rest)?)
            .with_energy(bending.build(rest)?)
            .with_energy(self.stalks())
            .with_surface(surface.collect())
            .without_self_collision()
            .pin_where(|p| p.y < 0.02)
            .named(NAME))
    }

    /// Bending of leaves against the wood: the sides of a leaf are pulled to where they are at rest, in the coordinates of the tet from which it
    /// grows, so that they turn with it.
    fn stalks(&self) -> Box<dyn Batch> {
        let at = |v: u32| self.positions[v as usize];
        let mut operator = Operator::new(1);
        for (&[_, left, right, _], &stalk) in self.leaves.iter().zip(&self.stalks) {
            let [p, a, b, inner] = stalk.map(at);
            let edges = Mat3::from_cols(a - p, b - p, inner - p).inverse();
            for side in [left, right] {
                let shares = edges * (at(side) - p);
                let coefficients = [1.0, shares.element_sum() - 1.0, -shares.x, -shares.y, -shares.z];
                operator.push(STALK_SPRING, &[&[side], &stalk[..]].concat(), &coefficients);
            }
        }
        let elements = vec![Straight; operator.len()];
        Box::new(ElementBatch::new(operator, elements, Vec::new()))
    }

    /// The triangles of the leaves, two for each.
    pub(super) fn blades(&self) -> impl Iterator<Item = [u32; 3]> {
        self.leaves.iter().flat_map(|&[base, left, right, tip]| [[base, right, left], [left, right, tip]])
    }

    /// Where the line is tied.
    pub(super) fn hook(&self) -> (u32, Vec3) {
        nearest(&self.mesh.positions, PLACE + Vec3::new(-0.17, 1.75, 0.12))
    }

    pub(super) fn covers(&self, x: f64, z: f64) -> bool {
        (x - PLACE.x).hypot(z - PLACE.z) < 0.42
    }
}
