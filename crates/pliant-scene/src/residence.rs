//! Runs whose state stays on a GPU: what a scene says of that, what stands in the way, and frames that are computed ahead.

use pliant::Simulation;
use pliant::solve::SolverChoice;

use crate::drive::Driver;
use crate::format::{GpuSection, Quantity, SolverSection};
use crate::rider::Rider;
use crate::run::SceneRun;
use crate::scene::Scene;

/// Whether the state is to stay on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Wish {
    /// The solver does not run there, or the scene does not want it.
    #[default]
    Never,
    /// Where nothing stands in the way.
    IfPossible,
    /// Or else the scene is not run at all.
    Always,
}

/// What a scene says of where its state is to be.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "there is no other place"))]
pub(crate) struct Placement {
    pub(crate) wish: Wish,
    pub(crate) adapter: Option<String>,
    /// Frames of the scene: none is computed ahead beyond the last.
    pub(crate) frames: u32,
}

impl GpuSection {
    /// Whether its method is there for worlds that stay on the GPU alone.
    pub(crate) fn is_resident_only(&self) -> bool {
        self.position_based.is_some() || self.follow_leader.is_some()
    }

    fn wish(&self) -> Wish {
        match self.resident {
            Some(true) => Wish::Always,
            _ if self.is_resident_only() => Wish::Always,
            Some(false) => Wish::Never,
            None => Wish::IfPossible,
        }
    }
}

impl Scene {
    /// Where the state is to be. Bodies that name a GPU count where the scene does not.
    pub(crate) fn placement(&self, sim: &Simulation) -> Placement {
        let file = self.file();
        let gpu = |solver: &Option<SolverSection>| match solver {
            Some(SolverSection::Gpu(section)) => Some(section.clone()),
            _ => None,
        };
        let sections: Vec<GpuSection> = match gpu(&file.solver) {
            Some(section) => vec![section],
            None => file.body.iter().filter_map(|body| gpu(&body.solver)).collect(),
        };
        let has = |wish| sections.iter().any(|section| section.wish() == wish);
        let is_on_gpu = computes_on_gpu(sim);
        let by_engine = matches!(sim.solver_choice(), SolverChoice::PositionBased(_) | SolverChoice::FollowLeader(_));
        let stays = by_engine && sections.iter().any(GpuSection::is_resident_only);
        let wish = match () {
            // Somebody has given it another solver.
            () if !is_on_gpu && !stays => Wish::Never,
            () if has(Wish::Always) => Wish::Always,
            () if has(Wish::Never) => Wish::Never,
            () => Wish::IfPossible,
        };
        let adapter = sections.into_iter().find_map(|section| section.adapter);
        Placement { wish, adapter, frames: self.frames() }
    }
}

#[cfg(feature = "gpu")]
fn computes_on_gpu(sim: &Simulation) -> bool {
    sim.solvers().any(|(solver, _)| pliant_gpu::GpuParams::of(solver).is_some())
}

#[cfg(not(feature = "gpu"))]
fn computes_on_gpu(_sim: &Simulation) -> bool {
    false
}

/// What a run keeps about where its state is.
#[derive(Debug, Default)]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "there is no other place"))]
pub(crate) struct Residence {
    pub(crate) placement: Placement,
    /// Why the state does not stay on a GPU, once it is known.
    pub(crate) obstacle: Option<String>,
    /// How long the last frame took, if it was computed there \[s\].
    pub(crate) seconds: Option<f64>,
}

impl SceneRun {
    /// What of the scene is done by the engine in every step, in the words of "the scene has …".
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "there is no other place"))]
    pub(crate) fn needs_engine(&self) -> Option<&'static str> {
        let drives = |kind: fn(&Driver) -> bool| self.drivers.iter().any(kind);
        let expects = |quantity: &Quantity| matches!(quantity, Quantity::Contacts | Quantity::CarriedWeight);
        let wrinkles = |rider: &Option<Rider>| matches!(rider, Some(Rider::Wrinkled(_)));
        let all = [
            ("cuts", !self.cuts.is_empty()),
            ("bodies that come and go", self.presence.is_changing()),
            (
                "handles that move",
                drives(|driver| matches!(driver, Driver::Handles { motion, .. } if motion.is_moving())),
            ),
            ("forces", drives(|driver| matches!(driver, Driver::Forces { .. } | Driver::Random { .. }))),
            ("wind that changes", drives(|driver| matches!(driver, Driver::Wind { .. }))),
            ("wrinkles", self.riders.iter().any(wrinkles)),
            ("an expectation of contacts", self.checks.iter().any(|check| expects(&check.expect.quantity))),
        ];
        all.into_iter().find(|(_, is_there)| *is_there).map(|(name, _)| name)
    }

    /// Frames up to this one may be computed before they are asked for, where the state stays on a GPU. The last frame of the scene by default.
    pub fn plan_frames(&mut self, frames: u32) {
        self.residence.placement.frames = frames;
    }

    /// How long the last frame took, where its state has stayed on a GPU and there are no reports of steps \[s\].
    pub fn seconds_on_gpu(&self) -> Option<f64> {
        self.residence.seconds
    }
}

