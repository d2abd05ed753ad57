// Goals of particles, the means over their regions, and what pulls them there, see the engine's `matter/matching/goals.rs`. At the start of a step a spring pulls; in
// iterations limits do, and what the body answers to them is added up (`reaction.rs`).

@group(0) @binding(0) var<storage, read> sums: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> reach: array<u32>;
@group(0) @binding(2) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> ways: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> movements: array<vec4<f32>>;
// Of each workgroup: weight and weight × place, products of places, weight × movement, moment of that.
@group(0) @binding(6) var<storage, read_write> parts: array<vec4<f32>>;

var<workgroup> shared_sums: array<array<vec4<f32>, 4>, 128>;

@compute @workgroup_size(128)
fn pull(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    let stage = parameters.stage;
    var own = array<vec4<f32>, 4>();
    if (slot < COUNT && fixed[COUNT + slot].x > 0.0) {
        let region = fixed[COUNT + slot];
        let is_later = f32(stage);
        let point = (state[slot].xyz - state[ORIGIN].xyz) + (ways[slot].xyz - ways[ORIGIN].xyz) * is_later;
        var goal = vec3<f32>();
        let down = i32(reach[slot] & 0xffffu);
        let up = i32(reach[slot] >> 16u);
        for (var k = -down; k <= up; k++) {
            let at = u32(i32(slot) + k);
            goal += sums[at].xyz - sums[COUNT + at].xyz * (SPACING * f32(k));
        }
        var movement = goal / region.x - point;
        if (stage == 1u) {
            let distance = length(movement);
            movement *= select(0.0, (distance - FREE) / distance, distance > FREE);
            let weight = region.w * select(PINNED, 1.0, region.z > 0.0);
            let w = point * weight;
            let pulled = movement * weight;
            let moment = cross(point, pulled);
            own[0] = vec4<f32>(weight, w);
            own[1] = vec4<f32>(w * point, w.x * point.y);
            own[2] = vec4<f32>(w.y * point.z, w.z * point.x, pulled.xy);
            own[3] = vec4<f32>(pulled.z, moment);
        }
        movements[slot] = vec4<f32>(movement, 0.0);
    }
    if (stage == 0u) {
        return;
    }
    shared_sums[thread] = own;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if (thread < half) {
            for (var k = 0u; k < 4u; k++) {
                shared_sums[thread][k] += shared_sums[thread + half][k];
            }
        }
        workgroupBarrier();
    }
    if (thread < 4u) {
        parts[4u * (group.x + group.y * groups.x) + thread] = shared_sums[0][thread];
    }
}
