//! Constraints from a function over several elements at once, for values that come from outside the engine: another
//! language, a table, a trained model.
//!
//! The function receives the numbers of some elements and the positions of their corners, and returns C and ∇C of each,
//! or only C: then ∇C comes from central differences, for which the function is called once more, with each element
//! repeated for each coordinate that is moved.

use std::fmt;
use std::sync::Arc;

use super::{Block, Bound, ConstraintBatch, Rule, moved};
use crate::energy::EnergyError;
use crate::math::Vec3;

/// Steps of differences over the size of an element; the error of a difference is about its square.
const DIFFERENCE: f64 = 1e-5;

/// Computes C, and ∇C at each corner, from the numbers of some elements and the positions of their corners.
type Evaluate = dyn Fn(&[u32], &[Vec3], &mut [f64], &mut [Vec3]) + Send + Sync;

/// Constraints of one function, with the same number of corners each.
///
/// ```
/// use pliant::constraint::FunctionConstraints;
/// use pliant::prelude::*;
/// // A bead of 10 g on a wire in the shape of the parabola y = x², which lies in the plane z = 0.
/// let wire = |_: &[u32], x: &[Vec3], values: &mut [f64]| {
///     values.iter_mut().zip(x).for_each(|(value, p)| *value = p.y - p.x * p.x);
/// };
/// let bead = pliant::mesh::PointSet { positions: vec![Vec3::new(0.5, 0.25, 0.0)] };
/// let on_wire = FunctionConstraints::by_differences("wire", 1, vec![0], vec![0.0], wire)?;
/// let body = Body::points(&bead, 0.01).with_constraints(Box::new(on_wire));
/// let mut sim = Simulation::builder().body(body).solver(PositionBasedParams::default()).build()?;
/// for _ in 0..30 {
///     sim.step()?;
/// }
/// let p = sim.positions()[0];
/// assert!(p.x < 0.4 && (p.y - p.x * p.x).abs() < 1e-9, "it slides down the wire: {p}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FunctionConstraints {
    kind: &'static str,
    corners: usize,
    /// Vertices of all elements, one element after the other.
    stencils: Vec<u32>,
    /// Inverse stiffness of each element \[unit of C squared over J\].
    compliances: Vec<f64>,
    /// Time constant of damping \[s\].
    damping: f64,
    bound: Bound,
    evaluate: Arc<Evaluate>,
}

impl FunctionConstraints {
    /// Constraints whose gradients come from central differences of C: for elements with some corners each, `value`
    /// computes C of each from their numbers and the positions of their corners, element by element.
    pub fn by_differences(
        kind: &'static str,
        corners: usize,
        stencils: Vec<u32>,
        compliances: Vec<f64>,
        value: impl Fn(&[u32], &[Vec3], &mut [f64]) + Send + Sync + 'static,
    ) -> Result<Self, EnergyError> {
        let evaluate = move |elements: &[u32], x: &[Vec3], values: &mut [f64], gradients: &mut [Vec3]| {
            value(elements, x, values);
            differences(corners, elements, x, &value, gradients);
        };
        Self::new(kind, corners, stencils, compliances, evaluate)
    }

    /// Constraints of elements with some corners each. `stencils` has the vertices of one element after the other,
    /// `compliances` one number for each: 0 is rigid, 1/k has the energy ½ k C². `evaluate` computes C, and ∇C at each
    /// corner, from the numbers of some elements and the positions of their corners \[m\]. A gradient of 0 means that
    /// there is no direction to move in, as between coincident points.
    pub fn new(
        kind: &'static str,
        corners: usize,
        stencils: Vec<u32>,
        compliances: Vec<f64>,
        evaluate: impl Fn(&[u32], &[Vec3], &mut [f64], &mut [Vec3]) + Send + Sync + 'static,
    ) -> Result<Self, EnergyError> {
        if corners == 0 || stencils.len() != corners * compliances.len() {
            let (value, need) = (stencils.len() as f64, "the corners of one element times the number of compliances");
            return Err(EnergyError::BadParameter { kind, name: "number of vertices of all stencils", value, need });
        }
        for (element, (stencil, &compliance)) in stencils.chunks_exact(corners).zip(&compliances).enumerate() {
            if let Some(k) = (0..corners).find(|&k| stencil[..k].contains(&stencil[k])) {
                return Err(EnergyError::RepeatedVertex { kind, element, vertex: stencil[k] });
            }
            if !(compliance >= 0.0 && compliance.is_finite()) {
                let (value, need) = (compliance, "finite and at least 0");
                return Err(EnergyError::BadValue { kind, element, name: "compliance", value, need });
            }
        }
        let (damping, bound, evaluate) = (0.0, Bound::Equal, Arc::new(evaluate));
        Ok(Self { kind, corners, stencils, compliances, damping, bound, evaluate })
    }

