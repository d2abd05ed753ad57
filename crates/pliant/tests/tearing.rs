//! Bodies that tear and are cut: what is kept, where they part, and that everything follows.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use pliant::energy::{HalfSpace, PositionGoals};
use pliant::mesh::{TriangleMesh, connected_components};
use pliant::prelude::*;
use pliant::{Seam, TearThreshold, TopologyError};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Number of pieces that a body's cells hold together.
fn pieces(sim: &Simulation, body: usize) -> usize {
    let cells = sim.model().cells(body);
    let edges: Vec<[u32; 2]> = cells.iter().flat_map(|cell| cell.windows(2).map(|ends| [ends[0], ends[1]])).collect();
    connected_components(sim.model().bodies()[body].vertices.len(), &edges).count
}

/// Total mass, momentum and rest area of a world of one sheet.
fn sums(sim: &Simulation) -> (f64, Vec3, f64) {
    let mesh = TriangleMesh::new(sim.model().rest().to_vec(), sim.model().bodies()[0].surface.clone()).unwrap();
    (sim.model().mass().lumped().iter().sum(), sim.report().momentum, mesh.area())
}

fn sheet(columns: usize, rows: usize, width: f64, height: f64) -> TriangleMesh {
    Sheet { columns, rows, width, height, ..Sheet::default() }.mesh().unwrap()
}

/// A strip that is held at both ends and pulled by a stretch, slowly, without gravity.
fn pulled_strip(tearing: Tearing, stretch: f64, steps: usize) -> Result<Simulation, Box<dyn std::error::Error>> {
    let mesh = sheet(12, 4, 1.2, 0.4);
    let strip = Body::cloth(&mesh, &ClothMaterial::default())?.with_tearing(tearing).pin_where(|p| p.x.abs() > 0.59);
    let mut sim = Simulation::builder().body(strip).gravity(Vec3::ZERO).time_step(1e-2);
    sim = sim.solver(NewtonParams::default());
    let mut sim = sim.build()?;
    for k in 1..=steps {
        let now = 1.0 + (stretch - 1.0) * (k as f64 / (0.4 * steps as f64)).min(1.0);
        sim.move_pins(|_, rest| Vec3::new(now * rest.x, rest.y, rest.z))?;
        sim.step()?;
    }
    Ok(sim)
}

#[test]
fn a_strip_holds_just_below_its_threshold_and_parts_into_two_just_above() -> Outcome {
    let below = pulled_strip(Tearing::at_stretch(1.1), 1.099, 60)?;
    assert_eq!((pieces(&below, 0), below.topology_changes()), (1, 0));
    let above = pulled_strip(Tearing::at_stretch(1.1), 1.101, 60)?;
    assert_eq!(pieces(&above, 0), 2);
    let rim = above.model().bodies()[0].surface.len();
    assert_eq!(rim, 2 * 12 * 4, "no triangle is lost");
    Ok(())
}

#[test]
fn a_force_and_the_stretch_that_it_means_tear_alike() -> Outcome {
    // E t of the default cotton is 2000 N/m.
    let force = pulled_strip(Tearing::at_force(200.0), 1.101, 60)?;
    let stretch = pulled_strip(Tearing::at_stretch(1.1), 1.101, 60)?;
    assert_eq!(force.model().cells(0), stretch.model().cells(0));
    assert_eq!(pulled_strip(Tearing::at_force(200.0), 1.099, 60)?.topology_changes(), 0);
    Ok(())
}

#[test]
fn tearing_keeps_mass_momentum_and_rest_area() -> Outcome {
    let mesh = sheet(8, 8, 1.0, 1.0);
    let speed = |p: &Vec3| Vec3::new(0.3 * p.x, p.x * p.y, (7.0 * p.x).sin());
    // So soft that it does not draw together before it tears.
    let soft = ClothMaterial { youngs_modulus: 400.0, ..ClothMaterial::default() };
    for material in [soft.clone(), ClothMaterial { mass: pliant::mesh::MassKind::Consistent, ..soft }] {
        let cloth = Body::cloth(&mesh, &material)?.with_tearing(Tearing::at_stretch(1.02).with_noise(0.2, 4));
        let cloth = cloth.with_velocities(mesh.positions.iter().map(speed).collect());
        let cloth = cloth.with_positions(mesh.positions.iter().map(|p| p.with_x(1.05 * p.x)).collect());
        let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).build()?;
        let (mass, momentum, area) = sums(&sim);
        let mut torn = 0;
        for _ in 0..4 {
            torn += sim.step()?.torn;
        }
        assert!(torn > 2, "{torn} vertices were doubled");
        let (mass_after, momentum_after, area_after) = sums(&sim);
        assert!((mass_after - mass).abs() < 1e-15, "mass changed by {:e} kg", mass_after - mass);
        assert!((momentum_after - momentum).length() < 1e-12, "{momentum_after} instead of {momentum}");
        assert!((area_after - area).abs() < 1e-14, "area changed by {:e} m²", area_after - area);
    }
    Ok(())
}