#[cfg(not(feature = "gpu"))]
impl Scene {
    /// There is nothing to place.
    pub(crate) fn check_placement(&self, _run: &SceneRun) -> Result<(), crate::SceneError> {
        Ok(())
    }
}

#[cfg(not(feature = "gpu"))]
impl SceneRun {
    /// Wants the state to stay on a GPU, which it does not in a build without one.
    pub fn stay_on_gpu(&mut self, _adapter: Option<&str>) {}

    /// All steps are taken here.
    pub(crate) fn check_single_steps(&self) -> Result<(), pliant::StepError> {
        Ok(())
    }

    /// Whether the state stays on a GPU.
    pub fn is_on_gpu(&self) -> bool {
        false
    }

    /// Where the state is while a solver on a GPU computes, and why; none for other solvers.
    pub fn whereabouts(&self) -> Option<String> {
        None
    }

    /// Brings the state to a GPU, if the scene wants it there; the first frame does it otherwise.
    pub fn settle_in(&mut self) -> Result<(), pliant::StepError> {
        Ok(())
    }

    /// Takes a frame there, if the state stays there.
    pub(crate) fn frame_on_gpu(&mut self) -> Result<bool, pliant::StepError> {
        Ok(false)
    }
}

#[cfg(feature = "gpu")]
mod on_gpu {
    use std::fmt::Display;
    use std::time::Instant;

    use pliant::contact::ContactMode;
    use pliant::math::Vec3;
    use pliant::solve::SolveError;
    use pliant::{Simulation, StepError};
    use pliant_gpu::device::DeviceChoice;
    use pliant_gpu::{Demands, GpuWorldError, check_resident};

    use super::{Wish, computes_on_gpu};
    use crate::course::riders_at;
    use crate::drive::Driver;
    use crate::error::SceneError;
    use crate::fault::Fault;
    use crate::format::SolverSection;
    use crate::motion::Motion;
    use crate::run::SceneRun;
    use crate::scene::Scene;

    /// Frames that are under way while one is looked at and stored.
    const AHEAD: u32 = 2;

