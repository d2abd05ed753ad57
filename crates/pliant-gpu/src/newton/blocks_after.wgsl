// What is left after the factor, and what the blocks make of it. `vector` is what the factor gave.

@group(0) @binding(4) var<storage, read> inverse: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> left: array<vec4<f32>>;
// What the blocks gave before, and give now.
@group(0) @binding(6) var<storage, read_write> by_blocks: array<vec4<f32>>;
// All of z.
@group(0) @binding(7) var<storage, read_write> step: array<vec4<f32>>;

@compute @workgroup_size(64)
fn blocks_after(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    let vertex = number * 64u + lane;
    if (vertex >= parameters.free) {
        return;
    }
    let rest = left[vertex].xyz - product(number, lane);
    let at = 3u * vertex;
    let more = inverse[at].xyz * rest.x + inverse[at + 1u].xyz * rest.y + inverse[at + 2u].xyz * rest.z;
    left[vertex] = vec4<f32>(rest, 0.0);
    step[vertex] = vec4<f32>(by_blocks[vertex].xyz + vector[vertex].xyz + more, 0.0);
    by_blocks[vertex] = vec4<f32>(more, 0.0);
}
