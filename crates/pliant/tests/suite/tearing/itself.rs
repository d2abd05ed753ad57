//! Bodies that tear or are cut and are kept from themselves: their rims are surfaces like all others.

use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections, least_distance};

use super::common::{Outcome, pieces, sheet};

fn layers(thickness: f64) -> SelfCollision {
    SelfCollision { thickness, ..SelfCollision::default() }
}

fn crossings(sim: &Simulation) -> usize {
    intersections(&Primitives::new(sim.model().bodies()), sim.positions()).len()
}

/// The widest distance between two vertices that were one.
fn widest(sim: &Simulation) -> f64 {
    let (x, rest) = (sim.positions(), sim.model().rest());
    let pairs = (0..x.len()).flat_map(|v| (0..v).map(move |u| (u, v))).filter(|&(u, v)| rest[u] == rest[v]);
    pairs.map(|(u, v)| x[u].distance(x[v])).fold(0.0, f64::max)
}

/// A sheet whose rim is pinned.
fn pinned_sheet() -> Result<Simulation, pliant::ModelError> {
    let mesh = sheet(16, 8, 1.2, 0.6);
    let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("sheet");
    let cloth = cloth.with_tearing(Tearing::at_stretch(1.1).with_noise(0.3, 2));
    let cloth = cloth.pin_where(|p| p.x.abs() > 0.59 || p.y.abs() > 0.29);
    Simulation::builder().body(cloth).self_collision(layers(2e-3)).time_step(1e-2).build()
}

/// Pulls its rim apart within 20 steps, and from the 40th on together again.
fn pull(sim: &mut Simulation, step: usize) -> Result<pliant::StepReport, Box<dyn std::error::Error>> {
    let ramp = |from: f64| ((step as f64 - from) / 20.0).clamp(0.0, 1.0);
    let stretch = 1.0 + 0.25 * (ramp(0.0) - ramp(40.0));
    sim.move_pins(|_, rest| Vec3::new(stretch * rest.x, rest.y, rest.z))?;
    Ok(sim.step()?)
}

#[test]
fn a_sheet_torn_to_its_pinned_rim_never_passes_through_itself_and_its_rims_press_when_it_closes() -> Outcome {
    let mut sim = pinned_sheet()?;
    let (mut open, mut contacts) = (0.0_f64, 0);
    for step in 1..=80 {
        let report = pull(&mut sim, step)?.self_collision.unwrap();
        assert_eq!(crossings(&sim), 0, "step {step}");
        open = open.max(widest(&sim));
        if step > 65 {
            contacts += report.contacts;
        }
    }
    assert!(sim.topology_changes() > 10 && open > 0.1, "{} changes, {open} m", sim.topology_changes());
    assert!(!sim.model().bodies()[0].welded.is_empty(), "cracks have come to the rim that is pinned");
    assert!(contacts > 500, "{contacts} contacts in 15 steps of closed cracks");
    Ok(())
}

#[test]
fn a_torn_world_that_is_kept_from_itself_resumes_bit_for_bit() -> Outcome {
    let mut whole = pinned_sheet()?;
    (1..=50).try_for_each(|step| pull(&mut whole, step).map(drop))?;
    let saved = Checkpoint::from_bytes(&whole.checkpoint().to_bytes())?;
    let mut resumed = pinned_sheet()?;
    resumed.restore(&saved)?;
    for step in 51..=70 {
        let torn = [&mut whole, &mut resumed].map(|sim| pull(sim, step).unwrap().torn);
        assert_eq!(torn[0], torn[1]);
        assert_eq!(whole.positions(), resumed.positions(), "step {step}");
    }
    assert_eq!(whole.checkpoint(), resumed.checkpoint());
    Ok(())
}

