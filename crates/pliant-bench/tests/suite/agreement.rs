//! All methods compute the same, on bodies small enough for a dense solve. Speed is measured by the command, and asserted nowhere.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use pliant::math::{Mat3, Vec3, diagonal};
use pliant_bench::equal_time::{self, Frames, Hanging};
use pliant_bench::ours::{self, Factor};
use pliant_bench::peers::{self, largest_difference};
use pliant_bench::problem::{Elements, GRAVITY, ITERATIONS, Problem, System, TIME_STEP};
use pliant_bench::timing::Effort;

fn problems() -> [Problem; 3] {
    [
        Problem::cloth("small cloth", 9).unwrap(),
        Problem::bar("small bar", 3, 7).unwrap(),
        Problem::bar_of_poisson_ratio("small bar of ν = 0.4", 3, 7, 0.4).unwrap(),
    ]
}

fn effort() -> Effort {
    Effort { rounds: 1, at_least: Duration::ZERO, turn: Duration::ZERO }
}

/// The full matrix, row by row.
fn dense(system: &System) -> Vec<Vec<f64>> {
    let pattern = system.matrix.pattern();
    let n = pattern.size();
    let mut matrix = vec![vec![0.0; n]; n];
    for j in 0..n {
        for k in pattern.column(j) {
            let i = pattern.rows()[k] as usize;
            (matrix[i][j], matrix[j][i]) = (system.matrix.values()[k], system.matrix.values()[k]);
        }
    }
    matrix
}

/// Gaussian elimination; a positive definite matrix needs no pivoting.
fn dense_solve(matrix: &[Vec<f64>], rhs: &[Vec3]) -> Vec<Vec3> {
    let n = rhs.len();
    let (mut a, mut x) = (matrix.to_vec(), rhs.to_vec());
    for k in 0..n {
        let pivot_row = a[k].clone();
        for i in k + 1..n {
            let factor = a[i][k] / pivot_row[k];
            (k..n).for_each(|j| a[i][j] -= factor * pivot_row[j]);
            let above = x[k];
            x[i] -= above * factor;
        }
    }
    for k in (0..n).rev() {
        let known = (k + 1..n).fold(Vec3::ZERO, |sum, j| sum + x[j] * a[k][j]);
        x[k] = (x[k] - known) / a[k][k];
    }
    x
}

/// The rotation nearest to a matrix of positive determinant, by averaging it with its inverse transpose.
fn rotation_by_averaging(mut f: Mat3) -> Mat3 {
    for _ in 0..60 {
        f = (f + f.inverse().transpose()) * 0.5;
    }
    f
}

/// The matrix of determinant 1 nearest to one that is near to it already: p = F + μ cof p with the constraint linearised at the last p, until
/// it stays.
fn unit_volume_by_linearising(f: Mat3) -> Mat3 {
    let inner = |a: Mat3, b: Mat3| a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis);
    let mut p = f;
    for _ in 0..200 {
        let cofactors = p.inverse().transpose() * p.determinant();
        let mu = (1.0 - p.determinant() - inner(cofactors, f - p)) / inner(cofactors, cofactors);
        p = f + cofactors * mu;
    }
    p
}

/// Frames by the papers' algorithm, dense: M/h² s + Σ w Aᵀ p on the right, all vertices solved for at once.
fn dense_frames(problem: &Problem, frames: usize) -> Vec<Vec3> {
    let system = problem.system();
    let matrix = dense(&system);
    let pull = problem.pull_of_pins(&system);
    let mut x = problem.rest.clone();
    let mut v = vec![Vec3::ZERO; x.len()];
    for _ in 0..frames {
        let before = x.clone();
        for &i in &system.free {
            let i = i as usize;
            x[i] += v[i] * TIME_STEP + Vec3::new(0.0, GRAVITY, 0.0) * (TIME_STEP * TIME_STEP);
        }
        let target = x.clone();
        for _ in 0..ITERATIONS {
            let mut force: Vec<Vec3> =
                target.iter().zip(&problem.masses).map(|(s, m)| *s * (m / (TIME_STEP * TIME_STEP))).collect();
            match &problem.elements {
                Elements::Springs { edges, rest_lengths, stiffness, .. } => {
                    for (&[a, b], rest) in edges.iter().zip(rest_lengths) {
                        let (a, b) = (a as usize, b as usize);
                        let pull = (x[b] - x[a]).normalize() * (stiffness * rest);
                        force[a] -= pull;
                        force[b] += pull;
                    }
                }
                Elements::Tets { tets, gradients, weights, volume_weights, .. } => {
                    let weights = weights.iter().zip(volume_weights);
                    for ((tet, gradient), (weight, volume_weight)) in tets.iter().zip(gradients).zip(weights) {
                        let columns = [0, 1, 2]
                            .map(|axis| (0..4).fold(Vec3::ZERO, |sum, c| sum + x[tet[c] as usize] * gradient[c][axis]));
                        let deformation = Mat3::from_cols(columns[0], columns[1], columns[2]);
                        let target = rotation_by_averaging(deformation) * *weight
                            + unit_volume_by_linearising(deformation) * *volume_weight;
                        (0..4).for_each(|c| force[tet[c] as usize] += target * gradient[c]);
                    }
                }
            }
            let rhs: Vec<Vec3> = system.free.iter().zip(&pull).map(|(&i, pull)| force[i as usize] + *pull).collect();
            let solution = dense_solve(&matrix, &rhs);
            system.free.iter().zip(solution).for_each(|(&i, solved)| x[i as usize] = solved);
        }
        v = x.iter().zip(&before).map(|(now, before)| (*now - *before) / TIME_STEP).collect();
    }
    x
}

