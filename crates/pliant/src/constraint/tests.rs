//! Truths of all constraints: gradients, invariance, one visit.

use super::*;
use crate::energy::EnergyError;
use crate::math::{Mat3, Quat};

/// Points of an irregular tet, and moved ones.
const REST: [Vec3; 4] = [Vec3::ZERO, Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 0.9, 0.1), Vec3::new(0.1, 0.2, 1.1)];
const BENT: [Vec3; 4] =
    [Vec3::new(0.1, 0.0, -0.1), Vec3::new(1.2, 0.0, 0.1), Vec3::new(0.3, 1.1, -0.1), Vec3::new(-0.1, 0.3, 0.8)];

/// Gradient by differences, no force and no torque, and value at rest.
fn check<C: Constraint<N>, const N: usize>(constraint: &C, x: [Vec3; N], at_rest: Option<[Vec3; N]>) {
    for row in 0..C::ROWS {
        let (value, gradient) = constraint.evaluate(row, &x).expect("a value");
        let e = 1e-6;
        for i in 0..N {
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                let at = |step: f64| {
                    let mut moved = x;
                    moved[i] += axis * step;
                    constraint.evaluate(row, &moved).expect("a value").0
                };
                let slope = (at(e) - at(-e)) / (2.0 * e);
                let found = gradient[i].dot(axis);
                assert!((slope - found).abs() < 1e-7, "{} row {row} corner {i}: {found} for {slope}", C::KIND);
            }
        }
        let force: Vec3 = gradient.iter().sum();
        let torque: Vec3 = x.iter().zip(&gradient).map(|(x, g)| x.cross(*g)).sum();
        assert!(force.length() < 1e-12 && torque.length() < 1e-12, "{}: {force}, {torque}", C::KIND);
        let (turn, shift) = (Mat3::from_quat(Quat::from_rotation_y(0.7)), Vec3::new(3.0, -1.0, 2.0));
        let moved = x.map(|x| turn * x + shift);
        assert!((constraint.evaluate(row, &moved).expect("a value").0 - value).abs() < 1e-12, "{} turned", C::KIND);
        if let Some(rest) = at_rest {
            let value = constraint.evaluate(row, &rest).expect("a value").0;
            assert!(value.abs() < 1e-12, "{} row {row} at rest: {value}", C::KIND);
        }
    }
}

fn only<C: Constraint<N> + Copy, const N: usize>(set: Result<ConstraintSet<C, N>, EnergyError>) -> C {
    set.expect("a set").constraints()[0]
}

#[test]
fn gradients_agree_with_differences_and_have_no_force_and_no_torque() {
    let [a, b, c, _] = BENT;
    let pair = Distance::at_rest(&[[0, 1]], &REST, Allowed::Exactly, 0.0);
    check(&only(pair), [a, b], Some([REST[0], REST[1]]));
    check(&only(Distance::at_rest(&[[0, 1]], &REST, Allowed::AtMost, 0.0)), [a, b], None);
    check(&only(Dihedral::at_rest(&[[0, 1, 2, 3]], &REST, 0.0)), BENT, Some(REST));
    let flat = [Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.8, 0.0), Vec3::new(0.6, -0.7, 0.0)];
    check(&only(IsometricBending::at_rest(&[[0, 1, 2, 3]], &flat, 0.0)), BENT, Some(flat));
    let triangle = [REST[0], REST[1], REST[2]];
    check(&only(TriangleAreaConstraint::at_rest(&[[0, 1, 2]], &REST, 0.0)), [a, b, c], Some(triangle));
    check(&only(TriangleStrainConstraint::at_rest(&[[0, 1, 2]], &REST, 0.0)), [a, b, c], Some(triangle));
    check(&only(TetVolumeConstraint::at_rest(&[[0, 1, 2, 3]], &REST, 0.0)), BENT, Some(REST));
    check(&only(TetStrainConstraint::at_rest(&[[0, 1, 2, 3]], &REST, 0.0)), BENT, Some(REST));
    check(&PointTriangle { thickness: 0.1, side: Side::Front }, BENT, None);
    check(&PointTriangle { thickness: 0.1, side: Side::Back }, BENT, None);
}

/// One visit of the first element, all masses 1 but the first corner's.
fn visit(batch: &dyn ConstraintBatch, x: &mut [Vec3], share: f64) {
    let mut inverse_masses = vec![1.0; x.len()];
    inverse_masses[0] = 0.5;
    let mut multipliers = vec![0.0; batch.rows()];
    let mut block = Block {
        elements: &[0],
        corners: x,
        before: &[],
        inverse_masses: &inverse_masses,
        multipliers: &mut multipliers,
    };
    batch.correct(&mut block, &Rule::Share(share));
}

#[test]
fn a_distance_divides_the_way_by_inverse_masses() {
    let set = ConstraintSet::new([([0, 1], Distance { length: 1.0, allowed: Allowed::Exactly }, 0.0)]).expect("a set");
    let mut x = [Vec3::ZERO, Vec3::X * 1.3];
    visit(&set, &mut x, 1.0);
    assert!((x[0].x - 0.1).abs() < 1e-15 && (x[1].x - 1.1).abs() < 1e-15, "{x:?}");
}

