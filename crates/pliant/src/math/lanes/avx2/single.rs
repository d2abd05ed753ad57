//! Eight f32.

use std::arch::x86_64::*;

use super::super::Lanes;

/// Eight f32.
#[derive(Clone, Copy)]
pub(crate) struct Avx2F32(__m256);

// SAFETY: a vector is 32 bytes; `lanes` keeps the type to itself, and gives it to kernels after it has detected AVX2
// and FMA.
unsafe impl Lanes for Avx2F32 {
    type Scalar = f32;
    const WIDTH: usize = 8;

    super::on_values! {
        fn splat(value: f32) -> Self { Self(_mm256_set1_ps(value)) }
        fn add(self, other: Self) -> Self { Self(_mm256_add_ps(self.0, other.0)) }
        fn sub(self, other: Self) -> Self { Self(_mm256_sub_ps(self.0, other.0)) }
        fn mul(self, other: Self) -> Self { Self(_mm256_mul_ps(self.0, other.0)) }
        fn div(self, other: Self) -> Self { Self(_mm256_div_ps(self.0, other.0)) }
        fn mul_add(self, factor: Self, term: Self) -> Self { Self(_mm256_fmadd_ps(self.0, factor.0, term.0)) }
        fn mul_sub(self, factor: Self, term: Self) -> Self { Self(_mm256_fmsub_ps(self.0, factor.0, term.0)) }
        fn sub_mul(self, factor: Self, term: Self) -> Self { Self(_mm256_fnmadd_ps(self.0, factor.0, term.0)) }
        fn min(self, other: Self) -> Self { Self(_mm256_min_ps(self.0, other.0)) }
        fn max(self, other: Self) -> Self { Self(_mm256_max_ps(self.0, other.0)) }
        fn sqrt(self) -> Self { Self(_mm256_sqrt_ps(self.0)) }
        fn inverse_sqrt(self) -> Self {
            // The estimate has twelve bits, a step of Newton's method doubles them.
            let y = _mm256_rsqrt_ps(self.0);
            let half = _mm256_mul_ps(self.0, _mm256_set1_ps(0.5));
            let error = _mm256_fnmadd_ps(_mm256_mul_ps(half, y), y, _mm256_set1_ps(0.5));
            Self(_mm256_fmadd_ps(y, error, y))
    }
        fn select_less(self, bound: Self, yes: Self, no: Self) -> Self {
            Self(_mm256_blendv_ps(no.0, yes.0, _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, bound.0)))
        }
        fn less_mask(self, bound: Self) -> u32 {
            _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, bound.0)) as u32
        }
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as many numbers as lanes can be read there, as the caller promises.
        Self(unsafe { _mm256_loadu_ps(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as many numbers as lanes can be written there, as the caller promises.
        unsafe { _mm256_storeu_ps(to, self.0) }
    }

    #[inline(always)]
    unsafe fn gather_whole(points: *const f32, rows: *const u32) -> [Self; 4] {
        // SAFETY: as many rows as lanes can be read, and four numbers at each row, as the caller promises.
        unsafe {
            let mut loaded = [_mm_setzero_ps(); 8];
            for (lane, point) in loaded.iter_mut().enumerate() {
                *point = _mm_loadu_ps(points.add(*rows.add(lane) as usize));
            }
            coordinates_of(loaded)
        }
    }

    #[inline(always)]
    unsafe fn edges(tails: *const f64, points: *const f64, heads: *const u32) -> [Self; 3] {
        // SAFETY: as many heads as lanes can be read, four numbers at each head, and four numbers of as many tails.
        unsafe {
            let mut edges = [_mm_setzero_ps(); 8];
            for (lane, edge) in edges.iter_mut().enumerate() {
                let tail = _mm256_loadu_pd(tails.add(4 * lane));
                let head = _mm256_loadu_pd(points.add(*heads.add(lane) as usize));
                *edge = _mm256_cvtpd_ps(_mm256_sub_pd(head, tail));
            }
            three_coordinates_of(edges)
        }
    }

    #[inline(always)]
    unsafe fn edges_of_simplex<const N: usize>(points: *const f64, rows: *const u32) -> [[Self; 3]; N] {
        // SAFETY: N + 1 times as many rows as lanes can be read, and four numbers at each row, as the caller promises.
        unsafe {
            let mut edges = [[_mm_setzero_ps(); 8]; N];
            for lane in 0..8 {
                let tail = _mm256_loadu_pd(points.add(*rows.add(lane) as usize));
                for k in 0..N {
                    let head = _mm256_loadu_pd(points.add(*rows.add(8 * (k + 1) + lane) as usize));
                    edges[k][lane] = _mm256_cvtpd_ps(_mm256_sub_pd(head, tail));
                }
            }
            let mut coordinates = [[Self(_mm256_setzero_ps()); 3]; N];
            for k in 0..N {
                coordinates[k] = three_coordinates_of(edges[k]);
            }
            coordinates
        }
    }

    #[inline(always)]
    unsafe fn advance(points: *mut f64, by: *const f32) -> [Self; 3] {
        // SAFETY: four numbers for each lane can be read at both pointers and written at the first, as the caller
        // promises.
        unsafe {
            let mut steps = [_mm_setzero_ps(); 8];
            for (lane, step) in steps.iter_mut().enumerate() {
                *step = _mm_loadu_ps(by.add(4 * lane));
                let point = points.add(4 * lane);
                _mm256_storeu_pd(point, _mm256_add_pd(_mm256_loadu_pd(point), _mm256_cvtps_pd(*step)));
            }
            three_coordinates_of(steps)
        }
    }

    #[inline(always)]
    unsafe fn store_points([x, y, z]: [Self; 3], points: *mut f32) {
        // SAFETY: four numbers for each lane can be written there, as the caller promises.
        unsafe {
            let rows = points_of([x, y, z, Self::zero()]);
            for (lane, row) in rows.iter().enumerate() {
                _mm_storeu_ps(points.add(4 * lane), *row);
            }
        }
    }

    #[inline(always)]
    unsafe fn scatter_whole(points: *mut f32, rows: *const u32, numbers: [Self; 4]) {
        // SAFETY: as many rows as lanes can be read, and four numbers written at each row, as the caller promises.
        unsafe {
            let values = points_of(numbers);
            for (lane, value) in values.iter().enumerate() {
                _mm_storeu_ps(points.add(*rows.add(lane) as usize), *value);
            }
        }
    }

    #[inline(always)]
    unsafe fn scatter_add(points: *mut f32, rows: *const u32, [x, y, z]: [Self; 3]) {
        // SAFETY: as many rows as lanes can be read, and four numbers read and written at each row, as the caller
        // promises.
        unsafe {
            let values = points_of([x, y, z, Self::zero()]);
            for (lane, value) in values.iter().enumerate() {
                let point = points.add(*rows.add(lane) as usize);
                _mm_storeu_ps(point, _mm_add_ps(_mm_loadu_ps(point), *value));
            }
        }
    }

    #[inline(always)]
    unsafe fn store_sums([x, y, z]: [Self; 3], point: *mut f32) {
        // SAFETY: four numbers can be written there, as the caller promises.
        unsafe {
            let pairs = _mm256_hadd_ps(x.0, y.0);
            let rest = _mm256_hadd_ps(z.0, _mm256_setzero_ps());
            let quads = _mm256_hadd_ps(pairs, rest);
            _mm_storeu_ps(point, _mm_add_ps(_mm256_castps256_ps128(quads), _mm256_extractf128_ps::<1>(quads)));
        }
    }
}

super::on_values! {
    fn pair(low: __m128, high: __m128) -> __m256 { _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high) }

    /// Points to their four numbers.
    fn coordinates_of(points: [__m128; 8]) -> [Avx2F32; 4] {
        let (a, b) = (pair(points[0], points[4]), pair(points[1], points[5]));
        let (c, d) = (pair(points[2], points[6]), pair(points[3], points[7]));
        let (xy_ab, z_ab) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (xy_cd, z_cd) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            Avx2F32(_mm256_shuffle_ps::<0x44>(xy_ab, xy_cd)),
            Avx2F32(_mm256_shuffle_ps::<0xEE>(xy_ab, xy_cd)),
            Avx2F32(_mm256_shuffle_ps::<0x44>(z_ab, z_cd)),
            Avx2F32(_mm256_shuffle_ps::<0xEE>(z_ab, z_cd)),
        ]
    }

    /// Four numbers to points.
    fn points_of([x, y, z, w]: [Avx2F32; 4]) -> [__m128; 8] {
        let (xy_low, xy_high) = (_mm256_unpacklo_ps(x.0, y.0), _mm256_unpackhi_ps(x.0, y.0));
        let (z_low, z_high) = (_mm256_unpacklo_ps(z.0, w.0), _mm256_unpackhi_ps(z.0, w.0));
        // Points (0, 4), (1, 5), (2, 6) and (3, 7).
        let p04 = _mm256_shuffle_ps::<0x44>(xy_low, z_low);
        let p15 = _mm256_shuffle_ps::<0xEE>(xy_low, z_low);
        let p26 = _mm256_shuffle_ps::<0x44>(xy_high, z_high);
        let p37 = _mm256_shuffle_ps::<0xEE>(xy_high, z_high);
        [
            _mm256_castps256_ps128(p04),
            _mm256_castps256_ps128(p15),
            _mm256_castps256_ps128(p26),
            _mm256_castps256_ps128(p37),
            _mm256_extractf128_ps::<1>(p04),
            _mm256_extractf128_ps::<1>(p15),
            _mm256_extractf128_ps::<1>(p26),
            _mm256_extractf128_ps::<1>(p37),
        ]
    }
}

/// Points to coordinates. What is not used is not computed.
#[inline(always)]
fn three_coordinates_of(points: [__m128; 8]) -> [Avx2F32; 3] {
    let [x, y, z, _] = coordinates_of(points);
    [x, y, z]
}
