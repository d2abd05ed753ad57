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

// Share of a distance at which an impact is near, and of a safe step that is taken; steps before it counts as an impact.
const NEAR_IMPACT = 0.1;
const CAUTION = 0.9;
const MOST_STEPS = 24u;

// Whether two sides that turn stay further apart than `keep`: by steps, each as long as the slab across their closest points lasts.
fn never_meets(pair: Local, is_edges: bool, keep: f32) -> bool {
    let start = pair.start;
    let movement = Quad(vec3<f32>(), pair.end.b - start.b, pair.end.c - start.c, pair.end.d - start.d);
    var time = 0.0;
    var first_left = 0.0;
    for (var step = 0u; step < MOST_STEPS; step++) {
        let moved = Quad(vec3<f32>(), start.b + time * movement.b, start.c + time * movement.c, start.d + time * movement.d);
        let offset = closest(moved, is_edges).offset;
        let distance = length(offset);
        let left = distance - keep - pair.rounding;
        if (step == 0u) {
            first_left = left;
        }
        if (!(left > 0.0) || left < NEAR_IMPACT * first_left) {
            return false;
        }
        let n = offset / distance;
        let height = heights(n, moved);
        let speed = vec4<f32>(0.0, dot(n, movement.b), dot(n, movement.c), dot(n, movement.d));
        var lasts = FAR;
        for (var upper = 0u; upper < 2u; upper++) {
            for (var lower = 1u; lower < 4u; lower++) {
                let is_pair = select(upper == 0u, lower > 1u, is_edges);
                let closing = speed[lower] - speed[upper];
                if (is_pair && closing > 0.0) {
                    let open = height[upper] - height[lower] - keep - pair.rounding;
                    lasts = min(lasts, max(open, 0.0) / closing);
                }
            }
        }
        time += CAUTION * lasts;
        if (time >= 1.0) {
            return true;
        }
    }
    return false;
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
                || never_meets(pair, is_edges, gap.keep);
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