    /// Adds damping: with a time constant β \[s\] their force is k (C + β dC/dt).
    pub fn with_damping(mut self, seconds: f64) -> Result<Self, EnergyError> {
        if !(seconds >= 0.0 && seconds.is_finite()) {
            let (kind, name, value, need) = (self.kind, "damping", seconds, "finite and at least 0");
            return Err(EnergyError::BadParameter { kind, name, value, need });
        }
        self.damping = seconds;
        Ok(self)
    }

    /// Sets which values of C are allowed; by default only 0.
    pub fn with_bound(self, bound: Bound) -> Self {
        Self { bound, ..self }
    }
}

/// ∇C at each corner by central differences, with one call for all.
fn differences(
    corners: usize,
    elements: &[u32],
    x: &[Vec3],
    value: &impl Fn(&[u32], &[Vec3], &mut [f64]),
    gradients: &mut [Vec3],
) {
    let sides = 6 * corners;
    let (mut repeated, mut moved) = (Vec::new(), Vec::with_capacity(sides * x.len()));
    for (&element, own) in elements.iter().zip(x.chunks_exact(corners)) {
        let step = DIFFERENCE * size(own);
        for (corner, axis) in (0..corners).flat_map(|corner| (0..3).map(move |axis| (corner, axis))) {
            for side in [step, -step] {
                repeated.push(element);
                moved.extend_from_slice(own);
                let place = moved.len() - corners + corner;
                moved[place][axis] += side;
            }
        }
    }
    let mut values = vec![0.0; repeated.len()];
    value(&repeated, &moved, &mut values);
    for (place, gradient) in gradients.iter_mut().enumerate() {
        let (element, corner) = (place / corners, place % corners);
        for axis in 0..3 {
            let plus = sides * element + 6 * corner + 2 * axis;
            // What rounding has left of the step, not the step itself.
            let at = |side: usize| moved[corners * (plus + side) + corner][axis];
            gradient[axis] = (values[plus] - values[plus + 1]) / (at(0) - at(1));
        }
    }
}

/// How large an element is \[m\]: the largest distance from its first corner, or from the origin if it has only one.
fn size(corners: &[Vec3]) -> f64 {
    let from = if corners.len() > 1 { corners[0] } else { Vec3::ZERO };
    let size = corners.iter().fold(0.0_f64, |most, corner| most.max(corner.distance(from)));
    if size > 0.0 { size } else { 1.0 }
}

impl fmt::Debug for FunctionConstraints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = f.debug_struct("FunctionConstraints");
        all.field("kind", &self.kind).field("corners", &self.corners).field("stencils", &self.stencils);
        all.field("compliances", &self.compliances).field("damping", &self.damping).field("bound", &self.bound);
        all.finish()
    }
}

impl ConstraintBatch for FunctionConstraints {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn len(&self) -> usize {
        self.compliances.len()
    }

    fn stencil(&self, element: usize) -> &[u32] {
        &self.stencils[self.corners * element..self.corners * (element + 1)]
    }

    fn shift_vertices(&mut self, by: u32) {
        self.stencils.iter_mut().for_each(|v| *v += by);
    }

    fn shifted(&self, by: i64) -> Option<Box<dyn ConstraintBatch>> {
        let stencils = self.stencils.iter().map(|&v| moved(v, by)).collect();
        Some(Box::new(Self { stencils, ..self.clone() }))
    }

    fn is_damped(&self) -> bool {
        self.damping > 0.0
    }

