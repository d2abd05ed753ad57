// The middle of all vertices and their mean movement, from which boxes are seen: numbers are finest near the middle, and what all do together brings nothing nearer.

@group(0) @binding(0) var<storage, read> anchors: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> safe: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> offsets: array<vec4<f32>>;
// Sums of positions and of movements by workgroups; the fourth number counts.
@group(0) @binding(3) var<storage, read_write> parts: array<vec4<f32>>;
// The middle, and the mean movement.
@group(0) @binding(4) var<storage, read_write> frame: array<vec4<f32>>;

var<workgroup> places: array<vec4<f32>, 256>;
var<workgroup> ways: array<vec4<f32>, 256>;

fn add_up(thread: u32) {
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            places[thread] += places[thread + half];
            ways[thread] += ways[thread + half];
        }
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn survey(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var place = vec4<f32>();
    var way = vec4<f32>();
    for (var v = group.x * 256u + thread; v < PLACES; v += 256u * PARTS) {
        let own = safe[v].xyz;
        let movement = offsets[v].xyz - own;
        // What is not finite has no say.
        if (is_finite(movement)) {
            place += vec4<f32>(anchors[v].xyz + own, 1.0);
            way += vec4<f32>(movement, 1.0);
        }
    }
    places[thread] = place;
    ways[thread] = way;
    add_up(thread);
    if (thread == 0u) {
        parts[2u * group.x] = places[0];
        parts[2u * group.x + 1u] = ways[0];
    }
}

@compute @workgroup_size(256)
fn settle_frame(@builtin(local_invocation_index) thread: u32) {
    places[thread] = vec4<f32>();
    ways[thread] = vec4<f32>();
    if (thread < PARTS) {
        places[thread] = parts[2u * thread];
        ways[thread] = parts[2u * thread + 1u];
    }
    add_up(thread);
    if (thread == 0u) {
        frame[0] = vec4<f32>(places[0].xyz / max(places[0].w, 1.0), 0.0);
        frame[1] = vec4<f32>(ways[0].xyz / max(ways[0].w, 1.0), 0.0);
    }
}
