//! Four f64.

use std::arch::x86_64::*;

use super::super::Lanes;

/// Four f64.
#[derive(Clone, Copy)]
pub(crate) struct Avx2F64(__m256d);

// SAFETY: a vector is 32 bytes; `lanes` keeps the type to itself, and gives it to kernels after it has detected AVX2
// and FMA.
unsafe impl Lanes for Avx2F64 {
    type Scalar = f64;
    const WIDTH: usize = 4;

    super::on_values! {
        fn splat(value: f64) -> Self { Self(_mm256_set1_pd(value)) }
        fn add(self, other: Self) -> Self { Self(_mm256_add_pd(self.0, other.0)) }
        fn sub(self, other: Self) -> Self { Self(_mm256_sub_pd(self.0, other.0)) }
        fn mul(self, other: Self) -> Self { Self(_mm256_mul_pd(self.0, other.0)) }
        fn div(self, other: Self) -> Self { Self(_mm256_div_pd(self.0, other.0)) }
        fn mul_add(self, factor: Self, term: Self) -> Self { Self(_mm256_fmadd_pd(self.0, factor.0, term.0)) }
        fn mul_sub(self, factor: Self, term: Self) -> Self { Self(_mm256_fmsub_pd(self.0, factor.0, term.0)) }
        fn sub_mul(self, factor: Self, term: Self) -> Self { Self(_mm256_fnmadd_pd(self.0, factor.0, term.0)) }
        fn min(self, other: Self) -> Self { Self(_mm256_min_pd(self.0, other.0)) }
        fn max(self, other: Self) -> Self { Self(_mm256_max_pd(self.0, other.0)) }
        fn sqrt(self) -> Self { Self(_mm256_sqrt_pd(self.0)) }
        fn inverse_sqrt(self) -> Self { Self(_mm256_div_pd(_mm256_set1_pd(1.0), _mm256_sqrt_pd(self.0))) }
        fn select_less(self, bound: Self, yes: Self, no: Self) -> Self {
            Self(_mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, bound.0)))
        }
        fn less_mask(self, bound: Self) -> u32 {
            _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, bound.0)) as u32
        }
    }

    #[inline(always)]
    unsafe fn load(from: *const f64) -> Self {
        // SAFETY: as many numbers as lanes can be read there, as the caller promises.
        Self(unsafe { _mm256_loadu_pd(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f64) {
        // SAFETY: as many numbers as lanes can be written there, as the caller promises.
        unsafe { _mm256_storeu_pd(to, self.0) }
    }

    #[inline(always)]
    unsafe fn gather_whole(points: *const f64, rows: *const u32) -> [Self; 4] {
        // SAFETY: as many rows as lanes can be read, and four numbers at each row, as the caller promises.
        unsafe {
            let mut loaded = [_mm256_setzero_pd(); 4];
            for (lane, point) in loaded.iter_mut().enumerate() {
                *point = _mm256_loadu_pd(points.add(*rows.add(lane) as usize));
            }
            coordinates_of(loaded)
        }
    }

    #[inline(always)]
    unsafe fn edges(tails: *const f64, points: *const f64, heads: *const u32) -> [Self; 3] {
        // SAFETY: as many heads as lanes can be read, four numbers at each head, and four numbers of as many tails.
        unsafe {
            let mut edges = [_mm256_setzero_pd(); 4];
            for (lane, edge) in edges.iter_mut().enumerate() {
                let tail = _mm256_loadu_pd(tails.add(4 * lane));
                let head = _mm256_loadu_pd(points.add(*heads.add(lane) as usize));
                *edge = _mm256_sub_pd(head, tail);
            }
            three_coordinates_of(edges)
        }
    }

    #[inline(always)]
    unsafe fn edges_of_simplex<const N: usize>(points: *const f64, rows: *const u32) -> [[Self; 3]; N] {
        // SAFETY: N + 1 times as many rows as lanes can be read, and four numbers at each row, as the caller promises.
        unsafe {
            let mut edges = [[_mm256_setzero_pd(); 4]; N];
            for lane in 0..4 {
                let tail = _mm256_loadu_pd(points.add(*rows.add(lane) as usize));
                for k in 0..N {
                    let head = _mm256_loadu_pd(points.add(*rows.add(4 * (k + 1) + lane) as usize));
                    edges[k][lane] = _mm256_sub_pd(head, tail);
                }
            }
            let mut coordinates = [[Self(_mm256_setzero_pd()); 3]; N];
            for k in 0..N {
                coordinates[k] = three_coordinates_of(edges[k]);
            }
            coordinates
        }
    }

    #[inline(always)]
    unsafe fn advance(points: *mut f64, by: *const f64) -> [Self; 3] {
        // SAFETY: four numbers for each lane can be read at both pointers and written at the first, as the caller
        // promises.
        unsafe {
            let mut steps = [_mm256_setzero_pd(); 4];
            for (lane, step) in steps.iter_mut().enumerate() {
                *step = _mm256_loadu_pd(by.add(4 * lane));
                let point = points.add(4 * lane);
                _mm256_storeu_pd(point, _mm256_add_pd(_mm256_loadu_pd(point), *step));
            }
            three_coordinates_of(steps)
        }
    }

    #[inline(always)]
    unsafe fn store_points([x, y, z]: [Self; 3], points: *mut f64) {
        // SAFETY: four numbers for each lane can be written there, as the caller promises.
        unsafe {
            let rows = points_of([x, y, z, Self::zero()]);
            for (lane, row) in rows.iter().enumerate() {
                _mm256_storeu_pd(points.add(4 * lane), *row);
            }
        }
    }

    #[inline(always)]
    unsafe fn scatter_whole(points: *mut f64, rows: *const u32, numbers: [Self; 4]) {
        // SAFETY: as many rows as lanes can be read, and four numbers written at each row, as the caller promises.
        unsafe {
            let values = points_of(numbers);
            for (lane, value) in values.iter().enumerate() {
                _mm256_storeu_pd(points.add(*rows.add(lane) as usize), *value);
            }
        }
    }

    #[inline(always)]
    unsafe fn scatter_add(points: *mut f64, rows: *const u32, [x, y, z]: [Self; 3]) {
        // SAFETY: as many rows as lanes can be read, and four numbers read and written at each row, as the caller
        // promises.
        unsafe {
            let values = points_of([x, y, z, Self::zero()]);
            for (lane, value) in values.iter().enumerate() {
                let point = points.add(*rows.add(lane) as usize);
                _mm256_storeu_pd(point, _mm256_add_pd(_mm256_loadu_pd(point), *value));
            }
        }
    }

    #[inline(always)]
    unsafe fn store_sums([x, y, z]: [Self; 3], point: *mut f64) {
        // SAFETY: four numbers can be written there, as the caller promises.
        unsafe {
            let pairs = _mm256_hadd_pd(x.0, y.0);
            let rest = _mm256_hadd_pd(z.0, _mm256_setzero_pd());
            let low = _mm256_permute2f128_pd::<0x20>(pairs, rest);
            let high = _mm256_permute2f128_pd::<0x31>(pairs, rest);
            _mm256_storeu_pd(point, _mm256_add_pd(low, high));
        }
    }
}

super::on_values! {
    /// Points to their four numbers.
    fn coordinates_of([a, b, c, d]: [__m256d; 4]) -> [Avx2F64; 4] {
        let (xz_ab, yw_ab) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (xz_cd, yw_cd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            Avx2F64(_mm256_permute2f128_pd::<0x20>(xz_ab, xz_cd)),
            Avx2F64(_mm256_permute2f128_pd::<0x20>(yw_ab, yw_cd)),
            Avx2F64(_mm256_permute2f128_pd::<0x31>(xz_ab, xz_cd)),
            Avx2F64(_mm256_permute2f128_pd::<0x31>(yw_ab, yw_cd)),
        ]
    }

    /// Four numbers to points.
    fn points_of([x, y, z, w]: [Avx2F64; 4]) -> [__m256d; 4] {
        let (x, y, z, w) = (x.0, y.0, z.0, w.0);
        let (xy_even, xy_odd) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
        let (zw_even, zw_odd) = (_mm256_unpacklo_pd(z, w), _mm256_unpackhi_pd(z, w));
        [
            _mm256_permute2f128_pd::<0x20>(xy_even, zw_even),
            _mm256_permute2f128_pd::<0x20>(xy_odd, zw_odd),
            _mm256_permute2f128_pd::<0x31>(xy_even, zw_even),
            _mm256_permute2f128_pd::<0x31>(xy_odd, zw_odd),
        ]
    }
}

/// Points to coordinates. What is not used is not computed.
#[inline(always)]
fn three_coordinates_of(points: [__m256d; 4]) -> [Avx2F64; 3] {
    let [x, y, z, _] = coordinates_of(points);
    [x, y, z]
}
