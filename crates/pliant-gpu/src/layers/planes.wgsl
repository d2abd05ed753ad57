// When nothing else has helped: planes that stand between all pairs which could meet if each corner made any part of its movement. They hold whatever is cut, so that one
// round is enough.

@group(0) @binding(4) var<storage, read> anchors: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> safe: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> offsets: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> shares: array<atomic<u32>>;

fn consider(number: u32, corners: vec4<u32>) {
    let start = pair_at(corners, 0u);
    let end = pair_at(corners, 1u);
    if (stays_open_anyhow(start, end, own.is_edge, ROUNDING * max(size_of(start), size_of(end)))) {
        return;
    }
    let all_corners = corners_of(own.corners, corners, own.is_edge);
    let pair = local_pair(all_corners);
    let gap = gap_of(pair.start, own.is_edge, pair.rounding);
    cut_shares(all_corners, divide(pair, gap, own.is_edge, false));
}

@compute @workgroup_size(64)
fn put_planes(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let seeker = thread_number(group, groups, thread, 64u);
    if (!is_seeker(seeker) || !is_asked_for(LAST_PASS)) {
        return;
    }
    if (take(seeker)) {
        // Everything counts as changed.
        own.has_changed = true;
        seek(0.0);
    }
}