#[test]
fn a_balloon_without_overpressure_stays_static_and_reaches_its_volume_with_it() {
    let ball = crate::mesh::generate::Icosphere { radius: 0.5, subdivisions: 2 }.mesh().expect("a ball");
    let still = Balloon::new(&ball, 1.0, 0.0).expect("a balloon");
    let mut x = ball.positions.clone();
    visit(&still, &mut x, 1.0);
    let moved = x.iter().zip(&ball.positions).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    assert!(moved < 1e-15, "{moved}");
    let full = Balloon::new(&ball, 2.0, 0.0).expect("a balloon");
    (0..20).for_each(|_| visit(&full, &mut x, 1.0));
    let volume = |x: &[Vec3]| {
        let product = |t: &[u32; 3]| x[t[0] as usize].dot(x[t[1] as usize].cross(x[t[2] as usize]));
        ball.triangles.iter().map(product).sum::<f64>() / 6.0
    };
    let ratio = volume(&x) / volume(&ball.positions);
    assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
}

#[test]
fn a_volume_turns_an_inverted_tet_back() {
    let set = TetVolumeConstraint::at_rest(&[[0, 1, 2, 3]], &REST, 0.0).expect("a set");
    let mut x = REST;
    x[3].z = -0.5;
    (0..50).for_each(|_| visit(&set, &mut x, 1.0));
    let value = set.constraints()[0].evaluate(0, &x).expect("a value").0;
    assert!(value.abs() < 1e-12, "{value}");
}

#[test]
fn a_point_comes_back_to_its_side_of_a_triangle_and_is_free_beyond_the_thickness() {
    let x = [Vec3::new(0.2, 0.05, 0.2), Vec3::ZERO, Vec3::Z, Vec3::X];
    let constraint = PointTriangle::where_it_is(0.1, &x);
    assert_eq!(constraint.side, Side::Front);
    let set = ConstraintSet::new([([0, 1, 2, 3], constraint, 0.0)]).expect("a set");
    let mut through = x;
    through[0].y = -0.3;
    (0..30).for_each(|_| visit(&set, &mut through, 1.0));
    assert!(constraint.evaluate(0, &through).expect("a value").0.abs() < 1e-9);
    let mut away = x;
    away[0].y = 0.2;
    let before = away;
    visit(&set, &mut away, 1.0);
    assert_eq!(away, before);
}

#[test]
fn a_shape_returns_in_one_visit_with_its_momentum_and_angular_momentum() {
    let set = ShapeMatching::at_rest(&[vec![0, 1, 2, 3]], &REST, 0.0).expect("a set");
    let mut x = BENT;
    visit(&set, &mut x, 1.0);
    for i in 0..4 {
        for j in 0..i {
            assert!((x[i].distance(x[j]) - REST[i].distance(REST[j])).abs() < 1e-12);
        }
    }
    let mass = |i: usize| if i == 0 { 2.0 } else { 1.0 };
    let momentum: Vec3 = (0..4).map(|i| (x[i] - BENT[i]) * mass(i)).sum();
    // Moved from the mean of both, the angular momentum of the movement about the centre is 0 where the goals fit best.
    let centre = (0..4).map(|i| x[i] * mass(i)).sum::<Vec3>() / 5.0;
    let angular: Vec3 = (0..4).map(|i| (x[i] - centre).cross(x[i] - BENT[i]) * mass(i)).sum();
    assert!(momentum.length() < 1e-12 && angular.length() < 1e-12, "{momentum} {angular}");
}

#[test]
fn bad_constraints_are_refused_with_their_place_and_value() {
    let twice = Distance::at_rest(&[[0, 1], [2, 2]], &REST, Allowed::Exactly, 0.0).expect_err("a vertex twice");
    assert!(matches!(twice, EnergyError::RepeatedVertex { element: 1, vertex: 2, .. }), "{twice}");
    let negative = Distance::at_rest(&[[0, 1]], &REST, Allowed::Exactly, -1.0).expect_err("a negative compliance");
    assert_eq!(negative.to_string(), "distance 0: compliance is -1, but must be finite and at least 0");
    let missing = TetVolumeConstraint::at_rest(&[[0, 1, 2, 9]], &REST, 0.0).expect_err("no vertex 9");
    assert!(missing.to_string().contains("vertex 9"), "{missing}");
    let flat = TriangleStrainConstraint::at_rest(&[[0, 1, 2]], &[Vec3::ZERO, Vec3::X, Vec3::X * 2.0], 0.0);
    assert!(matches!(flat, Err(EnergyError::Degenerate { element: 0, .. })));
    let hollow = crate::mesh::generate::Icosphere { radius: 1.0, subdivisions: 1 }.mesh().expect("a ball");
    let inward = crate::mesh::TriangleMesh {
        triangles: hollow.triangles.iter().map(|t| [t[0], t[2], t[1]]).collect(),
        ..hollow
    };
    assert!(matches!(Balloon::new(&inward, 1.0, 0.0), Err(EnergyError::Degenerate { .. })));
}
