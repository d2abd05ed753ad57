//! Strain limiting after a solver's step.

use pliant::LimitMethod;
use pliant::proximity::{Primitives, intersections};
use pliant::solve::SolverChoice;

use super::*;

const MOST: f64 = 1.05;

/// Very soft cloth that hangs by its upper corners or not at all, with some motion.
fn soft_cloth(cells: usize, is_pinned: bool) -> (Sheet, TriangleMesh, Body) {
    let sheet = Sheet { columns: cells, rows: cells, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let material = ClothMaterial { youngs_modulus: 5e3, ..ClothMaterial::default() };
    let body = Body::cloth(&mesh, &material).unwrap();
    let corners = [sheet.vertex(0, cells), sheet.vertex(cells, cells)];
    let body = if is_pinned { body.pin(corners) } else { body };
    (sheet, mesh, body)
}

fn methods() -> [(&'static str, StrainLimiting); 4] {
    [
        ("edges", StrainLimiting::edges(MOST, 20)),
        ("principal", StrainLimiting::principal(MOST, 20)),
        ("hierarchy", StrainLimiting::hierarchy(MOST, 10)),
        ("global", StrainLimiting::global(MOST)),
    ]
}

fn solvers() -> [(&'static str, SolverChoice); 3] {
    [
        ("projective", ProjectiveParams::default().into()),
        ("newton", NewtonParams::default().into()),
        ("position-based", PositionBasedParams::default().into()),
    ]
}

#[test]
fn no_edge_exceeds_the_global_limit_after_any_solver() {
    for (name, solver) in solvers() {
        let (_, mesh, body) = soft_cloth(12, true);
        let limiting = StrainLimiting::global(MOST);
        let mut sim = Simulation::builder().body(body).solver(solver).strain_limiting(limiting).build().unwrap();
        let edges = mesh.edges();
        let (mut most, mut before, mut solves) = (1.0_f64, 1.0_f64, 0);
        for _ in 0..40 {
            let report = sim.step().unwrap().strain_limiting.unwrap();
            let now = largest(&stretches(&edges, &mesh.positions, sim.positions()));
            (most, before) = (most.max(now), before.max(report.stretch_before));
            solves = solves.max(report.iterations);
            assert!((now - report.stretch_after).abs() < 1e-12, "the report says what is there");
        }
        println!("{name}: {before} before, {most} after, at most {solves} linear solves");
        assert!(most <= MOST + 1e-4 + 1e-12, "{name}: {most}");
        assert!(before > MOST + 0.02, "{name}: nothing to limit, {before}");
    }
}

#[test]
fn passes_bring_edges_near_the_limit_and_the_hierarchy_nearer() {
    let mut unlimited = {
        let (_, _, body) = soft_cloth(16, true);
        Simulation::builder().body(body).build().unwrap()
    };
    let mut largest_of = Vec::new();
    for (name, limiting) in methods() {
        let (_, mesh, body) = soft_cloth(16, true);
        let mut sim = Simulation::builder().body(body).strain_limiting(limiting).build().unwrap();
        let mut most = 1.0_f64;
        for _ in 0..40 {
            sim.step().unwrap();
            most = most.max(largest(&stretches(&mesh.edges(), &mesh.positions, sim.positions())));
        }
        println!("{name}: largest stretch of an edge {most}");
        largest_of.push(most);
    }
    let (_, mesh, _) = soft_cloth(16, true);
    let mut free = 1.0_f64;
    for _ in 0..40 {
        unlimited.step().unwrap();
        free = free.max(largest(&stretches(&mesh.edges(), &mesh.positions, unlimited.positions())));
    }
    println!("without a limit: {free}");
    let [edges, principal, hierarchy, global] = largest_of[..] else { panic!() };
    assert!(global <= MOST + 1e-4 + 1e-12, "{global}");
    assert!(hierarchy < edges, "{hierarchy} {edges}");
    for passed in [edges, principal, hierarchy] {
        assert!(passed - 1.0 < 0.5 * (free - 1.0), "{passed} of {free}");
    }
}

/// A free cloth, stretched and spinning.
fn flying(limiting: Option<StrainLimiting>, solver: SolverChoice) -> Simulation {
    let (_, mesh, body) = soft_cloth(10, false);
    let pulled = mesh.positions.iter().map(|p| Vec3::new(1.3 * p.x, 1.1 * p.y, 0.2 * p.x * p.y)).collect();
    let turn = Vec3::new(0.5, 2.0, 1.0);
    let velocities = mesh.positions.iter().map(|p| Vec3::new(0.3, -0.2, 1.0) + turn.cross(*p) + *p * 0.7).collect();
    let body = body.with_positions(pulled).with_velocities(velocities);
    let mut builder = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(solver);
    if let Some(limiting) = limiting {
        builder = builder.strain_limiting(limiting);
    }
    builder.build().unwrap()
}

#[test]
fn momentum_and_angular_momentum_of_free_cloth_are_what_the_solver_left() {
    for (name, limiting) in methods() {
        for (solver_name, solver) in solvers() {
            let (mut with, mut without) = (flying(Some(limiting), solver.clone()), flying(None, solver));
            let report = with.step().unwrap().strain_limiting.unwrap();
            without.step().unwrap();
            assert!(report.moved > 1e-3, "{name} after {solver_name}: nothing was moved");
            let (a, b) = (with.report(), without.report());
            let linear = (a.momentum - b.momentum).length() / b.momentum.length();
            let angular = (a.angular_momentum - b.angular_momentum).length() / b.angular_momentum.length();
            let centre = (a.centre_of_mass - b.centre_of_mass).length();
            println!(
                "{name} after {solver_name}: momenta differ by {linear:e} and {angular:e}, centres by {centre:e} m"
            );
            assert!(linear < 1e-12 && angular < 1e-11 && centre < 1e-12, "{name} after {solver_name}");
        }
    }
}

#[test]
fn a_wrinkled_sheet_whose_edges_have_their_lengths_is_left_alone() {
    // Folded to and fro along rows: an isometry, so nothing is stretched, on any level.
    let sheet = Sheet { columns: 16, rows: 16, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let cell = 1.0 / 16.0;
    let mut folded = mesh.positions.clone();
    for row in 0..=16usize {
        for column in 0..=16 {
            let v = sheet.vertex(column, row) as usize;
            let up = if row % 2 == 0 { 0.0 } else { cell * 0.6_f64.sin() };
            folded[v] = Vec3::new(mesh.positions[v].x, row as f64 * cell * 0.6_f64.cos(), up);
        }
    }
    for (name, limiting) in methods() {
        let body =
            Body::cloth(&mesh, &ClothMaterial { bend_model: BendModel::None, ..ClothMaterial::default() }).unwrap();
        let builder = Simulation::builder().body(body.with_positions(folded.clone())).gravity(Vec3::ZERO);
        let mut sim = builder.strain_limiting(StrainLimiting { most: 1.0 + 1e-6, ..limiting }).build().unwrap();
        let report = sim.step().unwrap().strain_limiting.unwrap();
        assert!(report.moved < 1e-9, "{name}: moved by {}", report.moved);
    }
}

#[test]
fn principal_stretches_of_a_single_triangle_and_tet_are_clamped_exactly() {
    let triangle = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.9, 0.0)], vec![[0, 1, 2]]).unwrap();
    let tets = TetMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.1, 0.2, 1.0)], vec![[0, 1, 2, 3]]).unwrap();
    let stretch = |p: &Vec3| Vec3::new(1.5 * p.x + 0.2 * p.y, 0.5 * p.y, p.z + 0.3 * p.x);
    let limiting = StrainLimiting { least: 0.9, ..StrainLimiting::principal(1.1, 1) };
    let run = |body: Body, positions: &[Vec3]| {
        let body = body.with_positions(positions.iter().map(stretch).collect());
        let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).strain_limiting(limiting).build().unwrap();
        sim.step().unwrap();
        sim.positions().to_vec()
    };
    // So soft that the solver leaves it as it is.
    let cloth = Body::cloth(&triangle, &ClothMaterial { youngs_modulus: 1e-6, ..ClothMaterial::default() }).unwrap();
    let [large, small] = triangle.principal_stretches(&run(cloth, &triangle.positions)).unwrap()[0];
    assert!((large - 1.1).abs() < 1e-9 && (small - 0.9).abs() < 1e-9, "{large} {small}");
    let solid = Body::solid(&tets, &SolidMaterial { youngs_modulus: 1e-6, ..SolidMaterial::default() }).unwrap();
    let found = tets.principal_stretches(&run(solid, &tets.positions)).unwrap()[0];
    assert!((found[0] - 1.1).abs() < 1e-9 && (found[2] - 0.9).abs() < 1e-9, "{found:?}");
}

