//! Projections as nearest points of sets, in the space of z = A x.

use super::support::{Case, Random, along, cases, dot, length, minus, samples};
use pliant::math::Vec3;

/// Energies whose projection is a step towards what it stands for.
const NOT_IDEMPOTENT: &[&str] = &["example_local", "example_global", "rigid"];
/// Energies whose projection is no nearest point: these, and one that is stationary but need not be the nearest of all.
const NOT_NEAREST: &[&str] = &["example_local", "example_global", "rigid", "hinge"];

/// Calls `check` with each element of each sample of the cases that `applies` to, which are all but these: case, element, z, p, and a name.
fn for_each_projection(
    applies: impl Fn(&Case) -> bool,
    except: &[&str],
    mut check: impl FnMut(&Case, usize, &[Vec3], &[Vec3], &str),
) {
    for case in &cases() {
        // An energy that does not declare a property is not tried for it: none drops out unseen.
        let is_excepted = except.iter().any(|kind| case.name.starts_with(kind));
        assert_eq!(applies(case), !is_excepted, "{}", case.name);
        if !applies(case) {
            continue;
        }
        for sample in samples(&case.rest, 12) {
            let memory = case.projected(&sample.x, &case.fresh());
            for element in 0..case.batch.operator().len() {
                let name = format!("{}, sample {}, element {element}", case.name, sample.label);
                check(case, element, &case.z(element, &sample.x), case.p(element, &memory), &name);
            }
        }
    }
}

#[test]
fn projecting_a_projection_changes_nothing() {
    for_each_projection(
        |case| case.batch.properties().idempotent,
        NOT_IDEMPOTENT,
        |case, element, _, p, name| {
            let (reached, again) = case.project_z(element, p, &case.fresh());
            assert!(
                length(&minus(&reached, p)) < 1e-12 * (1.0 + length(p)),
                "{name}: p = {p:?} is beyond the range of A"
            );
            assert!(length(&minus(&again, p)) < 1e-12 * (1.0 + length(p)), "{name}: p = {p:?} projects to {again:?}");
        },
    );
}

#[test]
fn projection_is_the_nearest_point_of_its_set() {
    for_each_projection(
        |case| case.batch.properties().nearest,
        NOT_NEAREST,
        |case, element, z, p, name| {
            let distance = length(&minus(z, p));
            let random = &mut Random::new(element as u64 + 11);
            for k in 0..24 {
                let size = 10f64.powf(-6.0 + 0.3 * f64::from(k)) * length(p).max(length(z));
                let perturbed = along(p, size, &random.vectors(p.len()));
                let (_, other) = case.project_z(element, &perturbed, &case.fresh());
                let others = length(&minus(z, &other));
                assert!(
                    others >= distance - 1e-12 * (distance + length(z)),
                    "{name}: p = {p:?} at {distance}, but {other:?} at {others} from z = {z:?}"
                );
            }
        },
    );
}

/// Along a path p(ε) = P(p + ε d) in the set, the distance to z does not shrink to first order: ⟨z − p, p'(0)⟩ ≤ 0. On a
/// surface both d and −d leave p along the tangent, so the residual is normal to it; at a limit paths lead only inwards.
#[test]
fn residual_has_no_component_along_the_set() {
    for_each_projection(
        |case| case.batch.properties().nearest,
        NOT_NEAREST,
        |case, element, z, p, name| {
            let residual = minus(z, p);
            if length(&residual) < 1e-12 * length(z) {
                return; // z is in the set: the residual is rounding.
            }
            let random = &mut Random::new(element as u64 + 5);
            for _ in 0..4 {
                let direction = random.vectors(p.len());
                for signed in [1.0, -1.0] {
                    // Extrapolated, so that the curvature of the set drops out.
                    let slope = |step: f64| {
                        let (_, q) = case.project_z(element, &along(p, signed * step, &direction), &case.fresh());
                        dot(&residual, &minus(&q, p)) / step
                    };
                    let step = 1e-6 * length(z);
                    let derivative = 2.0 * slope(0.5 * step) - slope(step);
                    // A small residual is a difference of large numbers: its own rounding comes on top.
                    let bound = (1e-8 * length(&residual) + 1e-15 * length(z)) * length(&direction);
                    assert!(derivative <= bound, "{name}: slope {derivative:e} towards z, of at most {bound:e}");
                }
            }
        },
    );
}
