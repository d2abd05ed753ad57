//! Bad data is refused with the element and the value.

use pliant::energy::{
    AverageGoals, Batch, EdgeSprings, EnergyError, ExampleBased, ExampleWeights, HalfSpace, HingeBending,
    HingeStiffness, MeanCurvatureBending, Metric, PositionGoals, SpringStiffness, StrainSet, TetStrain, TetVolume,
    TriangleArea, TriangleStrain,
};
use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;

const CORNERS: [Vec3; 5] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::NAN];

/// The message of a refusal.
fn refusal(result: Result<Box<dyn Batch>, EnergyError>) -> String {
    match result {
        Ok(batch) => panic!("{} was accepted", batch.kind()),
        Err(error) => error.to_string(),
    }
}

fn assert_says(result: Result<Box<dyn Batch>, EnergyError>, parts: &[&str]) {
    let message = refusal(result);
    for part in parts {
        assert!(message.contains(part), "{message:?} does not say {part:?}");
    }
}

/// A first average that is in order, and a second one.
fn averages(second: &[(u32, f64)]) -> Result<Box<dyn Batch>, EnergyError> {
    let averages = vec![vec![(0, 0.5), (1, 0.5)], second.to_vec()];
    AverageGoals { averages, goals: None, stiffness: 1.0 }.build(&CORNERS)
}

fn triangles(list: &[[u32; 3]], rest: &[Vec3]) -> [Result<Box<dyn Batch>, EnergyError>; 2] {
    let triangles = list.to_vec();
    [
        TriangleStrain { triangles: triangles.clone(), stiffness: 1.0, set: StrainSet::Rotation }.build(rest),
        TriangleArea { triangles, stiffness: 1.0, bounds: [1.0, 1.0] }.build(rest),
    ]
}

fn tets(list: &[[u32; 4]], rest: &[Vec3]) -> [Result<Box<dyn Batch>, EnergyError>; 3] {
    let (tets, examples) = (list.to_vec(), vec![rest.to_vec()]);
    [
        TetStrain { tets: tets.clone(), stiffness: 1.0, set: StrainSet::Rotation }.build(rest),
        TetVolume { tets: tets.clone(), stiffness: 1.0, bounds: [1.0, 1.0] }.build(rest),
        ExampleBased { tets, examples, stiffness: 1.0, weights: ExampleWeights::Local }.build(rest),
    ]
}

fn springs(change: impl FnOnce(&mut EdgeSprings)) -> Result<Box<dyn Batch>, EnergyError> {
    let mut springs = EdgeSprings::new(vec![[0, 1], [1, 2]], SpringStiffness::Uniform(1.0));
    change(&mut springs);
    springs.build(&CORNERS)
}

fn hinges(change: impl FnOnce(&mut HingeBending)) -> Result<Box<dyn Batch>, EnergyError> {
    let mut hinges = HingeBending::new(vec![[0, 1, 2, 3]], HingeStiffness::Plate(1.0));
    change(&mut hinges);
    hinges.build(&CORNERS)
}

#[test]
fn flat_triangles_and_flat_or_inverted_tets_are_refused_by_number_and_measure() {
    let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, 2.0 * Vec3::X, Vec3::new(1.0, 1.0, 0.0)];
    for result in triangles(&[[0, 1, 2], [0, 1, 4]], &rest) {
        assert_says(result, &[" 1 is degenerate", "height over longest edge 0e0"]);
    }
    for result in tets(&[[0, 1, 2, 3], [0, 1, 2, 5]], &rest) {
        assert_says(result, &[" 1 is degenerate", "volume over longest edge cubed 0e0"]);
    }
    for result in tets(&[[0, 1, 2, 3], [0, 2, 1, 3]], &rest) {
        assert_says(result, &[" 1 is degenerate", "inverted", "-5.89"]);
    }
    assert_says(
        HingeBending::new(vec![[0, 1, 2, 4]], HingeStiffness::Plate(1.0)).build(&rest),
        &["hinge 0 is degenerate", "height over longest edge 0e0"],
    );
    let flat = TriangleMesh { positions: rest.to_vec(), triangles: vec![[0, 1, 4]] };
    assert_says(MeanCurvatureBending { stiffness: 1.0 }.build(&flat), &["triangle 0 is degenerate"]);
}

