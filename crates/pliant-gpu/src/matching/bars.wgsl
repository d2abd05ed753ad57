// Sums along x: of mass × place, and of the same × steps.

@group(0) @binding(0) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> ways: array<vec4<f32>>;
// Steps that rows go on, down and up.
@group(0) @binding(2) var<storage, read> reach: array<u32>;
@group(0) @binding(3) var<storage, read_write> bars: array<vec4<f32>>;

@compute @workgroup_size(128)
fn sum_bars(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    let is_later = f32(parameters.stage);
    // Places from one of the particles: far from the middle of the world nothing is lost.
    let origin = state[ORIGIN].xyz;
    let origin_way = ways[ORIGIN].xyz * is_later;
    let down = i32(reach[slot] & 0xffffu);
    let up = i32(reach[slot] >> 16u);
    var sum = vec3<f32>();
    var along = vec3<f32>();
    for (var k = -down; k <= up; k++) {
        let at = u32(i32(slot) + k);
        let x = state[at];
        let place = ((x.xyz - origin) + (ways[at].xyz * is_later - origin_way)) * x.w;
        sum += place;
        along += place * f32(k);
    }
    bars[slot] = vec4<f32>(sum, 0.0);
    bars[COUNT + slot] = vec4<f32>(along, 0.0);
}
