// Lists the pairs that are not seen to stay apart on their way, in rooms of the seekers; `cut.wgsl` looks at these more closely.

// How many pairs each seeker has, then the other elements, those of one place in all rooms side by side.
@group(0) @binding(4) var<storage, read_write> rooms: array<u32>;

// See `cut.wgsl`; a fourth word marks a vertex that must be looked at again.
@group(0) @binding(5) var<storage, read_write> shares: array<atomic<u32>>;

var<private> found: u32;

fn consider(number: u32, corners: vec4<u32>) {
    let start = pair_at(corners, 0u);
    let end = pair_at(corners, 1u);
    let rounding = ROUNDING * max(size_of(start), size_of(end));
    if (stays_open(start, end, own.is_edge, rounding)) {
        return;
    }
    // What turns takes a closer look.
    let gap = gap_of(start, own.is_edge, rounding);
    if (gap.width > 0.0 && never_meets(start, end, own.is_edge, gap.keep, rounding)) {
        return;
    }
    if (found < ROOM) {
        rooms[(1u + found) * SEEKERS + own.seeker] = number;
    }
    found++;
}

@compute @workgroup_size(64)
fn list_unproved(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let seeker = thread_number(group, groups, thread, 64u);
    let pass_number = parameters.first;
    if (!is_seeker(seeker) || !is_asked_for(pass_number)) {
        return;
    }
    found = 0u;
    if (take(seeker)) {
        seek(0.0);
    }
    rooms[seeker] = min(found, ROOM);
    if (found > ROOM) {
        if (parameters.second == 1u) {
            // No pass comes after this one.
            atomicMax(&status[STATUS_CROWDED], found);
        }
        // What there is no room for is found in the next pass.
        atomicStore(&shares[4u * own.corners.x + 3u], 1u);
        atomicStore(&shares[4u * select(own.corners.x, own.corners.y, own.is_edge) + 3u], 1u);
    }
    if (found > 0u) {
        atomicAdd(&status[STATUS_OPEN + pass_number], found);
    }
}
