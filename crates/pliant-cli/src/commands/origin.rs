//! Which scene a run is of, in its folder, so that it can be drawn later.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant_scene::folder::ORIGIN_FILE;
use pliant_scene::{Scene, SceneRun};
use serde_json::{Value, json};

use super::solver;

/// The scene of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Origin {
    /// Meshes and other scene files are looked up beside this path.
    path: PathBuf,
    /// The scene file, with the changes of the command line.
    text: String,
    /// The solver of the command line with its iterations, if there was one.
    solver: Option<(String, usize)>,
}

impl Origin {
    pub(crate) fn of(scene: &Scene, solver: Option<&str>, iterations: usize) -> Self {
        let (path, text) = scene.source();
        // The command that draws may be called from elsewhere.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { path, text: text.to_owned(), solver: solver.map(|name| (name.to_owned(), iterations)) }
    }

    pub(crate) fn write(&self, dir: &Path) -> Result<(), Box<dyn Error>> {
        let Self { path, text, solver } = self;
        let mut entry = json!({ "path": path.to_string_lossy(), "text": text });
        if let Some((name, iterations)) = solver {
            entry["solver"] = json!({ "name": name, "iterations": iterations });
        }
        let (file, text) = (dir.join(ORIGIN_FILE), serde_json::to_string_pretty(&entry)? + "\n");
        std::fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()).into())
    }

    pub(crate) fn read(dir: &Path) -> Result<Self, Box<dyn Error>> {
        let file = dir.join(ORIGIN_FILE);
        if !file.exists() {
            let message = format!("{} does not exist, so the scene of the run is not known", file.display());
            return Err(format!("{message}; name its file with --scene").into());
        }
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let parsed: Option<Value> = serde_json::from_str(&text).ok();
        parsed.as_ref().and_then(Self::from_json).ok_or_else(|| {
            format!("{} does not say which scene the run is of; name its file with --scene", file.display()).into()
        })
    }

    fn from_json(entry: &Value) -> Option<Self> {
        let word = |value: &Value| value.as_str().map(str::to_owned);
        let solver = match &entry["solver"] {
            Value::Null => None,
            solver => Some((word(&solver["name"])?, usize::try_from(solver["iterations"].as_u64()?).ok()?)),
        };
        Some(Self { path: word(&entry["path"])?.into(), text: word(&entry["text"])?, solver })
    }

    /// The scene, with more changes. What was computed on a GPU can be looked at without one.
    pub(crate) fn scene(&self, changes: &[String]) -> Result<Scene, Box<dyn Error>> {
        Ok(Scene::parse(&self.path.to_string_lossy(), &self.text, changes)?.on_cpu())
    }

    /// Builds the scene as the run did.
    pub(crate) fn build(&self, scene: &Scene) -> Result<SceneRun, Box<dyn Error>> {
        let choice = self.solver.as_ref().map(|(name, iterations)| solver(name, *iterations)).transpose()?;
        Ok(scene.build_with(|builder| match choice {
            Some(choice) => builder.solver(choice),
            None => builder,
        })?)
    }
}
