//! Fluids on their own, among colliders, stepped by hand.

use super::*;
use crate::collide::{Collider, Shape};

/// Fluid in a box without lid.
struct Trial {
    fluids: Fluids,
    colliders: Vec<Collider>,
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    h: f64,
    iterations: usize,
    gravity: Vec3,
    size: Vec3,
}

fn material() -> FluidMaterial {
    FluidMaterial { spacing: 0.05, viscosity: 5e-3, ..FluidMaterial::default() }
}

/// Particles on a lattice that fills a box from the origin.
fn block(counts: [usize; 3], spacing: f64) -> Vec<Vec3> {
    let along = |c: usize| (0..counts[c]).map(move |k| (k as f64 + 0.5) * spacing);
    along(2).flat_map(|z| along(1).flat_map(move |y| along(0).map(move |x| Vec3::new(x, y, z)))).collect()
}

/// Half-spaces around a box without lid.
fn vessel(size: Vec3) -> Vec<Collider> {
    use crate::math::Quat;
    let wall =
        |normal: Vec3, at: Vec3| Collider::new(Shape::Plane).at(at).turned(Quat::from_rotation_arc(Vec3::Y, normal));
    let end = |axis: Vec3| size * axis;
    vec![
        wall(Vec3::Y, Vec3::ZERO),
        wall(Vec3::X, Vec3::ZERO),
        wall(-Vec3::X, end(Vec3::X)),
        wall(Vec3::Z, Vec3::ZERO),
        wall(-Vec3::Z, end(Vec3::Z)),
    ]
}

impl Trial {
    fn new(x: Vec<Vec3>, material: FluidMaterial, colliders: Vec<Collider>, size: Vec3) -> Self {
        let inverse_masses = vec![1.0 / material.particle_mass(); x.len()];
        let fluids = [FluidInfo { body: 0, vertices: 0..x.len(), material, emitter: None }];
        let ingredients =
            Ingredients { fluids: &fluids, surfaces: Vec::new(), rest: &x, inverse_masses: &inverse_masses };
        let fluids = Fluids::new(&ingredients).expect("a fluid");
        let v = vec![Vec3::ZERO; x.len()];
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        Self { fluids, colliders, x, v, h: 0.01, iterations: 4, gravity, size }
    }

    fn step(&mut self) {
        let (h, before) = (self.h, self.x.clone());
        for (x, v) in self.x.iter_mut().zip(&mut self.v) {
            *v += self.gravity * h;
            *x += *v * h;
        }
        let moving: Vec<Moving<'_>> = self.colliders.iter().map(|c| c.moving_over(0.0, h)).collect();
        self.fluids.begin(&moving, &before, h, &mut self.x);
        for number in 0..self.iterations {
            self.fluids.iterate(number, self.iterations, &mut self.x);
            if !moving.is_empty() {
                let top = Vec3::new(self.size.x - 1e-3, f64::INFINITY, self.size.z - 1e-3);
                self.x.iter_mut().for_each(|p| *p = p.clamp(Vec3::splat(1e-3), top));
            }
        }
        for ((v, x), before) in self.v.iter_mut().zip(&self.x).zip(&before) {
            *v = (*x - *before) / h;
        }
        self.fluids.correct_velocities(&self.x, &mut self.v, h);
    }

    fn densities(&mut self) -> Vec<f64> {
        self.fluids.densities(&self.x)
    }
}

