//! Lanes in browsers: pairs of 128-bit vectors (SIMD128). Every operation rounds as that of the portable lanes does, so results have the same bits; compilers find
//! these vectors in plain Rust only here and there.

use std::arch::wasm32::*;

use super::Lanes;

/// Eight f32: lanes 0…3 and 4…7.
#[derive(Clone, Copy)]
pub(crate) struct WasmF32(v128, v128);
/// Four f64: lanes 0, 1 and 2, 3.
#[derive(Clone, Copy)]
pub(crate) struct WasmF64(v128, v128);

/// Written out, as `std::array::from_fn` is not where compilers save space: vectors would pass through memory.
#[inline(always)]
fn three<T>(f: impl Fn(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

#[inline(always)]
fn four<T>(f: impl Fn(usize) -> T) -> [T; 4] {
    [f(0), f(1), f(2), f(3)]
}

#[inline(always)]
fn for_lanes(rows: [[v128; 4]; 2], f: impl Fn(usize, v128)) {
    let [low, high] = rows;
    four(|lane| f(lane, low[lane]));
    four(|lane| f(4 + lane, high[lane]));
}

/// Rows of four f32 become columns, and back.
#[inline(always)]
fn transposed([a, b, c, d]: [v128; 4]) -> [v128; 4] {
    let (ab, cd) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<0, 4, 1, 5>(c, d));
    let (ab_high, cd_high) = (i32x4_shuffle::<2, 6, 3, 7>(a, b), i32x4_shuffle::<2, 6, 3, 7>(c, d));
    [
        i64x2_shuffle::<0, 2>(ab, cd),
        i64x2_shuffle::<1, 3>(ab, cd),
        i64x2_shuffle::<0, 2>(ab_high, cd_high),
        i64x2_shuffle::<1, 3>(ab_high, cd_high),
    ]
}

/// Two f64 and two more as four f32.
#[inline(always)]
fn rounded(low: v128, high: v128) -> v128 {
    i64x2_shuffle::<0, 2>(f32x4_demote_f64x2_zero(low), f32x4_demote_f64x2_zero(high))
}

/// Two vectors of f64 there.
#[inline(always)]
unsafe fn two(from: *const f64) -> (v128, v128) {
    // SAFETY: four numbers can be read there, as the caller promises; loads need no alignment.
    unsafe { (v128_load(from.cast()), v128_load(from.add(2).cast())) }
}

/// Added to a number it changes no bit of that.
const NOTHING: f32 = -0.0;

macro_rules! both {
    ($operation:ident($($argument:expr),+)) => {
        Self($operation($($argument.0),+), $operation($($argument.1),+))
    };
}

macro_rules! arithmetic {
    ($number:ty, $splat:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $pmin:ident, $pmax:ident, $sqrt:ident, $lt:ident) => {
        #[inline(always)]
        fn splat(value: $number) -> Self {
            Self($splat(value), $splat(value))
        }

        #[inline(always)]
        unsafe fn load(from: *const $number) -> Self {
            // SAFETY: as many numbers as lanes can be read there, as the caller promises; loads need no alignment.
            unsafe { Self(v128_load(from.cast()), v128_load(from.cast::<v128>().add(1))) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut $number) {
            // SAFETY: as many numbers as lanes can be written there, as the caller promises; stores need no alignment.
            unsafe {
                v128_store(to.cast(), self.0);
                v128_store(to.cast::<v128>().add(1), self.1);
            }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            both!($add(self, other))
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            both!($sub(self, other))
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            both!($mul(self, other))
        }

        #[inline(always)]
        fn div(self, other: Self) -> Self {
            both!($div(self, other))
        }

        #[inline(always)]
        fn mul_add(self, factor: Self, term: Self) -> Self {
            self.mul(factor).add(term)
        }

        #[inline(always)]
        fn mul_sub(self, factor: Self, term: Self) -> Self {
            self.mul(factor).sub(term)
        }

        #[inline(always)]
        fn sub_mul(self, factor: Self, term: Self) -> Self {
            term.sub(self.mul(factor))
        }

        // These take their first argument unless the second is less, or more.
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            both!($pmin(other, self))
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            both!($pmax(other, self))
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            both!($sqrt(self))
        }

        #[inline(always)]
        fn inverse_sqrt(self) -> Self {
            Self::splat(1.0).div(self.sqrt())
        }

        #[inline(always)]
        fn select_less(self, bound: Self, yes: Self, no: Self) -> Self {
            let less: Self = both!($lt(self, bound));
            both!(v128_bitselect(yes, no, less))
        }
    };
}

// SAFETY: vectors are as wide as those elsewhere, and the module is compiled only where the target has these instructions.
unsafe impl Lanes for WasmF32 {
    type Scalar = f32;
    const WIDTH: usize = 8;

    arithmetic!(
        f32,
        f32x4_splat,
        f32x4_add,
        f32x4_sub,
        f32x4_mul,
        f32x4_div,
        f32x4_pmin,
        f32x4_pmax,
        f32x4_sqrt,
        f32x4_lt
    );

    #[inline(always)]
    fn less_mask(self, bound: Self) -> u32 {
        let half = |a, b| u32::from(i32x4_bitmask(f32x4_lt(a, b)));
        half(self.0, bound.0) | half(self.1, bound.1) << 4
    }

    #[inline(always)]
    unsafe fn gather_whole(points: *const f32, rows: *const u32) -> [Self; 4] {
        // SAFETY: eight rows can be read, and four numbers at each, as the caller promises.
        let point = |lane: usize| unsafe { v128_load(points.add(*rows.add(lane) as usize).cast()) };
        let low = transposed(four(point));
        let high = transposed(four(|lane| point(4 + lane)));
        four(|c| Self(low[c], high[c]))
    }

    #[inline(always)]
    unsafe fn edges(tails: *const f64, points: *const f64, heads: *const u32) -> [Self; 3] {
        // SAFETY: eight heads can be read, four numbers at each, and four numbers of eight tails.
        let edge = |lane: usize| unsafe {
            let (head, tail) = (two(points.add(*heads.add(lane) as usize)), two(tails.add(4 * lane)));
            rounded(f64x2_sub(head.0, tail.0), f64x2_sub(head.1, tail.1))
        };
        let low = transposed(four(edge));
        let high = transposed(four(|lane| edge(4 + lane)));
        three(|c| Self(low[c], high[c]))
    }

    #[inline(always)]
    unsafe fn edges_of_simplex<const N: usize>(points: *const f64, rows: *const u32) -> [[Self; 3]; N] {
        // SAFETY: N + 1 times eight rows can be read, and four numbers at each.
        let at = |corner: usize, lane: usize| unsafe { two(points.add(*rows.add(8 * corner + lane) as usize)) };
        let edge = |k: usize, lane: usize| {
            let (tail, head) = (at(0, lane), at(k + 1, lane));
            rounded(f64x2_sub(head.0, tail.0), f64x2_sub(head.1, tail.1))
        };
        std::array::from_fn(|k| {
            let low = transposed(four(|lane| edge(k, lane)));
            let high = transposed(four(|lane| edge(k, 4 + lane)));
            three(|c| Self(low[c], high[c]))
        })
    }

    #[inline(always)]
    unsafe fn advance(points: *mut f64, by: *const f32) -> [Self; 3] {
        let moved = |lane: usize| {
            // SAFETY: four numbers for each of eight lanes can be read at both pointers and written at the first, as the caller promises.
            unsafe {
                let (point, by) = (points.add(4 * lane), v128_load(by.add(4 * lane).cast()));
                let (low, high) = two(point);
                let by_high = i64x2_shuffle::<1, 1>(by, by);
                v128_store(point.cast(), f64x2_add(low, f64x2_promote_low_f32x4(by)));
                v128_store(point.add(2).cast(), f64x2_add(high, f64x2_promote_low_f32x4(by_high)));
                by
            }
        };
        let low = transposed(four(moved));
        let high = transposed(four(|lane| moved(4 + lane)));
        three(|c| Self(low[c], high[c]))
    }

    #[inline(always)]
    unsafe fn store_points([x, y, z]: [Self; 3], points: *mut f32) {
        let zero = f32x4_splat(0.0);
        let rows = [transposed([x.0, y.0, z.0, zero]), transposed([x.1, y.1, z.1, zero])];
        for_lanes(rows, |lane, row| {
            // SAFETY: four numbers for each lane can be written there, as the caller promises.
            unsafe { v128_store(points.add(4 * lane).cast(), row) }
        });
    }

    #[inline(always)]
    unsafe fn scatter_whole(points: *mut f32, rows: *const u32, [x, y, z, w]: [Self; 4]) {
        let all = [transposed([x.0, y.0, z.0, w.0]), transposed([x.1, y.1, z.1, w.1])];
        for_lanes(all, |lane, row| {
            // SAFETY: eight rows can be read, and four numbers written at each, as the caller promises.
            unsafe { v128_store(points.add(*rows.add(lane) as usize).cast(), row) }
        });
    }

    #[inline(always)]
    unsafe fn scatter_add(points: *mut f32, rows: *const u32, [x, y, z]: [Self; 3]) {
        let none = f32x4_splat(NOTHING);
        let all = [transposed([x.0, y.0, z.0, none]), transposed([x.1, y.1, z.1, none])];
        for_lanes(all, |lane, row| {
            // SAFETY: eight rows can be read, and four numbers read and written at each, as the caller promises.
            unsafe {
                let point = points.add(*rows.add(lane) as usize).cast::<v128>();
                v128_store(point, f32x4_add(v128_load(point), row));
            }
        });
    }

    #[inline(always)]
    unsafe fn store_sums(coordinates: [Self; 3], point: *mut f32) {
        let mut numbers = [0.0; 8];
        // SAFETY: there are as many numbers as lanes; four numbers can be written at the point, as the caller promises.
        unsafe {
            for (c, lanes) in coordinates.into_iter().enumerate() {
                lanes.store(numbers.as_mut_ptr());
                *point.add(c) = numbers.iter().sum();
            }
            *point.add(3) = 0.0;
        }
    }
}

/// Four points of two vectors each become four coordinates of two vectors each, and back.
#[inline(always)]
fn turned(rows: [(v128, v128); 4]) -> [WasmF64; 4] {
    let [a, b, c, d] = rows;
    [
        WasmF64(i64x2_shuffle::<0, 2>(a.0, b.0), i64x2_shuffle::<0, 2>(c.0, d.0)),
        WasmF64(i64x2_shuffle::<1, 3>(a.0, b.0), i64x2_shuffle::<1, 3>(c.0, d.0)),
        WasmF64(i64x2_shuffle::<0, 2>(a.1, b.1), i64x2_shuffle::<0, 2>(c.1, d.1)),
        WasmF64(i64x2_shuffle::<1, 3>(a.1, b.1), i64x2_shuffle::<1, 3>(c.1, d.1)),
    ]
}

impl WasmF64 {
    #[inline(always)]
    fn pair(self) -> (v128, v128) {
        (self.0, self.1)
    }

    /// The first three of four coordinates.
    #[inline(always)]
    fn place([x, y, z, _]: [Self; 4]) -> [Self; 3] {
        [x, y, z]
    }
}

// SAFETY: see above.
unsafe impl Lanes for WasmF64 {
    type Scalar = f64;
    const WIDTH: usize = 4;

    arithmetic!(
        f64,
        f64x2_splat,
        f64x2_add,
        f64x2_sub,
        f64x2_mul,
        f64x2_div,
        f64x2_pmin,
        f64x2_pmax,
        f64x2_sqrt,
        f64x2_lt
    );

    #[inline(always)]
    fn less_mask(self, bound: Self) -> u32 {
        let half = |a, b| u32::from(i64x2_bitmask(f64x2_lt(a, b)));
        half(self.0, bound.0) | half(self.1, bound.1) << 2
    }

    #[inline(always)]
    unsafe fn gather_whole(points: *const f64, rows: *const u32) -> [Self; 4] {
        // SAFETY: four rows can be read, and four numbers at each, as the caller promises.
        turned(four(|lane| unsafe { two(points.add(*rows.add(lane) as usize)) }))
    }

    #[inline(always)]
    unsafe fn edges(tails: *const f64, points: *const f64, heads: *const u32) -> [Self; 3] {
        // SAFETY: four heads can be read, four numbers at each, and four numbers of four tails.
        let edge = |lane: usize| unsafe {
            let (head, tail) = (two(points.add(*heads.add(lane) as usize)), two(tails.add(4 * lane)));
            (f64x2_sub(head.0, tail.0), f64x2_sub(head.1, tail.1))
        };
        Self::place(turned(four(edge)))
    }

    #[inline(always)]
    unsafe fn edges_of_simplex<const N: usize>(points: *const f64, rows: *const u32) -> [[Self; 3]; N] {
        // SAFETY: N + 1 times four rows can be read, and four numbers at each.
        let at = |corner: usize, lane: usize| unsafe { two(points.add(*rows.add(4 * corner + lane) as usize)) };
        let edge = |k: usize, lane: usize| {
            let (tail, head) = (at(0, lane), at(k + 1, lane));
            (f64x2_sub(head.0, tail.0), f64x2_sub(head.1, tail.1))
        };
        std::array::from_fn(|k| Self::place(turned(four(|lane| edge(k, lane)))))
    }

    #[inline(always)]
    unsafe fn advance(points: *mut f64, by: *const f64) -> [Self; 3] {
        let moved = |lane: usize| {
            // SAFETY: four numbers for each of four lanes can be read at both pointers and written at the first, as the caller promises.
            unsafe {
                let (point, by) = (points.add(4 * lane), two(by.add(4 * lane)));
                let (low, high) = two(point);
                v128_store(point.cast(), f64x2_add(low, by.0));
                v128_store(point.add(2).cast(), f64x2_add(high, by.1));
                by
            }
        };
        Self::place(turned(four(moved)))
    }

    #[inline(always)]
    unsafe fn store_points([x, y, z]: [Self; 3], points: *mut f64) {
        let rows = turned([x.pair(), y.pair(), z.pair(), Self::splat(0.0).pair()]);
        for (lane, row) in rows.into_iter().enumerate() {
            // SAFETY: four numbers for each lane can be written there, as the caller promises.
            unsafe { row.store(points.add(4 * lane)) }
        }
    }

    #[inline(always)]
    unsafe fn scatter_whole(points: *mut f64, rows: *const u32, numbers: [Self; 4]) {
        for (lane, row) in turned(numbers.map(Self::pair)).into_iter().enumerate() {
            // SAFETY: four rows can be read, and four numbers written at each, as the caller promises.
            unsafe { row.store(points.add(*rows.add(lane) as usize)) }
        }
    }

    #[inline(always)]
    unsafe fn scatter_add(points: *mut f64, rows: *const u32, [x, y, z]: [Self; 3]) {
        let none = Self::splat(f64::from(NOTHING));
        for (lane, row) in turned([x.pair(), y.pair(), z.pair(), none.pair()]).into_iter().enumerate() {
            // SAFETY: four rows can be read, and four numbers read and written at each, as the caller promises.
            unsafe {
                let point = points.add(*rows.add(lane) as usize);
                Self::load(point).add(row).store(point);
            }
        }
    }

    #[inline(always)]
    unsafe fn store_sums(coordinates: [Self; 3], point: *mut f64) {
        let mut numbers = [0.0; 4];
        // SAFETY: there are as many numbers as lanes; four numbers can be written at the point, as the caller promises.
        unsafe {
            for (c, lanes) in coordinates.into_iter().enumerate() {
                lanes.store(numbers.as_mut_ptr());
                *point.add(c) = numbers.iter().sum();
            }
            *point.add(3) = 0.0;
        }
    }
}