    fn correct(&self, block: &mut Block<'_>, rule: &Rule) {
        let n = self.corners;
        let (mut values, mut gradients) = (vec![0.0; block.elements.len()], vec![Vec3::ZERO; block.corners.len()]);
        (self.evaluate)(block.elements, block.corners, &mut values, &mut gradients);
        for (k, (&element, multiplier)) in block.elements.iter().zip(block.multipliers.iter_mut()).enumerate() {
            let own = n * k..n * (k + 1);
            let (gradient, w) = (&gradients[own.clone()], &block.inverse_masses[own.clone()]);
            let mobility: f64 = (0..n).map(|i| w[i] * gradient[i].length_squared()).sum();
            let x = &mut block.corners[own.clone()];
            let (mut damping, mut moved) = (0.0, 0.0);
            if let (Rule::Compliance { inertia }, Some(before)) = (rule, block.before.get(own)) {
                damping = self.damping * inertia.sqrt();
                moved = (0..n).map(|i| gradient[i].dot(x[i] - before[i])).sum();
            }
            let terms = [self.compliances[element as usize], damping, moved];
            let step = rule.damped_step(values[k], mobility, terms, self.bound, multiplier);
            (0..n).for_each(|i| x[i] += gradient[i] * (w[i] * step));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{Allowed, Constraint, ConstraintSet, Distance, TetVolumeConstraint};

    const X: [Vec3; 4] =
        [Vec3::new(0.1, 0.0, -0.1), Vec3::new(1.2, 0.0, 0.1), Vec3::new(0.3, 1.1, -0.1), Vec3::new(-0.1, 0.3, 0.8)];
    const WEIGHTS: [f64; 4] = [0.0, 2.0, 1.0, 0.5];
    const RULES: [Rule; 2] = [Rule::Share(0.7), Rule::Compliance { inertia: 3600.0 }];

    /// Where one visit takes the corners, and the multipliers after it.
    fn visited(batch: &dyn ConstraintBatch, n: usize, rule: &Rule) -> (Vec<Vec3>, Vec<f64>) {
        let (mut corners, mut multipliers) = (X[..n].to_vec(), vec![0.1; batch.len()]);
        let before: Vec<Vec3> = X[..n].iter().map(|p| *p * 0.9).collect();
        let mut block = Block {
            elements: &[0],
            corners: &mut corners,
            before: if batch.is_damped() { &before } else { &[] },
            inverse_masses: &WEIGHTS[..n],
            multipliers: &mut multipliers,
        };
        batch.correct(&mut block, rule);
        (corners, multipliers)
    }

    /// A function that is a built-in constraint, with gradients and by differences, moves corners as that does.
    fn check<C: Constraint<N> + Copy, const N: usize>(constraint: C) {
        let at = move |x: &[Vec3]| constraint.evaluate(0, &std::array::from_fn(|k| x[k])).expect("a value");
        let stencil: [u32; N] = std::array::from_fn(|k| k as u32);
        let exact = move |_: &[u32], x: &[Vec3], values: &mut [f64], gradients: &mut [Vec3]| {
            for (k, own) in x.chunks_exact(N).enumerate() {
                let (value, gradient) = at(own);
                values[k] = value;
                gradients[N * k..N * (k + 1)].copy_from_slice(&gradient);
            }
        };
        let value = move |_: &[u32], x: &[Vec3], values: &mut [f64]| {
            values.iter_mut().zip(x.chunks_exact(N)).for_each(|(value, own)| *value = at(own).0);
        };
        for (rule, damping) in RULES.into_iter().flat_map(|rule| [(rule, 0.0), (rule, 0.02)]) {
            let known = ConstraintSet::new([(stencil, constraint, 1e-4)]).and_then(|set| set.with_damping(damping));
            let (known, known_multiplier) = visited(&known.expect("a set"), N, &rule);
            let given = FunctionConstraints::new("mine", N, stencil.to_vec(), vec![1e-4], exact);
            let given = given.and_then(|set| set.with_damping(damping)).expect("constraints");
            assert_eq!(visited(&given, N, &rule), (known.clone(), known_multiplier.clone()), "{rule:?}");
            let found = FunctionConstraints::by_differences("mine", N, stencil.to_vec(), vec![1e-4], value);
            let found = found.and_then(|set| set.with_damping(damping)).expect("constraints");
            let (found, multiplier) = visited(&found, N, &rule);
            let error = found.iter().zip(&known).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
            assert!(error < 1e-9, "{rule:?}: by differences they are off by {error:e} m");
            assert!((multiplier[0] - known_multiplier[0]).abs() < 1e-9 * known_multiplier[0].abs().max(1.0));
        }
    }

    #[test]
    fn functions_move_corners_as_built_in_constraints_do() {
        check(Distance { length: 0.8, allowed: Allowed::Exactly });
        check(TetVolumeConstraint { volume: 0.1 });
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let nothing = |_: &[u32], _: &[Vec3], _: &mut [f64], _: &mut [Vec3]| {};
        let build = |corners, stencils: &[u32], compliances: &[f64]| {
            FunctionConstraints::new("mine", corners, stencils.to_vec(), compliances.to_vec(), nothing)
        };
        assert!(build(2, &[0, 1, 2], &[0.0]).is_err(), "three vertices are not one pair");
        assert!(build(0, &[], &[]).is_err(), "no corners");
        assert!(matches!(build(2, &[3, 3], &[0.0]), Err(EnergyError::RepeatedVertex { vertex: 3, .. })));
        assert!(build(2, &[0, 1], &[-1.0]).is_err() && build(2, &[0, 1], &[f64::NAN]).is_err());
        assert!(build(2, &[0, 1], &[0.0]).and_then(|set| set.with_damping(-1.0)).is_err());
    }
}
