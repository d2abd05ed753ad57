// What a solve has come to, over the vertices of a workgroup: the longest step, the largest unbalanced force, the largest force of inertia, and energies. Sums follow a
// fixed tree.

struct Parameters {
    free: u32,
    groups: u32,
    unused_0: u32,
    unused_1: u32,
}

struct Measures {
    // Squared: step, unbalanced force, force of inertia. Huge where something is not finite.
    largest: vec4<f32>,
    // Twice: elastic energy, inertia's part of g, kinetic energy of the movement since the start.
    energies: vec4<f32>,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> step: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> forces: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> targets: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> offsets: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> measures: array<Measures>;

var<workgroup> largest: array<vec4<f32>, 256>;
var<workgroup> energies: array<vec4<f32>, 256>;

const HUGE = 3e38;

@compute @workgroup_size(256)
fn measure(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var most = vec4<f32>();
    var sum = vec4<f32>();
    for (var vertex = group.x * 256u + thread; vertex < parameters.free; vertex += 256u * parameters.groups) {
        let s = step[vertex].xyz;
        let f = forces[vertex];
        let aim = targets[vertex];
        let moved = offsets[vertex].xyz;
        let gap = aim.xyz - moved;
        let squared = dot(gap, gap);
        let squares = vec4<f32>(dot(s, s), dot(f.xyz, f.xyz), aim.w * aim.w * squared, 0.0);
        // A NaN is not less than anything.
        let is_finite = squares.x < HUGE && squares.y < HUGE && squares.z < HUGE;
        most = select(vec4<f32>(HUGE), max(most, squares), is_finite);
        sum += vec4<f32>(f.w, aim.w * squared, aim.w * dot(moved, moved), 0.0);
    }
    largest[thread] = most;
    energies[thread] = sum;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            largest[thread] = max(largest[thread], largest[thread + half]);
            energies[thread] += energies[thread + half];
        }
        workgroupBarrier();
    }
    if (thread == 0u) {
        measures[group.x] = Measures(largest[0], energies[0]);
    }
}
