// A stage begins with contacts that stop vertices as far as that can be seen without elastic forces, as the engine's relaxation does: linear systems that begin with
// vertices deep in each other would have to be solved many times as well. The engine goes from contact to contact; here all are asked what they would do, and a contact
// of a vertex that has several gets its share of that, so that multipliers are what has moved vertices.

@group(0) @binding(0) var<storage, read> firsts: array<u32>;
@group(0) @binding(1) var<storage, read_write> contacts: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> couplings: array<vec4<f32>>;
// What each contact asks for: a change of the force on its first side, 1 if that is any.
@group(0) @binding(3) var<storage, read_write> responses: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> offsets: array<vec4<f32>>;
// Rest positions, and inverse masses.
@group(0) @binding(5) var<storage, read> rest: array<vec4<f32>>;
// How many contacts of a vertex ask for anything.
@group(0) @binding(6) var<storage, read_write> asking: array<u32>;
// The movement that a solve begins with, which leads to the same place as before.
@group(0) @binding(7) var<storage, read_write> guess: array<vec4<f32>>;

@compute @workgroup_size(128)
fn ask(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= firsts[SEEKERS]) {
        return;
    }
    let place = RECORD * number;
    let depth = contacts[place];
    let sliding = contacts[place + 1u];
    let weights = contacts[place + 2u];
    let corners = bitcast<vec4<u32>>(contacts[place + 3u]) & vec4<u32>(NUMBER);
    let multipliers = contacts[place + 4u];
    let n = depth.xyz;
    let a = offsets[corners.x].xyz;
    let s = weights.y * (offsets[corners.y].xyz - a) + weights.z * (offsets[corners.z].xyz - a) + weights.w * (offsets[corners.w].xyz - a);
    let inverse = vec4<f32>(rest[corners.x].w, rest[corners.y].w, rest[corners.z].w, rest[corners.w].w);
    let gives = GIVES * dot(weights * weights, inverse);
    var change = vec3<f32>();
    if (gives > 0.0) {
        let pressed = max(multipliers.w + (depth.w - dot(n, s)) / gives, 0.0);
        var across = multipliers.xyz + (sliding.xyz + s - n * dot(n, s)) / gives;
        let most = FRICTION * pressed;
        let far = length(across);
        if (far > most) {
            across *= most / far;
        }
        change = n * (pressed - multipliers.w) - (across - multipliers.xyz);
    }
    responses[number] = vec4<f32>(change, select(0.0, 1.0, dot(change, change) > 0.0));
}

@compute @workgroup_size(64)
fn count_asking(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let place = thread_number(group, groups, thread, 64u);
    if (place >= FREE) {
        return;
    }
    let header = bitcast<vec4<u32>>(couplings[place]) & vec4<u32>(NUMBER);
    var count = 0u;
    for (var k = 0u; k < header.y; k++) {
        let entry = couplings[FIRST_ENTRY + header.x + k];
        if (responses[bitcast<u32>(entry.x) & NUMBER].w > 0.0) { count++; }
    }
    asking[place] = count;
}

@compute @workgroup_size(128)
fn take_share(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= firsts[SEEKERS] || responses[number].w == 0.0) {
        return;
    }
    let place = RECORD * number;
    let corners = bitcast<vec4<u32>>(contacts[place + 3u]) & vec4<u32>(NUMBER);
    var most = 1u;
    for (var k = 0u; k < 4u; k++) {
        if (corners[k] < FREE) { most = max(most, asking[corners[k]]); }
    }
    let change = responses[number].xyz / f32(most);
    let n = contacts[place].xyz;
    let along = dot(n, change);
    contacts[place + 4u] += vec4<f32>(n * along - change, along);
    responses[number] = vec4<f32>(change, 1.0);
}

@compute @workgroup_size(64)
fn move_apart(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let place = thread_number(group, groups, thread, 64u);
    if (place >= FREE) {
        return;
    }
    let header = bitcast<vec4<u32>>(couplings[place]) & vec4<u32>(NUMBER);
    var sum = vec3<f32>();
    for (var k = 0u; k < header.y; k++) {
        let entry = couplings[FIRST_ENTRY + header.x + k];
        let response = responses[bitcast<u32>(entry.x) & NUMBER];
        sum += (entry.y * response.w) * response.xyz;
    }
    let moved = GIVES * rest[place].w * sum;
    offsets[place] += vec4<f32>(moved, 0.0);
    guess[place] -= vec4<f32>(moved, 0.0);
}
