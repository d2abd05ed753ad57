//! Stiffness-proportional damping: the energy of each element's change of shape within the step.
//!
//! D = β/h · w/2 ‖A x − R A x_n‖², with the best rotation R: an energy with the element's shape at the start of the
//! step as its rest shape, freely rotated. For a spring its force is −β k d‖e‖/dt. Unlike damping by β L v it leaves
//! rigid motion alone, and unlike damping by the tangent stiffness it keeps the matrix constant: it is the elastic one,
//! scaled.
//!
//! β is a time \[s\]: a mode of frequency ω decays by the extra ratio βω/2.

use std::ops::Range;

use super::{Arrays, Batch, Curvature, Element, Memory, Operator, Properties};
use crate::math::{Vec3, fitted_matrix};
use crate::parallel::{self, Strided};

/// Damping of another batch. Its warm values are A x_n of the current step.
#[derive(Debug, Clone)]
pub(crate) struct Viscous {
    operator: Operator,
}

impl Viscous {
    /// Damping in proportion to the stiffness of `batch`. None where the batch holds on to absolute positions (goals,
    /// planes), which have no change of shape, and for rigid sets, which have none to damp.
    pub(crate) fn of(batch: &dyn Batch) -> Option<Self> {
        let operator = batch.operator();
        let is_rigid = matches!(batch.arrays(), Arrays::Rigid(_));
        (operator.is_differential() && !is_rigid).then(|| Self { operator: operator.clone() })
    }
}

/// The shape `last`, rotated to fit z best.
fn rotated_fit(z: &[Vec3], last: &[f64], out: &mut [Vec3]) {
    let last_row = |r: usize| Vec3::from_slice(&last[3 * r..]);
    if z.len() == 1 {
        let length = last_row(0).length();
        out[0] = z[0].try_normalize().map_or_else(|| last_row(0), |direction| direction * length);
        return;
    }
    let rotation = fitted_matrix(z.iter().enumerate().map(|(r, z)| (*z, last_row(r))));
    (0..z.len()).for_each(|r| out[r] = rotation * last_row(r));
}

impl Batch for Viscous {
    fn kind(&self) -> &'static str {
        "viscous"
    }

    fn operator(&self) -> &Operator {
        &self.operator
    }

    fn operator_mut(&mut self) -> &mut Operator {
        &mut self.operator
    }

    fn properties(&self) -> Properties {
        Properties::INTERNAL
    }

    fn arrays(&self) -> Arrays {
        Arrays::Viscous
    }

    fn initial_warm(&self) -> Vec<f64> {
        vec![0.0; 3 * self.operator.rows() * self.operator.len()]
    }

    /// Remembers the shapes at the beginning of the stage.
    fn begin_stage(&self, x: &[Vec3], memory: &mut Memory) {
        let rows = self.operator.rows();
        parallel::for_each(
            0..self.operator.len(),
            Strided { entries: &mut memory.warm, stride: 3 * rows },
            &|range, part| {
                for (warm, e) in part.entries.chunks_mut(3 * rows).zip(range) {
                    let mut z = [Vec3::ZERO; super::MAX_ROWS];
                    self.operator.apply(e, x, &mut z[..rows]);
                    (0..rows).for_each(|r| warm[3 * r..3 * r + 3].copy_from_slice(&z[r].to_array()));
                }
            },
        );
    }

    fn project(&self, x: &[Vec3], _goals: &[Vec3], memory: &mut Memory) {
        let rows = self.operator.rows();
        let warm = &memory.warm;
        let outputs = Strided { entries: &mut memory.projections, stride: rows };
        parallel::for_each(0..self.operator.len(), outputs, &|range, part| {
            for (p, e) in part.entries.chunks_mut(rows).zip(range) {
                let mut z = [Vec3::ZERO; super::MAX_ROWS];
                self.operator.apply(e, x, &mut z[..rows]);
                rotated_fit(&z[..rows], &warm[3 * rows * e..3 * rows * (e + 1)], p);
            }
        });
    }

    fn hessians(
        &self,
        elements: Range<usize>,
        x: &[Vec3],
        _goals: &[Vec3],
        memory: &Memory,
        curvature: Curvature,
        out: &mut [f64],
    ) {
        match self.operator.rows() {
            1 => self.difference_hessians::<1>(elements, x, memory, curvature, out),
            2 => self.difference_hessians::<2>(elements, x, memory, curvature, out),
            3 => self.difference_hessians::<3>(elements, x, memory, curvature, out),
            _ => self.difference_hessians::<4>(elements, x, memory, curvature, out),
        }
    }
}

