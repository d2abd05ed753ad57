//! Wind as a part of a world: what it remembers is saved, its bits do not depend on threads, bad numbers are refused.
#![allow(clippy::unwrap_used)]

use pliant::prelude::*;
use pliant::{InputError, ModelError};

fn gusty() -> Wind {
    Wind { turbulence: Turbulence { strength: 0.3, length: 0.5, seed: 11 }, ..Wind::new(Vec3::new(6.0, 0.0, 2.0)) }
}

/// A flag of silk with a thread that flies beside it.
fn flag(threads: usize) -> Simulation {
    let mesh = Sheet { width: 0.6, height: 0.4, columns: 24, rows: 16, ..Sheet::default() }.mesh().unwrap();
    let silk = ClothMaterial { density: 0.04, ..ClothMaterial::default() };
    let pins = (0..mesh.positions.len() as u32).filter(|&v| mesh.positions[v as usize].x < -0.3 + 1e-9);
    let flag = Body::cloth(&mesh, &silk).unwrap().named("flag").pin(pins);
    let thread = rope(Vec3::new(-0.3, 0.5, 0.0), Vec3::new(0.3, 0.5, 0.0), 12).unwrap();
    let thin = StrandMaterial { density: 1e-4, ..StrandMaterial::default() };
    let thread = Body::strands(&thread, &thin).unwrap().named("thread").pin([0]);
    Simulation::builder().body(flag).body(thread).wind(gusty()).threads(threads).build().unwrap()
}

fn run(sim: &mut Simulation, steps: usize) -> Vec<Vec3> {
    for _ in 0..steps {
        sim.step().unwrap();
    }
    sim.positions().to_vec()
}

#[test]
fn a_restored_run_goes_on_in_the_same_wind_bit_for_bit() {
    let mut sim = flag(1);
    run(&mut sim, 12);
    let bytes = sim.checkpoint().to_bytes();
    let expected = run(&mut sim, 12);
    let mut other = flag(1);
    other.restore(&Checkpoint::from_bytes(&bytes).unwrap()).unwrap();
    assert_eq!(run(&mut other, 12), expected);
    // What else than the air moved the vertices is part of it, and so is how far the air has gone.
    let names: Vec<String> = sim.checkpoint().channels().map(|(name, _)| name.to_owned()).collect();
    assert!(["before/others", "air"].iter().all(|name| names.iter().any(|other| other == name)), "{names:?}");
    let path = sim.state().air;
    assert!((path.carried - gusty().velocity * sim.time()).length() < 1e-12);
    assert!((path.length - gusty().velocity.length() * sim.time()).abs() < 1e-12);
}

#[test]
fn eddies_have_the_same_bits_on_any_number_of_threads() {
    let expected = run(&mut flag(1), 6);
    for threads in [2, 3] {
        assert_eq!(run(&mut flag(threads), 6), expected);
    }
}

#[test]
fn eddies_move_what_steady_wind_leaves_in_its_plane() {
    // Along its own plane steady wind does not press on a flag that does not sag.
    let out_of_plane = |strength: f64| {
        let mesh = Sheet { width: 0.6, height: 0.4, columns: 12, rows: 8, ..Sheet::default() }.mesh().unwrap();
        let pins = (0..mesh.positions.len() as u32).filter(|&v| mesh.positions[v as usize].x < -0.3 + 1e-9);
        let flag = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().pin(pins);
        let turbulence = Turbulence { strength, length: 0.5, seed: 1 };
        let wind = Wind { turbulence, ..Wind::new(Vec3::X * 8.0) };
        let mut sim = Simulation::builder().body(flag).gravity(Vec3::ZERO).wind(wind).build().unwrap();
        run(&mut sim, 30).iter().fold(0.0_f64, |most, p| most.max(p.z.abs()))
    };
    assert!(out_of_plane(0.0) < 1e-9);
    assert!(out_of_plane(0.2) > 0.01);
}

#[test]
fn wind_that_makes_no_sense_is_refused_with_its_number() {
    let eddies = |turbulence: Turbulence| Wind { turbulence, ..gusty() };
    let good = gusty().turbulence;
    for (wind, name) in [
        (Wind { velocity: Vec3::new(f64::NAN, 0.0, 0.0), ..gusty() }, "wind velocity"),
        (Wind { air_density: -1.0, ..gusty() }, "air density"),
        (Wind { drag: f64::INFINITY, ..gusty() }, "wind drag"),
        (Wind { strand_drag: -0.1, ..gusty() }, "drag of strands"),
        (Wind { strand_friction: f64::NAN, ..gusty() }, "friction of strands"),
        (eddies(Turbulence { strength: -0.1, ..good }), "strength of turbulence"),
        (eddies(Turbulence { length: 0.0, ..good }), "length of turbulence"),
        (eddies(Turbulence { length: f64::INFINITY, ..good }), "length of turbulence"),
    ] {
        let rope = || Body::strands(&rope(Vec3::ZERO, Vec3::X, 2).unwrap(), &StrandMaterial::default()).unwrap();
        let refused = Simulation::builder().body(rope()).wind(wind).build().unwrap_err();
        assert!(matches!(refused, ModelError::BadParameter { name: found, .. } if found == name), "{refused}");
        let mut sim = Simulation::builder().body(rope()).wind(gusty()).build().unwrap();
        let refused = sim.set_wind(Some(wind)).unwrap_err();
        assert!(matches!(refused, InputError::BadValue { name: found, .. } if found == name), "{refused}");
        assert_eq!(sim.wind(), Some(gusty()), "the wind stays");
    }
    let loose = |width: f64| Body::new(vec![Vec3::ZERO], vec![(0, 0, 1.0)]).with_strand_width(width);
    assert!(
        Simulation::builder().body(loose(-1.0)).build().unwrap_err().to_string().contains("width of strands is -1")
    );
    let material = StrandMaterial { width: Some(0.0), ..StrandMaterial::default() };
    let refused = Body::strands(&rope(Vec3::ZERO, Vec3::X, 2).unwrap(), &material).unwrap_err().to_string();
    assert!(refused.contains("width"), "{refused}");
}
