//! Closed forms of thin rods.

use super::solve::{Moving, Scratch};
use super::*;

/// A rod on its own, stepped by XPBD with damping.
struct Bench {
    rods: Rods,
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    q: Vec<Quat>,
    spin: Vec<Vec3>,
    inverse_masses: Vec<f64>,
    h: f64,
    iterations: usize,
    drag: f64,
}

const STEEL: RodMaterial =
    RodMaterial { radius: 1e-3, density: 7800.0, youngs_modulus: 2e11, shear_modulus: 8e10, keeps_shape: true };

impl Bench {
    /// A rod whose first segment is held.
    fn clamped(points: Vec<Vec3>, material: &RodMaterial) -> Self {
        let mut rods = Rods::default();
        rods.add(&points, material, |i| i < 2);
        let mut masses = vec![0.0; points.len()];
        for (i, segment) in rods.segments.iter().enumerate() {
            let half = 0.5 * material.density * material.area() * segment.length;
            masses[i] += half;
            masses[i + 1] += half;
        }
        let inverse_masses = (0..).zip(&masses).map(|(i, m)| if i < 2 { 0.0 } else { 1.0 / m }).collect();
        let (q, count) = (frames(&points), points.len());
        let (v, spin) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count - 1]);
        Self { rods, x: points, v, q, spin, inverse_masses, h: 1e-2, iterations: 3, drag: 0.0 }
    }

    /// A step with an acceleration, a force at the tip \[N\] and a torque about the last segment's axes \[N·m\].
    fn step(&mut self, gravity: Vec3, tip: Vec3, torque: Vec3) {
        let (h, last) = (self.h, self.x.len() - 1);
        let start = (self.x.clone(), self.q.clone());
        let keep = (-self.drag * h).exp();
        for i in 0..=last {
            if self.inverse_masses[i] > 0.0 {
                let load = if i == last { tip * self.inverse_masses[i] } else { Vec3::ZERO };
                self.v[i] = self.v[i] * keep + (gravity + load) * h;
                self.x[i] += self.v[i] * h;
            }
        }
        self.spin.iter_mut().for_each(|spin| *spin *= keep);
        self.spin[last - 1] += torque * self.rods.segments[last - 1].inverse_inertia * h;
        let mut q = Vec::new();
        self.rods.predict(&self.q, &self.spin, h, &mut q);
        self.q = q;
        let mut multipliers = vec![[Vec3::ZERO; 2]; last];
        let mut scratch = Scratch::default();
        let Self { rods, x, q, inverse_masses, iterations, .. } = self;
        for _ in 0..*iterations {
            let mut rod = Moving { x, inverse_masses, q, multipliers: &mut multipliers };
            rods.iterate(0, h, &mut rod, &mut scratch);
            assert!(rod.x.iter().all(|p| p.is_finite()));
        }
        self.v.iter_mut().zip(&self.x).zip(&start.0).for_each(|((v, x), before)| *v = (*x - *before) / h);
        self.spin = spins(&start.1, &self.q, h);
    }

    fn settle(&mut self, steps: usize, gravity: Vec3, tip: Vec3, torque: Vec3) {
        for _ in 0..steps {
            self.step(gravity, tip, torque);
        }
        let fastest = self.v.iter().fold(0.0_f64, |most, v| most.max(v.length()));
        assert!(fastest < 1e-4, "it still moves at {fastest} m/s");
    }
}

/// A straight rod along x whose free part has a length.
fn straight(length: f64, segments: usize) -> Vec<Vec3> {
    let step = length / segments as f64;
    (0..segments + 2).map(|i| Vec3::X * (step * (i as f64 - 1.0))).collect()
}

#[test]
fn a_tip_load_bends_by_pl3_over_3ei() {
    let (length, load) = (0.5_f64, 1e-2);
    let [bending, _] = STEEL.stiffnesses();
    let expected = load * length.powi(3) / (3.0 * bending);
    let mut errors = Vec::new();
    for segments in [10, 20, 40] {
        let mut rod = Bench::clamped(straight(length, segments), &STEEL);
        rod.drag = 20.0;
        rod.settle(400, Vec3::ZERO, Vec3::NEG_Y * load, Vec3::ZERO);
        errors.push(-rod.x[segments + 1].y / expected - 1.0);
    }
    assert!(errors[2].abs() < 1e-3, "{errors:?}");
    assert!(errors.windows(2).all(|pair| pair[1].abs() < 0.3 * pair[0].abs()), "of second order: {errors:?}");
}