#[test]
fn nothing_ends_inside_a_collider_or_through_a_layer_for_being_limited() {
    const CENTRE: Vec3 = Vec3::new(0.0, -0.1, -0.35);
    let (sheet, _, body) = soft_cloth(16, false);
    let ball = Collider::new(Shape::Sphere { radius: 0.3 }).at(CENTRE);
    let body = body.pin([sheet.vertex(0, 16), sheet.vertex(16, 16)]);
    let mut sim = Simulation::builder()
        .body(body)
        .collider(ball)
        .wind(Wind::new(Vec3::new(0.0, 0.0, -3.0)))
        .self_collision(SelfCollision { thickness: 3e-3, ..SelfCollision::default() })
        .strain_limiting(StrainLimiting::edges(1.02, 10))
        .build()
        .unwrap();
    let surfaces = Primitives::new(sim.model().bodies());
    let (mut touched, mut limited) = (0, 0);
    for _ in 0..60 {
        let report = sim.step().unwrap();
        touched = touched.max(sim.contacts().len());
        limited += usize::from(report.strain_limiting.unwrap().moved > 1e-6);
        let deepest = sim.positions().iter().map(|p| p.distance(CENTRE) - 0.3).fold(f64::INFINITY, f64::min);
        assert!(deepest > -1e-9, "a vertex is {deepest} m deep");
        assert!(intersections(&surfaces, sim.positions()).is_empty());
    }
    println!("{touched} contacts at most, limited in {limited} steps");
    assert!(touched > 5 && limited > 30, "{touched} {limited}");
}