#[test]
fn a_free_drop_keeps_its_momentum_while_it_flies_apart() {
    let mut x = block([7, 7, 7], 0.05);
    // Pressed together, so that it flies apart.
    x.iter_mut().for_each(|p| *p = (*p - Vec3::splat(0.175)) * 0.9);
    let mut trial = Trial::new(x, material(), Vec::new(), Vec3::ZERO);
    trial.gravity = Vec3::ZERO;
    for (v, x) in trial.v.iter_mut().zip(&trial.x) {
        *v = Vec3::new(1.0, 2.0, -0.5) + Vec3::new(0.3, 1.0, 2.0).cross(*x);
    }
    let momentum = |t: &Trial| t.v.iter().sum::<Vec3>();
    let before = momentum(&trial);
    for _ in 0..20 {
        trial.step();
    }
    let spread = trial.x.iter().map(|p| p.distance(trial.x[171])).fold(0.0, f64::max);
    assert!(spread > 0.3, "it flew apart: {spread} m");
    let lost = (momentum(&trial) - before).length() / before.length();
    assert!(lost < 1e-6, "momentum changed by {lost:e}");
}

#[test]
fn a_column_rests_at_its_density_height_and_pressure() {
    let counts = [6, 20, 6];
    let size = Vec3::new(0.3, 10.0, 0.3);
    let mut trial = Trial::new(block(counts, 0.05), material(), vessel(size), size);
    let mut deepest = Vec::new();
    for step in 0..300 {
        trial.step();
        if step >= 200 {
            let pressures = trial.fluids.pressures(trial.h);
            let low = (0..trial.x.len()).filter(|&k| trial.x[k].y < 0.1);
            let (sum, count) = low.fold((0.0, 0.0), |(sum, count), k| (sum + pressures[k], count + 1.0));
            deepest.push(sum / count);
        }
    }
    let densities = trial.densities();
    let inner = (0..trial.x.len()).filter(|&k| trial.x[k].y < 0.9);
    let (sum, count) = inner.fold((0.0, 0.0), |(sum, count), k| (sum + densities[k], count + 1.0));
    assert!((sum / count - 1.0_f64).abs() < 0.02, "mean density {}", sum / count);
    let height = 2.0 * trial.x.iter().map(|p| p.y).sum::<f64>() / trial.x.len() as f64;
    assert!((height - 1.0).abs() < 0.02, "height {height}");
    let pressure = deepest.iter().sum::<f64>() / deepest.len() as f64;
    let expected = 1000.0 * 9.81 * 0.95;
    // How much of a gradient neighbours see is known of a lattice; particles that have settled see less, and their pressure is higher for it.
    assert!((pressure / expected - 1.0).abs() < 0.3, "pressure near the ground {pressure} Pa, ρgz {expected} Pa");
}

#[test]
fn viscosity_slows_a_shear_flow_as_its_equation_says() {
    // Periodic is not to be had: a wide sheet with a wave across it, of which the middle counts.
    let spacing = 0.05;
    let nu = 0.01;
    let x = block([40, 12, 12], spacing);
    let trial =
        &mut Trial::new(x, FluidMaterial { viscosity: nu, separation: 0.0, ..material() }, Vec::new(), Vec3::ZERO);
    let wave = std::f64::consts::TAU / 1.0;
    let profile = |p: Vec3| (wave * p.x).sin();
    let is_inner = |p: &Vec3| p.x > 0.5 && p.x < 1.5 && p.y > 0.15 && p.y < 0.45 && p.z > 0.15 && p.z < 0.45;
    let inner: Vec<usize> = (0..trial.x.len()).filter(|&k| is_inner(&trial.x[k])).collect();
    let amplitude = |t: &Trial| {
        let sum: f64 = inner.iter().map(|&k| t.v[k].y * profile(t.x[k])).sum();
        2.0 * sum / inner.len() as f64
    };
    for (v, x) in trial.v.iter_mut().zip(&trial.x) {
        *v = Vec3::new(0.0, 0.01 * profile(*x), 0.0);
    }
    let before = amplitude(trial);
    let (h, steps) = (0.002, 20);
    trial.fluids.begin(&[], &trial.x.clone(), h, &mut trial.x);
    for _ in 0..steps {
        trial.fluids.correct_velocities(&trial.x, &mut trial.v, h);
    }
    let kept = amplitude(trial) / before;
    let expected = (-nu * wave * wave * h * f64::from(steps)).exp();
    assert!((kept - expected).abs() < 0.1 * (1.0 - expected), "kept {kept} of the wave, expected {expected}");
}

