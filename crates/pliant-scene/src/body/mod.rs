//! From a `[[body]]` section to a body of the engine.

mod cells;
mod energy;
mod matched;
mod matched_cloth;
mod material;
mod oriented;
mod pose;
mod shape;
mod solid;
mod threads;
mod wrinkles;

pub(crate) use shape::up_axis;
pub(crate) use solid::build_solid;

use std::path::Path;

use pliant::energy::{Batch, EdgeSprings, EnergyError, PositionGoals, SpringStiffness};
use pliant::mesh::{Edge, Embedding, MassKind, MeshError, Simplices, StrandSet, TetMesh, TriangleMesh, tet_volume};
use pliant::{Body, ModelError, RigidError, StrandMaterial};
use pliant_io::store::Topology;

use self::energy::{Ground, build_energy};
use self::shape::{Placing, Shape, build_shape};
use crate::budget::Budget;
use crate::error::similar;
use crate::format::{BodySection, EnergySection, MaterialSection, ShapeSection};
use crate::motion::check_keyframes;
use crate::rider::Rider;
use crate::scene::Fault;
use crate::select::resolve;
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
    /// That surface at rest, where it has wrinkles.
    wrinkled: Option<TriangleMesh>,
    shape: Shape,
    /// The surface of what is made of strands.
    skin: Option<TriangleMesh>,
    is_rigid: bool,
}

