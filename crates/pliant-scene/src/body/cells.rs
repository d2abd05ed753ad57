//! `material.matched.regions.lattice` and `.octree`: particles that fill a closed surface, and the surface that follows them.

use std::cell::Cell;

use pliant::math::Vec3;
use pliant::mesh::sdf::{SignedDistance, SurfaceDistance};
use pliant::mesh::{Edge, MassEntry, Placed, PointSet, TriangleMesh, connected_components, tet_volume};
use pliant::{Body, Lattice, MatchedSkin, Octree, RegionError, Regions};

use super::matched::with_regions;
use super::shape::{Placing, Shape};
use crate::budget::{Budget, cells_in};
use crate::fault::Fault;
use crate::format::{MatchedSection, PiecesName, RegionsSection};

/// How far from the surface cells of an octree are split, in their own sizes, if nothing is said.
const STANDARD_DETAIL: f64 = 1.0;
/// Particles in all regions of an octree together: they are looked for one by one.
const MOST_MEMBERS: f64 = 3e8;

/// A body of particles where it stands.
pub(super) struct Filled {
    pub(super) body: Body,
    pub(super) shape: Shape,
    /// How its surface follows it, where that is shown.
    pub(super) skin: Option<MatchedSkin>,
}

/// Particles with their regions.
struct Filling {
    points: PointSet,
    /// Sizes of their cells \[m\].
    sizes: Vec<f64>,
    links: Vec<Edge>,
    regions: Regions,
    /// Between the outermost particles, for what acts on surfaces; octrees have none.
    outside: Vec<[u32; 3]>,
}

/// Fills a shape that has not been placed, where the material asks for it. Cells stand along the shape's own axes, and have their size in the world.
pub(super) fn fill(
    material: &MatchedSection,
    shape: &Shape,
    placing: &Placing,
    budget: &mut Budget,
) -> Result<Option<Filled>, Fault> {
    let (kind, is_shown) = match material.regions {
        RegionsSection::Lattice { surface, .. } => ("lattice", surface),
        RegionsSection::Octree { surface, .. } => ("octree", surface),
        _ => return Ok(None),
    };
    let inside = |fault: Fault| fault.inside(&format!("material.matched.regions.{kind}"));
    let surface = surface_of(shape, kind)?.scaled(placing.scale());
    let solid = SurfaceDistance::new(&surface).map_err(|error| Fault::new("shape", error.to_string()))?;
    let volume = volume_in(&surface);
    let open = solid.report().open_edges;
    if open > 0 {
        let message =
            format!("the surface is open: {open} of its edges have a triangle on one side only, so nothing is inside");
        return Err(Fault::new("shape", message));
    }
    let is_shown = is_shown.unwrap_or(true);
    if is_shown && material.toughness.is_some() {
        let fault = Fault::new("surface", "a surface does not break with the particles that it follows");
        return Err(inside(fault.hint("surface = false shows the particles in its place")));
    }
    if !(material.density > 0.0 && material.density.is_finite()) {
        let message = format!("density is {}, but must be finite and positive", material.density);
        return Err(Fault::new("material.matched.density", message));
    }
    let filling = Filling::new(material.regions, &solid, budget).map_err(inside)?;
    let Filling { points, sizes, links, regions, mut outside } = filling;
    if material.toughness.is_some() {
        // It would go on across cracks.
        outside.clear();
    }
    let shape = placing.without_scale().place(Shape::Cells { points, links, surface: is_shown.then_some(surface) });
    let Shape::Cells { points, links, surface } = &shape else { return Ok(None) };
    let skin = surface.as_ref().map(|mesh| MatchedSkin::new(&points.positions, &sizes, links, &mesh.positions));
    let skin = skin.transpose().map_err(|error| Fault::new("shape", error.to_string()))?;
    // Cells hold more or less than the surface does; the body has the mass of what is inside that.
    let filled: f64 = sizes.iter().map(|size| size.powi(3)).sum();
    let density = material.density * volume / filled;
    let masses = (0u32..).zip(&sizes).map(|(v, size)| (v, v, density * size.powi(3)));
    let body = Body::new(points.positions.clone(), masses.collect::<Vec<MassEntry>>());
    let body = body.with_surface(outside).with_matching(with_regions(material, regions)?);
    Ok(Some(Filled { body, shape, skin }))
}

/// The volume in a closed surface \[m³\], whose vertices may be there several times.
fn volume_in(surface: &TriangleMesh) -> f64 {
    let origin = surface.positions.first().copied().unwrap_or_default();
    let corners = surface.triangles.iter().map(|t| t.map(|v| surface.positions[v as usize]));
    corners.map(|[a, b, c]| tet_volume([origin, a, b, c])).sum::<f64>().abs()
}

/// What is to be filled.
fn surface_of(shape: &Shape, kind: &str) -> Result<TriangleMesh, Fault> {
    match shape {
        Shape::Surface { mesh, .. } | Shape::Solid { skin: Some(mesh), .. } => Ok(mesh.clone()),
        Shape::Solid { mesh, skin: None } => {
            Ok(mesh.surface().map_err(|error| Fault::new("shape", error.to_string()))?.mesh)
        }
        Shape::Strands(_) | Shape::Particles { .. } | Shape::Cells { .. } => {
            Err(Fault::new("shape", format!("a matched {kind} fills a surface, which this shape does not have")))
        }
    }
}

