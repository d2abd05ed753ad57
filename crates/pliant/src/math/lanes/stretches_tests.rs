//! Residuals of stretches on lanes against the decompositions one by one, over random deformations of every kind.

use std::marker::PhantomData;

use super::nearest::{columns_of, constant, nearest_rotation};
use super::stretches::{
    Residual, beyond_area, beyond_area_one_by_one, beyond_limits, beyond_plane_limits, beyond_plane_limits_one_by_one,
    beyond_volume, beyond_volume_one_by_one, eigenvalues, plane_stretch, stretch_of,
};
use super::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::math::{Mat3, Vec3, project_product, svd_3x2, svd_3x3};

/// Small, repeatable random numbers (SplitMix64).
struct Random(u64);

impl Random {
    /// Between −1 and 1.
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn matrix(&mut self) -> Mat3 {
        Mat3::from_cols(self.vector(), self.vector(), self.vector())
    }
}

const KINDS: [&str; 8] = ["mild", "tiny strain", "any", "flat", "rank one", "scaled 1e-6", "scaled 1e6", "stretched"];

fn deformation(kind: usize, random: &mut Random) -> Mat3 {
    let any = random.matrix();
    let rotation = crate::math::nearest_rotation(random.matrix());
    match kind {
        0 => rotation * (Mat3::IDENTITY + any * 0.1),
        1 => rotation * (Mat3::IDENTITY + any * 1e-3),
        2 => any * 1.5,
        3 => Mat3::from_cols(any.x_axis, any.y_axis, any.x_axis * random.number() + any.y_axis * random.number()),
        4 => {
            let [u, v] = [any.x_axis, any.y_axis];
            Mat3::from_cols(u * v.x, u * v.y, u * v.z)
        }
        5 => any * 1e-6,
        6 => any * 1e6,
        _ => rotation * Mat3::from_diagonal(Vec3::ONE + random.vector().abs()),
    }
}

/// What is projected onto.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Set {
    Limits([f64; 2]),
    Volume([f64; 2]),
    PlaneLimits([f64; 2]),
    Area([f64; 2]),
}

/// F − p one by one; matrices of two columns leave the third at zero.
fn expected(set: Set, f: Mat3) -> Mat3 {
    let plane = svd_3x2(f.x_axis, f.y_axis);
    let in_plane = |sigma: [f64; 2]| {
        let [a, b] = plane.with_sigma(sigma);
        Mat3::from_cols(f.x_axis - a, f.y_axis - b, Vec3::ZERO)
    };
    let solid = || svd_3x3(f);
    match set {
        Set::Limits([low, high]) => {
            let svd = solid();
            f - svd.with_sigma(svd.sigma.clamp(Vec3::splat(low), Vec3::splat(high)))
        }
        Set::Volume([low, high]) => {
            let svd = solid();
            f - svd.with_sigma(project_product(svd.sigma.to_array(), low, high).values.into())
        }
        Set::PlaneLimits([low, high]) => in_plane(plane.sigma.map(|s| s.clamp(low, high))),
        Set::Area([low, high]) => in_plane(project_product(plane.sigma, low, high).values),
    }
}

struct Residuals<'a, S> {
    set: Set,
    deformations: &'a [Mat3],
    /// F − p and its squared length.
    out: &'a mut Vec<(Mat3, f64)>,
    number: PhantomData<S>,
}

impl<S: LaneNumber> Kernel<S> for Residuals<'_, S> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        for group in self.deformations.chunks_exact(L::WIDTH) {
            let mut f = [[L::zero(); 3]; 3];
            for k in 0..3 {
                for c in 0..3 {
                    let mut numbers = [S::default(); 8];
                    for lane in 0..L::WIDTH {
                        numbers[lane] = S::from_f64(group[lane].col(k)[c]);
                    }
                    f[k][c] = L::from_slice(&numbers);
                }
            }
            let (d, squared) = match self.set {
                Set::Limits(_) | Set::Volume(_) => solid::<L>(self.set, &f),
                Set::PlaneLimits(_) | Set::Area(_) => plane::<L>(self.set, &[f[0], f[1]]),
            };
            let mut numbers = [[[S::default(); 8]; 3]; 3];
            let mut squares = [S::default(); 8];
            for k in 0..3 {
                for c in 0..3 {
                    d[k][c].write_to(&mut numbers[k][c]);
                }
            }
            squared.write_to(&mut squares);
            for lane in 0..L::WIDTH {
                let column = |k: usize| Vec3::from_array([0, 1, 2].map(|c| numbers[k][c][lane].to_f64()));
                self.out.push((Mat3::from_cols(column(0), column(1), column(2)), squares[lane].to_f64()));
            }
        }
    }
}

fn solid<L: Lanes>(set: Set, f: &[[L; 3]; 3]) -> ([[L; 3]; 3], L) {
    let mut q = [L::zero(), L::zero(), L::zero(), constant::<L>(1.0)];
    nearest_rotation::<L>(f, &mut q);
    let r = columns_of(q);
    let s = stretch_of(&r, f);
    let sigma = eigenvalues(&s);
    let (residual, bounds): (Residual<L>, _) = match set {
        Set::Limits(bounds) => (beyond_limits::<L>(sigma, bounds), bounds),
        Set::Volume(bounds) => (beyond_volume::<L>(sigma, bounds), bounds),
        Set::PlaneLimits(_) | Set::Area(_) => unreachable!("not of solids"),
    };
    let mut d = residual.combination.apply(&r, f, &s);
    let (others, squared) = beyond_volume_one_by_one::<L>(residual.failed, f, bounds);
    for k in 0..3 {
        for c in 0..3 {
            d[k][c] = d[k][c].add(others[k][c]);
        }
    }
    (d, residual.squared.add(squared))
}

