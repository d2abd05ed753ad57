//! Volumes and their corrections.

use super::*;
use crate::mesh::generate::Icosphere;

fn sphere() -> TriangleMesh {
    Icosphere { radius: 0.5, subdivisions: 3 }.mesh().expect("a sphere")
}

fn volume_of(params: VolumeConservation, masses: &[f64]) -> Volume {
    let mesh = sphere();
    Volume::new(params, mesh.triangles, &mesh.positions, masses)
}

/// From places to goals.
fn ways(goals: &[Vec3], x: &[Vec3]) -> Vec<Vec3> {
    goals.iter().zip(x).map(|(goal, x)| *goal - *x).collect()
}

#[test]
fn what_one_correction_leaves_of_a_scaled_sphere_is_of_second_order() {
    let mesh = sphere();
    let n = mesh.positions.len();
    let left = |scale: f64| {
        let mut of = volume_of(VolumeConservation::default(), &vec![0.1; n]);
        let mut x: Vec<Vec3> = mesh.positions.iter().map(|p| *p * (1.0 + scale) + Vec3::new(1e3, 0.0, -2e3)).collect();
        of.begin(&vec![Vec3::ZERO; n], &x);
        of.correct(&vec![10.0; n], &mut x);
        (volume(&mesh.triangles, &x) / of.at_rest - 1.0).abs()
    };
    for scale in [0.04, -0.04, 0.01] {
        let (whole, half) = (left(scale), left(0.5 * scale));
        println!("scaled by {scale}: {whole} left, {half} of half of it");
        assert!(whole < 4.0 * scale * scale, "{whole}");
        assert!((whole / half - 4.0).abs() < 0.3, "{whole} and {half}");
    }
}

#[test]
fn the_gradient_is_that_of_the_volume() {
    let mesh = sphere();
    let x: Vec<Vec3> = mesh.positions.iter().map(|p| *p * Vec3::new(1.0, 0.7, 1.2) + Vec3::Y * p.x * p.z).collect();
    let exact = gradient(&mesh.triangles, &x);
    for v in [0, 17, 100] {
        for axis in 0..3 {
            let at = |by: f64| {
                let mut moved = x.clone();
                moved[v][axis] += by;
                volume(&mesh.triangles, &moved)
            };
            let slope = (at(1e-3) - at(-1e-3)) / 2e-3;
            assert!((slope - exact[v][axis]).abs() < 1e-12, "{slope} for {}", exact[v]);
        }
    }
    let sum: Vec3 = exact.iter().sum();
    assert!(sum.length() < 1e-14, "{sum}");
}

#[test]
fn rays_through_a_sphere_come_out_on_the_other_side() {
    let mesh = sphere();
    let opposite = opposite_vertices(&mesh);
    for (v, found) in opposite.iter().enumerate() {
        let (other, distance) = found.expect("the other side");
        assert!((0.9..=1.0 + 1e-12).contains(&distance), "{v}: {distance}");
        assert!(mesh.positions[v].dot(mesh.positions[other as usize]) < -0.2, "{v} and {other}");
    }
}

#[test]
fn local_corrections_of_a_dented_sphere_keep_its_momentum_and_move_what_is_near() {
    let mesh = sphere();
    let n = mesh.positions.len();
    let masses: Vec<f64> = (0..n).map(|v| 0.1 + 0.01 * (v % 5) as f64).collect();
    let inverse: Vec<f64> = masses.iter().map(|m| 1.0 / m).collect();
    let dented: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(p.x.min(0.3), p.y, p.z)).collect();
    for distances in [0.0, 0.5, 1.0] {
        let mut of = volume_of(VolumeConservation { local: 1.0, distances, smoothing: 2 }, &masses);
        of.begin(&ways(&mesh.positions, &dented), &dented);
        let mut x = dented.clone();
        of.correct(&inverse, &mut x);
        let error = volume(&mesh.triangles, &x) / of.at_rest - 1.0;
        let (mut momentum, mut spin, mut near, mut far) = (Vec3::ZERO, Vec3::ZERO, 0.0_f64, 0.0_f64);
        for v in 0..n {
            let movement = x[v] - dented[v];
            momentum += movement * masses[v];
            spin += dented[v].cross(movement) * masses[v];
            let place = mesh.positions[v];
            near = if place.x > 0.35 { near.max(movement.length()) } else { near };
            far = if place.x.abs() < 0.1 { far.max(movement.length()) } else { far };
        }
        println!("{distances}: error {error}, near the dent {near} m, far {far} m");
        assert!(momentum.length() < 1e-14 && spin.length() < 1e-14, "{momentum} {spin}");
        assert!(near > 2.0 * far, "{near} and {far}");
        let mut velocities: Vec<Vec3> = (0..n).map(|v| mesh.positions[v] * (v % 3) as f64).collect();
        of.correct_velocities(&inverse, &x, &mut velocities);
        let rate: f64 = gradient(&mesh.triangles, &x).iter().zip(&velocities).map(|(g, v)| g.dot(*v)).sum();
        assert!(rate.abs() < 1e-12, "{rate}");
    }
}

#[test]
fn what_touches_stays_and_the_others_make_up_for_it() {
    let mesh = sphere();
    let n = mesh.positions.len();
    let mut of = volume_of(VolumeConservation { local: 0.7, ..VolumeConservation::default() }, &vec![0.1; n]);
    let squeezed: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(p.x, p.y.clamp(-0.45, 0.45), p.z)).collect();
    of.begin(&ways(&mesh.positions, &squeezed), &squeezed);
    (0..n).for_each(|v| of.touch(v, 0.45 - squeezed[v].y.abs()));
    let mut x = squeezed.clone();
    (0..6).for_each(|_| of.correct(&vec![10.0; n], &mut x));
    let error = volume(&mesh.triangles, &x) / of.at_rest - 1.0;
    assert!(error.abs() < 1e-9, "{error}");
    let held = (0..n).filter(|&v| squeezed[v].y.abs() == 0.45);
    assert!(held.clone().count() > 10 && held.into_iter().all(|v| x[v] == squeezed[v]), "held");
    // Nothing is left to be moved: nothing moves.
    (0..n).for_each(|v| of.touch(v, 0.0));
    let before = x.clone();
    of.correct(&vec![10.0; n], &mut x);
    assert_eq!(x, before);
}
