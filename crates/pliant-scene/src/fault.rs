//! What is wrong with a section, as an error at its line and column.

use pliant::solve::{FollowLeaderError, SolveError};
use pliant::{ModelError, OrientedError, StepError};

use crate::document::find;
use crate::error::SceneError;
use crate::format::{BodySection, SolverSection};
use crate::scene::Scene;

/// The only solver of scenes that is not the engine's own.
const GPU: &str = "solver.gpu";

/// What is wrong with a section, and at which key of it.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) key: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into(), hint: None }
    }

    /// With what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The fault as seen from outside a key.
    pub(crate) fn inside(mut self, key: &str) -> Self {
        self.key = if self.key.is_empty() { key.to_owned() } else { format!("{key}.{}", self.key) };
        self
    }
}

impl Scene {
    /// Path of an entry of a list in the main file; of the include line, where it came from there.
    pub(crate) fn list_path(&self, list: &str, k: usize) -> Vec<String> {
        let included = self.document.included;
        let before = match list {
            "body" => included.body,
            "collider" => included.collider,
            "attachment" => included.attachment,
            "force" => included.force,
            "cut" => included.cut,
            _ => included.expect,
        };
        match k.checked_sub(before) {
            Some(own) => vec![list.to_owned(), own.to_string()],
            None => vec!["include".to_owned()],
        }
    }

    /// An error at a key below a path; at the top of the file, where nothing nearer stands in it.
    pub(crate) fn fault(&self, path: &[String], fault: &Fault) -> SceneError {
        let source = &self.document.source;
        let mut error = SceneError::new(&source.path, fault.message.clone());
        error.hint.clone_from(&fault.hint);
        let keys: Vec<&str> = path.iter().map(String::as_str).chain(fault.key.split('.')).collect();
        // What does not stand in this file comes from one that it includes.
        let byte = find(&source.text, &keys).or_else(|| find(&source.text, &["include"]));
        error.at(&source.text, byte.unwrap_or(0))
    }

    /// An error of the engine that no check here has found before: at the body that it names, if it does.
    pub(crate) fn in_engine(&self, error: &ModelError) -> SceneError {
        let key = match error {
            ModelError::FollowLeader(FollowLeaderError::Integrator { .. })
            | ModelError::Oriented { error: OrientedError::Integrator(_), .. }
            | ModelError::UnknownEnergy { .. }
            | ModelError::ExplicitIntegrator(_) => "world.integrator",
            ModelError::FollowLeader(_) => "solver.follow-leader",
            ModelError::NoSuchKind { .. } => "solver.position-based.stiffness_of",
            ModelError::Solver { .. } => GPU,
            ModelError::Topology(_) => "tear",
            ModelError::UnsupportedConstraint { kind: "long_range", .. } => "long_range",
            ModelError::UnsupportedConstraint { body, .. } if self.has_constraints(body) => "constraint",
            ModelError::UnsupportedConstraint { .. }
            | ModelError::Regions { .. }
            | ModelError::ClothMatching { .. }
            | ModelError::Oriented { .. }
            | ModelError::Matter { .. }
            | ModelError::SharedRodVertex { .. } => "material",
            ModelError::MovedEmitter { .. } => "velocity",
            ModelError::ConsistentMasses { body, .. } => self.mass_key(body),
            _ => "",
        };
        // What was chosen for the world is answered for there.
        let bodies = &self.file().body;
        let at = error.body().and_then(|name| bodies.iter().position(|body| body.name == name));
        // An energy that hair does not feel is told of the solver: at the body that names it, if the scene itself does not.
        let follows = |body: &BodySection| matches!(body.solver, Some(SolverSection::FollowLeader(_)));
        let is_following = matches!(error, ModelError::FollowLeader(_)) && self.file().solver.is_none();
        let at = at.or_else(|| bodies.iter().position(follows).filter(|_| is_following));
        let at = at.or_else(|| self.body_on_gpu().filter(|_| key == GPU));
        let is_unsupported = matches!(error, ModelError::UnsupportedConstraint { .. });
        let (is_solver, is_world) = (key.starts_with("solver."), key.starts_with("world."));
        let names_solver = |k: &usize| bodies[*k].solver.is_some() && (is_solver || is_unsupported);
        let at = at.filter(|k| names_solver(k) || !(is_solver || is_world));
        let path = at.map_or_else(Vec::new, |k| self.list_path("body", k));
        let key = if at.as_ref().is_some_and(names_solver) { "solver" } else { key };
        let mut fault = Fault::new(key, error.to_string());
        if is_unsupported {
            fault = fault.hint("choose [solver.position-based]");
        }
        self.fault(&path, &fault)
    }

    /// What a solver from outside the engine says of a step that it could not solve, such as a GPU that was lost, at its key. None for what steps go wrong with otherwise.
    pub fn fault_of_step(&self, error: &StepError) -> Option<SceneError> {
        let StepError::Solve { error: SolveError::Other { .. }, .. } = error else { return None };
        let (path, key) = self.gpu_key();
        Some(self.fault(&path, &Fault::new(key, error.to_string())))
    }

    /// Where the GPU is named: a path, and a key below it.
    pub(crate) fn gpu_key(&self) -> (Vec<String>, &'static str) {
        match self.body_on_gpu() {
            Some(body) => (self.list_path("body", body), "solver"),
            None => (Vec::new(), GPU),
        }
    }

    /// The first body that names a GPU for its solver, if the scene itself does not.
    fn body_on_gpu(&self) -> Option<usize> {
        let is_gpu = |solver: &Option<SolverSection>| matches!(solver, Some(SolverSection::Gpu(_)));
        let file = self.file();
        if is_gpu(&file.solver) { None } else { file.body.iter().position(|body| is_gpu(&body.solver)) }
    }
}
