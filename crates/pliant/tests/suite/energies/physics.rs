//! What each energy claims about the world, without a solver.

use std::f64::consts::{FRAC_PI_6, PI};

use super::support::{Case, Random, assert_close};
use pliant::energy::{
    AverageGoals, Batch, EdgeSprings, ExampleBased, ExampleWeights, HalfSpace, HingeBending, HingeStiffness,
    MeanCurvatureBending, Metric, PositionGoals, SpringStiffness, StrainSet, TetStrain, TetVolume, TriangleArea,
    TriangleStrain,
};
use pliant::math::{Mat3, Vec3};
use pliant::mesh::generate::{Diagonals, Sheet, TetBox};
use pliant::mesh::{TetMesh, TriangleMesh};

/// Energy of a batch at positions, projected afresh [J].
fn energy(batch: Box<dyn Batch>, x: &[Vec3]) -> f64 {
    let case = Case { name: batch.kind().into(), batch, rest: x.to_vec() };
    case.energy(x, &case.fresh())
}

fn deformed(rest: &[Vec3], f: Mat3) -> Vec<Vec3> {
    rest.iter().map(|p| f * *p).collect()
}

fn stretch(x: f64, y: f64, z: f64) -> Mat3 {
    Mat3::from_diagonal(Vec3::new(x, y, z))
}

fn sheet() -> TriangleMesh {
    Sheet { width: 0.6, height: 0.4, columns: 7, rows: 5, ..Sheet::default() }.mesh().expect("a sheet")
}

fn solid() -> TetMesh {
    TetBox { size: Vec3::new(0.5, 0.4, 0.3), cells: [3, 2, 2], ..TetBox::default() }.mesh().expect("a box")
}

fn strained_sheet(stiffness: f64, set: StrainSet<2>, f: Mat3) -> f64 {
    let mesh = sheet();
    let strain = TriangleStrain { triangles: mesh.triangles, stiffness, set };
    energy(strain.build(&mesh.positions).expect("a batch"), &deformed(&mesh.positions, f))
}

fn strained_solid(stiffness: f64, set: StrainSet<3>, f: Mat3) -> f64 {
    let mesh = solid();
    let strain = TetStrain { tets: mesh.tets, stiffness, set };
    energy(strain.build(&mesh.positions).expect("a batch"), &deformed(&mesh.positions, f))
}

#[test]
fn stretched_rope_has_the_energy_of_its_material_however_it_is_divided() {
    let (axial, length, stretch) = (300.0, 2.0, 1.2);
    for segments in [1u32, 3, 20] {
        // Uneven segments: only k = E·A/l makes them one rope.
        let at = |i: u32| length * (f64::from(i) / f64::from(segments)).powi(2);
        let rest: Vec<Vec3> = (0..=segments).map(|i| Vec3::X * at(i)).collect();
        let edges = (0..segments).map(|i| [i, i + 1]).collect();
        let rope = EdgeSprings::new(edges, SpringStiffness::Axial(axial)).build(&rest).expect("a rope");
        let x: Vec<Vec3> = rest.iter().map(|p| Vec3::Y * (p.x * stretch)).collect();
        assert_close(energy(rope, &x), 0.5 * axial * 0.2 * 0.2 * length, 1e-12, "rope");
    }
}

#[test]
fn springs_cost_half_k_times_squared_extension_in_every_metric() {
    let rest = [Vec3::ZERO, Vec3::X];
    let x = [Vec3::ZERO, Vec3::new(0.9, 1.2, 0.0)];
    for metric in [Metric::VertexSubtracted, Metric::MeanSubtracted, Metric::Identity, Metric::Mass(vec![0.3, 2.0])] {
        let springs =
            EdgeSprings { metric: metric.clone(), ..EdgeSprings::new(vec![[0, 1]], SpringStiffness::Uniform(8.0)) };
        assert_close(
            energy(springs.build(&rest).expect("a spring"), &x),
            0.5 * 8.0 * 0.25,
            1e-12,
            &format!("{metric:?}"),
        );
    }
}