#[test]
fn positions_that_are_not_numbers_are_refused_by_element() {
    let says = &[" 1: rest position is NaN, but must be finite"];
    triangles(&[[0, 1, 2], [1, 2, 4]], &CORNERS).into_iter().for_each(|result| assert_says(result, says));
    tets(&[[0, 1, 2, 3], [1, 2, 3, 4]], &CORNERS).into_iter().for_each(|result| assert_says(result, says));
    assert_says(springs(|s| s.edges = vec![[0, 1], [4, 1]]), says);
    assert_says(hinges(|h| h.hinges.push([0, 1, 2, 4])), says);
    let goal = |vertices, goals| PositionGoals { vertices, goals, stiffness: 1.0 }.build(&CORNERS);
    assert_says(goal(vec![0, 4], None), says);
    assert_says(goal(vec![0, 1], Some(vec![Vec3::ZERO, Vec3::INFINITY])), &["position 1: goal is inf"]);
    assert_says(averages(&[(0, 0.5), (4, 0.5)]), says);
    let plane = HalfSpace { vertices: vec![0, 4], point: Vec3::ZERO, normal: Vec3::Y, stiffness: 1.0 };
    assert_says(plane.build(&CORNERS), says);
}

#[test]
fn vertices_that_are_missing_or_repeated_are_refused_by_number() {
    let missing = &[" 1 uses vertex 7, but there are only 5 vertices"];
    triangles(&[[0, 1, 2], [1, 2, 7]], &CORNERS).into_iter().for_each(|result| assert_says(result, missing));
    tets(&[[0, 1, 2, 3], [1, 2, 3, 7]], &CORNERS).into_iter().for_each(|result| assert_says(result, missing));
    assert_says(springs(|s| s.edges = vec![[0, 1], [7, 1]]), missing);
    assert_says(hinges(|h| h.hinges.push([0, 1, 2, 7])), missing);
    assert_says(averages(&[(0, 0.5), (7, 0.5)]), missing);
    let repeated = &[" 1 uses vertex 2 twice"];
    triangles(&[[0, 1, 2], [2, 1, 2]], &CORNERS).into_iter().for_each(|result| assert_says(result, repeated));
    tets(&[[0, 1, 2, 3], [1, 2, 3, 2]], &CORNERS).into_iter().for_each(|result| assert_says(result, repeated));
    assert_says(springs(|s| s.edges = vec![[0, 1], [2, 2]]), repeated);
    assert_says(hinges(|h| h.hinges.push([2, 1, 0, 2])), repeated);
    assert_says(averages(&[(2, 0.5), (2, 0.5)]), repeated);
}

#[test]
fn weights_that_are_not_those_of_an_average_are_refused_by_their_sum() {
    assert_says(averages(&[]), &["average 1: number of vertices is 0, but must be at least 1"]);
    assert_says(averages(&[(0, 0.5), (1, 0.25)]), &["average 1: sum of weights is 0.75, but must be 1"]);
    assert_says(averages(&[(0, f64::NAN), (1, 1.0)]), &["average 1: sum of weights is NaN, but must be 1"]);
    let goals = Some(vec![Vec3::ZERO; 2]);
    let one = AverageGoals { averages: vec![vec![(0, 1.0)]], goals, stiffness: 1.0 }.build(&CORNERS);
    assert_says(one, &["average: goals has 2 entries, but 1 are needed"]);
}

#[test]
fn negative_or_undefined_stiffness_is_refused_by_value() {
    for bad in [-2.5, f64::NAN, f64::INFINITY] {
        let says = &[&format!("stiffness is {bad}, but must be")[..]];
        let set = StrainSet::Rotation;
        assert_says(TriangleStrain { triangles: vec![], stiffness: bad, set }.build(&CORNERS), says);
        assert_says(TriangleArea { triangles: vec![], stiffness: bad, bounds: [1.0; 2] }.build(&CORNERS), says);
        assert_says(TetStrain { tets: vec![], stiffness: bad, set: StrainSet::Rotation }.build(&CORNERS), says);
        assert_says(TetVolume { tets: vec![], stiffness: bad, bounds: [1.0; 2] }.build(&CORNERS), says);
        let (examples, weights) = (vec![CORNERS.to_vec()], ExampleWeights::Global);
        assert_says(ExampleBased { tets: vec![], examples, stiffness: bad, weights }.build(&CORNERS), says);
        assert_says(springs(|s| s.stiffness = SpringStiffness::Uniform(bad)), says);
        assert_says(springs(|s| s.stiffness = SpringStiffness::Axial(bad)), says);
        let per_edge = SpringStiffness::PerEdge(vec![1.0, bad]);
        assert_says(springs(|s| s.stiffness = per_edge), &["edge_spring 1", says[0]]);
        assert_says(hinges(|h| h.stiffness = HingeStiffness::Plate(bad)), says);
        assert_says(hinges(|h| h.stiffness = HingeStiffness::Uniform(bad)), says);
        let mesh = TriangleMesh { positions: vec![], triangles: vec![] };
        assert_says(MeanCurvatureBending { stiffness: bad }.build(&mesh), says);
        assert_says(PositionGoals { vertices: vec![], goals: None, stiffness: bad }.build(&CORNERS), says);
        assert_says(AverageGoals { averages: vec![], goals: None, stiffness: bad }.build(&CORNERS), says);
        let plane = HalfSpace { vertices: vec![], point: Vec3::ZERO, normal: Vec3::Y, stiffness: bad };
        assert_says(plane.build(&CORNERS), says);
    }
}

