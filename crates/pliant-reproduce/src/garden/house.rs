//! A gabled house, filled with tets. What is drawn are walls, roof, door and windows that follow the tets.

use pliant::energy::TetStrain;
use pliant::mesh::sdf::{Block, SignedDistance, Solid};
use pliant::mesh::{Bounds, Embedding, MassKind, Resolution, Simplices, Tetrahedralise};
use pliant::prelude::*;
use pliant_picture::Mesh;

use super::nearest;
use super::paint::both;
use crate::ReproduceError;

pub(super) const NAME: &str = "house";
/// Young's modulus \[Pa\] and density \[kg/m³\]: a bouncy house.
const YOUNGS_MODULUS: f64 = 1e6;
const DENSITY: f64 = 150.0;
/// Middle of the floor \[m\].
const PLACE: Vec3 = Vec3::new(-2.9, 0.0, -0.4);
const WIDTH: f64 = 2.6;
const DEPTH: f64 = 2.4;
const WALL: f64 = 2.1;
const RIDGE: f64 = 3.4;
/// Pieces along each side of a part that is drawn.
const PIECES: usize = 8;

/// Walls and roof as one convex solid around the origin, its ridge along z.
struct Gabled;

impl SignedDistance for Gabled {
    fn distance(&self, p: Vec3) -> f64 {
        let (rise, half) = (RIDGE - WALL, 0.5 * WIDTH);
        let roof = ((p.x.abs() - half) * rise + (p.y - WALL) * half) / rise.hypot(half);
        (p.x.abs() - half).max(p.z.abs() - 0.5 * DEPTH).max(-p.y).max(roof)
    }

    fn bounds(&self) -> Bounds {
        let half = Vec3::new(0.5 * WIDTH, 0.0, 0.5 * DEPTH);
        Bounds { min: -half, max: half.with_y(RIDGE) }
    }
}

const CHIMNEY: Block = Block { centre: Vec3::new(-0.65, 3.0, -0.3), size: Vec3::new(0.42, 1.2, 0.42) };

#[derive(Debug)]
pub(crate) struct House {
    pub(crate) mesh: TetMesh,
    parts: Vec<Part>,
}

/// A part that is drawn.
#[derive(Debug)]
struct Part {
    color: u32,
    follows: Embedding,
    triangles: Vec<[u32; 3]>,
}

impl House {
    pub(super) fn new(cell: f64) -> Result<Self, ReproduceError> {
        let solid = Solid::new(Gabled).union(CHIMNEY);
        let fill = Tetrahedralise { resolution: Resolution::Cell(cell), ..Tetrahedralise::default() };
        let mesh = fill.fill(&solid)?.mesh.translated(PLACE);
        let parts = Self::parts(&mesh)?;
        Ok(Self { mesh, parts })
    }