/// Elements of all energies of a kind: stencil from its lowest rotation, and weight.
fn elements(operator: &pliant::energy::Operator) -> Vec<(Vec<u32>, u64)> {
    let element = |e: usize| {
        let mut stencil = operator.stencil(e).to_vec();
        stencil.sort_unstable();
        (stencil, (operator.weight(e) * 1e12).round() as u64)
    };
    let mut list: Vec<_> = (0..operator.len()).map(element).collect();
    list.sort();
    list
}

#[test]
fn the_energies_of_a_torn_sheet_are_those_of_its_torn_mesh() -> Outcome {
    let mesh = sheet(8, 6, 1.0, 1.0);
    for bend_model in [BendModel::Hinge, BendModel::MeanCurvature] {
        let material =
            ClothMaterial { bend_model, poisson_ratio: 0.3, youngs_modulus: 400.0, ..ClothMaterial::default() };
        let cloth = Body::cloth(&mesh, &material)?.with_tearing(Tearing::at_stretch(1.01).with_noise(0.3, 1));
        let cloth = cloth.with_positions(mesh.positions.iter().map(|p| p.with_x(1.03 * p.x)).collect());
        let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).build()?;
        (0..4).try_for_each(|_| sim.step().map(drop))?;
        assert!(sim.topology_changes() > 1);
        let torn = TriangleMesh::new(sim.model().rest().to_vec(), sim.model().bodies()[0].surface.clone())?;
        let expected = material.energies(&torn)?;
        assert_eq!(expected.len(), sim.model().energies().len());
        for (entry, expected) in sim.model().energies().iter().zip(&expected) {
            let (found, expected) = (elements(entry.batch.operator()), elements(expected.operator()));
            assert_eq!(found, expected, "{}", entry.batch.kind());
        }
    }
    Ok(())
}

#[test]
fn springs_along_a_torn_edge_share_their_stiffness() -> Outcome {
    let mesh = sheet(8, 8, 1.0, 1.0);
    let net = Body::mass_spring(&mesh, 0.1, mesh.edges(), 50.0)?.with_tearing(Tearing::at_stretch(1.05));
    let net = net.with_positions(mesh.positions.iter().map(|p| p.with_x(1.1 * p.x)).collect());
    let mut sim = Simulation::builder().body(net.pin_where(|p| p.x.abs() > 0.49)).gravity(Vec3::ZERO).build()?;
    (0..20).try_for_each(|_| sim.step().map(drop))?;
    assert!(sim.topology_changes() > 0);
    let springs = sim.model().energies()[0].batch.operator();
    let torn = TriangleMesh::new(sim.model().rest().to_vec(), sim.model().bodies()[0].surface.clone())?;
    let found: BTreeSet<Vec<u32>> = elements(springs).into_iter().map(|(stencil, _)| stencil).collect();
    let edges: BTreeSet<Vec<u32>> = torn.edges().iter().map(|edge| edge.to_vec()).collect();
    assert_eq!(found, edges, "a spring on every edge");
    let total: f64 = springs.weights().iter().sum();
    assert!((total / (50.0 * mesh.edges().len() as f64) - 1.0).abs() < 1e-13, "{total} N/m in all");
    Ok(())
}

#[test]
fn noise_is_repeated_by_its_seed() -> Outcome {
    let run = |seed| pulled_strip(Tearing::at_stretch(1.1).with_noise(0.2, seed), 1.12, 60);
    let (first, again, other) = (run(7)?, run(7)?, run(8)?);
    assert!(first.topology_changes() > 0);
    assert_eq!(first.positions(), again.positions());
    assert_ne!(first.model().cells(0), other.model().cells(0));
    Ok(())
}

