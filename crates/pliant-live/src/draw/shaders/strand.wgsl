// A piece of a strand, round at its ends: a rectangle that faces the viewer and hides it, on which it is found along the line of sight.

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) start: vec3<f32>,
    @location(2) end: vec3<f32>,
    @location(3) radius: f32,
    @location(4) values: vec2<f32>,
    @location(5) color: vec4<f32>,
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
    let pixel = pixel_at(middle);
    // At least a pixel wide.
    let radius = max(thick, 0.55 * pixel);
    let ray = ray_to(middle);
    let half = 0.5 * (end - start);
    let seen = half - dot(half, ray) * ray;
    let length = length(seen);
    // Seen from its end it has no direction: any will do.
    let side = view.up.xyz - dot(view.up.xyz, ray) * ray;
    let along = select(normalize(side + vec3(1e-12)), seen / max(length, 1e-20), length > 1e-3 * radius);
    let across = cross(along, ray);
    // In perspective, what is nearer than the middle is larger.
    var wide = 1.0;
    if view.eye.w > 0.0 {
        let distance = max(distance(middle, view.eye.xyz), 1e-9);
        wide = 1.0 / max(1.0 - (abs(dot(half, ray)) + radius) / distance, 0.25);
    }
    let margin = wide * radius + 1.5 * pixel;
    let reach = vec2(wide * length + margin, margin);
    let shift = select(-reach, reach, vec2((index & 1u) == 1u, index >= 2u));
    let position = middle + shift.x * along + shift.y * across;
    return Corner(view.projection * vec4(position, 1.0), position, start, end, radius, values, color);
}

struct Sight {
    // A point of the line of sight near the piece, and its direction.
    origin: vec3<f32>,
    ray: vec3<f32>,
    // How far the line passes from the middle of the strand.
    gap: f32,
}

fn sight_of(corner: Corner) -> Sight {
    let ray = ray_to(corner.position);
    let axis = corner.end - corner.start;
    // From a point nearby: squares of large distances would swallow the radius.
    let middle = 0.5 * (corner.start + corner.end);
    let origin = corner.position + dot(middle - corner.position, ray) * ray;
    let offset = origin - corner.start;
    // Where the strand is nearest to the line.
    let flat_axis = axis - dot(axis, ray) * ray;
    let flat_offset = offset - dot(offset, ray) * ray;
    let share = clamp(dot(flat_offset, flat_axis) / max(dot(flat_axis, flat_axis), 1e-30), 0.0, 1.0);
    return Sight(origin, ray, length(flat_offset - share * flat_axis));
}

// How far along the line from its origin a capsule is met, and where between its ends.
fn met(sight: Sight, start: vec3<f32>, end: vec3<f32>, radius: f32) -> vec2<f32> {
    let axis = end - start;
    let offset = sight.origin - start;
    let length2 = max(dot(axis, axis), 1e-30);
    let axis_ray = dot(axis, sight.ray);
    let axis_offset = dot(axis, offset);
    let a = length2 - axis_ray * axis_ray;
    let b = length2 * dot(sight.ray, offset) - axis_offset * axis_ray;
    let c = length2 * (dot(offset, offset) - radius * radius) - axis_offset * axis_offset;
    if a > 1e-6 * length2 {
        let along = (-b - sqrt(max(b * b - a * c, 0.0))) / a;
        let share = (axis_offset + along * axis_ray) / length2;
        if share >= 0.0 && share <= 1.0 {
            return vec2(along, share);
        }
    }
    // A round end: the one that is met first.
    var best = vec2(1e30, 0.0);
    for (var k = 0; k < 2; k++) {
        let from_end = select(offset, sight.origin - end, k == 1);
        let nearest_along = -dot(from_end, sight.ray);
        let off = from_end + nearest_along * sight.ray;
        let inside = radius * radius - dot(off, off);
        let along = nearest_along - sqrt(max(inside, 0.0));
        // Beside both, at the soft edge, the nearer one counts.
        let score = along + select(0.0, 1e3 * radius - 1e3 * inside / radius, inside < 0.0);
        if score < best.x {
            best = vec2(score, f32(k));
        }
    }
    let from_end = select(offset, sight.origin - end, best.y > 0.5);
    let nearest_along = -dot(from_end, sight.ray);
    let off = from_end + nearest_along * sight.ray;
    return vec2(nearest_along - sqrt(max(radius * radius - dot(off, off), 0.0)), best.y);
}
// DEPTH
@fragment
fn fragment_depth(corner: Corner) {
    if sight_of(corner).gap > corner.radius {
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
    let sight = sight_of(corner);
    let coverage = clamp(0.5 + (corner.radius - sight.gap) / pixel_at(corner.position), 0.0, 1.0);
    if coverage <= select(0.5, 0.02, view.flags.z > 1.5) {
        discard;
    }
    let hit = met(sight, corner.start, corner.end, corner.radius);
    let position = sight.origin + hit.x * sight.ray;
    let normal = normalize(position - mix(corner.start, corner.end, hit.y) + vec3(1e-12));
    let clip = view.projection * vec4(position, 1.0);
    let value = mix(corner.values.x, corner.values.y, hit.y);
    let light = lit(hue(corner.color.rgb, value, corner.color.a), 0.12, position, normal, corner.clip.xy);
    return Painted(vec4(display(light, corner.clip.xy), coverage), clamp(clip.z / clip.w, 0.0, 1.0));
}
