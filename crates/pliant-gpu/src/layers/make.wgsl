// Makes contacts of the pairs that were listed, at the safe positions.

@group(0) @binding(0) var<storage, read> elements: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> rooms: array<u32>;
// Where the contacts of each seeker begin.
@group(0) @binding(2) var<storage, read> firsts: array<u32>;
@group(0) @binding(3) var<storage, read> anchors: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> safe: array<vec4<f32>>;
// Where vertices were when the step began.
@group(0) @binding(5) var<storage, read> before: array<vec4<f32>>;
// Rest positions, and the inverse of masses; 0 of what is held.
@group(0) @binding(6) var<storage, read> rest: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> contacts: array<vec4<f32>>;

fn at_safe(v: u32, origin: u32) -> vec3<f32> {
    return (anchors[v].xyz - anchors[origin].xyz) + (safe[v].xyz - safe[origin].xyz);
}

fn at_start(v: u32, origin: u32) -> vec3<f32> {
    return (anchors[v].xyz - anchors[origin].xyz) + (before[v].xyz - before[origin].xyz);
}

fn at_anchor(v: u32, origin: u32) -> vec3<f32> {
    return anchors[v].xyz - anchors[origin].xyz;
}

fn at_rest(v: u32, origin: u32) -> vec3<f32> {
    return rest[v].xyz - rest[origin].xyz;
}

// Σ weight·x, seen from the first corner.
fn weighted(q: Quad, weights: vec4<f32>) -> vec3<f32> {
    return weights.y * q.b + weights.z * q.c + weights.w * q.d;
}

fn make_contact(own: vec4<u32>, other: vec4<u32>, number: u32, is_edges: bool, at: u32) {
    let corners = corners_of(own, other, is_edges);
    let a = corners.x;
    let now = Quad(vec3<f32>(), at_safe(corners.y, a), at_safe(corners.z, a), at_safe(corners.w, a));
    let origin = Quad(vec3<f32>(), at_start(corners.y, a), at_start(corners.z, a), at_start(corners.w, a));
    let nearest = closest(now, is_edges);
    let weights = nearest.weights;
    let normal = nearest.offset / length(nearest.offset);
    var target_distance = THICKNESS;
    if (own.w == other.w) {
        // What is nearer than the thickness at rest is no contact.
        let resting = Quad(vec3<f32>(), at_rest(corners.y, a), at_rest(corners.z, a), at_rest(corners.w, a));
        target_distance = min(target_distance, max(length(closest(resting, is_edges).offset), LEAST_TARGET));
    }
    target_distance = min(target_distance, length(closest(origin, is_edges).offset) + RECOVERY);
    let yields = vec4<f32>(rest[a].w, rest[corners.y].w, rest[corners.z].w, rest[corners.w].w);
    let inverse_mass = dot(weights * weights, yields);
    // What is there without offsets, and how far it has slid from where it was at the start.
    let anchored = weighted(
        Quad(vec3<f32>(), at_anchor(corners.y, a), at_anchor(corners.z, a), at_anchor(corners.w, a)),
        weights,
    );
    let slid = anchored - weighted(origin, weights);
    let acting = dot(select(vec4<f32>(), vec4<f32>(1.0), yields > vec4<f32>()), vec4<f32>(1.0));
    let place = RECORD * at;
    contacts[place] = vec4<f32>(normal, target_distance - dot(normal, anchored));
    contacts[place + 1u] = vec4<f32>(slid - normal * dot(normal, slid), STIFFNESS / inverse_mass);
    contacts[place + 2u] = weights;
    contacts[place + 3u] = bitcast<vec4<f32>>(corners | vec4<u32>(ORDINARY));
    contacts[place + 5u] = vec4<f32>(bitcast<f32>(number | ORDINARY), 1.0 / acting, target_distance, 0.0);
}

@compute @workgroup_size(64)
fn make_contacts(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let seeker = thread_number(group, groups, thread, 64u);
    if (!is_seeker(seeker)) {
        return;
    }
    let is_edges = seeker >= FIRST_EDGE;
    let first = firsts[seeker];
    let end = firsts[seeker + 1u];
    let own = elements[select(TRIANGLES + EDGES + seeker, TRIANGLES + seeker - FIRST_EDGE, is_edges)];
    for (var at = first; at < end; at++) {
        let number = rooms[(1u + at - first) * SEEKERS + seeker];
        make_contact(own, elements[select(number, TRIANGLES + number, is_edges)], number, is_edges, at);
    }
}
