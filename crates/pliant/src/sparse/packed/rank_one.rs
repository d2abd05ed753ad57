//! M = [L₁₁⁻¹; −L₂₁L₁₁⁻¹] of a node after a rank-one update of the factor.
//!
//! With L₁₁' = L₁₁G and L₂₁' = (L₂₁ + σ'rpᵀ)G, where r is what the update has left below the node and σ' = σ/a after the node,
//! the new numbers follow from the old ones without a factor:
//!
//! ```text
//! M₁' = G⁻¹M₁          row i: √(aᵢ₋₁/aᵢ) M₁ᵢ − σpᵢ/√(aᵢaᵢ₋₁) Σ_{k<i} pₖM₁ₖ
//! M₂' = M₂ − σ' r qᵀ     with q = M₁ᵀp, what the sums in the line above end with
//! ```
//!
//! so one pass over the node does it, where to invert L₁₁' would take a pass for every column.

#![allow(unsafe_code)] // Panels by vectors; `RankOne::new` checks lengths.

use super::layout::Node;
use crate::math::lanes::{Kernel, LaneNumber, Lanes, Real};

/// Vectors of an update within a node.
#[derive(Default)]
pub(super) struct Vectors<S> {
    /// First column that the update changes.
    first: usize,
    /// p, √(aᵢ₋₁/aᵢ) and −σpᵢ/√(aᵢaᵢ₋₁) of each row; 0, 1 and 0 where it is not a column.
    p: Vec<S>,
    scale: Vec<S>,
    weight: Vec<S>,
    /// −σ'r of each row; 0 where it is a column.
    below: Vec<S>,
    /// Σ pₖM₁ₖ of each column, so far; a few more than there are columns.
    sums: Vec<S>,
}

impl<S: Real> Vectors<S> {
    /// No change, for a node of so many columns and rows.
    pub(super) fn clear(&mut self, columns: usize, height: usize) {
        let refill = |vector: &mut Vec<S>, len: usize, value: f64| {
            vector.clear();
            vector.resize(len, S::from_f64(value));
        };
        self.first = columns;
        refill(&mut self.p, height, 0.0);
        refill(&mut self.scale, height, 1.0);
        refill(&mut self.weight, height, 0.0);
        refill(&mut self.below, height, 0.0);
        refill(&mut self.sums, columns, 0.0);
    }

    pub(super) fn set_first(&mut self, column: usize) {
        self.first = column;
    }

    pub(super) fn set_column(&mut self, row: usize, p: f64, scale: f64, weight: f64) {
        self.p[row] = S::from_f64(p);
        self.scale[row] = S::from_f64(scale);
        self.weight[row] = S::from_f64(weight);
    }

    pub(super) fn set_below(&mut self, row: usize, value: f64) {
        self.below[row] = S::from_f64(value);
    }
}

/// An update of one node.
pub(super) struct RankOne<'a, S> {
    node: &'a Node,
    vectors: &'a mut Vectors<S>,
    values: &'a mut [S],
}

impl<'a, S: LaneNumber> RankOne<'a, S> {
    pub(super) fn new(node: &'a Node, vectors: &'a mut Vectors<S>, values: &'a mut [S]) -> Self {
        let height = node.panels * S::WIDTH;
        let Vectors { p, scale, weight, below, sums, .. } = &*vectors;
        assert!([p, scale, weight, below].iter().all(|vector| vector.len() >= height) && sums.len() >= node.columns);
        assert!(values.len() >= node.value_count(S::WIDTH));
        Self { node, vectors, values }
    }
}

impl<S: LaneNumber> Kernel<S> for RankOne<'_, S> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let Self { node, vectors, values } = self;
        let (w, columns) = (L::WIDTH, node.columns);
        let triangle = node.triangular_panels(w);
        let values = values.as_mut_ptr();
        // SAFETY: vectors are as long as the node is high or wide, and there are all its values, as `new` checked;
        // panels and groups lie where `panel_offset` says.
        unsafe {
            for panel in vectors.first / w..triangle {
                let at = values.add(node.panel_offset(panel, w));
                rotate_panel::<L>(vectors, panel * w, at, w, (panel + 1) * w);
            }
            // The panel where columns end and rows below begin lies in a group with others.
            if columns % w != 0 {
                let at = values.add(node.panel_offset(triangle, w));
                let stride = w * node.group_from(triangle);
                rotate_panel::<L>(vectors, triangle * w, at, stride, columns);
            }
            let mut panel = triangle;
            while panel < node.panels {
                let at = values.add(node.panel_offset(panel, w));
                let (below, sums) = (vectors.below.as_ptr().add(panel * w), vectors.sums.as_ptr());
                let group = node.group_from(panel);
                match group {
                    4 => add_product::<L, 4>(at, below, sums, columns),
                    3 => add_product::<L, 3>(at, below, sums, columns),
                    2 => add_product::<L, 2>(at, below, sums, columns),
                    _ => add_product::<L, 1>(at, below, sums, columns),
                }
                panel += group;
            }
        }
    }
}

