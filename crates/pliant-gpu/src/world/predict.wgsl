// The beginning and the end of a substep: x = X + τ v with v = V + τ a is where inertia and external forces lead; afterwards v = (x − X)/τ. With BDF2 X and V look back
// one substep.

struct Clock {
    // h, τ, what is left of velocities by drag, 1 if it looks back.
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
@group(0) @binding(1) var<storage, read_write> offsets: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocities: array<vec4<f32>>;
// X, and offsets at the start.
@group(0) @binding(3) var<storage, read_write> bases: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> starts: array<vec4<f32>>;
// Movement in the last substep.
@group(0) @binding(5) var<storage, read_write> moved: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> PLACE: array<vec4<f32>>;
// Velocities one substep earlier.
@group(0) @binding(7) var<storage, read_write> earlier: array<vec4<f32>>;

@compute @workgroup_size(128)
fn predict(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    let times = clock[0].times;
    let start = offsets[vertex].xyz;
    let now = velocities[vertex].xyz;
    var base = start;
    var velocity = times.z * now;
    if (times.w == 1.0) {
        base += moved[vertex].xyz / 3.0;
        velocity += (velocity - times.z * times.z * earlier[vertex].xyz) / 3.0;
    }
    let aim = base + times.y * velocity + times.y * times.y * clock[0].gravity.xyz;
    earlier[vertex] = vec4<f32>(now, 0.0);
    bases[vertex] = vec4<f32>(base, 0.0);
    starts[vertex] = vec4<f32>(start, 0.0);
    PLACE[vertex] = vec4<f32>(aim, PLACE[vertex].w);
    offsets[vertex] = vec4<f32>(aim, 0.0);
}
