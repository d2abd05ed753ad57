// A piece of a strand: a rectangle that faces the viewer, with round ends and the normals of a cylinder.

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    // Across and along the strand, in radii; the length of the piece in radii.
    @location(1) place: vec3<f32>,
    @location(2) across: vec3<f32>,
    @location(3) facing: vec3<f32>,
    @location(4) radius: f32,
    @location(5) value: f32,
    @location(6) color: vec4<f32>,
}

@vertex
fn vertex(
    @builtin(vertex_index) index: u32,
    @location(0) start: vec3<f32>,
    @location(1) end: vec3<f32>,
    @location(2) thick: f32,
    @location(3) values: vec2<f32>,
    @location(4) color: vec4<f32>,
) -> Corner {
    let middle = 0.5 * (start + end);
    // At least a pixel wide.
    let radius = max(thick, 0.55 * pixel_at(middle));
    var axis = end - start;
    let length = length(axis);
    axis = select(view.right.xyz, axis / max(length, 1e-20), length > 1e-9);
    let towards = -ray_to(middle);
    let side = cross(axis, towards);
    let across = select(view.up.xyz, normalize(side + vec3(1e-12)), dot(side, side) > 1e-8);
    let facing = normalize(cross(across, axis));
    let is_end = (index & 1u) == 1u;
    // A margin of a pixel for smooth edges.
    let margin = 1.0 + 1.5 * pixel_at(middle) / radius;
    let out = select(-margin, margin, index >= 2u);
    let along = select(-margin * radius, length + margin * radius, is_end);
    let position = start + along * axis + out * radius * across;
    var corner: Corner;
    corner.clip = view.projection * vec4(position, 1.0);
    corner.position = position;
    corner.place = vec3(out, along / radius, length / radius);
    corner.across = across;
    corner.facing = facing * select(1.0, -1.0, dot(facing, towards) < 0.0);
    corner.radius = radius;
    corner.value = mix(values.x, values.y, f32(is_end));
    corner.color = color;
    return corner;
}

// Signed distance from the edge in radii, inside negative.
fn distance_from_edge(place: vec3<f32>) -> f32 {
    let beyond = max(max(-place.y, place.y - place.z), 0.0);
    return length(vec2(place.x, beyond)) - 1.0;
}
// DEPTH
@fragment
fn fragment_depth(corner: Corner) {
    if distance_from_edge(corner.place) > 0.0 {
        discard;
    }
}
// PAINT
@fragment
fn fragment(corner: Corner) -> @location(0) vec4<f32> {
    let edge = distance_from_edge(corner.place);
    let coverage = clamp(0.5 - edge * corner.radius / pixel_at(corner.position), 0.0, 1.0);
    if coverage <= select(0.5, 0.02, view.flags.z > 1.5) {
        discard;
    }
    let out = clamp(corner.place.x, -1.0, 1.0);
    let normal = normalize(out * corner.across + sqrt(1.0 - out * out * 0.999) * corner.facing);
    let position = corner.position + corner.radius * sqrt(1.0 - out * out * 0.999) * corner.facing;
    let light = lit(hue(corner.color.rgb, corner.value, corner.color.a), 0.12, position, normal, corner.clip.xy);
    return vec4(display(light, corner.clip.xy), coverage);
}
