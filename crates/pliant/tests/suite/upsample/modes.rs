//! Oscillatory modes.

use std::f64::consts::PI;
use std::sync::Arc;

use pliant::math::Vec3;
use pliant::upsample::{
    Method, ModesParams, PiuParams, Refinement, TrainingFrame, TrainingSequence, TrainingSet, UpsampleError, Upsampler,
};

use super::{loop_of, sheet};

const SECONDS: f64 = 1.0 / 60.0;
const FREQUENCY: f64 = 2.0;
const HEIGHT: f64 = 0.01;
const WAVE_NUMBER: f64 = 30.0;

/// A sheet that is stretched to and fro, over which waves run along x: a·sin(kx − ωt) is sin kx cos ωt − cos kx sin ωt, of which the coarse
/// positions tell one of the two quadratures only.
fn running(refinement: &Refinement, frame: usize) -> TrainingFrame {
    let phase = 2.0 * PI * FREQUENCY * SECONDS * frame as f64;
    let stretched = |p: &Vec3| Vec3::new(p.x * (1.0 + 0.05 * phase.cos()), p.y, p.z);
    let mut fine: Vec<Vec3> = refinement.fine_mesh().positions.iter().map(stretched).collect();
    for (x, rest) in fine.iter_mut().zip(&refinement.fine_mesh().positions) {
        x.z += HEIGHT * (WAVE_NUMBER * rest.x - phase).sin();
    }
    TrainingFrame { coarse: refinement.coarse_mesh().positions.iter().map(stretched).collect(), fine }
}

fn set(frames: Vec<TrainingFrame>) -> TrainingSet {
    TrainingSet { sequences: vec![TrainingSequence { name: "waves".into(), frame_seconds: SECONDS, frames }] }
}

fn fitted(refinement: &Arc<Refinement>, training: &TrainingSet, modes: Option<ModesParams>) -> Upsampler {
    let params = PiuParams { modes, ..PiuParams::default() };
    Upsampler::fit(refinement, training, &Method::Piu(params)).expect("a model").0
}

/// Amplitudes of sin kx and cos kx in each frame of a motion that was not in the training data: it begins at another phase.
fn quadratures(upsampler: &Upsampler, frames: std::ops::Range<usize>) -> Vec<[f64; 2]> {
    let refinement = upsampler.refinement();
    let rest = &refinement.fine_mesh().positions;
    let mut state = upsampler.state();
    let mut out = vec![Vec3::ZERO; rest.len()];
    let norm: f64 = rest.iter().map(|p| (WAVE_NUMBER * p.x).sin().powi(2)).sum();
    let cosine_norm: f64 = rest.iter().map(|p| (WAVE_NUMBER * p.x).cos().powi(2)).sum();
    frames
        .map(|frame| {
            upsampler.apply(&mut state, &running(refinement, frame).coarse, SECONDS, &mut out).expect("a frame");
            let along = |wave: &dyn Fn(f64) -> f64| {
                out.iter().zip(rest).map(|(x, p)| x.z * wave(WAVE_NUMBER * p.x)).sum::<f64>()
            };
            [along(&f64::sin) / norm, along(&f64::cos) / cosine_norm]
        })
        .collect()
}

