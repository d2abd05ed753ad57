// Moves vertices along a step, and measures steps and forces.

struct Parameters {
    free: u32,
    // Share of the step that is taken, and of the movement before it that is taken again.
    share: f32,
    again: f32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read_write> offsets: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> previous: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> step: array<vec4<f32>>;

@compute @workgroup_size(128)
fn advance(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    let now = offsets[vertex];
    offsets[vertex] = now + parameters.share * vec4<f32>(step[vertex].xyz, 0.0) + parameters.again * (now - previous[vertex]);
    previous[vertex] = now;
}