/// Drop of the tip over the length of a rod that bends under its own weight, Γ = w L³/EI.
fn drop_under_weight(gamma: f64, segments: usize) -> f64 {
    let length = 1.0_f64;
    let weight = STEEL.line_density() * 9.81;
    let youngs_modulus = weight * length.powi(3) / gamma / (0.25 * PI * STEEL.radius.powi(4));
    let material = RodMaterial { youngs_modulus, shear_modulus: 0.4 * youngs_modulus, ..STEEL };
    let mut rod = Bench::clamped(straight(length, segments), &material);
    rod.drag = 4.0;
    rod.settle(600, Vec3::NEG_Y * 9.81, Vec3::ZERO, Vec3::ZERO);
    -rod.x[segments + 1].y / length
}

#[test]
fn a_heavy_rod_hangs_as_the_elastica_does() {
    // Γ/8 while it is small; then the stable branch of the inextensible elastica [Romero 2021], from an independent solution.
    for (gamma, expected) in [(0.01, 0.00125), (1.0, 0.123_471_4), (10.0, 0.700_199_72), (100.0, 0.937_523_94)] {
        let found = drop_under_weight(gamma, 40);
        assert!((found / expected - 1.0).abs() < 3e-3, "Γ = {gamma}: {found} for {expected}");
    }
}

#[test]
fn a_torque_twists_by_tl_over_gj() {
    let (length, segments, torque) = (0.5, 20, 2e-3);
    let [_, torsion] = STEEL.stiffnesses();
    let mut rod = Bench::clamped(straight(length, segments), &STEEL);
    rod.h = 1e-4;
    rod.drag = 20.0;
    rod.settle(500, Vec3::ZERO, Vec3::ZERO, Vec3::Z * torque);
    let angle = between(rod.q[0], rod.q[segments]).to_scaled_axis();
    // The last orientation is that in the middle of its segment.
    let expected = torque * (length - 0.5 * length / segments as f64) / torsion;
    assert!((angle.z / expected - 1.0).abs() < 1e-4, "{} for {expected}", angle.z);
    assert!(angle.x.hypot(angle.y) < 1e-9);
}

fn helix(segments: usize) -> Vec<Vec3> {
    (0..=segments)
        .map(|i| {
            let turn = 0.35 * i as f64;
            Vec3::new(0.02 * turn.cos(), -0.003 * i as f64, 0.02 * turn.sin())
        })
        .collect()
}

#[test]
fn a_helix_at_rest_stays_and_comes_back_when_it_is_pulled() {
    let soft = RodMaterial { youngs_modulus: 2e9, shear_modulus: 8e8, ..STEEL };
    let mut rod = Bench::clamped(helix(80), &soft);
    let rest = rod.x.clone();
    for _ in 0..100 {
        rod.step(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    }
    let off = |rod: &Bench| rod.x.iter().zip(&rest).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    assert!(off(&rod) < 1e-12, "{}", off(&rod));
    rod.drag = 3.0;
    for _ in 0..300 {
        rod.step(Vec3::ZERO, Vec3::NEG_Y * 0.05, Vec3::ZERO);
    }
    let pulled = off(&rod);
    for _ in 0..1500 {
        rod.step(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    }
    assert!(pulled > 0.01 && off(&rod) < 1e-3 * pulled, "pulled by {pulled} m, then {} m off", off(&rod));
}

#[test]
fn forces_of_an_iteration_are_those_of_the_energy() {
    // From a bent and twisted start one iteration with a long step moves downhill, and many reach balance: the energy's least.
    let soft = RodMaterial { youngs_modulus: 1e8, shear_modulus: 4e7, ..STEEL };
    let mut rod = Bench::clamped(helix(12), &soft);
    let wobble = |k: usize| Vec3::new((3.0 * k as f64).sin(), (2.0 * k as f64).cos(), (1.3 * k as f64).sin());
    rod.x.iter_mut().enumerate().skip(2).for_each(|(k, x)| *x += wobble(k) * 1e-3);
    rod.q.iter_mut().enumerate().skip(1).for_each(|(k, q)| *q = turned(*q, wobble(k + 5) * 0.1));
    let energy = |rod: &Bench| rod.rods.energy(0, &rod.x, &rod.q);
    let start = energy(&rod);
    rod.h = 10.0;
    let mut before = start;
    for _ in 0..20 {
        rod.v.fill(Vec3::ZERO);
        rod.spin.fill(Vec3::ZERO);
        rod.step(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        assert!(energy(&rod) <= before * (1.0 + 1e-9) + 1e-20 * start, "{} after {before}", energy(&rod));
        before = energy(&rod);
    }
    assert!(before < 1e-12 * start, "{before} of {start}");
}