/// A wave that travels goes around in the plane of its quadratures, and always the same way round: the area that it sweeps per turn is 2π times
/// half the square of its height. One that stands sweeps none.
#[test]
fn waves_travel_with_modes_and_do_not_without() {
    let refinement = loop_of(&sheet(4), 3);
    let training = set((0..180).map(|frame| running(&refinement, frame)).collect());
    let turns = 4;
    let frames = 230..230 + 30 + turns * 30;
    let swept = |upsampler: &Upsampler| {
        let path = quadratures(upsampler, frames.clone());
        let area: f64 = path[30..].array_windows().map(|[a, b]| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum();
        // sin(kx − ωt) has the quadratures cos ωt and −sin ωt: clockwise.
        -area / (turns as f64 * PI * HEIGHT * HEIGHT)
    };
    let without = swept(&fitted(&refinement, &training, None));
    let with = swept(&fitted(&refinement, &training, Some(ModesParams::default())));
    println!("share of the area that a travelling wave sweeps: {without:.3} without modes, {with:.3} with");
    assert!(without.abs() < 0.02, "{without}");
    assert!((with - 1.0).abs() < 0.1, "{with}");
}

/// A coarse sheet that jerks and then rests, on which the fine one rings on: frequency and damping are found, and the ringing goes on at rest.
#[test]
fn ringing_goes_on_after_the_coarse_mesh_has_come_to_rest() {
    let refinement = loop_of(&sheet(4), 2);
    let (frequency, damping) = (3.0, 1.5);
    let omega = 2.0 * PI * frequency;
    // Stretched for a moment; the answer of a damped oscillator to that, by its closed form.
    let answer = |frame: f64| {
        let t = frame * SECONDS;
        if t <= 0.0 { 0.0 } else { (-damping * t).exp() * (omega * t).sin() }
    };
    let frame = |number: usize, kick: usize| {
        let stretch = if number == kick { 0.03 } else { 0.0 };
        let stretched = |p: &Vec3| Vec3::new(p.x * (1.0 + stretch), p.y, p.z);
        let mut fine: Vec<Vec3> = refinement.fine_mesh().positions.iter().map(stretched).collect();
        let height = HEIGHT * answer(number as f64 - kick as f64);
        for (x, rest) in fine.iter_mut().zip(&refinement.fine_mesh().positions) {
            x.z += height * (20.0 * rest.x).sin();
        }
        TrainingFrame { coarse: refinement.coarse_mesh().positions.iter().map(stretched).collect(), fine }
    };
    let training = set((0..240).map(|number| frame(number, 20)).collect());
    let modes = ModesParams { count: 2, signals: 4, regularisation: 1e-8 };
    let upsampler = fitted(&refinement, &training, Some(modes));
    let (found, rate) = upsampler.oscillations()[0];
    println!("{found:.4} Hz for {frequency}, {rate:.4} /s for {damping}");
    assert!((found - frequency).abs() < 0.02 && (rate - damping).abs() < 0.1, "{found} Hz, {rate} /s");
    // Another kick, at another time; nothing but the memory moves the surface after it.
    let mut state = upsampler.state();
    let mut out = vec![Vec3::ZERO; refinement.vertex_counts()[1]];
    for number in 0..80 {
        let frame = frame(number, 35);
        upsampler.apply(&mut state, &frame.coarse, SECONDS, &mut out).expect("a frame");
        if number > 36 {
            let error = super::largest(&out, &frame.fine);
            assert!(error < 0.1 * HEIGHT, "frame {number}: {error:e}");
        }
    }
}

/// What is remembered can be stored in the middle of a motion.
#[test]
fn a_state_that_was_stored_goes_on_bit_for_bit() {
    let refinement = loop_of(&sheet(4), 2);
    let training = set((0..60).map(|frame| running(&refinement, frame)).collect());
    let upsampler = fitted(&refinement, &training, Some(ModesParams::default()));
    let mut state = upsampler.state();
    let (mut a, mut b) =
        (vec![Vec3::ZERO; refinement.vertex_counts()[1]], vec![Vec3::ZERO; refinement.vertex_counts()[1]]);
    for frame in 0..20 {
        upsampler.apply(&mut state, &running(&refinement, frame).coarse, SECONDS, &mut a).expect("a frame");
    }
    let mut restored = upsampler.state();
    restored.restore(&state.numbers()).expect("its own numbers");
    for frame in 20..30 {
        let coarse = running(&refinement, frame).coarse;
        upsampler.apply(&mut state, &coarse, SECONDS, &mut a).expect("a frame");
        upsampler.apply(&mut restored, &coarse, SECONDS, &mut b).expect("a frame");
        assert!(a == b);
    }
    let mut numbers = state.numbers();
    numbers.pop();
    assert!(matches!(restored.restore(&numbers), Err(UpsampleError::OtherState { .. })));
    numbers.push(f64::NAN);
    assert!(restored.restore(&numbers).is_err());
    state.reset();
    assert!(state.numbers().is_empty());
}

#[test]
fn sequences_with_other_frame_times_are_refused() {
    let refinement = loop_of(&sheet(3), 1);
    let mut training = set((0..30).map(|frame| running(&refinement, frame)).collect());
    let mut other = training.sequences[0].clone();
    (other.name, other.frame_seconds) = ("slow".into(), 0.04);
    training.sequences.push(other);
    let params = PiuParams { modes: Some(ModesParams::default()), ..PiuParams::default() };
    let error = Upsampler::fit(&refinement, &training, &Method::Piu(params)).expect_err("two rates").to_string();
    assert!(error.starts_with("sequence \"slow\" has 0.04 s between frames, but the first sequence has "), "{error}");
    training.sequences.truncate(1);
    training.sequences[0].frames.truncate(11);
    let error = Upsampler::fit(&refinement, &training, &Method::Piu(params)).expect_err("too few").to_string();
    assert_eq!(error, "the training data has 11 frames, but piu with modes needs 12 or more");
}
