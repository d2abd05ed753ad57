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
        let fluids = vec![Share { vertices: 0..x.len(), fluid: Fluid::new(material, None) }];
        let fluids =
            Fluids::of(Ingredients { fluids, surfaces: Vec::new(), rest: &x, inverse_masses: &inverse_masses });
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
        self.fluids.start(&moving, &before, h, &mut self.x);
        for number in 0..self.iterations {
            self.fluids.visit(number, self.iterations, &mut self.x);
            if !moving.is_empty() {
                let top = Vec3::new(self.size.x - 1e-3, f64::INFINITY, self.size.z - 1e-3);
                self.x.iter_mut().for_each(|p| *p = p.clamp(Vec3::splat(1e-3), top));
            }
        }
        for ((v, x), before) in self.v.iter_mut().zip(&self.x).zip(&before) {
            *v = (*x - *before) / h;
        }
        self.fluids.correct_velocities(&[], &self.x, &mut self.v, h);
    }

    fn densities(&mut self) -> Vec<f64> {
        self.fluids.densities(&self.x)
    }
}

#[test]
fn a_free_drop_keeps_its_momentum_and_angular_momentum_while_it_flies_apart() {
    let mut x = block([7, 7, 7], 0.05);
    // Pressed together, so that it flies apart.
    x.iter_mut().for_each(|p| *p = (*p - Vec3::splat(0.175)) * 0.9);
    let mut trial = Trial::new(x, material(), Vec::new(), Vec3::ZERO);
    trial.gravity = Vec3::ZERO;
    for (v, x) in trial.v.iter_mut().zip(&trial.x) {
        *v = Vec3::new(1.0, 2.0, -0.5) + Vec3::new(0.3, 1.0, 2.0).cross(*x);
    }
    let momentum = |t: &Trial| t.v.iter().sum::<Vec3>();
    let angular = |t: &Trial| {
        let (middle, drift) = (t.x.iter().sum::<Vec3>() / t.x.len() as f64, momentum(t) / t.x.len() as f64);
        t.x.iter().zip(&t.v).map(|(x, v)| (*x - middle).cross(*v - drift)).sum::<Vec3>()
    };
    let (before, spin) = (momentum(&trial), angular(&trial));
    for _ in 0..20 {
        trial.step();
    }
    let spread = trial.x.iter().map(|p| p.distance(trial.x[171])).fold(0.0, f64::max);
    assert!(spread > 0.3, "it flew apart: {spread} m");
    let lost = (momentum(&trial) - before).length() / before.length();
    assert!(lost < 1e-6, "momentum changed by {lost:e}");
    let lost = (angular(&trial) - spin).length() / spin.length();
    assert!(lost < 1e-5, "angular momentum changed by {lost:e}");
}

#[test]
fn a_pool_rests_at_its_density_and_depth_under_the_weight_of_what_is_above() {
    let (counts, spacing) = ([12, 14, 12], 0.05);
    let [width, depth] = [12.0 * spacing, 14.0 * spacing];
    let size = Vec3::new(width, 10.0, width);
    let mut trial = Trial::new(block(counts, spacing), material(), vessel(size), size);
    // Sums of pressures found and expected in layers of two particles, without those at the surface.
    let mut layers = [[0.0; 2]; 6];
    let (mut squared_speeds, mut counted) = (0.0, 0.0);
    for step in 0..300 {
        trial.step();
        if step < 200 {
            continue;
        }
        let pressures = trial.fluids.fluid_readings().remove(0).pressures;
        for (x, pressure) in trial.x.iter().zip(&pressures) {
            if let Some(layer) = layers.get_mut((x.y / (2.0 * spacing)) as usize) {
                layer[0] += pressure;
                layer[1] += 1000.0 * 9.81 * (depth - x.y);
            }
        }
        squared_speeds += trial.v.iter().map(|v| v.length_squared()).sum::<f64>();
        counted += trial.v.len() as f64;
    }
    for (k, [found, expected]) in layers.iter().enumerate() {
        let ratio = found / expected;
        assert!((ratio - 1.0).abs() < 0.06, "pressure over ρgz in layer {k}: {ratio}");
    }
    let densities = trial.densities();
    let inner = (0..trial.x.len()).filter(|&k| trial.x[k].y < 0.9 * depth);
    let (sum, count) = inner.fold((0.0, 0.0), |(sum, count), k| (sum + densities[k], count + 1.0));
    assert!((sum / count - 1.0_f64).abs() < 0.02, "mean density {}", sum / count);
    let found = 2.0 * trial.x.iter().map(|p| p.y).sum::<f64>() / trial.x.len() as f64;
    assert!((found / depth - 1.0).abs() < 0.02, "{found} m deep");
    // It simmers, by about 2 % of a spacing in a step.
    let speed = (squared_speeds / counted).sqrt();
    assert!(speed < 0.03 * spacing / trial.h, "mean speed at rest {speed} m/s");
}

