//! Universal Scene Description as text: time samples of points for each body, at the frame's number as time code.
//!
//! A body's triangles are a `Mesh` of the body's name; its polylines and loose vertices are `BasisCurves` and `Points`,
//! which take the name if they are alone and add `_curves` and `_points` otherwise. Prims follow each other in the text
//! and each lists all its samples, so the frames are read once for each prim. Where bodies tear, come or go, and of the
//! surface of a fluid, faces have time samples too: a body that is not there has none.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use pliant::math::Vec3;

use super::ExportError;
use super::extras::normals;
use super::job::{Failure, Job, Output, unique, write_file};
use super::part::Part;
use crate::store::Frame;

pub(super) fn write(job: &Job<'_>) -> Result<Vec<PathBuf>, ExportError> {
    let path = write_file(job.out, |file| {
        let up_axis = job.up_axis.letter();
        let (rate, first, last) = (job.info().frame_rate, job.frames[0], job.frames[job.frames.len() - 1]);
        let metres = job.info().metres_per_unit / job.options.scale;
        writeln!(file, "#usda 1.0\n(\n    defaultPrim = \"World\"\n    metersPerUnit = {metres:?}")?;
        writeln!(file, "    upAxis = \"{up_axis}\"\n    startTimeCode = {first}\n    endTimeCode = {last}")?;
        writeln!(file, "    timeCodesPerSecond = {rate:?}\n    framesPerSecond = {rate:?}\n)\n")?;
        writeln!(file, "def Xform \"World\"\n{{")?;
        let mut names = HashSet::new();
        for number in 0..job.parts.len() {
            let part = job.first_part(number)?;
            for prim in prims(&part) {
                let name = unique(&mut names, &(identifier(&part.name) + prim.suffix));
                write_prim(job, file, number, &prim, &name)?;
            }
        }
        writeln!(file, "}}")?;
        Ok(())
    })?;
    Ok(vec![path])
}

