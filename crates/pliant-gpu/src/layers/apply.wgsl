// Begins and ends a truncation, and moves vertices by the shares of their movements that are left.

@group(0) @binding(0) var<storage, read_write> safe: array<vec4<f32>>;
// Where vertices want to go, and how far they go.
@group(0) @binding(1) var<storage, read_write> wanted: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> offsets: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> shares: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> status: array<atomic<u32>>;
// Where vertices were when the step began.
@group(0) @binding(5) var<storage, read_write> before: array<vec4<f32>>;

fn status_of(word: u32) -> u32 {
    return atomicLoad(&status[word]);
}

@compute @workgroup_size(128)
fn begin_truncation(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let v = thread_number(group, groups, thread, 128u);
    if (v < PLACES) {
        let aim = offsets[v];
        wanted[v] = aim;
        shares[v] = vec4<u32>(vec3<u32>(bitcast<u32>(1.0)), 0u);
        if (!is_finite(aim.xyz)) {
            atomicAdd(&status[STATUS_LOST], 1u);
        }
    }
    // Nothing else of this dispatch reads or writes these words.
    if (v < STATUS_KEPT) {
        atomicStore(&status[v], 0u);
    }
}

@compute @workgroup_size(128)
fn apply(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let v = thread_number(group, groups, thread, 128u);
    let pass_number = parameters.first;
    // The last pass is its own; others have something to do once a list was made.
    if (v >= PLACES || !is_asked_for(select(pass_number + 1u, pass_number, pass_number == LAST_PASS))) {
        return;
    }
    let share = shares[v];
    if (share.x == share.y) {
        return;
    }
    let start = safe[v].xyz;
    let way = wanted[v].xyz - start;
    let left = bitcast<f32>(share.x);
    shares[v] = vec4<u32>(share.x, share.x, share.zw);
    if (is_finite(way)) {
        offsets[v] = vec4<f32>(select(start, start + left * way, left > 0.0), 0.0);
    }
}

@compute @workgroup_size(128)
fn end_truncation(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let v = thread_number(group, groups, thread, 128u);
    // It is no end where passes are still to come.
    if (v >= PLACES || (parameters.first > 0u && is_asked_for(parameters.first))) {
        return;
    }
    safe[v] = offsets[v];
    if (shares[v].y != bitcast<u32>(1.0)) {
        atomicAdd(&status[STATUS_CUT], 1u);
        atomicAdd(&status[STATUS_ALL_CUT], 1u);
    }
    if (v == 0u) {
        atomicMax(&status[STATUS_MOST_PAIRS], atomicLoad(&status[STATUS_OPEN]));
        if (atomicLoad(&status[STATUS_CROWDED]) > 0u) {
            atomicAdd(&status[STATUS_ALL_CROWDED], 1u);
        }
        if (is_asked_for(LAST_PASS)) {
            atomicAdd(&status[STATUS_ALL_PLANES], 1u);
        }
    }
}

@compute @workgroup_size(128)
fn begin_from_here(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let v = thread_number(group, groups, thread, 128u);
    if (v < PLACES) {
        safe[v] = offsets[v];
        before[v] = offsets[v];
    }
}
