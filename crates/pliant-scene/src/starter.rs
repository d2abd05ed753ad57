//! A scene to begin with, for a mesh that somebody has.

use std::collections::HashMap;
use std::fmt::Write;

use pliant::math::Vec3;
use pliant::mesh::Bounds;
use pliant_io::read::{Duplicates, Files, ImportedMesh, ReadError, ReadOptions};

/// Sizes of a mesh \[its units\] that are taken for metres. Others are shown one metre large.
const METRES: std::ops::RangeInclusive<f64> = 0.05..=20.0;

/// A scene to begin with for a mesh file: the body falls onto a floor. Tets become a soft solid, a closed surface is filled with tets, an open surface becomes cloth, and lines
/// become cords.
///
/// ```
/// use pliant_io::read::Files;
/// use pliant_scene::{Scene, scene_of_mesh};
/// let files = Files::in_memory([("flag.obj".to_owned(), b"v 0 0 0\nv 300 0 0\nv 300 200 0\nf 1 2 3\n".to_vec())]);
/// let text = scene_of_mesh("flag.obj", &files)?;
/// assert!(text.contains("material.cloth"));
/// let run = Scene::parse_among("flag.toml", &text, &[], &files)?.build()?;
/// assert!(run.sim.positions().iter().all(|vertex| vertex.y > 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scene_of_mesh(path: &str, files: &Files) -> Result<String, ReadError> {
    // Surfaces that are cut along creases and seams of a picture are closed all the same.
    let options = ReadOptions { duplicates: Duplicates::Weld, ..ReadOptions::default() };
    let mut mesh = files.read_mesh(path, &options)?;
    mesh.remove_unused_vertices();
    let (content, material) = if !mesh.tets.is_empty() {
        ("solid", "material.solid = { preset = \"jelly\" }")
    } else if !mesh.triangles.is_empty() && is_closed(&mesh) {
        ("fill", "material.solid = { preset = \"jelly\" }")
    } else if !mesh.triangles.is_empty() {
        ("surface", "material.cloth = { preset = \"cotton\" }")
    } else {
        ("strands", "material.strand = { preset = \"cord\" }")
    };
    let (name, file) = (quoted(&mesh.name), quoted(path));
    let bounds = Bounds::around(&mesh.positions).unwrap_or(Bounds { min: Vec3::ZERO, max: Vec3::ZERO });
    let size = bounds.size().max_element();
    let scale = if METRES.contains(&size) || size <= 0.0 { 1.0 } else { rounded(1.0 / size) };
    // A third of its size above the floor.
    let place = -scale * bounds.centre().with_y(bounds.min.y - size / 3.0);
    let place = place.to_array().map(rounded);
    let mut text = format!("title = {name}\n\n[[collider]]\nname = \"floor\"\nshape.plane = {{}}\nfriction = 0.4\n\n");
    let _ = write!(text, "[[body]]\nname = {name}\n{material}\ntransform = {{ translate = {place:?} }}\n\n");
    let _ = write!(text, "[body.shape.file]\npath = {file}\ncontent = \"{content}\"\n");
    if scale != 1.0 {
        let _ = writeln!(text, "metres_per_unit = {scale:?}   # it is {} units large", rounded(size));
    }
    if content == "fill" {
        let cells = cells_for(signed_volume(&mesh) / size.powi(3));
        let _ = writeln!(
            text,
            "cells = {cells}       # along its longest side\npieces = \"all\"   # thin parts may come apart"
        );
    }
    Ok(text)
}

/// Volume that the triangles of a closed surface enclose \[cubes of its units\].
fn signed_volume(mesh: &ImportedMesh) -> f64 {
    let corner = |vertex: u32| mesh.positions[vertex as usize];
    mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum::<f64>().abs()
}

/// Cells along the longest side of a solid that fills a share of the cube around it: as many as can be simulated while somebody looks on.
fn cells_for(share: f64) -> usize {
    const CELLS: f64 = 200.0;
    let cells = (CELLS / share).cbrt();
    if cells.is_finite() { cells.clamp(6.0, 20.0) as usize } else { 16 }
}

/// A word of TOML.
fn quoted(word: &str) -> String {
    toml_edit::Value::from(word).to_string()
}

/// To four digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// Whether each edge of the triangles has two sides.
fn is_closed(mesh: &ImportedMesh) -> bool {
    let mut sides: HashMap<[u32; 2], usize> = HashMap::new();
    for &[a, b, c] in &mesh.triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *sides.entry([from.min(to), from.max(to)]).or_default() += 1;
        }
    }
    sides.values().all(|count| count.is_multiple_of(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scene;

    /// A cube of 200 units whose sides do not share their corners.
    fn cube() -> String {
        let mut text = String::new();
        for side in 0..6 {
            let corner = |u: f64, v: f64| {
                let (axis, far) = (side / 2, (side % 2) as f64);
                let (u, v) = if side % 2 == 0 { (v, u) } else { (u, v) };
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (far, u, v);
                p.map(|x| 200.0 * x)
            };
            for [x, y, z] in [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)] {
                let _ = writeln!(text, "v {x} {y} {z}");
            }
            text.push_str("f -4 -3 -2 -1\n");
        }
        text
    }

    #[test]
    fn every_kind_of_mesh_becomes_a_scene_that_falls_onto_its_floor() -> Result<(), Box<dyn std::error::Error>> {
        let tet =
            "MeshVersionFormatted 2 Dimension 3 Vertices 4 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 Tetrahedra 1 1 2 3 4 0 End";
        let cases = [
            ("cube.obj", cube(), "content = \"fill\"", "material.solid"),
            ("a \"name\".mesh", tet.to_owned(), "content = \"solid\"", "material.solid"),
            ("flag.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n".to_owned(), "content = \"surface\"", "material.cloth"),
            ("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nl 1 2 3\n".to_owned(), "content = \"strands\"", "material.strand"),
        ];
        for (path, mesh, content, material) in cases {
            let files = Files::in_memory([(path.to_owned(), mesh.into_bytes())]);
            let text = scene_of_mesh(path, &files)?;
            assert!(text.contains(content) && text.contains(material), "{text}");
            let mut run = Scene::parse_among("dropped.toml", &text, &[], &files)?.build()?;
            let heights = |run: &crate::SceneRun| -> Vec<f64> { run.sim.positions().iter().map(|x| x.y).collect() };
            let lowest = |run: &crate::SceneRun| heights(run).into_iter().fold(f64::INFINITY, f64::min);
            let highest = heights(&run).into_iter().fold(0.0, f64::max);
            let before = lowest(&run);
            assert!(before > 0.0 && highest < 2.0, "{path} is from {before} m to {highest} m");
            for _ in 0..5 {
                run.step()?;
            }
            assert!(lowest(&run) < before, "{path} hangs in the air");
        }
        Ok(())
    }

    #[test]
    fn what_fills_little_of_its_box_has_finer_cells() {
        let cells = [1.0, 0.3, 1e-3, 0.0, f64::NAN].map(cells_for);
        assert_eq!(cells, [6, 8, 20, 16, 16]);
    }

    #[test]
    fn what_is_no_mesh_is_refused_by_its_name() {
        let files = Files::in_memory([("notes.txt".to_owned(), b"hello".to_vec())]);
        let error = scene_of_mesh("notes.txt", &files).map_err(|error| error.to_string());
        assert!(error.as_ref().is_err_and(|text| text.starts_with("notes.txt: unknown format")), "{error:?}");
    }
}
