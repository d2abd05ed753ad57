//! The buffers of a matched body, and the kernels of a substep one after the other.

use pliant::Simulation;
use pliant::math::{Mat3, Vec3};

use super::world::Matched;
use crate::device::{Device, Dispatch, Program, Storage};
use crate::error::GpuError;
use crate::hair::colliders::shapes;
use crate::kernels::{Constants, Kernels, Use, vector};
use Use::{R, W};

/// Threads of a workgroup.
const THREADS: usize = 128;
/// How many times heavier than it is a pinned particle counts, as in the engine.
const PINNED: f64 = 1e6;

type Quad = [f32; 4];

/// What a matched body has on a device. The kernels say what is in which.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) state: Storage<Quad>,
    pub(super) pins: Storage<Quad>,
    pub(super) moment: Storage<Quad>,
    fixed: Storage<Quad>,
    ways: Storage<Quad>,
    reach: Storage<u32>,
    near: Storage<u32>,
    rotations: Storage<Quad>,
    /// Sums on their way from particles to regions and back.
    sums: [Storage<Quad>; 2],
    movements: Storage<Quad>,
    parts: Storage<Quad>,
    answers: Storage<Quad>,
    touched: Storage<u32>,
    contacts: Storage<Quad>,
}

/// Positions and velocities as the device has them, from a centre.
pub(super) fn rows(positions: &[Vec3], velocities: &[Vec3], matched: &Matched, centre: Vec3) -> Vec<Quad> {
    let row = |v: Vec3, w: f64| {
        let [x, y, z] = v.to_array().map(|c| c as f32);
        [x, y, z, w as f32]
    };
    let shares = matched.masses.iter().zip(&matched.regions).map(|(mass, region)| mass / region.count);
    let places = positions.iter().zip(shares).map(|(x, share)| row(*x - centre, share));
    places.chain(velocities.iter().map(|v| row(*v, 0.0))).collect()
}

impl Buffers {
    pub(super) fn new(device: &Device, sim: &Simulation, matched: &Matched, centre: Vec3) -> Result<Self, GpuError> {
        let (count, colliders, model) = (matched.masses.len(), sim.colliders().len(), sim.model());
        let spacing = matched.spacing;
        let of_region = matched.regions.iter().map(|region| {
            let [x, y, z] = region.centre.map(|steps| (steps * spacing) as f32);
            [x, y, z, region.mass.recip() as f32]
        });
        let of_particle = matched.regions.iter().zip(&matched.masses).enumerate().map(|(v, (region, mass))| {
            let size = region.squares.iter().sum::<f64>() * spacing * spacing;
            let is_free = f64::from(u8::from(model.free_index(v as u32).is_some()));
            [region.count, size.recip(), is_free, *mass].map(|value| value as f32)
        });
        let fixed: Vec<Quad> = of_region.chain(of_particle).collect();
        let near: Vec<u32> = matched.neighbours.near.iter().flatten().flatten().copied().collect();
        // Motions have more numbers than places.
        let parts = if matched.matching.damping > 0.0 { 4 } else { 3 };
        let quads = |what: &str, len: usize| device.zeros::<Quad>(what, len);
        Ok(Self {
            state: device.array("state of particles", &rows(sim.positions(), sim.velocities(), matched, centre))?,
            pins: quads("pinned particles", if model.pinned().is_empty() { 0 } else { count })?,
            moment: quads("moment", 1)?,
            fixed: device.array("regions", &fixed)?,
            ways: quads("ways of particles", count)?,
            reach: device.array("rows of the lattice", &matched.neighbours.reach)?,
            near: device.array("neighbours in the lattice", &near)?,
            rotations: device.array("rotations of regions", &vec![[0.0, 0.0, 0.0, 1.0]; count])?,
            sums: [quads("sums over cubes", parts * count)?, quads("sums over cubes", parts * count)?],
            movements: quads("movements of particles", count)?,
            parts: quads("parts of the answer", 4 * count.div_ceil(THREADS))?,
            answers: quads("answer of the body", 4)?,
            touched: device.zeros("colliders that are touched", if colliders > 0 { count } else { 0 })?,
            contacts: quads("contacts of particles", 2 * colliders * count)?,
        })
    }

