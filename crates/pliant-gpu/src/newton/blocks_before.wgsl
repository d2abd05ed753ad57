// Of the preconditioner z = ω D⁻¹ r; z += P⁻¹ (r − H z); z += ω D⁻¹ (r − H z): what the factor P is to solve for.

@group(0) @binding(4) var<storage, read> residual: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> left: array<vec4<f32>>;

@compute @workgroup_size(64)
fn blocks_before(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    let vertex = number * 64u + lane;
    if (vertex >= parameters.free) {
        return;
    }
    left[vertex] = vec4<f32>(residual[vertex].xyz - product(number, lane), 0.0);
}
