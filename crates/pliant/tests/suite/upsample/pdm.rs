//! Polynomial displacement maps.

use pliant::math::Vec3;
use pliant::upsample::{
    Directions, Method, PdmParams, Refinement, TrainingFrame, TrainingSequence, TrainingSet, UpsampleError, Upsampler,
};

use super::{largest, loop_of, sheet, shown};

/// A sheet under a uniform stretch along x and y: the strain is the same at all vertices. The offset from the mean of the neighbours is zero away
/// from the rim; at the rim it is linear in the stretch, so that there the two components are of something else than strain alone.
fn frame(refinement: &Refinement, [a, b]: [f64; 2], directions: Directions) -> TrainingFrame {
    let stretched = |x: &[Vec3]| -> Vec<Vec3> { x.iter().map(|p| *p * Vec3::new(1.0 + a, 1.0 + b, 1.0)).collect() };
    let coarse = stretched(&refinement.coarse_mesh().positions);
    let mut fine = stretched(&refinement.fine_mesh().positions);
    // Biquadratic in the strains ½((1 + a)² − 1) and ½((1 + b)² − 1), with coefficients that differ from vertex to vertex.
    let (e, f) = (a + 0.5 * a * a, b + 0.5 * b * b);
    for (k, x) in fine.iter_mut().enumerate() {
        let c = |n: usize| super::noise(100 * n + k);
        let polynomial = |n: usize| {
            let [q, r, s, t, u, v] = [0, 1, 2, 3, 4, 5].map(|term| c(6 * n + term));
            0.5 * q * e * e + 0.5 * r * f * f + 0.2 * s * e + 0.2 * t * f + 0.5 * u * e * f + 0.01 * v
        };
        *x += match directions {
            Directions::Normal => Vec3::Z * polynomial(0),
            Directions::All => Vec3::new(polynomial(0), polynomial(1), polynomial(2)),
        };
    }
    TrainingFrame { coarse, fine }
}

fn training(refinement: &Refinement, directions: Directions, count: usize) -> TrainingSet {
    let amounts = |k: usize| [0.1 * (1.7 * k as f64).sin(), 0.1 * (2.9 * k as f64 + 0.4).sin()];
    let frames = (0..count).map(|k| frame(refinement, amounts(k), directions)).collect();
    TrainingSet { sequences: vec![TrainingSequence { name: "stretch".into(), frame_seconds: 0.1, frames }] }
}

/// The largest error of a frame at fine vertices whose coarse vertices are away from the rim.
fn inner_error(refinement: &Refinement, upsampler: &Upsampler, frame: &TrainingFrame) -> f64 {
    let shown = shown(upsampler, &frame.coarse);
    let rest = &refinement.fine_mesh().positions;
    let inner = (0..rest.len()).filter(|&v| rest[v].x.abs().max(rest[v].y.abs()) < 0.12);
    inner.map(|v| shown[v].distance(frame.fine[v])).fold(0.0, f64::max)
}

/// Two strains are two principal components, and a biquadratic of one pair is one of the other.
#[test]
fn a_biquadratic_of_the_strain_is_recovered() {
    let refinement = loop_of(&sheet(8), 2);
    let params = PdmParams { directions: Directions::Normal, regularisation: 0.0 };
    let set = training(&refinement, Directions::Normal, 40);
    let (upsampler, report) = Upsampler::fit(&refinement, &set, &Method::Pdm(params)).expect("a model");
    assert!(report.l2 < 5e-3 * report.smooth_l2, "{} of {}", report.l2, report.smooth_l2);
    for amounts in [[0.05, -0.03], [-0.06, 0.06], [0.0, 0.0]] {
        let unseen = frame(&refinement, amounts, Directions::Normal);
        let error = inner_error(&refinement, &upsampler, &unseen);
        assert!(error < 1e-12, "{error:e} at {amounts:?}");
    }
}

/// The same in three directions, for one strain: frames of skewed triangles turn in their plane when the two differ, and with them what lies in it.
#[test]
fn three_directions_are_three_polynomials() {
    let refinement = loop_of(&sheet(8), 2);
    let frames = (0..40).map(|k| 0.1 * (1.7 * f64::from(k)).sin()).map(|a| frame(&refinement, [a, a], Directions::All));
    let mut set = training(&refinement, Directions::All, 1);
    set.sequences[0].frames = frames.collect();
    let params = PdmParams { directions: Directions::All, regularisation: 1e-9 };
    let (upsampler, _) = Upsampler::fit(&refinement, &set, &Method::Pdm(params)).expect("a model");
    for amount in [0.05, -0.07, 0.0] {
        let unseen = frame(&refinement, [amount, amount], Directions::All);
        let error = inner_error(&refinement, &upsampler, &unseen);
        assert!(error < 1e-8, "{error:e} at {amount}");
    }
}

/// Displacements along the normal alone leave what lies in the plane.
#[test]
fn the_normal_alone_cannot_move_vertices_sideways() {
    let refinement = loop_of(&sheet(4), 1);
    let set = training(&refinement, Directions::All, 40);
    let error = |directions| {
        let params = PdmParams { directions, regularisation: 0.0 };
        Upsampler::fit(&refinement, &set, &Method::Pdm(params)).expect("a model").1.l2
    };
    assert!(error(Directions::All) < 5e-3 * error(Directions::Normal));
}

/// Parabolas end where the training data does.
#[test]
fn beyond_the_training_data_detail_stays_as_it_is_at_its_edge() {
    let refinement = loop_of(&sheet(4), 1);
    let set = training(&refinement, Directions::Normal, 40);
    let params = PdmParams { directions: Directions::Normal, regularisation: 0.0 };
    let (upsampler, _) = Upsampler::fit(&refinement, &set, &Method::Pdm(params)).expect("a model");
    let far = frame(&refinement, [30.0, 30.0], Directions::Normal);
    assert!(shown(&upsampler, &far.coarse).iter().all(|p| p.z.abs() < 0.1), "the polynomial itself is above 1e4");
}

#[test]
fn motion_that_leaves_coefficients_open_is_an_error_that_names_a_vertex() {
    let refinement = loop_of(&sheet(3), 1);
    let mut set = training(&refinement, Directions::All, 20);
    let first = set.sequences[0].frames[0].clone();
    set.sequences[0].frames.fill(first);
    let params = PdmParams { directions: Directions::All, regularisation: 0.0 };
    let error = Upsampler::fit(&refinement, &set, &Method::Pdm(params)).expect_err("singular");
    assert!(matches!(error, UpsampleError::SingularFit { method: "pdm", frames: 20, .. }));
    assert!(error.to_string().contains("do not determine its coefficients"), "{error}");
    // With a little regularisation what the frames do not tell is zero: the frame itself is shown.
    let usual = Method::Pdm(PdmParams::default());
    let (upsampler, _) = Upsampler::fit(&refinement, &set, &usual).expect("a model");
    let frame = &set.sequences[0].frames[0];
    assert!(largest(&shown(&upsampler, &frame.coarse), &frame.fine) < 1e-10);
    set.sequences[0].frames.truncate(5);
    let error = Upsampler::fit(&refinement, &set, &usual).expect_err("too few").to_string();
    assert_eq!(error, "the training data has 5 frames, but pdm needs 6 or more");
}