#[test]
fn springs_without_length_and_without_limit_are_free() {
    let rest = [Vec3::ZERO, Vec3::ZERO];
    let limits = [0.0, f64::INFINITY];
    let springs = EdgeSprings { limits, ..EdgeSprings::new(vec![[0, 1]], SpringStiffness::Uniform(8.0)) };
    assert_eq!(energy(springs.build(&rest).expect("a spring"), &[Vec3::ZERO, Vec3::X]), 0.0);
}

#[test]
fn uniaxially_stretched_sheet_has_the_energy_of_youngs_modulus_times_thickness() {
    let (youngs_modulus, thickness) = (2e5, 1e-3);
    for stretched in [0.7, 1.001, 1.4] {
        let found = strained_sheet(youngs_modulus * thickness, StrainSet::Rotation, stretch(stretched, 1.0, 1.0));
        let volume = 0.6 * 0.4 * thickness;
        assert_close(found, 0.5 * youngs_modulus * (stretched - 1.0_f64).powi(2) * volume, 1e-10, "sheet");
    }
}

#[test]
fn uniaxially_stretched_solid_has_the_energy_of_youngs_modulus() {
    for stretched in [0.7, 1.001, 1.4] {
        let found = strained_solid(2e5, StrainSet::Rotation, stretch(1.0, stretched, 1.0));
        assert_close(found, 0.5 * 2e5 * (stretched - 1.0_f64).powi(2) * 0.06, 1e-10, "solid");
    }
}

#[test]
fn strain_within_limits_costs_nothing_and_beyond_them_the_excess() {
    let turn = Random::new(3).rotation();
    for (f, excess) in [(stretch(0.92, 1.08, 1.0), 0.0), (stretch(1.3, 0.95, 1.0), 0.2), (stretch(1.0, 0.6, 1.0), 0.3)]
    {
        let expected = |size: f64| 0.5 * 100.0 * excess * excess * size;
        let limits = StrainSet::Limits { min: 0.9, max: 1.1 };
        let found = strained_sheet(100.0, limits, turn * f);
        assert!((found - expected(0.24)).abs() < 1e-12, "sheet: {found} J");
        let found = strained_solid(100.0, StrainSet::Limits { min: 0.9, max: 1.1 }, turn * f);
        assert!((found - expected(0.06)).abs() < 1e-12, "solid: {found} J");
    }
}

#[test]
fn inverted_solid_costs_the_way_back_to_a_proper_rotation() {
    let mirrored = Random::new(5).rotation() * stretch(1.0, -1.0, 1.0);
    assert_close(strained_solid(100.0, StrainSet::Rotation, mirrored), 0.5 * 100.0 * 4.0 * 0.06, 1e-12, "mirrored");
    // The smallest principal stretch is the one that turns back: from −0.5 to the limit of 0.9.
    let crushed = Random::new(5).rotation() * stretch(1.05, 1.0, -0.5);
    let limits = StrainSet::Limits { min: 0.9, max: 1.1 };
    assert_close(strained_solid(100.0, limits, crushed), 0.5 * 100.0 * 1.4 * 1.4 * 0.06, 1e-12, "crushed");
}

#[test]
fn fibres_resist_warp_stretch_but_not_shear() {
    let cloth = |f: Mat3| {
        let limits = [[1.0, 1.0], [0.5, 1.5]];
        strained_sheet(100.0, StrainSet::Fibres { direction: Vec3::new(1.0, 0.0, 0.3), limits }, f)
    };
    // Columns of F are the images of warp and weft: sheared, both keep their length.
    let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.6, 0.8, 0.0), Vec3::Z);
    assert!(cloth(shear) < 1e-24, "shear costs {} J", cloth(shear));
    assert!(cloth(stretch(1.0, 1.4, 1.0)) < 1e-24, "weft within its limits");
    assert_close(cloth(stretch(1.2, 1.0, 1.0)), 0.5 * 100.0 * 0.04 * 0.24, 1e-12, "warp");
    assert_close(cloth(stretch(1.0, 1.7, 1.0)), 0.5 * 100.0 * 0.04 * 0.24, 1e-12, "weft beyond its limits");
}

