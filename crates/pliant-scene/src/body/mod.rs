//! From a `[[body]]` section to a body of the engine.

mod cells;
mod constraint;
mod energy;
mod matched;
mod matched_cloth;
mod material;
mod oriented;
mod pose;
mod shape;
mod solid;
mod threads;
mod upsample;
mod wrinkles;

pub(crate) use material::cloth;
pub(crate) use shape::up_axis;
pub(crate) use solid::build_solid;
pub(crate) use upsample::refinement;

use std::collections::HashMap;

use pliant::Body;
use pliant::energy::PositionGoals;
use pliant::math::functions::hypot;
use pliant::mesh::{Edge, Embedding, StrandSet, TriangleMesh};
use pliant_io::read::Files;
use pliant_io::store::Topology;
use pliant_io::write::TextureCoordinates;

use self::constraint::build_constraint;
use self::energy::{Ground, build_energy};
use self::material::{Made, Workshop};
use self::shape::{FlatTriangle, Placing, Shape, build_shape};
use crate::budget::Budget;
use crate::error::similar;
use crate::fault::Fault;
use crate::format::{BodySection, EnergySection, FlatPieces, MaterialSection, ShapeSection};
use crate::motion::check_keyframes;
use crate::rider::Rider;
use crate::select::resolve;
use crate::solver::choice;
use crate::tear::tearing;

/// A body of the engine with what the scene still needs of it.
pub(crate) struct BuiltBody {
    pub(crate) body: Body,
    /// Edges with their rest lengths, for the measure of stretch.
    pub(crate) edges: Vec<(Edge, f64)>,
    /// Vertices of each pin section.
    pub(crate) pins: Vec<Vec<u32>>,
    /// Vertices of each handle section.
    pub(crate) handles: Vec<Vec<u32>>,
    /// Goals of energies before those of the handles.
    pub(crate) fixed_goals: usize,
    /// How the surface that is shown follows, where it is not the body's own.
    pub(crate) rider: Option<Rider>,
    /// That surface at rest, where it stands in place of the body's: with wrinkles, or upsampled.
    wrinkled: Option<TriangleMesh>,
    shape: Shape,
    /// The surface of what is made of strands.
    skin: Option<TriangleMesh>,
    is_rigid: bool,
}

impl BuiltBody {
    /// Its strands, if it is made of them.
    pub(crate) fn strands(&self) -> Option<&StrandSet> {
        self.shape.strands()
    }

    /// Its mesh, if it is a surface that deforms.
    pub(crate) fn surface(&self) -> Option<&TriangleMesh> {
        match &self.shape {
            Shape::Surface { mesh, .. } if !self.is_rigid => Some(mesh),
            _ => None,
        }
    }

    /// Its texture coordinates, if the surface that is stored is that of a file that has them.
    pub(crate) fn textures(&self, name: &str) -> Option<TextureCoordinates> {
        match &self.shape {
            Shape::Surface { flat: Some(flat), .. } if self.wrinkled.is_none() => {
                Some(TextureCoordinates { body: name.to_owned(), corners: flat.clone() })
            }
            _ => None,
        }
    }

    /// Adds the body to what is stored of a run.
    pub(crate) fn describe(&self, name: &str, topology: &mut Topology) {
        if let Some(fine) = &self.wrinkled {
            topology.add_surface(name, fine);
            return;
        }
        match &self.shape {
            Shape::Surface { mesh, .. } if self.is_rigid => topology.add_rigid(name, mesh),
            Shape::Surface { mesh, .. } => topology.add_surface(name, mesh),
            Shape::Solid { mesh, skin: None } => topology.add_solid(name, mesh),
            Shape::Solid { mesh, skin: Some(skin) } => topology.add_solid_with_surface(name, mesh, skin),
            Shape::Strands(strands) => match &self.skin {
                Some(skin) => topology.add_strands_with_surface(name, strands, skin),
                None => topology.add_strands(name, strands),
            },
            Shape::Particles { points, .. } | Shape::Cells { points, surface: None, .. } => {
                topology.add_points(name, points);
            }
            Shape::Cells { points, links, surface: Some(surface) } => {
                topology.add_particles_with_surface(name, points, links, surface);
            }
        }
    }
}

