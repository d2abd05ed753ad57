//! What others would use: the papers' algorithms over Eigen, CHOLMOD's solves, a sweep of position-based dynamics, shape matching; in C++ under
//! `src/reference/`, compiled with the flags in [`COMPILER`].
// The C++ side keeps no pointer beyond a call except to a factor, which the borrow in `Body` keeps alive.
#![allow(unsafe_code)]

mod matching;
mod pbd;

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;

use pliant::math::Vec3;

use crate::BenchError;
use crate::problem::{Elements, GRAVITY, ITERATIONS, Problem, System, TIME_STEP};

pub use matching::EigenMatching;
pub use pbd::{LoopNumber, PbdBody, PbdConstraints};

/// The compiler and its flags.
pub const COMPILER: &str = env!("PLIANT_BENCH_CXX");

unsafe extern "C" {
    fn pliant_bench_eigen_factor(
        size: c_int,
        column_starts: *const c_int,
        rows: *const c_int,
        values: *const f64,
        seconds: *mut f64,
    ) -> *mut c_void;
    fn pliant_bench_eigen_solve(factor: *const c_void, size: c_int, rhs: *const f64, x: *mut f64);
    fn pliant_bench_eigen_bytes(factor: *const c_void) -> u64;
    fn pliant_bench_eigen_free(factor: *mut c_void);
    fn pliant_bench_cholmod_factor(
        size: c_int,
        column_starts: *const c_int,
        rows: *const c_int,
        values: *const f64,
        supernodal: c_int,
        seconds: *mut f64,
    ) -> *mut c_void;
    fn pliant_bench_cholmod_solve(factor: *mut c_void, size: c_int, rhs: *const f64, x: *mut f64);
    fn pliant_bench_cholmod_bytes(factor: *const c_void) -> u64;
    fn pliant_bench_cholmod_free(factor: *mut c_void);
    fn pliant_bench_spring_body(
        factor: *const c_void,
        vertices: c_int,
        free: c_int,
        free_index: *const c_int,
        masses: *const f64,
        pull_of_pins: *const f64,
        positions: *const f64,
        step: f64,
        gravity: f64,
        iterations: c_int,
        springs: c_int,
        ends: *const c_int,
        rest_lengths: *const f64,
        stiffness: f64,
    ) -> *mut c_void;
    fn pliant_bench_tet_body(
        factor: *const c_void,
        vertices: c_int,
        free: c_int,
        free_index: *const c_int,
        masses: *const f64,
        pull_of_pins: *const f64,
        positions: *const f64,
        step: f64,
        gravity: f64,
        iterations: c_int,
        tets: c_int,
        corners: *const c_int,
        gradients: *const f64,
        weights: *const f64,
        volume_weights: *const f64,
        decompositions: c_int,
    ) -> *mut c_void;
    fn pliant_bench_frame(body: *mut c_void);
    fn pliant_bench_positions(body: *const c_void, positions: *mut f64);
    fn pliant_bench_body_free(body: *mut c_void);
}

/// What factors and solves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// Eigen's SimplicialLLT with AMD.
    Eigen,
    /// CHOLMOD, row by row.
    CholmodSimplicial,
    /// CHOLMOD, by dense blocks through BLAS.
    CholmodSupernodal,
}

impl Library {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Eigen, Self::CholmodSimplicial, Self::CholmodSupernodal];

    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eigen => "Eigen",
            Self::CholmodSimplicial => "CHOLMOD simplicial",
            Self::CholmodSupernodal => "CHOLMOD supernodal",
        }
    }
}

/// What a setup consists of, in the order of the times that come with a factor.
pub const SETUP_PHASES: [&str; 2] = ["order and analyse", "factor"];

/// A factored matrix.
#[derive(Debug)]
pub struct Factor {
    library: Library,
    handle: *mut c_void,
    size: usize,
}

impl Factor {
    /// Orders, analyses and factors; also the seconds that each of [`SETUP_PHASES`] took.
    pub fn new(system: &System, library: Library) -> Result<(Self, Vec<f64>), BenchError> {
        let pattern = system.matrix.pattern();
        let size = pattern.size();
        let starts = to_ints(pattern.column_starts().iter().copied());
        let rows = to_ints(pattern.rows().iter().copied());
        let values = system.matrix.values();
        let mut seconds = vec![0.0; SETUP_PHASES.len()];
        let (n, out) = (size as c_int, seconds.as_mut_ptr());
        // SAFETY: the arrays are a compressed upper triangle of n columns, and `out` has room for two times.
        let handle = unsafe {
            match library {
                Library::Eigen => pliant_bench_eigen_factor(n, starts.as_ptr(), rows.as_ptr(), values.as_ptr(), out),
                _ => {
                    let supernodal = c_int::from(library == Library::CholmodSupernodal);
                    pliant_bench_cholmod_factor(n, starts.as_ptr(), rows.as_ptr(), values.as_ptr(), supernodal, out)
                }
            }
        };
        if handle.is_null() {
            return Err(BenchError::Reference { method: library.name(), size });
        }
        Ok((Self { library, handle, size }, seconds))
    }

    /// Solves for the three columns of `rhs`, x after y after z.
    pub fn solve(&mut self, rhs: &[f64], x: &mut [f64]) {
        assert_eq!((rhs.len(), x.len()), (3 * self.size, 3 * self.size), "three columns");
        let n = self.size as c_int;
        // SAFETY: both slices hold three columns of n numbers.
        unsafe {
            match self.library {
                Library::Eigen => pliant_bench_eigen_solve(self.handle, n, rhs.as_ptr(), x.as_mut_ptr()),
                _ => pliant_bench_cholmod_solve(self.handle, n, rhs.as_ptr(), x.as_mut_ptr()),
            }
        }
    }