#[test]
fn a_seam_tears_first_and_alone() -> Outcome {
    let mesh = sheet(12, 4, 1.2, 0.4);
    // The column of edges at x = 0.3 m.
    let on = |v: u32| (mesh.positions[v as usize].x - 0.3).abs() < 1e-9;
    let edges: Vec<[u32; 2]> = mesh.edges().into_iter().filter(|edge| edge.iter().all(|v| on(*v))).collect();
    assert_eq!(edges.len(), 4);
    let seam = Tearing::at_stretch(1.1).with_seam(edges, 0.5);
    assert_eq!(pulled_strip(seam.clone(), 1.049, 60)?.topology_changes(), 0);
    let torn = pulled_strip(seam, 1.055, 60)?;
    assert_eq!(pieces(&torn, 0), 2);
    let doubled = &torn.model().rest()[13 * 5..];
    assert_eq!(doubled.len(), 5);
    assert!(doubled.iter().all(|p| (p.x - 0.3).abs() < 1e-9), "{doubled:?}");
    Ok(())
}

#[test]
fn a_bar_of_tets_pulled_beyond_its_threshold_breaks_in_two() -> Outcome {
    let mesh = TetBox { size: Vec3::new(1.0, 0.25, 0.25), cells: [8, 2, 2], ..TetBox::default() }.mesh()?;
    let (low, high) = mesh.positions.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p.x), h.max(p.x)));
    let bar = |tearing| -> Result<Simulation, pliant::ModelError> {
        // Stiff enough for both halves to draw back within a step of the break.
        let material = SolidMaterial { poisson_ratio: 0.0, youngs_modulus: 1e7, ..SolidMaterial::default() };
        let body = Body::solid(&mesh, &material)?.with_tearing(tearing);
        let body = body.pin_where(|p| p.x < low + 1e-9 || p.x > high - 1e-9);
        Simulation::builder().body(body).gravity(Vec3::ZERO).solver(NewtonParams::default()).build()
    };
    for (stretch, expected) in [(1.19, 1), (1.21, 2)] {
        let mut sim = bar(Tearing::at_stretch(1.2))?;
        let mass: f64 = sim.model().mass().lumped().iter().sum();
        let skin = sim.model().bodies()[0].surface.len();
        for k in 1..=60 {
            let now = 1.0 + (stretch - 1.0) * (f64::from(k) / 20.0).min(1.0);
            sim.move_pins(|_, rest| Vec3::new(now * rest.x, rest.y, rest.z))?;
            sim.step()?;
        }
        assert_eq!(pieces(&sim, 0), expected, "pulled to {stretch}");
        let after: f64 = sim.model().mass().lumped().iter().sum();
        assert!((after - mass).abs() < 1e-12);
        if expected == 2 {
            assert!(sim.model().bodies()[0].surface.len() > skin, "the crack has a surface");
        }
    }
    Ok(())
}

#[test]
fn a_rope_breaks_at_its_force() -> Outcome {
    let line = rope(Vec3::ZERO, Vec3::X, 10)?;
    for (stretch, expected) in [(1.0199, 1), (1.021, 2)] {
        let body = Body::strands(&line, &StrandMaterial::default())?.with_tearing(Tearing::at_force(40.0));
        let pulled = body.pin([0, 10]);
        let mut sim = Simulation::builder().body(pulled).gravity(Vec3::ZERO).solver(NewtonParams::default()).build()?;
        for k in 1..=40 {
            let now = 1.0 + (stretch - 1.0) * (f64::from(k) / 30.0).min(1.0);
            sim.move_pins(|_, rest| rest * now)?;
            sim.step()?;
        }
        assert_eq!(pieces(&sim, 0), expected, "stretched to {stretch}: 2000 N of axial stiffness");
    }
    Ok(())
}