/// The fit as an element, for its difference Hessian; its warm values hold the last shape.
#[derive(Debug, Clone)]
struct Fit;

impl<const R: usize> Element<R> for Fit {
    const KIND: &'static str = "viscous";
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn project(&self, z: &[Vec3; R], _goals: &[Vec3], warm: &mut [f64]) -> [Vec3; R] {
        let mut out = [Vec3::ZERO; R];
        rotated_fit(z, warm, &mut out);
        out
    }
}

impl Viscous {
    fn difference_hessians<const R: usize>(
        &self,
        elements: Range<usize>,
        x: &[Vec3],
        memory: &Memory,
        curvature: Curvature,
        out: &mut [f64],
    ) {
        let stride = 9 * R * R;
        parallel::for_each(elements, Strided { entries: out, stride }, &|range, part| {
            for (out, e) in part.entries.chunks_mut(stride).zip(range) {
                let mut z = [Vec3::ZERO; R];
                self.operator.apply(e, x, &mut z);
                Fit.hessian(&z, &[], &memory.warm[3 * R * e..3 * R * (e + 1)], curvature, out);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::{LIST, batch_energy};
    use crate::math::Mat3;

    /// Energy and gradient of the damping that began at `start`.
    fn damping(viscous: &Viscous, start: &[Vec3], x: &[Vec3]) -> (f64, Vec<Vec3>) {
        let mut memory = Memory::of(viscous);
        viscous.begin_stage(start, &mut memory);
        viscous.project(x, &[], &mut memory);
        let operator = viscous.operator();
        let mut corners = vec![Vec3::ZERO; operator.corner_vertices().len()];
        operator.gradient(x, &memory.projections, 1.0, &mut corners);
        let mut gradient = vec![Vec3::ZERO; x.len()];
        operator.corner_vertices().iter().zip(corners).for_each(|(&v, g)| gradient[v as usize] += g);
        (batch_energy(viscous, x, &memory), gradient)
    }

    fn moved(rest: &[Vec3], by: f64) -> Vec<Vec3> {
        let wave = |k: usize, a: f64| (a * (k as f64 + 1.0)).sin();
        rest.iter().enumerate().map(|(k, p)| *p + by * Vec3::new(wave(k, 1.3), wave(k, 2.1), wave(k, 3.7))).collect()
    }

    #[test]
    fn rigid_motion_is_not_damped_and_forces_are_the_derivative_of_the_energy() {
        let mut damped = std::collections::BTreeSet::new();
        for info in LIST {
            for (number, make) in info.specimens.iter().enumerate() {
                let specimen = make().expect("a specimen");
                let Some(viscous) = Viscous::of(specimen.batch.as_ref()) else { continue };
                damped.insert(info.key);
                let start = moved(&specimen.rest, 0.2);
                let turn = Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.9);
                let turned: Vec<Vec3> = start.iter().map(|p| turn * *p + Vec3::ONE).collect();
                let (free, _) = damping(&viscous, &start, &turned);
                assert!(free < 1e-22, "{} {number}: {free} J in rigid motion", info.key);
                let x = moved(&turned, 0.1);
                let (_, gradient) = damping(&viscous, &start, &x);
                let scale = gradient.iter().fold(0.0_f64, |m, g| m.max(g.length()));
                for k in 0..3 * x.len() {
                    let at = |by: f64| {
                        let mut x = x.clone();
                        x[k / 3][k % 3] += by;
                        damping(&viscous, &start, &x).0
                    };
                    let error = ((at(1e-5) - at(-1e-5)) / 2e-5 - gradient[k / 3][k % 3]).abs();
                    assert!(error < 1e-6 * scale, "{} {number}, {k}: off by {error:e} of {scale:e}", info.key);
                }
            }
        }
        assert!(damped.len() > 5, "{damped:?}");
    }
}
