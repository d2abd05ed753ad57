//! From one constraint to a batch of them.

use std::fmt;

use super::{Block, Bound, ConstraintArrays, ConstraintBatch, Rule, moved};
use crate::energy::EnergyError;
use crate::math::Vec3;

/// A constraint over `N` vertices: everything about it is [`evaluate`](Constraint::evaluate).
pub trait Constraint<const N: usize>: Clone + Send + Sync + fmt::Debug + 'static {
    /// Name of the kind.
    const KIND: &'static str;
    /// Functions of the same vertices, solved one after the other.
    const ROWS: usize = 1;
    /// Most that C is changed by in one visit, where its gradient says nothing of larger changes.
    const MOST: f64 = f64::INFINITY;

    /// Which values are allowed.
    fn bound(&self, _row: usize) -> Bound {
        Bound::Equal
    }

    /// Data of constraints of a built-in type.
    fn arrays<'a>(_constraints: &[Self], _compliances: &'a [f64]) -> ConstraintArrays<'a>
    where
        Self: Sized,
    {
        ConstraintArrays::Opaque
    }

    /// C and its gradient; none if it has no direction, as between coincident points.
    fn evaluate(&self, row: usize, x: &[Vec3; N]) -> Option<(f64, [Vec3; N])>;
}

/// Constraints of one type, side by side.
#[derive(Debug, Clone)]
pub struct ConstraintSet<C, const N: usize> {
    stencils: Vec<[u32; N]>,
    constraints: Vec<C>,
    /// Inverse stiffness of each \[unit of C squared over J\].
    compliances: Vec<f64>,
    /// Time constant of damping \[s\].
    damping: f64,
}

impl<C: Constraint<N>, const N: usize> ConstraintSet<C, N> {
    /// Constraints with their vertices and compliances: 0 is rigid, 1/k has the energy ½ k C².
    pub fn new(elements: impl IntoIterator<Item = ([u32; N], C, f64)>) -> Result<Self, EnergyError> {
        let mut set = Self { stencils: Vec::new(), constraints: Vec::new(), compliances: Vec::new(), damping: 0.0 };
        for (element, (stencil, constraint, compliance)) in elements.into_iter().enumerate() {
            let repeated = (0..N).find(|&k| stencil[..k].contains(&stencil[k]));
            if let Some(vertex) = repeated.map(|k| stencil[k]) {
                return Err(EnergyError::RepeatedVertex { kind: C::KIND, element, vertex });
            }
            if !(compliance >= 0.0 && compliance.is_finite()) {
                let (kind, value, need) = (C::KIND, compliance, "finite and at least 0");
                return Err(EnergyError::BadValue { kind, element, name: "compliance", value, need });
            }
            set.stencils.push(stencil);
            set.constraints.push(constraint);
            set.compliances.push(compliance);
        }
        Ok(set)
    }

    /// Adds damping: with a time constant β \[s\] their force is k (C + β dC/dt).
    pub fn with_damping(mut self, seconds: f64) -> Result<Self, EnergyError> {
        if !(seconds >= 0.0 && seconds.is_finite()) {
            let (kind, name, value, need) = (C::KIND, "damping", seconds, "finite and at least 0");
            return Err(EnergyError::BadParameter { kind, name, value, need });
        }
        self.damping = seconds;
        Ok(self)
    }

    /// The constraints.
    pub fn constraints(&self) -> &[C] {
        &self.constraints
    }

    /// Converts it to a batch.
    pub fn boxed(self) -> Box<dyn ConstraintBatch> {
        Box::new(self)
    }
}

impl<C: Constraint<N>, const N: usize> ConstraintBatch for ConstraintSet<C, N> {
    fn kind(&self) -> &'static str {
        C::KIND
    }

    fn len(&self) -> usize {
        self.stencils.len()
    }

    fn rows(&self) -> usize {
        C::ROWS
    }

    fn stencil(&self, element: usize) -> &[u32] {
        &self.stencils[element]
    }

    fn shift_vertices(&mut self, by: u32) {
        self.stencils.iter_mut().flatten().for_each(|v| *v += by);
    }

    fn shifted(&self, by: i64) -> Option<Box<dyn ConstraintBatch>> {
        let mut copy = self.clone();
        copy.stencils.iter_mut().flatten().for_each(|v| *v = moved(*v, by));
        Some(Box::new(copy))
    }

    fn is_damped(&self) -> bool {
        self.damping > 0.0
    }

    fn arrays(&self) -> ConstraintArrays<'_> {
        if self.is_damped() { ConstraintArrays::Opaque } else { C::arrays(&self.constraints, &self.compliances) }
    }

    fn correct(&self, block: &mut Block<'_>, rule: &Rule) {
        let (corners, _) = block.corners.as_chunks_mut::<N>();
        let (masses, _) = block.inverse_masses.as_chunks::<N>();
        let (before, _) = block.before.as_chunks::<N>();
        let multipliers = block.multipliers.chunks_exact_mut(C::ROWS);
        for (k, ((&element, x), multipliers)) in block.elements.iter().zip(corners).zip(multipliers).enumerate() {
            let (constraint, w) = (&self.constraints[element as usize], &masses[k]);
            let compliance = self.compliances[element as usize];
            for (row, multiplier) in multipliers.iter_mut().enumerate() {
                let Some((value, gradient)) = constraint.evaluate(row, x) else { continue };
                let value = value.clamp(-C::MOST, C::MOST);
                let mobility: f64 = (0..N).map(|i| w[i] * gradient[i].length_squared()).sum();
                let (mut damping, mut moved) = (0.0, 0.0);
                if let (Rule::Compliance { inertia }, Some(before)) = (rule, before.get(k)) {
                    damping = self.damping * inertia.sqrt();
                    moved = (0..N).map(|i| gradient[i].dot(x[i] - before[i])).sum();
                }
                let terms = [compliance, damping, moved];
                let step = rule.damped_step(value, mobility, terms, constraint.bound(row), multiplier);
                (0..N).for_each(|i| x[i] += gradient[i] * (w[i] * step));
            }
        }
    }
}
