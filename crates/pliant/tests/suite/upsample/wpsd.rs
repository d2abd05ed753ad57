//! Weighted pose-space deformation.

use pliant::upsample::{Method, TrainingFrame, TrainingSet, UpsampleError, Upsampler, WpsdParams};

use super::{bent, largest, loop_of, noise, sheet, shown, tube, wrinkled};

/// Shapes that differ everywhere, with detail that has nothing to do with the shape.
fn distinct_poses(refinement: &pliant::upsample::Refinement, count: usize) -> Vec<TrainingFrame> {
    let pose = |k: usize| {
        let t = k as f64;
        let mut coarse = bent(refinement.coarse_mesh(), [0.05 * t, 0.1 * (1.3 * t).sin(), 0.2 * (0.7 * t).cos()]);
        coarse.iter_mut().enumerate().for_each(|(v, p)| p.z += 0.02 * noise(31 * v + k));
        let mut fine = vec![Default::default(); refinement.vertex_counts()[1]];
        refinement.smooth(&coarse, &mut fine).expect("a surface");
        fine.iter_mut().enumerate().for_each(|(v, p)| *p += 0.01 * noise(17 * v + 5 * k));
        TrainingFrame { coarse, fine }
    };
    (0..count).map(pose).collect()
}

fn set(frames: Vec<TrainingFrame>) -> TrainingSet {
    let name = "poses".to_owned();
    TrainingSet { sequences: vec![pliant::upsample::TrainingSequence { name, frame_seconds: 0.1, frames }] }
}

/// w_j(u_i) = δ_ij, with convex weights and without.
#[test]
fn poses_are_reproduced_exactly() {
    for coarse in [sheet(5), tube()] {
        let refinement = loop_of(&coarse, 2);
        let poses = distinct_poses(&refinement, 5);
        for convex in [true, false] {
            for rest_pose in [true, false] {
                let count = 5 + usize::from(rest_pose);
                let params = WpsdParams { poses: count, convex, rest_pose, ..WpsdParams::default() };
                let fit = Upsampler::fit(&refinement, &set(poses.clone()), &Method::Wpsd(params));
                let (upsampler, report) = fit.expect("a model");
                assert_eq!(report.poses.len(), 5);
                assert!(report.l2 < 1e-10, "{}", report.l2);
                for pose in &poses {
                    let error = largest(&shown(&upsampler, &pose.coarse), &pose.fine);
                    assert!(error < 1e-10, "{error:e}");
                }
                if rest_pose {
                    let rest = shown(&upsampler, &coarse.positions);
                    assert!(largest(&rest, &refinement.fine_mesh().positions) < 1e-10);
                }
            }
        }
    }
}

/// Between two poses, where the strain of all edges is halfway, so are the weights.
#[test]
fn halfway_between_two_poses_is_half_of_each() {
    let refinement = loop_of(&sheet(4), 2);
    let stretched = |amount: f64| -> Vec<_> {
        let mut x = refinement.coarse_mesh().positions.clone();
        x.iter_mut().for_each(|p| *p *= 1.0 + amount);
        x
    };
    let frame = |amount: f64, height: f64| {
        let coarse = stretched(amount);
        let mut fine = vec![Default::default(); refinement.vertex_counts()[1]];
        refinement.smooth(&coarse, &mut fine).expect("a surface");
        fine.iter_mut().for_each(|p| p.z += height);
        TrainingFrame { coarse, fine }
    };
    let training = set(vec![frame(0.0, 0.0), frame(0.1, 0.02)]);
    let params = WpsdParams { poses: 2, rest_pose: false, ..WpsdParams::default() };
    let (upsampler, _) = Upsampler::fit(&refinement, &training, &Method::Wpsd(params)).expect("a model");
    for share in [0.25, 0.5, 0.9] {
        let out = shown(&upsampler, &stretched(0.1 * share));
        assert!(out.iter().all(|p| (p.z.abs() - 0.02 * share).abs() < 1e-12), "{}", out[3]);
    }
    // Beyond the poses convex weights stay those of the nearer pose.
    assert!(shown(&upsampler, &stretched(0.3)).iter().all(|p| p.z.abs() < 0.02 + 1e-12));
}

/// The frame that is shown worst comes next, until the error is small enough.
#[test]
fn poses_are_chosen_by_the_largest_error_until_the_tolerance() {
    let refinement = loop_of(&sheet(5), 1);
    let training = wrinkled(&refinement, 0..50);
    let fit = |poses: usize, tolerance: f64| {
        let params = WpsdParams { poses, tolerance, ..WpsdParams::default() };
        Upsampler::fit(&refinement, &training, &Method::Wpsd(params)).expect("a model").1
    };
    let errors: Vec<f64> = (2..7).map(|poses| fit(poses, 0.0).l2).collect();
    assert!(errors[4] < 0.8 * errors[0], "{errors:?}");
    // With the rest shape alone the surface is smooth, so the first choice is the frame that is farthest from smooth.
    let first = fit(2, 0.0).poses[0].1;
    let wrinkles = |frame: usize| {
        let frame = &training.sequences[0].frames[frame];
        let mut smooth = frame.fine.clone();
        refinement.smooth(&frame.coarse, &mut smooth).expect("a surface");
        smooth.iter().zip(&frame.fine).map(|(a, b)| a.distance_squared(*b)).sum::<f64>()
    };
    assert!((0..50).all(|frame| wrinkles(frame) <= wrinkles(first)));
    let stopped = fit(40, 1.01 * errors[1]);
    assert!(stopped.poses.len() <= 2 && stopped.l2 <= 1.01 * errors[1], "{:?}", stopped.poses);
}

/// Poses with the same strain everywhere, such as a shape and the same shape elsewhere, share their weight.
#[test]
fn poses_that_cannot_be_told_apart_are_averaged() {
    let refinement = loop_of(&sheet(3), 1);
    let frame = |height: f64| {
        let mut fine = refinement.fine_mesh().positions.clone();
        fine.iter_mut().for_each(|p| p.z += height);
        TrainingFrame { coarse: refinement.coarse_mesh().positions.clone(), fine }
    };
    let training = set(vec![frame(0.01), frame(0.03)]);
    let params = WpsdParams { poses: 2, rest_pose: false, ..WpsdParams::default() };
    let (upsampler, _) = Upsampler::fit(&refinement, &training, &Method::Wpsd(params)).expect("a model");
    let out = shown(&upsampler, &refinement.coarse_mesh().positions);
    assert!(out.iter().all(|p| (p.z - 0.02).abs() < 1e-12));
}

#[test]
fn parameters_out_of_range_are_named() {
    let refinement = loop_of(&sheet(3), 1);
    let training = wrinkled(&refinement, 0..5);
    let refused = |params: WpsdParams| {
        Upsampler::fit(&refinement, &training, &Method::Wpsd(params)).expect_err("out of range").to_string()
    };
    let usual = WpsdParams::default();
    assert_eq!(refused(WpsdParams { poses: 0, ..usual }), "poses is 0, but must be 1 to 64");
    assert_eq!(refused(WpsdParams { edges: 65, ..usual }), "edges is 65, but must be 1 to 64");
    assert_eq!(refused(WpsdParams { decay: f64::NAN, ..usual }), "decay is NaN, but must be positive and finite");
    assert_eq!(refused(WpsdParams { tolerance: -1.0, ..usual }), "tolerance is -1, but must be zero or more");
    let empty = Upsampler::fit(&refinement, &TrainingSet::default(), &Method::Wpsd(usual));
    assert!(matches!(empty, Err(UpsampleError::TooFewFrames { found: 0, needed: 1, .. })));
}