impl BuiltBody {
    /// Adds the body to what is stored of a run.
    pub(crate) fn describe(&self, name: &str, topology: &mut Topology) {
        if let Some(fine) = &self.wrinkled {
            topology.add_surface(name, fine);
            return;
        }
        match &self.shape {
            Shape::Surface { mesh, .. } if self.is_rigid => {
                topology.add_surface_with_inside(name, mesh, &tets_inside(mesh));
            }
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

/// Builds the body at a place of the list; files are looked up in `folder`.
pub(crate) fn build_body(
    bodies: &[BodySection],
    at: usize,
    folder: &Path,
    budget: &mut Budget,
) -> Result<BuiltBody, Fault> {
    let section = &bodies[at];
    let placing = Placing::new(section.transform.as_ref())?;
    let unplaced = build_shape(own_shape(bodies, at)?, folder, budget)?;
    let filled = match &section.material {
        MaterialSection::Matched(matched) => cells::fill(matched, &unplaced, &placing, budget)?,
        _ => None,
    };
    let (mut made, mut skin, mut rider) = (None, None, None);
    let mut shape = match filled {
        Some(filled) => {
            (made, rider) = (Some(filled.body), filled.skin.map(Rider::Matched));
            filled.shape
        }
        None => placing.place(unplaced),
    };
    if let MaterialSection::Rigid(_) = section.material {
        let (body, surface) = rigid(section, shape)?;
        (made, shape) = (Some(body), surface);
    }
    if let (MaterialSection::Oriented(oriented), Shape::Strands(strands)) = (&section.material, &shape) {
        let built = oriented::build(oriented, strands, &placing, folder, budget)?;
        (made, skin) = (Some(built.0), built.1);
    }
    let edges = match &shape {
        Shape::Surface { mesh, .. } => mesh.edges(),
        Shape::Solid { mesh, .. } => mesh.edges(),
        Shape::Strands(strands) => strands.edges(),
        Shape::Cells { links, .. } => links.clone(),
        Shape::Particles { .. } => Vec::new(),
    };
    let rest = shape.positions();
    let is_rigid = matches!(section.material, MaterialSection::Rigid(_));
    let mut body = match made {
        Some(body) => body,
        None => with_material(section, &shape)?,
    };
    let ground = Ground { shape: &shape, edges: &edges, folder, placing: &placing };
    let mut fixed_goals = 0;
    for (k, energy) in section.energy.iter().enumerate() {
        let batch = build_energy(energy, &ground).map_err(|fault| fault.inside(&format!("energy.{k}")))?;
        if matches!(energy, EnergySection::Position { .. }) {
            fixed_goals += batch.operator().len();
        }
        body = body.with_energy(batch);
    }
    let mut pins = Vec::new();
    for (k, pin) in section.pin.iter().enumerate() {
        check_keyframes(&format!("pin.{k}"), &pin.keyframe)?;
        let chosen = resolve(&pin.select, rest).map_err(|message| Fault::new(format!("pin.{k}.select"), message))?;
        pins.push(chosen);
    }
    let mut handles = Vec::new();
    for (k, handle) in section.handle.iter().enumerate() {
        let key = |name: &str| format!("handle.{k}.{name}");
        check_keyframes(&format!("handle.{k}"), &handle.keyframe)?;
        let chosen = resolve(&handle.select, rest).map_err(|message| Fault::new(key("select"), message))?;
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
    let length = |[a, b]: Edge| (rest[a as usize] - rest[b as usize]).length();
    let edges = edges.iter().map(|&edge| (edge, length(edge))).collect();
    Ok(BuiltBody { body, edges, pins, handles, fixed_goals, rider, wrinkled, shape, skin, is_rigid })
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

/// Springs to the vertex after the next along each strand.
fn skip_one_springs(strands: &StrandSet, stiffness: f64) -> Result<Box<dyn Batch>, Fault> {
    let key = "material.strand.skip_one";
    let ends = strands.strands.rows().flat_map(|row| row.windows(3).map(|three| [three[0], three[2]]));
    let springs = EdgeSprings::new(ends.collect(), SpringStiffness::Axial(stiffness));
    springs.build(&strands.positions).map_err(|error| Fault::new(key, error.to_string()))
}

/// A rigid body, and its surface with the vertices inside.
fn rigid(section: &BodySection, shape: Shape) -> Result<(Body, Shape), Fault> {
    let MaterialSection::Rigid(material) = &section.material else {
        return Err(Fault::new("material", "this body is not rigid"));
    };
    let surface = match shape {
        Shape::Surface { mesh, .. } => mesh,
        Shape::Solid { skin: Some(skin), .. } => skin,
        Shape::Solid { mesh, skin: None } => {
            mesh.surface().map_err(|error| Fault::new("shape", error.to_string()))?.mesh
        }
        Shape::Strands(_) => return Err(Fault::new("material", "this shape needs material.strand or material.bare")),
        Shape::Particles { .. } | Shape::Cells { .. } => {
            return Err(Fault::new("material", "this shape needs material.fluid"));
        }
    };
    let body = Body::rigid(&surface, &material::rigid(material)).map_err(|error| in_material(section, &error))?;
    let mesh = TriangleMesh { positions: body.rest().to_vec(), triangles: surface.triangles };
    Ok((body, Shape::Surface { mesh, skip_one: None }))
}

/// The five vertices inside a rigid body as tets around the first of them.
fn tets_inside(mesh: &TriangleMesh) -> Vec<[u32; 4]> {
    let hub = mesh.positions.len() as u32 - 5;
    let mut tets = [[1, 2, 3], [1, 3, 4], [1, 4, 2], [2, 4, 3]].map(|[a, b, c]| [hub, hub + a, hub + b, hub + c]);
    // Principal axes may be left-handed.
    for tet in tets.iter_mut().filter(|tet| tet_volume(tet.map(|v| mesh.positions[v as usize])) < 0.0) {
        tet.swap(2, 3);
    }
    tets.to_vec()
}

/// The body of a shape and a material, with the energies of that.
fn with_material(section: &BodySection, shape: &Shape) -> Result<Body, Fault> {
    let body = match (shape, &section.material) {
        (Shape::Surface { mesh, .. }, MaterialSection::Cloth(cloth)) => Body::cloth(mesh, &material::cloth(cloth)?),
        (Shape::Surface { mesh, skip_one }, MaterialSection::Springs(springs)) => {
            let mut edges = mesh.edges();
            if springs.skip_one {
                let more = skip_one.as_ref().ok_or_else(|| Fault::new("material", "skip_one needs a sheet"))?;
                edges.extend(more);
            }
            Body::mass_spring(mesh, springs.density.unwrap_or(0.15), edges, springs.stiffness)
        }
        (Shape::Solid { mesh, .. }, MaterialSection::Solid(solid)) => Body::solid(mesh, &material::solid(solid)?),
        (Shape::Strands(strands), MaterialSection::Strand(strand)) => {
            let body = Body::strands(strands, &material::strand(strand)?);
            match (strand.skip_one, body) {
                (Some(stiffness), Ok(body)) => Ok(body.with_energy(skip_one_springs(strands, stiffness)?)),
                (_, body) => body,
            }
        }
        (Shape::Strands(strands), MaterialSection::Rod(rod)) => Body::rods(strands, &material::rod(rod)),
        (Shape::Particles { points, spacing, emitter }, MaterialSection::Fluid(fluid)) => {
            let material = material::fluid(fluid, *spacing);
            match emitter {
                Some(emitter) => Body::emitted(emitter, &material),
                None => Body::fluid(points, &material),
            }
        }
        (Shape::Particles { emitter: Some(_), .. }, _) => {
            return Err(Fault::new("material", "this shape needs material.fluid"));
        }
        (shape, MaterialSection::Bare(bare)) => masses_of(shape, bare.density),
        (shape, MaterialSection::Matched(matched)) => {
            let edges = match shape {
                Shape::Surface { mesh, .. } => mesh.edges(),
                Shape::Solid { mesh, .. } => mesh.edges(),
                Shape::Strands(strands) => strands.segments().collect(),
                Shape::Particles { .. } | Shape::Cells { .. } => Vec::new(),
            };
            let strands = match shape {
                Shape::Strands(strands) => Some(strands),
                _ => None,
            };
            let matching = matched::matching(matched, shape.positions(), &edges, strands)?;
            let segments = strands.map_or_else(Vec::new, |strands| strands.segments().collect());
            let width = StrandMaterial { density: matched.density, ..StrandMaterial::default() }.width();
            masses_of(shape, matched.density).map(|body| {
                let body = body.with_matching(matching);
                if segments.is_empty() { body } else { body.with_segments(segments).with_strand_width(width) }
            })
        }
        (Shape::Surface { mesh, .. }, MaterialSection::MatchedCloth(cloth)) => {
            let (density, matching) = matched_cloth::matching(cloth)?;
            Body::matched_cloth(mesh, density, matching)
        }
        (shape, _) => {
            let need = match shape {
                Shape::Surface { .. } => {
                    "material.cloth, material.matched-cloth, material.springs, material.rigid, material.matched or material.bare"
                }
                Shape::Solid { .. } => "material.solid, material.rigid, material.matched or material.bare",
                Shape::Strands(_) => {
                    "material.strand, material.rod, material.oriented, material.matched or material.bare"
                }
                Shape::Particles { .. } | Shape::Cells { .. } => "material.fluid or material.matched",
            };
            return Err(Fault::new("material", format!("this shape needs {need}")));
        }
    };
    body.map_err(|error| in_material(section, &error))
}

/// Surface triangles of a solid, in its own vertices.
fn boundary(mesh: &TetMesh) -> Result<Vec<[u32; 3]>, MeshError> {
    let surface = mesh.surface()?;
    Ok(surface.mesh.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize])).collect())
}

/// Vertices with masses and a surface, which nothing holds together yet.
fn masses_of(shape: &Shape, density: f64) -> Result<Body, ModelError> {
    let (masses, surface) = match shape {
        Shape::Surface { mesh, .. } => (mesh.mass_matrix(MassKind::Lumped, density)?, mesh.triangles.clone()),
        Shape::Solid { mesh, .. } => (mesh.mass_matrix(MassKind::Lumped, density)?, boundary(mesh)?),
        Shape::Strands(strands) => (strands.mass_matrix(MassKind::Lumped, density)?, Vec::new()),
        Shape::Particles { points, spacing, .. } => {
            let mass = density * spacing.powi(3);
            return Ok(Body::points(points, mass));
        }
        // These come with their masses from `cells::fill`.
        Shape::Cells { .. } => return Err(MeshError::Empty { what: "mass of cells" }.into()),
    };
    Ok(Body::new(shape.positions().to_vec(), masses).with_surface(surface))
}

/// The fault of a body that the engine refuses: its material, unless the mesh itself is at fault.
fn in_material(section: &BodySection, error: &ModelError) -> Fault {
    let kind = match section.material {
        MaterialSection::Cloth(_) => "cloth",
        MaterialSection::Solid(_) => "solid",
        MaterialSection::Strand(_) => "strand",
        MaterialSection::Rod(_) => "rod",
        MaterialSection::Oriented(_) => "oriented",
        MaterialSection::Springs(_) => "springs",
        MaterialSection::Rigid(_) => "rigid",
        MaterialSection::Fluid(_) => "fluid",
        MaterialSection::Matched(_) => "matched",
        MaterialSection::MatchedCloth(_) => "matched-cloth",
        MaterialSection::Bare(_) => "bare",
    };
    if let ModelError::Rigid(RigidError::BadParameter { name, .. }) = error {
        return Fault::new(format!("material.rigid.{}", as_key(name)), error.to_string());
    }
    if let ModelError::BadParameter { name, .. } = error {
        let key = name.strip_suffix(" of the fluid").unwrap_or(name);
        return Fault::new(format!("material.{kind}.{}", as_key(key)), error.to_string());
    }
    let (ModelError::Mesh(MeshError::BadParameter { name, .. })
    | ModelError::Energy { error: EnergyError::BadParameter { name, .. }, .. }) = error
    else {
        let key = if matches!(error, ModelError::Mesh(_)) { "shape".to_owned() } else { format!("material.{kind}") };
        return Fault::new(key, error.to_string());
    };
    Fault::new(format!("material.{kind}.{}", as_key(name)), error.to_string())
}

/// "Young's modulus" as a key.
fn as_key(name: &str) -> String {
    name.to_lowercase().replace('\'', "").replace(' ', "_")
}
