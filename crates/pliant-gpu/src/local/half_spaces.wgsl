// Vertices that planes keep on one side: their forces, and blocks of their second derivatives.

struct Plane {
    // Its normal, towards the side that is allowed, and how far it is along it from the vertex's anchor.
    normal: vec3<f32>,
    distance: f32,
}

@group(0) @binding(0) var<storage, read> offsets: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> planes: array<Plane>;
// Place, slot and block of the vertex; the weight.
@group(0) @binding(2) var<storage, read> held: array<vec4<u32>>;
// Slots, or blocks of three columns.
@group(0) @binding(3) var<storage, read_write> results: array<vec4<f32>>;

fn number_of(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    return (group.x + group.y * groups.x) * 128u + thread;
}

// How far a vertex is on the wrong side.
fn depth(number: u32) -> f32 {
    let plane = planes[number];
    return max(plane.distance - dot(plane.normal, offsets[held[number].x].xyz), 0.0);
}

@compute @workgroup_size(128)
fn half_spaces(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = number_of(group, groups, thread);
    if (number >= arrayLength(&held)) {
        return;
    }
    let beyond = depth(number);
    let weight = bitcast<f32>(held[number].w);
    results[held[number].y] = vec4<f32>(-weight * beyond * planes[number].normal, weight * beyond * beyond);
}

@compute @workgroup_size(128)
fn half_space_blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = number_of(group, groups, thread);
    if (number >= arrayLength(&held)) {
        return;
    }
    let weight = select(0.0, bitcast<f32>(held[number].w), depth(number) > 0.0);
    let n = planes[number].normal;
    for (var c = 0u; c < 3u; c++) {
        results[3u * held[number].z + c] = vec4<f32>(weight * n[c] * n, 0.0);
    }
}
