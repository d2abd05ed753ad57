// How far particles go by inertia and gravity, and pinned ones to where they are told.

// Share of their way that pinned particles go in this substep.
@group(0) @binding(0) var<storage, read> moment: array<vec4<f32>>;
// Places and masses, then velocities.
@group(0) @binding(1) var<storage, read> state: array<vec4<f32>>;
// Centre of the region at rest from its particle and 1 over its mass, then in how many regions a particle is, the scale of moments, 1 if it is free, its own mass.
@group(0) @binding(2) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> pins: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> ways: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> touched: array<u32>;

@compute @workgroup_size(128)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    var way = state[COUNT + slot].xyz * (DRAG * STEP) + FALL;
    if (fixed[COUNT + slot].z == 0.0) {
        way = vec3<f32>();
        if (HAS_PINS) {
            way = (pins[slot].xyz - state[slot].xyz) * moment[0].x;
        }
    }
    ways[slot] = vec4<f32>(way, 0.0);
    if (COLLIDERS > 0u) {
        touched[slot] = 0u;
    }
}
