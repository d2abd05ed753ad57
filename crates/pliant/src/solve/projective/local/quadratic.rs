//! Energies whose projection does not depend on positions: bending from flat, and goals.
//!
//! Together they are ½ xᵀQ x − bᵀx with a constant, sparse Q, which is in the matrix of the global step already. Their gradient costs one product
//! with Q, vertex by vertex, in f64. Rows of what bends add up to zero, so it is taken from differences, and nothing is lost far from the
//! origin; its energy is −¼ Σ Qᵢⱼ ‖xᵢ − xⱼ‖².

use super::{Order, Point, point};
use crate::energy::Operator;
use crate::math::Vec3;

/// All such energies of a model.
#[derive(Debug, Default)]
pub(super) struct Quadratic {
    /// Entries off the diagonal of the rows of all vertices, in order; empty for none.
    starts: Vec<u32>,
    places: Vec<u32>,
    values: Vec<f64>,
    /// Goals: (batch, element, place, weight).
    goals: Vec<(usize, usize, u32, f64)>,
    /// Sum of weights of goals at each vertex in order, and their mean; empty for none.
    held: Vec<f64>,
    mean: Vec<Point>,
    /// Energy of goals that pull one vertex to several places \[J\].
    apart: f64,
}

impl Quadratic {
    /// `forms` are operators whose projection is 0, with a factor on weights; `goals` batches of goals, likewise.
    pub(super) fn new(forms: &[(&Operator, f64)], goals: &[(usize, &Operator, f64)], order: &Order) -> Self {
        let count = order.vertices.len();
        let mut quadratic = Self::default();
        if !forms.is_empty() {
            quadratic.gather(forms, order);
        }
        for &(batch, operator, scale) in goals {
            for e in 0..operator.len() {
                let place = order.places[operator.stencil(e)[0] as usize];
                let coefficient = operator.coefficients(e)[0];
                quadratic.goals.push((batch, e, place, scale * operator.weight(e) * coefficient * coefficient));
            }
        }
        if !quadratic.goals.is_empty() {
            quadratic.held = vec![0.0; count];
            quadratic.mean = vec![Point::default(); count];
            for &(_, _, place, weight) in &quadratic.goals {
                quadratic.held[place as usize] += weight;
            }
        }
        quadratic
    }

    fn gather(&mut self, forms: &[(&Operator, f64)], order: &Order) {
        let count = order.vertices.len();
        let mut starts = vec![0u32; count + 1];
        for (operator, _) in forms {
            for e in 0..operator.len() {
                let stencil = operator.stencil(e);
                for &v in stencil {
                    starts[order.places[v as usize] as usize + 1] += stencil.len() as u32 - 1;
                }
            }
        }
        (0..count).for_each(|k| starts[k + 1] += starts[k]);
        let mut next = starts.clone();
        let mut entries = vec![(0u32, 0.0); starts[count] as usize];
        for (operator, scale) in forms {
            for e in 0..operator.len() {
                let (stencil, a) = (operator.stencil(e), operator.coefficients(e));
                let (n, weight) = (stencil.len(), scale * operator.weight(e));
                for i in 0..n {
                    let place = order.places[stencil[i] as usize] as usize;
                    for j in (0..n).filter(|&j| j != i) {
                        let product: f64 = (0..operator.rows()).map(|row| a[row * n + i] * a[row * n + j]).sum();
                        entries[next[place] as usize] = (order.places[stencil[j] as usize], weight * product);
                        next[place] += 1;
                    }
                }
            }
        }
        self.starts.push(0);
        for k in 0..count {
            let row = &mut entries[starts[k] as usize..starts[k + 1] as usize];
            row.sort_by_key(|entry| entry.0);
            for &(place, value) in row.iter() {
                match self.places.last() {
                    Some(&last) if last == place && self.places.len() > self.starts[k] as usize => {
                        let at = self.values.len() - 1;
                        self.values[at] += value;
                    }
                    _ => {
                        self.places.push(place);
                        self.values.push(value);
                    }
                }
            }
            self.starts.push(self.places.len() as u32);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty() && self.held.is_empty()
    }

    /// Takes the goals of a stage.
    pub(super) fn set_goals(&mut self, goals: &[Vec<Vec3>]) {
        if self.goals.is_empty() {
            return;
        }
        self.mean.fill(Point::default());
        for &(batch, e, place, weight) in &self.goals {
            let (mean, goal) = (&mut self.mean[place as usize], point(goals[batch][e]));
            (0..3).for_each(|c| mean[c] += weight * goal[c]);
        }
        for (mean, &weight) in self.mean.iter_mut().zip(&self.held) {
            mean.iter_mut().for_each(|c| *c /= weight.max(f64::MIN_POSITIVE));
        }
        self.apart = 0.0;
        for &(batch, e, place, weight) in &self.goals {
            let (mean, goal) = (&self.mean[place as usize], point(goals[batch][e]));
            self.apart += 0.5 * weight * (0..3).map(|c| (goal[c] - mean[c]).powi(2)).sum::<f64>();
        }
    }

    /// Energy that no position changes \[J\].
    pub(super) fn constant(&self) -> f64 {
        self.apart
    }

    /// Gradient at one vertex, and its share of the energy where anybody asks for it. Loops of four numbers without conditions become vectors.
    #[inline(always)]
    pub(super) fn at<const ENERGY: bool>(&self, place: usize, points: &[Point], energy: &mut f64) -> [f64; 4] {
        let own = points[place];
        let mut gradient = [0.0; 4];
        if !self.starts.is_empty() {
            let row = self.starts[place] as usize..self.starts[place + 1] as usize;
            let (places, values) = (&self.places[row.clone()], &self.values[row]);
            // Two sums: one would wait for itself at each entry.
            let (mut even, mut odd, mut squares) = ([0.0; 4], [0.0; 4], [0.0; 4]);
            let mut k = 0;
            while k < places.len() {
                let pull = self.pull::<ENERGY>(&own, &points[places[k] as usize], values[k], &mut squares);
                for c in 0..4 {
                    even[c] += pull[c];
                }
                if k + 1 < places.len() {
                    let pull = self.pull::<ENERGY>(&own, &points[places[k + 1] as usize], values[k + 1], &mut squares);
                    for c in 0..4 {
                        odd[c] += pull[c];
                    }
                }
                k += 2;
            }
            for c in 0..4 {
                gradient[c] = even[c] + odd[c];
            }
            if ENERGY {
                *energy -= 0.25 * (squares[0] + squares[1] + squares[2]);
            }
        }
        if !self.held.is_empty() {
            let (weight, mean) = (self.held[place], &self.mean[place]);
            let mut squared = 0.0;
            for c in 0..4 {
                let gap = own[c] - mean[c];
                gradient[c] += weight * gap;
                squared += gap * gap;
            }
            *energy += 0.5 * weight * squared;
        }
        gradient
    }

    /// What an entry off the diagonal adds to the gradient.
    #[inline(always)]
    fn pull<const ENERGY: bool>(&self, own: &Point, other: &Point, value: f64, squares: &mut [f64; 4]) -> [f64; 4] {
        let mut pull = [0.0; 4];
        for c in 0..4 {
            let gap = other[c] - own[c];
            pull[c] = value * gap;
            if ENERGY {
                squares[c] += pull[c] * gap;
            }
        }
        pull
    }
}