#[test]
fn small_change_of_area_or_volume_costs_half_lambda_times_squared_trace() {
    let strain = 1e-5 * Vec3::new(1.0, 0.4, -0.2);
    let f = Random::new(9).rotation() * Mat3::from_diagonal(Vec3::ONE + strain);
    let bounds = [1.0, 1.0];
    let mesh = sheet();
    let area = TriangleArea { triangles: mesh.triangles, stiffness: 40.0, bounds };
    let found = energy(area.build(&mesh.positions).expect("a batch"), &deformed(&mesh.positions, f));
    assert_close(found, 0.5 * (40.0 / 2.0) * (strain.x + strain.y).powi(2) * 0.24, 1e-4, "area, λ = w/2");
    let mesh = solid();
    let volume = TetVolume { tets: mesh.tets, stiffness: 40.0, bounds };
    let found = energy(volume.build(&mesh.positions).expect("a batch"), &deformed(&mesh.positions, f));
    assert_close(found, 0.5 * (40.0 / 3.0) * strain.element_sum().powi(2) * 0.06, 1e-4, "volume, λ = w/3");
}

#[test]
fn deformation_that_keeps_area_and_volume_is_free() {
    let f = Random::new(4).rotation()
        * stretch(2.0, 0.5, 1.0)
        * Mat3::from_cols(Vec3::X, Vec3::new(0.7, 1.0, 0.0), Vec3::Z);
    let bounds = [1.0, 1.0];
    let mesh = sheet();
    let area = TriangleArea { triangles: mesh.triangles, stiffness: 1e3, bounds };
    assert!(energy(area.build(&mesh.positions).expect("a batch"), &deformed(&mesh.positions, f)) < 1e-22);
    let mesh = solid();
    let volume = TetVolume { tets: mesh.tets, stiffness: 1e3, bounds };
    assert!(energy(volume.build(&mesh.positions).expect("a batch"), &deformed(&mesh.positions, f)) < 1e-22);
}

/// A flat surface in the x-y plane rolled up to a radius, around an axis at an angle from the y axis.
fn rolled(flat: &[Vec3], radius: f64, axis: f64) -> Vec<Vec3> {
    let (sine, cosine) = axis.sin_cos();
    let roll = |p: &Vec3| {
        let (around, along) = (p.x * cosine + p.y * sine, p.y * cosine - p.x * sine);
        Vec3::new(radius * (around / radius).sin(), along, radius * (around / radius).cos())
    };
    flat.iter().map(roll).collect()
}

#[test]
fn sheet_rolled_to_a_cylinder_has_the_plates_mean_curvature_energy() {
    let (stiffness, radius) = (0.02, 0.8);
    for diagonals in [Diagonals::Forward, Diagonals::Alternating, Diagonals::Cross] {
        for axis in [0.0, 0.3, PI / 4.0] {
            let mesh = Sheet { columns: 40, rows: 40, diagonals, ..Sheet::default() }.mesh().expect("a sheet");
            let (areas, rim) = (mesh.voronoi_areas().expect("areas"), mesh.boundary_vertices());
            let interior: f64 = areas.iter().zip(rim).filter(|(_, rim)| !rim).map(|(area, _)| area).sum();
            let bending = MeanCurvatureBending { stiffness }.build(&mesh).expect("a batch");
            let found = energy(bending, &rolled(&mesh.positions, radius, axis));
            let what = format!("{diagonals:?}, axis at {axis}");
            assert_close(found, 0.5 * stiffness / radius.powi(2) * interior, 0.01, &what);
        }
    }
}

