//! Vectors of eight f32 or four f64 for the hot loops, on AVX2 where the processor has it and on what every machine has elsewhere: in plain Rust, or on the
//! vectors of a browser, with the same bits.
//!
//! A kernel is written once, generic over [`Lanes`], and entered through [`dispatch`], which picks the widest kind at run
//! time. The standard library has no stable portable vectors yet, and crates that offer them fix the instruction set when they
//! are compiled, which would leave a user's plain build at half the speed.
//!
//! Points are kept four numbers apart (x, y, z and one unused, or a weight), so that one load fetches a point; `gather` turns a vector's
//! width of points into one vector per coordinate. Lists of rows hold the place of a point's first number, four times its
//! index, which saves a shift for each.
//!
//! All operations but `inverse_sqrt` round as IEEE 754 says. That one starts from the processor's estimate, where there is one:
//! the root and the division would take several times longer, and the local step is made of little else. Estimates differ
//! from maker to maker, and so may the last bits of results in f32.

#![allow(unsafe_code)] // Vector instructions and pointers into the middle of arrays; each trait says what it needs.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub(crate) mod curvature;
pub(crate) mod matrices;
pub(crate) mod nearest;
pub(crate) mod plane_stretches;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;
pub(crate) mod stretches;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

#[cfg(target_arch = "x86_64")]
use avx2::{Avx2F32, Avx2F64};
pub(crate) use nearest::nearest_rotations;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use portable::{PortableF32, PortableF64};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use wasm::{WasmF32 as PortableF32, WasmF64 as PortableF64};

/// A number that lanes hold.
pub(crate) trait Real:
    Copy
    + Default
    + Send
    + Sync
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::fmt::Debug
    + 'static
{
    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

/// A vector of `WIDTH` numbers.
///
/// Who has such a type as a parameter knows that the processor has its instructions: those on AVX2 are private to this
/// module, and kernels get them from [`LaneNumber::dispatch`], which wants to see that they were detected. So what goes
/// from values to values is safe. What goes through pointers needs them to be valid for what is read or written:
/// `WIDTH` numbers, or for points four numbers at each row.
///
/// # Safety
/// `WIDTH` is that of [`LaneNumber`], at most 8; methods read and write as many numbers as said here; and nobody can
/// name the type unless the processor has its instructions.
pub(crate) unsafe trait Lanes: Copy {
    type Scalar: Real;
    const WIDTH: usize;

    fn splat(value: Self::Scalar) -> Self;
    unsafe fn load(from: *const Self::Scalar) -> Self;
    unsafe fn store(self, to: *mut Self::Scalar);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// self · factor + term.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// self · factor − term.
    fn mul_sub(self, factor: Self, term: Self) -> Self;
    /// term − self · factor.
    fn sub_mul(self, factor: Self, term: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// 1/√self of positive normal numbers, to within a few roundings.
    fn inverse_sqrt(self) -> Self;
    /// `yes` in lanes where self < bound, `no` elsewhere.
    fn select_less(self, bound: Self, yes: Self, no: Self) -> Self;
    /// Bit i is set where lane i < bound.
    fn less_mask(self, bound: Self) -> u32;
    /// All four numbers of the points at these rows.
    unsafe fn gather_whole(points: *const Self::Scalar, rows: *const u32) -> [Self; 4];
    /// Coordinates of the edges from `WIDTH` neighbouring points to those at these rows, subtracted in f64 before they are
    /// rounded to the lanes' numbers: a short edge far from the origin keeps its length.
    unsafe fn edges(tails: *const f64, points: *const f64, heads: *const u32) -> [Self; 3];
    /// Coordinates of the edges from the points at rows 0…`WIDTH` to those at the next `WIDTH` rows, those after and so on,
    /// subtracted in f64.
    unsafe fn edges_of_simplex<const N: usize>(points: *const f64, rows: *const u32) -> [[Self; 3]; N];
    /// Adds `WIDTH` neighbouring points of lanes' numbers to as many in f64, and returns the coordinates of the former.
    unsafe fn advance(points: *mut f64, by: *const Self::Scalar) -> [Self; 3];
    /// Points with these coordinates, the unused numbers 0, one after the other.
    unsafe fn store_points(coordinates: [Self; 3], points: *mut Self::Scalar);
    /// Points with these four numbers at these rows.
    unsafe fn scatter_whole(points: *mut Self::Scalar, rows: *const u32, numbers: [Self; 4]);
    /// Adds to the points at these rows, one after the other.
    unsafe fn scatter_add(points: *mut Self::Scalar, rows: *const u32, coordinates: [Self; 3]);
    /// The sums over lanes of three vectors as one point.
    unsafe fn store_sums(coordinates: [Self; 3], point: *mut Self::Scalar);

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Scalar::default())
    }

    /// The first `WIDTH` numbers.
    #[inline(always)]
    fn from_slice(numbers: &[Self::Scalar]) -> Self {
        assert!(numbers.len() >= Self::WIDTH);
        // SAFETY: there are as many numbers as lanes; of an array that is known when this is compiled.
        unsafe { Self::load(numbers.as_ptr()) }
    }

    /// Replaces the first `WIDTH` numbers.
    #[inline(always)]
    fn write_to(self, numbers: &mut [Self::Scalar]) {
        assert!(numbers.len() >= Self::WIDTH);
        // SAFETY: there are as many numbers as lanes; of an array that is known when this is compiled.
        unsafe { self.store(numbers.as_mut_ptr()) }
    }

    /// Coordinates of the points at these rows.
    #[inline(always)]
    unsafe fn gather(points: *const Self::Scalar, rows: *const u32) -> [Self; 3] {
        // SAFETY: the same conditions as for this method. What is not used is not computed.
        let [x, y, z, _] = unsafe { Self::gather_whole(points, rows) };
        [x, y, z]
    }

    /// As `gather_whole`, by indices of points and not by places.
    #[inline(always)]
    unsafe fn gather_quads(quads: *const Self::Scalar, indices: *const u32) -> [Self; 4] {
        let mut rows = [0; 8];
        // SAFETY: there are `WIDTH` indices, at most 8, of points with four numbers each.
        unsafe {
            (0..Self::WIDTH).for_each(|lane| rows[lane] = 4 * *indices.add(lane));
            Self::gather_whole(quads, rows.as_ptr())
        }
    }

    /// Points with these coordinates, the unused numbers 0, at these rows.
    #[inline(always)]
    unsafe fn scatter(points: *mut Self::Scalar, rows: *const u32, [x, y, z]: [Self; 3]) {
        // SAFETY: the same conditions as for this method.
        unsafe { Self::scatter_whole(points, rows, [x, y, z, Self::zero()]) }
    }
}

