//! Blocks of the second derivative between the corners of elements, a vector of them at a time.

use std::ops::Range;

use super::Point;
use super::simplex::{Elements, Law};
use crate::energy::Curvature;
use crate::math::lanes::{Kernel, LaneNumber, Lanes};

/// Writes the blocks of some groups.
pub(super) struct Blocks<'a, S, W, const N: usize, const E: usize> {
    pub(super) elements: &'a Elements<S, W, N>,
    pub(super) groups: Range<usize>,
    pub(super) points: &'a [Point],
    pub(super) kept: *const S,
    pub(super) curvature: Curvature,
    pub(super) out: *mut S,
}

impl<S: LaneNumber, W: Law<S, E>, const N: usize, const E: usize> Kernel<S> for Blocks<'_, S, W, N, E> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let w = S::WIDTH;
        let points = self.points.as_ptr().cast::<f64>();
        let Elements { corners, numbers, law, .. } = self.elements;
        let (numbers_len, kept_len) = (law.numbers() * w, (law.warm() + law.spare()) * w);
        // SAFETY: as for forces; `list_blocks` has made room for N (N + 1)/2 blocks of each group.
        unsafe {
            for group in self.groups.start..self.groups.end {
                let edges = L::edges_of_simplex::<E>(points, corners.places.as_ptr().add(corners.first(group)));
                let numbers = numbers.as_ptr().add(group * numbers_len);
                let mut inner = [[[L::zero(); 3]; 3]; 6];
                law.blocks::<L>(&edges, numbers, self.kept.add(group * kept_len), self.curvature, &mut inner);
                write_blocks::<L, E>(&inner, self.out.add(group * (N * (N + 1) / 2) * 3 * 4 * w));
            }
        }
    }
}

/// Writes the blocks between all corners of a group, given those between edges: translations cost nothing, so those of the first corner are what
/// keeps sums of rows and columns at zero. A column of a block is a point for each lane.
///
/// # Safety
/// There is room for all.
#[inline(always)]
pub(super) unsafe fn write_blocks<L: Lanes, const E: usize>(inner: &[[[L; 3]; 3]; 6], mut out: *mut L::Scalar) {
    let column = 4 * L::WIDTH;
    // SAFETY: there is room for (E + 1)(E + 2)/2 blocks of three columns, as the caller promises; these are so many.
    unsafe {
        let mut first = [[[L::zero(); 3]; 3]; E];
        let mut corner = [[L::zero(); 3]; 3];
        let mut at = 0;
        for i in 0..E {
            for j in i..E {
                for c in 0..3 {
                    for r in 0..3 {
                        let value = inner[at][c][r];
                        first[j][c][r] = first[j][c][r].sub(value);
                        if i != j {
                            first[i][r][c] = first[i][r][c].sub(value);
                        }
                    }
                }
                at += 1;
            }
        }
        for j in 0..E {
            for c in 0..3 {
                for r in 0..3 {
                    corner[c][r] = corner[c][r].sub(first[j][c][r]);
                }
            }
        }
        for c in 0..3 {
            L::store_points(corner[c], out);
            out = out.add(column);
        }
        for j in 0..E {
            for c in 0..3 {
                L::store_points(first[j][c], out);
                out = out.add(column);
            }
        }
        for block in 0..E * (E + 1) / 2 {
            for c in 0..3 {
                L::store_points(inner[block][c], out);
                out = out.add(column);
            }
        }
    }
}