#[test]
fn a_solve_is_that_of_the_dense_matrix() {
    for problem in problems() {
        let system = problem.system();
        let rhs = system.right_hand_side();
        let exact = dense_solve(&dense(&system), &rhs);
        let size = exact.iter().fold(0.0_f64, |most, x| most.max(x.length()));
        for variant in ours::variants() {
            let (mut factor, phases) = Factor::new(&system, &variant).unwrap();
            assert_eq!(phases.len(), ours::SETUP_PHASES.len());
            let mut x = rhs.clone();
            factor.solve(&mut x);
            let off = largest_difference(&exact, &x) / size;
            let allowed = 10f64.powi(-(variant.digits as i32));
            assert!(off < allowed, "{} on the {}: {off:.1e}, allowed {allowed:.0e}", variant.name, problem.name);
        }
    }
}

#[test]
fn frames_are_those_of_the_papers_algorithm_done_densely() {
    for problem in problems() {
        let exact = dense_frames(&problem, 4);
        let fallen = largest_difference(&exact, &problem.rest) / diagonal(&problem.rest);
        assert!(fallen > 1e-3, "the {} moves, or nothing is compared: {fallen:.1e}", problem.name);
        for variant in ours::variants() {
            let mut simulation = ours::simulation(&problem, &variant).unwrap();
            (0..4).for_each(|_| drop(simulation.step().unwrap()));
            let off = largest_difference(&exact, simulation.positions()) / diagonal(&problem.rest);
            let allowed = 10f64.powi(-(variant.digits as i32));
            assert!(off < allowed, "{} on the {}: {off:.1e}, allowed {allowed:.0e}", variant.name, problem.name);
        }
    }
}

#[test]
fn all_methods_of_a_measurement_agree() {
    for problem in problems() {
        let found = peers::measure(&problem, effort()).unwrap();
        let digits = |name: &str| ours::variants().iter().find(|variant| variant.name == name).map_or(9, |v| v.digits);
        let methods = if cfg!(feature = "reference") { 3 } else { 0 } + ours::variants().len();
        assert_eq!(found.methods.iter().filter(|method| method.solve.is_some()).count(), methods);
        // Differences are from the first method, so that one's digits count too.
        let first = digits(&found.methods[0].name);
        for method in &found.methods {
            let allowed = 10f64.powi(-(digits(&method.name).min(first) as i32));
            for off in [method.solve_difference, method.frame_difference].into_iter().flatten() {
                assert!(off < allowed, "{} on the {}: {off:.1e}, allowed {allowed:.0e}", method.name, problem.name);
            }
        }
    }
}

/// A cut across one column is crossed by one spring of the grid (force k·d·ε at strain ε) and two over two cells (k·2d·ε each):
/// 5 k in all. The diagonals, all in one direction, carry nothing: the cloth shears until they have their length. Tension falls
/// from ρ·g·L at the top to nothing at the bottom, and half of the springs along the grid are level.
#[test]
fn a_hanging_cloth_at_rest_stretches_as_its_weight_and_springs_say() {
    let mean_tension = 0.2 * 9.81 / 2.0;
    let expected = 100.0 * 0.5 * mean_tension / (5.0 * 100.0);
    let stretch = Hanging::cloth(33).unwrap().exact().unwrap();
    // Springs over two cells are missing at the edges, and the upper edge cannot shear.
    assert!((stretch / expected - 1.0).abs() < 0.05, "{stretch} % against {expected} %");
}

