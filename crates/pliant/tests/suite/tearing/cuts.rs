//! Cuts through cloth.

use pliant::energy::HalfSpace;
use pliant::mesh::connected_components;
use pliant::prelude::*;

use super::common::{Outcome, elements, pieces, sheet, sums};

#[test]
fn a_square_cut_by_a_plane_has_two_pieces_with_rims_on_the_line() -> Outcome {
    let mesh = sheet(9, 7, 1.0, 1.0);
    let (point, normal) = (Vec3::new(0.031, -0.023, 0.0), Vec3::new(0.8, 0.6, 0.0));
    for bend_model in [BendModel::Plate, BendModel::Hinge, BendModel::MeanCurvature] {
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

/// It went on pushing at 1850 m/s.
#[test]
fn a_balloon_that_is_cut_loses_its_pressure() -> Outcome {
    let mesh = pliant::mesh::generate::Icosphere { radius: 0.2, subdivisions: 3 }.mesh()?;
    let ball = Body::cloth(&mesh, &ClothMaterial { youngs_modulus: 1e6, ..ClothMaterial::default() })?
        .named("ball")
        .with_pressure(200.0);
    let mut sim = Simulation::builder().body(ball).gravity(Vec3::ZERO).build()?;
    (0..5).try_for_each(|_| sim.step().map(drop))?;
    assert_eq!(sim.body("ball")?.pressure, 200.0);
    sim.cut("ball", &Cut::Plane { point: Vec3::X * 0.1, normal: Vec3::X })?;
    assert_eq!(sim.body("ball")?.pressure, 0.0, "air escapes through a hole");
    (0..60).try_for_each(|_| sim.step().map(drop))?;
    let fastest = sim.report().max_speed;
    assert!(fastest < 20.0, "{fastest} m/s");
    Ok(())
}

/// Springs along all edges beside the material: what the cut crosses is gone, all others are as they were, and nothing is strained.
#[test]
fn a_cut_goes_through_added_springs_that_cross_it_and_leaves_all_others() -> Outcome {
    use pliant::energy::{EdgeSprings, SpringStiffness};
    let mesh = sheet(9, 7, 1.0, 1.0);
    // A net along the edges, and springs over two cells: along the cut, and across it.
    let ties: Vec<[u32; 2]> = (3..=5).flat_map(|k| [[k, k + 20], [10 + k, 12 + k]]).collect();
    for (net, name) in [(mesh.edges(), "net"), (ties, "ties")] {
        let springs = EdgeSprings::new(net.clone(), SpringStiffness::Uniform(50.0)).build(&mesh.positions)?;
        let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("square").with_energy(springs);
        let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).build()?;
        let (point, normal) = (Vec3::new(0.03, 0.0, 0.0), Vec3::X);
        sim.cut("square", &Cut::Plane { point, normal })?;
        assert_eq!(pieces(&sim, 0), 2, "{name}");
        let rest = sim.model().rest();
        let side = |v: u32| (mesh.positions[v as usize] - point).dot(normal) > 0.0;
        let operator = sim.model().energies().iter().rfind(|entry| entry.batch.kind() == "edge_spring");
        let operator = operator.map(|entry| entry.batch.operator()).unwrap();
        let found: Vec<[u32; 2]> =
            (0..operator.len()).map(|e| [operator.stencil(e)[0], operator.stencil(e)[1]]).collect();
        let kept: Vec<[u32; 2]> = net.iter().copied().filter(|[a, b]| side(*a) == side(*b)).collect();
        assert_eq!(found, kept, "{name}: springs that do not cross the cut");
        assert!(operator.weights().iter().all(|w| (w / 50.0 - 1.0).abs() < 1e-12), "{name}");
        assert!(found.iter().flatten().all(|v| rest[*v as usize] == mesh.positions[*v as usize]), "{name}");
        let report = sim.report();
        assert!(report.potential() < 1e-20, "{name}: {:?}", report.elastic);
        sim.step()?;
        assert!(sim.report().max_speed < 1e-7, "{name}: something pulls, {} m/s", sim.report().max_speed);
    }
    Ok(())
}

/// Vertices near the cut do not move onto it where springs end at them: the cut goes through them, and springs along it are shared.
#[test]
fn a_cut_near_vertices_with_added_springs_goes_through_these_vertices() -> Outcome {
    use pliant::energy::{EdgeSprings, SpringStiffness};
    let mesh = sheet(9, 7, 1.0, 1.0);
    let net = mesh.edges();
    let springs = EdgeSprings::new(net.clone(), SpringStiffness::Uniform(50.0)).build(&mesh.positions)?;
    let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("square").with_energy(springs);
    let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).build()?;
    let report = sim.cut("square", &Cut::Plane { point: Vec3::X * 0.055, normal: Vec3::X })?;
    assert_eq!((pieces(&sim, 0), report.inserted, report.doubled), (2, 0, 8));
    let operator = sim.model().energies().iter().rfind(|entry| entry.batch.kind() == "edge_spring");
    let total: f64 = operator.map(|entry| entry.batch.operator().weights().iter().sum()).unwrap();
    assert!((total / (50.0 * net.len() as f64) - 1.0).abs() < 1e-12, "{total} N/m in all");
    assert!(sim.report().potential() < 1e-20, "{:?}", sim.report().elastic);
    Ok(())
}

