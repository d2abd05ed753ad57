//! `[solver.gpu]`: methods of the engine on a graphics processor, and scenes that are moved there and back by one key.

use pliant::solve::SolverChoice;

use crate::error::SceneError;
use crate::fault::Fault;
use crate::format::{AccelerationSection, GpuSection, PrecisionSection, SolverSection};
use crate::scene::Scene;
#[cfg(feature = "gpu")]
use crate::solver::{follow_leader, position_based, projective, two_metric};

/// Whether this build knows `[solver.gpu]`: the feature `gpu`.
pub const HAS_GPU: bool = cfg!(feature = "gpu");

/// What a build without the feature `gpu` says.
#[cfg(not(target_arch = "wasm32"))]
pub const NO_GPU: &str = "this build of Pliant cannot compute on a GPU: build it with the feature `gpu`, \
                          which the command and the Python package have unless they are built with `--no-default-features`";

/// What is told where [`HAS_GPU`] is false.
#[cfg(target_arch = "wasm32")]
pub const NO_GPU: &str =
    "a page does not compute on a GPU: choose another solver, or run the scene by the command `pliant`";

/// The key at which faults of the section are told.
const KEY: &str = "solver.gpu";

/// The solver of a `[solver.gpu]`.
pub(crate) fn gpu_choice(section: &GpuSection) -> Result<SolverChoice, Fault> {
    check(section)?;
    build(section)
}

/// Refuses what no GPU has, at its key.
fn check(section: &GpuSection) -> Result<(), Fault> {
    let refuse = |key: &str, message: &str| Err(Fault::new(format!("{KEY}.{key}"), message));
    if section.adapter.as_ref().is_some_and(|name| name.trim().is_empty()) {
        return refuse(
            "adapter",
            "adapter is empty, but must be a part of a name; without it the fastest kind is taken",
        );
    }
    let methods = [
        ("projective", section.projective.is_some()),
        ("two-metric", section.two_metric.is_some()),
        ("position-based", section.position_based.is_some()),
        ("follow-leader", section.follow_leader.is_some()),
    ];
    let given: Vec<&str> = methods.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
    if let [first, second, ..] = given[..] {
        return refuse(second, &format!("give `{first}` or `{second}`, not both"));
    }
    if section.is_resident_only() && section.resident == Some(false) {
        let message = format!("`{}` runs on a GPU only where the state stays there", given[0]);
        return refuse("resident", &message);
    }
    let Some(projective) = &section.projective else { return Ok(()) };
    match projective.acceleration {
        Some(AccelerationSection::Lbfgs { .. }) => {
            let message = "there is no L-BFGS on a GPU: choose `anderson`, `chebyshev` or `none`";
            refuse("projective.acceleration", message)
        }
        _ if matches!(projective.precision, Some(PrecisionSection::Double)) => {
            refuse("projective.precision", "a GPU computes in single precision")
        }
        _ => Ok(()),
    }
}

#[cfg(not(feature = "gpu"))]
fn build(_section: &GpuSection) -> Result<SolverChoice, Fault> {
    Err(Fault::new(KEY, NO_GPU))
}

#[cfg(feature = "gpu")]
fn build(section: &GpuSection) -> Result<SolverChoice, Fault> {
    use pliant_gpu::device::DeviceChoice;
    use pliant_gpu::{FactorStorage, GpuMethod, GpuParams};

    let method = match section {
        GpuSection { projective: Some(own), .. } => {
            GpuMethod::Projective(projective(&format!("{KEY}.projective"), own)?)
        }
        GpuSection { two_metric: Some(own), .. } => {
            GpuMethod::TwoMetric(two_metric(&format!("{KEY}.two-metric"), own)?)
        }
        // The engine's solvers, whose worlds stay on the GPU or are refused.
        GpuSection { position_based: Some(own), .. } => {
            return position_based(&format!("{KEY}.position-based"), own).map(SolverChoice::from);
        }
        GpuSection { follow_leader: Some(own), .. } => {
            return follow_leader(&format!("{KEY}.follow-leader"), own).map(SolverChoice::from);
        }
        _ => GpuMethod::Auto,
    };
    let device = DeviceChoice { name: section.adapter.clone(), ..DeviceChoice::default() };
    let storage = if section.half_precision_factor == Some(true) { FactorStorage::Half } else { FactorStorage::Single };
    Ok(GpuParams { method, device, storage }.into())
}

/// The key of a solver, as scenes have it.
fn name(solver: &SolverSection) -> &'static str {
    match solver {
        SolverSection::Auto {} => "auto",
        SolverSection::Projective(_) => "projective",
        SolverSection::TwoMetric(_) => "two-metric",
        SolverSection::Newton(_) => "newton",
        SolverSection::PositionBased(_) => "position-based",
        SolverSection::FollowLeader(_) => "follow-leader",
        SolverSection::Explicit(_) => "explicit",
        SolverSection::Gpu(_) => "gpu",
    }
}

/// The method that runs on a GPU, if it were not for that.
fn on_cpu(section: GpuSection) -> SolverSection {
    match section {
        GpuSection { projective: Some(own), .. } => SolverSection::Projective(own),
        GpuSection { two_metric: Some(own), .. } => SolverSection::TwoMetric(own),
        GpuSection { position_based: Some(own), .. } => SolverSection::PositionBased(*own),
        GpuSection { follow_leader: Some(own), .. } => SolverSection::FollowLeader(own),
        _ => SolverSection::Auto {},
    }
}

impl Scene {
    /// The same scene with the solver of the world on a GPU, whose name contains what is given; bodies that name a solver keep it. A solver that has no method there
    /// is an error.
    pub fn on_gpu(mut self, adapter: Option<&str>) -> Result<Self, SceneError> {
        let mut section = match self.file().solver.clone() {
            None | Some(SolverSection::Auto {}) => GpuSection::default(),
            Some(SolverSection::Projective(own)) => GpuSection { projective: Some(own), ..GpuSection::default() },
            Some(SolverSection::TwoMetric(own)) => GpuSection { two_metric: Some(own), ..GpuSection::default() },
            Some(SolverSection::PositionBased(own)) => {
                GpuSection { position_based: Some(Box::new(own)), ..GpuSection::default() }
            }
            Some(SolverSection::FollowLeader(own)) => GpuSection { follow_leader: Some(own), ..GpuSection::default() },
            Some(SolverSection::Gpu(own)) => own,
            Some(other) => {
                let message = format!(
                    "[solver.{}] does not run on a GPU; auto, projective, two-metric, position-based and follow-leader do",
                    name(&other)
                );
                return Err(self.fault(&[], &Fault::new(format!("solver.{}", name(&other)), message)));
            }
        };
        section.adapter = adapter.map(str::to_owned).or(section.adapter);
        self.document.scene.solver = Some(SolverSection::Gpu(section));
        Ok(self)
    }

    /// The same scene with all solvers on the CPU, by the same methods: for looking at what was computed on a machine that has a GPU.
    #[must_use]
    pub fn on_cpu(mut self) -> Self {
        let scene = &mut self.document.scene;
        for solver in scene.body.iter_mut().map(|body| &mut body.solver).chain([&mut scene.solver]) {
            *solver = solver.take().map(|own| match own {
                SolverSection::Gpu(section) => on_cpu(section),
                other => other,
            });
        }
        self
    }
}