#[test]
fn engines_at_equal_time_are_measured_against_one_truth() {
    for hanging in [Hanging::cloth(7).unwrap(), Hanging::bar(3, 5).unwrap()] {
        let found = equal_time::measure(&hanging, Frames { settle: 240, average: 30 }, effort()).unwrap();
        assert!(found.engines.len() >= 2);
        for engine in found.engines.iter().filter(|engine| engine.name.starts_with("Pliant")) {
            let off = (engine.value / found.exact - 1.0).abs();
            assert!(off < 0.1, "{} on the {}: {} against {}", engine.name, found.problem, engine.value, found.exact);
        }
    }
}

#[cfg(feature = "reference")]
#[test]
fn a_sweep_of_position_based_dynamics_brings_springs_nearer_to_their_lengths() {
    use pliant_bench::loops::{LoopBody, LoopRule};
    use pliant_bench::reference::PbdBody;

    assert!(LoopBody::of_springs(&Problem::bar("bar", 3, 4).unwrap()).is_none());
    let problem = Problem::cloth("cloth", 9).unwrap();
    let Elements::Springs { edges, rest_lengths, .. } = &problem.elements else { panic!("a cloth has springs") };
    let mut springs = PbdBody::<f32>::new(&LoopBody::of_springs(&problem).unwrap(), LoopRule::Classic);
    let largest_strain = |x: &[Vec3]| {
        let strains = edges.iter().zip(rest_lengths);
        strains
            .fold(0.0_f64, |most, (&[a, b], rest)| most.max((x[a as usize].distance(x[b as usize]) / rest - 1.0).abs()))
    };
    let before = largest_strain(&springs.positions());
    (0..50).for_each(|_| springs.iterate());
    let after = largest_strain(&springs.positions());
    assert!(before > 0.0 && after < 0.5 * before, "{before} to {after}");
    springs.reset();
    assert_eq!(largest_strain(&springs.positions()), before);
}

/// Constraints that share no vertex can be solved in any order: both must then move everything to the same places.
#[cfg(feature = "reference")]
#[test]
fn loops_in_cpp_and_the_engine_move_separate_constraints_to_the_same_places() {
    use pliant_bench::loops::{LoopBody, LoopKind, LoopRule};
    use pliant_bench::reference::PbdBody;

    for kind in LoopKind::ALL {
        for rule in [LoopRule::Classic, LoopRule::Compliant] {
            let body = LoopBody::separate(kind, 101).unwrap();
            let mut theirs = PbdBody::<f64>::new(&body, rule);
            (0..ITERATIONS).for_each(|_| theirs.iterate());
            let mut simulation = body.simulation(rule, 1).unwrap();
            simulation.step().unwrap();
            let moved = largest_difference(&body.start, &theirs.positions());
            let apart = largest_difference(simulation.positions(), &theirs.positions());
            // Positions of some hundred metres are rounded to 6e-14; the softest hinges move by 1e-5.
            assert!(moved > 1e-6 && apart < 1e-7 * moved, "{kind:?} {rule:?}: moved by {moved}, apart by {apart}");
        }
    }
}

/// The same model, or there would be no sense in comparing: many substeps bring rapier near the same rest.
#[cfg(feature = "rapier")]
#[test]
fn rapier_comes_to_rest_at_the_same_place_when_given_time() {
    use pliant_bench::rapier::RapierBody;

    for (hanging, allowed) in [(Hanging::cloth(9).unwrap(), 0.05), (Hanging::bar(3, 5).unwrap(), 0.1)] {
        let exact = hanging.exact().unwrap();
        let mut body = RapierBody::new(hanging.problem(), 40, 1).unwrap();
        (0..400).for_each(|_| body.frame());
        let off = hanging.value(&body.positions()) / exact - 1.0;
        assert!(off.abs() < allowed, "{}: {:.1} % off {exact}", hanging.problem().name, 100.0 * off);
    }
}

/// The same block by the engine and by C++: where it goes in twenty steps.
#[cfg(feature = "reference")]
#[test]
fn shape_matching_moves_a_block_as_the_reference_does() {
    use pliant_bench::matching::MatchedBody;
    for body in [MatchedBody::clusters(6).unwrap(), MatchedBody::cubes(6, 1, false).unwrap()] {
        let mut sim = body.simulation(2).unwrap();
        (0..20).for_each(|_| drop(sim.step().unwrap()));
        let moved = sim.positions().iter().zip(&body.start).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
        assert!(moved > 1e-3, "{}: it moves by {moved} m", body.name);
        let mut eigen = pliant_bench::reference::EigenMatching::new(&body);
        (0..20).for_each(|_| eigen.frame());
        let apart =
            eigen.positions().iter().zip(sim.positions()).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
        assert!(apart < 1e-9, "{}: {apart} m", body.name);
    }
}