/// How fast viscosity slows a wave of velocities along one direction that varies along another, over what its equation says.
fn slowed(along: Vec3, across: Vec3) -> f64 {
    // Periodic is not to be had: a wide block, of which the middle counts.
    let (spacing, nu) = (0.05, 0.01);
    let x = block([32, 32, 12], spacing);
    let trial =
        &mut Trial::new(x, FluidMaterial { viscosity: nu, separation: 0.0, ..material() }, Vec::new(), Vec3::ZERO);
    let wave = std::f64::consts::TAU / 1.0;
    let profile = |p: Vec3| (wave * across.dot(p)).sin();
    let is_inner = |p: &Vec3| (*p - Vec3::new(0.8, 0.8, 0.3)).abs().cmple(Vec3::new(0.5, 0.5, 0.15)).all();
    let inner: Vec<usize> = (0..trial.x.len()).filter(|&k| is_inner(&trial.x[k])).collect();
    let amplitude = |t: &Trial| {
        let sums = inner.iter().fold((0.0, 0.0), |(sum, squares), &k| {
            (sum + t.v[k].dot(along) * profile(t.x[k]), squares + profile(t.x[k]).powi(2))
        });
        sums.0 / sums.1
    };
    for (v, x) in trial.v.iter_mut().zip(&trial.x) {
        *v = along * 0.01 * profile(*x);
    }
    let before = amplitude(trial);
    let (h, steps) = (0.002, 20);
    trial.fluids.start(&[], &trial.x.clone(), h, &mut trial.x);
    for _ in 0..steps {
        trial.fluids.correct_velocities(&[], &trial.x, &mut trial.v, h);
    }
    (amplitude(trial) / before).ln() / (-nu * wave * wave * h * f64::from(steps))
}

#[test]
fn viscosity_slows_a_shear_flow_as_its_equation_says() {
    // Particles on a lattice have neighbours in few directions. Over all directions of a flow the mean is ⅗ of what is along the axes and ⅖ of
    // what is along diagonals, as for every tensor with the symmetry of a cube.
    let axes = slowed(Vec3::Y, Vec3::X);
    let diagonals = slowed(Vec3::new(1.0, -1.0, 0.0).normalize(), Vec3::new(1.0, 1.0, 0.0).normalize());
    let mean = 0.6 * axes + 0.4 * diagonals;
    assert!((mean - 1.0).abs() < 0.1, "{mean} of the viscosity: {axes} along axes, {diagonals} along diagonals");
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
        trial.fluids.start(&[], &trial.x.clone(), 0.005, &mut trial.x);
        for _ in 0..10 {
            trial.fluids.correct_velocities(&[], &trial.x, &mut trial.v, 0.005);
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
    trial.fluids.fluids[0].fluid = Fluid::new(trial.fluids.fluids[0].fluid.material().clone(), Some(pipe.clone()));
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