#[test]
fn limits_that_exclude_everything_are_refused_by_value() {
    for ([min, max], says) in [
        ([-0.1, 1.0], "lower limit is -0.1"),
        ([f64::NAN, 1.0], "lower limit is NaN"),
        ([1.2, 1.1], "upper limit is 1.1"),
        ([0.0, 0.0], "upper limit is 0"),
        ([1.0, f64::NAN], "upper limit is NaN"),
    ] {
        assert_says(springs(|s| s.limits = [min, max]), &[says]);
        let strain = |set| TriangleStrain { triangles: vec![], stiffness: 1.0, set }.build(&CORNERS);
        assert_says(strain(StrainSet::Limits { min, max }), &[says]);
        let limits = [[1.0, 1.0], [min, max]];
        assert_says(strain(StrainSet::Fibres { direction: Vec3::X, limits }), &[says]);
        assert_says(
            TetStrain { tets: vec![], stiffness: 1.0, set: StrainSet::Limits { min, max } }.build(&CORNERS),
            &[says],
        );
        assert_says(TriangleArea { triangles: vec![], stiffness: 1.0, bounds: [min, max] }.build(&CORNERS), &[says]);
        assert_says(TetVolume { tets: vec![], stiffness: 1.0, bounds: [min, max] }.build(&CORNERS), &[says]);
    }
    // A set of volumes with zero in it would let a tet vanish.
    let vanishing = TetVolume { tets: vec![], stiffness: 1.0, bounds: [0.0, 1.0] };
    assert_says(vanishing.build(&CORNERS), &["lower limit is 0, but must be positive"]);
}

#[test]
fn directions_angles_and_masses_out_of_range_are_refused_by_value() {
    let limits = [[1.0, 1.0]; 2];
    let fibres = |direction, triangles| {
        TriangleStrain { triangles, stiffness: 1.0, set: StrainSet::Fibres { direction, limits } }.build(&CORNERS)
    };
    assert_says(fibres(Vec3::ZERO, vec![]), &["length of the fibre direction is 0"]);
    assert_says(fibres(Vec3::Z, vec![[0, 1, 3], [0, 1, 2]]), &["triangle_strain 1", "fibre in the plane"]);
    assert_says(hinges(|h| h.rest_angle = Some(4.0)), &["rest angle is 4"]);
    let masses = vec![1.0, 1.0, -2.0, 1.0, 1.0];
    assert_says(hinges(|h| h.metric = Metric::Mass(masses.clone())), &["hinge: the mass of vertex 2 is -2 kg"]);
    assert_says(springs(|s| s.metric = Metric::Mass(masses)), &["edge_spring: the mass of vertex 2 is -2 kg"]);
    assert_says(hinges(|h| h.metric = Metric::Mass(vec![1.0])), &["masses has 1 entries, but 5"]);
    assert_says(springs(|s| s.metric = Metric::Mass(vec![1.0])), &["masses has 1 entries, but 5"]);
    assert_says(springs(|s| s.rest_lengths = Some(vec![1.0, -3.0])), &["edge_spring 1: rest length is -3"]);
    assert_says(springs(|s| s.rest_lengths = Some(vec![1.0])), &["rest_lengths has 1 entries, but 2"]);
    let plane = HalfSpace { vertices: vec![], point: Vec3::ZERO, normal: Vec3::ZERO, stiffness: 1.0 };
    assert_says(plane.build(&CORNERS), &["length of the normal is 0"]);
    let none = ExampleBased { tets: vec![], examples: vec![], stiffness: 1.0, weights: ExampleWeights::Local };
    assert_says(none.build(&CORNERS), &["number of examples is 0"]);
}
