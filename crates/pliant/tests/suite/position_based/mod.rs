//! The position-based solver: what it converges to, what it conserves, what it repeats.
#![allow(clippy::unwrap_used)]

mod bits;
mod contacts;
mod convergence;
mod lanes;
mod torque;

use pliant::prelude::*;
use pliant::solve::{Stiffness, SweepKind, SweepOrder};

fn extended(iterations: usize) -> PositionBasedParams {
    PositionBasedParams { iterations, ..PositionBasedParams::default() }
}

/// A column of springs that hangs by its upper end: masses of 1 g, each spring 1/n metres long.
fn column(springs: usize, stiffness: f64, mass: f64) -> Body {
    let thread = rope(Vec3::ZERO, Vec3::NEG_Y, springs).unwrap();
    let edges = thread.segments().collect();
    let energy = EdgeSprings::new(edges, SpringStiffness::Uniform(stiffness)).build(&thread.positions).unwrap();
    let points = pliant::mesh::PointSet { positions: thread.positions };
    Body::points(&points, mass).pin([0]).with_energy(energy)
}

fn cloth(cells: usize) -> Body {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
    let material = ClothMaterial { bend_model: BendModel::Hinge, ..ClothMaterial::default() };
    let corner = (cells * (cells + 1)) as u32;
    Body::cloth(&mesh.mesh().unwrap(), &material).unwrap().pin([corner, corner + cells as u32])
}
