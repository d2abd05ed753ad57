// Velocities of a substep that has come to its end. Anchors go to where vertices are, and offsets keep what f32 cannot hold of that.

@compute @workgroup_size(128)
fn finish(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    let offset = offsets[vertex].xyz;
    velocities[vertex] = vec4<f32>((offset - bases[vertex].xyz) / clock[0].times.y, 0.0);
    moved[vertex] = vec4<f32>(offset - starts[vertex].xyz, 0.0);
    // The sum of two numbers and what its rounding leaves [Knuth].
    let anchor = PLACE[vertex].xyz;
    let sum = anchor + offset;
    let part = sum - anchor;
    PLACE[vertex] = vec4<f32>(sum, 0.0);
    offsets[vertex] = vec4<f32>((anchor - (sum - part)) + (offset - part), 0.0);
}
