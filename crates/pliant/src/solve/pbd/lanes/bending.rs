//! Bending: hinges as constraints, quadratic or of an angle; as energies vertices and triangles that are flat at rest.

use super::{Group, Movement, Visit, WIDTH, cross, dot, minus, moved, scaled, step};
use crate::constraint::{Constraint, Dihedral};
use crate::math::lanes::Lanes;

/// C = ½ ‖Σ kᵢ xᵢ‖², as `constraint/isometric.rs` has it.
pub(super) struct Isometric<const COMPLIANT: bool>;

impl<const COMPLIANT: bool> Movement for Isometric<COMPLIANT> {
    #[inline(always)]
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group) {
        // SAFETY: the group has four corners, three numbers and a multiplier, all its own, as the caller promises.
        unsafe {
            let zero = L::zero();
            let (mut x, mut k) = ([[zero; 4]; 4], [zero; 4]);
            let (mut bend, mut share) = ([zero; 3], zero);
            x[0] = L::gather_whole(group.points, group.rows);
            for i in 1..4 {
                x[i] = L::gather_whole(group.points, group.rows.add(i * WIDTH));
                k[i] = L::load(group.numbers.add((i - 1) * WIDTH));
                k[0] = k[0].sub(k[i]);
                // As seen from the first corner, whose weight is then not needed, and nothing is lost far from the origin.
                let edge = minus(x[i], x[0]);
                bend = [k[i].mul_add(edge[0], bend[0]), k[i].mul_add(edge[1], bend[1]), k[i].mul_add(edge[2], bend[2])];
                share = x[i][3].mul(k[i]).mul_add(k[i], share);
            }
            share = x[0][3].mul(k[0]).mul_add(k[0], share);
            let squared = dot(bend, bend);
            let (value, mobility) = (L::splat(0.5).mul(squared), share.mul(squared));
            let step = step::<L, COMPLIANT>(visit, group, value, mobility);
            for i in 0..4 {
                L::scatter_whole(group.points, group.rows.add(i * WIDTH), moved(x[i], step.mul(k[i]), bend));
            }
        }
    }
}

/// C = θ − θ₀, as `constraint/dihedral.rs` has it, and never more than its bound.
pub(super) struct Dihedrals<const COMPLIANT: bool>;

/// Triangles flatter than this (height over an edge) have no normal, as in `energy/hinge.rs`.
const DEGENERATE: f64 = 1e-9;
/// Most that the angle is changed by in one visit.
const MOST: f64 = <Dihedral as Constraint<4>>::MOST;