/// A piece of a body that USD has a type for.
struct Prim {
    kind: &'static str,
    suffix: &'static str,
    /// Attributes without time.
    fixed: &'static str,
    /// Attributes that change where a run tears, with their values.
    faces: Vec<(&'static str, String)>,
    /// Its points, as places in the part.
    places: Vec<u32>,
    /// Texture coordinates at the corners of its triangles.
    texture: Option<String>,
}

fn prims(part: &Part) -> Vec<Prim> {
    let has_mesh = part.is_surface_of_fluid || !part.triangles.is_empty();
    let has_curves = !part.polylines.is_empty();
    let mut prims = Vec::new();
    if has_mesh {
        // Only the vertices of triangles, so that loose ones are not drawn twice.
        let mut places = part.triangles.as_flattened().to_vec();
        places.sort_unstable();
        places.dedup();
        let mut new = vec![0; part.vertices.len()];
        (0u32..).zip(&places).for_each(|(place, &old)| new[old as usize] = place);
        let corners = part.triangles.as_flattened().iter().map(|&vertex| new[vertex as usize]);
        let faces =
            vec![("faceVertexCounts", list(part.triangles.iter().map(|_| 3))), ("faceVertexIndices", list(corners))];
        let fixed = "        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = 1\n";
        let texture = part.corners.as_ref().map(|corners| points(corners.as_flattened()));
        prims.push(Prim { kind: "Mesh", suffix: "", fixed, faces, places, texture });
    }
    if has_curves {
        let faces = vec![("curveVertexCounts", list(part.polylines.rows().map(<[u32]>::len)))];
        let fixed = "        uniform token type = \"linear\"\n";
        let suffix = if has_mesh { "_curves" } else { "" };
        let places = part.polylines.items().to_vec();
        prims.push(Prim { kind: "BasisCurves", suffix, fixed, faces, places, texture: None });
    }
    if !part.points.is_empty() {
        let suffix = if has_mesh || has_curves { "_points" } else { "" };
        let places = part.points.clone();
        prims.push(Prim { kind: "Points", suffix, fixed: "", faces: Vec::new(), places, texture: None });
    }
    prims
}

/// The frame at a place, a body of it, and the piece of that which corresponds to one at the first.
fn piece_at(
    job: &Job<'_>,
    place: usize,
    number: usize,
    first: &Prim,
) -> Result<(Frame<'static>, Part, Prim), ExportError> {
    let (frame, part) = job.frame_and_part(place, number)?;
    let gone = || {
        let (kind, suffix) = (first.kind, first.suffix);
        Prim { kind, suffix, fixed: "", faces: Vec::new(), places: Vec::new(), texture: None }
    };
    let prim = prims(&part).into_iter().find(|prim| prim.kind == first.kind).unwrap_or_else(gone);
    Ok((frame, part, prim))
}

fn write_prim(job: &Job<'_>, file: &mut Output, number: usize, first: &Prim, name: &str) -> Result<(), Failure> {
    let mut extents = Vec::new();
    writeln!(file, "    def {} \"{name}\"\n    {{\n{}", first.kind, first.fixed)?;
    // Places in the list of frames where the mesh is another than before.
    let changes: Vec<usize> = (1..job.frames.len()).filter(|&k| job.changes_at(k, number)).collect();
    for (attribute, value) in &first.faces {
        if changes.is_empty() {
            writeln!(file, "        int[] {attribute} = {value}")?;
            continue;
        }
        writeln!(file, "        int[] {attribute}.timeSamples = {{")?;
        for &place in [0].iter().chain(&changes) {
            let (_, _, prim) = piece_at(job, place, number, first)?;
            let value = prim.faces.iter().find(|(other, _)| other == attribute).map_or("[]", |(_, value)| value);
            writeln!(file, "            {}: {value},", job.frames[place])?;
        }
        writeln!(file, "        }}")?;
    }
    // Of a mesh that changes they would be those of the first.
    if let (Some(texture), []) = (&first.texture, &changes[..]) {
        writeln!(
            file,
            "        texCoord2f[] primvars:st = {texture} (\n            interpolation = \"faceVarying\"\n        )"
        )?;
    }
    // What stands still has one sample, which holds for all times.
    let (is_collider, is_still) = (job.parts[number].is_collider, job.parts[number].is_still);
    let frames = if is_still { &job.frames[..1] } else { &job.frames[..] };
    writeln!(file, "        point3f[] points.timeSamples = {{")?;
    let mut has_velocities = !is_collider;
    for (place, code) in frames.iter().enumerate() {
        let (frame, part, prim) = piece_at(job, place, number, first)?;
        let points = job.singles("the position", *code, &frame.positions, &part)?;
        has_velocities &= frame.velocities.is_some();
        let points = || prim.places.iter().map(|&place| points[place as usize]);
        // Nothing has no extent.
        let none = prim.places.is_empty().then_some(([0.0; 3], [0.0; 3]));
        extents.push(none.unwrap_or_else(|| {
            points().fold(([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]), |(low, high), p| {
                (std::array::from_fn(|c| low[c].min(p[c])), std::array::from_fn(|c| high[c].max(p[c])))
            })
        }));
        writeln!(file, "            {code}: {},", vectors(points()))?;
    }
    writeln!(file, "        }}\n        float3[] extent.timeSamples = {{")?;
    for (code, (low, high)) in frames.iter().zip(extents) {
        writeln!(file, "            {code}: {},", vectors([low, high].into_iter()))?;
    }
    writeln!(file, "        }}")?;
    if job.options.normals && first.kind == "Mesh" {
        writeln!(file, "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )")?;
        writeln!(file, "        normal3f[] normals.timeSamples = {{")?;
        for (place, code) in frames.iter().enumerate() {
            let (frame, part, prim) = piece_at(job, place, number, first)?;
            let positions: Vec<Vec3> = job.positions(&frame, &part).collect();
            let normals = normals(&part, &positions);
            let normals = prim.places.iter().map(|&place| normals[place as usize]);
            writeln!(file, "            {code}: {},", vectors(normals))?;
        }
        writeln!(file, "        }}")?;
    }
    if has_velocities {
        writeln!(file, "        vector3f[] velocities.timeSamples = {{")?;
        for (place, code) in job.frames.iter().enumerate() {
            let (frame, part, prim) = piece_at(job, place, number, first)?;
            let velocities: Vec<Vec3> = frame.velocities.unwrap_or_default().into_owned();
            let velocities = job.singles("the velocity", *code, &velocities, &part)?;
            let velocities = prim.places.iter().map(|&place| velocities[place as usize]);
            writeln!(file, "            {code}: {},", vectors(velocities))?;
        }
        writeln!(file, "        }}")?;
    }
    writeln!(file, "    }}")?;
    Ok(())
}

fn list(numbers: impl Iterator<Item = impl ToString>) -> String {
    format!("[{}]", numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(", "))
}

fn points(points: &[[f64; 2]]) -> String {
    let mut text = String::from("[");
    for (place, [u, v]) in points.iter().map(|point| point.map(|c| c as f32)).enumerate() {
        let separator = if place == 0 { "" } else { ", " };
        let _ = write!(text, "{separator}({u:?}, {v:?})");
    }
    text.push(']');
    text
}

fn vectors(vectors: impl Iterator<Item = [f32; 3]>) -> String {
    let mut text = String::from("[");
    for (place, [x, y, z]) in vectors.enumerate() {
        let separator = if place == 0 { "" } else { ", " };
        // A string takes everything.
        let _ = write!(text, "{separator}({x:?}, {y:?}, {z:?})");
    }
    text.push(']');
    text
}

/// A name of letters, digits and underscores that begins with no digit.
fn identifier(name: &str) -> String {
    let mut safe: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if safe.starts_with(|c: char| c.is_ascii_digit()) {
        safe.insert(0, '_');
    }
    safe
}
