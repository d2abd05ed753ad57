//! Strain of triangles and tets: energies whose multipliers are a vector for each row of A.
//!
//! A visit solves (A W Aᵀ + α/τ²) ΔΛ = −(A x − p + α/τ² Λ), as `passes.rs` has it, with two or three unknowns.

use super::{Form, Group, Movement, Visit, WIDTH, dot, minus, moved, scaled};
use crate::math::lanes::Lanes;
use crate::math::lanes::matrices::{nearest_plane, nearest_solid};
use crate::math::lanes::nearest::cross;
use crate::solve::pbd::passes::LEAST_TURN;

/// Triangles near a kind of matrices.
pub(super) struct Triangles<const COMPLIANT: bool>;

impl<const COMPLIANT: bool> Movement for Triangles<COMPLIANT> {
    #[inline(always)]
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group) {
        let Form::Triangle(kind) = visit.pass.form else { return };
        // SAFETY: the form is that of triangles, so the group has three corners, four numbers and six multipliers, all
        // its own.
        unsafe {
            let own = deformation::<L, 2, 3>(group);
            let p = nearest_plane(kind, &own.z);
            correct::<L, COMPLIANT, 2, 3>(visit, group, own, p);
        }
    }
}

/// Tets near a kind of matrices.
pub(super) struct Tets<const COMPLIANT: bool>;

impl<const COMPLIANT: bool> Movement for Tets<COMPLIANT> {
    #[inline(always)]
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group) {
        let Form::Tet(kind) = visit.pass.form else { return };
        // SAFETY: the form is that of tets, so the group has four corners, nine numbers and multipliers, and a
        // quaternion, all its own.
        unsafe {
            let own = deformation::<L, 3, 4>(group);
            let mut q = [L::zero(); 4];
            for k in 0..4 {
                q[k] = L::load(group.rotation.add(k * WIDTH));
            }
            let p = nearest_solid::<L>(kind, &own.z, &mut q);
            for k in 0..4 {
                q[k].store(group.rotation.add(k * WIDTH));
            }
            correct::<L, COMPLIANT, 3, 4>(visit, group, own, p);
        }
    }
}

/// Some elements with `R` rows and `N` corners.
struct Deformation<L, const R: usize, const N: usize> {
    corners: [[L; 4]; N],
    /// A of all corners but the first, which has minus their sum.
    a: [[L; R]; R],
    /// A x.
    z: [[L; 3]; R],
}

/// # Safety
/// The group has N = R + 1 corners and R · R numbers.
#[inline(always)]
unsafe fn deformation<L: Lanes<Scalar = f64>, const R: usize, const N: usize>(group: Group) -> Deformation<L, R, N> {
    // SAFETY: the group has N = R + 1 corners and R · R numbers, as the caller promises.
    unsafe {
        let zero = L::zero();
        let (mut x, mut a, mut z) = ([[zero; 4]; N], [[zero; R]; R], [[zero; 3]; R]);
        x[0] = L::gather_whole(group.points, group.rows);
        let mut edges = [[zero; 3]; R];
        for k in 0..R {
            x[k + 1] = L::gather_whole(group.points, group.rows.add((k + 1) * WIDTH));
            edges[k] = minus(x[k + 1], x[0]);
        }
        for row in 0..R {
            for k in 0..R {
                a[row][k] = L::load(group.numbers.add((R * row + k) * WIDTH));
                for c in 0..3 {
                    z[row][c] = a[row][k].mul_add(edges[k][c], z[row][c]);
                }
            }
        }
        Deformation { corners: x, a, z }
    }
}

