//! Projections of energies in C++ (`energies.cpp`), for what the engine's batches are made of.

use std::ffi::c_int;

use pliant::energy::{Arrays, Batch};
use pliant::math::{Mat3, Vec3, solve_symmetric};

use super::{flat, to_ints};

unsafe extern "C" {
    fn pliant_bench_project(
        law: c_int,
        count: c_int,
        z: *const f64,
        common: *const f64,
        own: *const f64,
        warm: *mut f64,
        p: *mut f64,
    );
    fn pliant_bench_local_step(
        law: c_int,
        count: c_int,
        rows: c_int,
        energies: c_int,
        offsets: *const c_int,
        corners: *const c_int,
        coefficients: *const f64,
        weights: *const f64,
        vertices: c_int,
        x: *const f64,
        z: *mut f64,
        common: *const f64,
        own: *const f64,
        warm: *mut f64,
        p: *mut f64,
        force: *mut f64,
    );
}

/// Kinds of projections, as `energies.cpp` numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Law {
    Lengths = 0,
    Goals,
    HalfSpaces,
    TriangleFibres,
    TetFibres,
    TriangleStrain,
    TriangleArea,
    TriangleStrainAndArea,
    TetStrain,
    TetVolume,
    TetStrainAndVolume,
    Hinges,
    LocalExamples,
    GlobalExamples,
    Rigid,
}

/// What the projection of one element is made of.
struct Numbers {
    law: Law,
    /// Numbers of all elements.
    common: Vec<f64>,
    /// Numbers of each element, one after the other.
    own: Vec<f64>,
    /// Weights of examples, where there are any.
    warm: Vec<f64>,
}

impl Numbers {
    fn new(law: Law, common: Vec<f64>, own: Vec<f64>) -> Self {
        Self { law, common, own, warm: Vec::new() }
    }
}

/// Elements whose projections C++ computes.
#[derive(Debug, Clone)]
pub struct EigenProjection {
    law: Law,
    common: Vec<f64>,
    own: Vec<f64>,
    warm: Vec<f64>,
    count: usize,
    z: Vec<f64>,
    p: Vec<f64>,
    /// Vectors that each energy has of an element.
    rows: usize,
    energies: usize,
    offsets: Vec<c_int>,
    corners: Vec<c_int>,
    coefficients: Vec<f64>,
    /// Weights of each energy, one after the other.
    weights: Vec<f64>,
    x: Vec<f64>,
    force: Vec<f64>,
}

impl EigenProjection {
    /// For a batch, or for strain and then area or volume of the same elements, at positions; none for what has no loop in C++.
    pub fn new(batches: &[Box<dyn Batch>], x: &[Vec3]) -> Option<Self> {
        let first = batches.first()?;
        let (operator, energies) = (first.operator(), batches.len());
        let arrays: Vec<Arrays> = batches.iter().map(|batch| batch.arrays()).collect();
        let Numbers { law, common, own, warm } = numbers(first.as_ref(), &arrays)?;
        let (count, rows) = (operator.len(), operator.rows());
        assert!(batches.iter().all(|batch| batch.operator().len() == count), "energies of the same elements");
        let mut z = vec![Vec3::ZERO; count * rows];
        z.chunks_exact_mut(rows).enumerate().for_each(|(e, z)| operator.apply(e, x, z));
        let p = vec![0.0; 3 * z.len() * energies];
        Some(Self {
            law,
            common,
            own,
            warm,
            count,
            z: flat(&z),
            p,
            rows,
            energies,
            offsets: (0..count)
                .map(|e| operator.corners(e).start as c_int)
                .chain([operator.corner_vertices().len() as c_int])
                .collect(),
            corners: to_ints(operator.corner_vertices().iter().copied()),
            coefficients: (0..count).flat_map(|e| operator.coefficients(e)).copied().collect(),
            weights: batches.iter().flat_map(|batch| batch.operator().weights()).copied().collect(),
            x: flat(x),
            force: vec![0.0; 3 * x.len()],
        })
    }

    /// Projects all elements.
    pub fn project(&mut self) {
        let (z, common, own) = (self.z.as_ptr(), self.common.as_ptr(), self.own.as_ptr());
        let (warm, p) = (self.warm.as_mut_ptr(), self.p.as_mut_ptr());
        // SAFETY: `numbers` makes as many numbers for each element as its law reads; z and p have the rows of all
        // elements.
        unsafe { pliant_bench_project(self.law as c_int, self.count as c_int, z, common, own, warm, p) };
    }

    /// A x, projections, and w Aᵀ p at the vertices.
    pub fn local_step(&mut self) {
        let [count, rows, energies] = [self.count, self.rows, self.energies].map(|n| n as c_int);
        // SAFETY: as for `project`; corners are vertices of x, and there is a force for each.
        unsafe {
            pliant_bench_local_step(
                self.law as c_int,
                count,
                rows,
                energies,
                self.offsets.as_ptr(),
                self.corners.as_ptr(),
                self.coefficients.as_ptr(),
                self.weights.as_ptr(),
                (self.x.len() / 3) as c_int,
                self.x.as_ptr(),
                self.z.as_mut_ptr(),
                self.common.as_ptr(),
                self.own.as_ptr(),
                self.warm.as_mut_ptr(),
                self.p.as_mut_ptr(),
                self.force.as_mut_ptr(),
            );
        }
    }

    /// w Aᵀ p at each vertex after the last local step \[N\].
    pub fn forces(&self) -> Vec<Vec3> {
        self.force.chunks_exact(3).map(Vec3::from_slice).collect()
    }

