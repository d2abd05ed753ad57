use super::*;

/// Runs every operation on lanes and compares with numbers one by one.
struct EveryOperation;

const TOLERANCE: f64 = 4e-7;

fn close(a: impl Real, b: f64) {
    assert!((a.to_f64() - b).abs() <= TOLERANCE * b.abs().max(1.0), "{a:?} is not {b}");
}

impl<S: Real> Kernel<S> for EveryOperation {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let w = L::WIDTH;
        let a: Vec<S> = (0..w).map(|i| S::from_f64(1.5 + i as f64)).collect();
        let b: Vec<S> = (0..w).map(|i| S::from_f64(4.25 - 0.5 * i as f64)).collect();
        let number = |v: &[S], i: usize| v[i].to_f64();
        // SAFETY: slices have a number, or a point of four, for each lane, and rows are those of points.
        unsafe {
            let (va, vb) = (L::load(a.as_ptr()), L::load(b.as_ptr()));
            let check = |result: L, expected: &dyn Fn(f64, f64) -> f64| {
                let mut out = vec![S::default(); w];
                result.store(out.as_mut_ptr());
                (0..w).for_each(|i| close(out[i], expected(number(&a, i), number(&b, i))));
            };
            check(va.add(vb), &|a, b| a + b);
            check(va.sub(vb), &|a, b| a - b);
            check(va.mul(vb), &|a, b| a * b);
            check(va.div(vb), &|a, b| a / b);
            check(va.min(vb), &f64::min);
            check(va.max(vb), &f64::max);
            check(va.sqrt(), &|a, _| a.sqrt());
            check(va.inverse_sqrt(), &|a, _| 1.0 / a.sqrt());
            check(va.mul_add(vb, va), &|a, b| a * b + a);
            check(va.select_less(vb, va, L::zero()), &|a, b| if a < b { a } else { 0.0 });
            let mask = (0..w).fold(0, |mask, i| mask | u32::from(number(&a, i) < number(&b, i)) << i);
            assert_eq!(va.less_mask(vb), mask);
            let rows: Vec<u32> = (0..w as u32).map(|i| 4 * ((5 * i + 3) % w as u32)).collect();
            let mut points: Vec<S> = (0..4 * w).map(|i| S::from_f64(if i % 4 == 3 { 0.0 } else { i as f64 })).collect();
            let gathered = L::gather(points.as_ptr(), rows.as_ptr());
            for (c, lanes) in gathered.into_iter().enumerate() {
                let mut out = vec![S::default(); w];
                lanes.store(out.as_mut_ptr());
                (0..w).for_each(|i| close(out[i], (rows[i] as usize + c) as f64));
            }
            let quads: Vec<S> = (0..4 * w).map(|i| S::from_f64(i as f64)).collect();
            let indices: Vec<u32> = rows.iter().map(|row| row / 4).collect();
            for (c, lanes) in L::gather_quads(quads.as_ptr(), indices.as_ptr()).into_iter().enumerate() {
                let mut out = vec![S::default(); w];
                lanes.store(out.as_mut_ptr());
                (0..w).for_each(|i| close(out[i], (rows[i] as usize + c) as f64));
            }
            let mut stored = vec![S::from_f64(9.0); 4 * w];
            L::store_points(gathered, stored.as_mut_ptr());
            (0..w).for_each(|i| {
                (0..4).for_each(|c| close(stored[4 * i + c], number(&points, rows[i] as usize + c)));
            });
            let mut whole: Vec<S> = (0..4 * w).map(|i| S::from_f64(i as f64)).collect();
            let numbers = L::gather_whole(whole.as_ptr(), rows.as_ptr());
            for (c, lanes) in numbers.into_iter().enumerate() {
                let mut out = vec![S::default(); w];
                lanes.store(out.as_mut_ptr());
                (0..w).for_each(|i| close(out[i], (rows[i] as usize + c) as f64));
            }
            whole.fill(S::from_f64(-1.0));
            L::scatter_whole(whole.as_mut_ptr(), rows.as_ptr(), numbers);
            (0..4 * w).for_each(|i| close(whole[i], i as f64));
            let before = points.clone();
            L::scatter_add(points.as_mut_ptr(), rows.as_ptr(), gathered);
            (0..4 * w).for_each(|i| close(points[i], 2.0 * number(&before, i)));
            let mut sums = [S::from_f64(7.0); 4];
            L::store_sums([va, vb, va], sums.as_mut_ptr());
            let total = |v: &[S]| (0..w).map(|i| number(v, i)).sum::<f64>();
            close(sums[0], total(&a));
            close(sums[1], total(&b));
            close(sums[2], total(&a));
            close(sums[3], 0.0);
            let mut scattered = vec![S::from_f64(9.0); 4 * w];
            L::scatter(scattered.as_mut_ptr(), rows.as_ptr(), gathered);
            (0..4 * w).for_each(|i| close(scattered[i], number(&before, i)));
            let far: Vec<f64> = (0..4 * w).map(|i| 1e9 + 1e-3 * i as f64).collect();
            let heads: Vec<u32> = rows.iter().map(|r| (r + 4) % (4 * w as u32)).collect();
            let check_edges = |edges: [L; 3], tail: &dyn Fn(usize) -> usize| {
                for (c, lanes) in edges.into_iter().enumerate() {
                    let mut out = vec![S::default(); w];
                    lanes.store(out.as_mut_ptr());
                    (0..w).for_each(|i| close(out[i], far[heads[i] as usize + c] - far[tail(i) + c]));
                }
            };
            check_edges(L::edges(far.as_ptr(), far.as_ptr(), heads.as_ptr()), &|lane| 4 * lane);
            let corners = [rows.clone(), heads.clone()].concat();
            let [edges] = L::edges_of_simplex::<1>(far.as_ptr(), corners.as_ptr());
            check_edges(edges, &|lane| rows[lane] as usize);
        }
    }
}

#[test]
fn lanes_compute_what_single_numbers_compute() {
    for set in [InstructionSet::detect(), InstructionSet::Portable] {
        f32::dispatch(set, EveryOperation);
        f64::dispatch(set, EveryOperation);
    }
}
