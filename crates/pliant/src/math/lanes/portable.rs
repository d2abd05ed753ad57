//! Lanes in plain Rust, which compilers turn into what the target has (SSE2, NEON, SIMD128 in browsers).

use super::{Lanes, Real};

/// Eight f32.
pub(crate) type PortableF32 = Portable<f32, 8>;
/// Four f64.
pub(crate) type PortableF64 = Portable<f64, 4>;

/// `N` numbers side by side.
#[derive(Clone, Copy)]
pub(crate) struct Portable<S, const N: usize>([S; N]);

macro_rules! portable_lanes {
    ($number:ty, $width:literal) => {
        impl Portable<$number, $width> {
            #[inline(always)]
            fn zip(self, other: Self, f: impl Fn($number, $number) -> $number) -> Self {
                Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
            }
        }

        // SAFETY: vectors are as wide as those on AVX2, and plain Rust needs no instructions beyond the target's.
        unsafe impl Lanes for Portable<$number, $width> {
            type Scalar = $number;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn splat(value: $number) -> Self {
                Self([value; $width])
            }

            #[inline(always)]
            unsafe fn load(from: *const $number) -> Self {
                // SAFETY: as many numbers as lanes can be read there, as the caller promises.
                Self(unsafe { from.cast::<[$number; $width]>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $number) {
                // SAFETY: as many numbers as lanes can be written there, as the caller promises.
                unsafe { to.cast::<[$number; $width]>().write_unaligned(self.0) }
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.zip(other, |a, b| a + b)
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.zip(other, |a, b| a - b)
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.zip(other, |a, b| a * b)
            }

            #[inline(always)]
            fn div(self, other: Self) -> Self {
                self.zip(other, |a, b| a / b)
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                // Not fused: without the instruction a fused product is a call into a library.
                Self(std::array::from_fn(|lane| self.0[lane] * factor.0[lane] + term.0[lane]))
            }

            #[inline(always)]
            fn mul_sub(self, factor: Self, term: Self) -> Self {
                Self(std::array::from_fn(|lane| self.0[lane] * factor.0[lane] - term.0[lane]))
            }

            #[inline(always)]
            fn sub_mul(self, factor: Self, term: Self) -> Self {
                Self(std::array::from_fn(|lane| term.0[lane] - self.0[lane] * factor.0[lane]))
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                self.zip(other, |a, b| if a < b { a } else { b })
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                self.zip(other, |a, b| if a > b { a } else { b })
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.map(<$number>::sqrt))
            }

            #[inline(always)]
            fn inverse_sqrt(self) -> Self {
                Self(self.0.map(|x| 1.0 / x.sqrt()))
            }

            #[inline(always)]
            fn select_less(self, bound: Self, yes: Self, no: Self) -> Self {
                let pick = |lane| if self.0[lane] < bound.0[lane] { yes.0[lane] } else { no.0[lane] };
                Self(std::array::from_fn(pick))
            }

            #[inline(always)]
            fn less_mask(self, bound: Self) -> u32 {
                (0..$width).fold(0, |mask, lane| mask | u32::from(self.0[lane] < bound.0[lane]) << lane)
            }

            #[inline(always)]
            unsafe fn gather_whole(points: *const $number, rows: *const u32) -> [Self; 4] {
                // SAFETY: as many rows as lanes can be read, and four numbers at each row, as the caller promises.
                let number = |c: usize, lane: usize| unsafe { *points.add(*rows.add(lane) as usize + c) };
                std::array::from_fn(|c| Self(std::array::from_fn(|lane| number(c, lane))))
            }

            #[inline(always)]
            unsafe fn edges(tails: *const f64, points: *const f64, heads: *const u32) -> [Self; 3] {
                // SAFETY: as many heads as lanes can be read, four numbers at each head, and four numbers of as many
                // tails.
                let edge = |c: usize, lane: usize| unsafe {
                    Real::from_f64(*points.add(*heads.add(lane) as usize + c) - *tails.add(4 * lane + c))
                };
                std::array::from_fn(|c| Self(std::array::from_fn(|lane| edge(c, lane))))
            }

            #[inline(always)]
            unsafe fn edges_of_simplex<const N: usize>(points: *const f64, rows: *const u32) -> [[Self; 3]; N] {
                // SAFETY: N + 1 times as many rows as lanes can be read, and four numbers at each row.
                let at = |corner: usize, c: usize, lane: usize| unsafe {
                    *points.add(*rows.add(corner * $width + lane) as usize + c)
                };
                let edge = |k: usize, c: usize, lane: usize| Real::from_f64(at(k + 1, c, lane) - at(0, c, lane));
                std::array::from_fn(|k| std::array::from_fn(|c| Self(std::array::from_fn(|lane| edge(k, c, lane)))))
            }

            #[inline(always)]
            unsafe fn advance(points: *mut f64, by: *const $number) -> [Self; 3] {
                // SAFETY: four numbers for each lane can be read at both pointers and written at the first, as the
                // caller promises.
                unsafe {
                    (0..4 * $width).for_each(|k| *points.add(k) += (*by.add(k)).to_f64());
                    std::array::from_fn(|c| Self(std::array::from_fn(|lane| *by.add(4 * lane + c))))
                }
            }

            #[inline(always)]
            unsafe fn store_points(coordinates: [Self; 3], points: *mut $number) {
                for lane in 0..$width {
                    // SAFETY: four numbers for each lane can be written there, as the caller promises.
                    unsafe {
                        (0..3).for_each(|c| *points.add(4 * lane + c) = coordinates[c].0[lane]);
                        *points.add(4 * lane + 3) = 0.0;
                    }
                }
            }

            #[inline(always)]
            unsafe fn scatter_whole(points: *mut $number, rows: *const u32, numbers: [Self; 4]) {
                for lane in 0..$width {
                    // SAFETY: as many rows as lanes can be read, and four numbers written at each row.
                    unsafe {
                        let point = points.add(*rows.add(lane) as usize);
                        (0..4).for_each(|c| *point.add(c) = numbers[c].0[lane]);
                    }
                }
            }

            #[inline(always)]
            unsafe fn scatter_add(points: *mut $number, rows: *const u32, coordinates: [Self; 3]) {
                for lane in 0..$width {
                    // SAFETY: as many rows as lanes can be read, and four numbers read and written at each row.
                    unsafe {
                        let point = points.add(*rows.add(lane) as usize);
                        (0..3).for_each(|c| *point.add(c) += coordinates[c].0[lane]);
                    }
                }
            }

            #[inline(always)]
            unsafe fn store_sums(coordinates: [Self; 3], point: *mut $number) {
                // SAFETY: four numbers can be written there, as the caller promises.
                unsafe {
                    for (c, lanes) in coordinates.into_iter().enumerate() {
                        *point.add(c) = lanes.0.iter().sum();
                    }
                    *point.add(3) = 0.0;
                }
            }
        }
    };
}

portable_lanes!(f32, 8);
portable_lanes!(f64, 4);