#[test]
fn a_world_that_does_not_tear_has_the_same_bits_as_one_that_cannot() -> Outcome {
    let mesh = sheet(10, 10, 1.0, 1.0);
    let run = |tearing: Option<Tearing>| -> Result<Vec<Vec3>, Box<dyn std::error::Error>> {
        let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.pin([110, 120]);
        let cloth = match tearing {
            Some(tearing) => cloth.with_tearing(tearing),
            None => cloth,
        };
        let mut sim = Simulation::builder().body(cloth).build()?;
        (0..30).try_for_each(|_| sim.step().map(drop))?;
        Ok(sim.positions().to_vec())
    };
    assert_eq!(run(None)?, run(Some(Tearing::at_stretch(3.0)))?);
    Ok(())
}

/// A sheet between two others, torn by its own speed, with a handle and damping.
fn busy_world() -> Result<Simulation, Box<dyn std::error::Error>> {
    let mesh = sheet(8, 6, 1.0, 0.8);
    let hinge = ClothMaterial { bend_model: BendModel::Hinge, youngs_modulus: 4e4, ..ClothMaterial::default() };
    let still =
        |name: &str| -> Result<Body, pliant::ModelError> { Ok(Body::cloth(&mesh, &hinge)?.named(name).pin([0])) };
    let handles = PositionGoals { vertices: vec![54, 62], goals: None, stiffness: 500.0 }.build(&mesh.positions)?;
    let flag = Body::cloth(&mesh, &hinge)?.named("flag").with_energy(handles);
    let flag = flag.with_tearing(Tearing::at_stretch(1.02).with_noise(0.3, 3)).pin_where(|p| p.x < -0.49);
    let flag = flag.with_velocities(mesh.positions.iter().map(|p| Vec3::new(6.0 * p.x, 0.0, p.y)).collect());
    let builder = Simulation::builder().body(still("before")?).body(flag).body(still("after")?);
    let damping = Damping { stiffness: 1e-4, ..Damping::default() };
    Ok(builder.damping(damping).integrator(TimeIntegrator::Bdf2).attach(("flag", 3), ("after", 5), 10.0).build()?)
}

#[test]
fn a_torn_run_resumed_equals_an_uninterrupted_one_bit_for_bit() -> Outcome {
    let mut whole = busy_world()?;
    (0..4).try_for_each(|_| whole.step().map(drop))?;
    assert!(whole.topology_changes() > 1);
    let cut = Cut::Plane { point: Vec3::new(0.0, 0.11, 0.0), normal: Vec3::new(0.2, 1.0, 0.0) };
    assert!(whole.cut_at_rest("after", &cut)?.doubled > 0);
    whole.step()?;
    let bytes = whole.checkpoint().to_bytes();
    let moment = whole.positions().to_vec();
    (0..6).try_for_each(|_| whole.step().map(drop))?;

    let saved = Checkpoint::from_bytes(&bytes)?;
    let mut resumed = busy_world()?;
    resumed.restore(&saved)?;
    assert_eq!(resumed.positions(), moment);
    (0..6).try_for_each(|_| resumed.step().map(drop))?;
    assert_eq!(resumed.positions(), whole.positions());
    assert_eq!(resumed.checkpoint(), whole.checkpoint());
    // Also back from a world that is torn further, and from one that is not torn.
    whole.restore(&saved)?;
    assert_eq!(whole.positions(), moment);
    whole.restore(&busy_world()?.checkpoint())?;
    assert_eq!(whole.positions(), busy_world()?.positions());
    Ok(())
}

#[test]
fn a_damaged_change_in_a_checkpoint_is_refused_and_changes_nothing() -> Outcome {
    let mut sim = busy_world()?;
    (0..3).try_for_each(|_| sim.step().map(drop))?;
    let bytes = sim.checkpoint().to_bytes();
    let at = bytes.windows(10).position(|name| name == b"topology/0").unwrap();
    for place in (at + 10..bytes.len()).step_by(8) {
        let mut damaged = bytes.clone();
        damaged[place..(place + 8).min(bytes.len())].fill(0xff);
        let Ok(saved) = Checkpoint::from_bytes(&damaged) else { continue };
        let mut other = busy_world()?;
        assert!(other.restore(&saved).is_err(), "byte {place}");
        assert_eq!(other.topology_changes(), 0);
        other.step()?;
    }
    Ok(())
}

