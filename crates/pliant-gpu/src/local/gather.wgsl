// −∇g at each free vertex: inertia, springs around it, rows of what bends from flat, and the forces that elements have left in its slots. The fourth number is
// twice the vertex's share of the elastic energy.
//
// Vertices go in slices of 64, and lists of a slice are as long as that of its vertex with most entries, one entry of all vertices after the other: threads read
// neighbouring numbers, and add up in the order of their lists.

struct Slice {
    // First entry and number of entries of each vertex.
    springs: vec2<u32>,
    rows: vec2<u32>,
    slots: vec2<u32>,
    unused: vec2<u32>,
}

struct Parameters {
    free: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
// Where inertia and goals pull a vertex, from its anchor, and how strongly.
@group(0) @binding(2) var<storage, read> targets: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> slices: array<Slice>;
// The other end, the weight, and the smallest and largest length without energy.
@group(0) @binding(4) var<storage, read> springs: array<vec4<f32>>;
// Another vertex and the entry of the quadratic form.
@group(0) @binding(5) var<storage, read> rows: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read> slots: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> forces: array<vec4<f32>>;

// Of the energy between two vertices the other one has one half, unless it is held.
fn share_of(other: u32) -> f32 {
    return select(0.5, 1.0, other >= parameters.free);
}

@compute @workgroup_size(64)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    let vertex = number * 64u + lane;
    if (vertex >= parameters.free) {
        return;
    }
    let slice = slices[number];
    let aim = targets[vertex];
    var force = aim.w * (aim.xyz - offsets[vertex].xyz);
    var twice = 0.0;
    for (var k = 0u; k < slice.springs.y; k++) {
        let spring = springs[slice.springs.x + k * 64u + lane];
        let other = index_of(spring.x);
        let e = edge(vertex, other);
        let size = length(e);
        let beyond = size - clamp(size, spring.z, spring.w);
        // An edge without length has no direction to push along.
        force += e * (spring.y * beyond / max(size, 1e-30));
        twice += share_of(other) * spring.y * beyond * beyond;
    }
    for (var k = 0u; k < slice.rows.y; k++) {
        let row = rows[slice.rows.x + k * 64u + lane];
        let other = index_of(row.x);
        let e = edge(vertex, other);
        force -= row.y * e;
        twice -= share_of(other) * row.y * dot(e, e);
    }
    for (var k = 0u; k < slice.slots.y; k++) {
        let slot = slots[slice.slots.x + k * 64u + lane];
        force -= slot.xyz;
        twice += slot.w;
    }
    forces[vertex] = vec4<f32>(force, twice);
}
