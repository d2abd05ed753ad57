// Vertices at a share of the way along a solution from where an iteration began.

struct Parameters {
    free: u32,
    share: f32,
    // Whether an iteration begins: then where vertices are is noted instead.
    begins: u32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> solution: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> origin: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> offsets: array<vec4<f32>>;

@compute @workgroup_size(128)
fn move_along(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    if (parameters.begins == 1u) {
        origin[vertex] = offsets[vertex];
    } else {
        offsets[vertex] = origin[vertex] + parameters.share * vec4<f32>(solution[vertex].xyz, 0.0);
    }
}