impl<const COMPLIANT: bool> Movement for Dihedrals<COMPLIANT> {
    #[inline(always)]
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group) {
        // SAFETY: the group has four corners, two numbers and a multiplier, all its own, as the caller promises.
        unsafe {
            let a = L::gather_whole(group.points, group.rows);
            let b = L::gather_whole(group.points, group.rows.add(WIDTH));
            let c = L::gather_whole(group.points, group.rows.add(2 * WIDTH));
            let d = L::gather_whole(group.points, group.rows.add(3 * WIDTH));
            let (edge, to_c, to_d) = (minus(b, a), minus(c, a), minus(d, a));
            let (left, right) = (cross(edge, to_c), cross(to_d, edge));
            let (zero, one) = (L::zero(), L::splat(1.0));
            let edge_squared = dot(edge, edge);
            let length = edge_squared.sqrt();
            let (left_squared, right_squared) = (dot(left, left), dot(right, right));
            let value = angle_between(
                zero.sub(length.mul(dot(left, to_d))),
                dot(left, right),
                L::load(group.numbers),
                L::load(group.numbers.add(WIDTH)),
            );
            // A triangle without height has no normal. Of its two edges here the longer one is at least half of the longest.
            let flat = L::splat(DEGENERATE * DEGENERATE);
            let longest_c = edge_squared.max(dot(to_c, to_c));
            let longest_d = edge_squared.max(dot(to_d, to_d));
            let height_c = left_squared.sub(flat.mul(longest_c).mul(longest_c));
            let height_d = right_squared.sub(flat.mul(longest_d).mul(longest_d));
            // One division for all three: 1/‖left‖², 1/‖right‖² and 1/‖edge‖².
            let both = left_squared.mul(right_squared);
            let inverse = one.div(both.mul(edge_squared));
            let per_left = inverse.mul(right_squared).mul(edge_squared);
            let per_right = inverse.mul(left_squared).mul(edge_squared);
            let per_edge = inverse.mul(both);
            let at_c = scaled(zero.sub(length.mul(per_left)), left);
            let at_d = scaled(zero.sub(length.mul(per_right)), right);
            let (foot_c, foot_d) = (dot(to_c, edge).mul(per_edge), dot(to_d, edge).mul(per_edge));
            let (mut at_a, mut at_b) = ([zero; 3], [zero; 3]);
            for k in 0..3 {
                // The feet of the heights share the reaction between the ends of the edge.
                let reaction = foot_c.mul_add(at_c[k], foot_d.mul(at_d[k]));
                at_b[k] = zero.sub(reaction);
                at_a[k] = reaction.sub(at_c[k]).sub(at_d[k]);
            }
            let mobility = a[3].mul_add(
                dot(at_a, at_a),
                b[3].mul_add(dot(at_b, at_b), c[3].mul_add(dot(at_c, at_c), d[3].mul(dot(at_d, at_d)))),
            );
            let mut valid = height_c.min(height_d);
            // Products of lengths far below any that positions resolve underflow; they have no normal either.
            valid = both.mul(edge_squared).select_less(L::splat(1e-290), zero.sub(one), valid);
            let skip = (1 << L::WIDTH) - 1 - zero.less_mask(valid);
            if skip != 0 {
                return sort_out::<L, COMPLIANT>(visit, group, valid, value, mobility, [at_a, at_b, at_c, at_d]);
            }
            let step = step::<L, COMPLIANT>(visit, group, value, mobility);
            L::scatter_whole(group.points, group.rows, moved(a, step, at_a));
            L::scatter_whole(group.points, group.rows.add(WIDTH), moved(b, step, at_b));
            L::scatter_whole(group.points, group.rows.add(2 * WIDTH), moved(c, step, at_c));
            L::scatter_whole(group.points, group.rows.add(3 * WIDTH), moved(d, step, at_d));
        }
    }
}

/// The same where some hinges have no angle: these stay as they are, multipliers and all.
///
/// # Safety
/// As for [`Movement::apply`] of [`Dihedrals`].
#[inline(always)]
unsafe fn sort_out<L: Lanes<Scalar = f64>, const COMPLIANT: bool>(
    visit: &Visit<'_>,
    group: Group,
    valid: L,
    value: L,
    mobility: L,
    mut gradients: [[L; 3]; 4],
) {
    // SAFETY: as for the caller: four corners and a multiplier, all the group's own.
    unsafe {
        let zero = L::zero();
        let old = L::load(group.multipliers);
        let mobility = zero.select_less(valid, mobility, L::splat(1.0));
        let value = zero.select_less(valid, value, zero);
        let step = step::<L, COMPLIANT>(visit, group, value, mobility);
        zero.select_less(valid, L::load(group.multipliers), old).store(group.multipliers);
        for i in 0..4 {
            for k in 0..3 {
                gradients[i][k] = zero.select_less(valid, gradients[i][k], zero);
            }
            let x = L::gather_whole(group.points, group.rows.add(i * WIDTH));
            L::scatter_whole(group.points, group.rows.add(i * WIDTH), moved(x, step, gradients[i]));
        }
    }
}

