//! Two vertices: constraints of a distance, and the energy of springs.

use super::{Group, Movement, Visit, WIDTH, dot, minus, moved};
use crate::math::lanes::Lanes;

/// Edges shorter than this have no direction \[m\]. Positions cannot be so close but where they are equal.
const SHORTEST: f64 = 1e-150;

/// C = ‖b − a‖ − d, as `constraint/distance.rs` has it.
pub(super) struct Distances<const COMPLIANT: bool>;

impl<const COMPLIANT: bool> Movement for Distances<COMPLIANT> {
    #[inline(always)]
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group) {
        // SAFETY: the group has two corners, a number and a multiplier, all its own, as the caller promises.
        unsafe {
            let a = L::gather_whole(group.points, group.rows);
            let b = L::gather_whole(group.points, group.rows.add(WIDTH));
            let edge = minus(b, a);
            let length = dot(edge, edge).sqrt();
            let value = length.sub(L::load(group.numbers));
            let mobility = a[3].add(b[3]);
            let (zero, shortest) = (L::zero(), L::splat(SHORTEST));
            // Δλ over the length, in one division.
            let factor = if COMPLIANT {
                let softness = L::load(group.softness).mul(L::splat(visit.inertia));
                let old = L::load(group.multipliers);
                let opposed = softness.mul_add(old, value);
                let factor = opposed.div(mobility.add(softness).mul(length));
                let factor = length.select_less(shortest, zero, factor);
                old.sub(factor.mul(length)).store(group.multipliers);
                factor
            } else {
                let factor = L::splat(visit.share).mul(value).div(mobility.mul(length));
                length.select_less(shortest, zero, factor)
            };
            L::scatter_whole(group.points, group.rows, moved(a, factor, edge));
            L::scatter_whole(group.points, group.rows.add(WIDTH), moved(b, zero.sub(factor), edge));
        }
    }
}

/// E = w/2 ‖z − p‖² with z = b − a and p the nearest edge of an allowed length.
pub(super) struct Springs<const COMPLIANT: bool, const LIMITED: bool>;

impl<const COMPLIANT: bool, const LIMITED: bool> Movement for Springs<COMPLIANT, LIMITED> {
    #[inline(always)]
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group) {
        // SAFETY: the group has two corners, one number or two where limited, and three multipliers, all its own, as
        // the caller promises.
        unsafe {
            let a = L::gather_whole(group.points, group.rows);
            let b = L::gather_whole(group.points, group.rows.add(WIDTH));
            let z = minus(b, a);
            let (zero, one, shortest) = (L::zero(), L::splat(1.0), L::splat(SHORTEST));
            let length = dot(z, z).sqrt();
            let mut target = L::load(group.numbers);
            if LIMITED {
                target = length.max(target).min(L::load(group.numbers.add(WIDTH)));
            }
            let mut resistance = a[3].add(b[3]);
            let mut softness = zero;
            if COMPLIANT {
                softness = L::load(group.softness).mul(L::splat(visit.inertia));
                resistance = resistance.add(softness);
            }
            // One division for both: 1/length and 1/resistance.
            let bounded = length.max(shortest);
            let inverse = one.div(bounded.mul(resistance));
            let excess = target.mul(inverse.mul(resistance)).sub(one);
            let mut step = [excess.mul(z[0]), excess.mul(z[1]), excess.mul(z[2])];
            // Coincident ends part along x, as in `energy/edge_spring.rs`.
            step[0] = length.select_less(shortest, target, step[0]);
            let mut factor = inverse.mul(bounded);
            if COMPLIANT {
                for c in 0..3 {
                    let old = L::load(group.multipliers.add(c * WIDTH));
                    step[c] = step[c].sub(softness.mul(old)).mul(factor);
                    old.add(step[c]).store(group.multipliers.add(c * WIDTH));
                }
                factor = one;
            } else {
                factor = factor.mul(L::splat(visit.share));
            }
            L::scatter_whole(group.points, group.rows, moved(a, zero.sub(factor), step));
            L::scatter_whole(group.points, group.rows.add(WIDTH), moved(b, factor, step));
        }
    }
}
