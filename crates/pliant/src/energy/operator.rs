//! The linear half of a projective energy: which vertices an element touches, and the matrix A that it applies to them.
//!
//! E(x) = Σₑ wₑ/2 ‖Aₑ xₑ − pₑ‖². A acts on x, y and z alike, so Aₑ xₑ is a short list of vectors, here called rows: one for
//! a spring (its edge), two for a triangle and three for a tet (the columns of the deformation gradient).
//!
//! Departure: [Bouaziz 2014, eq. 16] puts the square root of the rest area or volume into A and B. Here it multiplies the
//! weight, which is the same energy and lets projections work on the deformation gradient itself.

use std::ops::Range;

use super::Rewiring;
use crate::math::Vec3;
use crate::parallel::{self, ByOffsets};

/// Stencils, differential operators and weights of all elements of a batch.
#[derive(Debug, Clone, Default)]
pub struct Operator {
    rows: usize,
    offsets: Vec<u32>,
    vertices: Vec<u32>,
    coefficients: Vec<f64>,
    weights: Vec<f64>,
}

impl Operator {
    /// An empty list of elements with `rows` vectors each.
    pub fn new(rows: usize) -> Self {
        Self { rows, offsets: vec![0], ..Self::default() }
    }

    /// Appends an element: its weight \[N/m for rows in metres, J for rows without unit\], its vertices and A, row by row.
    pub fn push(&mut self, weight: f64, vertices: &[u32], coefficients: &[f64]) {
        assert_eq!(coefficients.len(), self.rows * vertices.len(), "A has a coefficient per row and vertex");
        self.vertices.extend_from_slice(vertices);
        self.coefficients.extend_from_slice(coefficients);
        self.offsets.push(self.vertices.len() as u32);
        self.weights.push(weight);
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Vectors per element.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Vertices of an element.
    pub fn stencil(&self, element: usize) -> &[u32] {
        &self.vertices[self.corners(element)]
    }

    /// A of an element, row by row: `coefficients(e)[row * stencil(e).len() + corner]`.
    pub fn coefficients(&self, element: usize) -> &[f64] {
        let corners = self.corners(element);
        &self.coefficients[self.rows * corners.start..self.rows * corners.end]
    }

    /// Weight of an element.
    pub fn weight(&self, element: usize) -> f64 {
        self.weights[element]
    }

    /// Weight of each element.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Range of an element's corners among all corners of the batch.
    pub fn corners(&self, element: usize) -> Range<usize> {
        self.offsets[element] as usize..self.offsets[element + 1] as usize
    }

    /// Vertex of each corner of the batch, element by element.
    pub fn corner_vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Whether elements have the same vertices and the same A as those of another operator; weights may differ.
    pub(crate) fn has_the_rows_of(&self, other: &Self) -> bool {
        self.rows == other.rows && self.vertices == other.vertices && self.coefficients == other.coefficients
    }

    /// Renumbers the vertices, for a body that becomes part of a world.
    pub fn shift_vertices(&mut self, by: u32) {
        self.vertices.iter_mut().for_each(|v| *v += by);
    }

    /// The operator with some of its elements at other vertices.
    ///
    /// # Panics
    /// If an element does not exist, or the number of vertices differs from the number of corners of those elements.
    pub fn rewired(&self, rewiring: &Rewiring) -> Self {
        let mut operator = Self::new(self.rows);
        let mut at = 0;
        for &(old, factor) in &rewiring.elements {
            let old = old as usize;
            let end = at + self.corners(old).len();
            operator.push(factor * self.weights[old], &rewiring.vertices[at..end], self.coefficients(old));
            at = end;
        }
        assert_eq!(at, rewiring.vertices.len(), "vertices of all elements");
        operator
    }

    /// Whether a common translation of the stencil leaves A x unchanged, for every element.
    pub fn is_differential(&self) -> bool {
        (0..self.len()).all(|e| {
            let n = self.stencil(e).len();
            self.coefficients(e).chunks(n).all(|row| {
                let size: f64 = row.iter().map(|c| c.abs()).sum();
                row.iter().sum::<f64>().abs() <= 1e-12 * size
            })
        })
    }

    /// A x of one element.
    #[inline]
    pub fn apply(&self, element: usize, x: &[Vec3], z: &mut [Vec3]) {
        let stencil = self.stencil(element);
        let rows = self.coefficients(element).chunks_exact(stencil.len());
        for (z, row) in z.iter_mut().zip(rows) {
            *z = row.iter().zip(stencil).fold(Vec3::ZERO, |sum, (&c, &v)| sum + x[v as usize] * c);
        }
    }

    /// Σ w/2 ‖A x − p‖² \[J\], added up along a fixed tree.
    pub fn energy(&self, x: &[Vec3], projections: &[Vec3]) -> f64 {
        parallel::sum(0..self.len(), &|range| range.map(|e| self.element_energy(e, x, projections)).sum())
    }

    /// w/2 ‖A x − p‖² of one element \[J\].
    pub fn element_energy(&self, element: usize, x: &[Vec3], projections: &[Vec3]) -> f64 {
        let mut z = [Vec3::ZERO; MAX_ROWS];
        let z = &mut z[..self.rows];
        self.apply(element, x, z);
        let p = &projections[element * self.rows..][..self.rows];
        let squared: f64 = z.iter().zip(p).map(|(z, p)| (*z - *p).length_squared()).sum();
        0.5 * self.weights[element] * squared
    }

    /// Sets the gradient w Aᵀ(A x − p) of each element, corner by corner \[N\].
    pub fn gradient(&self, x: &[Vec3], projections: &[Vec3], scale: f64, corners: &mut [Vec3]) {
        let outputs = ByOffsets { entries: corners, offsets: &self.offsets };
        parallel::for_each(0..self.len(), outputs, &|range, part| {
            let mut place = 0;
            let mut z = [Vec3::ZERO; MAX_ROWS];
            for element in range {
                let z = &mut z[..self.rows];
                self.apply(element, x, z);
                let p = &projections[element * self.rows..][..self.rows];
                let n = self.stencil(element).len();
                let coefficients = self.coefficients(element);
                let weight = scale * self.weights[element];
                z.iter_mut().zip(p).for_each(|(z, p)| *z = (*z - *p) * weight);
                for (corner, out) in part.entries[place..place + n].iter_mut().enumerate() {
                    *out = z
                        .iter()
                        .enumerate()
                        .fold(Vec3::ZERO, |sum, (row, z)| sum + *z * coefficients[row * n + corner]);
                }
                place += n;
            }
        });
    }
}

/// The largest number of rows that an element may have.
pub const MAX_ROWS: usize = 4;