/// Moves the corners so that A x nears p.
///
/// # Safety
/// As for [`Movement::apply`], of elements with `N` corners and `R` rows.
#[inline(always)]
unsafe fn correct<L: Lanes<Scalar = f64>, const COMPLIANT: bool, const R: usize, const N: usize>(
    visit: &Visit<'_>,
    group: Group,
    own: Deformation<L, R, N>,
    p: [[L; 3]; R],
) {
    let Deformation { corners: x, a, z } = own;
    // SAFETY: the group has N corners and 3 R multipliers, all its own, as the caller promises.
    unsafe {
        let zero = L::zero();
        let mut step = [[zero; 3]; R];
        for row in 0..R {
            step[row] = [p[row][0].sub(z[row][0]), p[row][1].sub(z[row][1]), p[row][2].sub(z[row][2])];
        }
        // A of the first corner, and A W Aᵀ.
        let (mut first, mut gram) = ([zero; R], [[zero; R]; R]);
        for row in 0..R {
            for k in 0..R {
                first[row] = first[row].sub(a[row][k]);
            }
        }
        for i in 0..R {
            for j in 0..=i {
                let mut entry = first[i].mul(first[j]).mul(x[0][3]);
                for k in 0..R {
                    entry = a[i][k].mul(a[j][k]).mul_add(x[k + 1][3], entry);
                }
                (gram[i][j], gram[j][i]) = (entry, entry);
            }
        }
        if COMPLIANT {
            let softness = L::load(group.softness).mul(L::splat(visit.inertia));
            let mut torque = [zero; 3];
            for row in 0..R {
                gram[row][row] = gram[row][row].add(softness);
                let mut old = [zero; 3];
                for c in 0..3 {
                    old[c] = L::load(group.multipliers.add((3 * row + c) * WIDTH));
                    step[row][c] = step[row][c].sub(softness.mul(old[c]));
                }
                let own = cross(z[row], old);
                for c in 0..3 {
                    torque[c] = torque[c].add(own[c]);
                }
            }
            let mut give = z;
            solve(&mut gram, &mut step, &mut give);
            remove_torque(&z, &give, &mut step, scaled(softness, torque));
            for row in 0..R {
                for c in 0..3 {
                    let multiplier = group.multipliers.add((3 * row + c) * WIDTH);
                    L::load(multiplier).add(step[row][c]).store(multiplier);
                }
            }
        } else {
            // Along C = ‖A x − p‖, as every classic constraint.
            let (mut value, mut mobility) = (zero, zero);
            for i in 0..R {
                value = value.add(dot(step[i], step[i]));
                for j in 0..R {
                    mobility = gram[i][j].mul_add(dot(step[i], step[j]), mobility);
                }
            }
            let factor = L::splat(visit.share).mul(value).div(mobility);
            let factor = zero.select_less(mobility, factor, zero);
            for row in 0..R {
                step[row] = scaled(factor, step[row]);
            }
        }
        let one = L::splat(1.0);
        for corner in 0..N {
            let mut by = [zero; 3];
            for row in 0..R {
                let coefficient = if corner == 0 { first[row] } else { a[row][corner - 1] };
                for c in 0..3 {
                    by[c] = coefficient.mul_add(step[row][c], by[c]);
                }
            }
            L::scatter_whole(group.points, group.rows.add(corner * WIDTH), moved(x[corner], one, by));
        }
    }
}

/// Changes a step of multipliers so that it does not turn the element, but for taking back a part of the torque that there is: see `passes.rs`.
#[inline(always)]
fn remove_torque<L: Lanes<Scalar = f64>, const R: usize>(
    z: &[[L; 3]; R],
    give: &[[L; 3]; R],
    step: &mut [[L; 3]; R],
    to_take_back: [L; 3],
) {
    let zero = L::zero();
    let (mut torque, mut trace, mut squares) = ([zero; 3], zero, zero);
    // Columns.
    let mut m = [[zero; 3]; 3];
    for row in 0..R {
        let own = cross(z[row], step[row]);
        trace = trace.add(dot(z[row], give[row]));
        squares = squares.add(dot(z[row], z[row]));
        for i in 0..3 {
            torque[i] = torque[i].add(own[i]);
            for j in 0..3 {
                m[i][j] = m[i][j].sub(z[row][i].mul(give[row][j]));
            }
        }
    }
    for i in 0..3 {
        m[i][i] = m[i][i].add(trace);
    }
    let cofactors = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let determinant = dot(m[0], cofactors[0]);
    // Of what is a line no turn can be told.
    let least = L::splat(LEAST_TURN).mul(trace.mul(trace).mul(trace));
    let scale = least.select_less(determinant, L::splat(1.0).div(determinant), zero);
    let back = least.select_less(determinant, L::splat(1.5).div(squares), zero);
    let mut turn = [zero; 3];
    for i in 0..3 {
        turn[i] = zero.sub(scale.mul(dot(cofactors[i], torque))).sub(back.mul(to_take_back[i]));
    }
    for row in 0..R {
        let by = cross(turn, give[row]);
        for c in 0..3 {
            step[row][c] = step[row][c].add(by[c]);
        }
    }
}

/// Solves a positive definite system for vectors, twice, by elimination. Compliances keep pivots above 0.
#[inline(always)]
fn solve<L: Lanes<Scalar = f64>, const R: usize>(
    matrix: &mut [[L; R]; R],
    vectors: &mut [[L; 3]; R],
    others: &mut [[L; 3]; R],
) {
    let (zero, one) = (L::zero(), L::splat(1.0));
    let mut inverse = [zero; R];
    for i in 0..R {
        inverse[i] = one.div(matrix[i][i]);
        for j in i + 1..R {
            let factor = zero.sub(matrix[j][i].mul(inverse[i]));
            for k in i + 1..R {
                matrix[j][k] = factor.mul_add(matrix[i][k], matrix[j][k]);
            }
            for c in 0..3 {
                vectors[j][c] = factor.mul_add(vectors[i][c], vectors[j][c]);
                others[j][c] = factor.mul_add(others[i][c], others[j][c]);
            }
        }
    }
    for back in 0..R {
        let i = R - 1 - back;
        for j in i + 1..R {
            for c in 0..3 {
                vectors[i][c] = vectors[i][c].sub(matrix[i][j].mul(vectors[j][c]));
                others[i][c] = others[i][c].sub(matrix[i][j].mul(others[j][c]));
            }
        }
        vectors[i] = scaled(inverse[i], vectors[i]);
        others[i] = scaled(inverse[i], others[i]);
    }
}
