// Where vertices are predicted to be, and where inertia pulls them, goes with the acceleration by forces from outside; a guess of the movement from there, the other way.

struct Parameters {
    free: u32,
    has_guess: u32,
    unused_0: u32,
    unused_1: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> constants: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> outside: array<array<vec4<f32>, 3>>;
@group(0) @binding(2) var<storage, read_write> targets: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> offsets: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> guess: array<vec4<f32>>;

@compute @workgroup_size(128)
fn push(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    let movement = constants[1].z * vec4<f32>(outside[vertex][2].xyz, 0.0);
    targets[vertex] += movement;
    offsets[vertex] += movement;
    if (parameters.has_guess == 1u) { guess[vertex] -= movement; }
}
