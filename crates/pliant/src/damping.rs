//! Damping, as rates in physical units: the result does not depend on the time step.

use crate::math::{Mat3, Vec3, symmetric_eigen};
use crate::model::Model;

/// Damping of a world. All zero by default: implicit integration damps enough for most scenes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Damping {
    /// Ether drag \[1/s\] [Liu 2013, §4.1]: velocities decay as exp(−rate·t), rigid motion included.
    pub drag: f64,
    /// Decay \[1/s\] of velocities relative to each body's rigid motion [Müller 2007, §3.5]: momentum and spin are kept.
    pub deformation: f64,
    /// Stiffness-proportional damping β \[s\] inside the material: forces −β·stiffness·(rate of deformation). Energies that hold
    /// on to places (goals, half-spaces) or are measured in absolute positions ([`Metric`](crate::energy::Metric)) have none.
    pub stiffness: f64,
}

impl Damping {
    /// Filters velocities at the beginning of a step of length h.
    pub(crate) fn filter(&self, model: &Model, h: f64, x: &[Vec3], v: &mut [Vec3]) {
        if self.drag > 0.0 {
            let factor = (-self.drag * h).exp();
            v.iter_mut().for_each(|v| *v *= factor);
        }
        if self.deformation > 0.0 {
            let share = -(-self.deformation * h).exp_m1();
            for body in model.bodies() {
                let range = body.vertices.clone();
                damp_deformation(share, &model.mass().lumped()[range.clone()], &x[range.clone()], &mut v[range]);
            }
        }
    }
}

/// v ← v + share·(v_cm + ω×r − v): linear and angular momentum stay as they are.
pub fn damp_deformation(share: f64, masses: &[f64], x: &[Vec3], v: &mut [Vec3]) {
    let total: f64 = masses.iter().sum();
    if total <= 0.0 {
        return;
    }
    let mean = |list: &[Vec3]| list.iter().zip(masses).fold(Vec3::ZERO, |sum, (a, m)| sum + *a * *m) / total;
    let (centre, drift) = (mean(x), mean(v));
    let (mut spin, mut inertia) = (Vec3::ZERO, Mat3::ZERO);
    for ((x, v), &m) in x.iter().zip(&*v).zip(masses) {
        let r = *x - centre;
        spin += r.cross(*v - drift) * m;
        inertia += (Mat3::IDENTITY * r.length_squared() - Mat3::from_cols(r * r.x, r * r.y, r * r.z)) * m;
    }
    let omega = pseudo_inverse_times(inertia, spin);
    for (x, v) in x.iter().zip(v) {
        let rigid = drift + omega.cross(*x - centre);
        *v += (rigid - *v) * share;
    }
}

/// I⁻¹ L; a straight line of points has no inertia about itself, and no spin about it either.
fn pseudo_inverse_times(inertia: Mat3, spin: Vec3) -> Vec3 {
    let (mut values, mut vectors) = (inertia.to_cols_array(), [0.0; 9]);
    symmetric_eigen(&mut values, &mut vectors, 3);
    let largest = (0..3).fold(0.0_f64, |m, k| m.max(values[4 * k]));
    let mut omega = Vec3::ZERO;
    for k in 0..3 {
        if values[4 * k] > 1e-12 * largest {
            let axis = Vec3::new(vectors[k], vectors[3 + k], vectors[6 + k]);
            omega += axis * (axis.dot(spin) / values[4 * k]);
        }
    }
    omega
}

#[cfg(test)]
mod tests {
    use super::*;

    fn momenta(masses: &[f64], x: &[Vec3], v: &[Vec3]) -> (Vec3, Vec3) {
        let linear = (0..x.len()).fold(Vec3::ZERO, |sum, i| sum + v[i] * masses[i]);
        let angular = (0..x.len()).fold(Vec3::ZERO, |sum, i| sum + x[i].cross(v[i]) * masses[i]);
        (linear, angular)
    }

    #[test]
    fn deformation_damping_keeps_momentum_and_spin_and_removes_the_rest() {
        let point = |k: f64| Vec3::new((k * 1.3).sin(), (k * 2.1).cos(), (k * 0.7).sin() * 2.0);
        let x: Vec<Vec3> = (0..20).map(|k| point(f64::from(k))).collect();
        let v: Vec<Vec3> = (0..20).map(|k| point(f64::from(k) + 100.0)).collect();
        let masses: Vec<f64> = (0..20).map(|k| 1.0 + f64::from(k % 3)).collect();
        let mut damped = v.clone();
        damp_deformation(0.4, &masses, &x, &mut damped);
        let ((p, l), (q, k)) = (momenta(&masses, &x, &v), momenta(&masses, &x, &damped));
        assert!((p - q).length() < 1e-12 && (l - k).length() < 1e-12);
        let mut rigid: Vec<Vec3> = x.iter().map(|r| Vec3::new(0.3, -1.0, 2.0) + Vec3::Y.cross(*r)).collect();
        let before = rigid.clone();
        damp_deformation(1.0, &masses, &x, &mut rigid);
        assert!(rigid.iter().zip(&before).all(|(a, b)| (*a - *b).length() < 1e-12));
    }

    #[test]
    fn a_straight_rope_can_be_damped() {
        let x: Vec<Vec3> = (0..5).map(|k| Vec3::X * f64::from(k)).collect();
        let mut v: Vec<Vec3> = (0..5).map(|k| Vec3::Y * f64::from(k) + Vec3::Z * f64::from(k % 2)).collect();
        let before = momenta(&[1.0; 5], &x, &v);
        damp_deformation(1.0, &[1.0; 5], &x, &mut v);
        let after = momenta(&[1.0; 5], &x, &v);
        assert!((before.0 - after.0).length() < 1e-12 && (before.1 - after.1).length() < 1e-12);
    }
}
