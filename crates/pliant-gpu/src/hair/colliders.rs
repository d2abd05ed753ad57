//! Colliders as kernels know them: their shapes are written into the text, and their poses come with each substep.

use pliant::collide::{Collider, Pose, Shape};
use pliant::math::Vec3;

use crate::kernels::{literal, vector};

/// Numbers of a pose in vectors.
pub(super) const POSE: usize = 5;

/// Functions that tell how far a place in a collider's coordinates is from it, and what contact with it is like.
pub(crate) fn shapes(colliders: &[Collider]) -> String {
    let (mut near, mut surfaces) = (String::new(), String::new());
    for (number, collider) in colliders.iter().enumerate() {
        near += &format!("case {number}u: {{ return {}; }}\n", distance_in(collider.shape()));
        let (thickness, friction) = (literal(collider.surface().thickness), literal(collider.surface().friction));
        surfaces += &format!("case {number}u: {{ return vec2<f32>({thickness}, {friction}); }}\n");
    }
    format!(
        "{}\n\
         fn near_shape(c: u32, p: vec3<f32>) -> vec4<f32> {{\n\
         switch c {{\n{near}default: {{ return near_plane(p); }}\n}}\n}}\n\
         // Thickness and friction.\n\
         fn surface_of(c: u32) -> vec2<f32> {{\n\
         switch c {{\n{surfaces}default: {{ return vec2<f32>(); }}\n}}\n}}\n",
        include_str!("../fluid/shapes.wgsl")
    )
}

fn distance_in(shape: &Shape) -> String {
    let half = |length: &f64| literal(0.5 * length);
    match shape {
        Shape::Sphere { radius } => format!("near_ball(p, {})", literal(*radius)),
        Shape::Capsule { radius, length } => format!("near_capsule(p, {}, {})", literal(*radius), half(length)),
        Shape::Cylinder { radius, length } => format!("near_cylinder(p, {}, {})", literal(*radius), half(length)),
        Shape::Box { size } => format!("near_box(p, {})", vector(*size * 0.5)),
        // Others are refused.
        Shape::Plane | Shape::Heightfield(_) | Shape::Mesh(_) | Shape::Grid(_) => "near_plane(p)".to_owned(),
    }
}

/// The pose of a collider at both ends of a substep; see `touch.wgsl`.
pub(super) fn poses(collider: &Collider, [from, to]: [f64; 2], centre: Vec3) -> [[f32; 4]; POSE] {
    let [from, to] = [from, to].map(|time| collider.pose(time));
    let place = |pose: &Pose| {
        let [x, y, z] = (pose.position - centre).to_array().map(|c| c as f32);
        [x, y, z, 0.0]
    };
    let rotation = |pose: &Pose| pose.rotation.to_array().map(|c| c as f32);
    let cosine = from.rotation.dot(to.rotation);
    let is_turning = from.rotation != to.rotation;
    // A turn that is too small to be divided by has its weights, which go to those of a straight line, from a small one.
    let half = cosine.abs().min(1.0).acos().max(1e-6);
    let sign = if cosine < 0.0 { -1.0 } else { 1.0 };
    let angles = if is_turning { [half, half.sin(), sign, 2.0 * half] } else { [0.0, 1.0, 1.0, 0.0] };
    [place(&from), rotation(&from), place(&to), rotation(&to), angles.map(|value| value as f32)]
}
