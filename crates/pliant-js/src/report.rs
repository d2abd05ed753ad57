//! Reports as objects.

use js_sys::{Array, Object, Reflect};
use pliant::math::Vec3;
use pliant::{Report, StepReport};
use wasm_bindgen::JsValue;

use crate::options::object;

/// Three numbers.
pub(crate) fn triple(v: Vec3) -> JsValue {
    Array::of3(&v.x.into(), &v.y.into(), &v.z.into()).into()
}

fn whole(number: usize) -> JsValue {
    JsValue::from_f64(number as f64)
}

/// What a step reports.
pub(crate) fn step(report: &StepReport) -> JsValue {
    let solve = &report.solve;
    let residual = solve.forces.as_ref().map_or(JsValue::NULL, |forces| forces.relative().into());
    object([
        ("step", JsValue::from_f64(report.step as f64)),
        ("time", report.time.into()),
        ("iterations", whole(solve.iterations)),
        ("converged", solve.converged.into()),
        ("residual", residual),
        ("contacts", whole(solve.contacts)),
        ("torn", whole(report.torn)),
        ("seconds", report.seconds_total.into()),
    ])
}

/// Energies and momenta.
pub(crate) fn energies(report: &Report) -> JsValue {
    let elastic = Object::new();
    for (kind, energy) in &report.elastic {
        // Setting a property of an object of our own cannot fail.
        let _ = Reflect::set(&elastic, &(*kind).into(), &(*energy).into());
    }
    object([
        ("time", report.time.into()),
        ("elastic", elastic.into()),
        ("kinetic", report.kinetic.into()),
        ("gravitational", report.gravitational.into()),
        ("total", report.total().into()),
        ("momentum", triple(report.momentum)),
        ("angularMomentum", triple(report.angular_momentum)),
        ("centreOfMass", triple(report.centre_of_mass)),
        ("maxSpeed", report.max_speed.into()),
    ])
}
