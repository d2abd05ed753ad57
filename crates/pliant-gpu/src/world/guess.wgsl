// Where vertices would be if they were accelerated as in the last substep, from where they are predicted to be: τ² (a − g).

struct Clock {
    times: vec4<f32>,
    gravity: vec4<f32>,
}

struct Parameters {
    free: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> clock: array<Clock>;
@group(0) @binding(1) var<storage, read> velocities: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> earlier: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> guess: array<vec4<f32>>;

@compute @workgroup_size(128)
fn guess_movement(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    let times = clock[0].times;
    let acceleration = (velocities[vertex].xyz - earlier[vertex].xyz) / times.x;
    guess[vertex] = vec4<f32>(times.y * times.y * (acceleration - clock[0].gravity.xyz), 0.0);
}
