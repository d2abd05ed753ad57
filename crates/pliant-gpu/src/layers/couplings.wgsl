// What contacts do where vertices are, and what they are to the linear solver. The array `couplings` has
//
//   for each place       the first of its entries and their number, as bits
//   from FIRST_ENTRY on  for each entry the number of a contact as bits, the weight of this corner, its share in the energy
//   from FIRST_COUPLING  for each contact four vectors: the normal and the stiffness along it; the stiffness across it, the energy, what presses, unused;
//                        the weights of its corners, 0 of those that are held; their places as bits
//
// An entry's contact adds w K Σ wⱼ vⱼ to the product of a vertex, with K v = across·v + (along − across) n (n·v).

@group(0) @binding(0) var<storage, read> firsts: array<u32>;
@group(0) @binding(1) var<storage, read_write> contacts: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> couplings: array<vec4<f32>>;
// The force on the first side of each contact, and its energy.
@group(0) @binding(3) var<storage, read_write> responses: array<vec4<f32>>;
// Offsets of vertices; for `settle` the step of a linear solve; for `add_forces` the forces on vertices.
@group(0) @binding(4) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> status: array<atomic<u32>>;

fn is_held(corners: vec4<u32>) -> vec4<bool> {
    return corners >= vec4<u32>(FREE);
}

// Σ weight·v, from differences to the first corner.
fn weighted(corners: vec4<u32>, weights: vec4<f32>) -> vec3<f32> {
    let a = vectors[corners.x].xyz;
    return weights.y * (vectors[corners.y].xyz - a) + weights.z * (vectors[corners.z].xyz - a) + weights.w * (vectors[corners.w].xyz - a);
}

@compute @workgroup_size(128)
fn respond(
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
    let bits = contacts[place + 3u];
    let multipliers = contacts[place + 4u];
    let corners = bitcast<vec4<u32>>(bits) & vec4<u32>(NUMBER);
    let n = depth.xyz;
    let w = sliding.w;
    let s = weighted(corners, weights);
    let push = max(multipliers.w + w * (depth.w - dot(n, s)), 0.0);
    let limit = FRICTION * multipliers.w;
    let full = multipliers.xyz + w * (sliding.xyz + s - n * dot(n, s));
    let far = length(full);
    var share = 1.0;
    if (far > limit) {
        share = limit / far;
    }
    // Huber's function: quadratic up to the limit, linear beyond.
    let held = share * far;
    let friction = held * far - 0.5 * held * held - 0.5 * dot(multipliers.xyz, multipliers.xyz);
    let energy = (0.5 * (push * push - multipliers.w * multipliers.w) + friction) / w;
    let along = select(0.0, w, push > 0.0);
    let across = select(0.0, w * share, limit > 0.0);
    responses[number] = vec4<f32>(n * push - share * full, energy);
    let at = FIRST_COUPLING + 4u * number;
    couplings[at] = vec4<f32>(n, along);
    couplings[at + 1u] = vec4<f32>(across, energy, multipliers.w, 0.0);
    couplings[at + 2u] = select(weights, vec4<f32>(), is_held(corners));
    couplings[at + 3u] = bits;
}

// Adds the forces of contacts to those on vertices, and to the fourth number twice the vertex's share of their energy.
@compute @workgroup_size(64)
fn add_forces(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let place = thread_number(group, groups, thread, 64u);
    if (place >= FREE) {
        return;
    }
    let header = bitcast<vec4<u32>>(couplings[place]) & vec4<u32>(NUMBER);
    var sum = vectors[place];
    for (var k = 0u; k < header.y; k++) {
        let entry = couplings[FIRST_ENTRY + header.x + k];
        let response = responses[bitcast<u32>(entry.x) & NUMBER];
        sum += vec4<f32>(entry.y * response.xyz, 2.0 * entry.z * response.w);
    }
    if (header.y > 0u) {
        vectors[place] = sum;
    }
}

// Takes the forces that a linear solve came to as multipliers, given its step.
@compute @workgroup_size(128)
fn settle(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= firsts[SEEKERS]) {
        return;
    }
    let place = RECORD * number;
    let at = FIRST_COUPLING + 4u * number;
    let corners = bitcast<vec4<u32>>(contacts[place + 3u]) & vec4<u32>(NUMBER);
    let weights = couplings[at + 2u];
    let n = couplings[at].xyz;
    let along = couplings[at].w;
    let across = couplings[at + 1u].x;
    // What is held does not step, and may lie beyond the end of what steps.
    let own = select(corners, vec4<u32>(), is_held(corners));
    let moved = weights.x * vectors[own.x].xyz + weights.y * vectors[own.y].xyz + weights.z * vectors[own.z].xyz + weights.w * vectors[own.w].xyz;
    let force = responses[number].xyz - (across * moved + n * ((along - across) * dot(n, moved)));
    let pressed = max(dot(n, force), 0.0);
    var sliding = n * dot(n, force) - force;
    let most = FRICTION * pressed;
    let far = length(sliding);
    if (far > most) {
        sliding *= most / far;
    }
    contacts[place + 4u] = vec4<f32>(sliding, pressed);
    if (pressed > 0.0) {
        atomicAdd(&status[PRESSING], 1u);
    }
}
