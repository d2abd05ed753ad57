// Looks at the pairs that were listed, in frames of their own, and cuts the movements of those that do not stay apart.

@group(0) @binding(0) var<storage, read> elements: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> anchors: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> safe: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> offsets: array<vec4<f32>>;
// Of each vertex the share of its movement that is allowed, that which it now makes, and that which it made when pairs were last looked for.
@group(0) @binding(4) var<storage, read_write> shares: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read> rooms: array<u32>;
@group(0) @binding(6) var<storage, read_write> status: array<atomic<u32>>;

fn status_of(word: u32) -> u32 {
    return atomicLoad(&status[word]);
}

@compute @workgroup_size(64)
fn cut(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let seeker = thread_number(group, groups, thread, 64u);
    let pass_number = parameters.first;
    let judges = parameters.third == 1u;
    // There is a list only if the search has found something.
    if (!is_seeker(seeker) || !is_asked_for(pass_number + 1u)) {
        return;
    }
    let is_edges = seeker >= FIRST_EDGE;
    let count = rooms[seeker];
    if (count == 0u) {
        return;
    }
    let own = elements[select(TRIANGLES + EDGES + seeker, TRIANGLES + seeker - FIRST_EDGE, is_edges)];
    for (var k = 0u; k < count; k++) {
        let number = rooms[(1u + k) * SEEKERS + seeker];
        let corners = corners_of(own, elements[select(number, TRIANGLES + number, is_edges)], is_edges);
        let pair = local_pair(corners);
        let gap = gap_of(pair.start, is_edges, pair.rounding);
        var is_safe = all(vec4<bool>(
            all(pair.moves.a == vec3<f32>()),
            all(pair.moves.b == vec3<f32>()),
            all(pair.moves.c == vec3<f32>()),
            all(pair.moves.d == vec3<f32>()),
        ));
        if (gap.width > 0.0 && !is_safe) {
            is_safe = slab(gap.normal, pair.end, is_edges) >= max(gap.keep - pair.rounding, 2.0 * pair.rounding)
                || never_meets(pair.start, pair.end, is_edges, gap.keep, pair.rounding);
        }
        if (is_safe) {
            continue;
        }
        if (judges) {
            atomicAdd(&status[STATUS_UNPROVED], 1u);
        } else {
            cut_shares(corners, divide(pair, gap, is_edges, parameters.second == 1u));
        }
    }
}
