//! Errors of motions beside a reference.

use pliant::math::{Mat3, Vec3};
use pliant::upsample::{Method, PiuParams, TrainingSet, UpsampleError, compare, leave_one_out};

use super::{loop_of, noise, sheet, wrinkled};

/// A surface that is lifted, one that is tilted, and one that trembles, beside one that is flat.
#[test]
fn errors_of_known_motions_are_those_of_their_formulas() {
    let refinement = loop_of(&sheet(3), 1);
    let rest = &refinement.fine_mesh().positions;
    let coarse = vec![refinement.coarse_mesh().positions.clone(); 5];
    let motion = |at: &dyn Fn(usize, &Vec3) -> Vec3| -> Vec<Vec<Vec3>> {
        (0..5).map(|frame| rest.iter().map(|p| at(frame, p)).collect()).collect()
    };
    let flat = motion(&|_, p| *p);
    let lifted = compare(&refinement, &coarse, &motion(&|_, p| *p + 0.02 * Vec3::Z), &flat).expect("a report");
    assert!((lifted.l2 - 0.02).abs() < 1e-15 && (lifted.largest - 0.02).abs() < 1e-15);
    assert!(lifted.normal_angle < 1e-14 && lifted.jitter < 1e-15);

    let turn = Mat3::from_rotation_x(0.3);
    let tilted = compare(&refinement, &coarse, &motion(&|_, p| turn * *p), &flat).expect("a report");
    assert!((tilted.normal_angle - 0.3).abs() < 1e-12, "{}", tilted.normal_angle);

    // z = h (−1)ⁿ has the second difference 4h; z = h n², 2h.
    let sign = |frame: usize| 1.0 - 2.0 * (frame % 2) as f64;
    let trembling = motion(&|frame, p| *p + Vec3::Z * (0.001 * sign(frame)));
    let smooth = motion(&|frame, p| *p + Vec3::Z * (0.001 * (frame * frame) as f64));
    let report = compare(&refinement, &coarse, &trembling, &smooth).expect("a report");
    assert!((report.jitter - 0.004).abs() < 1e-15 && (report.reference_jitter - 0.002).abs() < 1e-15);
    assert!((report.relative_jitter() - 2.0).abs() < 1e-11);
}

#[test]
fn motions_that_do_not_match_are_refused() {
    let refinement = loop_of(&sheet(3), 1);
    let coarse = vec![refinement.coarse_mesh().positions.clone(); 2];
    let fine = vec![refinement.fine_mesh().positions.clone(); 2];
    let error = compare(&refinement, &coarse, &fine[1..], &fine).expect_err("one frame").to_string();
    assert_eq!(error, "1 predicted frames are compared with 2");
    assert!(matches!(compare(&refinement, &coarse[1..], &fine, &fine), Err(UpsampleError::Comparison { .. })));
    let mut bad = fine.clone();
    bad[1][4].y = f64::NAN;
    let error = compare(&refinement, &coarse, &fine, &bad).expect_err("NaN").to_string();
    assert!(error.starts_with("reference frame 1: fine vertex 4 is at ("), "{error}");
}

/// Detail that follows the strain carries over to other motions and wants little regularisation; detail that is noise does not carry over, and all
/// the less the more freely it was fitted.
#[test]
fn leaving_motions_out_tells_what_carries_over() {
    let refinement = loop_of(&sheet(4), 1);
    let sequences = [0..25, 25..50, 50..75].map(|frames| wrinkled(&refinement, frames).sequences.remove(0));
    let mut training = TrainingSet { sequences: sequences.into() };
    let candidates =
        [1e-3, 1e3].map(|regularisation| Method::Piu(PiuParams { regularisation, ..PiuParams::default() }));
    let (trials, smooth) = leave_one_out(&refinement, &training, &candidates).expect("trials");
    assert_eq!(trials[0].method, candidates[0]);
    assert!(trials[0].l2 < 0.5 * smooth && trials[1].l2 > trials[0].l2, "{trials:?} {smooth}");

    let mut seed = 0;
    for sequence in &mut training.sequences {
        for frame in &mut sequence.frames {
            refinement.smooth(&frame.coarse, &mut frame.fine).expect("a surface");
            frame.fine.iter_mut().for_each(|p| {
                seed += 1;
                p.z += 0.01 * noise(seed);
            });
        }
    }
    let (trials, smooth) = leave_one_out(&refinement, &training, &candidates).expect("trials");
    assert_eq!(trials[0].method, candidates[1]);
    assert!(trials[1].l2 > smooth, "{trials:?} {smooth}");

    training.sequences.truncate(1);
    let error = leave_one_out(&refinement, &training, &candidates).expect_err("one sequence").to_string();
    assert_eq!(error, "the training data has 1 sequences, but leaving one out needs two or more");
}