/// The angle of (cosine, sine) from (rest_cosine, rest_sine), bounded by [`MOST`]. Only the ratio of the first two counts.
///
/// Within the bound the inverse tangent is a short series; beyond, only its sign is asked for.
#[inline(always)]
fn angle_between<L: Lanes<Scalar = f64>>(sine: L, cosine: L, rest_cosine: L, rest_sine: L) -> L {
    let zero = L::zero();
    let s = sine.mul(rest_cosine).sub(cosine.mul(rest_sine));
    let c = cosine.mul(rest_cosine).add(sine.mul(rest_sine));
    let t = s.div(c);
    let t2 = t.mul(t);
    let mut series = L::splat(-1.0 / 11.0);
    series = series.mul_add(t2, L::splat(1.0 / 9.0));
    series = series.mul_add(t2, L::splat(-1.0 / 7.0));
    series = series.mul_add(t2, L::splat(1.0 / 5.0));
    series = series.mul_add(t2, L::splat(-1.0 / 3.0));
    let angle = t.mul(series.mul(t2).add(L::splat(1.0)));
    let most = L::splat(MOST);
    let bound = s.select_less(zero, zero.sub(most), most);
    // tan of the bound, with the series above: far from the next number that would round differently.
    let is_beyond = t2.sub(L::splat(TANGENT * TANGENT));
    let angle = is_beyond.select_less(zero, angle, bound);
    // Behind, the tangent is small again.
    zero.select_less(c, angle, bound)
}

/// tan 0.05: a test compares.
const TANGENT: f64 = 0.050_041_708_375_538_79;

/// E = w/2 ‖Σ cᵢ xᵢ‖², for vertices with their neighbours, flat at rest.
pub(super) struct Rings<const COMPLIANT: bool>;

impl<const COMPLIANT: bool> Movement for Rings<COMPLIANT> {
    #[inline(always)]
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group) {
        // SAFETY: the group has `corners` rows and as many numbers, and three multipliers, all its own, as the caller
        // promises.
        unsafe {
            let zero = L::zero();
            let own = L::gather_whole(group.points, group.rows);
            let first = L::load(group.numbers);
            let (mut curvature, mut resistance) = ([zero; 3], own[3].mul(first).mul(first));
            let mut i = 1;
            while i < group.corners {
                let x = L::gather_whole(group.points, group.rows.add(i * WIDTH));
                let k = L::load(group.numbers.add(i * WIDTH));
                // As seen from the vertex, so that nothing is lost far from the origin.
                let edge = minus(x, own);
                for c in 0..3 {
                    curvature[c] = k.mul_add(edge[c], curvature[c]);
                }
                resistance = x[3].mul(k).mul_add(k, resistance);
                i += 1;
            }
            let mut step = [zero.sub(curvature[0]), zero.sub(curvature[1]), zero.sub(curvature[2])];
            if COMPLIANT {
                let softness = L::load(group.softness).mul(L::splat(visit.inertia));
                let factor = L::splat(1.0).div(resistance.add(softness));
                for c in 0..3 {
                    let old = L::load(group.multipliers.add(c * WIDTH));
                    step[c] = step[c].sub(softness.mul(old)).mul(factor);
                    old.add(step[c]).store(group.multipliers.add(c * WIDTH));
                }
            } else {
                let factor = L::splat(visit.share).div(resistance);
                step = scaled(zero.select_less(resistance, factor, zero), step);
            }
            let mut i = 0;
            while i < group.corners {
                let x = L::gather_whole(group.points, group.rows.add(i * WIDTH));
                let k = L::load(group.numbers.add(i * WIDTH));
                L::scatter_whole(group.points, group.rows.add(i * WIDTH), moved(x, k, step));
                i += 1;
            }
        }
    }
}

/// E = w/2 Σ_r ‖Σ c_ri xᵢ‖² with three rows, of which none moves another (`form.rs`).
pub(super) struct Quadratics<const COMPLIANT: bool>;

