//! [Bender 2014, Figure 23]: a feature mesh, the smooth mesh over it by subdivision, and detail in local frames that is combined from examples.

use pliant::math::{Mat3, Vec3};
use pliant::upsample::{Method, TrainingSequence, Upsampler};
use pliant_picture::plot::{Axis, Plot, Series};
use pliant_scene::train::{Total, frame_errors};

use crate::detail::Learnt;
use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bender2014-fig23",
    figure: "Bender 2014, Figure 23",
    claim: "Detail combined from examples in local frames adds the wrinkles that a subdivided feature mesh lacks",
    criteria: &[
        Criterion {
            name: "error",
            statement: "a flag in motions that were held out: error of the best method over that of subdivision alone",
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
            statement: "largest distance of a fine vertex from its place in an example pose, where the coarse shape is that of the pose [m]",
            bound: Bound::AtMost(1e-9),
            kind: Kind::Shape,
        },
        Criterion {
            name: "frames",
            statement: "detail of a coarse shape that is turned and moved, less the turned and moved detail: largest distance [m]",
            bound: Bound::AtMost(1e-10),
            kind: Kind::Shape,
        },
    ],
    measure,
};

/// What a model without memory shows over coarse positions.
fn shown(model: &Upsampler, coarse: &[Vec3]) -> Result<Vec<Vec3>, ReproduceError> {
    let mut out = vec![Vec3::ZERO; model.refinement().vertex_counts()[1]];
    model.apply(&mut model.state(), coarse, 1.0, &mut out)?;
    Ok(out)
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max(a.distance(*b)))
}

/// The method that is nearest to the fine simulation: subdivision and the wrinkle mesh come first in the list.
fn best(totals: &[Total]) -> Option<&Total> {
    totals.iter().skip(2).min_by(|a, b| a.l2.total_cmp(&b.l2))
}

/// Error and jitter of the best method as criteria, with a plot and a picture of the motion that was held out first.
pub(super) fn judge(learnt: &Learnt, outcome: &mut Outcome) -> Result<(), ReproduceError> {
    let totals = learnt.totals(outcome)?;
    if let (Some(smooth), Some(best)) = (totals.first(), best(&totals)) {
        let all: Vec<String> = totals.iter().map(|t| format!("{} {:.3} mm", t.method, 1e3 * t.l2)).collect();
        outcome.measure("error", best.l2 / smooth.l2, format!("best is {}; {}", best.method, all.join(", ")));
        outcome.measure("jitter", best.relative_jitter, best.method.clone());
    }
    let offset = 1e3 * learnt.largest_offset;
    outcome
        .remarks
        .push(format!("averages of the fine cloth are at most {offset:.2} mm from those of the smooth surface"));
    let Some(sequence) = learnt.held_out.first() else { return Ok(()) };
    let shown = learnt.shown(sequence)?;
    let fine: Vec<Vec<Vec3>> = sequence.frames.iter().map(|frame| frame.fine.clone()).collect();
    let series = shown.iter().map(|shown| {
        let errors = frame_errors(&shown.frames, &fine);
        let point = |(k, error): (usize, &f64)| [k as f64 * sequence.frame_seconds, 1e3 * error];
        Series::new(&shown.method, errors.iter().enumerate().map(point).collect())
    });
    outcome.plot(
        "errors",
        Plot {
            title: format!("Motion {}", sequence.name),
            x: Axis::linear("time [s]"),
            y: Axis::linear("L2 error [mm]"),
            series: series.collect(),
            ..Plot::default()
        },
    );
    let errors = frame_errors(&shown[0].frames, &fine);
    let moment = (0..errors.len()).max_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
    let refinement = learnt.training.refinement();
    let (coarse, triangles) = (&refinement.coarse_mesh().triangles, &refinement.fine_mesh().triangles);
    let best = best(&totals).map_or("", |best| &best.method);
    let detail = shown.iter().find(|shown| shown.method == best).unwrap_or(&shown[0]);
    let row = Row {
        shapes: vec![&sequence.frames[moment].coarse, &shown[0].frames[moment], &detail.frames[moment], &fine[moment]],
        triangles: vec![coarse, triangles, triangles, triangles],
        turn: 20.0,
        size: [1400, 500],
        edges: false,
        crease: 60.0,
    };
    outcome.pictures.push(("side-by-side".to_owned(), row.draw()?));
    outcome.remarks.push(format!("the picture has, from left to right: coarse, smooth, {best}, the fine simulation"));
    Ok(())
}

/// How far a model by poses is from the poses that it was made of, at most \[m\].
fn off_its_poses(
    model: &Upsampler,
    poses: &[(usize, usize)],
    known: &[TrainingSequence],
) -> Result<f64, ReproduceError> {
    let mut most = 0.0_f64;
    for &(sequence, frame) in poses {
        let pose = &known[sequence].frames[frame];
        most = most.max(farthest(&shown(model, &pose.coarse)?, &pose.fine));
    }
    Ok(most)
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let overrides = size.pick(vec![], vec!["body.0.upsample.levels=1".to_owned()]);
    let learnt = Learnt::of("flag-detail", &overrides)?;
    let mut outcome = Outcome::default();
    let [coarse, fine] = learnt.training.refinement().vertex_counts();
    outcome.choose(format!(
        "scene flag-detail: {coarse} coarse and {fine} fine vertices, {} motions to learn from, {} held out",
        learnt.known.sequences.len(),
        learnt.held_out.len()
    ));
    judge(&learnt, &mut outcome)?;
    let is_by_poses = |model: &Upsampler| matches!(model.method(), Method::Wpsd(_));
    if let Some((model, report)) = learnt.models.iter().find(|(model, _)| is_by_poses(model)) {
        outcome.measure(
            "poses",
            off_its_poses(model, &report.poses, &learnt.known.sequences)?,
            format!("{} poses", report.poses.len()),
        );
    }
    let turn = Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.1);
    let place = |p: &Vec3| turn * *p + Vec3::new(0.3, -0.2, 0.5);
    let mut most = 0.0_f64;
    if let Some(frame) = learnt.held_out.first().and_then(|sequence| sequence.frames.last()) {
        let moved: Vec<Vec3> = frame.coarse.iter().map(place).collect();
        for (model, _) in &learnt.models {
            let expected: Vec<Vec3> = shown(model, &frame.coarse)?.iter().map(place).collect();
            most = most.max(farthest(&shown(model, &moved)?, &expected));
        }
    }
    outcome.measure("frames", most, "all methods");
    Ok(outcome)
}
