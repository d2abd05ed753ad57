//! Cells as VTK stores them, in both of its file formats: where each ends in one list of vertices, and its type.

use super::assembly::Assembly;
use super::cells::Shape;
use super::error::{Place, Problem, ReadError};

/// Cells end to end.
#[derive(Default)]
pub(super) struct CellList {
    /// Where each cell ends in the list.
    pub(super) ends: Vec<i64>,
    /// The vertices of all cells, from zero.
    pub(super) vertices: Vec<i64>,
}

impl CellList {
    /// From VTK's older form, each cell's vertices behind their number.
    pub(super) fn from_counted(values: &[i64], count: usize) -> Result<Self, Problem> {
        let mut list = Self::default();
        let mut rest = values;
        for _ in 0..count {
            let Some((&size, after)) = rest.split_first() else {
                return Err(Problem::Mismatch { what: "cells", found: list.ends.len() as u64, expected: count as u64 });
            };
            let cell = usize::try_from(size).ok().and_then(|size| after.split_at_checked(size));
            let (cell, after) =
                cell.ok_or_else(|| Problem::unexpected("number of a cell's vertices", size.to_string().as_bytes()))?;
            list.vertices.extend_from_slice(cell);
            list.ends.push(list.vertices.len() as i64);
            rest = after;
        }
        Ok(list)
    }

    /// Adds the cells, of types that `kind` tells; their vertices count from `first`.
    pub(super) fn add(
        &self,
        kind: impl Fn(usize) -> Result<Option<Shape>, Problem>,
        first: usize,
        assembly: &mut Assembly,
    ) -> Result<(), ReadError> {
        let mut start = 0;
        let mut nodes = Vec::new();
        for (cell, &end) in self.ends.iter().enumerate() {
            let place = || Place::Path(format!("cell {cell}"));
            let range = usize::try_from(end).ok().and_then(|end| self.vertices.get(start..end));
            let Some(vertices) = range else {
                let problem = Problem::unexpected("rising offsets within the list", end.to_string().as_bytes());
                return Err(problem.at(place()));
            };
            start += vertices.len();
            let Some(shape) = kind(cell).map_err(|problem| problem.at(place()))? else { continue };
            nodes.clear();
            let count = assembly.mesh.positions.len() - first;
            for &vertex in vertices {
                let local = super::assembly::resolve("vertex", vertex, 0, count);
                nodes.push(local.map_err(|problem| problem.at(place()))? + first as u32);
            }
            assembly.cell(shape, &nodes).map_err(|error| error.problem.at(place()))?;
        }
        Ok(())
    }
}

/// What a cell type is; nothing for cells without extent.
pub(super) fn shape_of(kind: i64) -> Result<Option<Shape>, Problem> {
    Ok(Some(match kind {
        0..=2 => return Ok(None),
        3 | 21 | 35 | 68 | 75 => Shape::Segment,
        4 => Shape::Polyline,
        5 | 22 | 34 | 69 | 76 => Shape::Triangle,
        6 => Shape::Strip,
        7 => Shape::Polygon,
        8 => Shape::Pixel,
        9 | 23 | 28 | 70 | 77 => Shape::Quad,
        10 | 24 | 71 | 78 => Shape::Tet,
        11 => Shape::Voxel,
        12 | 25 | 29 | 72 | 79 => Shape::Hex,
        13 | 26 | 32 | 73 | 80 => Shape::Prism,
        14 | 27 | 37 | 74 | 81 => Shape::Pyramid,
        other => return Err(Problem::Unsupported { what: format!("VTK cell type {other}") }),
    }))
}