#[test]
fn sheet_rolled_to_a_cylinder_has_the_plates_hinge_energy() {
    let (stiffness, radius, columns) = (0.02, 0.8, 40);
    for diagonals in [Diagonals::Forward, Diagonals::Alternating] {
        let mesh = Sheet { columns, rows: 30, diagonals, ..Sheet::default() }.mesh().expect("a sheet");
        let hinges = HingeBending::new(mesh.hinges().expect("hinges"), HingeStiffness::Plate(stiffness));
        let found = energy(hinges.build(&mesh.positions).expect("a batch"), &rolled(&mesh.positions, radius, 0.0));
        // Half a column at both ends has no hinge.
        let area = 1.0 - 1.0 / columns as f64;
        assert_close(found, 0.5 * stiffness / radius.powi(2) * area, 0.02, &format!("{diagonals:?}"));
    }
}

/// A known limit of hinges: their stiffness depends on how right-angled triangles lie to the axis.
#[test]
fn right_angled_hinges_are_too_stiff_in_some_directions() {
    let (stiffness, radius) = (0.02, 0.8);
    for (diagonals, axis, factor) in [
        (Diagonals::Forward, -PI / 4.0, 1.0),
        (Diagonals::Forward, PI / 4.0, 3.0),
        (Diagonals::Alternating, PI / 4.0, 1.5),
        (Diagonals::Cross, PI / 4.0, 1.0),
        (Diagonals::Cross, 0.0, 1.5),
    ] {
        let mesh = Sheet { columns: 60, rows: 60, diagonals, ..Sheet::default() }.mesh().expect("a sheet");
        let hinges = HingeBending::new(mesh.hinges().expect("hinges"), HingeStiffness::Plate(stiffness));
        let found = energy(hinges.build(&mesh.positions).expect("a batch"), &rolled(&mesh.positions, radius, axis));
        let what = format!("{diagonals:?}, axis at {axis}");
        assert_close(found, factor * 0.5 * stiffness / radius.powi(2), 0.02, &what);
    }
}

#[test]
fn equilateral_sheet_has_the_plates_hinge_energy_rolled_in_any_direction() {
    let (stiffness, radius, n, side) = (0.02, 0.8, 20u32, 0.02);
    let at = |i: u32, j: u32| j * n + i;
    let lattice =
        |v: u32| side * Vec3::new(f64::from(v % n) + 0.5 * f64::from(v / n), 0.75_f64.sqrt() * f64::from(v / n), 0.0);
    let rest: Vec<Vec3> = (0..n * n).map(lattice).collect();
    let cells = (1..n - 1).flat_map(|j| (1..n - 1).map(move |i| (i, j)));
    // The three hinges of each cell of two triangles, so that all directions count alike.
    let hinges: Vec<[u32; 4]> = cells
        .flat_map(|(i, j)| {
            [
                [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j - 1)],
                [at(i + 1, j), at(i, j + 1), at(i, j), at(i + 1, j + 1)],
                [at(i, j + 1), at(i, j), at(i + 1, j), at(i - 1, j + 1)],
            ]
        })
        .collect();
    let area = f64::from((n - 2) * (n - 2)) * 0.75_f64.sqrt() * side * side;
    for axis in [0.0, 0.2, FRAC_PI_6] {
        let batch = HingeBending::new(hinges.clone(), HingeStiffness::Plate(stiffness)).build(&rest).expect("a batch");
        let found = energy(batch, &rolled(&rest, radius, axis));
        assert_close(found, 0.5 * stiffness / radius.powi(2) * area, 0.02, &format!("axis at {axis}"));
    }
}

fn examples(weights: ExampleWeights, poses: &[Mat3]) -> Box<dyn Batch> {
    let mesh = solid();
    let examples = poses.iter().map(|&f| deformed(&mesh.positions, f)).collect();
    ExampleBased { tets: mesh.tets, examples, stiffness: 100.0, weights }.build(&mesh.positions).expect("a batch")
}

