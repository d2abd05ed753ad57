//! Volumes of tets, as `constraint/content.rs` has them.

use super::{Group, Movement, Visit, WIDTH, cross, dot, minus, moved, scaled, step};
use crate::math::lanes::Lanes;

/// C = (b − a) × (c − a) · (d − a)/6 − V.
pub(super) struct Volumes<const COMPLIANT: bool>;

impl<const COMPLIANT: bool> Movement for Volumes<COMPLIANT> {
    #[inline(always)]
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group) {
        // SAFETY: the group has four corners, a number and a multiplier, all its own, as the caller promises.
        unsafe {
            let a = L::gather_whole(group.points, group.rows);
            let b = L::gather_whole(group.points, group.rows.add(WIDTH));
            let c = L::gather_whole(group.points, group.rows.add(2 * WIDTH));
            let d = L::gather_whole(group.points, group.rows.add(3 * WIDTH));
            let (u, v, w) = (minus(b, a), minus(c, a), minus(d, a));
            let (zero, sixth) = (L::zero(), L::splat(1.0 / 6.0));
            let (at_b, at_c) = (scaled(sixth, cross(v, w)), scaled(sixth, cross(w, u)));
            let at_d = scaled(sixth, cross(u, v));
            // Minus the gradient at a.
            let others = [
                at_b[0].add(at_c[0]).add(at_d[0]),
                at_b[1].add(at_c[1]).add(at_d[1]),
                at_b[2].add(at_c[2]).add(at_d[2]),
            ];
            let value = dot(at_d, w).sub(L::load(group.numbers));
            let mobility = a[3].mul_add(
                dot(others, others),
                b[3].mul_add(dot(at_b, at_b), c[3].mul_add(dot(at_c, at_c), d[3].mul(dot(at_d, at_d)))),
            );
            let step = step::<L, COMPLIANT>(visit, group, value, mobility);
            L::scatter_whole(group.points, group.rows, moved(a, zero.sub(step), others));
            L::scatter_whole(group.points, group.rows.add(WIDTH), moved(b, step, at_b));
            L::scatter_whole(group.points, group.rows.add(2 * WIDTH), moved(c, step, at_c));
            L::scatter_whole(group.points, group.rows.add(3 * WIDTH), moved(d, step, at_d));
        }
    }
}
