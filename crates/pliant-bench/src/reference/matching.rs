//! Shape matching over Eigen (`matching.cpp`).

use std::ffi::{c_int, c_void};

use pliant::math::Vec3;

use super::{flat, to_ints};
use crate::matching::{ITERATIONS, LIMIT, MatchedBody, SHARE, STEP};

unsafe extern "C" {
    fn pliant_bench_matching_new(
        particles: c_int,
        rest: *const f64,
        masses: *const f64,
        regions: c_int,
        starts: *const c_int,
        members: *const c_int,
        step: f64,
        alpha: f64,
        gamma: f64,
        relaxation: f64,
        iterations: c_int,
        positions: *const f64,
    ) -> *mut c_void;
    fn pliant_bench_matching_frame(body: *mut c_void, positions: *mut f64);
    fn pliant_bench_matching_free(body: *mut c_void);
}

/// A body that is matched in C++.
#[derive(Debug)]
pub struct EigenMatching {
    body: *mut c_void,
    positions: Vec<f64>,
}

impl EigenMatching {
    /// The same body as ours.
    pub fn new(body: &MatchedBody) -> Self {
        let lists = body.regions.lists();
        let starts: Vec<c_int> = lists.offsets().iter().map(|&at| at as c_int).collect();
        let members = to_ints(lists.items().iter().copied());
        let (rest, positions) = (flat(&body.rest), flat(&body.start));
        let masses = vec![body.mass; body.rest.len()];
        let is_particle = |&v: &u32| (v as usize) < body.rest.len();
        assert!(body.start.len() == body.rest.len() && lists.items().iter().all(is_particle));
        // SAFETY: counts are those of the arrays, and members are particles, as checked above; the other side copies
        // all.
        let handle = unsafe {
            pliant_bench_matching_new(
                body.rest.len() as c_int,
                rest.as_ptr(),
                masses.as_ptr(),
                lists.len() as c_int,
                starts.as_ptr(),
                members.as_ptr(),
                STEP,
                SHARE,
                LIMIT,
                1.0,
                ITERATIONS as c_int,
                positions.as_ptr(),
            )
        };
        Self { body: handle, positions }
    }

    /// One frame.
    pub fn frame(&mut self) {
        // SAFETY: the body is ours, and has as many positions.
        unsafe { pliant_bench_matching_frame(self.body, self.positions.as_mut_ptr()) };
    }

    /// Where its particles are \[m\].
    pub fn positions(&self) -> Vec<Vec3> {
        self.positions.chunks_exact(3).map(Vec3::from_slice).collect()
    }
}

impl Drop for EigenMatching {
    fn drop(&mut self) {
        // SAFETY: nothing has freed it before.
        unsafe { pliant_bench_matching_free(self.body) };
    }
}
