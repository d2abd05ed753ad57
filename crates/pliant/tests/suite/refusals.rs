//! What would silently do nothing is refused, with the body, the feature and a way out.

#![allow(clippy::unwrap_used)]

use pliant::SimulationBuilder;
use pliant::energy::{EdgeSprings, SpringStiffness};
use pliant::mesh::{MassKind, PointSet};
use pliant::prelude::*;
use pliant::solve::{ExplicitParams, StretchLevels};

fn cloth(mass: MassKind) -> Body {
    let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh().unwrap();
    Body::cloth(&mesh, &ClothMaterial { mass, ..ClothMaterial::default() }).unwrap().named("cloth")
}

/// Three points in a row with springs between them, and no mesh.
fn bare() -> Body {
    let rest = vec![Vec3::new(2.0, 0.0, 0.0), Vec3::new(2.1, 0.0, 0.0), Vec3::new(2.2, 0.0, 0.0)];
    let springs = EdgeSprings::new(vec![[0, 1], [1, 2]], SpringStiffness::Uniform(100.0)).build(&rest).unwrap();
    Body::points(&PointSet { positions: rest }, 0.1).with_energy(springs).named("bare")
}

fn point() -> Body {
    Body::points(&PointSet { positions: vec![Vec3::new(0.0, 3.0, 0.0)] }, 0.1).named("point")
}

fn refused(builder: SimulationBuilder) -> String {
    builder.build().map(drop).unwrap_err().to_string()
}

#[test]
fn a_body_of_energies_without_a_mesh_is_refused_beside_one_that_has_what_a_feature_needs() {
    let world = || Simulation::builder().body(cloth(MassKind::Lumped)).body(bare());
    assert_eq!(
        refused(world().strain_limiting(StrainLimiting::global(1.05))),
        "body \"bare\" has no edges, so strain limiting would do nothing to it: give it a mesh (cloth, solid and strand bodies have one), or limits by its material or energies"
    );
    assert!(refused(world().damping(Damping { spring: 1.0, ..Damping::default() })).contains("spring damping"));
    // What has neither surface nor strands meets nothing, and is not meant to: a washing line between things that collide.
    world().wind(Wind::new(Vec3::X)).self_collision(SelfCollision::default()).build().unwrap();
    let alone = || Simulation::builder().body(bare());
    assert!(refused(alone().wind(Wind::new(Vec3::X))).contains("\"bare\" has no surface, strands"));
    assert!(refused(alone().self_collision(SelfCollision::default())).contains("\"bare\" has no surface or segments"));
    // A single point has nothing that could stretch.
    let beside_a_point = Simulation::builder().body(cloth(MassKind::Lumped)).body(point());
    assert!(beside_a_point.strain_limiting(StrainLimiting::global(1.05)).build().is_ok());
}

#[test]
fn solvers_that_know_the_mass_of_each_vertex_alone_refuse_consistent_masses() {
    let rope = rope(Vec3::ZERO, Vec3::X, 4).unwrap();
    let heavy = StrandMaterial { mass: MassKind::Consistent, ..StrandMaterial::default() };
    let strand = || Body::strands(&rope, &heavy).unwrap().named("rope").pin([0]);
    let solvers: [(&str, SolverChoice); 3] = [
        ("position-based", PositionBasedParams::default().into()),
        ("explicit", ExplicitParams::default().into()),
        ("follow-the-leader", FollowLeaderParams::default().into()),
    ];
    for (name, solver) in solvers {
        let error = refused(Simulation::builder().body(strand()).solver(solver.clone()));
        assert_eq!(
            error,
            format!(
                "body \"rope\" has consistent masses, which the {name} solver does not know: give its material lumped masses, or choose the projective, two-metric or Newton solver"
            )
        );
        // A solver that is set later is checked by the same rule, and so is one that a body names.
        let mut sim = Simulation::builder().body(strand()).solver(ProjectiveParams::default()).build().unwrap();
        assert!(sim.set_solver(solver.clone()).unwrap_err().to_string().contains("consistent masses"), "{name}");
        let named = Simulation::builder().body(cloth(MassKind::Lumped)).body(strand().with_solver(solver));
        assert!(refused(named).contains("\"rope\" has consistent masses"), "{name}");
    }
    for solver in [SolverChoice::Auto, TwoMetricParams::default().into(), NewtonParams::default().into()] {
        assert!(Simulation::builder().body(cloth(MassKind::Consistent)).solver(solver).build().is_ok());
    }
}

#[test]
fn stretch_levels_are_refused_for_bodies_without_a_mesh() {
    let levels = || PositionBasedParams { levels: Some(StretchLevels::default()), ..PositionBasedParams::default() };
    let told = "body \"bare\" has no edges, so stretch levels would do nothing to it: leave levels out of its solver, or give it a mesh (cloth, solid and strand bodies have one)";
    assert_eq!(refused(Simulation::builder().body(bare()).solver(levels())), told);
    assert_eq!(refused(Simulation::builder().body(cloth(MassKind::Lumped)).body(bare()).solver(levels())), told);
    // Each with its own solver.
    let apart = Simulation::builder().body(cloth(MassKind::Lumped).with_solver(levels())).body(bare());
    assert!(apart.build().is_ok());
    let beside_a_point = Simulation::builder().body(cloth(MassKind::Lumped)).body(point()).solver(levels());
    assert!(beside_a_point.build().is_ok());
}

#[test]
fn what_breaks_is_refused_where_its_surface_would_have_to_break_with_it() {
    let cells = (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]).collect();
    let lattice = pliant::Lattice::new(cells, 0.1, Vec3::ZERO).unwrap();
    let body = |toughness| {
        let matching = Matching { toughness, ..Matching::new(lattice.regions(1)) };
        lattice.body(500.0).with_surface(lattice.surface()).with_matching(matching).named("clay")
    };
    let world = |body: Body| Simulation::builder().body(body).self_collision(SelfCollision::default());
    assert_eq!(
        refused(world(body(Some(0.1)))),
        "body \"clay\", matching: it breaks (`toughness`), but its surface does not, so self-collision would meet what is stretched between its fragments: leave toughness out, or make it a solid with tearing"
    );
    assert!(world(body(None)).build().is_ok());
    let material = FluidMaterial { spacing: 0.05, ..FluidMaterial::default() };
    let points = pliant::mesh::generate::particle_block(Vec3::splat(0.2), material.spacing).unwrap();
    let water = || Body::fluid(&points, &material).unwrap().named("water");
    let away = |body: Body| Simulation::builder().body(body.with_positions(lattice_away(&lattice))).body(water());
    assert!(refused(away(body(Some(0.1)))).contains("so fluid would meet"));
    assert!(away(body(Some(0.1)).permeable()).build().is_ok());
    assert!(away(body(None)).build().is_ok());
}

fn lattice_away(lattice: &pliant::Lattice) -> Vec<Vec3> {
    lattice.body(500.0).rest().iter().map(|p| *p + Vec3::X * 2.0).collect()
}
