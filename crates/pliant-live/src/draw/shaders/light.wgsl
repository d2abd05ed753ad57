// The light that arrives at a point, and the colour that it has on a screen.

@group(0) @binding(1) var light_depths: texture_depth_2d;
@group(0) @binding(2) var light_compare: sampler_comparison;
// The same depths, as numbers.
@group(0) @binding(3) var light_heights: texture_2d<f32>;
@group(0) @binding(4) var sky_heights: texture_2d<f32>;
@group(0) @binding(5) var nearest: sampler;

// Exponent of the highlight's cosine: a satin gleam.
const SHININESS: f32 = 36.0;
// Share of the light on the ground that is thrown back to what stands on it.
const BOUNCE: f32 = 0.55;
// Tangent of half the angle that the lamp spans.
const SOFTNESS: f32 = 0.0524;
const GOLDEN_ANGLE: f32 = 2.3999632;

// Samples of the lamp, of the search for what is before it, and of the sky, with full effort and with little.
fn samples(full: i32, few: i32) -> i32 {
    return select(few, full, view.flags.w > 0.5);
}

// Between 0 and 1, different for neighbouring pixels. [Jimenez 2014, Next generation post processing in Call of Duty]
fn noise(pixel: vec2<f32>) -> f32 {
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

fn spiral(k: i32, count: i32, turn: f32) -> vec2<f32> {
    let radius = sqrt((f32(k) + 0.5) / f32(count));
    let angle = f32(k) * GOLDEN_ANGLE + turn;
    return radius * vec2(cos(angle), sin(angle));
}

fn map_place(clip: vec4<f32>) -> vec3<f32> {
    return vec3(0.5 + 0.5 * clip.x, 0.5 - 0.5 * clip.y, clip.z);
}

// Share of the lamp that is seen from a point. What throws the shadow is searched around the point; the farther away it is, the wider the penumbra.
fn lamp_seen(position: vec3<f32>, normal: vec3<f32>, pixel: vec2<f32>) -> f32 {
    if view.light_size.w < 0.5 {
        return 1.0;
    }
    let width = view.light_size.x;
    let depth = view.light_size.y;
    let side = view.light_size.z;
    let at = map_place(view.light_map * vec4(position + 1.5 * side * normal, 1.0));
    if any(at.xy <= vec2(0.0)) || any(at.xy >= vec2(1.0)) {
        return 1.0;
    }
    // How the depth of the surface itself changes across the map, so that a wide filter does not find the surface in its own shadow.
    let axis_x = vec3(view.light_map[0].x, view.light_map[1].x, view.light_map[2].x) * 0.5 * width;
    let axis_y = vec3(view.light_map[0].y, view.light_map[1].y, view.light_map[2].y) * -0.5 * width;
    let facing = max(dot(normal, view.light.xyz), 0.2);
    let slope = vec2(dot(normal, axis_x), dot(normal, axis_y)) / facing * (width / depth);
    let turn = 6.2831853 * noise(pixel);
    let slack = 0.6 * side / depth;

    let search_samples = samples(12, 5);
    let light_samples = samples(24, 8);
    // A few samples find thin things only in a narrow search.
    let widest = select(0.02, 0.08, view.flags.w > 0.5);
    let reach = clamp(SOFTNESS * at.z * depth, 2.0 * side, widest * view.center.w);
    var found = 0.0;
    var sum = 0.0;
    for (var k = 0; k < search_samples; k++) {
        let shift = spiral(k, search_samples, turn) * reach / width;
        let own = at.z + clamp(dot(slope, shift), -0.1, 0.1) - slack;
        let blocker = textureSampleLevel(light_heights, nearest, at.xy + shift, 0.0).r;
        // Where nothing is, the map is as deep as it can be.
        if blocker < min(own, 0.99999) {
            found += 1.0;
            sum += own - blocker;
        }
    }
    if found == 0.0 {
        return 1.0;
    }
    let radius = clamp(SOFTNESS * depth * sum / found, 1.2 * side, reach);
    var seen = 0.0;
    for (var k = 0; k < light_samples; k++) {
        let shift = spiral(k, light_samples, turn) * radius / width;
        let own = at.z + clamp(dot(slope, shift), -0.1, 0.1) - slack;
        seen += textureSampleCompareLevel(light_depths, light_compare, at.xy + shift, min(own, 0.99999));
    }
    return seen / f32(light_samples);
}

// Light of the sky on a surface, and the share of the sky that is seen. Rays are followed over a map of heights from above.
fn sky_seen(position: vec3<f32>, normal: vec3<f32>, pixel: vec2<f32>) -> vec2<f32> {
    let plain = 0.5 + 0.5 * normal.y;
    if view.sky_size.w < 0.5 {
        return vec2(plain, 1.0);
    }
    let width = view.sky_size.x;
    let depth = view.sky_size.y;
    let side = view.sky_size.z;
    let at = map_place(view.sky_map * vec4(position + 1.2 * side * normal, 1.0));
    let height = at.z;
    // Noise hides that rays are few; as each is soft by itself, little is enough.
    let fewness = select(1.0, 0.4, view.flags.w > 0.5);
    let turn = 1.1 * fewness * noise(pixel + vec2(37.0, 17.0));
    let jitter = 1.0 + 0.6 * fewness * (noise(pixel.yx + vec2(5.0, 91.0)) - 0.5);
    let sky_samples = samples(18, 6);
    var whole = 0.0001;
    var open = 0.0001;
    for (var k = 0; k < sky_samples; k++) {
        let rise = (f32(k) + 0.5) / f32(sky_samples);
        let level = sqrt(1.0 - rise * rise);
        let angle = f32(k) * GOLDEN_ANGLE + turn;
        let direction = vec3(level * cos(angle), rise, level * sin(angle));
        let cosine = dot(normal, direction);
        if cosine <= 0.0 {
            continue;
        }
        var hidden = 0.0;
        for (var ring = 0; ring < 3; ring++) {
            let along = jitter * view.center.w * select(select(0.3, 0.1, ring == 1), 0.03, ring == 0);
            let place = at.xy + vec2(direction.x, direction.z) * along / width;
            let top = textureSampleLevel(sky_heights, nearest, place, 0.0).r;
            // How far the top lies above the ray [m]: what is far above leaves the ray free underneath.
            let above = (height - along * direction.y / depth - top) * depth;
            let soft = clamp(above / (0.5 * along + side), 0.0, 1.0);
            let is_there = select(0.0, 1.0, top < 0.99999);
            hidden = max(hidden, is_there * soft * clamp(1.7 - above / along, 0.0, 1.0));
        }
        whole += cosine;
        open += cosine * (1.0 - hidden);
    }
    let share = open / whole;
    return vec2(plain * share, share);
}

fn sky_color(direction: vec3<f32>) -> vec3<f32> {
    let rise = clamp(direction.y, 0.0, 1.0);
    return mix(view.horizon.rgb, view.zenith.rgb, 1.0 - pow(1.0 - rise, 3.0));
}

// Half of the gradient's tint, with its brightness taken out.
fn sky_tint() -> vec3<f32> {
    let color = mix(view.horizon.rgb, view.zenith.rgb, 0.7);
    return mix(vec3(1.0), color / max(max(color.r, color.g), max(color.b, 1e-6)), 0.5);
}

struct Received {
    light: vec3<f32>,
    lamp: f32,
    open: f32,
}

fn received(position: vec3<f32>, normal: vec3<f32>, pixel: vec2<f32>) -> Received {
    let cosine = max(dot(normal, view.light.xyz), 0.0);
    var lamp = 0.0;
    if cosine > 0.0 {
        lamp = lamp_seen(position, normal, pixel);
    }
    let sky = sky_seen(position, normal, pixel);
    let light = vec3(cosine * lamp * view.light.w) + sky.x * view.zenith.w * sky_tint();
    return Received(light, lamp, sky.y);
}

// Linear light from a point of a surface to the eye.
fn lit(albedo: vec3<f32>, gloss: f32, position: vec3<f32>, given: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let ray = ray_to(position);
    // Smooth normals may turn away from the eye near a silhouette; tilt them back to grazing.
    let normal = normalize(given - max(dot(given, ray), 0.0) * ray + vec3(0.0, 1e-6, 0.0));
    let got = received(position, normal, pixel);
    let down = 0.5 * (1.0 - normal.y);
    let level = view.zenith.w + 0.6 * view.light.w;
    let nearness = 0.45 + 0.55 * clamp((position.y - view.ground.w) / (0.3 * view.center.w), 0.0, 1.0);
    // What is hidden from the sky by folds is hidden from the ground by much the same folds.
    let bounced = BOUNCE * level * down * nearness * (0.35 + 0.65 * got.open) * view.ground.rgb;
    let halfway = normalize(view.light.xyz - ray + vec3(0.0, 1e-6, 0.0));
    let gleam = pow(max(dot(normal, halfway), 0.0), SHININESS) * got.lamp * view.light.w;
    let grazing = pow(1.0 - clamp(-dot(normal, ray), 0.0, 1.0), 4.0);
    let reflection = sky_color(reflect(ray, normal)) * (0.04 + 0.5 * grazing) * got.open;
    return albedo * (got.light + bounced) + gloss * (vec3(gleam) + reflection);
}

// Bright light approaches white without reaching it; a little noise hides the steps of eight bits.
fn display(light: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let bright = 0.75 + 0.25 * (1.0 - exp(-(light - 0.75) / 0.25));
    let toned = select(max(light, vec3(0.0)), bright, light > vec3(0.75));
    if view.flags.y > 0.5 {
        return toned;
    }
    return srgb_from_linear(toned) + (noise(pixel) - 0.5) / 255.0;
}