impl<const COMPLIANT: bool> Movement for Quadratics<COMPLIANT> {
    #[inline(always)]
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group) {
        // SAFETY: the group has `corners` rows, three numbers for each, and nine multipliers, all its own, as the
        // caller promises.
        unsafe {
            let zero = L::zero();
            let own = L::gather_whole(group.points, group.rows);
            let (mut z, mut gram) = ([[zero; 3]; 3], [zero; 3]);
            for r in 0..3 {
                let k = L::load(group.numbers.add(r * WIDTH));
                gram[r] = own[3].mul(k).mul(k);
            }
            let mut i = 1;
            while i < group.corners {
                let x = L::gather_whole(group.points, group.rows.add(i * WIDTH));
                // As seen from the first corner, so that nothing is lost far from the origin.
                let edge = minus(x, own);
                for r in 0..3 {
                    let k = L::load(group.numbers.add((3 * i + r) * WIDTH));
                    for c in 0..3 {
                        z[r][c] = k.mul_add(edge[c], z[r][c]);
                    }
                    gram[r] = x[3].mul(k).mul_add(k, gram[r]);
                }
                i += 1;
            }
            let mut step = [[zero; 3]; 3];
            if COMPLIANT {
                let softness = L::load(group.softness).mul(L::splat(visit.inertia));
                for r in 0..3 {
                    let factor = L::splat(1.0).div(gram[r].add(softness));
                    for c in 0..3 {
                        let place = group.multipliers.add((3 * r + c) * WIDTH);
                        let old = L::load(place);
                        step[r][c] = zero.sub(softness.mul_add(old, z[r][c])).mul(factor);
                        old.add(step[r][c]).store(place);
                    }
                }
            } else {
                // Along C = ‖A x‖, as every classic constraint.
                let (mut value, mut mobility) = (zero, zero);
                for r in 0..3 {
                    let squared = dot(z[r], z[r]);
                    value = value.add(squared);
                    mobility = gram[r].mul_add(squared, mobility);
                }
                let factor = L::splat(-visit.share).mul(value).div(mobility);
                let factor = zero.select_less(mobility, factor, zero);
                for r in 0..3 {
                    step[r] = scaled(factor, z[r]);
                }
            }
            let mut i = 0;
            while i < group.corners {
                let x = L::gather_whole(group.points, group.rows.add(i * WIDTH));
                let mut by = [zero; 3];
                for r in 0..3 {
                    let k = L::load(group.numbers.add((3 * i + r) * WIDTH));
                    for c in 0..3 {
                        by[c] = k.mul_add(step[r][c], by[c]);
                    }
                }
                L::scatter_whole(group.points, group.rows.add(i * WIDTH), moved(x, L::splat(1.0), by));
                i += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::lanes::{InstructionSet, Kernel, LaneNumber};

    /// Four angles of directions from four others.
    struct Angles<'a> {
        from: [f64; 4],
        to: [f64; 4],
        out: &'a mut [f64; 4],
    }

    impl Kernel<f64> for Angles<'_> {
        #[inline(always)]
        fn run<L: Lanes<Scalar = f64>>(self) {
            let [c, s] = [self.to.map(|t| 3.0 * t.cos()), self.to.map(|t| 3.0 * t.sin())];
            let [rest_c, rest_s] = [self.from.map(f64::cos), self.from.map(f64::sin)];
            let [s, c, rest_c, rest_s] = [s, c, rest_c, rest_s].map(|numbers| L::from_slice(&numbers));
            angle_between(s, c, rest_c, rest_s).write_to(self.out);
        }
    }

    #[test]
    fn angles_are_those_of_the_inverse_tangent_up_to_the_bound() {
        assert_eq!(TANGENT, MOST.tan());
        for set in [InstructionSet::detect(), InstructionSet::Portable] {
            for k in 0..400 {
                let from = [-2.5, -0.3, 0.0, 1.9];
                let turn = -3.1 + 0.0155 * f64::from(k);
                let small = 0.0005 * f64::from(k - 200);
                let by = [turn, turn, small, small];
                let mut found = [0.0; 4];
                f64::dispatch(set, Angles { from, to: std::array::from_fn(|i| from[i] + by[i]), out: &mut found });
                for i in 0..4 {
                    let expected = by[i].clamp(-MOST, MOST);
                    assert!((found[i] - expected).abs() < 1e-15, "{} for {expected}", found[i]);
                }
            }
        }
    }
}