/// Rows of G⁻¹M₁ within a panel, in column j at `values + j·stride`; rows that are no columns of the node stay.
#[inline(always)]
unsafe fn rotate_panel<L: Lanes>(
    vectors: &mut Vectors<L::Scalar>,
    first_row: usize,
    values: *mut L::Scalar,
    stride: usize,
    columns: usize,
) where
    L::Scalar: LaneNumber,
{
    let zero = L::Scalar::default();
    // SAFETY: p and weight have a vector from `first_row` on, there are `columns` sums, and a vector of values for each
    // column, as the caller promises.
    unsafe {
        let p = L::load(vectors.p.as_ptr().add(first_row));
        let weight = L::load(vectors.weight.as_ptr().add(first_row));
        // Column m of the triangle of G⁻¹ on the diagonal: the scale in row m, weightₗpₘ in the rows l below it.
        let mut turn = [L::zero(); 8];
        let mut lanes = [zero; 8];
        for m in 0..L::WIDTH {
            let p = vectors.p[first_row + m].to_f64();
            for l in 0..L::WIDTH {
                lanes[l] = match l.cmp(&m) {
                    std::cmp::Ordering::Less => zero,
                    std::cmp::Ordering::Equal => vectors.scale[first_row + m],
                    std::cmp::Ordering::Greater => L::Scalar::from_f64(vectors.weight[first_row + l].to_f64() * p),
                };
            }
            turn[m] = L::load(lanes.as_ptr());
        }
        let sums = vectors.sums.as_mut_ptr();
        let turn = Turn { columns: turn, weight, p };
        let mut j = 0;
        let mut found = [zero; 4];
        // The sums over lanes of three columns cost as much as those of one.
        while j + 3 <= columns {
            let first = turn.change(values.add(j * stride), *sums.add(j));
            let second = turn.change(values.add((j + 1) * stride), *sums.add(j + 1));
            let third = turn.change(values.add((j + 2) * stride), *sums.add(j + 2));
            L::store_sums([first, second, third], found.as_mut_ptr());
            for k in 0..3 {
                *sums.add(j + k) = *sums.add(j + k) + found[k];
            }
            j += 3;
        }
        while j < columns {
            let products = turn.change(values.add(j * stride), *sums.add(j));
            L::store_sums([products, L::zero(), L::zero()], found.as_mut_ptr());
            *sums.add(j) = *sums.add(j) + found[0];
            j += 1;
        }
    }
}

/// Rows of G⁻¹ that belong to a panel.
struct Turn<L> {
    /// Columns of its triangle on the diagonal, as many as a vector is wide.
    columns: [L; 8],
    weight: L,
    p: L,
}

impl<L: Lanes> Turn<L> {
    /// Changes a column, given the sum from the rows above; returns what the panel's rows add to that sum. A closure would do, but
    /// could be left as a function of its own, without the vector instructions.
    #[inline(always)]
    unsafe fn change(&self, at: *mut L::Scalar, sum: L::Scalar) -> L {
        // SAFETY: a vector can be read and written there, as the caller promises.
        unsafe {
            let before = L::load(at);
            let mut after = self.weight.mul(L::splat(sum));
            for m in 0..L::WIDTH {
                after = self.columns[m].mul_add(L::splat(*at.add(m)), after);
            }
            after.store(at);
            before.mul(self.p)
        }
    }
}

/// M₂ − σ'rqᵀ in a group of panels.
#[inline(always)]
unsafe fn add_product<L: Lanes, const P: usize>(
    values: *mut L::Scalar,
    below: *const L::Scalar,
    sums: *const L::Scalar,
    columns: usize,
) {
    let w = L::WIDTH;
    // SAFETY: there are P vectors of values for each of `columns` sums, and P vectors of `below`, as the caller
    // promises.
    unsafe {
        let mut below_of = [L::zero(); P];
        for k in 0..P {
            below_of[k] = L::load(below.add(k * w));
        }
        for j in 0..columns {
            let sum = L::splat(*sums.add(j));
            for k in 0..P {
                let at = values.add((j * P + k) * w);
                below_of[k].mul_add(sum, L::load(at)).store(at);
            }
        }
    }
}
