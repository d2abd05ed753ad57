// The sky behind everything, and the ground, which melts into it.

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
}

@vertex
fn vertex_sky(@builtin(vertex_index) index: u32) -> Corner {
    // One triangle that covers the picture.
    let place = vec2(select(-1.0, 3.0, index == 1u), select(-1.0, 3.0, index == 2u));
    let tangent = 1.0 / vec2(
        length(vec3(view.projection[0].x, view.projection[1].x, view.projection[2].x)),
        length(vec3(view.projection[0].y, view.projection[1].y, view.projection[2].y)),
    );
    let ray = view.forward.xyz + place.x * tangent.x * view.right.xyz + place.y * tangent.y * view.up.xyz;
    return Corner(vec4(place, 0.0, 1.0), ray);
}

@fragment
fn fragment_sky(corner: Corner) -> @location(0) vec4<f32> {
    return vec4(display(sky_color(normalize(corner.position)), corner.clip.xy), 1.0);
}

@vertex
fn vertex_ground(@builtin(vertex_index) index: u32) -> Corner {
    // As far as the ground can be told from the sky.
    let reach = 14.0 * view.center.w;
    let shift = vec2(select(-reach, reach, (index & 1u) == 1u), select(-reach, reach, index >= 2u));
    let position = vec3(view.center.x + shift.x, view.ground.w, view.center.z + shift.y);
    return Corner(view.projection * vec4(position, 1.0), position);
}

// Share of an interval of some width around a place that is covered by lines at the integers.
fn line_share(place: f32, width: f32, line: f32) -> f32 {
    let high = place + 0.5 * width + 0.5 * line;
    let low = place - 0.5 * width + 0.5 * line;
    let covered = (floor(high) - floor(low)) * line + min(fract(high), line) - min(fract(low), line);
    return clamp(covered / width, 0.0, 1.0);
}

@fragment
fn fragment_ground(corner: Corner) -> @location(0) vec4<f32> {
    // Lines are counted from the middle of the view, where single precision has most digits.
    let spacing = max(view.horizon.w, 1e-9);
    let middle = floor(view.center.xz / spacing) * spacing;
    let place = (corner.position.xz - middle) / spacing;
    let width = clamp(fwidth(place), vec2(1e-6), vec2(1e6));
    if view.eye.y < view.ground.w {
        // Seen from below, the ground is not there.
        discard;
    }
    let lines = vec2(line_share(place.x, width.x, 0.012), line_share(place.y, width.y, 0.012));
    let share = select(0.0, lines.x + lines.y - lines.x * lines.y, view.horizon.w > 0.0);
    let color = view.ground.rgb * (1.0 - 0.35 * share);
    let got = received(corner.position, vec3(0.0, 1.0, 0.0), corner.clip.xy);
    let away = distance(corner.position, view.center.xyz) / (4.0 * view.center.w);
    let light = mix(color * got.light, view.horizon.rgb, 1.0 - exp(-away * away));
    return vec4(display(light, corner.clip.xy), 1.0);
}