impl Filling {
    /// Faults are at keys of the section.
    fn new(section: RegionsSection, solid: &SurfaceDistance, budget: &mut Budget) -> Result<Self, Fault> {
        let (filling, size, pieces) = match section {
            RegionsSection::Lattice { spacing, width, pieces, .. } => {
                (Self::lattice(solid, spacing, width, pieces, budget)?, "spacing", pieces)
            }
            RegionsSection::Octree { size, levels, width, detail, pieces, .. } => {
                let detail = detail.unwrap_or(STANDARD_DETAIL);
                (Self::octree(solid, [size, width, detail], levels, pieces, budget)?, "size", pieces)
            }
            _ => return Err(Fault::new("", "these regions fill nothing")),
        };
        let count = connected_components(filling.sizes.len(), &filling.links).count;
        if pieces.unwrap_or_default() == PiecesName::Refuse && count > 1 {
            let hint = "smaller cells keep thin parts together; pieces = \"all\" or \"largest\" keeps pieces";
            return Err(Fault::new(size, format!("the solid falls into {count} pieces")).hint(hint));
        }
        Ok(filling)
    }

    fn lattice(
        solid: &SurfaceDistance,
        spacing: f64,
        width: usize,
        pieces: Option<PiecesName>,
        budget: &mut Budget,
    ) -> Result<Self, Fault> {
        check_length("spacing", spacing)?;
        if width == 0 {
            return Err(Fault::new(
                "width",
                "width is 0, but must be at least 1: nothing would hold particles together",
            ));
        }
        budget.take(cells_in(&solid.bounds(), spacing)).map_err(|message| Fault::new("spacing", message))?;
        let lattice = Lattice::fill_centred(solid, spacing).map_err(|error| refused(&error, "spacing", spacing))?;
        let lattice = if pieces == Some(PiecesName::Largest) { lattice.largest_piece() } else { lattice };
        Ok(Self {
            points: lattice.points(),
            sizes: vec![spacing; lattice.cells().len()],
            links: lattice.edges(),
            regions: lattice.regions(width),
            outside: lattice.surface(),
        })
    }

    fn octree(
        solid: &SurfaceDistance,
        [size, width, detail]: [f64; 3],
        levels: u32,
        pieces: Option<PiecesName>,
        budget: &mut Budget,
    ) -> Result<Self, Fault> {
        check_length("size", size)?;
        check_length("width", width)?;
        if !(detail >= 0.0 && detail.is_finite()) {
            return Err(Fault::new("detail", format!("detail is {detail}, but must be finite and at least 0")));
        }
        budget.take(cells_in(&solid.bounds(), size)).map_err(|message| Fault::new("size", message))?;
        // What is split is counted on the way, and stops when there are too many.
        let (asked, left) = (Cell::new(0u64), budget.left());
        let octree = Octree::fill(solid, size, levels, |cell, distance| {
            let splits = distance.abs() <= detail * cell.size && asked.get() <= left;
            asked.set(asked.get() + if splits { 8 } else { 0 });
            splits
        });
        budget.take(asked.get().into()).map_err(|message| Fault::new("levels", message))?;
        let octree = octree.map_err(|error| match error {
            RegionError::BadNumber { name: "number of levels", .. } => Fault::new("levels", error.to_string()),
            _ => refused(&error, "size", size),
        })?;
        let octree = if pieces == Some(PiecesName::Largest) { octree.largest_piece() } else { octree };
        let (points, links) = (octree.points(), octree.edges());
        check_reach(&points.positions, &links, width)?;
        let finest = octree.cells().iter().fold(f64::INFINITY, |least, cell| least.min(cell.size));
        let count = points.positions.len() as f64;
        let members = count * count.min((2.0 * width / finest + 1.0).powi(3));
        if members > MOST_MEMBERS {
            let message = format!("width is {width}, with which regions have about {members:.0} particles together");
            return Err(Fault::new("width", message).hint("wide regions of many particles want a lattice"));
        }
        let regions = octree.regions(width).map_err(|error| Fault::new("width", error.to_string()))?;
        Ok(Self {
            points,
            sizes: octree.cells().iter().map(|cell| cell.size).collect(),
            links,
            regions,
            outside: Vec::new(),
        })
    }
}

fn check_length(name: &str, value: f64) -> Result<(), Fault> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Fault::new(name, format!("{name} is {value}, but must be finite and positive")))
}

/// Regions must reach the nearest neighbour of each particle: else nothing would hold it.
fn check_reach(positions: &[Vec3], links: &[Edge], width: f64) -> Result<(), Fault> {
    let mut nearest = vec![f64::INFINITY; positions.len()];
    for &[a, b] in links {
        let length = positions[a as usize].distance(positions[b as usize]);
        [a, b].iter().for_each(|&v| nearest[v as usize] = nearest[v as usize].min(length));
    }
    let needed = nearest.into_iter().filter(|length| length.is_finite()).fold(0.0, f64::max);
    if width * (1.0 + 1e-9) >= needed {
        return Ok(());
    }
    let message = format!("width is {width}, but a particle has its nearest neighbour {needed} m away");
    Err(Fault::new("width", message))
}

/// The fault of a filling that the engine refuses.
fn refused(error: &RegionError, key: &str, size: f64) -> Fault {
    match error {
        RegionError::TooCoarse { extent, .. } => {
            let message = format!("{key} is {size} m, which makes one particle of a body that is {extent} m long");
            Fault::new(key, message).hint("make it smaller")
        }
        RegionError::NoRegions => {
            Fault::new(key, format!("{key} is {size}, so that no cell has its middle inside")).hint("make it smaller")
        }
        _ => Fault::new(key, error.to_string()),
    }
}
