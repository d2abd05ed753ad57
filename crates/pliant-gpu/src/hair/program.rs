//! The buffers of hair, and the kernels of a substep one after the other.

use pliant::Simulation;
use pliant::solve::FollowLeaderParams;

use super::colliders::{POSE, shapes};
use super::layout::{Chain, LANES, Layout};
use crate::device::{Device, Dispatch, Program, Storage};
use crate::error::GpuError;
use crate::kernels::{Constants, Kernels, Use};
use Use::{R, W};

/// Threads of a workgroup where each thread has a vertex.
const THREADS: usize = 128;
/// Rounds around colliders, the share of the world's diagonal that settles them, and the most corners of the grid, as in the engine.
const ROUNDS: usize = 4;
const SETTLED: f64 = 1e-5;
const MOST_CORNERS: usize = 2_000_000;
/// Words of what is found out in a step.
const SURVEY: usize = 12;

type Quad = [f32; 4];

/// What hair has on a device. The kernels say what is in which.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) state: Storage<Quad>,
    pub(super) chains: Storage<Chain>,
    pub(super) moment: Storage<Quad>,
    fixed: Storage<Quad>,
    places: Storage<Quad>,
    corrections: Storage<Quad>,
    survey: Storage<u32>,
    touched: Storage<u32>,
    touches: Storage<Quad>,
    counts: Storage<u32>,
    corners: Storage<Quad>,
}

impl Buffers {
    pub(super) fn new(
        device: &Device,
        sim: &Simulation,
        params: &FollowLeaderParams,
        layout: &Layout,
    ) -> Result<Self, GpuError> {
        let (count, colliders) = (layout.count, sim.colliders().len());
        // What is only there among colliders: see the kernels.
        let among = |parts: usize| if colliders > 0 { parts * count } else { 0 };
        let corners = if params.grid.is_some() { MOST_CORNERS } else { 0 };
        Ok(Self {
            state: device.array("state of hair", &layout.state(sim.positions(), sim.velocities()))?,
            chains: device.array("strands", &layout.chains)?,
            moment: device.zeros("moment", poses_at(sim) + POSE * colliders)?,
            fixed: device.array("hair at rest", &layout.fixed)?,
            places: device.zeros("places of hair", count + among(2))?,
            corrections: device.zeros("corrections", count + among(1))?,
            survey: device.zeros("survey of hair", SURVEY)?,
            touched: device.zeros("colliders that are touched", among(1))?,
            touches: device.zeros("contacts of hair", 2 * colliders * count)?,
            counts: device.zeros("vertices in cells", corners)?,
            corners: device.zeros("corners of the grid", corners)?,
        })
    }

    /// The kernels of a substep.
    pub(super) fn program(
        &self,
        device: &Device,
        sim: &Simulation,
        params: &FollowLeaderParams,
        layout: &Layout,
    ) -> Result<Program, GpuError> {
        let kernels = Kernels::new(device, head(sim, params, layout));
        let (by_chain, by_slot) = (layout.chains.len().div_ceil(LANES), layout.count.div_ceil(THREADS));
        let Self { state, chains, moment, fixed, places, corrections, survey, touched, touches, counts, corners } =
            self;
        let comb = [R(chains), R(moment), R(fixed), R(state), W(places), W(corrections), W(survey)];
        let mut all = vec![kernels.dispatch((include_str!("comb.wgsl"), "comb"), &comb, by_chain)?];
        if !sim.colliders().is_empty() {
            let touch = [R(moment), R(fixed), R(state), W(places), W(touched), W(touches), R(survey)];
            let touch = kernels.dispatch((include_str!("touch.wgsl"), "touch"), &touch, by_slot)?;
            let push = [R(chains), R(fixed), R(touched), R(touches), W(places), W(corrections), W(survey)];
            let push = kernels.dispatch((include_str!("push.wgsl"), "push"), &push, by_chain)?;
            for round in 0..ROUNDS as u32 {
                all.extend([&touch, &push].map(|dispatch| Dispatch::with_parameters(dispatch, [round, 0, 0, 0])));
            }
        }
        let finish = [R(fixed), R(places), R(corrections), R(touched), R(touches), W(state), W(survey)];
        all.push(kernels.dispatch((include_str!("finish.wgsl"), "finish"), &finish, by_slot)?);
        if params.grid.is_some() {
            let count = [R(state), W(survey), W(counts), W(corners)];
            let give = [R(state), R(survey), W(counts), W(corners)];
            let take = [R(fixed), R(survey), R(corners), W(state)];
            let sources = [
                concat!(include_str!("grid.wgsl"), include_str!("count.wgsl")),
                concat!(include_str!("grid.wgsl"), include_str!("give.wgsl")),
                concat!(include_str!("grid.wgsl"), include_str!("take.wgsl")),
            ];
            for (source, (entry, uses)) in
                sources.into_iter().zip([("count", &count[..]), ("give", &give), ("take", &take)])
            {
                all.push(kernels.dispatch((source, entry), uses, by_slot)?);
            }
        }
        device.program(all)
    }
}

/// Where poses of colliders begin, after the share of the step and two vectors for each body.
pub(super) fn poses_at(sim: &Simulation) -> usize {
    1 + 2 * sim.model().bodies().len()
}

/// What all kernels begin with.
fn head(sim: &Simulation, params: &FollowLeaderParams, layout: &Layout) -> String {
    let h = sim.time_step() / sim.substeps() as f64;
    let mut all = Constants::default();
    all.whole("COUNT", layout.count);
    all.whole("CHAINS", layout.chains.len());
    all.whole("COLLIDERS", sim.colliders().len());
    all.whole("POSES", poses_at(sim));
    all.number("STEP", h);
    all.number("DRAG", (-sim.damping().drag * h).exp());
    all.vector("FALL", sim.gravity() * (h * h));
    all.number("CORRECTION", params.correction);
    all.number("SETTLED", SETTLED * sim.model().diagonal());
    let style = params.style;
    let iterations = style.map_or(0, |style| if style.local > 0.0 { style.iterations } else { 0 });
    all.truth("IS_STYLED", style.is_some());
    all.whole("ITERATIONS", iterations);
    all.number("LOCAL", style.map_or(0.0, |style| style.local));
    all.number("GLOBAL", style.map_or(0.0, |style| style.global));
    all.truth("HAS_GRID", params.grid.is_some());
    all.whole("MOST_CORNERS", MOST_CORNERS);
    all.number("SIDE", params.grid.map_or(1.0, |grid| grid.cell));
    // What is drawn over a time h at a constant rate.
    all.number("SHARE", params.grid.map_or(0.0, |grid| -(-grid.friction * h).exp_m1()));
    all.number("PUSH", params.grid.map_or(0.0, |grid| grid.repulsion * h));
    [&all.into_text(), include_str!("common.wgsl"), &shapes(sim.colliders())].join("\n")
}
