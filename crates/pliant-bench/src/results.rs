//! What a run of `peers` finds, as data: printed, written as JSON, and made into a page.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::attachments::AttachmentResults;
use crate::energies::EnergyResults;
use crate::fluid::FluidResults;
use crate::gpu::GpuResults;
use crate::machine::Machine;
use crate::matching::MatchingResults;
use crate::position_based::PositionBasedResults;
use crate::presets::PresetResults;
use crate::timing::Timing;
use crate::upsampling::UpsamplingResults;

/// Everything that one run found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Results {
    /// Where it ran.
    pub machine: Machine,
    /// Rounds in which methods took turns, at least.
    pub rounds: usize,
    /// Problem by problem.
    pub problems: Vec<ProblemResults>,
    /// Engines that solve by other methods, at about the same time per frame.
    pub equal_time: Vec<EqualTime>,
    /// Position-based dynamics, from a run of its own.
    #[serde(default)]
    pub position_based: Option<PositionBasedResults>,
    /// Fluids, by `fluid --save`.
    #[serde(default)]
    pub fluid: Option<FluidResults>,
    /// A large cloth, by `attachments --save`.
    #[serde(default)]
    pub attachments: Option<AttachmentResults>,
    /// Shape matching, by `matching --save`.
    #[serde(default)]
    pub matching: Option<MatchingResults>,
    /// Named materials, by `presets --save`.
    #[serde(default)]
    pub presets: Option<PresetResults>,
    /// Every energy, by `energies --save`.
    #[serde(default)]
    pub energies: Option<EnergyResults>,
    /// Worlds on a GPU, by `gpu --save`.
    #[serde(default)]
    pub gpu: Option<GpuResults>,
    /// Fine surfaces over coarse ones, by `upsampling --save`.
    #[serde(default)]
    pub upsampling: Option<UpsamplingResults>,
}

impl Results {
    /// Nothing yet of `peers`; what other measurements have saved stays.
    pub fn begin(machine: Machine, rounds: usize, saved: Option<Self>) -> Self {
        let empty = Self {
            machine: machine.clone(),
            rounds,
            problems: Vec::new(),
            equal_time: Vec::new(),
            position_based: None,
            fluid: None,
            attachments: None,
            matching: None,
            presets: None,
            energies: None,
            gpu: None,
            upsampling: None,
        };
        Self { machine, rounds, problems: Vec::new(), equal_time: Vec::new(), ..saved.unwrap_or(empty) }
    }

    /// Writes them as JSON.
    pub fn save(&self, path: &Path) -> Result<(), BenchError> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(path, text).map_err(|error| BenchError::File { path: path.to_owned(), error })
    }

    /// Reads what was saved.
    pub fn load(path: &Path) -> Result<Self, BenchError> {
        let text = std::fs::read_to_string(path).map_err(|error| BenchError::File { path: path.to_owned(), error })?;
        serde_json::from_str(&text).map_err(|error| BenchError::NotResults { path: path.to_owned(), error })
    }
}

/// What was found on one problem.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProblemResults {
    /// Its name.
    pub name: String,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of elements.
    pub elements: usize,
    /// What they are.
    pub element_kind: String,
    /// Entries of the upper triangle of its matrix.
    pub matrix_entries: usize,
    /// Method by method.
    pub methods: Vec<MethodResults>,
}

/// The name of the method that others are compared with.
pub const BASELINE: &str = "Eigen";

impl ProblemResults {
    /// What the baseline took for something, if it was measured.
    pub fn baseline(&self, what: impl Fn(&MethodResults) -> Option<Timing>) -> Option<Timing> {
        self.methods.iter().find(|method| method.name == BASELINE).and_then(what)
    }
}

/// What was found of one method; what it does not do is absent.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct MethodResults {
    /// Its name.
    pub name: String,
    /// From the matrix to the factor.
    pub setup: Option<Timing>,
    /// Parts of the setup: what, and how long at the least \[ms\].
    pub setup_phases: Vec<(String, f64)>,
    /// A solve with three right-hand sides.
    pub solve: Option<Timing>,
    /// One iteration: local and global step, or one sweep.
    pub iteration: Option<Timing>,
    /// A whole frame.
    pub frame: Option<Timing>,
    /// Memory that a sweep over the factor reads.
    pub factor_bytes: Option<u64>,
    /// Largest difference of its solution from the first method's, in relation to the largest entry.
    pub solve_difference: Option<f64>,
    /// Largest difference of its positions from the first method's after some frames, in relation to the body's diagonal.
    pub frame_difference: Option<f64>,
}

impl MethodResults {
    /// Memory read per second if each of the two sweeps of a solve reads the factor once \[GB/s\].
    pub fn bandwidth(&self) -> Option<f64> {
        Some(2.0 * self.factor_bytes? as f64 / (1e-3 * self.solve?.min) / 1e9)
    }
}

/// Engines on one problem, left to come to rest, at about the same time per frame.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EqualTime {
    /// Name of the problem.
    pub problem: String,
    /// What is compared, with its unit.
    pub quantity: String,
    /// Its exact value at rest.
    pub exact: f64,
    /// Frames simulated before it is measured, and over which it is then averaged.
    pub frames: [usize; 2],
    /// Engine by engine.
    pub engines: Vec<EngineResults>,
}

/// What was found of one engine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EngineResults {
    /// The engine and its settings.
    pub name: String,
    /// A frame.
    pub frame: Timing,
    /// The quantity that is compared.
    pub value: f64,
}
