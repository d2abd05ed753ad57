//! Collects vertices and cells while a file is read, then applies what the options ask for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use pliant::math::Vec3;
use pliant::mesh::tet_volume;

use super::cells::{Shape, split};
use super::error::{Problem, ReadError};
use super::polygon::{Cut, MOST_CORNERS_OF_A_FACE, triangulate};
use super::{Duplicates, ImportedMesh, MaterialCoordinates, ReadOptions};

/// A mesh on its way in.
pub(super) struct Assembly {
    pub(super) mesh: ImportedMesh,
    tally: Tally,
    /// The last polyline is a chain of segments and may grow.
    chain_open: bool,
    /// Vertices and corners that may still come.
    left: u64,
    limit: u64,
    /// Scratch of [`polygon`](Self::polygon).
    corners: Vec<Vec3>,
    cut: Vec<[usize; 3]>,
}

/// What was changed on the way in, for the notes.
#[derive(Default)]
struct Tally {
    polygons: usize,
    guessed: usize,
    short: usize,
    solids: usize,
    turned_prisms: usize,
    reduced: usize,
}

impl Assembly {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Self {
            mesh: ImportedMesh::default(),
            tally: Tally::default(),
            chain_open: false,
            left: options.max_elements,
            limit: options.max_elements,
            corners: Vec::new(),
            cut: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.mesh.notes.push(note.into());
    }

