// Contacts go on with the multipliers that the same pairs had before, and count themselves at their corners.

@group(0) @binding(0) var<storage, read_write> contacts: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> firsts: array<u32>;
// Where contacts began before; their multipliers and the numbers of their other elements.
@group(0) @binding(2) var<storage, read_write> old_firsts: array<u32>;
@group(0) @binding(3) var<storage, read_write> old: array<vec4<f32>>;
// Contacts at each place.
@group(0) @binding(4) var<storage, read_write> degrees: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> status: array<atomic<u32>>;

// Keeps what is to be gone on with, before contacts are made anew.
@compute @workgroup_size(128)
fn remember(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number <= SEEKERS) {
        old_firsts[number] = firsts[number];
    }
    if (number < firsts[SEEKERS]) {
        old[2u * number] = contacts[RECORD * number + 4u];
        old[2u * number + 1u] = contacts[RECORD * number + 5u];
    }
    if (number < PLACES) {
        atomicStore(&degrees[number], 0u);
    }
}

// Forgets what pressed.
@compute @workgroup_size(128)
fn forget(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number < firsts[SEEKERS]) {
        contacts[RECORD * number + 4u] = vec4<f32>();
    }
}

fn count_at(place: u32) {
    if (place < FREE) {
        atomicAdd(&degrees[place], 1u);
    }
}

@compute @workgroup_size(64)
fn resume(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let seeker = thread_number(group, groups, thread, 64u);
    if (seeker == 0u) {
        atomicMax(&status[STATUS_MOST_CONTACTS], firsts[SEEKERS]);
        atomicStore(&status[STATUS_CONTACTS], firsts[SEEKERS]);
        atomicAdd(&status[STATUS_DROPPED], firsts[SEEKERS + 1u] - firsts[SEEKERS]);
    }
    if (!is_seeker(seeker)) {
        return;
    }
    let end = firsts[seeker + 1u];
    let old_end = old_firsts[seeker + 1u];
    for (var at = firsts[seeker]; at < end; at++) {
        let place = RECORD * at;
        let number = bitcast<u32>(contacts[place + 5u].x);
        var multipliers = vec4<f32>();
        for (var before = old_firsts[seeker]; before < old_end; before++) {
            if (bitcast<u32>(old[2u * before + 1u].x) == number) {
                multipliers = old[2u * before];
            }
        }
        let normal = contacts[place].xyz;
        contacts[place + 4u] = vec4<f32>(multipliers.xyz - normal * dot(normal, multipliers.xyz), multipliers.w);
        let corners = bitcast<vec4<u32>>(contacts[place + 3u]) & vec4<u32>(NUMBER);
        count_at(corners.x);
        count_at(corners.y);
        count_at(corners.z);
        count_at(corners.w);
    }
}
