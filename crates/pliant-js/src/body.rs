//! Bodies from their descriptions.

use pliant::{Body, TearThreshold, Tearing};
use wasm_bindgen::JsValue;

use crate::fault::Fault;
use crate::material::{Material, material};
use crate::mesh::{AnyMesh, any_mesh};
use crate::options::{Options, indices, number, points, text, vector};
use crate::settings::solver;

/// How a body tears, or nothing of it.
fn tearing(options: &Options) -> Result<Option<Tearing>, Fault> {
    let Some(options) = options.inner("tearing")? else { return Ok(None) };
    let usual = Tearing::at_stretch(1.0);
    let threshold = match (options.read("stretch", number)?, options.read("force", number)?) {
        (Some(stretch), None) => TearThreshold::Stretch(stretch),
        (None, Some(force)) => TearThreshold::Force(force),
        _ => return Err(Fault::new(format!("{} must be given, one of the two", options.place("stretch or force")))),
    };
    let made = Tearing { threshold, noise: options.number("noise", usual.noise)?, ..usual };
    options.finish()?;
    Ok(Some(made))
}

/// A body from its description.
pub(crate) fn body(value: &JsValue, place: &str) -> Result<Body, Fault> {
    let options = Options::new(value, place)?;
    let mesh = options.need("mesh", any_mesh)?;
    let stuff = options.need("material", material)?;
    let (velocity, spin) = (options.read("velocity", vector)?, options.read("spin", vector)?);
    let is_rigid = matches!(stuff, Material::Rigid(_));
    let made = match (&mesh, &stuff) {
        (AnyMesh::Triangles(mesh), Material::Cloth(material)) => Body::cloth(mesh, material),
        (AnyMesh::Triangles(mesh), Material::Rigid(material)) => Body::rigid(mesh, material)
            .map(|body| body.with_motion(velocity.unwrap_or_default(), spin.unwrap_or_default())),
        (AnyMesh::Tets(mesh), Material::Solid(material)) => Body::solid(mesh, material),
        (AnyMesh::Strands(strands), Material::Strand(material)) => Body::strands(strands, material),
        (AnyMesh::Strands(strands), Material::Rod(material)) => Body::rods(strands, material),
        (AnyMesh::Points(points), Material::Fluid(material)) => Body::fluid(points, material),
        _ => {
            let message = "mesh and material do not go together: cloth and rigid bodies are made of triangles, solids of tets, \
                           strands and rods of strands, fluids of points";
            return Err(Fault::new(message).at(place));
        }
    };
    let mut body = made.map_err(|error| Fault::new(error).at(place))?;
    if spin.is_some() && !is_rigid {
        return Err(Fault::new(format!("{} is for rigid bodies", options.place("spin"))));
    }
    if let Some(name) = options.read("name", text)? {
        body = body.named(name);
    }
    if let Some(pinned) = options.read("pin", indices)? {
        body = body.pin(pinned);
    }
    if let Some(positions) = options.read("positions", points)? {
        body = body.with_positions(positions);
    }
    match (velocity, options.read("velocities", points)?) {
        (Some(_), Some(_)) => {
            return Err(Fault::new(format!(
                "{} is given with velocity: one of them is enough",
                options.place("velocities")
            )));
        }
        (Some(all), None) if !is_rigid => {
            let count = body.rest().len();
            body = body.with_velocities(vec![all; count]);
        }
        (_, Some(each)) => body = body.with_velocities(each),
        _ => {}
    }
    body = body.with_pressure(options.number("pressure", 0.0)?);
    if options.flag("permeable", false)? {
        body = body.permeable();
    }
    if let Some(tearing) = tearing(&options)? {
        body = body.with_tearing(tearing);
    }
    if let Some(solver) = options.read("solver", solver)? {
        body = body.with_solver(solver);
    }
    options.finish()?;
    Ok(body)
}