/// Which instructions the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstructionSet {
    #[cfg(target_arch = "x86_64")]
    Avx2(Detected),
    Portable,
}

/// What this process computes on.
#[cfg(target_arch = "x86_64")]
static CHOSEN: std::sync::OnceLock<InstructionSet> = std::sync::OnceLock::new();

/// That a processor has instructions; only `detect` makes one.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detected(());

impl InstructionSet {
    /// The best that this processor offers, unless the process asked for what every machine has.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        return *CHOSEN.get_or_init(|| match is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            true => Self::Avx2(Detected(())),
            false => Self::Portable,
        });
        #[cfg(not(target_arch = "x86_64"))]
        Self::Portable
    }

    /// Asks for what every machine has; false if another was taken already.
    pub(super) fn choose_portable() -> bool {
        #[cfg(target_arch = "x86_64")]
        return *CHOSEN.get_or_init(|| Self::Portable) == Self::Portable;
        #[cfg(not(target_arch = "x86_64"))]
        true
    }
}

/// A kernel that can run on any lanes of a kind of number.
pub(crate) trait Kernel<S: Real> {
    /// Runs on lanes `L`. Implementations are `#[inline(always)]`, so that they are compiled with these instructions.
    fn run<L: Lanes<Scalar = S>>(self);
}

/// A number with its lanes on each instruction set.
pub(crate) trait LaneNumber: Real {
    /// Lanes of a vector; the same on every instruction set, since data is laid out by it.
    const WIDTH: usize;

    /// Runs a kernel on the best lanes.
    fn dispatch(set: InstructionSet, kernel: impl Kernel<Self>);
}

macro_rules! lane_number {
    ($number:ty, $avx2:ident, $portable:ident, $entry:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn $entry(kernel: impl Kernel<$number>) {
            kernel.run::<$avx2>()
        }

        impl LaneNumber for $number {
            const WIDTH: usize = 32 / size_of::<$number>();

            #[inline]
            fn dispatch(set: InstructionSet, kernel: impl Kernel<Self>) {
                match set {
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: only `detect` makes a `Detected`, after it saw AVX2 and FMA.
                    InstructionSet::Avx2(Detected(())) => unsafe { $entry(kernel) },
                    InstructionSet::Portable => kernel.run::<$portable>(),
                }
            }
        }
    };
}

lane_number!(f32, Avx2F32, PortableF32, enter_avx2_f32);
lane_number!(f64, Avx2F64, PortableF64, enter_avx2_f64);

#[cfg(test)]
mod stretches_tests;
#[cfg(test)]
mod tests;
