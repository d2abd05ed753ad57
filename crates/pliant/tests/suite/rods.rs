//! Rods in a world: closed forms, torsion, curls, bits.

use std::f64::consts::PI;
use std::path::PathBuf;

use pliant::mesh::{Csr, StrandSet};
use pliant::prelude::*;
use pliant::solve::PositionBasedParams;
use pliant::{InputError, ModelError};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const WIRE: RodMaterial =
    RodMaterial { radius: 1e-3, density: 7800.0, youngs_modulus: 2e11, shear_modulus: 8e10, keeps_shape: true };

/// A straight rod along x that is clamped before the origin and has a free length \[m\].
fn straight(length: f64, segments: usize) -> Result<StrandSet, Box<dyn std::error::Error>> {
    let step = length / segments as f64;
    Ok(rope(Vec3::X * -step, Vec3::X * length, segments + 1)?)
}

fn position_based(iterations: usize) -> PositionBasedParams {
    PositionBasedParams { iterations, ..PositionBasedParams::default() }
}

fn clamped(rod: &StrandSet, material: &RodMaterial) -> Result<Body, ModelError> {
    Ok(Body::rods(rod, material)?.named("rod").pin([0, 1]))
}

#[test]
fn a_load_at_the_tip_bends_by_pl3_over_3ei_whatever_the_iterations() -> Outcome {
    let (length, load, segments) = (0.5_f64, 1e-2, 40);
    let [bending, _] = WIRE.stiffnesses();
    let expected = load * length.powi(3) / (3.0 * bending);
    for iterations in [2, 20] {
        let body = clamped(&straight(length, segments)?, &WIRE)?;
        let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(position_based(iterations));
        let mut sim = builder.damping(Damping { drag: 20.0, ..Damping::default() }).build()?;
        let tip = segments as u32 + 1;
        sim.set_force("rod", tip, Vec3::NEG_Y * load)?;
        for _ in 0..400 {
            sim.step()?;
        }
        let drop = -sim.positions()[tip as usize].y;
        assert!((drop / expected - 1.0).abs() < 1e-3, "{iterations} iterations: {drop} m for {expected} m");
    }
    Ok(())
}

/// Drop of the tip over the length of a rod that hangs under its own weight.
fn hang(gamma: f64, segments: usize) -> Result<f64, Box<dyn std::error::Error>> {
    let length = 1.0_f64;
    let youngs_modulus = WIRE.line_density() * 9.81 * length.powi(3) / gamma / (0.25 * PI * WIRE.radius.powi(4));
    let material = RodMaterial { youngs_modulus, shear_modulus: 0.4 * youngs_modulus, ..WIRE };
    let body = clamped(&straight(length, segments)?, &material)?;
    let builder = Simulation::builder().body(body).solver(position_based(4));
    let mut sim = builder.damping(Damping { drag: 4.0, ..Damping::default() }).build()?;
    for _ in 0..600 {
        sim.step()?;
    }
    Ok(-sim.positions()[segments + 1].y / length)
}

#[test]
fn a_rod_under_its_weight_follows_the_master_curve() -> Outcome {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("PLIANT_DATA").map_or_else(beside, PathBuf::from);
    let path = folder.join("reference/cantilever_self_weight_master_curve.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no {}", path.display());
        return Ok(());
    };
    let numbers = |line: &str| line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>().ok();
    let table: Vec<Vec<f64>> = text.lines().filter_map(numbers).collect();
    for gamma in [0.1, 1.0, 10.0, 100.0] {
        let row = table.iter().min_by(|a, b| (a[0] - gamma).abs().total_cmp(&(b[0] - gamma).abs()));
        let row = row.ok_or("an empty table")?;
        let found = hang(row[0], 40)?;
        println!("Γ = {}: {found:.5}, known {:.5}", row[0], row[1]);
        assert!((found / row[1] - 1.0).abs() < 3e-3, "Γ = {}: {found} for {}", row[0], row[1]);
    }
    Ok(())
}

#[test]
fn a_rod_twisted_by_an_angle_holds_the_energy_of_gj() -> Outcome {
    // Both ends are clamped; the far one is turned. T = GJ φ/L, so the work is GJ φ²/2L.
    let (segments, length, angle) = (20, 0.5, 1.2);
    let rod = straight(length + length / segments as f64, segments + 1)?;
    let last = rod.positions.len() as u32 - 1;
    let body = clamped(&rod, &WIRE)?.pin([last - 1, last]);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(position_based(4));
    let mut sim = builder.damping(Damping { drag: 20.0, ..Damping::default() }).build()?;
    for _ in 0..20 {
        sim.twist_rod("rod", last as usize - 1, angle / 20.0)?;
        sim.step()?;
    }
    for _ in 0..200 {
        sim.step()?;
    }
    let [_, torsion] = WIRE.stiffnesses();
    let expected = 0.5 * torsion * angle * angle / length;
    let found = sim.report().potential();
    assert!((found / expected - 1.0).abs() < 2e-3, "{found} J for {expected} J");
    let off = sim.positions().iter().zip(&rod.positions).fold(0.0_f64, |most, (x, p)| most.max(x.distance(*p)));
    assert!(off < 1e-9, "it stays straight: {off}");
    assert_eq!(
        sim.twist_rod("rod", 5, 1.0),
        Err(InputError::NotClamped { body: "rod".into(), segment: 5 }),
        "only clamped segments can be turned"
    );
    Ok(())
}