/// A cloth that hangs folded over, cut along its fold or across it: both halves are near each other.
#[test]
fn a_cut_half_falls_on_the_other_and_stays_there() -> Outcome {
    let thickness = 4e-3;
    let mesh = Sheet { width: 0.4, height: 0.2, columns: 16, rows: 8, plane: Plane::Xz, ..Sheet::default() }.mesh()?;
    // The right half lies over the left one.
    let folded = |p: &Vec3| if p.x > 0.0 { Vec3::new(-p.x, 0.25 * p.x.min(0.1), p.z) } else { *p };
    let positions = mesh.positions.iter().map(folded).collect();
    let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("cloth").with_positions(positions);
    let cloth = cloth.pin_where(|p| p.x < 1e-9);
    let mut sim = Simulation::builder().body(cloth).self_collision(layers(thickness)).build()?;
    let cut = Cut::Plane { point: Vec3::new(0.061, 0.0, 0.0), normal: Vec3::new(1.0, 0.0, 0.2) };
    let report = sim.cut_at_rest("cloth", &cut)?;
    assert!(report.doubled > 8 && pieces(&sim, 0) == 2);
    assert_eq!(crossings(&sim), 0);
    for step in 0..120 {
        sim.step()?;
        assert_eq!(crossings(&sim), 0, "step {step}");
    }
    let rest = sim.model().rest();
    let loose = (0..rest.len()).filter(|&v| rest[v].x > 0.061 + 0.03);
    let lowest = loose.map(|v| sim.positions()[v].y).fold(f64::INFINITY, f64::min);
    let near = least_distance(&Primitives::new(sim.model().bodies()), sim.positions());
    println!("the piece lies at {lowest} m; {near:?}");
    assert!(lowest > 0.5 * thickness && lowest < 3.0 * thickness, "the piece lies at {lowest} m");
    Ok(())
}

#[test]
fn a_crack_through_a_crumpled_cloth_leaves_no_intersection() -> Outcome {
    let mesh = Sheet { width: 0.3, height: 0.3, columns: 15, rows: 15, plane: Plane::Xz, ..Sheet::default() }.mesh()?;
    let cloth =
        Body::cloth(&mesh, &ClothMaterial::default())?.with_tearing(Tearing::at_stretch(1.03).with_noise(0.2, 5));
    let builder = Simulation::builder().body(cloth.named("cloth")).gravity(Vec3::ZERO);
    let mut sim = builder.self_collision(layers(3e-3)).build()?;
    let mut torn = 0;
    for step in 0..150 {
        let masses = sim.model().mass().lumped().to_vec();
        let wave = |[x, y, z]: [f64; 3], k: f64| {
            Vec3::from([y, z, x].map(|p| (60.0 * p + 0.3 * k * f64::from(step / 15)).sin()))
        };
        for v in 0..256 {
            let p = sim.positions()[v];
            let force = (wave(p.to_array(), 1.0) + wave([p.y, p.z, p.x], 1.7)) * 50.0 - p * 60.0;
            sim.set_force("cloth", v as u32, force * masses[v])?;
        }
        torn += sim.step()?.torn;
        assert_eq!(crossings(&sim), 0, "step {step}");
    }
    println!("{torn} vertices doubled");
    assert!(torn > 30, "{torn} vertices doubled");
    Ok(())
}

#[test]
fn a_bar_and_a_rope_that_are_kept_from_themselves_break_and_their_ends_do_not_pass() -> Outcome {
    let mesh = TetBox { size: Vec3::new(1.0, 0.25, 0.25), cells: [8, 2, 2], ..TetBox::default() }.mesh()?;
    let material = SolidMaterial { poisson_ratio: 0.0, youngs_modulus: 1e6, ..SolidMaterial::default() };
    let bar = Body::solid(&mesh, &material)?.named("bar").with_tearing(Tearing::at_stretch(1.1));
    let line = rope(Vec3::new(-0.5, 0.5, 0.0), Vec3::new(0.5, 0.5, 0.0), 20)?;
    let cord = Body::strands(&line, &StrandMaterial::default())?.named("cord").with_tearing(Tearing::at_stretch(1.05));
    let [bar, cord] = [bar, cord].map(|body| body.pin_where(|p| p.x.abs() > 0.499));
    let builder = Simulation::builder().body(bar).body(cord).gravity(Vec3::ZERO).self_collision(layers(5e-3));
    let mut sim = builder.build()?;
    let mut open = 0.0_f64;
    for step in 1..=120 {
        let ramp = |from: f64| ((f64::from(step) - from) / 20.0).clamp(0.0, 1.0);
        let stretch = 1.0 + 0.3 * (ramp(0.0) - ramp(60.0));
        sim.move_pins(|_, rest| Vec3::new(stretch * rest.x, rest.y, rest.z))?;
        sim.step()?;
        assert_eq!(crossings(&sim), 0, "step {step}");
        open = open.max(widest(&sim));
    }
    assert_eq!((pieces(&sim, 0), pieces(&sim, 1)), (2, 2));
    assert!(open > 0.1, "{open} m");
    Ok(())
}
