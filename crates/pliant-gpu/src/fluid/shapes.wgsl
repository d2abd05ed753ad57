// Distances from shapes in their own coordinates, as the engine's `mesh/sdf/shapes.rs` has them: the normal, then the signed distance. Which collider has
// which shape is written after this text (`constants.rs`).

fn near_plane(p: vec3<f32>) -> vec4<f32> {
    return vec4<f32>(0.0, 1.0, 0.0, p.y);
}

fn near_ball(p: vec3<f32>, radius: f32) -> vec4<f32> {
    let away = length(p);
    // The centre is equally far from everywhere; up is as good as any way out.
    if (away == 0.0) {
        return vec4<f32>(0.0, 1.0, 0.0, -radius);
    }
    return vec4<f32>(p / away, away - radius);
}

fn near_box(p: vec3<f32>, half: vec3<f32>) -> vec4<f32> {
    let beyond = abs(p) - half;
    let sides = select(vec3<f32>(1.0), vec3<f32>(-1.0), p < vec3<f32>());
    // Outside, the corner or face beyond which p lies; inside, the nearest face.
    let outside = max(beyond, vec3<f32>());
    let away = length(outside);
    if (away > 0.0) {
        return vec4<f32>(outside / away * sides, away);
    }
    if (beyond.x >= beyond.y && beyond.x >= beyond.z) {
        return vec4<f32>(sides.x, 0.0, 0.0, beyond.x);
    }
    if (beyond.y >= beyond.z) {
        return vec4<f32>(0.0, sides.y, 0.0, beyond.y);
    }
    return vec4<f32>(0.0, 0.0, sides.z, beyond.z);
}

fn near_capsule(p: vec3<f32>, radius: f32, half_length: f32) -> vec4<f32> {
    return near_ball(p - vec3<f32>(0.0, clamp(p.y, -half_length, half_length), 0.0), radius);
}

fn near_cylinder(p: vec3<f32>, radius: f32, half_length: f32) -> vec4<f32> {
    let r = length(p.xz);
    let radial = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(p.x, 0.0, p.z) / max(r, 1e-30), r > 0.0);
    let axial = vec3<f32>(0.0, select(1.0, -1.0, p.y < 0.0), 0.0);
    let side = r - radius;
    let cap = abs(p.y) - half_length;
    if (side > 0.0 && cap > 0.0) {
        let away = length(vec2<f32>(side, cap));
        return vec4<f32>((radial * side + axial * cap) / away, away);
    }
    return select(vec4<f32>(axial, cap), vec4<f32>(radial, side), side > cap);
}
