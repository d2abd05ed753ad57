//! Energies that depend on the shape alone.

use super::support::{Random, cases, samples};
use pliant::energy::batch_energy;
use pliant::math::{Mat3, Vec3};

#[test]
fn rigid_motion_leaves_the_energy_unchanged() {
    for case in cases() {
        let properties = case.batch.properties();
        let random = &mut Random::new(7);
        for sample in samples(&case.rest, 12) {
            let energy = case.energy(&sample.x, &case.fresh());
            let turn = if properties.rotation_invariant { random.rotation() } else { Mat3::IDENTITY };
            let shift = if properties.translation_invariant { 3.0 * random.vector() } else { Vec3::ZERO };
            let moved: Vec<Vec3> = sample.x.iter().map(|p| turn * *p + shift).collect();
            let after = case.energy(&moved, &case.fresh());
            assert!(
                (after - energy).abs() <= 1e-10 * energy + 1e-15 * case.scale(&moved),
                "{}, sample {}: {energy} J, moved {after} J",
                case.name,
                sample.label
            );
        }
    }
}

#[test]
fn the_rest_shape_has_no_energy_and_no_force() {
    for case in cases() {
        assert!(case.batch.properties().zero_at_rest, "{} is declared to have energy at rest", case.name);
        let memory = case.projected(&case.rest, &case.fresh());
        let energy = batch_energy(case.batch.as_ref(), &case.rest, &memory);
        assert!((0.0..1e-24).contains(&energy), "{}: {energy} J", case.name);
        for (vertex, force) in case.gradient(&case.rest, &memory).iter().enumerate() {
            assert!(force.length() < 1e-12, "{}: {force} N at vertex {vertex}", case.name);
        }
    }
}

#[test]
fn an_energy_that_is_not_declared_invariant_is_not() {
    for case in cases() {
        let properties = case.batch.properties();
        let down: Vec<Vec3> = case.rest.iter().map(|p| *p - 2.0 * Vec3::Y).collect();
        let moved = case.energy(&down, &case.fresh());
        assert_eq!(moved < 1e-20, properties.translation_invariant, "{}: {moved} J", case.name);
    }
}