#[test]
fn a_spring_that_does_not_follow_the_mesh_stays_with_its_ends() -> Outcome {
    use pliant::energy::{EdgeSprings, SpringStiffness};
    let mesh = sheet(9, 7, 1.0, 1.0);
    // From one side of the cut to the other, and from beside it to the rim.
    let net = vec![[0, 9], [4, 0], [74, 70]];
    let springs = EdgeSprings::new(net.clone(), SpringStiffness::Uniform(50.0)).build(&mesh.positions)?;
    let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("square").with_energy(springs);
    let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).build()?;
    sim.cut("square", &Cut::Plane { point: Vec3::X * 0.03, normal: Vec3::X })?;
    let operator = sim.model().energies().iter().rfind(|entry| entry.batch.kind() == "edge_spring");
    let operator = operator.map(|entry| entry.batch.operator()).unwrap();
    let found: Vec<[u32; 2]> = (0..operator.len()).map(|e| [operator.stencil(e)[0], operator.stencil(e)[1]]).collect();
    assert_eq!(found, net);
    Ok(())
}

#[test]
fn a_slit_leaves_the_springs_around_its_end() -> Outcome {
    use pliant::energy::{EdgeSprings, SpringStiffness};
    let mesh = sheet(8, 8, 1.0, 1.0);
    let net = mesh.edges();
    let springs = EdgeSprings::new(net.clone(), SpringStiffness::Uniform(50.0)).build(&mesh.positions)?;
    let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("square").with_energy(springs);
    let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).build()?;
    // From outside to the middle of a triangle.
    let (height, end) = (0.03, 0.1);
    let points = vec![Vec3::new(-0.6, height, 0.0), Vec3::new(end, height, 0.0)];
    sim.cut("square", &Cut::Polyline { points, direction: Vec3::Z })?;
    assert_eq!(pieces(&sim, 0), 1);
    let crosses = |[a, b]: &[u32; 2]| {
        let [a, b] = [a, b].map(|v| mesh.positions[*v as usize]);
        let share = (height - a.y) / (b.y - a.y);
        (0.0..=1.0).contains(&share) && a.x + share * (b.x - a.x) < end
    };
    let operator = sim.model().energies().iter().rfind(|entry| entry.batch.kind() == "edge_spring");
    let operator = operator.map(|entry| entry.batch.operator()).unwrap();
    let found: Vec<[u32; 2]> = (0..operator.len()).map(|e| [operator.stencil(e)[0], operator.stencil(e)[1]]).collect();
    let kept: Vec<[u32; 2]> = net.iter().copied().filter(|edge| !crosses(edge)).collect();
    assert!(kept.len() < net.len() && found == kept, "{} springs of {}, not {}", found.len(), net.len(), kept.len());
    Ok(())
}

#[test]
fn a_cut_of_cloth_with_added_triangles_is_refused_with_a_way_out_and_changes_nothing() -> Outcome {
    let mesh = sheet(4, 4, 1.0, 1.0);
    let added = pliant::energy::TriangleArea { triangles: mesh.triangles.clone(), stiffness: 10.0, bounds: [0.9, 1.1] };
    let cloth =
        Body::cloth(&mesh, &ClothMaterial::default())?.named("square").with_energy(added.build(&mesh.positions)?);
    let mut sim = Simulation::builder().body(cloth).build()?;
    let error = sim.cut("square", &Cut::Plane { point: Vec3::X * 0.03, normal: Vec3::X }).unwrap_err().to_string();
    assert_eq!(
        error,
        "body \"square\": the cut would divide elements of \"triangle_area\", which was added to its material: leave out those that the cut meets, or add springs instead, which can be cut"
    );
    assert_eq!((sim.positions().len(), sim.topology_changes()), (25, 0));
    sim.step()?;
    Ok(())
}
