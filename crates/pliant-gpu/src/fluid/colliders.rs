//! Colliders as kernels know them: written into their text, because there are few and they stand still.

use pliant::collide::{Collider, Shape};
use pliant::math::{Mat3, Vec3};

use super::constants::literal;

/// Functions that tell how far a place is from a collider, and what contact with it is like; places are seen from a centre \[m\], in units of a length \[m\].
pub(crate) fn colliders(colliders: &[Collider], centre: Vec3, unit: f64) -> String {
    let (mut near, mut surfaces) = (String::new(), String::new());
    for (number, collider) in colliders.iter().enumerate() {
        let (surface, pose) = (collider.surface(), collider.pose(0.0));
        let position = vector((pose.position - centre) / unit);
        let matrix = Mat3::from_quat(pose.rotation);
        let turned = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(vector).join(", ");
        let distance = distance_in(collider.shape(), unit);
        near += &format!(
            "case {number}u: {{\n\
             let turned = mat3x3<f32>({turned});\n\
             let p = (place + (origin - {position})) * turned;\n\
             let near = {distance};\n\
             return vec4<f32>(turned * near.xyz, near.w);\n}}\n"
        );
        let (thickness, friction) = (literal(surface.thickness / unit), literal(surface.friction));
        surfaces += &format!("case {number}u: {{ return vec2<f32>({thickness}, {friction}); }}\n");
    }
    format!(
        "fn near_collider(c: u32, origin: vec3<f32>, place: vec3<f32>) -> vec4<f32> {{\n\
         switch c {{\n{near}default: {{ return vec4<f32>(0.0, 1.0, 0.0, FARTHEST_CELL); }}\n}}\n}}\n\
         // Thickness and friction.\n\
         fn surface_of(c: u32) -> vec2<f32> {{\n\
         switch c {{\n{surfaces}default: {{ return vec2<f32>(); }}\n}}\n}}\n"
    )
}

/// Whether kernels know a shape.
pub(crate) fn is_known(shape: &Shape) -> bool {
    !matches!(shape, Shape::Heightfield(_) | Shape::Mesh(_) | Shape::Grid(_))
}

/// How far p is from a shape in its own coordinates, in units of a radius \[m\].
fn distance_in(shape: &Shape, unit: f64) -> String {
    let scaled = |length: &f64| literal(length / unit);
    let half = |length: &f64| literal(0.5 * length / unit);
    match shape {
        Shape::Sphere { radius } => format!("near_ball(p, {})", scaled(radius)),
        Shape::Capsule { radius, length } => format!("near_capsule(p, {}, {})", scaled(radius), half(length)),
        Shape::Cylinder { radius, length } => format!("near_cylinder(p, {}, {})", scaled(radius), half(length)),
        Shape::Box { size } => format!("near_box(p, {})", vector(*size * (0.5 / unit))),
        // Others are refused (`is_known`).
        Shape::Plane | Shape::Heightfield(_) | Shape::Mesh(_) | Shape::Grid(_) => "near_plane(p)".to_owned(),
    }
}

fn vector(v: Vec3) -> String {
    format!("vec3<f32>({})", v.to_array().map(literal).join(", "))
}