/// Builds the body at a place of the list; files are looked up in `files`.
pub(crate) fn build_body(
    bodies: &[BodySection],
    at: usize,
    files: &Files,
    budget: &mut Budget,
) -> Result<BuiltBody, Fault> {
    let section = &bodies[at];
    let placing = Placing::new(section.transform.as_ref())?;
    let unplaced = build_shape(own_shape(bodies, at)?, files, budget)?;
    let Made { mut body, shape, skin, mut rider, is_rigid } =
        material::make(&section.material, unplaced, &mut Workshop { placing: &placing, files, budget })?;
    let edges = match &shape {
        Shape::Surface { mesh, .. } => mesh.edges(),
        Shape::Solid { mesh, .. } => mesh.edges(),
        Shape::Strands(strands) => strands.edges(),
        Shape::Cells { links, .. } => links.clone(),
        Shape::Particles { .. } => Vec::new(),
    };
    let rest = shape.positions();
    let ground = Ground { shape: &shape, edges: &edges, files, placing: &placing };
    let mut fixed_goals = 0;
    for (k, energy) in section.energy.iter().enumerate() {
        let batch = build_energy(energy, &ground).map_err(|fault| fault.inside(&format!("energy.{k}")))?;
        if matches!(energy, EnergySection::Position { .. }) {
            fixed_goals += batch.operator().len();
        }
        body = body.with_energy(batch);
    }
    for (k, constraint) in section.constraint.iter().enumerate() {
        let batch = build_constraint(constraint, &ground).map_err(|fault| fault.inside(&format!("constraint.{k}")))?;
        body = body.with_constraints(batch);
    }
    let mut pins = Vec::new();
    for (k, pin) in section.pin.iter().enumerate() {
        check_keyframes(&format!("pin.{k}"), &pin.keyframe)?;
        let chosen = resolve(&pin.select, rest, shape.strands())
            .map_err(|message| Fault::new(format!("pin.{k}.select"), message))?;
        pins.push(chosen);
    }
    let mut handles = Vec::new();
    for (k, handle) in section.handle.iter().enumerate() {
        let key = |name: &str| format!("handle.{k}.{name}");
        check_keyframes(&format!("handle.{k}"), &handle.keyframe)?;
        let chosen =
            resolve(&handle.select, rest, shape.strands()).map_err(|message| Fault::new(key("select"), message))?;
        let goals = PositionGoals { vertices: chosen.clone(), goals: None, stiffness: handle.stiffness };
        body = body.with_energy(goals.build(rest).map_err(|error| Fault::new(key("stiffness"), error.to_string()))?);
        handles.push(chosen);
    }
    if let Shape::Solid { mesh, skin: Some(skin) } = &shape {
        let embedding = Embedding::new(mesh, &skin.positions);
        rider = Some(Rider::Embedded(embedding.map_err(|error| Fault::new("shape", error.to_string()))?));
    }
    let (rider, skin) = match skin {
        Some((skin, mesh)) => (Some(Rider::Skin(skin)), Some(mesh)),
        None => (rider, None),
    };
    let (rider, wrinkled) = match (&section.wrinkles, &shape) {
        (None, _) => (rider, None),
        (Some(own), Shape::Surface { mesh, .. }) if !is_rigid => {
            let (fine, made) = wrinkles::wrinkles(own, mesh, budget).map_err(|fault| fault.inside("wrinkles"))?;
            (Some(Rider::Wrinkled(Box::new(made))), Some(fine))
        }
        (Some(_), _) => return Err(Fault::new("wrinkles", "only a surface that deforms can wrinkle")),
    };
    let (rider, wrinkled) = match (&section.upsample, &shape) {
        (None, _) => (rider, wrinkled),
        (Some(_), _) if wrinkled.is_some() => {
            return Err(Fault::new("upsample", "a body has `wrinkles` or `upsample`, not both"));
        }
        (Some(own), Shape::Surface { mesh, .. }) if !is_rigid => {
            let made = upsample::upsampled(own, mesh, files, budget);
            let (fine, made) = made.map_err(|fault| fault.inside("upsample"))?;
            (Some(Rider::Upsampled(Box::new(made))), Some(fine))
        }
        (Some(_), _) => return Err(Fault::new("upsample", "only a surface that deforms can be upsampled")),
    };
    if !section.velocity.iter().all(|c| c.is_finite()) {
        return Err(Fault::new("velocity", format!("velocity is {:?}, but must be finite", section.velocity)));
    }
    if !section.spin.iter().all(|c| c.is_finite()) {
        return Err(Fault::new("spin", format!("spin is {:?}, but must be finite", section.spin)));
    }
    if !section.pressure.is_finite() {
        return Err(Fault::new("pressure", format!("pressure is {}, but must be finite", section.pressure)));
    }
    if let Some(threads) = &section.long_range {
        let points: Vec<u32> = pins.iter().flatten().copied().collect();
        let built =
            threads::long_range(threads, &shape, &edges, &points).map_err(|fault| fault.inside("long_range"))?;
        body = body.with_constraints(built);
    }
    if let Some(tear) = &section.tear {
        if flat_pieces(section).is_some() {
            return Err(Fault::new("tear", "cloth of flat pieces cannot tear"));
        }
        if section.upsample.is_some() {
            return Err(Fault::new("tear", "a body with `upsample` cannot tear"));
        }
        if wrinkled.is_some() {
            return Err(Fault::new("tear", "a body with wrinkles cannot tear"));
        }
        if rider.is_some() {
            return Err(Fault::new("tear", "a surface that rides along on tets cannot tear")
                .hint("leave the surface away: the tets have one of their own"));
        }
        body = body.with_tearing(tearing(tear, rest, &edges).map_err(|fault| fault.inside("tear"))?);
    }
    let mut body = body.named(section.name.clone()).pin(pins.iter().flatten().copied()).with_pressure(section.pressure);
    if let Some(solver) = &section.solver {
        body = body.with_solver(choice(Some(solver))?);
    }
    // A fluid that comes out of a pipe starts as fast as its jet.
    if let Shape::Particles { emitter: Some(_), .. } = &shape {
        for (key, motion) in [("velocity", section.velocity), ("spin", section.spin)] {
            if motion != [0.0; 3] {
                return Err(Fault::new(
                    key,
                    format!("fluid from an emitter starts as fast as its jet, not with a {key} of its own"),
                )
                .hint("set the emitter's speed and direction"));
            }
        }
    } else {
        body = body.with_motion(section.velocity.into(), section.spin.into());
    }
    let body = if section.self_collision == Some(false) { body.without_self_collision() } else { body };
    let body = if section.permeable { body.permeable() } else { body };
    let length = |[a, b]: Edge| (rest[a as usize] - rest[b as usize]).length();
    let edges = match (&shape, flat_pieces(section)) {
        (Shape::Surface { mesh, flat: Some(flat), .. }, Some(pieces)) => {
            flat_lengths(&edges, mesh, flat, pieces.metres_per_unit.unwrap_or(1.0))
        }
        _ => edges.iter().map(|&edge| (edge, length(edge))).collect(),
    };
    Ok(BuiltBody { body, edges, pins, handles, fixed_goals, rider, wrinkled, shape, skin, is_rigid })
}