    /// Solves and leaves the result with the library where it owns the memory: what is timed.
    pub fn solve_only(&mut self, rhs: &[f64], x: &mut [f64]) {
        if self.library == Library::Eigen {
            return self.solve(rhs, x);
        }
        assert_eq!(rhs.len(), 3 * self.size, "three columns");
        // SAFETY: the slice holds three columns; without a place to copy to, nothing is copied.
        unsafe { pliant_bench_cholmod_solve(self.handle, self.size as c_int, rhs.as_ptr(), std::ptr::null_mut()) };
    }

    /// Memory that a sweep of the solve reads: numbers and their indices.
    pub fn bytes(&self) -> u64 {
        // SAFETY: the handle is that of the library.
        unsafe {
            match self.library {
                Library::Eigen => pliant_bench_eigen_bytes(self.handle),
                _ => pliant_bench_cholmod_bytes(self.handle),
            }
        }
    }
}

impl Drop for Factor {
    fn drop(&mut self) {
        // SAFETY: the handle came from the same library and is freed once.
        unsafe {
            match self.library {
                Library::Eigen => pliant_bench_eigen_free(self.handle),
                _ => pliant_bench_cholmod_free(self.handle),
            }
        }
    }
}

/// Singular value decompositions of a tet that resists strain and changes of volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decompositions {
    /// One that both share.
    Shared = 1,
    /// One for each, as an implementation by energies has them.
    ForEach = 2,
}

/// A body simulated by the papers' algorithm, with Eigen's factor.
#[derive(Debug)]
pub struct Body<'a> {
    handle: *mut c_void,
    vertices: usize,
    factor: PhantomData<&'a Factor>,
}

impl<'a> Body<'a> {
    /// A body at rest.
    pub fn new(problem: &Problem, system: &System, factor: &'a Factor, decompositions: Decompositions) -> Self {
        assert_eq!(factor.library, Library::Eigen, "bodies solve by Eigen");
        let free_index: Vec<c_int> = system.free_index.iter().map(|k| k.map_or(-1, |k| k as c_int)).collect();
        let pull = flat(&problem.pull_of_pins(system));
        let positions = flat(&problem.rest);
        let (vertices, free) = (problem.rest.len() as c_int, system.free.len() as c_int);
        let (index, masses) = (free_index.as_ptr(), problem.masses.as_ptr());
        let (pull, x) = (pull.as_ptr(), positions.as_ptr());
        let iterations = ITERATIONS as c_int;
        let factor = factor.handle;
        // SAFETY: every array has the length that its count states; the other side copies all but the factor.
        let handle = unsafe {
            match &problem.elements {
                Elements::Springs { edges, rest_lengths, stiffness, .. } => {
                    let ends = to_ints(edges.iter().flatten().copied());
                    pliant_bench_spring_body(
                        factor,
                        vertices,
                        free,
                        index,
                        masses,
                        pull,
                        x,
                        TIME_STEP,
                        GRAVITY,
                        iterations,
                        edges.len() as c_int,
                        ends.as_ptr(),
                        rest_lengths.as_ptr(),
                        *stiffness,
                    )
                }
                Elements::Tets { tets, gradients, weights, volume_weights, .. } => {
                    let corners = to_ints(tets.iter().flatten().copied());
                    let gradients: Vec<f64> = gradients.iter().flatten().flat_map(|g| g.to_array()).collect();
                    pliant_bench_tet_body(
                        factor,
                        vertices,
                        free,
                        index,
                        masses,
                        pull,
                        x,
                        TIME_STEP,
                        GRAVITY,
                        iterations,
                        tets.len() as c_int,
                        corners.as_ptr(),
                        gradients.as_ptr(),
                        weights.as_ptr(),
                        volume_weights.as_ptr(),
                        decompositions as c_int,
                    )
                }
            }
        };
        Self { handle, vertices: problem.rest.len(), factor: PhantomData }
    }

    /// One frame.
    pub fn frame(&mut self) {
        // SAFETY: the body is alive, and its factor by the lifetime.
        unsafe { pliant_bench_frame(self.handle) };
    }

    /// Where its vertices are \[m\].
    pub fn positions(&self) -> Vec<Vec3> {
        let mut out = vec![0.0; 3 * self.vertices];
        // SAFETY: there is room for three coordinates of each vertex.
        unsafe { pliant_bench_positions(self.handle, out.as_mut_ptr()) };
        out.chunks_exact(3).map(Vec3::from_slice).collect()
    }
}

impl Drop for Body<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from the other side and is freed once.
        unsafe { pliant_bench_body_free(self.handle) };
    }
}

fn to_ints(values: impl Iterator<Item = u32>) -> Vec<c_int> {
    values.map(|v| v as c_int).collect()
}

fn flat(points: &[Vec3]) -> Vec<f64> {
    points.iter().flat_map(|p| p.to_array()).collect()
}

/// Coordinates as three columns, x after y after z.
pub fn to_columns(points: &[Vec3]) -> Vec<f64> {
    (0..3).flat_map(|axis| points.iter().map(move |p| p[axis])).collect()
}

/// Points from three columns.
pub fn from_columns(columns: &[f64]) -> Vec<Vec3> {
    let n = columns.len() / 3;
    (0..n).map(|k| Vec3::new(columns[k], columns[n + k], columns[2 * n + k])).collect()
}

/// The library that does CHOLMOD's dense algebra, by the file that is loaded; none where the system does not tell.
pub fn blas() -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let file = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).find(|file| {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.contains("blas")
    })?;
    let mut parts = file.rsplit('/');
    let name = parts.next()?;
    Some(parts.next().map_or_else(|| name.to_owned(), |folder| format!("{folder}/{name}")))
}
