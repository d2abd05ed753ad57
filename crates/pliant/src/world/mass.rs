//! The mass matrix of a world: a diagonal and, for consistent masses, off-diagonal entries.

use std::sync::Arc;

use crate::math::Vec3;
use crate::parallel::{self, Strided};
use crate::sparse::{Analysis, Cholesky, FactorError, SymmetricMatrix, SymmetricPattern};

/// Masses of all vertices; the same for x, y and z.
#[derive(Debug, Clone, Default)]
pub struct Mass {
    /// Sum of each row \[kg\]: the lumped masses.
    lumped: Vec<f64>,
    /// Diagonal \[kg\]; equal to `lumped` unless consistent.
    diagonal: Vec<f64>,
    /// Entries above the diagonal (i < j) \[kg\]; empty for lumped masses.
    beside: Vec<(u32, u32, f64)>,
}

impl Mass {
    /// Appends a body with the upper triangle of its mass matrix; vertices are numbered from 0 within the body.
    pub(crate) fn append(&mut self, vertex_count: usize, entries: &[(u32, u32, f64)]) {
        let base = self.lumped.len();
        self.lumped.resize(base + vertex_count, 0.0);
        self.diagonal.resize(base + vertex_count, 0.0);
        for &(i, j, value) in entries {
            let (row, column) = (base + i as usize, base + j as usize);
            self.lumped[row] += value;
            if row == column {
                self.diagonal[row] += value;
            } else {
                self.lumped[column] += value;
                self.beside.push((row as u32, column as u32, value));
            }
        }
    }

    /// The same without one body; later ones move up.
    pub(crate) fn without_body(&self, body: std::ops::Range<usize>) -> Self {
        self.with_body(body, 0, &[])
    }

    /// The same with other masses for one body, which may have another number of vertices; later ones move up.
    pub(crate) fn with_body(
        &self,
        body: std::ops::Range<usize>,
        vertex_count: usize,
        entries: &[(u32, u32, f64)],
    ) -> Self {
        let mut mass = Self {
            lumped: self.lumped[..body.start].to_vec(),
            diagonal: self.diagonal[..body.start].to_vec(),
            beside: Vec::new(),
        };
        let outside = |is_kept: &dyn Fn(usize) -> bool| {
            self.beside.iter().copied().filter(|entry| is_kept(entry.0 as usize)).collect::<Vec<_>>()
        };
        mass.beside = outside(&|i| i < body.start);
        mass.append(vertex_count, entries);
        mass.lumped.extend_from_slice(&self.lumped[body.end..]);
        mass.diagonal.extend_from_slice(&self.diagonal[body.end..]);
        let moved = |v: u32| (v as usize - body.len() + vertex_count) as u32;
        mass.beside.extend(outside(&|i| i >= body.end).into_iter().map(|(i, j, m)| (moved(i), moved(j), m)));
        mass
    }

    /// Forgets all vertices but the first ones, which whole bodies have.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.lumped.truncate(count);
        self.diagonal.truncate(count);
        self.beside.truncate(self.beside.partition_point(|entry| (entry.0 as usize) < count));
    }

    /// Masses of a range of vertices that whole bodies have, numbered from 0.
    pub(crate) fn of_range(&self, range: std::ops::Range<usize>) -> Self {
        let (base, starts) =
            (range.start as u32, |i: usize| self.beside.partition_point(|entry| (entry.0 as usize) < i));
        let beside = &self.beside[starts(range.start)..starts(range.end)];
        Self {
            lumped: self.lumped[range.clone()].to_vec(),
            diagonal: self.diagonal[range].to_vec(),
            beside: beside.iter().map(|&(i, j, value)| (i - base, j - base, value)).collect(),
        }
    }

    /// Mass of each vertex \[kg\]: the row sums of the matrix.
    pub fn lumped(&self) -> &[f64] {
        &self.lumped
    }

    /// Diagonal of the matrix \[kg\].
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Entries above the diagonal \[kg\].
    pub fn off_diagonal(&self) -> &[(u32, u32, f64)] {
        &self.beside
    }

    /// out = M x.
    pub fn multiply(&self, x: &[Vec3], out: &mut [Vec3]) {
        parallel::for_each(0..x.len(), Strided { entries: &mut *out, stride: 1 }, &|range, part| {
            part.entries.iter_mut().zip(range).for_each(|(out, i)| *out = x[i] * self.diagonal[i]);
        });
        for &(i, j, value) in &self.beside {
            out[i as usize] += x[j as usize] * value;
            out[j as usize] += x[i as usize] * value;
        }
    }

    /// Σ xᵀ M y.
    pub fn inner(&self, x: &[Vec3], y: &[Vec3]) -> f64 {
        let diagonal = parallel::sum(0..x.len(), &|range| range.map(|i| self.diagonal[i] * x[i].dot(y[i])).sum());
        let beside = self
            .beside
            .iter()
            .map(|&(i, j, value)| value * (x[i as usize].dot(y[j as usize]) + x[j as usize].dot(y[i as usize])));
        diagonal + beside.sum::<f64>()
    }

    /// What M⁻¹ needs: nothing for lumped masses, a factor for consistent ones.
    pub(crate) fn factor(&self) -> Result<Option<Cholesky>, FactorError> {
        if self.beside.is_empty() {
            return Ok(None);
        }
        let pattern = SymmetricPattern::new(self.lumped.len(), self.beside.iter().map(|&(i, j, _)| (i, j)));
        let pattern = Arc::new(pattern);
        let mut matrix = SymmetricMatrix::zero(pattern.clone());
        self.beside.iter().enumerate().for_each(|(k, &(_, _, value))| matrix.add(k, value));
        // A pinned vertex may have no mass; its acceleration is not used, but the matrix must be regular.
        let regular = |value: f64| if value > 0.0 { value } else { 1.0 };
        self.diagonal.iter().enumerate().for_each(|(i, &value)| matrix.add_diagonal(i, regular(value)));
        Cholesky::new(&Analysis::new(&pattern)?, &matrix).map(Some)
    }

    /// Turns forces \[N\] into accelerations \[m/s²\].
    pub(crate) fn divide(&self, factor: &mut Option<Cholesky>, forces: &mut [Vec3]) {
        match factor {
            Some(factor) => factor.solve(forces),
            None => {
                // Most vertices have no force but gravity, and divisions take a while.
                let acts = |(f, mass): &(&mut Vec3, &f64)| **f != Vec3::ZERO && **mass > 0.0;
                forces.iter_mut().zip(&self.diagonal).filter(acts).for_each(|(f, &mass)| *f /= mass)
            }
        }
    }
}
