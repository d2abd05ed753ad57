//! [Bender 2014, Figure 25]: a dress of 381 triangles that is shown with 24384, with wrinkles from six example poses.

use pliant::math::Vec3;
use pliant::upsample::Upsampler;
use pliant_scene::Builtin;

use super::bender2014_fig23::judge;
use crate::detail::Learnt;
use crate::one_thread::{clock, on_one_thread, timed};
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bender2014-fig25",
    figure: "Bender 2014, Figure 25",
    claim: "A dress of about 400 triangles shows the wrinkles of one of 24 thousand, interpolated from six poses, with contact on the coarse mesh alone",
    criteria: &[
        Criterion {
            name: "error",
            statement: "a dress in motions that were held out: error of the best method over that of subdivision alone",
            bound: Bound::AtMost(0.6),
            kind: Kind::Shape,
        },
        Criterion {
            name: "jitter",
            statement: "jitter of the detail of that method over that of the fine simulation",
            bound: Bound::AtMost(2.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "poses",
            statement: "poses that the method wpsd has chosen",
            bound: Bound::AtMost(6.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "rate",
            statement: "frames per second of the coarse dress with contact and its detail from poses, on one thread",
            bound: Bound::AtLeast(125.0),
            kind: Kind::Timing,
        },
    ],
    measure,
};

const SCENE: &str = "dress";

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    // Three levels take a quarter of an hour: the fine simulations have 24 thousand triangles.
    let overrides = vec![format!("body.0.upsample.levels={}", size.pick(3, 1))];
    let learnt = Learnt::of(SCENE, &overrides)?;
    let mut outcome = Outcome::default();
    let refinement = learnt.training.refinement();
    let [coarse, fine] = [refinement.coarse_mesh(), refinement.fine_mesh()].map(|mesh| mesh.triangles.len());
    outcome.choose(format!(
        "scene {SCENE}: {coarse} and {fine} triangles, {} motions to learn from, {} held out",
        learnt.known.sequences.len(),
        learnt.held_out.len()
    ));
    judge(&learnt, &mut outcome)?;
    let by_poses = learnt.models.iter().find(|(model, _)| model.method().name() == "wpsd");
    let Some((model, report)) = by_poses else { return Ok(outcome) };
    outcome.measure("poses", report.poses.len() as f64, "besides the rest shape, if that is one");
    outcome.measure("rate", rate(model, &overrides)?, "");
    Ok(outcome)
}

/// Frames of the coarse scene with detail in a second of processor time.
fn rate(model: &Upsampler, overrides: &[String]) -> Result<f64, ReproduceError> {
    let scene = Builtin::find(SCENE).map(|builtin| builtin.scene(overrides)).transpose()?;
    let Some(scene) = scene else { return Ok(f64::NAN) };
    let (mut run, mut state) = (scene.build_with(|builder| builder.threads(1).clock(clock()))?, model.state());
    let mut fine = vec![Vec3::ZERO; model.refinement().vertex_counts()[1]];
    let (frames, seconds) = (scene.frames(), 1.0 / scene.frame_rate());
    let mut spent = 0.0;
    for _ in 0..frames {
        spent += run.next_frame()?.iter().map(|report| report.seconds_total).sum::<f64>();
        let coarse = run.sim.positions();
        let (done, time) = on_one_thread(|| timed(|| model.apply(&mut state, coarse, seconds, &mut fine)))?;
        done?;
        spent += time;
    }
    Ok(f64::from(frames) / spent)
}