    fn spend(&mut self, count: usize) -> Result<(), ReadError> {
        let over = Problem::OverLimit { what: "vertices and corners of elements", limit: self.limit };
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| over.of_file())?;
        Ok(())
    }

    pub(super) fn vertex(&mut self, position: [f64; 3]) -> Result<(), ReadError> {
        self.spend(1)?;
        // Indices are 32 bits, and the highest is a mark in renumberings.
        if self.mesh.positions.len() >= u32::MAX as usize - 1 {
            return Err(Problem::OverLimit { what: "vertices", limit: u64::from(u32::MAX) - 1 }.of_file());
        }
        self.mesh.positions.push(Vec3::from_array(position));
        Ok(())
    }

    /// The vertex that a file's index means, whose numbers start at `base`.
    pub(super) fn index(&self, index: i64, base: i64) -> Result<u32, Problem> {
        resolve("vertex", index, base, self.mesh.positions.len())
    }

    /// Adds a cell over vertices that exist. More nodes than corners are those of a higher-order cell.
    pub(super) fn cell(&mut self, shape: Shape, nodes: &[u32]) -> Result<(), ReadError> {
        self.spend(nodes.len())?;
        let nodes = match shape.corners() {
            Some(corners) if nodes.len() < corners => {
                let (found, expected) = (nodes.len() as u64, corners as u64);
                return Err(Problem::Mismatch { what: "vertices of a cell", found, expected }.of_file());
            }
            Some(corners) => {
                self.tally.reduced += usize::from(nodes.len() > corners);
                &nodes[..corners]
            }
            None => nodes,
        };
        match shape {
            Shape::Point => {}
            Shape::Segment => self.segment(nodes[0], nodes[1]),
            Shape::Polyline if nodes.len() < 2 => self.tally.short += 1,
            Shape::Polyline => {
                self.mesh.polylines.push(nodes.to_vec());
                self.chain_open = false;
            }
            Shape::Triangle => self.mesh.triangles.push([nodes[0], nodes[1], nodes[2]]),
            Shape::Quad | Shape::Polygon => self.cut_polygon(nodes)?,
            Shape::Pixel => self.cut_polygon(&[nodes[0], nodes[1], nodes[3], nodes[2]])?,
            Shape::Strip => {
                for (i, window) in nodes.windows(3).enumerate() {
                    let [a, b, c] = [window[0], window[1], window[2]];
                    // Strips are stitched together by triangles without area, which are no part of the surface.
                    if a != b && b != c && c != a {
                        self.mesh.triangles.push(if i % 2 == 0 { [a, b, c] } else { [b, a, c] });
                    }
                }
            }
            Shape::Tet => self.mesh.tets.push([nodes[0], nodes[1], nodes[2], nodes[3]]),
            Shape::Pyramid | Shape::Prism | Shape::Hex | Shape::Voxel => self.solid(shape, nodes),
        }
        Ok(())
    }

    fn segment(&mut self, a: u32, b: u32) {
        if self.chain_open
            && let Some(chain) = self.mesh.polylines.last_mut()
            && chain.last() == Some(&a)
            // There and back again is not a strand.
            && !chain.ends_with(&[b, a])
        {
            chain.push(b);
        } else {
            self.mesh.polylines.push(vec![a, b]);
            self.chain_open = true;
        }
    }

    /// Adds a polygon as triangles. Returns the local corners of each, which other corner lists follow.
    pub(super) fn polygon(&mut self, nodes: &[u32]) -> Result<&[[usize; 3]], ReadError> {
        self.spend(nodes.len())?;
        self.cut_polygon(nodes)?;
        Ok(&self.cut)
    }

    fn cut_polygon(&mut self, nodes: &[u32]) -> Result<(), ReadError> {
        self.cut.clear();
        if nodes.len() < 3 {
            self.tally.short += 1;
            return Ok(());
        }
        if nodes.len() > MOST_CORNERS_OF_A_FACE {
            return Err(Problem::TooManyCorners { count: nodes.len(), limit: MOST_CORNERS_OF_A_FACE }.of_file());
        }
        self.corners.clear();
        self.corners.extend(nodes.iter().map(|&vertex| self.mesh.positions[vertex as usize]));
        let cut = triangulate(&self.corners, &mut self.cut);
        if nodes.len() > 3 {
            self.tally.polygons += 1;
            // A quad that names a vertex twice is some programs' way to write a triangle.
            self.cut.retain(|&[a, b, c]| nodes[a] != nodes[b] && nodes[b] != nodes[c] && nodes[c] != nodes[a]);
        }
        self.tally.guessed += usize::from(cut == Cut::Guessed);
        self.mesh.triangles.extend(self.cut.iter().map(|corners| corners.map(|corner| nodes[corner])));
        Ok(())
    }

    fn solid(&mut self, shape: Shape, nodes: &[u32]) {
        let mut tets = split(shape, nodes);
        // Programs disagree on which way round a prism's base runs; no one means a negative volume.
        if shape == Shape::Prism && self.volume(&tets) < 0.0 {
            for tet in &mut tets {
                tet.swap(2, 3);
            }
            self.tally.turned_prisms += 1;
        }
        self.tally.solids += 1;
        self.mesh.tets.extend(tets);
    }

    fn volume(&self, tets: &[[u32; 4]]) -> f64 {
        tets.iter().map(|tet| tet_volume(tet.map(|vertex| self.mesh.positions[vertex as usize]))).sum()
    }

    /// Drops triangles that name a vertex twice, as welding makes of slivers.
    fn drop_collapsed_triangles(&mut self) {
        let before = self.mesh.triangles.len();
        let whole: Vec<bool> = self.mesh.triangles.iter().map(|[a, b, c]| a != b && b != c && c != a).collect();
        if let Some(material) = &mut self.mesh.material_coordinates {
            keep(&mut material.corners, &whole);
        }
        keep(&mut self.mesh.triangles, &whole);
        let dropped = before - self.mesh.triangles.len();
        if dropped > 0 {
            self.note(format!("{dropped} triangles had two corners in the same place and were dropped"));
        }
    }

    /// Sets the corners' material coordinates; `corners` runs parallel to the triangles.
    pub(super) fn set_material_coordinates(&mut self, points: Vec<[f64; 2]>, corners: Vec<[u32; 3]>) {
        self.mesh.material_coordinates = Some(MaterialCoordinates { points, corners });
    }

    /// The mesh, in metres and upright.
    pub(super) fn finish(mut self, options: &ReadOptions) -> Result<ImportedMesh, ReadError> {
        self.tally_notes();
        for (vertex, position) in self.mesh.positions.iter_mut().enumerate() {
            let Vec3 { x, y, z } = *position * options.scale;
            *position = options.up_axis.to_engine(Vec3::new(x, y, z));
            if !position.is_finite() {
                let value = format!("({x}, {y}, {z}) of vertex {vertex}");
                return Err(Problem::NotFinite { what: "scaled position", value }.of_file());
            }
        }
        self.join_duplicates(options.duplicates);
        if options.fix_orientation {
            self.turn_inverted_tets();
        }
        if self.mesh.positions.is_empty() {
            self.note("the file has no vertices");
        }
        Ok(self.mesh)
    }

    fn tally_notes(&mut self) {
        let Tally { polygons, guessed, short, solids, turned_prisms, reduced } = self.tally;
        let mut say = |count: usize, what: &str| {
            if count > 0 {
                self.mesh.notes.push(format!("{count} {what}"));
            }
        };
        say(polygons, "polygons with more than three corners were cut into triangles");
        say(guessed, "of these cross themselves or have no plane, and were cut as fans");
        say(short, "polygons or polylines had too few vertices and were left out");
        say(solids, "hexes, prisms or pyramids were cut into tets");
        say(turned_prisms, "prisms were listed with their base the other way round and were turned");
        say(reduced, "higher-order cells were reduced to their corners; their other nodes remain as vertices");
    }

    fn join_duplicates(&mut self, duplicates: Duplicates) {
        let count = self.mesh.positions.len();
        // For each vertex the first in the same place.
        let mut firsts: HashMap<[u64; 3], u32> = HashMap::with_capacity(count);
        let mut kept: Vec<Vec3> = Vec::new();
        let mut renumbered = Vec::with_capacity(count);
        for &position in &self.mesh.positions {
            // Adding zero turns −0 into +0, which is the same place.
            match firsts.entry((position + Vec3::ZERO).to_array().map(f64::to_bits)) {
                Entry::Occupied(first) => renumbered.push(*first.get()),
                Entry::Vacant(place) => {
                    renumbered.push(*place.insert(kept.len() as u32));
                    kept.push(position);
                }
            }
        }
        let doubled = count - kept.len();
        if doubled == 0 {
            return;
        }
        match duplicates {
            Duplicates::Keep => {
                self.note(format!("{doubled} vertices lie exactly where others do and were kept apart"));
            }
            Duplicates::Weld => {
                self.mesh.positions = kept;
                self.mesh.renumber(&renumbered);
                self.note(format!("{doubled} vertices were joined with others in exactly the same place"));
                self.drop_collapsed_triangles();
            }
        }
    }

    fn turn_inverted_tets(&mut self) {
        let mut turned = 0;
        for tet in &mut self.mesh.tets {
            if tet_volume(tet.map(|vertex| self.mesh.positions[vertex as usize])) < 0.0 {
                tet.swap(2, 3);
                turned += 1;
            }
        }
        if turned > 0 {
            self.note(format!("{turned} tets had negative volume and were turned"));
        }
    }
}

/// A file's index as an offset into a list.
pub(super) fn resolve(what: &'static str, index: i64, base: i64, count: usize) -> Result<u32, Problem> {
    let offset = index.checked_sub(base).and_then(|offset| usize::try_from(offset).ok());
    match offset {
        Some(offset) if offset < count => {
            u32::try_from(offset).map_err(|_| Problem::OverLimit { what: "indices", limit: u64::from(u32::MAX) })
        }
        _ => Err(Problem::IndexOutOfRange { what, index, count }),
    }
}

/// Keeps the items whose flag is set.
fn keep<T>(items: &mut Vec<T>, flags: &[bool]) {
    let mut flags = flags.iter();
    items.retain(|_| flags.next().copied().unwrap_or(true));
}