    /// The last projections of each batch, in the layout of the engine's.
    pub fn projections(&self) -> Vec<Vec<Vec3>> {
        let of_element = 3 * self.rows * self.energies;
        let of_energy = |energy: usize| {
            let first = 3 * self.rows * energy;
            let elements = self.p.chunks_exact(of_element).map(|p| &p[first..first + 3 * self.rows]);
            elements.flat_map(|p| p.chunks_exact(3).map(Vec3::from_slice)).collect()
        };
        (0..self.energies).map(of_energy).collect()
    }
}

fn numbers(batch: &dyn Batch, arrays: &[Arrays]) -> Option<Numbers> {
    let no_bounds = [f64::NEG_INFINITY, f64::INFINITY];
    let bounds = |stretches: &[f64; 2], contents: &[f64; 2]| [*stretches, *contents].concat();
    Some(match arrays {
        [Arrays::EdgeSpring(lengths)] => Numbers::new(Law::Lengths, Vec::new(), lengths.concat()),
        [Arrays::MeanCurvature(lengths)] => {
            Numbers::new(Law::Lengths, Vec::new(), lengths.iter().flat_map(|&length| [length; 2]).collect())
        }
        [Arrays::Goals] => Numbers::new(Law::Goals, Vec::new(), flat(batch.initial_goals())),
        [Arrays::HalfSpace] => {
            let planes = batch.initial_goals().chunks_exact(2);
            let unit: Vec<Vec3> = planes.flat_map(|plane| [plane[0], plane[1].normalize()]).collect();
            Numbers::new(Law::HalfSpaces, Vec::new(), flat(&unit))
        }
        [Arrays::TriangleFibres(limits)] => Numbers::new(Law::TriangleFibres, limits.concat(), Vec::new()),
        [Arrays::TetFibres(limits)] => Numbers::new(Law::TetFibres, limits.concat(), Vec::new()),
        [Arrays::TriangleStrain(stretches)] => {
            Numbers::new(Law::TriangleStrain, bounds(stretches, &no_bounds), Vec::new())
        }
        [Arrays::TriangleArea(areas)] => Numbers::new(Law::TriangleArea, bounds(&no_bounds, areas), Vec::new()),
        [Arrays::TriangleStrain(stretches), Arrays::TriangleArea(areas)] => {
            Numbers::new(Law::TriangleStrainAndArea, bounds(stretches, areas), Vec::new())
        }
        [Arrays::TetStrain(stretches)] => Numbers::new(Law::TetStrain, bounds(stretches, &no_bounds), Vec::new()),
        [Arrays::TetVolume(volumes)] => Numbers::new(Law::TetVolume, bounds(&no_bounds, volumes), Vec::new()),
        [Arrays::TetStrain(stretches), Arrays::TetVolume(volumes)] => {
            Numbers::new(Law::TetStrainAndVolume, bounds(stretches, volumes), Vec::new())
        }
        // The loop knows coordinates in which all corners count the same.
        [Arrays::Hinge(hinges)] if hinges.iter().all(|(_, scale)| *scale == [1.0; 4]) => {
            Numbers::new(Law::Hinges, Vec::new(), hinges.iter().map(|(angle, _)| *angle).collect())
        }
        [Arrays::Examples { count, stretches, epsilon }] => {
            let of_tet = |(own, epsilon): (&[Mat3], &f64)| {
                let mut numbers: Vec<f64> = own.iter().flat_map(|e| e.to_cols_array()).collect();
                numbers.extend(inverse_gram(*count, *epsilon, |i, j| inner(own[i], own[j])));
                numbers
            };
            let own = stretches.chunks_exact(*count).zip(epsilon).flat_map(of_tet).collect();
            Numbers { warm: vec![0.0; stretches.len()], ..Numbers::new(Law::LocalExamples, vec![*count as f64], own) }
        }
        [Arrays::GlobalExamples { stretches, epsilon }] => {
            let weights = batch.operator().weights();
            let count = stretches.len() / weights.len();
            let tets = || stretches.chunks_exact(count).zip(weights);
            let gram = |i: usize, j: usize| tets().map(|(own, w)| w * inner(own[i], own[j])).sum();
            let mut common = vec![count as f64];
            common.extend(inverse_gram(count, *epsilon, gram));
            let of_tet = |(own, w): (&[Mat3], &f64)| {
                let numbers = own.iter().flat_map(|e| e.to_cols_array());
                numbers.chain([*w]).collect::<Vec<f64>>()
            };
            let own = tets().flat_map(of_tet).collect();
            Numbers { warm: vec![0.0; count], ..Numbers::new(Law::GlobalExamples, common, own) }
        }
        [Arrays::Rigid(places)] => {
            let places = places.iter().zip(batch.operator().weights());
            Numbers::new(Law::Rigid, Vec::new(), places.flat_map(|(r, w)| [r.x, r.y, r.z, *w]).collect())
        }
        _ => return None,
    })
}

fn inner(a: Mat3, b: Mat3) -> f64 {
    (0..3).map(|c| a.col(c).dot(b.col(c))).sum()
}

/// (Gram + ε I)⁻¹, row by row.
fn inverse_gram(n: usize, epsilon: f64, gram: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let matrix: Vec<f64> =
        (0..n * n).map(|k| gram(k / n, k % n) + if k / n == k % n { epsilon } else { 0.0 }).collect();
    let column = |j: usize| {
        let mut unit: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == j))).collect();
        solve_symmetric(&mut matrix.clone(), &mut unit, 1e-14);
        unit
    };
    (0..n).flat_map(column).collect()
}
