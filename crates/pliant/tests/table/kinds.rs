//! One small body of every kind, about 0.3 m across, with its centre at the origin.

use pliant::mesh::generate::{Icosphere, particle_block};
use pliant::mesh::{PointSet, StrandSet};
use pliant::prelude::*;
use pliant::{Lattice, Octree};

/// What a body can be made of.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) make: fn() -> Body,
    /// A vertex by which it is held.
    pub(super) held: u32,
    /// How far its lowest vertex is above the ground that it lies on \[m\]: colliders are 1 mm thick, and oriented particles have a radius.
    pub(super) lies_at: f64,
}

impl Kind {
    /// The body, which is named after its kind.
    pub(super) fn body(&self) -> Body {
        (self.make)().named(self.name)
    }
}

/// What is told apart: bodies of energies, rigid bodies, and all kinds of matter with what regions can be.
pub(super) const KINDS: &[Kind] = &[
    Kind { name: "cloth", make: cloth, held: 0, lies_at: 1e-3 },
    Kind { name: "solid", make: solid, held: 0, lies_at: 1e-3 },
    Kind { name: "strand", make: strand, held: 0, lies_at: 1e-3 },
    Kind { name: "rigid body", make: rigid, held: 0, lies_at: 1e-3 },
    Kind { name: "matched regions", make: matched, held: 0, lies_at: 1e-3 },
    Kind { name: "matched lattice", make: lattice, held: 0, lies_at: 1e-3 },
    Kind { name: "matched octree", make: octree, held: 0, lies_at: 1e-3 },
    Kind { name: "matched chain", make: chain, held: 0, lies_at: 1e-3 },
    Kind { name: "matched cloth", make: matched_cloth, held: 0, lies_at: 1e-3 },
    Kind { name: "oriented particles", make: oriented, held: 0, lies_at: 11e-3 },
    Kind { name: "fluid", make: fluid, held: 0, lies_at: 1e-3 },
    Kind { name: "rod", make: rod, held: 0, lies_at: 1e-3 },
    Kind { name: "hair", make: hair, held: 0, lies_at: 1e-3 },
];

fn line() -> StrandSet {
    rope(Vec3::X * -0.15, Vec3::X * 0.15, 6).unwrap()
}

fn flat() -> TriangleMesh {
    let sheet = Sheet { width: 0.3, height: 0.3, columns: 6, rows: 6, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let centre = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f64;
    mesh.translated(-centre)
}

fn cloth() -> Body {
    Body::cloth(&flat(), &pliant::presets::cloth("cotton").unwrap()).unwrap()
}

fn solid() -> Body {
    let block = TetBox { size: Vec3::splat(0.2), cells: [3; 3], ..TetBox::default() }.mesh().unwrap();
    let centre = block.positions.iter().sum::<Vec3>() / block.positions.len() as f64;
    Body::solid(&block.translated(-centre), &pliant::presets::solid("rubber").unwrap()).unwrap()
}

fn strand() -> Body {
    Body::strands(&line(), &StrandMaterial::default()).unwrap()
}

fn rigid() -> Body {
    let ball = Icosphere { radius: 0.1, subdivisions: 2 }.mesh().unwrap();
    Body::rigid(&ball, &RigidMaterial::default()).unwrap()
}

fn matched() -> Body {
    let mut points = particle_block(Vec3::splat(0.2), 0.1).unwrap();
    let centre = points.positions.iter().sum::<Vec3>() / points.positions.len() as f64;
    points.positions.iter_mut().for_each(|p| *p -= centre);
    let regions = Regions::balanced(&points.positions, 0.2).unwrap();
    Body::points(&points, 0.05).with_matching(Matching::new(regions))
}

fn lattice() -> Body {
    let cells = (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]).collect();
    let lattice = Lattice::new(cells, 0.1, Vec3::ZERO).unwrap();
    let body = lattice.body(500.0).with_surface(lattice.surface());
    body.with_matching(Matching::new(lattice.regions(1)))
}

fn octree() -> Body {
    let ball = pliant::mesh::sdf::Ball { centre: Vec3::ZERO, radius: 0.14 };
    let octree = Octree::fill(&ball, 0.1, 1, |cell, distance| distance.abs() < cell.size).unwrap();
    octree.body(500.0).with_matching(Matching::new(octree.regions(0.2).unwrap()))
}

fn chain() -> Body {
    let strands = line();
    let points = PointSet { positions: strands.positions.clone() };
    let regions = Regions::chains(&strands, 2).unwrap();
    let segments = (0..6).map(|v| [v, v + 1]).collect();
    Body::points(&points, 0.01).with_matching(Matching::new(regions)).with_segments(segments)
}

fn matched_cloth() -> Body {
    Body::matched_cloth(&flat(), 0.2, ClothMatching::default()).unwrap()
}

fn oriented() -> Body {
    let particles = OrientedParticles::along(&line(), &[0.01; 7]).unwrap();
    Body::oriented(&particles, &OrientedMaterial::default()).unwrap()
}

fn fluid() -> Body {
    let material = FluidMaterial { spacing: 0.05, ..FluidMaterial::default() };
    let mut points = particle_block(Vec3::splat(0.2), material.spacing).unwrap();
    let centre = points.positions.iter().sum::<Vec3>() / points.positions.len() as f64;
    points.positions.iter_mut().for_each(|p| *p -= centre);
    Body::fluid(&points, &material).unwrap()
}

fn rod() -> Body {
    Body::rods(&line(), &RodMaterial::default()).unwrap()
}

fn hair() -> Body {
    Body::hair(&line(), &HairMaterial::default()).unwrap().pin([0])
}
