//! Forces from outside on a world that stays on the device: forces on vertices, pressure and wind.

use pliant::Simulation;
use pliant::math::Vec3;
use pliant::solve::Objective;

use super::{GpuWorldError, THREADS};
use crate::device::{Access, Bound, Device, Program, Storage};
use crate::error::GpuError;
use crate::local::{LocalStep, POINTS, SLICE, indexed, sliced};

/// What acts on a world from outside, as it was when the world came to the device.
#[derive(Debug)]
pub(super) struct Outside {
    forces: Vec<Vec3>,
    /// Velocity of the air \[m/s\], and ½ρC \[kg/m³\].
    wind: Option<(Vec3, f64)>,
}

/// Times of a substep: its length, that of its stage \[s\], and what drag leaves of velocities.
pub(super) struct Times {
    pub(super) h: f64,
    pub(super) tau: f64,
    pub(super) kept: f64,
}

/// What programs of a substep share with forces from outside.
pub(super) struct Moving<'a> {
    pub(super) velocities: &'a Storage<[f32; 4]>,
    pub(super) earlier: &'a Storage<[f32; 4]>,
    /// Where Newton's method finds a guess.
    pub(super) guess: Option<&'a Storage<[f32; 4]>>,
}

/// Programs before velocities and positions are predicted, after that, and after a substep.
pub(super) struct Programs {
    pub(super) before: Program,
    pub(super) after: Program,
    pub(super) end: Program,
}

impl Outside {
    /// What acts on a simulation, if there is anything; an error names what has no kernel.
    pub(super) fn of(sim: &Simulation) -> Result<Option<Self>, GpuWorldError> {
        let refuse = |feature: &str| Err(GpuWorldError::Feature { feature: feature.to_owned() });
        let bodies = sim.model().bodies();
        let wind = sim.wind();
        if let Some(wind) = &wind {
            if wind.turbulence.strength > 0.0 && wind.velocity != Vec3::ZERO {
                return refuse("turbulence of the wind");
            }
            if bodies.iter().any(|body| body.strand_width > 0.0 && !body.segments.is_empty()) {
                return refuse("wind on strands");
            }
        }
        let has_forces = sim.forces().iter().any(|force| *force != Vec3::ZERO);
        let has_pressure = bodies.iter().any(|body| body.pressure != 0.0);
        let own = Self {
            forces: sim.forces().to_vec(),
            wind: wind.map(|wind| (wind.velocity, 0.5 * wind.air_density * wind.drag)),
        };
        Ok((has_forces || has_pressure || own.wind.is_some()).then_some(own))
    }

    /// Programs of a substep.
    pub(super) fn programs(
        &self,
        device: &Device,
        objective: &Objective<'_>,
        local: &LocalStep,
        times: &Times,
        moving: &Moving<'_>,
    ) -> Result<Programs, GpuError> {
        use Access::{Read, Write};
        let (model, places) = (objective.model, &local.places);
        let (free, mass) = (places.free, model.mass().diagonal());
        let (wind, drag) = self.wind.unwrap_or_default();
        let quad = |v: Vec3, last: f64| [v.x as f32, v.y as f32, v.z as f32, last as f32];
        let mut constants = vec![quad(wind, drag), [times.h, times.kept, times.tau * times.tau, 0.0].map(|t| t as f32)];
        constants.extend(places.vertices[..free].iter().map(|&v| {
            let (v, inverse) = (v as usize, 1.0 / mass[v as usize]);
            quad(self.forces.get(v).copied().unwrap_or_default() * inverse, inverse)
        }));
        let constants = device.array("forces from outside", &constants)?;
        let (slices, triangles) = sliced(places, &self.triangles(objective, local), |place| {
            let own = indexed(place.min(places.free - 1) as u32);
            [own, own, 0.0, 0.0]
        });
        let (slices, triangles) = (device.array("slices", &slices)?, device.array("triangles", &triangles)?);
        let outside: Storage<[[f32; 4]; 3]> = device.zeros("accelerations from outside", free)?;
        let program = |source: &str, entry: &str, access: &[Access], buffers: &[&dyn Bound], mark: u32, threads| {
            let kernel = device.kernel(source, entry, access)?;
            let parameters = [free as u32, mark, 0, 0];
            device.program(vec![device.dispatch(&kernel, buffers, parameters, free.div_ceil(threads))])
        };
        let source = [POINTS, include_str!("outside.wgsl")].concat();
        let buffers: [&dyn Bound; 7] =
            [&local.anchors, &local.offsets, &constants, moving.velocities, &slices, &triangles, &outside];
        let access = [Read, Read, Read, Read, Read, Read, Write];
        let before = program(&source, "act_from_outside", &access, &buffers, 0, SLICE)?;
        let nothing = device.zeros("no guess", 1)?;
        let buffers: [&dyn Bound; 5] =
            [&constants, &outside, &local.targets, &local.offsets, moving.guess.unwrap_or(&nothing)];
        let access = [Read, Read, Write, Write, Write];
        let has_guess = moving.guess.is_some().into();
        let after = program(include_str!("push.wgsl"), "push", &access, &buffers, has_guess, THREADS)?;
        let buffers: [&dyn Bound; 4] = [&constants, moving.velocities, moving.earlier, &outside];
        let access = [Read, Read, Read, Write];
        let end = program(include_str!("note_others.wgsl"), "note_others", &access, &buffers, 0, THREADS)?;
        Ok(Programs { before, after, end })
    }

    /// The triangles around each free vertex: the other corners, and the overpressure behind it.
    fn triangles(&self, objective: &Objective<'_>, local: &LocalStep) -> Vec<Vec<[f32; 4]>> {
        let places = &local.places;
        let mut lists = vec![Vec::new(); places.free];
        let felt = objective.model.bodies().iter().filter(|body| self.wind.is_some() || body.pressure != 0.0);
        for (body, triangle) in felt.flat_map(|body| body.surface.iter().map(move |triangle| (body, triangle))) {
            let corners = triangle.map(|v| places.of(v));
            for k in 0..3 {
                if let Some(list) = lists.get_mut(corners[k] as usize) {
                    let others = [corners[(k + 1) % 3], corners[(k + 2) % 3]].map(indexed);
                    list.push([others[0], others[1], body.pressure as f32, 0.0]);
                }
            }
        }
        lists
    }
}
