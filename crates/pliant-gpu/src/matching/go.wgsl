// Particles go to their goals, then out of colliders.

@group(0) @binding(1) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> movements: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> answers: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> ways: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> touched: array<u32>;

@compute @workgroup_size(128)
fn go(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT || fixed[COUNT + slot].z == 0.0) {
        return;
    }
    let began = state[slot].xyz;
    var way = ways[slot].xyz;
    if (parameters.stage == 0u) {
        way += movements[slot].xyz * SHARE;
    } else {
        if (HAS_LIMIT) {
            let place = (began - answers[2].xyz) + (way - answers[3].xyz);
            way += (movements[slot].xyz + cross(answers[0].xyz, place) + answers[1].xyz) * RELAXATION;
        }
        if (COLLIDERS > 0u) {
            follow(slot, touched[slot], vec3<f32>(), began, way);
            let known = meet(slot, touched[slot], vec3<f32>(), began, way);
            way = relax(slot, known, way);
            touched[slot] = known;
        }
    }
    ways[slot] = vec4<f32>(way, 0.0);
}
