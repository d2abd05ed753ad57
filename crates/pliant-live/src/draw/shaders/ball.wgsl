// A ball: a square that faces the viewer, on which the ball is found along the line of sight.

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) middle: vec3<f32>,
    @location(2) radius: f32,
    @location(3) value: f32,
    @location(4) color: vec4<f32>,
}

@vertex
fn vertex(
    @builtin(vertex_index) index: u32,
    @location(0) middle: vec3<f32>,
    @location(1) thick: f32,
    @location(2) value: f32,
    @location(3) color: vec4<f32>,
) -> Corner {
    let pixel = pixel_at(middle);
    let radius = max(thick, 0.55 * pixel);
    let towards = -ray_to(middle);
    let side = cross(view.up.xyz, towards);
    let right = select(view.right.xyz, normalize(side + vec3(1e-12)), dot(side, side) > 1e-8);
    let up = cross(towards, right);
    // In perspective, the outline of a ball is wider than the ball.
    var wide = 1.0;
    if view.eye.w > 0.0 {
        let share = radius / max(length(middle - view.eye.xyz), 1e-9);
        wide = inverseSqrt(max(1.0 - share * share, 0.05));
    }
    let reach = radius * wide + 1.5 * pixel;
    let shift = vec2(select(-reach, reach, (index & 1u) == 1u), select(-reach, reach, index >= 2u));
    let position = middle + shift.x * right + shift.y * up;
    return Corner(view.projection * vec4(position, 1.0), position, middle, radius, value, color);
}

// DEPTH
@fragment
fn fragment_depth(corner: Corner) {
    if distance(corner.position, corner.middle) > corner.radius {
        discard;
    }
}
// PAINT
struct Painted {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn fragment(corner: Corner) -> Painted {
    let ray = ray_to(corner.position);
    let from_eye = corner.middle - view.eye.xyz;
    let nearest_along = dot(from_eye, ray);
    let off = from_eye - nearest_along * ray;
    let gap = length(off);
    let coverage = clamp(0.5 + (corner.radius - gap) / pixel_at(corner.middle), 0.0, 1.0);
    if coverage <= select(0.5, 0.02, view.flags.z > 1.5) {
        discard;
    }
    let inside = sqrt(max(corner.radius * corner.radius - gap * gap, 0.0));
    let position = view.eye.xyz + (nearest_along - inside) * ray;
    let normal = (position - corner.middle) / max(distance(position, corner.middle), 1e-9);
    let clip = view.projection * vec4(position, 1.0);
    let light = lit(hue(corner.color.rgb, corner.value, corner.color.a), 0.25, position, normal, corner.clip.xy);
    return Painted(vec4(display(light, corner.clip.xy), coverage), clamp(clip.z / clip.w, 0.0, 1.0));
}