/// A curl that hangs down.
fn curl() -> Result<StrandSet, Box<dyn std::error::Error>> {
    let turn = |i: u32| 0.35 * f64::from(i);
    let place = |i: u32| Vec3::new(0.02 * turn(i).cos(), -0.003 * f64::from(i), 0.02 * turn(i).sin());
    Ok(StrandSet::new((0..=80).map(place).collect(), Csr::from_rows([(0..=80).collect::<Vec<_>>()]))?)
}

#[test]
fn a_curl_at_rest_stays_and_a_straight_rod_of_its_mesh_does_not() -> Outcome {
    let soft = RodMaterial { youngs_modulus: 2e9, shear_modulus: 8e8, ..WIRE };
    let moved = |keeps_shape: bool| -> Result<f64, Box<dyn std::error::Error>> {
        let rod = curl()?;
        let body = clamped(&rod, &RodMaterial { keeps_shape, ..soft.clone() })?;
        let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(position_based(5)).build()?;
        for _ in 0..100 {
            sim.step()?;
        }
        Ok(sim.positions().iter().zip(&rod.positions).fold(0.0_f64, |most, (x, p)| most.max(x.distance(*p))))
    };
    let (curled, straight) = (moved(true)?, moved(false)?);
    assert!(curled < 1e-9 && straight > 0.05, "{curled} {straight}");
    Ok(())
}

/// Cables that fall on the ground and on a ball.
fn fall(threads: usize) -> Result<Simulation, Box<dyn std::error::Error>> {
    let mut cables = rope(Vec3::new(0.0, 0.1, 0.0), Vec3::new(0.1, 0.9, 0.0), 40)?;
    cables.append(&rope(Vec3::new(0.0, 0.3, 0.05), Vec3::new(0.6, 0.35, 0.05), 30)?)?;
    let builder = Simulation::builder().body(Body::rods(&cables, &RodMaterial::default())?.named("cables"));
    let ground = Collider::new(Shape::Plane).friction(0.4);
    let ball = Collider::new(Shape::Sphere { radius: 0.1 }).at(Vec3::new(0.3, 0.12, 0.05)).friction(0.4);
    Ok(builder.collider(ground).collider(ball).solver(position_based(10)).threads(threads).build()?)
}

#[test]
fn threads_change_no_bit_of_a_rod_and_neither_does_a_checkpoint() -> Outcome {
    let (mut alone, mut together) = (fall(1)?, fall(2)?);
    let mut saved = None;
    for step in 0..60 {
        alone.step()?;
        together.step()?;
        assert_eq!(alone.state(), together.state(), "step {step}");
        if step == 29 {
            saved = Some(Checkpoint::from_bytes(&alone.checkpoint().to_bytes())?);
        }
    }
    assert!(!alone.contacts().is_empty(), "it lies on something");
    assert_eq!(alone.state().channels[0].quaternions("orientations").len(), 70, "one orientation for each segment");
    let mut resumed = fall(2)?;
    resumed.restore(&saved.ok_or("no checkpoint")?)?;
    for _ in 30..60 {
        resumed.step()?;
    }
    assert_eq!(resumed.state(), alone.state());
    Ok(())
}

#[test]
fn orientations_are_found_by_body() -> Outcome {
    let cord = Body::strands(&straight(0.5, 3)?, &StrandMaterial::default())?;
    let builder = Simulation::builder().body(clamped(&straight(0.5, 4)?, &WIRE)?).body(cord);
    let lying = Body::rods(&rope(Vec3::ZERO, Vec3::X, 4)?, &WIRE)?.named("lying");
    let sim = builder.body(lying).solver(position_based(4)).build()?;
    for (body, count) in [("rod", 5), ("body 1", 0), ("lying", 4)] {
        assert_eq!((sim.orientations(body)?.len(), sim.spins(body)?.len()), (count, count), "{body}");
    }
    for q in sim.orientations("lying")? {
        assert!((*q * Vec3::Z).distance(Vec3::X) < 1e-12, "{q}");
    }
    assert!(sim.orientations("nobody").is_err());
    Ok(())
}

#[test]
fn solvers_that_know_no_rods_and_rods_that_share_vertices_are_refused() -> Outcome {
    let wire = || Ok::<_, Box<dyn std::error::Error>>(Simulation::builder().body(clamped(&straight(0.5, 4)?, &WIRE)?));
    let built = wire()?.solver(NewtonParams::default()).build();
    assert!(matches!(&built, Err(ModelError::UnsupportedConstraint { kind: "rod", .. })), "{:?}", built.err());
    let mut sim = wire()?.solver(position_based(4)).build()?;
    let refused = sim.set_solver(NewtonParams::default());
    assert!(matches!(&refused, Err(ModelError::UnsupportedConstraint { kind: "rod", .. })), "{refused:?}");
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let star = StrandSet::new(positions, Csr::from_rows([[0, 1], [0, 2], [0, 3]]))?;
    let star = Body::rods(&star, &WIRE)?.named("star");
    let built = Simulation::builder().body(star).solver(position_based(4)).build();
    assert!(matches!(&built, Err(ModelError::SharedRodVertex { vertex: 0, .. })), "{:?}", built.err());
    let thin = RodMaterial { radius: 0.0, ..WIRE };
    assert!(Body::rods(&curl()?, &thin).is_err_and(|error| error.to_string().contains("radius")));
    Ok(())
}