#[test]
fn pins_forces_and_goals_speak_for_copies() -> Outcome {
    let mut sim = busy_world()?;
    (0..8).try_for_each(|_| sim.step().map(drop))?;
    let cut = Cut::Plane { point: Vec3::new(-0.5, 0.0, 0.0), normal: Vec3::new(0.05, 1.0, 0.0) };
    sim.cut_at_rest("flag", &cut)?;
    // The rim that is pinned has been cut through at y = 0, which is a vertex there.
    let middle = 27;
    sim.move_pin("flag", middle, Vec3::new(-0.5, 0.0, 0.7))?;
    sim.step()?;
    let at_middle = |p: &Vec3| (*p - Vec3::new(-0.5, 0.0, 0.0)).length() < 1e-12;
    let range = sim.body("flag")?.vertices.clone();
    let copies: Vec<usize> = range.clone().filter(|&v| at_middle(&sim.model().rest()[v])).collect();
    assert_eq!(copies.len(), 2);
    assert!(copies.iter().all(|&v| sim.positions()[v] == Vec3::new(-0.5, 0.0, 0.7)));
    sim.set_force("flag", middle, Vec3::Z)?;
    let sum = sim.forces()[range].iter().fold(Vec3::ZERO, |sum, f| sum + *f);
    assert!((sum - Vec3::Z).length() < 1e-15);
    assert!(sim.forces()[copies[1]].z > 0.1, "both have their share");
    sim.set_goal("position", 1, Vec3::X)?;
    assert!(sim.set_goal("position", 2, Vec3::X).is_err(), "there are still two goals");
    Ok(())
}

#[test]
fn a_square_cut_by_a_plane_has_two_pieces_with_rims_on_the_line() -> Outcome {
    let mesh = sheet(9, 7, 1.0, 1.0);
    let (point, normal) = (Vec3::new(0.031, -0.023, 0.0), Vec3::new(0.8, 0.6, 0.0));
    for bend_model in [BendModel::Hinge, BendModel::MeanCurvature] {
        let material = ClothMaterial { bend_model, poisson_ratio: 0.2, ..ClothMaterial::default() };
        let speed = |p: &Vec3| Vec3::new(0.3 * p.y, p.x * p.y, (7.0 * p.x).sin());
        let cloth = Body::cloth(&mesh, &material)?.named("square");
        let cloth = cloth.with_velocities(mesh.positions.iter().map(speed).collect());
        let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).build()?;
        let (mass, momentum, area) = sums(&sim);
        let report = sim.cut("square", &Cut::Plane { point, normal })?;
        assert_eq!(pieces(&sim, 0), 2);
        let (mass_after, momentum_after, area_after) = sums(&sim);
        assert!((mass_after - mass).abs() < 1e-15);
        assert!((momentum_after - momentum).length() < 1e-14, "{momentum_after} instead of {momentum}");
        assert!((area_after - area).abs() < 1e-14);
        // The rims of the cut: every doubled vertex is on the line, also those that were near it before.
        assert_eq!(sim.positions().len(), 80 + report.inserted + report.doubled);
        let rest = sim.model().rest();
        let is_doubled = |v: usize| rest.iter().filter(|p| **p == rest[v]).count() == 2;
        let rims: Vec<Vec3> = (0..rest.len()).filter(|v| is_doubled(*v)).map(|v| sim.positions()[v]).collect();
        assert_eq!(rims.len(), 2 * report.doubled);
        assert!(report.doubled > report.inserted, "some vertex was near the line and moved");
        assert!(rims.iter().all(|p| (*p - point).dot(normal).abs() < 1e-12), "{rims:?}");
        let expected = 1.0 / 0.8;
        assert!((report.length - expected).abs() < 1e-12, "{} m instead of {expected} m", report.length);
        // Elements away from the cut are as they were, those at it are those of the mesh.
        let torn = TriangleMesh::new(sim.model().rest().to_vec(), sim.model().bodies()[0].surface.clone())?;
        torn.check_manifold()?;
        for (entry, expected) in sim.model().energies().iter().zip(material.energies(&torn)?) {
            assert_eq!(elements(entry.batch.operator()), elements(expected.operator()));
        }
        sim.step()?;
    }
    Ok(())
}

