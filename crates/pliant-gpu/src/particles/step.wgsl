// The beginning and the end of a substep: vertices go to x + h v + h² g, where inertia and gravity lead; afterwards v = (x − start)/h.

struct Parameters {
    // Substeps that are left of the step, this one included: pins go that part of the way.
    left: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
// Position and inverse mass of each vertex.
@group(0) @binding(0) var<storage, read_write> points: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> starts: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> velocities: array<vec4<f32>>;
// Where pinned vertices are to be at the end of the step.
@group(0) @binding(3) var<storage, read> targets: array<vec4<f32>>;

fn own_vertex(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    return (group.x + group.y * groups.x) * THREADS + thread;
}

@compute @workgroup_size(THREADS)
fn predict(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = own_vertex(group, groups, thread);
    if (vertex >= COUNT) {
        return;
    }
    let at = points[vertex];
    starts[vertex] = at;
    if (at.w > 0.0) {
        points[vertex] = vec4<f32>(at.xyz + (STEP * (DRAG * velocities[vertex].xyz) + FALL), at.w);
        return;
    }
    let to = targets[vertex].xyz;
    let part = at.xyz + (to - at.xyz) / f32(parameters.left);
    points[vertex] = vec4<f32>(select(part, to, parameters.left == 1u), 0.0);
}

@compute @workgroup_size(THREADS)
fn finish(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = own_vertex(group, groups, thread);
    if (vertex >= COUNT) {
        return;
    }
    velocities[vertex] = vec4<f32>((points[vertex].xyz - starts[vertex].xyz) / STEP, 0.0);
}
