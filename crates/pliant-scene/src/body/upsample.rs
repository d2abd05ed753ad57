//! From `body.upsample` to a fine surface on the body's own.

use std::path::Path;
use std::sync::Arc;

use pliant::mesh::TriangleMesh;
use pliant::upsample::{Refinement, UpsampleError, Upsampler};
use pliant_io::read::{Files, ReadOptions};

use crate::budget::Budget;
use crate::fault::Fault;
use crate::format::UpsampleSection;
use crate::upsampled::Upsampled;

/// Each triangle in 4096: more is a slip of the keyboard.
const MOST_LEVELS: u32 = 6;
/// Larger files are not models.
const LARGEST_MODEL: u64 = 4 << 30;

/// The meshes; faults are at keys of the section.
pub(crate) fn refinement(
    section: &UpsampleSection,
    coarse: &TriangleMesh,
    files: &Files,
    budget: &mut Budget,
) -> Result<Refinement, Fault> {
    let fault = |key: &str, error: &dyn std::fmt::Display| Fault::new(key, error.to_string());
    match (section.levels, &section.fine) {
        (Some(levels), None) => {
            if !(1..=MOST_LEVELS).contains(&levels) {
                return Err(Fault::new("levels", format!("levels is {levels}, but must be 1 to {MOST_LEVELS}")));
            }
            // Each triangle brings half a vertex, and a rim a little more.
            budget
                .take((coarse.triangles.len() as u128) << (2 * levels))
                .map_err(|message| Fault::new("levels", message))?;
            Refinement::loop_subdivision(coarse, levels, &[]).map_err(|error| fault("levels", &error))
        }
        (None, Some(file)) => {
            let options = ReadOptions::default();
            let mesh = files.read_mesh(file, &options).map_err(|error| fault("fine", &error))?;
            budget.take(mesh.positions.len() as u128).map_err(|message| Fault::new("fine", message))?;
            let (found, least) = (mesh.positions.len(), coarse.positions.len());
            if found < least {
                let message = format!("the fine mesh has {found} vertices, fewer than the {least} of the body");
                return Err(Fault::new("fine", message));
            }
            let fine = TriangleMesh::new(mesh.positions, mesh.triangles).map_err(|error| fault("fine", &error))?;
            Refinement::embedded(coarse, &fine).map_err(|error| fault("fine", &error))
        }
        (Some(_), Some(_)) => Err(Fault::new("fine", "give `levels` or `fine`, not both")),
        (None, None) => Err(Fault::new("", "give `levels` or `fine`")),
    }
}

/// The fine surface, at rest, and how it follows; faults are at keys of the section.
pub(super) fn upsampled(
    section: &UpsampleSection,
    coarse: &TriangleMesh,
    files: &Files,
    budget: &mut Budget,
) -> Result<(TriangleMesh, Upsampled), Fault> {
    if let Some(thickness) = section.thickness.filter(|thickness| !(thickness.is_finite() && *thickness >= 0.0)) {
        let message = format!("thickness is {thickness}, but must be finite and at least 0");
        return Err(Fault::new("thickness", message));
    }
    let refinement = Arc::new(refinement(section, coarse, files, budget)?);
    let model = match &section.model {
        None => None,
        Some(file) => {
            Some(read_model(files, file.as_ref(), &refinement).map_err(|message| Fault::new("model", message))?)
        }
    };
    let fine = refinement.fine_mesh().clone();
    let mut made = Upsampled::new(refinement, model, section.thickness);
    if section.gpu == Some(true) {
        made.bring_to_gpu().map_err(|message| Fault::new("gpu", message))?;
    }
    Ok((fine, made))
}

/// Reads a model for these meshes.
fn read_model(files: &Files, path: &Path, refinement: &Arc<Refinement>) -> Result<Upsampler, String> {
    let bytes = files.read(path, LARGEST_MODEL).map_err(|error| error.to_string())?;
    let model = Upsampler::from_bytes(&bytes, refinement);
    model.map_err(|error: UpsampleError| format!("{}: {error}", path.display()))
}
