//! What the fluids of a run are, in its folder: frames hold their particles only.

use std::io::{self, Write};
use std::path::Path;

use pliant::matter::Portion;
use pliant::{Emitter, FluidSurface, Model};
use serde_json::{Value, json};

use super::{ExportError, Fluid};
use crate::atomic::AtomicFile;

/// The name of the file.
pub const FLUIDS_FILE: &str = "fluids.json";

/// Writes what the fluids of a world are into the folder of its run, if there are any.
pub fn write_fluids(dir: &Path, model: &Model) -> Result<(), ExportError> {
    let entry = |fluid: Portion<'_, pliant::Fluid>| {
        let pipe = fluid.matter.emitter().map(|pipe| {
            json!({
                "mouth": pipe.mouth.to_array(), "direction": pipe.direction.to_array(),
                "radius": pipe.radius, "speed": pipe.speed, "duration": pipe.duration,
            })
        });
        json!({ "body": model.bodies()[fluid.body].name, "spacing": fluid.matter.material().spacing, "pipe": pipe })
    };
    let entries: Vec<Value> = model.matter_of().map(entry).collect();
    if entries.is_empty() {
        return Ok(());
    }
    let path = dir.join(FLUIDS_FILE);
    let write = || -> io::Result<()> {
        let text = serde_json::to_string_pretty(&entries)? + "\n";
        let mut file = AtomicFile::create(&path)?;
        file.write_all(text.as_bytes())?;
        file.commit()
    };
    write().map_err(|error| ExportError::Io { path: path.clone(), error })
}

/// Reads what the fluids of a run are; none if it has none.
pub fn read_fluids(dir: &Path) -> Result<Vec<Fluid>, ExportError> {
    let path = dir.join(FLUIDS_FILE);
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        // A text that is not one is as bad as one that says something else.
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(ExportError::BadFluids { path }),
        other => other.map_err(|error| ExportError::Read { path: path.clone(), error })?,
    };
    let fluids = || -> Option<Vec<Fluid>> {
        let entries: Vec<Value> = serde_json::from_str(&text).ok()?;
        entries.iter().map(fluid).collect()
    };
    fluids().ok_or(ExportError::BadFluids { path })
}

fn fluid(entry: &Value) -> Option<Fluid> {
    let pipe = |pipe: &Value| -> Option<Emitter> {
        let vector = |name: &str| -> Option<[f64; 3]> {
            let numbers: Option<Vec<f64>> = pipe[name].as_array()?.iter().map(Value::as_f64).collect();
            numbers?.try_into().ok()
        };
        Some(Emitter {
            mouth: vector("mouth")?.into(),
            direction: vector("direction")?.into(),
            radius: pipe["radius"].as_f64()?,
            speed: pipe["speed"].as_f64()?,
            duration: pipe["duration"].as_f64()?,
        })
    };
    let spacing = entry["spacing"].as_f64().filter(|spacing| *spacing > 0.0)?;
    let pipe = if entry["pipe"].is_null() { None } else { Some(pipe(&entry["pipe"])?) };
    Some(Fluid { body: entry["body"].as_str()?.to_owned(), surface: FluidSurface::new(spacing), pipe })
}
