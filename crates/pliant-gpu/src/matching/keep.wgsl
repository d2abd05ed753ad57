// Ways that were damped are those of particles from now on.

@group(0) @binding(0) var<storage, read> damped: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> ways: array<vec4<f32>>;

@compute @workgroup_size(128)
fn keep(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot < COUNT) {
        ways[slot] = damped[slot];
    }
}