#[test]
fn a_cut_at_rest_of_a_moving_sheet_changes_no_position_and_pulls_at_nothing() -> Outcome {
    let mesh = sheet(8, 8, 1.0, 1.0);
    let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("sheet").pin([72, 80]);
    let mut sim = Simulation::builder().body(cloth).build()?;
    (0..10).try_for_each(|_| sim.step().map(drop))?;
    let (before, energy) = (sim.positions().to_vec(), sim.report().elastic[0].1);
    let line = Cut::Plane { point: Vec3::new(0.1, 0.0, 0.0), normal: Vec3::new(1.0, 0.37, 0.0) };
    sim.cut_at_rest("sheet", &line)?;
    assert_eq!(sim.positions()[..81], before);
    let after = sim.report().elastic[0].1;
    assert!((after / energy - 1.0).abs() < 1e-9, "strain energy {energy} J became {after} J");
    let rims = &sim.model().rest()[81..];
    assert!(rims.iter().all(|p| (*p - Vec3::new(0.1, 0.0, 0.0)).dot(Vec3::new(1.0, 0.37, 0.0)).abs() < 1e-12));
    Ok(())
}

#[test]
fn a_polyline_that_ends_inside_leaves_a_slit_and_one_that_closes_cuts_out_a_piece() -> Outcome {
    let mesh = sheet(10, 10, 1.0, 1.0);
    let build = || -> Result<Simulation, pliant::ModelError> {
        Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default())?.named("sheet")).build()
    };
    let path = |points: &[[f64; 2]]| Cut::Polyline {
        points: points.iter().map(|[x, y]| Vec3::new(*x, *y, 0.3)).collect(),
        direction: Vec3::Z,
    };
    let mut sim = build()?;
    let report = sim.cut("sheet", &path(&[[-0.9, 0.033], [-0.13, 0.033], [-0.12, 0.27]]))?;
    assert_eq!(pieces(&sim, 0), 1, "a slit");
    let length = 0.5 - 0.13 + 0.01f64.hypot(0.27 - 0.033);
    assert!((report.length - length).abs() < 1e-12, "{} m instead of {length} m", report.length);
    let mut sim = build()?;
    let corners = [[-0.234, -0.217], [0.271, -0.186], [0.227, 0.243], [-0.263, 0.184]];
    sim.cut("sheet", &path(&[corners[0], corners[1], corners[2], corners[3], corners[0]]))?;
    assert_eq!(pieces(&sim, 0), 2, "a window");
    let (_, _, area) = sums(&sim);
    assert!((area - 1.0).abs() < 1e-13);
    // The window's area is that of the polygon.
    let cells = sim.model().cells(0);
    let rest = sim.model().rest();
    let labels = {
        let edges: Vec<[u32; 2]> = cells.iter().flat_map(|c| [[c[0], c[1]], [c[1], c[2]]]).collect();
        connected_components(rest.len(), &edges).labels
    };
    let area_of = |c: &[u32]| {
        let [a, b, d] = [0, 1, 2].map(|k| rest[c[k] as usize]);
        0.5 * (b - a).cross(d - a).length()
    };
    let inside = labels[mesh.positions.iter().position(|p| p.length() < 1e-9).unwrap()];
    let window: f64 = cells.iter().filter(|c| labels[c[0] as usize] == inside).map(area_of).sum();
    let shoelace: f64 =
        (0..4).map(|k| (corners[k], corners[(k + 1) % 4])).map(|(p, q)| p[0] * q[1] - q[0] * p[1]).sum();
    assert!((window - 0.5 * shoelace).abs() < 1e-13, "{window} m² instead of {} m²", 0.5 * shoelace);
    Ok(())
}

#[test]
fn what_a_cut_makes_is_kept_above_the_same_floor() -> Outcome {
    let mesh = sheet(5, 5, 1.0, 1.0);
    let all: Vec<u32> = (0..36).collect();
    let floor =
        HalfSpace { vertices: all, point: Vec3::NEG_Y, normal: Vec3::Y, stiffness: 10.0 }.build(&mesh.positions)?;
    let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("sheet").with_energy(floor);
    let mut sim = Simulation::builder().body(cloth).build()?;
    sim.cut("sheet", &Cut::Plane { point: Vec3::new(0.0, 0.05, 0.0), normal: Vec3::new(0.3, 1.0, 0.0) })?;
    let entry = sim.model().energies().iter().find(|entry| entry.batch.kind() == "half_space").unwrap();
    let mut kept = entry.batch.operator().corner_vertices().to_vec();
    kept.sort_unstable();
    assert!(kept.len() > 40);
    assert_eq!(kept, (0..sim.positions().len() as u32).collect::<Vec<_>>(), "every vertex once");
    sim.step()?;
    Ok(())
}

