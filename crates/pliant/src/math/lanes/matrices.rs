//! Nearest matrices of a kind, four at a time in f64, for whoever wants the matrices themselves: reports, Newton's method, the position-based solver.
//! The local step of projective dynamics has kernels of its own, which go from edges to forces.

use super::nearest::{columns_of, constant, nearest_rotation, nearest_within};
use super::stretches::{
    beyond_area, beyond_area_one_by_one, beyond_limits, beyond_volume, beyond_volume_one_by_one, eigenvalues,
    plane_stretch, stretch_of,
};
use super::{InstructionSet, Kernel, LaneNumber, Lanes};

/// How many matrices go together.
pub(crate) const TOGETHER: usize = 4;

/// Which 3 × 3 matrices are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Solid {
    /// Signed singular values between two bounds.
    Stretches([f64; 2]),
    /// A determinant between two positive bounds.
    Volume([f64; 2]),
}

/// Which 3 × 2 matrices are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Plane {
    /// Singular values between two bounds.
    Stretches([f64; 2]),
    /// A product of singular values between two positive bounds.
    Area([f64; 2]),
}

/// Matrices by columns, number by number, that become the nearest ones; quaternions (x, y, z, w) of nearest rotations to start from, which become
/// those of these matrices.
pub(crate) fn nearest_solids(kind: Solid, columns: &mut [[[f64; 4]; 3]; 3], rotations: &mut [[f64; 4]; 4]) {
    f64::dispatch(InstructionSet::detect(), Solids { kind, columns, rotations });
}

/// Matrices of two columns, number by number, that become the nearest ones.
pub(crate) fn nearest_planes(kind: Plane, columns: &mut [[[f64; 4]; 3]; 2]) {
    f64::dispatch(InstructionSet::detect(), Planes { kind, columns });
}

struct Solids<'a> {
    kind: Solid,
    columns: &'a mut [[[f64; 4]; 3]; 3],
    rotations: &'a mut [[f64; 4]; 4],
}

impl Kernel<f64> for Solids<'_> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let (mut f, mut q) = ([[L::zero(); 3]; 3], [L::zero(); 4]);
        for k in 0..3 {
            for c in 0..3 {
                f[k][c] = L::from_slice(&self.columns[k][c]);
            }
        }
        for k in 0..4 {
            q[k] = L::from_slice(&self.rotations[k]);
        }
        let nearest = nearest_solid::<L>(self.kind, &f, &mut q);
        for k in 0..4 {
            q[k].write_to(&mut self.rotations[k]);
        }
        for k in 0..3 {
            for c in 0..3 {
                nearest[k][c].write_to(&mut self.columns[k][c]);
            }
        }
    }
}

/// The nearest matrices of a kind, by columns; quaternions become those of the nearest rotations.
#[inline(always)]
pub(crate) fn nearest_solid<L: Lanes>(kind: Solid, f: &[[L; 3]; 3], q: &mut [L; 4]) -> [[L; 3]; 3] {
    nearest_rotation::<L>(f, q);
    let r = columns_of(*q);
    if let Solid::Stretches([1.0, 1.0]) = kind {
        return r;
    }
    let s = stretch_of(&r, f);
    let sigma = eigenvalues(&s);
    let residual = match kind {
        Solid::Stretches(bounds) => beyond_limits::<L>(sigma, bounds),
        Solid::Volume(bounds) => beyond_volume::<L>(sigma, bounds),
    };
    let beyond = residual.combination.apply(&r, f, &s);
    let mut nearest = *f;
    for k in 0..3 {
        for c in 0..3 {
            nearest[k][c] = f[k][c].sub(beyond[k][c]);
        }
    }
    if let (true, Solid::Volume(bounds)) = (residual.failed != 0, kind) {
        let (others, _) = beyond_volume_one_by_one::<L>(residual.failed, f, bounds);
        for k in 0..3 {
            for c in 0..3 {
                nearest[k][c] = nearest[k][c].sub(others[k][c]);
            }
        }
    }
    nearest
}

/// The nearest matrices of two columns of a kind.
#[inline(always)]
pub(crate) fn nearest_plane<L: Lanes>(kind: Plane, f: &[[L; 3]; 2]) -> [[L; 3]; 2] {
    match kind {
        Plane::Stretches(bounds) => nearest_within::<L>(f, bounds),
        Plane::Area(bounds) => nearest_with_area::<L>(f, bounds),
    }
}

struct Planes<'a> {
    kind: Plane,
    columns: &'a mut [[[f64; 4]; 3]; 2],
}

impl Kernel<f64> for Planes<'_> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let mut f = [[L::zero(); 3]; 2];
        for k in 0..2 {
            for c in 0..3 {
                f[k][c] = L::from_slice(&self.columns[k][c]);
            }
        }
        let nearest = nearest_plane::<L>(self.kind, &f);
        for k in 0..2 {
            for c in 0..3 {
                nearest[k][c].write_to(&mut self.columns[k][c]);
            }
        }
    }
}

#[inline(always)]
fn nearest_with_area<L: Lanes>(f: &[[L; 3]; 2], bounds: [f64; 2]) -> [[L; 3]; 2] {
    let plane = plane_stretch::<L>(f);
    let residual = beyond_area::<L>(plane.sigma, bounds);
    let [m00, m01, m11] = plane.to_rotation;
    let (rotation, plain) = (residual.combination.rotation, residual.combination.plain);
    // f − (rotation R + plain F), with R = F m.
    let rest = constant::<L>(1.0).sub(plain);
    let (p00, p01, p11) = (rest.sub(rotation.mul(m00)), L::zero().sub(rotation.mul(m01)), rest.sub(rotation.mul(m11)));
    let mut nearest = [[L::zero(); 3]; 2];
    for c in 0..3 {
        nearest[0][c] = f[0][c].mul_add(p00, f[1][c].mul(p01));
        nearest[1][c] = f[0][c].mul_add(p01, f[1][c].mul(p11));
    }
    let failed = residual.failed | plane.collapsed;
    if failed != 0 {
        let (beyond, _) = beyond_area_one_by_one::<L>(failed, f, bounds);
        replace(failed, f, &beyond, &mut nearest);
    }
    nearest
}

/// Puts f − `beyond` into single lanes.
#[cold]
#[inline(never)]
fn replace<L: Lanes>(mask: u32, f: &[[L; 3]; 2], beyond: &[[L; 3]; 2], out: &mut [[L; 3]; 2]) {
    for k in 0..2 {
        for c in 0..3 {
            let (mut kept, mut new) = ([L::Scalar::default(); 8], [L::Scalar::default(); 8]);
            out[k][c].write_to(&mut kept);
            f[k][c].sub(beyond[k][c]).write_to(&mut new);
            (0..L::WIDTH).filter(|lane| mask >> lane & 1 == 1).for_each(|lane| kept[lane] = new[lane]);
            out[k][c] = L::from_slice(&kept);
        }
    }
}