    /// The kernels of a substep.
    pub(super) fn program(
        &self,
        device: &Device,
        sim: &Simulation,
        matched: &Matched,
        centre: Vec3,
    ) -> Result<Program, GpuError> {
        let kernels = Kernels::new(device, head(sim, matched, centre));
        let groups = matched.masses.len().div_ceil(THREADS);
        let Self { state, pins, moment, fixed, ways, reach, near, rotations, .. } = self;
        let Self { sums: [here, there], movements, parts, answers, touched, contacts, .. } = self;
        let one = |source: &str, entry: &str, uses: &[Use<'_>]| kernels.dispatch((source, entry), uses, groups);
        let spread = include_str!("spread.wgsl");
        let fitting = [
            one(include_str!("bars.wgsl"), "sum_bars", &[R(state), R(ways), R(reach), W(here)])?,
            one(include_str!("plates.wgsl"), "sum_plates", &[R(here), R(near), W(there)])?,
            one(include_str!("fit.wgsl"), "fit", &[R(there), R(near), R(fixed), W(rotations), W(here)])?,
            one(spread, "spread_cubes", &[R(here), R(near), W(there)])?,
            one(spread, "spread_plates", &[R(there), R(near), W(here)])?,
            one(
                include_str!("pull.wgsl"),
                "pull",
                &[R(here), R(reach), R(state), R(fixed), R(ways), W(movements), W(parts)],
            )?,
        ];
        let answer = [R(parts), R(state), R(ways), W(answers)];
        let answer = kernels.dispatch((include_str!("answer.wgsl"), "answer"), &answer, 1)?;
        let go = concat!(include_str!("../fluid/contact.wgsl"), "\n", include_str!("go.wgsl"));
        let uses = [W(contacts), R(state), R(fixed), R(movements), R(answers), W(ways), W(touched)];
        let go = one(go, "go", &uses)?;
        let at_stage = |dispatch: &Dispatch, stage: u32| dispatch.with_parameters([stage, 0, 0, 0]);
        let begin = [R(moment), R(state), R(fixed), R(pins), W(ways), W(touched)];
        let mut all = vec![one(include_str!("begin.wgsl"), "begin", &begin)?];
        let h = sim.time_step() / sim.substeps() as f64;
        if matched.matching.damping > 0.0 {
            all.extend(self.damping(&kernels, groups)?);
        }
        if matched.matching.spring.share(h) > 0.0 {
            all.extend(fitting.iter().chain([&go]).map(|dispatch| at_stage(dispatch, 0)));
        }
        for _ in 0..matched.solver.iterations {
            if matched.matching.limit.is_some() {
                all.extend(fitting.iter().chain([&answer]).map(|dispatch| at_stage(dispatch, 1)));
            }
            all.push(at_stage(&go, 1));
        }
        let finish = concat!(include_str!("../fluid/contact.wgsl"), "\n", include_str!("finish.wgsl"));
        all.push(one(finish, "finish", &[W(contacts), R(fixed), R(ways), R(touched), W(state)])?);
        device.program(all)
    }
}

impl Buffers {
    /// Damps the ways of particles towards those of their regions.
    fn damping(&self, kernels: &Kernels<'_>, groups: usize) -> Result<Vec<Dispatch>, GpuError> {
        let Self { state, ways, reach, near, fixed, sums: [here, there], movements, .. } = self;
        let turns = [
            ("damp_bars", there, here),
            ("damp_plates", here, there),
            ("damp_cubes", there, here),
            ("spread_turns_along_z", here, there),
            ("spread_turns_along_y", there, here),
            ("damp", here, movements),
        ];
        let mut all = Vec::new();
        for (entry, given, taken) in turns {
            let uses = [R(state), R(ways), R(reach), R(near), R(fixed), R(given), W(taken)];
            all.push(kernels.dispatch((include_str!("damp.wgsl"), entry), &uses, groups)?);
        }
        // What is damped is kept apart from what it is worked out from.
        let keep = [R(movements), W(ways)];
        all.push(kernels.dispatch((include_str!("keep.wgsl"), "keep"), &keep, groups)?);
        Ok(all)
    }
}

/// What all kernels begin with.
fn head(sim: &Simulation, matched: &Matched, centre: Vec3) -> String {
    let (h, matching) = (sim.time_step() / sim.substeps() as f64, &matched.matching);
    let (width, model) = (matched.neighbours.width, sim.model());
    let half_width = 3.0_f64.sqrt() * width as f64 * matched.spacing;
    let mut all = Constants::default();
    all.whole("COUNT", matched.masses.len());
    all.whole("PARTS", matched.masses.len().div_ceil(THREADS));
    all.whole("WIDTH", width);
    all.whole("COLLIDERS", sim.colliders().len());
    // Where a particle counts as many times heavier than it is, sums lose least seen from there.
    all.whole("ORIGIN", model.pinned().first().map_or(0, |&v| v as usize));
    all.truth("HAS_PINS", !model.pinned().is_empty());
    all.truth("HAS_LIMIT", matching.limit.is_some());
    all.number("SPACING", matched.spacing);
    all.number("STEP", h);
    all.number("DRAG", (-sim.damping().drag * h).exp());
    all.vector("FALL", sim.gravity() * (h * h));
    all.number("SHARE", matching.spring.share(h));
    all.number("FREE", matching.limit.map_or(0.0, |gamma| gamma * half_width));
    all.number("RELAXATION", matching.relaxation);
    all.number("PINNED", PINNED);
    all.number("DAMPED", -(-matching.damping * h).exp_m1());
    [&all.into_text(), include_str!("common.wgsl"), &colliders(sim, centre)].join("\n")
}

/// How far a place is from a collider, with the normal there.
fn colliders(sim: &Simulation, centre: Vec3) -> String {
    let mut poses = String::new();
    for (number, collider) in sim.colliders().iter().enumerate() {
        let pose = collider.pose(0.0);
        let matrix = Mat3::from_quat(pose.rotation);
        let turned = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(vector).join(", ");
        poses += &format!(
            "case {number}u: {{\n\
             let turned = mat3x3<f32>({turned});\n\
             let near = near_shape(c, (place + (origin - {})) * turned);\n\
             return vec4<f32>(turned * near.xyz, near.w);\n}}\n",
            vector(pose.position - centre)
        );
    }
    format!(
        "{}\n\
         fn near_collider(c: u32, origin: vec3<f32>, place: vec3<f32>) -> vec4<f32> {{\n\
         switch c {{\n{poses}default: {{ return vec4<f32>(0.0, 1.0, 0.0, 1e30); }}\n}}\n}}\n",
        shapes(sim.colliders())
    )
}
