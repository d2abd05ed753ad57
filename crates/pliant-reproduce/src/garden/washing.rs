//! A washing line and clothes on it: curves and sheets of springs that resist bending.

use pliant::energy::MeanCurvatureBending;
use pliant::mesh::{Edge, Simplices};
use pliant::prelude::*;

use super::curve_bending;
use crate::ReproduceError;

pub(super) const LINE: &str = "line";
/// Axial stiffness \[N\], bending stiffness \[N·m²\] and mass per length \[kg/m\] of the line.
const LINE_STIFFNESS: f64 = 5e3;
const LINE_BENDING: f64 = 1e-3;
const LINE_DENSITY: f64 = 0.03;
/// Thickness of the line \[m\].
pub(super) const THICKNESS: f64 = 0.012;
/// Membrane stiffness \[N/m\], bending stiffness \[N·m\] and mass per area \[kg/m²\] of clothes.
const MEMBRANE: f64 = 800.0;
const BENDING: f64 = 6e-4;
const DENSITY: f64 = 0.3;
/// Distance of pegs \[m\].
const PEGS: f64 = 0.1;

/// Name, width and height \[m\], colour, and which part of the rectangle it is made of: shares of the width from its middle and of the
/// height from its top.
type Pattern = (&'static str, [f64; 2], u32, fn(f64, f64) -> bool);

const PATTERNS: [Pattern; 4] = [
    ("sheet", [1.0, 1.15], 0xf4f1e8, |_, _| true),
    ("shirt", [0.9, 0.8], 0xd9573f, |x, y| (x.abs() < 0.26 || y < 0.3) && !(x.abs() < 0.12 && y < 0.07)),
    ("trousers", [0.55, 0.95], 0x3f6ea8, |x, y| y < 0.3 || x.abs() > 0.06),
    ("towel", [0.55, 0.8], 0xe8b84a, |_, _| true),
];

#[derive(Debug)]
pub(crate) struct Washing {
    line: Vec<Vec3>,
    pub(crate) garments: Vec<Garment>,
}

#[derive(Debug)]
pub(crate) struct Garment {
    pub(crate) name: &'static str,
    pub(crate) mesh: TriangleMesh,
    pub(crate) height: f64,
    pub(super) color: u32,
    /// Vertices that are pegged to vertices of the line.
    pub(crate) pegs: Vec<(u32, u32)>,
}

impl Washing {
    /// On a line between two hooks, with vertices about `pitch` apart \[m\].
    pub(super) fn new(from: (u32, Vec3), to: (u32, Vec3), pitch: f64) -> Result<Self, ReproduceError> {
        let (from, to) = (from.1, to.1);
        let segments = (from.distance(to) / pitch).round() as usize;
        let line: Vec<Vec3> = (0..=segments).map(|k| from.lerp(to, k as f64 / segments as f64)).collect();
        let clothes: f64 = PATTERNS.iter().map(|(_, [width, _], ..)| width).sum();
        let gap = (to.x - from.x - clothes) / (PATTERNS.len() + 1) as f64;
        let (mut garments, mut left) = (Vec::new(), from.x + gap);
        for (name, [width, height], color, covers) in PATTERNS {
            let [columns, rows] = [width, height].map(|side| (side / pitch).round() as usize);
            let whole = Sheet { width, height, columns, rows, plane: Plane::Xy, ..Sheet::default() }.mesh()?;
            let centre = left + 0.5 * width;
            let top = from.lerp(to, (centre - from.x) / (to.x - from.x));
            let cell = [width / columns as f64, height / rows as f64];
            let mesh = cut_out(&whole, cell, |x, y| covers(x / width, 0.5 - y / height))?;
            let mesh = mesh.translated(top - Vec3::Y * (0.5 * height));
            let upper = mesh.positions.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p.y));
            let mut row: Vec<u32> =
                (0u32..).zip(&mesh.positions).filter(|(_, p)| p.y > upper - 1e-6).map(|(v, _)| v).collect();
            row.sort_by(|a, b| mesh.positions[*a as usize].x.total_cmp(&mesh.positions[*b as usize].x));
            let every = (PEGS / pitch).round().max(1.0) as usize;
            let last = row.len() - 1;
            let pegged = row.iter().enumerate().filter(|(k, _)| k % every == 0 || *k == last);
            let pegs = pegged.map(|(_, &v)| (v, super::nearest(&line, mesh.positions[v as usize]).0)).collect();
            garments.push(Garment { name, mesh, height, color, pegs });
            left += width + gap;
        }
        Ok(Self { line, garments })
    }

    /// The line. It has no segments that collide: it ends in walls and wood, and clothes hang on it.
    pub(super) fn line(&self) -> Result<Body, ReproduceError> {
        let rest = &self.line;
        let vertices: Vec<u32> = (0..rest.len() as u32).collect();
        let segments: Vec<Edge> = vertices.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        let mass = LINE_DENSITY * rest[0].distance(rest[1]);
        let springs = EdgeSprings::new(segments, SpringStiffness::Axial(LINE_STIFFNESS));
        Ok(Body::new(rest.clone(), vertices.iter().map(|&v| (v, v, mass)).collect())
            .with_energy(springs.build(rest)?)
            .with_energy(curve_bending([&vertices[..]].into_iter(), rest, LINE_BENDING))
            .named(LINE))
    }

    /// The last vertex of the line.
    pub(super) fn last(&self) -> u32 {
        self.line.len() as u32 - 1
    }
}

impl Garment {
    pub(super) fn body(&self) -> Result<Body, ReproduceError> {
        let Self { mesh, name, .. } = self;
        let mass = (0u32..).zip(mesh.lumped_masses(DENSITY)?).map(|(v, m)| (v, v, m)).collect();
        Ok(Body::new(mesh.positions.clone(), mass)
            .with_energy(EdgeSprings::of_sheet(mesh, MEMBRANE).build(&mesh.positions)?)
            .with_energy(MeanCurvatureBending { stiffness: BENDING }.build(mesh)?)
            .with_surface(mesh.triangles.clone())
            .named(*name))
    }
}

/// The cells of a sheet with middles that satisfy a condition.
fn cut_out(
    sheet: &TriangleMesh,
    cell: [f64; 2],
    covers: impl Fn(f64, f64) -> bool,
) -> Result<TriangleMesh, ReproduceError> {
    let low = sheet.positions.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
    let middle_of = |at: f64, low: f64, cell: f64| low + (((at - low) / cell).floor() + 0.5) * cell;
    let kept = sheet.triangles.iter().filter(|triangle| {
        let centre = triangle.iter().map(|&v| sheet.positions[v as usize]).sum::<Vec3>() / 3.0;
        covers(middle_of(centre.x, low.x, cell[0]), middle_of(centre.y, low.y, cell[1]))
    });
    let (mut renamed, mut positions, mut triangles) = (vec![None; sheet.positions.len()], Vec::new(), Vec::new());
    for triangle in kept {
        triangles.push(triangle.map(|v| {
            *renamed[v as usize].get_or_insert_with(|| {
                positions.push(sheet.positions[v as usize]);
                positions.len() as u32 - 1
            })
        }));
    }
    Ok(TriangleMesh::new(positions, triangles)?)
}
