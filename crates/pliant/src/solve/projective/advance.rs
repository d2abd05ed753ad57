//! Moves vertices by a step that was solved for, and measures it.

#![allow(unsafe_code)] // Items of a stage move their own points.

use std::sync::atomic::{AtomicU64, Ordering};

use super::local::Point;
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::{Shared, Team};

/// Points that a thread takes at a time.
const POINTS_PER_ITEM: usize = 2048;

/// Adds rows of four numbers to points and returns the longest of them; NaN if one is.
pub(super) fn advance<S: LaneNumber>(team: &Team<'_>, rows: &[S], points: &mut [Point]) -> f64 {
    let count = points.len();
    assert!(rows.len() >= 4 * count, "a row for each point");
    let instructions = InstructionSet::detect();
    // Numbers that are not negative are ordered as their bits are, and a NaN comes after all.
    let most = AtomicU64::new(0);
    let points = Shared(points.as_mut_ptr());
    team.share(count.div_ceil(POINTS_PER_ITEM), |item| {
        let (first, end) = (item * POINTS_PER_ITEM, count.min((item + 1) * POINTS_PER_ITEM));
        let mut squared = 0.0;
        // SAFETY: `first` is no more than the number of points, and there are four numbers of rows for each, as checked
        // above.
        unsafe {
            let (rows, points) = (rows.as_ptr().add(4 * first), points.get().add(first).cast());
            S::dispatch(instructions, Advance { rows, points, count: end - first, squared: &mut squared });
        }
        most.fetch_max(squared.abs().to_bits(), Ordering::Relaxed);
    });
    f64::from_bits(most.into_inner()).sqrt()
}

struct Advance<'a, S> {
    rows: *const S,
    points: *mut f64,
    count: usize,
    /// Squared length of the longest step.
    squared: &'a mut f64,
}

impl<S: LaneNumber> Kernel<S> for Advance<'_, S> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let w = L::WIDTH;
        let mut k = 0;
        // SAFETY: `advance` gives `count` points that are this item's, with a row for each; k and the lanes after it
        // stay below.
        unsafe {
            // The largest drops a NaN, the sum keeps it.
            let (mut most, mut sum) = (L::zero(), L::zero());
            while k + w <= self.count {
                let [x, y, z] = L::advance(self.points.add(4 * k), self.rows.add(4 * k));
                let squared = x.mul_add(x, y.mul_add(y, z.mul(z)));
                most = most.max(squared);
                sum = sum.add(squared);
                k += w;
            }
            let (mut largest, mut sums) = ([S::default(); 8], [S::default(); 8]);
            most.write_to(&mut largest);
            sum.write_to(&mut sums);
            let mut result = 0.0_f64;
            for lane in 0..w {
                result = result.max(largest[lane].to_f64());
            }
            let mut is_nan = false;
            for lane in 0..w {
                is_nan |= sums[lane].to_f64().is_nan();
            }
            while k < self.count {
                let mut squared = 0.0;
                for c in 0..3 {
                    let d = (*self.rows.add(4 * k + c)).to_f64();
                    *self.points.add(4 * k + c) += d;
                    squared += d * d;
                }
                result = result.max(squared);
                is_nan |= squared.is_nan();
                k += 1;
            }
            *self.squared = if is_nan { f64::NAN } else { result };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_move_by_their_rows_and_the_longest_is_found() {
        for count in [0, 1, 7, 8, 29, 2048, 5003] {
            let row = |k: usize| [k as f32 * 0.5, -(k as f32), 0.25, 0.0];
            let rows: Vec<f32> = (0..count + 3).flat_map(row).collect();
            let mut points = vec![[1.0, 2.0, 3.0, 0.0]; count];
            let longest = advance(&Team::alone(), &rows, &mut points);
            for (k, point) in points.iter().enumerate() {
                assert_eq!(*point, [1.0 + 0.5 * k as f64, 2.0 - k as f64, 3.25, 0.0]);
            }
            let last = count.saturating_sub(1);
            let expected = if count == 0 { 0.0 } else { (1.25 * (last * last) as f64 + 0.0625).sqrt() };
            assert!((longest - expected).abs() <= 1e-6 * expected, "{count}: {longest} for {expected}");
        }
    }

    #[test]
    fn a_nan_anywhere_is_the_longest() {
        for place in [0, 3, 17, 18] {
            let mut rows = vec![0.0_f64; 4 * 19];
            rows[4 * place + 1] = f64::NAN;
            assert!(advance(&Team::alone(), &rows, &mut vec![[0.0; 4]; 19]).is_nan(), "{place}");
        }
    }
}
