//! State, inputs and checkpoints follow when a model is replaced.

use pliant::energy::PositionGoals;
use pliant::prelude::*;

use super::common::{Outcome, sheet};

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
    let builder = builder.solver(ProjectiveParams::default());
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
fn what_cannot_tear_itself_goes_on_as_before_beside_what_does() -> Outcome {
    let mesh = sheet(6, 6, 1.0, 1.0);
    let world = |stretch: f64| -> Result<Simulation, Box<dyn std::error::Error>> {
        let wide: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(1.2 * p.x, p.y, p.z)).collect();
        let paper = Body::cloth(&mesh, &ClothMaterial::default())?.named("paper").with_positions(wide);
        let paper = paper.with_tearing(Tearing::at_stretch(stretch)).pin_where(|p| p.x.abs() > 0.49);
        let cable = Body::rods(&rope(Vec3::Z, Vec3::new(1.0, 0.0, 1.0), 6)?, &RodMaterial::default())?.named("cable");
        let strand = rope(Vec3::Z * 2.0, Vec3::new(1.0, 0.0, 2.0), 6)?;
        let stalk = OrientedParticles::along(&strand, &[0.02; 7])?;
        let stalk = Body::oriented(&stalk, &OrientedMaterial::default())?.named("stalk").pin([0]);
        let builder = Simulation::builder().body(paper).body(cable.pin([0, 1])).body(stalk);
        Ok(builder.solver(PositionBasedParams::default()).build()?)
    };
    let (mut torn, mut whole) = (world(1.05)?, world(99.0)?);
    let mut saved = Vec::new();
    for step in 0..12 {
        if step == 6 {
            saved = torn.checkpoint().to_bytes();
        }
        torn.step()?;
        whole.step()?;
    }
    assert!(torn.topology_changes() > 0 && whole.topology_changes() == 0);
    for body in ["cable", "stalk"] {
        assert_eq!(torn.body_positions(body)?, whole.body_positions(body)?, "{body}");
        assert!(whole.body_positions(body)?.iter().any(|p| p.y < -1e-3), "{body} moves");
    }
    assert_eq!(torn.state().channels, whole.state().channels);
    let mut resumed = world(1.05)?;
    resumed.restore(&Checkpoint::from_bytes(&saved)?)?;
    (6..12).try_for_each(|_| resumed.step().map(drop))?;
    assert_eq!(resumed.checkpoint(), torn.checkpoint());
    Ok(())
}