#[test]
fn what_pins_make_impossible_is_reported_and_the_step_goes_on() {
    let (_, mesh, body) = soft_cloth(6, false);
    let body = body.pin_where(|p| p.x.abs() > 0.49);
    let mut sim = Simulation::builder().body(body).strain_limiting(StrainLimiting::global(MOST)).build().unwrap();
    for step in 1..=10 {
        let wider = 1.0 + 0.02 * f64::from(step);
        sim.move_pins(|_, rest| Vec3::new(wider * rest.x, rest.y, rest.z)).unwrap();
        let report = sim.step().unwrap().strain_limiting.unwrap();
        let found = largest(&stretches(&mesh.edges(), &mesh.positions, sim.positions()));
        println!("pins {wider} apart: {} after {} solves", report.stretch_after, report.iterations);
        assert!((found - report.stretch_after).abs() < 1e-12);
        // Rows pinned at both ends share what there is, about equally.
        let shared = f64::max(MOST + 1e-4, wider + 0.5 * (wider - MOST));
        assert!(found <= shared, "{found} at {wider}");
    }
}

#[test]
fn a_limit_follows_a_cloth_that_tears() {
    let (_, mesh, body) = soft_cloth(8, false);
    let pulled = mesh.positions.iter().map(|p| Vec3::new(1.1 * p.x, p.y, p.z)).collect();
    let body = body.with_tearing(Tearing::at_stretch(1.02)).with_positions(pulled).pin_where(|p| p.x.abs() > 0.49);
    let most = 1.12;
    let mut sim = Simulation::builder().body(body).strain_limiting(StrainLimiting::global(most)).build().unwrap();
    let (mut torn, mut limited) = (0, 0);
    for step in 0..40 {
        let report = sim.step().unwrap();
        torn += report.torn;
        let limit = report.strain_limiting.unwrap();
        limited += usize::from(torn > 0 && limit.stretch_before > most + 1e-3);
        // Edges of the cloth as it is torn by now.
        let torn_mesh =
            TriangleMesh::new(sim.model().rest().to_vec(), sim.model().bodies()[0].surface.clone()).unwrap();
        let found = largest(&stretches(&torn_mesh.edges(), &torn_mesh.positions, sim.positions()));
        assert!(found <= most + 1e-4 + 1e-12, "{found} in step {step}");
        assert!((limit.stretch_after - found).abs() < 1e-12, "{} reported, {found} found", limit.stretch_after);
    }
    assert!(torn > 0 && sim.positions().len() == mesh.positions.len() + torn, "{torn}");
    assert!(limited > 10, "the torn cloth was too long in {limited} steps");
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let built = |limiting: StrainLimiting| {
        let (_, _, body) = soft_cloth(2, true);
        Simulation::builder().body(body).strain_limiting(limiting).build().map(|_| ()).unwrap_err().to_string()
    };
    assert!(built(StrainLimiting::edges(0.9, 5)).contains("largest stretch is 0.9"));
    assert!(built(StrainLimiting { least: 1.2, ..StrainLimiting::edges(1.1, 5) }).contains("least stretch is 1.2"));
    assert!(built(StrainLimiting { least: 0.9, ..StrainLimiting::global(1.1) }).contains("limits stretch only"));
    let method = LimitMethod::Global { iterations: 5, tolerance: 0.0 };
    assert!(built(StrainLimiting { method, ..StrainLimiting::global(1.1) }).contains("tolerance"));
}