    /// A pin that a scene moves: its place in the model's list of pins, its motion, and its rest position.
    type Pin<'a> = (usize, &'a Motion, Vec3);

    /// All pins of a scene, if one of them is to be elsewhere than it is.
    fn moving_pins<'a>(drivers: &'a [Driver], sim: &Simulation) -> Vec<Pin<'a>> {
        let (mut pins, mut any) = (Vec::new(), false);
        for driver in drivers {
            let Driver::Pins { body, motion, places } = driver else { continue };
            let Ok(body) = sim.body(body) else { continue };
            for &(vertex, rest) in places {
                let vertex = body.vertices.start + vertex as usize;
                let Ok(place) = sim.model().pinned().binary_search(&(vertex as u32)) else { continue };
                any |= motion.is_moving() || sim.positions()[vertex] != rest;
                pins.push((place, motion, rest));
            }
        }
        if any { pins } else { Vec::new() }
    }

    impl Scene {
        /// Refuses what has to stay on a GPU and cannot.
        pub(crate) fn check_placement(&self, run: &SceneRun) -> Result<(), SceneError> {
            if run.wish() != Wish::Always {
                return Ok(());
            }
            let Some(obstacle) = run.obstacle() else { return Ok(()) };
            let (path, key) = self.gpu_key();
            let is_here = path.is_empty();
            let key = match &self.file().solver {
                Some(SolverSection::Gpu(section)) if is_here && section.resident.is_some() => format!("{key}.resident"),
                Some(SolverSection::Gpu(section)) if is_here && section.position_based.is_some() => {
                    format!("{key}.position-based")
                }
                Some(SolverSection::Gpu(section)) if is_here && section.follow_leader.is_some() => {
                    format!("{key}.follow-leader")
                }
                _ => key.to_owned(),
            };
            let message = format!("the state of this scene cannot stay on a GPU: {obstacle}");
            Err(self.fault(&path, &Fault::new(key, message)))
        }
    }

    impl SceneRun {
        /// Whether the state stays on a GPU.
        pub fn is_on_gpu(&self) -> bool {
            self.sim.is_on_gpu()
        }

        /// Where the state is while a solver on a GPU computes, and why; none for other solvers.
        pub fn whereabouts(&self) -> Option<String> {
            if self.is_on_gpu() {
                return Some("the state stays on the GPU".to_owned());
            }
            let reason = match (&self.residence.obstacle, self.wish()) {
                (Some(obstacle), _) => obstacle.as_str(),
                (None, Wish::Never) => "the scene wants it so",
                (None, _) => return None,
            };
            // Whatever mode is set: who sees cloth cling to a ball is to know why.
            let is_softer =
                !self.sim.colliders().is_empty() && self.sim.contact_params().mode != ContactMode::Displacement;
            let contact =
                if is_softer { "; contact is then by displacement, which is softer than by constraints" } else { "" };
            computes_on_gpu(&self.sim).then(|| format!("the state comes back every step: {reason}{contact}"))
        }

        fn wish(&self) -> Wish {
            self.residence.placement.wish
        }

        /// Why the state cannot stay on a GPU, as far as that can be known without one.
        pub(crate) fn obstacle(&self) -> Option<String> {
            if let Some(feature) = self.needs_engine() {
                return Some(format!("the scene has {feature}"));
            }
            let demands = Demands { moving_pins: !moving_pins(&self.drivers, &self.sim).is_empty() };
            check_resident(&self.sim, demands).err().map(|objections| objections.in_short())
        }

        /// Brings the state to a GPU, if the scene wants it there; the first frame does it otherwise.
        pub fn settle_in(&mut self) -> Result<(), StepError> {
            if self.wish() == Wish::Never || self.residence.obstacle.is_some() || self.is_on_gpu() {
                return Ok(());
            }
            let obstacle = match self.obstacle() {
                Some(obstacle) => obstacle,
                None => {
                    let name = self.residence.placement.adapter.clone();
                    match self.sim.enter(&DeviceChoice { name, ..DeviceChoice::default() }) {
                        Ok(()) => return Ok(()),
                        Err(objections) => objections.in_short(),
                    }
                }
            };
            if self.wish() == Wish::Always {
                return Err(self.failed(format!("the state cannot stay on the GPU: {obstacle}")));
            }
            self.residence.obstacle = Some(obstacle);
            Ok(())
        }

        /// Wants the state to stay on the GPU whose name contains what is given, whatever the scene says; what cannot be done there is an error of the first frame.
        pub fn stay_on_gpu(&mut self, adapter: Option<&str>) {
            self.residence.placement.wish = Wish::Always;
            self.residence.placement.adapter = adapter.map(str::to_owned);
        }

        fn failed(&self, problem: impl Display) -> StepError {
            let error = SolveError::Other { solver: "GPU".to_owned(), problem: problem.to_string() };
            StepError::Solve { step: self.sim.state().step + 1, error }
        }

        /// Single steps are taken by the engine, which is not what was asked for where the state has to stay on a GPU.
        pub(crate) fn check_single_steps(&self) -> Result<(), StepError> {
            match self.wish() {
                Wish::Always => Err(self.failed("a scene whose state has to stay on the GPU goes on by whole frames")),
                _ => Ok(()),
            }
        }

        /// Takes a frame there, if the state stays there. Later frames are under way when it is done.
        pub(crate) fn frame_on_gpu(&mut self) -> Result<bool, StepError> {
            let begun = Instant::now();
            self.residence.seconds = None;
            self.settle_in()?;
            if !self.is_on_gpu() {
                return Ok(false);
            }
            self.ask_ahead()?;
            let Some(resident) = self.sim.resident() else { return Ok(false) };
            let Some(next) = resident.under_way.pop_front() else { return Ok(false) };
            let taken = next.wait().map_err(Into::into).and_then(|state| resident.world.accept(&state).map(drop));
            taken.map_err(|error| self.failed(error))?;
            let Self { sim, presence, riders, .. } = self;
            for (own, rider) in riders_at(sim, presence, riders) {
                let Some(own) = own else { continue };
                let followed = rider.follow(&sim.positions()[own], sim);
                debug_assert!(followed.is_ok(), "a state that was accepted is finite: {followed:?}");
            }
            self.residence.seconds = Some(begun.elapsed().as_secs_f64());
            Ok(true)
        }

        /// Asks for the next frame and those after it.
        fn ask_ahead(&mut self) -> Result<(), StepError> {
            let (frame, substeps) = (self.frame(), self.substeps());
            let until = self.residence.placement.frames.min(frame + 1 + AHEAD).max(frame + 1);
            let Self { sim, drivers, .. } = self;
            let pins = moving_pins(drivers, sim);
            let mut targets: Vec<Vec3> = sim.model().pinned().iter().map(|&v| sim.positions()[v as usize]).collect();
            let h = sim.time_step();
            let Some(resident) = sim.resident() else { return Ok(()) };
            while frame + (resident.under_way.len() as u32) < until {
                let mut ask = || -> Result<(), GpuWorldError> {
                    for _ in 0..substeps {
                        if !pins.is_empty() {
                            let end = resident.world.host().time_ahead() + h;
                            pins.iter().for_each(|(place, motion, rest)| targets[*place] = motion.place(end, *rest));
                            resident.world.move_pins(&targets)?;
                        }
                        resident.world.step()?;
                    }
                    resident.under_way.push_back(resident.world.request_state()?);
                    Ok(())
                };
                match ask() {
                    Ok(()) => {}
                    // What is under way may still arrive, and the error comes again after it.
                    Err(_) if !resident.under_way.is_empty() => return Ok(()),
                    Err(error) => return Err(self.failed(error)),
                }
            }
            Ok(())
        }
    }
}
