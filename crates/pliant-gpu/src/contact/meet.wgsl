// What vertices meet on their way, before and between the iterations of a solve.

struct Parameters {
    free: u32,
    colliders: u32,
    // Whether this is the beginning of a substep.
    begins: u32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(2) var<storage, read> anchors: array<vec4<f32>>;
// Offsets at the start of the substep.
@group(0) @binding(3) var<storage, read> starts: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> offsets: array<vec4<f32>>;
// Weight of a contact of each vertex, and its inertia m/τ².
@group(0) @binding(5) var<storage, read> weights: array<vec2<f32>>;
// Offsets where the last iteration of Newton's method began; at the beginning of a solve the movement that it begins with.
@group(0) @binding(6) var<storage, read_write> origin: array<vec4<f32>>;
// How many contacts of each workgroup press.
@group(0) @binding(7) var<storage, read_write> pressing: array<u32>;

var<workgroup> counts: array<u32, 128>;

fn forget(vertex: u32) {
    if (vertex == 0u) {
        touches[0] = vec4<f32>();
    }
    for (var c = 0u; c < parameters.colliders; c++) {
        touches[touch_row(c, 1u, vertex, parameters.free)].w = -1.0;
    }
}

// Contacts begin with what would stop vertices without elastic forces, and go on from the multipliers of the substep before: from where vertices want to be they
// would press many times too hard at first.
@compute @workgroup_size(128)
fn begin_contacts(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    let free = parameters.free;
    forget(vertex);
    let base = anchors[vertex].xyz;
    let inertia = weights[vertex].y;
    var x = offsets[vertex].xyz;
    let predicted = x;
    for (var c = 0u; c < parameters.colliders; c++) {
        follow_or_meet(c, vertex, free, base, starts[vertex].xyz, predicted);
    }
    for (var c = 0u; c < parameters.colliders; c++) {
        if (!is_touching(c, vertex, free)) { continue; }
        let law = law_of(c, vertex, free, 0.0);
        let depth = max(depth_of(law, x), 0.0);
        let back = no_longer_than(slid(law, x), law.friction * depth);
        x += law.normal * depth - back;
        var forces = vec4<f32>(back * inertia, depth * inertia);
        touches[touch_row(c, 3u, vertex, free)] = vec4<f32>(law.normal * forces.w - forces.xyz, 0.0);
        let held = touches[touch_row(c, 4u, vertex, free)];
        if (held.w > 0.0) {
            forces = vec4<f32>(across_normal(law.normal, held.xyz), held.w);
        }
        touches[touch_row(c, 2u, vertex, free)] = forces;
    }
    offsets[vertex] = vec4<f32>(x, 0.0);
    // A guess leads to the same place as before.
    origin[vertex] = vec4<f32>(origin[vertex].xyz - (x - predicted), 0.0);
}

// After an iteration of Newton's method contacts take the forces that its linear system has come to, and follow vertices to where they are.
@compute @workgroup_size(128)
fn settle_contacts(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group.x + group.y * groups.x;
    let vertex = number * 128u + thread;
    let free = parameters.free;
    var count = 0u;
    if (vertex < free) {
        let base = anchors[vertex].xyz;
        let x = offsets[vertex].xyz;
        let before = origin[vertex].xyz;
        for (var c = 0u; c < parameters.colliders; c++) {
            if (is_touching(c, vertex, free)) {
                let law = law_of(c, vertex, free, weights[vertex].x);
                let response = respond(law, before);
                settle(c, vertex, free, law, response.force - stiffness_times(law, response, x - before));
                if (touches[touch_row(c, 2u, vertex, free)].w > 0.0) { count++; }
            }
            follow_or_meet(c, vertex, free, base, starts[vertex].xyz, x);
        }
    }
    counts[thread] = count;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if (thread < half) {
            counts[thread] += counts[thread + half];
        }
        workgroupBarrier();
    }
    if (thread == 0u && number * 128u < free) {
        pressing[number] = counts[0];
    }
}

// Local/global iterations know nothing of contacts: after each of them, one step of Gauss–Seidel puts vertices to where they may be.
@compute @workgroup_size(128)
fn push_apart(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    let free = parameters.free;
    if (parameters.begins == 1u) {
        forget(vertex);
    }
    let base = anchors[vertex].xyz;
    let reached = offsets[vertex].xyz;
    let inertia = weights[vertex].y;
    for (var c = 0u; c < parameters.colliders; c++) {
        follow_or_meet(c, vertex, free, base, starts[vertex].xyz, reached);
    }
    var x = reached;
    for (var c = 0u; c < parameters.colliders; c++) {
        if (!is_touching(c, vertex, free)) { continue; }
        let law = law_of(c, vertex, free, 0.0);
        let pressed = max(law.pressed + depth_of(law, x) * inertia, 0.0);
        let sliding = no_longer_than(law.sliding + slid(law, x) * inertia, law.friction * pressed);
        x += (law.normal * (pressed - law.pressed) - (sliding - law.sliding)) / inertia;
        touches[touch_row(c, 2u, vertex, free)] = vec4<f32>(sliding, pressed);
        touches[touch_row(c, 3u, vertex, free)] = vec4<f32>(law.normal * pressed - sliding, 0.0);
    }
    offsets[vertex] = vec4<f32>(x, 0.0);
}