fn plane<L: Lanes>(set: Set, f: &[[L; 3]; 2]) -> ([[L; 3]; 3], L) {
    let plane = plane_stretch::<L>(f);
    let (residual, is_area, bounds) = match set {
        Set::PlaneLimits(bounds) => (beyond_plane_limits::<L>(plane.sigma, bounds), false, bounds),
        Set::Area(bounds) => (beyond_area::<L>(plane.sigma, bounds), true, bounds),
        Set::Limits(_) | Set::Volume(_) => unreachable!("not of planes"),
    };
    let failed = residual.failed | plane.collapsed;
    let (others, squared) = if is_area {
        beyond_area_one_by_one::<L>(failed, f, bounds)
    } else {
        beyond_plane_limits_one_by_one::<L>(failed, f, bounds)
    };
    let [m00, m01, m11] = plane.to_rotation;
    let (rotation, plain) = (residual.combination.rotation, residual.combination.plain);
    let (p00, p01, p11) = (rotation.mul_add(m00, plain), rotation.mul(m01), rotation.mul_add(m11, plain));
    let keep = |value: L| {
        let mut numbers = [L::Scalar::default(); 8];
        value.write_to(&mut numbers);
        (0..L::WIDTH).filter(|lane| failed >> lane & 1 == 1).for_each(|lane| numbers[lane] = L::Scalar::default());
        L::from_slice(&numbers)
    };
    let mut d = [[L::zero(); 3]; 3];
    for c in 0..3 {
        d[0][c] = keep(f[0][c].mul_add(p00, f[1][c].mul(p01))).add(others[0][c]);
        d[1][c] = keep(f[0][c].mul_add(p01, f[1][c].mul(p11))).add(others[1][c]);
    }
    (d, keep(residual.squared).add(squared))
}

/// Largest and 99th percentile difference of residuals, relative to 1 + the largest entry of F; energies are compared where the projection is
/// not unique.
fn differences<S: LaneNumber>(instructions: InstructionSet, set: Set, kind: usize, count: usize) -> (f64, f64) {
    let mut random = Random(1 + kind as u64);
    // As the lanes see them: rounded.
    let round = |number: f64| S::from_f64(number).to_f64();
    let deformations: Vec<Mat3> =
        (0..count).map(|_| Mat3::from_cols_array(&deformation(kind, &mut random).to_cols_array().map(round))).collect();
    let mut out = Vec::with_capacity(count);
    S::dispatch(instructions, Residuals::<S> { set, deformations: &deformations, out: &mut out, number: PhantomData });
    let mut errors: Vec<f64> = deformations
        .iter()
        .zip(&out)
        .map(|(&f, (found, squared))| {
            let expected = expected(set, f);
            let size = 1.0 + f.to_cols_array().iter().fold(0.0_f64, |m, c| m.max(c.abs()));
            let length = |d: &Mat3| d.to_cols_array().iter().map(|c| c * c).sum::<f64>().sqrt();
            let energy = (squared.sqrt() - length(&expected)).abs();
            // Matrices of rank one have many nearest rotations.
            let own = if kind == 4 { (length(found) - length(&expected)).abs() } else { length(&(*found - expected)) };
            own.max(energy) / size
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    (errors[errors.len() - 1], errors[errors.len() * 99 / 100])
}

fn check(count: usize) {
    let sets = [
        Set::Limits([0.9, 1.15]),
        Set::Limits([1.0, 1.0]),
        Set::Volume([1.0, 1.0]),
        Set::Volume([0.9, 1.1]),
        Set::PlaneLimits([0.9, 1.1]),
        Set::PlaneLimits([1.0, 1.0]),
        Set::Area([1.0, 1.0]),
        Set::Area([0.8, 1.1]),
    ];
    let best = InstructionSet::detect();
    let instruction_sets =
        if best == InstructionSet::Portable { vec![best] } else { vec![best, InstructionSet::Portable] };
    for set in sets {
        for (kind, name) in KINDS.iter().enumerate() {
            for &instructions in &instruction_sets {
                let (single, single_most) = differences::<f32>(instructions, set, kind, count);
                let (double, double_most) = differences::<f64>(instructions, set, kind, count);
                println!(
                    "{set:?}, {name}, {instructions:?}: f32 {single:.1e} (99 %: {single_most:.1e}), f64 {double:.1e} (99 %: {double_most:.1e})"
                );
                assert!(single < 1e-3 && single_most < 5e-5, "{set:?}, {name}: f32 {single:e}, {single_most:e}");
                assert!(double < 1e-7 && double_most < 1e-12, "{set:?}, {name}: f64 {double:e}, {double_most:e}");
            }
        }
    }
}

#[test]
fn residuals_on_lanes_are_those_of_decompositions_one_by_one() {
    check(4_000);
}

#[test]
#[ignore = "long: a million deformations for each set and number"]
fn residuals_of_a_million_deformations_are_those_of_decompositions_one_by_one() {
    check(125_000);
}
