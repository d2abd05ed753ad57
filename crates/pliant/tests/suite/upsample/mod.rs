//! Upsampling beside closed forms, and what must hold for every method.
//!
//! Training data here is made from formulas, so that the answer is known; what is learnt from simulations is measured by `pliant train`.

mod bytes;
mod invariants;
mod metrics;
mod modes;
mod pdm;
mod piu;
mod refinement;
mod wpsd;

use std::sync::Arc;

use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pliant::mesh::generate::{Cylinder, Sheet};
use pliant::upsample::{
    Method, ModesParams, PdmParams, PiuParams, Refinement, TrainingFrame, TrainingSequence, TrainingSet, Upsampler,
    WpsdParams,
};

fn sheet(cells: usize) -> TriangleMesh {
    Sheet { columns: cells, rows: cells, ..Sheet::default() }.mesh().expect("a sheet")
}

fn tube() -> TriangleMesh {
    Cylinder { radius: 0.3, segments: 10, rings: 5, ..Cylinder::default() }.mesh().expect("a cylinder")
}

fn loop_of(coarse: &TriangleMesh, levels: u32) -> Arc<Refinement> {
    Arc::new(Refinement::loop_subdivision(coarse, levels, &[]).expect("a refinement"))
}

/// Numbers in −1…1 that look random.
fn noise(seed: usize) -> f64 {
    (((seed as f64 + 1.0) * 12.9898).sin() * 43_758.545).fract()
}

/// A shape that is bent, sheared and squeezed by a few numbers that change smoothly.
fn bent(mesh: &TriangleMesh, amounts: [f64; 3]) -> Vec<Vec3> {
    let [squeeze, shear, bend] = amounts;
    let bend_at = |p: Vec3| bend * (2.0 * p.x + p.y).sin();
    let at = |p: &Vec3| {
        let x = p.x * (1.0 - squeeze * (0.6 + 0.4 * p.y)) + shear * p.y;
        Vec3::new(x, p.y * (1.0 + 0.3 * squeeze), p.z + bend_at(*p))
    };
    mesh.positions.iter().map(at).collect()
}

/// Amounts of bending and so on in a frame.
fn amounts(frame: usize) -> [f64; 3] {
    let t = frame as f64;
    [0.12 * (0.31 * t).sin().powi(2), 0.08 * (0.23 * t + 1.0).sin(), 0.15 * (0.17 * t).sin()]
}

/// Frames whose wrinkles grow with the squeeze and lean with the shear.
fn wrinkled(refinement: &Refinement, frames: std::ops::Range<usize>) -> TrainingSet {
    let frames = frames.map(|number| wrinkled_frame(refinement, amounts(number))).collect();
    TrainingSet { sequences: vec![TrainingSequence { name: "formula".into(), frame_seconds: 1.0 / 30.0, frames }] }
}

fn wrinkled_frame(refinement: &Refinement, amounts: [f64; 3]) -> TrainingFrame {
    let coarse = bent(refinement.coarse_mesh(), amounts);
    let mut fine = vec![Vec3::ZERO; refinement.vertex_counts()[1]];
    refinement.smooth(&coarse, &mut fine).expect("a smooth surface");
    for (x, rest) in fine.iter_mut().zip(&refinement.fine_mesh().positions) {
        let wave = (40.0 * rest.x + 8.0 * rest.y).sin();
        *x += Vec3::new(0.1 * amounts[1], 0.0, 1.0) * (0.2 * (amounts[0] + 2.0 * amounts[0] * amounts[1]) * wave);
    }
    TrainingFrame { coarse, fine }
}

fn shown(upsampler: &Upsampler, coarse: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; upsampler.refinement().vertex_counts()[1]];
    upsampler.apply(&mut upsampler.state(), coarse, 1.0 / 30.0, &mut out).expect("a frame");
    out
}

fn largest(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Every method, with its usual parameters, and all that changes what they do.
fn methods() -> Vec<Method> {
    let modes = Some(ModesParams::default());
    vec![
        Method::Wpsd(WpsdParams::default()),
        Method::Wpsd(WpsdParams { convex: false, rest_pose: false, poses: 4, ..WpsdParams::default() }),
        Method::Pdm(PdmParams::default()),
        Method::Pdm(PdmParams { directions: pliant::upsample::Directions::Normal, ..PdmParams::default() }),
        Method::Piu(PiuParams::default()),
        Method::Piu(PiuParams { modes, ..PiuParams::default() }),
    ]
}
