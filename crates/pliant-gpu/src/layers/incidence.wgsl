// Lists the contacts of each vertex in the order of their numbers, for sums that have the same order in every run.

@group(0) @binding(0) var<storage, read> contacts: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> firsts: array<u32>;
@group(0) @binding(2) var<storage, read_write> degrees: array<atomic<u32>>;
// Where the list of each place begins.
@group(0) @binding(3) var<storage, read> begins: array<u32>;
// A contact and which of its corners, as 4 contact + corner.
@group(0) @binding(4) var<storage, read_write> lists: array<u32>;
// See `couplings.wgsl`.
@group(0) @binding(5) var<storage, read_write> couplings: array<vec4<f32>>;

fn put(place: u32, item: u32) {
    if (place < FREE) {
        lists[begins[place] + atomicSub(&degrees[place], 1u) - 1u] = item;
    }
}

@compute @workgroup_size(128)
fn fill(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= firsts[SEEKERS]) {
        return;
    }
    let corners = bitcast<vec4<u32>>(contacts[RECORD * number + 3u]) & vec4<u32>(NUMBER);
    put(corners.x, 4u * number);
    put(corners.y, 4u * number + 1u);
    put(corners.z, 4u * number + 2u);
    put(corners.w, 4u * number + 3u);
}

@compute @workgroup_size(64)
fn arrange(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let place = thread_number(group, groups, thread, 64u);
    if (place >= PLACES) {
        return;
    }
    let begin = begins[place];
    let end = begins[place + 1u];
    couplings[place] = bitcast<vec4<f32>>(vec4<u32>(begin, end - begin, 0u, 0u) | vec4<u32>(ORDINARY));
    for (var k = begin; k < end; k++) {
        let item = lists[k];
        var at = k;
        while (at > begin && lists[at - 1u] > item) {
            lists[at] = lists[at - 1u];
            at -= 1u;
        }
        lists[at] = item;
    }
    for (var k = begin; k < end; k++) {
        let item = lists[k];
        let number = item / 4u;
        let weight = contacts[RECORD * number + 2u][item % 4u];
        let share = contacts[RECORD * number + 5u].y;
        couplings[FIRST_ENTRY + k] = vec4<f32>(bitcast<f32>(number | ORDINARY), weight, share, 0.0);
    }
}
