//! Sets of vertices that keep their shape, as a constraint [Müller 2005; Bender 2014, §4].
//!
//! C = (Σ mᵢ ‖xᵢ − gᵢ‖²)^½ with goals gᵢ = R(rᵢ − r̄) + x̄: the rest shape, moved rigidly to where it fits best. In the
//! metric of masses the goals have the same momentum and angular momentum as the vertices. Σ wᵢ‖∇ᵢC‖² = 1, so the step
//! is the same for every set. The compliance is 1/ω² for the angular frequency ω at which the set would oscillate about
//! its shape \[s²\].

use super::{Block, Bound, ConstraintBatch, Rule, moved};
use crate::energy::EnergyError;
use crate::math::{RigidFit, Vec3};

/// Sets of vertices that keep their shape.
#[derive(Debug, Clone)]
pub struct ShapeMatching {
    sets: Vec<Set>,
    compliance: f64,
}

#[derive(Debug, Clone)]
struct Set {
    vertices: Vec<u32>,
    rest: Vec<Vec3>,
}

impl ShapeMatching {
    /// Name of the kind.
    pub const KIND: &'static str = "shape_matching";

    /// Sets of vertices with their rest shapes. `compliance` is 1/ω² \[s²\]; 0 is rigid.
    pub fn at_rest(sets: &[Vec<u32>], rest: &[Vec3], compliance: f64) -> Result<Self, EnergyError> {
        let kind = Self::KIND;
        if !(compliance >= 0.0 && compliance.is_finite()) {
            let (name, value, need) = ("compliance", compliance, "finite and at least 0");
            return Err(EnergyError::BadParameter { kind, name, value, need });
        }
        let mut list = Vec::with_capacity(sets.len());
        for (element, set) in sets.iter().enumerate() {
            let mut sorted = set.clone();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(EnergyError::RepeatedVertex { kind, element, vertex: pair[0] });
            }
            if let Some(&vertex) = sorted.iter().find(|&&v| v as usize >= rest.len()) {
                return Err(EnergyError::IndexOutOfRange { kind, element, vertex, count: rest.len() });
            }
            list.push(Set { vertices: set.clone(), rest: set.iter().map(|&v| rest[v as usize]).collect() });
        }
        Ok(Self { sets: list, compliance })
    }

    /// Converts it to a batch.
    pub fn boxed(self) -> Box<dyn ConstraintBatch> {
        Box::new(self)
    }
}

/// Where the vertices of a set would be in its rest shape. A pinned vertex counts as many times as heavy as all others.
fn goals(rest: &[Vec3], x: &[Vec3], inverse_masses: &[f64], masses: &mut Vec<f64>) -> Vec<Vec3> {
    let free: f64 = inverse_masses.iter().filter(|w| **w > 0.0).map(|w| 1.0 / w).sum();
    masses.clear();
    masses.extend(inverse_masses.iter().map(|&w| if w > 0.0 { 1.0 / w } else { PINNED * free.max(1.0) }));
    let fit = RigidFit::new(rest.iter().zip(x).zip(&*masses).map(|((r, x), m)| (*r, *x, *m)));
    rest.iter().map(|r| fit.place(*r)).collect()
}

/// How much heavier than all others a pinned vertex is.
const PINNED: f64 = 1e6;

impl ConstraintBatch for ShapeMatching {
    fn kind(&self) -> &'static str {
        Self::KIND
    }

    fn len(&self) -> usize {
        self.sets.len()
    }

    fn stencil(&self, element: usize) -> &[u32] {
        &self.sets[element].vertices
    }

    fn shift_vertices(&mut self, by: u32) {
        self.sets.iter_mut().flat_map(|set| &mut set.vertices).for_each(|v| *v += by);
    }

    fn shifted(&self, by: i64) -> Option<Box<dyn ConstraintBatch>> {
        let mut copy = self.clone();
        copy.sets.iter_mut().flat_map(|set| &mut set.vertices).for_each(|v| *v = moved(*v, by));
        Some(Box::new(copy))
    }

    fn correct(&self, block: &mut Block<'_>, rule: &Rule) {
        let (mut first, mut masses) = (0, Vec::new());
        for (&element, multiplier) in block.elements.iter().zip(&mut *block.multipliers) {
            let set = &self.sets[element as usize];
            let own = first..first + set.vertices.len();
            first = own.end;
            let (x, w) = (&mut block.corners[own.clone()], &block.inverse_masses[own]);
            let goals = goals(&set.rest, x, w, &mut masses);
            let value = x.iter().zip(&goals).zip(&masses).zip(w);
            let value: f64 =
                value.map(|(((x, g), m), w)| if *w > 0.0 { m * x.distance_squared(*g) } else { 0.0 }).sum();
            let value = value.sqrt();
            if value > 0.0 {
                let step = rule.step(value, 1.0, self.compliance, Bound::Equal, multiplier) / value;
                let movable = x.iter_mut().zip(&goals).zip(w).filter(|(_, w)| **w > 0.0);
                movable.for_each(|((x, g), _)| *x += (*x - *g) * step);
            }
        }
    }
}
