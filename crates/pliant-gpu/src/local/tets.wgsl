// Forces of tets that resist strain, change of volume, or both, on their corners. Rotations continue from the last ones.

struct Parameters {
    stretches: vec2<f32>,
    volumes: vec2<f32>,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(2) var<storage, read> corners: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> corner_slots: array<vec4<u32>>;
// A of all corners but the first: three rows, with the weights of strain and volume after the first two.
@group(0) @binding(4) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> slots: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> rotations: array<vec4<f32>>;

@compute @workgroup_size(128)
fn tets(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= arrayLength(&corners)) {
        return;
    }
    let v = corners[number];
    let first = numbers[3u * number];
    let second = numbers[3u * number + 1u];
    let third = numbers[3u * number + 2u];
    let weights = vec2<f32>(first.w, second.w);
    let edges = mat3x3<f32>(edge(v.x, v.y), edge(v.x, v.z), edge(v.x, v.w));
    let m = mat3x3<f32>(first.xyz, second.xyz, third.xyz);
    let f = edges * m;
    let q = nearest_rotation(f, rotations[number]);
    rotations[number] = q;
    let r = columns_of(q);
    var d = mat3x3<f32>();
    var twice = 0.0;
    if (weights.y == 0.0 && parameters.stretches.x == 1.0 && parameters.stretches.y == 1.0) {
        let gap = f - r;
        d = weights.x * gap;
        twice = weights.x * (dot(gap[0], gap[0]) + dot(gap[1], gap[1]) + dot(gap[2], gap[2]));
    } else {
        let s = transpose(r) * f;
        let sigma = eigenvalues(s);
        var total = Beyond(0.0, 0.0, 0.0, 0.0);
        if (weights.x > 0.0) {
            let beyond = beyond_limits(sigma, parameters.stretches.x, parameters.stretches.y);
            total.rotation += weights.x * beyond.rotation;
            total.plain += weights.x * beyond.plain;
            total.stretched += weights.x * beyond.stretched;
            total.squared += weights.x * beyond.squared;
        }
        if (weights.y > 0.0) {
            let beyond = beyond_volume(sigma, parameters.volumes.x, parameters.volumes.y);
            total.rotation += weights.y * beyond.rotation;
            total.plain += weights.y * beyond.plain;
            total.stretched += weights.y * beyond.stretched;
            total.squared += weights.y * beyond.squared;
        }
        d = total.rotation * r + f * (total.plain * mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) + total.stretched * s);
        twice = total.squared;
    }
    let forces = d * transpose(m);
    let at = corner_slots[number];
    slots[at.x] = vec4<f32>(-forces[0] - forces[1] - forces[2], twice);
    slots[at.y] = vec4<f32>(forces[0], 0.0);
    slots[at.z] = vec4<f32>(forces[1], 0.0);
    slots[at.w] = vec4<f32>(forces[2], 0.0);
}
