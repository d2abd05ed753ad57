//! What only the inside of a factor shows: its bits.

use std::sync::Arc;

use super::*;
use crate::math::Vec3;
use crate::sparse::{Analysis, PackedFactor, Precision, SymmetricMatrix, SymmetricPattern};

const STIFFNESS: f64 = 30.0;

/// Two grids of springs that are not connected, and a loose vertex; the springs, and the factor.
fn grids(side: u32) -> (Vec<(u32, u32)>, Cholesky) {
    let mut springs = Vec::new();
    let mut positions = Vec::new();
    for grid in 0..2 {
        for j in 0..side {
            for i in 0..side {
                let v = (grid * side + j) * side + i;
                positions.push(Vec3::new(f64::from(i), f64::from(j), 50.0 * f64::from(grid)));
                springs.extend(
                    [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)]
                        .into_iter()
                        .filter_map(|(a, b)| (i + a < side && j + b < side).then_some((v, v + b * side + a))),
                );
            }
        }
    }
    positions.push(Vec3::splat(-5.0));
    let mut matrix = SymmetricMatrix::zero(Arc::new(SymmetricPattern::new(positions.len(), springs.iter().copied())));
    for (k, &(i, j)) in springs.iter().enumerate() {
        matrix.add(k, -STIFFNESS);
        matrix.add_diagonal(i as usize, STIFFNESS);
        matrix.add_diagonal(j as usize, STIFFNESS);
    }
    (0..positions.len()).for_each(|v| matrix.add_diagonal(v, 0.5));
    let analysis = Analysis::with_positions(matrix.pattern(), &positions).expect("analysis");
    (springs, Cholesky::new(&analysis, &matrix).expect("spd"))
}

fn spring((i, j): (u32, u32)) -> [(u32, f64); 2] {
    [(i, STIFFNESS.sqrt()), (j, -STIFFNESS.sqrt())]
}

/// All numbers of L.
fn bits(factor: &Cholesky) -> Vec<u64> {
    let supernodes = factor.parts().flat_map(|(_, supernodes)| supernodes);
    supernodes.flat_map(|s| s.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>()).collect()
}

fn solve_bits(packed: &mut PackedFactor, size: usize) -> Vec<[u64; 3]> {
    let mut x: Vec<Vec3> = (0..size).map(|i| Vec3::new((i as f64).sin(), 1.0, (0.1 * i as f64).cos())).collect();
    packed.solve(&mut x);
    x.iter().map(|x| x.to_array().map(f64::to_bits)).collect()
}

#[test]
fn a_refused_vector_leaves_every_bit_of_the_factor() {
    let (springs, mut factor) = grids(14);
    let last = factor.size() as u32 - 1;
    let before = bits(&factor);
    // Nine times the stiffness of a spring is more than it and all around it have.
    let ninefold = spring(springs[0]).map(|(v, value)| (v, 3.0 * value));
    let refused = factor.update(&ninefold, Update::Remove);
    assert!(matches!(refused, Err(UpdateError::LosesDefiniteness { remainder }) if remainder < 0.0), "{refused:?}");
    // All that the loose vertex has: exactly singular.
    let refused = factor.update(&[(last, 0.5f64.sqrt())], Update::Remove);
    assert!(matches!(refused, Err(UpdateError::LosesDefiniteness { .. })), "{refused:?}");
    let refused = factor.update(&[(0, 1.0), (3, 1.0)], Update::Add);
    assert_eq!(refused.err(), Some(UpdateError::OutsideOfPattern { first: 0, second: 3 }));
    // Unknowns of two bodies.
    let refused = factor.update(&[(14 * 14, 1.0), (5, 1.0)], Update::Add);
    assert_eq!(refused.err(), Some(UpdateError::OutsideOfPattern { first: 5, second: 14 * 14 }));
    let refused = factor.update(&[(last + 1, 1.0)], Update::Add);
    assert_eq!(refused.err(), Some(UpdateError::NoSuchUnknown { unknown: last + 1, size: last as usize + 1 }));
    for value in [f64::NAN, f64::INFINITY, -1e200] {
        let refused = factor.update(&[(1, value)], Update::Add);
        assert!(matches!(refused, Err(UpdateError::ValueOutOfRange { unknown: 1, .. })), "{refused:?}");
    }
    assert!(bits(&factor) == before);
    // And the next one is not disturbed by what was refused.
    factor.update(&spring(springs[0]), Update::Remove).expect("a spring may go");
    assert!(bits(&factor) != before);
}

#[test]
fn a_zero_vector_changes_nothing() {
    let (springs, mut factor) = grids(5);
    let before = bits(&factor);
    for vector in [vec![], vec![(3, 0.0)], spring(springs[0]).map(|(v, _)| (v, 0.0)).to_vec()] {
        let touched = factor.update(&vector, Update::Remove).expect("nothing goes");
        assert_eq!((touched.columns(), factor.update_work(&vector)), (0, Ok(0)));
    }
    assert!(bits(&factor) == before);
}

#[test]
fn nodes_refilled_along_the_path_have_the_bits_of_a_full_refill() {
    let (springs, mut factor) = grids(33);
    let mut packed = [Precision::Single, Precision::Double].map(|precision| PackedFactor::new(&factor, precision));
    let mut touched = Vec::new();
    for (k, &edge) in springs.iter().step_by(97).enumerate() {
        touched.push(factor.update(&spring(edge), Update::Remove).expect("a spring may go"));
        touched.push(factor.update(&[(edge.0, 2.0 + k as f64)], Update::Add).expect("a pin may come"));
    }
    for packed in &mut packed {
        let done = packed.refill_touched(&factor, &touched);
        assert!(done.refilled > 0 && done.updated == 0);
        let own = solve_bits(packed, factor.size());
        packed.refill(&factor);
        assert!(own == solve_bits(packed, factor.size()), "{:?}", packed.precision());
    }
}

#[cfg(feature = "parallel")]
#[test]
fn threads_change_no_bit_of_an_update() {
    let found = [1, 2, 3, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let (springs, mut factor) = grids(49);
            let mut packed =
                [Precision::Single, Precision::Double].map(|precision| PackedFactor::new(&factor, precision));
            let removed = springs.iter().step_by(61);
            let touched: Vec<Touched> =
                removed.map(|&edge| factor.update(&spring(edge), Update::Remove).expect("a spring may go")).collect();
            // Few at a node are updates in place, many are refills, and both happen side by side.
            let done = packed.each_mut().map(|packed| packed.update(&factor, &touched));
            let solutions = packed.each_mut().map(|packed| solve_bits(packed, factor.size()));
            (bits(&factor), done, solutions)
        })
    });
    assert!(found[0].1.iter().all(|done| done.updated > 0 && done.refilled > 0), "{:?}", found[0].1);
    assert!(found.iter().all(|other| *other == found[0]));
}
