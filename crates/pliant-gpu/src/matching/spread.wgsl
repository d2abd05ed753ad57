// From regions back to particles, the other way round: where all regions that a particle is in have it, along z, then along y. The third column of a rotation is
// across the other two.

@group(0) @binding(0) var<storage, read> maps: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> near: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4<f32>>;

@compute @workgroup_size(128)
fn spread_cubes(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    var place = vec3<f32>();
    var first = vec3<f32>();
    var second = vec3<f32>();
    for (var k = 0u; k < SIDE; k++) {
        let at = near[near_at(1u, k, slot)];
        if (at != NONE) {
            let x = maps[COUNT + at].xyz;
            let y = maps[2u * COUNT + at].xyz;
            place += maps[at].xyz + cross(x, y) * (SPACING * (f32(WIDTH) - f32(k)));
            first += x;
            second += y;
        }
    }
    sums[slot] = vec4<f32>(place, 0.0);
    sums[COUNT + slot] = vec4<f32>(first, 0.0);
    sums[2u * COUNT + slot] = vec4<f32>(second, 0.0);
}

@compute @workgroup_size(128)
fn spread_plates(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    var place = vec3<f32>();
    var first = vec3<f32>();
    for (var k = 0u; k < SIDE; k++) {
        let at = near[near_at(0u, k, slot)];
        if (at != NONE) {
            place += maps[at].xyz + maps[2u * COUNT + at].xyz * (SPACING * (f32(WIDTH) - f32(k)));
            first += maps[COUNT + at].xyz;
        }
    }
    sums[slot] = vec4<f32>(place, 0.0);
    sums[COUNT + slot] = vec4<f32>(first, 0.0);
}
