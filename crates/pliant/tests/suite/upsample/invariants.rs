//! What holds for every method.

use pliant::math::{Mat3, Vec3};
use pliant::upsample::{Method, Refinement, TrainingSet, UpsampleError, Upsampler};

use super::{largest, loop_of, methods, sheet, shown, tube, wrinkled};

fn fitted(method: &Method, training: &TrainingSet, refinement: &std::sync::Arc<Refinement>) -> Upsampler {
    Upsampler::fit(refinement, training, method).expect("a model").0
}

/// Also over several frames, where oscillations remember.
#[test]
fn rotations_and_translations_commute_with_upsampling() {
    let turn = Mat3::from_axis_angle(Vec3::new(0.48, 0.6, 0.64), 2.3);
    let move_ = |x: &[Vec3]| -> Vec<Vec3> { x.iter().map(|p| turn * *p + Vec3::new(1.0, -2.0, 0.5)).collect() };
    for coarse in [sheet(4), tube()] {
        let refinement = loop_of(&coarse, 2);
        let training = wrinkled(&refinement, 0..40);
        for method in methods() {
            let upsampler = fitted(&method, &training, &refinement);
            let (mut still, mut moved) = (upsampler.state(), upsampler.state());
            let mut a = vec![Vec3::ZERO; refinement.vertex_counts()[1]];
            let mut b = a.clone();
            for frame in &wrinkled(&refinement, 40..45).sequences[0].frames {
                upsampler.apply(&mut still, &frame.coarse, 0.03, &mut a).expect("a frame");
                upsampler.apply(&mut moved, &move_(&frame.coarse), 0.03, &mut b).expect("a frame");
                let error = largest(&move_(&a), &b);
                assert!(error < 1e-10, "{method:?}: {error:e}");
            }
        }
    }
}

#[test]
fn every_method_learns_wrinkles_that_follow_the_strain() {
    let refinement = loop_of(&sheet(6), 2);
    let training = wrinkled(&refinement, 0..60);
    for method in methods() {
        let (_, report) = Upsampler::fit(&refinement, &training, &method).expect("a model");
        assert_eq!(report.frames, 60);
        assert!(report.l2 < 0.5 * report.smooth_l2, "{method:?}: {} of {}", report.l2, report.smooth_l2);
    }
}

#[cfg(feature = "parallel")]
#[test]
fn results_have_the_same_bits_on_any_number_of_threads() {
    let refinement = loop_of(&sheet(12), 2);
    let training = wrinkled(&refinement, 0..30);
    let unseen = &wrinkled(&refinement, 31..32).sequences[0].frames[0].coarse;
    for method in methods() {
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| shown(&fitted(&method, &training, &refinement), unseen))
        };
        let bits = |x: &[Vec3]| -> Vec<[u64; 3]> { x.iter().map(|p| p.to_array().map(f64::to_bits)).collect() };
        let reference = bits(&with_threads(1));
        for threads in [2, 5] {
            assert!(bits(&with_threads(threads)) == reference, "{method:?} on {threads} threads");
        }
    }
}

/// A coarse mesh that has collapsed to a point or a line has no frames, but still a surface.
#[test]
fn collapsed_meshes_give_finite_surfaces() {
    let refinement = loop_of(&sheet(4), 2);
    let training = wrinkled(&refinement, 0..40);
    let rest = &refinement.coarse_mesh().positions;
    for method in methods() {
        let upsampler = fitted(&method, &training, &refinement);
        for squeeze in [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1e-200, 0.0)] {
            let collapsed: Vec<Vec3> = rest.iter().map(|p| *p * squeeze).collect();
            let shown = shown(&upsampler, &collapsed);
            assert!(shown.iter().all(|p| p.is_finite() && p.length() < 100.0), "{method:?}");
        }
    }
}

#[test]
fn bad_training_data_is_named_and_refused() {
    let refinement = loop_of(&sheet(3), 1);
    let good = wrinkled(&refinement, 0..40);
    for method in methods() {
        let refused = |change: &dyn Fn(&mut TrainingSet)| {
            let mut training = good.clone();
            change(&mut training);
            Upsampler::fit(&refinement, &training, &method).expect_err("bad data").to_string()
        };
        let message = refused(&|t| t.sequences[0].frames[3].fine[5].y = f64::NAN);
        assert!(message.starts_with("frame 3 of sequence \"formula\": fine vertex 5 is at ("), "{message}");
        let message = refused(&|t| t.sequences[0].frames[7].coarse.truncate(9));
        let expected =
            "frame 7 of sequence \"formula\": 9 coarse positions were given, but the coarse mesh has 16 vertices";
        assert_eq!(message, expected);
        let message = refused(&|t| t.sequences[0].frame_seconds = 0.0);
        assert_eq!(message, "frame_seconds of a training sequence is 0, but must be positive and finite");
        let message = refused(&|t| t.sequences[0].frames.clear());
        assert!(message.starts_with("the training data has 0 frames, but "), "{message}");
    }
}

#[test]
fn frames_and_states_that_do_not_fit_are_refused_and_change_nothing() {
    let refinement = loop_of(&sheet(3), 1);
    let training = wrinkled(&refinement, 0..40);
    let coarse = &refinement.coarse_mesh().positions;
    for method in methods() {
        let upsampler = fitted(&method, &training, &refinement);
        let mut out = vec![Vec3::ONE; refinement.vertex_counts()[1]];
        let mut state = upsampler.state();
        let mut bad = coarse.clone();
        bad[2].z = f64::NAN;
        assert!(matches!(
            upsampler.apply(&mut state, &bad, 0.1, &mut out),
            Err(UpsampleError::NonFinite { vertex: 2, .. })
        ));
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = upsampler.apply(&mut state, coarse, seconds, &mut out).expect_err("no time").to_string();
            assert_eq!(error, format!("the time since the last frame is {seconds}, but must be positive and finite"));
        }
        assert!(upsampler.apply(&mut state, &coarse[1..], 0.1, &mut out).is_err());
        let other = fitted(&method, &wrinkled(&loop_of(&sheet(4), 1), 0..40), &loop_of(&sheet(4), 1));
        assert!(matches!(
            upsampler.apply(&mut other.state(), coarse, 0.1, &mut out),
            Err(UpsampleError::OtherState { .. })
        ));
        assert!(out.iter().all(|p| *p == Vec3::ONE) && state.numbers().is_empty(), "nothing has changed");
        assert!(state.restore(&[1.0, 2.0]).is_err());
    }
}
