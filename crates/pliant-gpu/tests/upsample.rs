//! Fine surfaces on a device against those of the engine.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use std::sync::Arc;

use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pliant::mesh::generate::{Plane, Sheet};
use pliant::upsample::{
    Directions, Method, ModesParams, PdmParams, PiuParams, Refinement, TrainingFrame, TrainingSequence, TrainingSet,
    UpsampleError, Upsampler, UpsamplerState, WpsdParams,
};
use pliant_gpu::{GpuUpsampleError, GpuUpsampler};

const SECONDS: f64 = 1.0 / 60.0;
/// Relative to the size of the mesh: sums of some dozens of terms in f32.
const NEAR: f64 = 2e-6;

fn coarse() -> TriangleMesh {
    Sheet { columns: 6, rows: 5, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap()
}

/// Coarse positions of a frame: waves that travel, and a turn as a whole.
fn moved(mesh: &TriangleMesh, frame: usize, away: Vec3) -> Vec<Vec3> {
    let t = 0.2 * frame as f64;
    let turn = pliant::math::Quat::from_axis_angle(Vec3::new(0.0, 0.6, 0.8), 0.1 * t);
    let wave = |p: &Vec3| {
        let own = *p + Vec3::new(0.03 * (5.0 * p.z + t).sin(), 0.08 * (4.0 * p.x + t).sin(), 0.02 * t.cos() * p.x);
        away + turn * own
    };
    mesh.positions.iter().map(wave).collect()
}

fn example(refinement: &Refinement, frame: usize) -> TrainingFrame {
    let coarse = moved(refinement.coarse_mesh(), frame, Vec3::ZERO);
    let mut fine = refinement.fine_mesh().positions.clone();
    refinement.smooth(&coarse, &mut fine).unwrap();
    for (x, rest) in fine.iter_mut().zip(&refinement.fine_mesh().positions) {
        *x += 0.3 * x.distance(*rest) * (30.0 * *rest + 0.2 * frame as f64).map(|c| 0.1 * c.sin());
    }
    TrainingFrame { coarse, fine }
}

fn fitted(refinement: &Arc<Refinement>, method: &Method) -> Upsampler {
    let frames = (0..40).map(|frame| example(refinement, frame)).collect();
    let sequence = TrainingSequence { name: "waves".into(), frame_seconds: SECONDS, frames };
    Upsampler::fit(refinement, &TrainingSet { sequences: vec![sequence] }, method).unwrap().0
}

/// Loop's subdivision, and a mesh that bulges above the coarse one.
fn refinements() -> [Arc<Refinement>; 2] {
    let coarse = coarse();
    let mut bulging = Sheet { columns: 17, rows: 16, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    bulging.positions.iter_mut().for_each(|p| p.y += 0.02 * (9.0 * p.x).cos() * (7.0 * p.z).sin());
    [Refinement::loop_subdivision(&coarse, 3, &[]).unwrap(), Refinement::embedded(&coarse, &bulging).unwrap()]
        .map(Arc::new)
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn every_method_shows_what_the_engine_shows() {
    let Some(device) = common::device() else { return };
    let modes = Some(ModesParams { count: 3, ..ModesParams::default() });
    let methods = [
        Method::Wpsd(WpsdParams::default()),
        Method::Wpsd(WpsdParams { convex: true, rest_pose: true, ..WpsdParams::default() }),
        Method::Pdm(PdmParams { directions: Directions::Normal, regularisation: 1e-3 }),
        Method::Pdm(PdmParams { directions: Directions::All, regularisation: 1e-3 }),
        Method::Piu(PiuParams::default()),
        Method::Piu(PiuParams { modes, ..PiuParams::default() }),
    ];
    for refinement in refinements() {
        let [_, count] = refinement.vertex_counts();
        let (mut exact, mut shown, mut plain) =
            (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
        for method in &methods {
            let model = fitted(&refinement, method);
            let (mut state, mut other) = (model.state(), model.state());
            let mut on_device = GpuUpsampler::new(&device, &model).unwrap();
            for (frame, away) in
                [(3, Vec3::ZERO), (4, Vec3::ZERO), (55, Vec3::ZERO), (56, Vec3::new(900.0, 0.0, -400.0))]
            {
                let coarse = moved(refinement.coarse_mesh(), frame, away);
                model.apply(&mut state, &coarse, SECONDS, &mut exact).unwrap();
                on_device.apply(&mut other, &coarse, SECONDS, &mut shown).unwrap();
                let off = farthest(&exact, &shown);
                assert!(off < NEAR, "{method:?}, frame {frame}: {off:e} m");
                refinement.smooth(&coarse, &mut plain).unwrap();
                assert!(farthest(&exact, &plain) > 1e-3, "there is detail");
            }
            assert_eq!(other.numbers(), state.numbers());
        }
        let mut smooth = GpuUpsampler::smooth(&device, &refinement).unwrap();
        let coarse = moved(refinement.coarse_mesh(), 7, Vec3::ZERO);
        refinement.smooth(&coarse, &mut exact).unwrap();
        smooth.apply(&mut UpsamplerState::default(), &coarse, SECONDS, &mut shown).unwrap();
        assert!(farthest(&exact, &shown) < NEAR);
        let first = shown.clone();
        smooth.apply(&mut UpsamplerState::default(), &coarse, SECONDS, &mut shown).unwrap();
        assert_eq!(first, shown, "bits are the same each time");
    }
}

#[test]
fn what_is_wrong_is_refused_and_nothing_is_remembered_of_it() {
    let Some(device) = common::device() else { return };
    let [refinement, _] = refinements();
    let modes = Some(ModesParams { count: 2, ..ModesParams::default() });
    let model = fitted(&refinement, &Method::Piu(PiuParams { modes, ..PiuParams::default() }));
    let (mut state, mut on_device) = (model.state(), GpuUpsampler::new(&device, &model).unwrap());
    let [_, count] = refinement.vertex_counts();
    let mut out = vec![Vec3::ZERO; count];
    let coarse = moved(refinement.coarse_mesh(), 1, Vec3::ZERO);
    on_device.apply(&mut state, &coarse, SECONDS, &mut out).unwrap();
    let known = state.numbers();
    let mut broken = coarse.clone();
    broken[3].y = f64::NAN;
    let refused = |result: Result<(), GpuUpsampleError>| match result.unwrap_err() {
        GpuUpsampleError::Upsample(error) => error,
        GpuUpsampleError::Gpu(error) => panic!("{error}"),
    };
    let error = refused(on_device.apply(&mut state, &broken, SECONDS, &mut out));
    assert!(matches!(error, UpsampleError::NonFinite { which: "coarse", vertex: 3, .. }), "{error}");
    let error = refused(on_device.apply(&mut state, &coarse[1..], SECONDS, &mut out));
    assert!(matches!(error, UpsampleError::LengthMismatch { which: "coarse", .. }), "{error}");
    let error = refused(on_device.apply(&mut state, &coarse, SECONDS, &mut out[1..]));
    assert!(matches!(error, UpsampleError::LengthMismatch { which: "fine", .. }), "{error}");
    let error = refused(on_device.apply(&mut state, &coarse, 0.0, &mut out));
    assert!(matches!(error, UpsampleError::BadParameter { .. }), "{error}");
    assert_eq!(state.numbers(), known);
}
