// Sums of bars along y.

@group(0) @binding(0) var<storage, read> bars: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> near: array<u32>;
@group(0) @binding(2) var<storage, read_write> plates: array<vec4<f32>>;

@compute @workgroup_size(128)
fn sum_plates(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    var sum = vec3<f32>();
    var along_x = vec3<f32>();
    var along_y = vec3<f32>();
    for (var k = 0u; k < SIDE; k++) {
        let at = near[near_at(0u, k, slot)];
        if (at != NONE) {
            let bar = bars[at].xyz;
            sum += bar;
            along_x += bars[COUNT + at].xyz;
            along_y += bar * (f32(k) - f32(WIDTH));
        }
    }
    plates[slot] = vec4<f32>(sum, 0.0);
    plates[COUNT + slot] = vec4<f32>(along_x, 0.0);
    plates[2u * COUNT + slot] = vec4<f32>(along_y, 0.0);
}
