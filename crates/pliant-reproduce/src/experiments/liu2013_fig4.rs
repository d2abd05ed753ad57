//! [Liu 2013, Figure 4]: one animation by 1, 10, 100 and 1000 iterations in each frame, and exactly.

use pliant::prelude::*;

use crate::curtain::Curtain;
use crate::motion::{Comparison, Motion, exact};
use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "liu2013-fig4",
    figure: "Liu 2013, Figure 4",
    claim: "One iteration is stable and plausible; with 100 or 1000 it is difficult to tell the difference from the \
        exact solution",
    criteria: &[
        Criterion {
            name: "more-is-closer",
            statement: "mean distance from the exact motion over all frames: largest ratio of ten times the \
                iterations to fewer",
            bound: Bound::Below(1.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "hundred",
            statement: "mean distance from the exact solution in the frame shown, larger of 100 and 1000 iterations, \
                in diagonals of the cloth",
            bound: Bound::Below(0.01),
            kind: Kind::Shape,
        },
        Criterion {
            name: "stable",
            statement: "rise of the total energy above its start with 1 iteration, as a share of the energy that the \
                exact motion loses",
            bound: Bound::AtMost(0.01),
            kind: Kind::Shape,
        },
    ],
    measure,
};

const COUNTS: [usize; 4] = [1, 10, 100, 1000];

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let curtain = Curtain { cells: size.pick(40, 12), stiffness: 100.0 };
    let steps = size.pick(20, 15);
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "a curtain of {0}×{0} vertices (printed: 81×81), so that the exact animation takes seconds",
        curtain.cells + 1
    ));
    outcome.choose(format!(
        "springs of {} N/m; let go flat, held at two corners; frame {steps} is shown",
        curtain.stiffness
    ));
    let run = |solver: SolverChoice| Motion::of(&mut curtain.simulation(solver)?, steps, |_, _| Ok(()));
    let reference = run(exact().into())?;
    let motions = COUNTS
        .iter()
        .map(|&count| run(ProjectiveParams { start: Start::Inertial, ..ProjectiveParams::plain(count) }.into()))
        .collect::<Result<Vec<_>, _>>()?;

    let distances: Vec<Vec<f64>> = motions.iter().map(|motion| motion.mean_distances(&reference)).collect();
    let compared = Comparison { counts: &COUNTS, motions: &motions, exact: &reference, distances: &distances };
    compared.show(&mut outcome, "Mean distance from the exact motion", "distance [m]");
    let mesh = curtain.sheet().mesh()?;
    let shapes = motions.iter().chain([&reference]).map(Motion::last).collect();
    let row =
        Row { shapes, triangles: vec![&mesh.triangles], turn: 25.0, edges: false, size: [1400, 380], crease: 60.0 };
    outcome.pictures.push(("frame".to_owned(), row.draw()?));

    let overall: Vec<f64> = distances.iter().map(|d| d.iter().sum::<f64>() / d.len() as f64).collect();
    let worst = overall.windows(2).map(|pair| pair[1] / pair[0]).fold(0.0, f64::max);
    outcome.measure(
        "more-is-closer",
        worst,
        format!("means {} m", overall.iter().map(|d| format!("{d:.1e}")).collect::<Vec<_>>().join(", ")),
    );
    let shown: Vec<f64> = distances.iter().map(|d| d[steps] / 2f64.sqrt()).collect();
    let note = format!("1 and 10 iterations: {:.3} and {:.3}", shown[0], shown[1]);
    outcome.measure("hundred", shown[2].max(shown[3]), note);
    let lost = reference.energies[0] - reference.energies[steps];
    let most = motions[0].energies.iter().fold(f64::NEG_INFINITY, |most, e| most.max(*e));
    outcome.measure("stable", (most - motions[0].energies[0]) / lost, "");
    Ok(outcome)
}
