//! When and where bodies tear, and what that keeps.

use std::collections::BTreeSet;

use pliant::prelude::*;

use super::common::{Outcome, elements, pieces, sheet, sums};

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

#[test]
fn the_energies_of_a_torn_sheet_are_those_of_its_torn_mesh() -> Outcome {
    let mesh = sheet(8, 6, 1.0, 1.0);
    for bend_model in [BendModel::Plate, BendModel::Hinge, BendModel::MeanCurvature] {
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