fn flat_pieces(section: &BodySection) -> Option<FlatPieces> {
    if let MaterialSection::Cloth(cloth) = &section.material { cloth.flat_pieces } else { None }
}

/// Edges with their lengths in the plane; of a seam, which is in two pieces, the mean of both.
fn flat_lengths(edges: &[Edge], mesh: &TriangleMesh, flat: &[FlatTriangle], scale: f64) -> Vec<(Edge, f64)> {
    let mut lengths: HashMap<Edge, (f64, f64)> = HashMap::new();
    for (triangle, piece) in mesh.triangles.iter().zip(flat) {
        for side in 0..3 {
            let next = (side + 1) % 3;
            let [a, b] = [triangle[side], triangle[next]];
            let [u, v] = [piece[next][0] - piece[side][0], piece[next][1] - piece[side][1]];
            let entry = lengths.entry([a.min(b), a.max(b)]).or_default();
            *entry = (entry.0 + scale * hypot(u, v), entry.1 + 1.0);
        }
    }
    let length = |&[a, b]: &Edge| lengths.get(&[a.min(b), a.max(b)]).map(|(sum, count)| sum / count);
    edges.iter().filter_map(|edge| Some((*edge, length(edge)?))).collect()
}

/// The shape of a body, which may stand with an earlier one.
fn own_shape(bodies: &[BodySection], at: usize) -> Result<&ShapeSection, Fault> {
    let mut shape = &bodies[at].shape;
    let mut before = &bodies[..at];
    while let ShapeSection::Like { body } = shape {
        let Some(place) = before.iter().position(|other| other.name == *body) else {
            let fault = Fault::new("shape.like.body", format!("there is no body {body:?} before this one"));
            let near = similar(body, before.iter().map(|other| other.name.as_str()));
            return Err(Fault { hint: near.map(|near| format!("did you mean {near:?}?")), ..fault });
        };
        shape = &before[place].shape;
        before = &before[..place];
    }
    Ok(shape)
}

/// "Young's modulus" as a key.
fn as_key(name: &str) -> String {
    name.to_lowercase().replace('\'', "").replace(' ', "_")
}