#[test]
fn a_cut_along_mesh_lines_goes_through_their_vertices() -> Outcome {
    let mesh = sheet(4, 4, 1.0, 1.0);
    let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("sheet");
    let mut sim = Simulation::builder().body(cloth).build()?;
    let report = sim.cut("sheet", &Cut::Plane { point: Vec3::new(0.001, 0.0, 0.0), normal: Vec3::X })?;
    assert_eq!((report.inserted, report.doubled, pieces(&sim, 0)), (0, 5, 2));
    Ok(())
}

#[test]
fn what_cannot_tear_is_refused_by_name() -> Outcome {
    let mesh = sheet(4, 4, 1.0, 1.0);
    let cloth = || Body::cloth(&mesh, &ClothMaterial::default()).map(|body| body.named("cloth"));
    let refused = |body: Body| Simulation::builder().body(body).build().unwrap_err().to_string();
    let strong = || Tearing::at_stretch(2.0);
    assert_eq!(
        refused(cloth()?.with_tearing(Tearing::at_stretch(0.9))),
        "the stretch to tear at is 0.9, but must be finite and above 1"
    );
    assert!(refused(cloth()?.with_tearing(strong().with_noise(1.5, 0))).contains("noise"));
    let seams = vec![Seam { edges: vec![[0, 24]], strength: 0.5 }];
    let odd = Tearing { seams, ..strong() };
    assert_eq!(
        refused(cloth()?.with_tearing(odd)),
        "body \"cloth\" has no edge of a triangle between vertices 0 and 24 for a seam"
    );
    let loose = Body::new(mesh.positions.clone(), (0..25).map(|v| (v, v, 1.0)).collect()).named("dust");
    assert!(refused(loose.with_tearing(strong())).contains("\"dust\" has no triangles"));
    let net = Body::mass_spring(&mesh, 0.1, mesh.edges(), 10.0)?.named("net");
    assert!(refused(net.with_tearing(Tearing::at_force(1.0))).contains("\"net\" has no material"));
    let mut operator = pliant::energy::Operator::new(1);
    (0..2).for_each(|k| operator.push(1.0, &[k, k + 1], &[-1.0, 1.0]));
    let outside =
        pliant::energy::FunctionBatch::new("outside", operator, |z: &[Vec3], p: &mut [Vec3]| p.copy_from_slice(z));
    let error = refused(cloth()?.with_energy(Box::new(outside)).with_tearing(strong()));
    assert_eq!(error, "body \"cloth\": energy \"outside\" cannot follow when vertices are doubled");
    let apart = Simulation::builder().body(cloth()?.with_tearing(strong())).self_collision(SelfCollision::default());
    assert!(apart.build().unwrap_err().to_string().contains("collides with itself"));

    let solid = Body::solid(&TetBox::default().mesh()?, &SolidMaterial::default())?.named("jelly");
    let mut sim = Simulation::builder().body(cloth()?).body(solid).build()?;
    let plane = Cut::Plane { point: Vec3::ZERO, normal: Vec3::X };
    assert_eq!(sim.cut("jelly", &plane), Err(TopologyError::NotCloth { body: "jelly".into() }));
    assert_eq!(sim.cut("silk", &plane), Err(TopologyError::NoSuchBody("silk".into())));
    assert!(sim.cut("cloth", &Cut::Plane { point: Vec3::ZERO, normal: Vec3::ZERO }).is_err());
    assert!(sim.cut("cloth", &Cut::Polyline { points: vec![Vec3::ZERO], direction: Vec3::Z }).is_err());
    let missed = sim.cut("cloth", &Cut::Plane { point: Vec3::X * 9.0, normal: Vec3::X })?;
    assert_eq!((missed.length, sim.topology_changes()), (0.0, 0));
    assert_eq!(Tearing::at_force(2.0).threshold, TearThreshold::Force(2.0));
    Ok(())
}
