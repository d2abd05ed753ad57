// What a linear solve came to: b·x, r·x and the longest movement, by parts; and the movement of free bodies as a whole, which iterations that end early would change.

struct Parameters {
    free: u32,
    groups: u32,
    unused_0: u32,
    unused_1: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> forces: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> residual: array<vec4<f32>>;
// What iterations have come to so far, which they go on with; and what is taken of it.
@group(0) @binding(2) var<storage, read> solution: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> taken: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> judgements: array<vec4<f32>>;
// First vertex, end, and 1 over the inertia of each free body.
@group(0) @binding(5) var<storage, read> bodies: array<vec4<f32>>;

var<workgroup> parts: array<vec4<f32>, 256>;

fn sum_of_group(thread: u32) {
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            parts[thread] += parts[thread + half];
        }
        workgroupBarrier();
    }
}

// A free body moves as the forces on all of it say: what is left of their sum is a movement of the whole.
@compute @workgroup_size(256)
fn keep_momentum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let body = bodies[group.x];
    let first = bitcast<u32>(body.x) & 0x3fffffffu;
    let end = bitcast<u32>(body.y) & 0x3fffffffu;
    var sum = vec4<f32>();
    for (var vertex = first + thread; vertex < end; vertex += 256u) {
        sum += vec4<f32>(residual[vertex].xyz, 0.0);
    }
    parts[thread] = sum;
    sum_of_group(thread);
    let shift = parts[0] * body.z;
    for (var vertex = first + thread; vertex < end; vertex += 256u) {
        taken[vertex] += shift;
    }
}

@compute @workgroup_size(256)
fn take(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    for (var vertex = group.x * 256u + thread; vertex < parameters.free; vertex += 256u * parameters.groups) {
        taken[vertex] = solution[vertex];
    }
}

@compute @workgroup_size(256)
fn judge(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var sum = vec4<f32>();
    var most = 0.0;
    for (var vertex = group.x * 256u + thread; vertex < parameters.free; vertex += 256u * parameters.groups) {
        let x = taken[vertex].xyz;
        sum += vec4<f32>(dot(forces[vertex].xyz, x), dot(residual[vertex].xyz, x), 0.0, 0.0);
        let squared = dot(x, x);
        most = select(3e38, max(most, squared), squared < 3e38);
    }
    parts[thread] = vec4<f32>(sum.xy, 0.0, 0.0);
    sum_of_group(thread);
    let total = parts[0].xy;
    workgroupBarrier();
    parts[thread] = vec4<f32>(most);
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            parts[thread] = max(parts[thread], parts[thread + half]);
        }
        workgroupBarrier();
    }
    if (thread == 0u) {
        judgements[group.x] = vec4<f32>(total, parts[0].x, 0.0);
    }
}
