// What all but the air has accelerated a vertex by in a substep that has come to its end.

struct Parameters {
    free: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> constants: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
// Velocities at the start of the substep, before drag.
@group(0) @binding(2) var<storage, read> earlier: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> outside: array<array<vec4<f32>, 3>>;

@compute @workgroup_size(128)
fn note_others(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    let gained = velocities[vertex].xyz - constants[1].y * earlier[vertex].xyz;
    outside[vertex][0] = vec4<f32>(gained / constants[1].x - outside[vertex][1].xyz, 0.0);
}