    pub(super) fn body(&self) -> Result<Body, ReproduceError> {
        let Self { mesh, .. } = self;
        let strain = TetStrain { tets: mesh.tets.clone(), stiffness: YOUNGS_MODULUS, set: StrainSet::Rotation };
        let surface = mesh.surface()?;
        let skin = surface.mesh.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize])).collect();
        Ok(Body::new(mesh.positions.clone(), mesh.mass_matrix(MassKind::Lumped, DENSITY)?)
            .with_energy(strain.build(&mesh.positions)?)
            .with_surface(skin)
            .pin_where(|p| p.y < 0.02)
            .named(NAME))
    }

    /// Where the line is tied.
    pub(super) fn hook(&self) -> (u32, Vec3) {
        nearest(&self.mesh.positions, PLACE + Vec3::new(0.5 * WIDTH, 1.95, 0.35))
    }

    pub(super) fn covers(&self, x: f64, z: f64) -> bool {
        (x - PLACE.x).abs() < 0.5 * WIDTH + 0.22 && (z - PLACE.z).abs() < 0.5 * DEPTH + 0.22
    }

    pub(super) fn draw(&self, positions: &[Vec3]) -> impl Iterator<Item = Mesh> {
        self.parts.iter().map(|part| {
            let mesh = Mesh::new(part.follows.apply(positions), part.triangles.clone(), both(part.color));
            Mesh { crease: 35f64.to_radians(), ..mesh }
        })
    }

    fn parts(mesh: &TetMesh) -> Result<Vec<Part>, ReproduceError> {
        let (half, deep, rise) = (0.5 * WIDTH, 0.5 * DEPTH, RIDGE - WALL);
        let mut walls = Patches::default();
        walls.slab(Vec3::new(-half, 0.0, -deep), [Vec3::X * WIDTH, Vec3::Y * WALL, Vec3::Z * DEPTH]);
        let ridge = Vec3::new(0.0, RIDGE, 0.0);
        for z in [-deep, deep] {
            let [a, b] = [-half, half].map(|x| Vec3::new(x, WALL, z));
            walls.patch([a, b, ridge.with_z(z), ridge.with_z(z)]);
        }
        let mut roof = Patches::default();
        for side in [-1.0, 1.0] {
            // From over the eaves to the ridge, a hand thick, beyond the gables.
            let down = Vec3::new(side * half, -rise, 0.0);
            let thick = Vec3::new(side * rise, half, 0.0).normalize() * 0.1;
            let begin = ridge.with_z(-deep - 0.14);
            roof.slab(begin, [down * 1.14, Vec3::Z * (DEPTH + 0.28), thick]);
        }
        let mut chimney = Patches::default();
        let size = CHIMNEY.size;
        chimney.slab(CHIMNEY.centre - 0.5 * size, [Vec3::X * size.x, Vec3::Y * size.y, Vec3::Z * size.z]);
        let (mut panes, mut frames, mut door) = (Patches::default(), Patches::default(), Patches::default());
        let front = |x: f64, y: f64, out: f64| Vec3::new(x, y, deep + out);
        let mut window = |corner: Vec3, across: Vec3, out: Vec3| {
            let (wide, high) = (across.length(), 0.66);
            let along = across / wide;
            let margin = 0.06;
            panes.slab(corner, [across, Vec3::Y * high, out * 0.02]);
            frames.slab(
                corner - along * margin - Vec3::Y * margin,
                [along * (wide + 2.0 * margin), Vec3::Y * margin, out * 0.06],
            );
            frames.slab(
                corner - along * margin + Vec3::Y * high,
                [along * (wide + 2.0 * margin), Vec3::Y * margin, out * 0.05],
            );
            for at in [-margin, 0.5 * (wide - margin), wide] {
                frames.slab(corner + along * at, [along * margin, Vec3::Y * high, out * 0.05]);
            }
        };
        window(front(-0.98, 0.85, 0.0), Vec3::X * 0.6, Vec3::Z);
        window(front(-0.3, 2.1, 0.0), Vec3::X * 0.6, Vec3::Z);
        window(Vec3::new(half, 0.85, 0.2), Vec3::NEG_Z * 0.7, Vec3::X);
        door.slab(front(0.2, 0.0, 0.0), [Vec3::X * 0.66, Vec3::Y * 1.5, Vec3::Z * 0.03]);
        for (x, wide) in [(0.12, 0.08), (0.86, 0.08)] {
            frames.slab(front(x, 0.0, 0.0), [Vec3::X * wide, Vec3::Y * 1.58, Vec3::Z * 0.06]);
        }
        frames.slab(front(0.12, 1.5, 0.0), [Vec3::X * 0.82, Vec3::Y * 0.08, Vec3::Z * 0.06]);
        let colored = [
            (walls, 0xf0e2c4),
            (roof, 0xb5523a),
            (chimney, 0x9a6a58),
            (panes, 0x9cc3dd),
            (frames, 0xfbf8f0),
            (door, 0x4f7d6b),
        ];
        let part = |(patches, color): (Patches, u32)| {
            let points: Vec<Vec3> = patches.positions.iter().map(|p| *p + PLACE).collect();
            let follows = Embedding::new(mesh, &points)?;
            Ok(Part { color, follows, triangles: patches.triangles })
        };
        colored.into_iter().map(part).collect()
    }
}

/// Four-sided patches of triangles.
#[derive(Debug, Default)]
pub(super) struct Patches {
    pub(super) positions: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Patches {
    /// A patch between four corners in order.
    fn patch(&mut self, [a, b, c, d]: [Vec3; 4]) {
        let first = self.positions.len() as u32;
        let stride = PIECES as u32 + 1;
        for j in 0..=PIECES {
            for i in 0..=PIECES {
                let [s, t] = [i, j].map(|k| k as f64 / PIECES as f64);
                self.positions.push(a.lerp(b, s).lerp(d.lerp(c, s), t));
            }
        }
        for j in 0..PIECES as u32 {
            for i in 0..PIECES as u32 {
                let [p, q] = [first + j * stride + i, first + (j + 1) * stride + i];
                self.triangles.extend([[p, p + 1, q + 1], [p, q + 1, q]]);
            }
        }
    }

    /// A box from a corner along three edges.
    fn slab(&mut self, corner: Vec3, [u, v, w]: [Vec3; 3]) {
        for (far, [a, b]) in [(w, [u, v]), (u, [v, w]), (v, [w, u])] {
            for from in [corner, corner + far] {
                self.patch([from, from + a, from + a + b, from + b]);
            }
        }
    }
}