#[test]
fn example_poses_and_their_blends_are_free() {
    let random = &mut Random::new(6);
    let (wide, tall) = (stretch(1.6, 0.8, 1.0), stretch(0.9, 1.0, 1.7));
    let poses = [random.rotation() * wide, random.rotation() * tall];
    let halfway = Mat3::IDENTITY + (wide - Mat3::IDENTITY) * 0.5 + (tall - Mat3::IDENTITY) * 0.3;
    for weights in [ExampleWeights::Local, ExampleWeights::Global] {
        for pose in [poses[0], poses[1], random.rotation() * halfway] {
            let plain = strained_solid(100.0, StrainSet::Rotation, pose);
            let found = energy(examples(weights, &poses), &deformed(&solid().positions, pose));
            // What is left is the regularisation.
            assert!(found < 1e-7 * plain, "{weights:?}: {found} J of {plain} J without examples");
        }
    }
}

#[test]
fn examples_that_move_the_body_rigidly_allow_no_deformation() {
    let random = &mut Random::new(8);
    let turned = [random.rotation(), random.rotation()];
    for weights in [ExampleWeights::Local, ExampleWeights::Global] {
        for _ in 0..20 {
            let f = Mat3::IDENTITY + Mat3::from_cols(random.vector(), random.vector(), random.vector()) * 0.3;
            let found = energy(examples(weights, &turned), &deformed(&solid().positions, f));
            let plain = strained_solid(100.0, StrainSet::Rotation, f);
            assert_close(found, plain, 1e-9, &format!("{weights:?}"));
        }
    }
}

#[test]
fn global_weights_move_the_body_as_a_whole_and_local_ones_each_part() {
    let tet = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let rest: Vec<Vec3> = tet.iter().copied().chain(tet.iter().map(|p| *p + 3.0 * Vec3::X)).collect();
    let wide = stretch(1.5, 1.0, 1.0);
    let x: Vec<Vec3> = rest.iter().enumerate().map(|(v, p)| if v < 4 { wide * *p } else { *p }).collect();
    let [local, global] = [ExampleWeights::Local, ExampleWeights::Global].map(|weights| {
        let tets = vec![[0, 1, 2, 3], [4, 5, 6, 7]];
        let recipe = ExampleBased { tets, examples: vec![deformed(&rest, wide)], stiffness: 12.0, weights };
        energy(recipe.build(&rest).expect("a batch"), &x)
    });
    assert!(local < 1e-7, "{local} J");
    // The best common weight is one half: both tets are off by 0.25, of 1/6 m³ each.
    assert_close(global, 0.5 * 12.0 * 2.0 / 6.0 * 0.25 * 0.25, 1e-6, "global");
}

#[test]
fn goals_pull_in_proportion_to_the_distance_and_planes_push_from_below_only() {
    let rest = [Vec3::ZERO, Vec3::X];
    let goals = PositionGoals { vertices: vec![1], goals: Some(vec![Vec3::new(1.0, 3.0, 4.0)]), stiffness: 2.0 };
    assert_close(energy(goals.build(&rest).expect("a batch"), &rest), 25.0, 1e-14, "goal");
    let normal = Vec3::new(0.0, 0.5, 0.0);
    let plane = HalfSpace { vertices: vec![0, 1], point: Vec3::Y, normal, stiffness: 2.0 };
    let batch = plane.build(&rest).expect("a batch");
    assert_close(energy(batch, &[Vec3::new(5.0, 0.7, 1.0), 9.0 * Vec3::Y]), 0.09, 1e-14, "plane");
}

#[test]
fn averages_are_pulled_in_proportion_to_their_distance_whatever_their_vertices_do() {
    let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let averages = vec![vec![(0, 0.25), (2, 0.75)]];
    let recipe = AverageGoals { averages, goals: Some(vec![Vec3::new(0.0, 0.75, 5.0)]), stiffness: 2.0 };
    let of = |x: &[Vec3]| energy(recipe.build(&rest).expect("a batch"), x);
    assert_close(of(&rest), 25.0, 1e-14, "at rest");
    // The ends move apart about their average.
    let apart = [-3.0 * Vec3::ONE, 9.0 * Vec3::X, Vec3::Y + Vec3::ONE];
    assert_close(of(&apart), 25.0, 1e-14, "apart");
}
