//! L' = L G for neighbouring columns with one pattern.

#![allow(unsafe_code)] // Four columns and w are walked through at once, by vectors; `new` checks that they are long enough.

use crate::math::lanes::{Kernel, Lanes};

/// The state that goes from column to column.
pub(super) struct Rotation {
    /// σ: one, or minus one in a downdate.
    pub(super) sign: f64,
    /// 1 + σ Σ p² over the columns so far.
    pub(super) a: f64,
}

/// What one column is changed by.
#[derive(Clone, Copy, Default)]
struct Coefficients {
    p: f64,
    /// √(aⱼ/aⱼ₋₁).
    scale: f64,
    /// σpⱼ/√(aⱼaⱼ₋₁).
    weight: f64,
}

impl Rotation {
    fn next(&mut self, w: f64, diagonal: f64) -> Coefficients {
        let p = w / diagonal;
        let before = self.a;
        self.a += self.sign * p * p;
        let scale = (self.a / before).sqrt();
        // √(a·b) = b·√(a/b).
        Coefficients { p, scale, weight: self.sign * p / (before * scale) }
    }
}

/// Columns from the first one on the path to the last of a supernode.
pub(super) struct Columns<'a> {
    /// Column by column, each of `stride` numbers.
    pub(super) values: &'a mut [f64],
    pub(super) stride: usize,
    /// Rows at the beginning of each column that are left alone.
    pub(super) skipped: usize,
    /// w in the rows after these.
    pub(super) w: &'a mut [f64],
    /// One for each column, to be found.
    pub(super) p: &'a mut [f64],
    pub(super) rotation: &'a mut Rotation,
}

impl<'a> Columns<'a> {
    /// Finds p and w, and changes the columns.
    pub(super) fn changed(self) -> Rotate<'a, true> {
        Rotate::new(self)
    }

    /// Finds p and w.
    pub(super) fn only_read(self) -> Rotate<'a, false> {
        Rotate::new(self)
    }
}

/// Columns whose lengths were checked.
pub(super) struct Rotate<'a, const CHANGE: bool>(Columns<'a>);

impl<'a, const CHANGE: bool> Rotate<'a, CHANGE> {
    fn new(columns: Columns<'a>) -> Self {
        let Columns { values, stride, skipped, w, p, .. } = &columns;
        assert!(w.len() >= p.len() && skipped + w.len() == *stride && values.len() >= stride * p.len());
        Self(columns)
    }
}

impl<const CHANGE: bool> Kernel<f64> for Rotate<'_, CHANGE> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let Columns { values, stride, skipped, w, p, rotation } = self.0;
        let (columns, mut j) = (p.len(), 0);
        // SAFETY: column j has its rows at `skipped + j · stride`, as many as w, as `new` checked; blocks are of
        // columns that are left.
        unsafe {
            let first = values.as_mut_ptr().add(skipped);
            let block = |j: usize| Block { first: first.add(j * stride), stride, j };
            while j + 4 <= columns {
                block(j).run::<L, 4, CHANGE>(w, p, rotation);
                j += 4;
            }
            match columns - j {
                3 => block(j).run::<L, 3, CHANGE>(w, p, rotation),
                2 => block(j).run::<L, 2, CHANGE>(w, p, rotation),
                1 => block(j).run::<L, 1, CHANGE>(w, p, rotation),
                _ => (),
            }
        }
    }
}

/// A few columns from the j-th on.
struct Block {
    first: *mut f64,
    stride: usize,
    j: usize,
}

impl Block {
    /// # Safety
    /// There are `N` columns, each with as many rows as w.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = f64>, const N: usize, const CHANGE: bool>(
        self,
        w: &mut [f64],
        p: &mut [f64],
        rotation: &mut Rotation,
    ) {
        let Self { first, stride, j } = self;
        let mut coefficients = [Coefficients::default(); N];
        // SAFETY: there are N columns from the j-th on, each with as many rows as w, as the caller promises; rows stay
        // below.
        unsafe {
            let at = |row: usize, column: usize| first.add(column * stride + row);
            // The triangle on the diagonal, number by number.
            for k in 0..N {
                let diagonal = at(j + k, k);
                let found = rotation.next(w[j + k], *diagonal);
                coefficients[k] = found;
                p[j + k] = found.p;
                if CHANGE {
                    *diagonal *= found.scale;
                }
                for row in j + k + 1..j + N {
                    turn::<CHANGE>(&mut w[row], at(row, k), found);
                }
            }
            // The rows below it, by vectors.
            let (mut row, rows) = (j + N, w.len());
            let p = coefficients.map(|c| L::splat(-c.p));
            let scales = coefficients.map(|c| L::splat(c.scale));
            let weights = coefficients.map(|c| L::splat(c.weight));
            let w = w.as_mut_ptr();
            while row + L::WIDTH <= rows {
                let mut now = L::load(w.add(row));
                for k in 0..N {
                    let value = L::load(at(row, k));
                    now = value.mul_add(p[k], now);
                    if CHANGE {
                        value.mul_add(scales[k], now.mul(weights[k])).store(at(row, k));
                    }
                }
                now.store(w.add(row));
                row += L::WIDTH;
            }
            while row < rows {
                for k in 0..N {
                    turn::<CHANGE>(&mut *w.add(row), at(row, k), coefficients[k]);
                }
                row += 1;
            }
        }
    }
}

/// # Safety
/// The pointer must be valid.
#[inline(always)]
unsafe fn turn<const CHANGE: bool>(w: &mut f64, value: *mut f64, c: Coefficients) {
    // SAFETY: the pointer is valid, as the caller promises.
    unsafe {
        *w -= c.p * *value;
        if CHANGE {
            *value = c.scale * *value + c.weight * *w;
        }
    }
}
