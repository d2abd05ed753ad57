// The preconditioner that is the factor alone: z is what it gave, r − H z, and r·z.

@group(0) @binding(4) var<storage, read> residual: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> left: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> step: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(64)
fn factor_alone(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    let vertex = number * 64u + lane;
    var along = 0.0;
    if (vertex < parameters.free) {
        let r = residual[vertex].xyz;
        let z = vector[vertex].xyz;
        left[vertex] = vec4<f32>(r - product(number, lane), 0.0);
        step[vertex] = vec4<f32>(z, 0.0);
        along = dot(r, z);
    }
    let sum = sum_of_group(along, lane);
    if (lane == 0u && number * 64u < parameters.free) {
        sums[number] = sum;
    }
}
