// Vertices at the accelerated iterate; at the plain one, if it is the last or there is nothing to accelerate with; or back at the last plain one, where g has risen.

struct Parameters {
    free: u32,
    is_last: u32,
    unused_0: u32,
    unused_1: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> states: array<State>;
@group(0) @binding(1) var<storage, read> last: array<array<vec4<f32>, 2>>;
@group(0) @binding(2) var<storage, read> plain: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> offsets: array<vec4<f32>>;

@compute @workgroup_size(128)
fn mix_iterates(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    var next = last[vertex][1].xyz;
    if (parameters.is_last == 0u && states[0].is_accelerated == 1u) {
        for (var slot = 0u; slot < WINDOW; slot++) {
            let share = states[0].shares[slot];
            if (share != 0.0) { next -= share * plain[slot * parameters.free + vertex].xyz; }
        }
    }
    offsets[vertex] = vec4<f32>(next, 0.0);
}
