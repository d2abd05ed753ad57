//! Physics-inspired upsampling without modes.

use pliant::math::{Mat3, Vec3};
use pliant::upsample::{
    Method, PiuParams, Refinement, TrainingFrame, TrainingSequence, TrainingSet, UpsampleError, Upsampler,
};

use super::{largest, loop_of, noise, sheet, shown, tube};

/// Coarse motion that is random in every vertex, and detail that is linear in it: along the normal of a flat sheet the height of a fine vertex above
/// the smooth surface is a multiple of how far a coarse vertex nearby is above the mean of three others.
fn linear_frame(refinement: &Refinement, number: usize) -> TrainingFrame {
    let mut coarse = refinement.coarse_mesh().positions.clone();
    // In the plane only, so that all triangles keep one frame and the linear function is the same in each.
    coarse.iter_mut().enumerate().for_each(|(v, p)| {
        p.x += 0.01 * noise(7919 * number + 2 * v);
        p.y += 0.01 * noise(7919 * number + 2 * v + 1);
    });
    let mut fine = vec![Vec3::ZERO; refinement.vertex_counts()[1]];
    refinement.smooth(&coarse, &mut fine).expect("a surface");
    for (vertex, x) in fine.iter_mut().enumerate() {
        let followed: Vec<(u32, f64)> = refinement.weights(vertex).collect();
        // Does not change when the sheet is moved: differences of positions.
        let anchor = coarse[followed[0].0 as usize];
        let edges = followed.iter().map(|&(v, _)| coarse[v as usize] - anchor);
        // Lengths along a fixed direction of the plane are linear in positions that do not turn.
        x.z += edges.enumerate().map(|(k, edge)| 0.1 * noise(vertex + 13 * k) * (edge.x + 0.5 * edge.y)).sum::<f64>();
    }
    TrainingFrame { coarse, fine }
}

fn training(refinement: &Refinement, frames: std::ops::Range<usize>) -> TrainingSet {
    let frames = frames.map(|number| linear_frame(refinement, number)).collect();
    TrainingSet { sequences: vec![TrainingSequence { name: "random".into(), frame_seconds: 0.1, frames }] }
}

/// The frames of triangles turn a little within the plane, so that the formula is linear in them up to second order: with movements ten times
/// smaller the error is a hundred times smaller, and what is linear remains.
#[test]
fn a_linear_function_of_the_coarse_positions_is_recovered() {
    let refinement = loop_of(&sheet(4), 2);
    let params = PiuParams { regularisation: 1e-8, neighbours: 12, modes: None };
    let (upsampler, report) =
        Upsampler::fit(&refinement, &training(&refinement, 0..300), &Method::Piu(params)).expect("a model");
    assert!(report.l2 < 0.01 * report.smooth_l2, "{} of {}", report.l2, report.smooth_l2);
    let unseen = linear_frame(&refinement, 1001);
    let mut smooth = unseen.fine.clone();
    refinement.smooth(&unseen.coarse, &mut smooth).expect("a surface");
    let error = largest(&shown(&upsampler, &unseen.coarse), &unseen.fine);
    assert!(error < 0.03 * largest(&smooth, &unseen.fine), "{error:e} of {:e}", largest(&smooth, &unseen.fine));
}

/// Σ_j B_ij = 1: moving all coarse vertices moves all fine ones by the same, to rounding.
#[test]
fn rows_add_up_to_one() {
    for coarse in [sheet(4), tube()] {
        let refinement = loop_of(&coarse, 2);
        let (upsampler, _) =
            Upsampler::fit(&refinement, &super::wrinkled(&refinement, 0..40), &Method::Piu(PiuParams::default()))
                .expect("a model");
        let shift = Vec3::new(0.25, -0.5, 1.0);
        let moved: Vec<Vec3> = coarse.positions.iter().map(|p| *p + shift).collect();
        let (here, there) = (shown(&upsampler, &coarse.positions), shown(&upsampler, &moved));
        assert!(here.iter().zip(&there).all(|(a, b)| (*b - *a - shift).length() < 1e-12));
    }
}

/// As long as triangles keep their planes the result is linear in the coarse positions: that of a mean is the mean.
#[test]
fn the_result_is_linear_where_frames_stay() {
    let refinement = loop_of(&sheet(4), 2);
    let (upsampler, _) =
        Upsampler::fit(&refinement, &super::wrinkled(&refinement, 0..40), &Method::Piu(PiuParams::default()))
            .expect("a model");
    let rest = &refinement.coarse_mesh().positions;
    let scaled = |factor: f64| -> Vec<Vec3> { rest.iter().map(|p| *p * factor).collect() };
    let [a, b, mean] = [0.9, 1.3, 1.1].map(|factor| shown(&upsampler, &scaled(factor)));
    let halves: Vec<Vec3> = a.iter().zip(&b).map(|(a, b)| (*a + *b) * 0.5).collect();
    assert!(largest(&halves, &mean) < 1e-13);
}

/// Wrinkles stay on the cloth when it turns; the matrix in world coordinates, as printed, would leave them where they were.
#[test]
fn wrinkles_turn_with_the_cloth() {
    let refinement = loop_of(&sheet(4), 2);
    let set = super::wrinkled(&refinement, 0..40);
    let (upsampler, _) = Upsampler::fit(&refinement, &set, &Method::Piu(PiuParams::default())).expect("a model");
    let turn = Mat3::from_rotation_x(1.5);
    let frame = &set.sequences[0].frames[7];
    let turned = |x: &[Vec3]| -> Vec<Vec3> { x.iter().map(|p| turn * *p).collect() };
    let error = largest(&shown(&upsampler, &turned(&frame.coarse)), &turned(&shown(&upsampler, &frame.coarse)));
    assert!(error < 1e-14, "{error:e}");
}

#[test]
fn too_little_to_learn_from_is_an_error() {
    let refinement = loop_of(&sheet(3), 1);
    let fit = |frames, params| Upsampler::fit(&refinement, &super::wrinkled(&refinement, frames), &Method::Piu(params));
    let error = fit(0..1, PiuParams::default()).expect_err("one frame");
    assert_eq!(error, UpsampleError::TooFewFrames { found: 1, needed: 2, method: "piu" });
    let error = fit(0..9, PiuParams { regularisation: 0.0, ..PiuParams::default() }).expect_err("none").to_string();
    assert_eq!(error, "regularisation is 0, but must be positive and finite");
    let error = fit(0..9, PiuParams { neighbours: 2, ..PiuParams::default() }).expect_err("few").to_string();
    assert_eq!(error, "neighbours is 2, but must be 3 to 64");
}
