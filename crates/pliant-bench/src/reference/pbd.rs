//! The loops of position-based dynamics in C++ (`pbd.cpp`), over the constraints of a [`LoopBody`].

use std::ffi::c_int;
use std::fmt::Debug;

use pliant::math::Vec3;

use super::{flat, to_ints};
use crate::loops::{LoopBody, LoopKind, LoopRule};

unsafe extern "C" {
    fn pliant_bench_pbd_f32(
        kind: c_int,
        count: c_int,
        vertices: *const c_int,
        rest: *const f32,
        number: f32,
        multipliers: *mut f32,
        inverse_masses: *const f32,
        positions: *mut f32,
    );
    fn pliant_bench_pbd_f64(
        kind: c_int,
        count: c_int,
        vertices: *const c_int,
        rest: *const f64,
        number: f64,
        multipliers: *mut f64,
        inverse_masses: *const f64,
        positions: *mut f64,
    );
}

/// A number that loops of position-based dynamics are compiled for.
pub trait LoopNumber: Copy + Default + Debug {
    /// What it is called.
    const NAME: &'static str;

    /// Nearest to a number.
    fn from_f64(value: f64) -> Self;

    /// The number.
    fn to_f64(self) -> f64;

    /// One sweep.
    ///
    /// # Safety
    /// Vertices are those of positions and inverse masses, as many for each element as its kind has, and there are as many rest numbers
    /// as it has; multipliers are none, or one for each.
    unsafe fn sweep(constraints: &mut PbdConstraints<Self>, inverse_masses: &[Self], positions: &mut [Self]);
}

macro_rules! loop_number {
    ($number:ty, $name:literal, $sweep:ident) => {
        impl LoopNumber for $number {
            const NAME: &'static str = $name;

            fn from_f64(value: f64) -> Self {
                value as Self
            }

            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            unsafe fn sweep(constraints: &mut PbdConstraints<Self>, inverse_masses: &[Self], positions: &mut [Self]) {
                let count = constraints.vertices.len() / constraints.kind.corners();
                let multipliers = constraints.multipliers.as_mut();
                // SAFETY: by the conditions of this method.
                unsafe {
                    $sweep(
                        constraints.kind as c_int,
                        count as c_int,
                        constraints.vertices.as_ptr(),
                        constraints.rest.as_ptr(),
                        constraints.number,
                        multipliers.map_or(std::ptr::null_mut(), |multipliers| multipliers.as_mut_ptr()),
                        inverse_masses.as_ptr(),
                        positions.as_mut_ptr(),
                    );
                }
            }
        }
    };
}

loop_number!(f32, "f32", pliant_bench_pbd_f32);
loop_number!(f64, "f64", pliant_bench_pbd_f64);

/// Constraints of one kind, in the order in which they are visited.
#[derive(Debug, Clone)]
pub struct PbdConstraints<R> {
    kind: LoopKind,
    vertices: Vec<c_int>,
    rest: Vec<R>,
    /// Share of the way, or compliance over the squared step where there are multipliers.
    number: R,
    multipliers: Option<Vec<R>>,
}

/// A body of constraints as position-based dynamics in C++ sweeps over them.
#[derive(Debug, Clone)]
pub struct PbdBody<R> {
    constraints: Vec<PbdConstraints<R>>,
    inverse_masses: Vec<R>,
    start: Vec<R>,
    positions: Vec<R>,
}

impl<R: LoopNumber> PbdBody<R> {
    /// Constraints of a body, with these rules.
    pub fn new(body: &LoopBody, rule: LoopRule) -> Self {
        let convert = |numbers: &[f64]| numbers.iter().map(|&number| R::from_f64(number)).collect::<Vec<R>>();
        let constraints = body.loops.iter().map(|own| {
            let (number, multipliers) = match rule {
                LoopRule::Classic => (1.0, None),
                LoopRule::Compliant => (own.kind.softness(), Some(vec![R::default(); own.len()])),
            };
            let is_vertex = |&v: &u32| (v as usize) < body.start.len();
            assert!(own.vertices.iter().all(is_vertex) && own.rest.len() >= own.len() * own.kind.numbers());
            let vertices = to_ints(own.vertices.iter().copied());
            PbdConstraints {
                kind: own.kind,
                vertices,
                rest: convert(&own.rest),
                number: R::from_f64(number),
                multipliers,
            }
        });
        let start = convert(&flat(&body.start));
        let inverse_masses = convert(&body.inverse_masses());
        assert_eq!(inverse_masses.len(), body.start.len(), "an inverse mass for each vertex");
        Self { constraints: constraints.collect(), inverse_masses, positions: start.clone(), start }
    }

    /// Goes back to the start.
    pub fn reset(&mut self) {
        self.positions.copy_from_slice(&self.start);
        self.constraints.iter_mut().filter_map(|own| own.multipliers.as_mut()).for_each(|all| all.fill(R::default()));
    }

    /// One sweep over all constraints.
    pub fn iterate(&mut self) {
        for own in &mut self.constraints {
            // SAFETY: `new` has checked vertices and rest numbers, and made a multiplier for each element or none.
            unsafe { R::sweep(own, &self.inverse_masses, &mut self.positions) };
        }
    }

    /// Where its vertices are \[m\].
    pub fn positions(&self) -> Vec<Vec3> {
        self.positions.chunks_exact(3).map(|p| Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())).collect()
    }
}