#[test]
fn confinement_keeps_a_vortex_spinning() {
    let spinning = |vorticity: f64| {
        let x = block([10, 10, 10], 0.05);
        let mut trial = Trial::new(x, FluidMaterial { vorticity, ..material() }, Vec::new(), Vec3::ZERO);
        let middle = Vec3::splat(0.25);
        for (v, x) in trial.v.iter_mut().zip(&trial.x) {
            let away = *x - middle;
            *v = Vec3::Z.cross(away) * (-away.length_squared() / 0.02).exp();
        }
        trial.fluids.begin(&[], &trial.x.clone(), 0.005, &mut trial.x);
        for _ in 0..10 {
            trial.fluids.correct_velocities(&trial.x, &mut trial.v, 0.005);
        }
        trial.v.iter().map(|v| v.length_squared()).sum::<f64>()
    };
    let (without, with) = (spinning(0.0), spinning(0.5));
    assert!(with > 1.1 * without, "{with} beside {without}");
}

#[test]
fn artificial_pressure_keeps_particles_apart() {
    let closest = |separation: f64| {
        let size = Vec3::new(1.0, 10.0, 0.3);
        let x = block([6, 12, 6], 0.05);
        let material = FluidMaterial { separation, ..material() };
        let mut trial = Trial::new(x, material, vessel(size), size);
        (0..60).for_each(|_| trial.step());
        let nearest = |k: usize| {
            let others = trial.x.iter().enumerate().filter(|&(j, _)| j != k);
            others.fold(f64::INFINITY, |least, (_, p)| least.min(p.distance(trial.x[k])))
        };
        (0..trial.x.len()).map(nearest).sum::<f64>() / trial.x.len() as f64
    };
    let (without, with) = (closest(0.0), closest(0.02));
    assert!(with > 1.02 * without, "mean distance to the nearest: {with} m with, {without} m without");
}

#[test]
fn particles_at_one_place_part() {
    let mut trial = Trial::new(vec![Vec3::splat(0.5); 20], material(), Vec::new(), Vec3::ZERO);
    trial.gravity = Vec3::ZERO;
    (0..20).for_each(|_| trial.step());
    assert!(trial.x.iter().all(|p| p.is_finite()));
    assert!(trial.densities().iter().all(|&density| density < 1.6), "{:?}", trial.densities());
}

#[test]
fn an_emitter_lets_out_its_fluid_at_its_speed_and_density() {
    let pipe = Emitter {
        mouth: Vec3::new(0.0, 2.0, 0.0),
        direction: Vec3::new(0.0, -2.0, 0.0),
        radius: 0.12,
        speed: 2.0,
        duration: 0.5,
    };
    let x = pipe.particles(0.05).expect("particles").positions;
    let all = x.len();
    let mut trial = Trial::new(x, material(), Vec::new(), Vec3::ZERO);
    trial.fluids.infos[0].emitter = Some(pipe.clone());
    trial.v.fill(pipe.velocity());
    (0..20).for_each(|_| trial.step());
    let out = trial.x.iter().filter(|p| !pipe.holds(**p)).count();
    // 0.2 s of 0.5 s.
    assert!((out as f64 / all as f64 - 0.4).abs() < 0.06, "{out} of {all} are out");
    let front = trial.x.iter().fold(f64::INFINITY, |low, p| low.min(p.y));
    let expected = 2.0 - 2.0 * 0.2 - 0.5 * 9.81 * 0.2 * 0.2;
    assert!((front - expected).abs() < 0.1, "the front is at {front} m, expected {expected} m");
    assert!(trial.x.iter().zip(&trial.v).filter(|(x, _)| pipe.holds(**x)).all(|(_, v)| *v == pipe.velocity()));
    (0..40).for_each(|_| trial.step());
    assert!(!trial.x.iter().any(|p| pipe.holds(*p)), "all are out after 0.6 s");
}
