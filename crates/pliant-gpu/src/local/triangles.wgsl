// Forces of triangles that resist strain, change of area, or both, on their corners.

struct Parameters {
    stretches: vec2<f32>,
    areas: vec2<f32>,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
// Vertices of the corners; slots of the forces on them.
@group(0) @binding(2) var<storage, read> corners: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> corner_slots: array<vec4<u32>>;
// A of the second and third corner, row by row; then the weights of strain and area.
@group(0) @binding(4) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> slots: array<vec4<f32>>;

// Gradient of the energy in F, and twice the energy.
struct Gradient {
    columns: mat2x3<f32>,
    twice: f32,
}

// Columns that are nearly parallel have no plane: the larger stretch has a direction, the smaller one any across it.
fn collapsed_gradient(f: mat2x3<f32>, weights: vec2<f32>) -> Gradient {
    let c = transpose(f) * f;
    let gap = 0.5 * (c[0][0] - c[1][1]);
    let size = length(vec2<f32>(gap, c[0][1]));
    var v = vec2<f32>(1.0, 0.0);
    if (size > TINY) {
        v = select(vec2<f32>(c[0][1], size - gap), vec2<f32>(size + gap, c[0][1]), gap >= 0.0);
        v = v * inverseSqrt(max(dot(v, v), TINY));
    }
    let across = vec2<f32>(-v.y, v.x);
    let along = f * v;
    let large = length(along);
    let u = select(vec3<f32>(1.0, 0.0, 0.0), along / max(large, TINY), large > TINY);
    let rest = f * across;
    var w = rest - u * dot(rest, u);
    if (dot(w, w) <= TINY) {
        let axis = select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(u.x) < 0.7);
        w = cross(u, axis);
    }
    w = normalize(w);
    let sigma = vec2<f32>(large, max(dot(rest, w), 0.0));
    let strain = sigma - clamp(sigma, vec2<f32>(parameters.stretches.x), vec2<f32>(parameters.stretches.y));
    let product = held_product(vec3<f32>(sigma, 0.0), 2u, parameters.areas.x, parameters.areas.y);
    let area = sigma - product.values.xy;
    let pull = weights.x * strain + weights.y * area;
    let twice = weights.x * dot(strain, strain) + weights.y * dot(area, area);
    return Gradient(
        mat2x3<f32>(pull.x * v.x * u + pull.y * across.x * w, pull.x * v.y * u + pull.y * across.y * w),
        twice,
    );
}

fn gradient(f: mat2x3<f32>, weights: vec2<f32>) -> Gradient {
    let plane = plane_stretch(f);
    if (plane.is_collapsed) {
        return collapsed_gradient(f, weights);
    }
    var rotation = 0.0;
    var plain = 0.0;
    var twice = 0.0;
    if (weights.x > 0.0) {
        let beyond = beyond_plane_limits(plane.sigma, parameters.stretches.x, parameters.stretches.y);
        rotation += weights.x * beyond.rotation;
        plain += weights.x * beyond.plain;
        twice += weights.x * beyond.squared;
    }
    if (weights.y > 0.0) {
        let beyond = beyond_area(plane.sigma, parameters.areas.x, parameters.areas.y);
        rotation += weights.y * beyond.rotation;
        plain += weights.y * beyond.plain;
        twice += weights.y * beyond.squared;
    }
    let m = plane.to_rotation;
    let p = mat2x2<f32>(
        vec2<f32>(rotation * m.x + plain, rotation * m.y),
        vec2<f32>(rotation * m.y, rotation * m.z + plain),
    );
    return Gradient(f * p, twice);
}

@compute @workgroup_size(128)
fn triangles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= arrayLength(&corners)) {
        return;
    }
    let v = corners[number];
    let a = numbers[2u * number];
    let weights = numbers[2u * number + 1u].xy;
    let edges = mat2x3<f32>(edge(v.x, v.y), edge(v.x, v.z));
    // Columns of F = E M, with M by columns the rows of A.
    let m = mat2x2<f32>(a.xy, a.zw);
    let result = gradient(edges * m, weights);
    let forces = result.columns * transpose(m);
    let at = corner_slots[number];
    slots[at.x] = vec4<f32>(-forces[0] - forces[1], result.twice);
    slots[at.y] = vec4<f32>(forces[0], 0.0);
    slots[at.z] = vec4<f32>(forces[1], 0.0);
}
