// How many vertices the fullest cell has. Clears the corners.

@group(0) @binding(0) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> survey: SharedSurvey;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> corners: array<vec4<i32>>;

var<workgroup> most: atomic<u32>;

@compute @workgroup_size(128)
fn count(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if (thread == 0u) {
        atomicStore(&most, 0u);
    }
    workgroupBarrier();
    var low: vec3<f32>;
    var high: vec3<f32>;
    for (var axis = 0u; axis < 3u; axis++) {
        low[axis] = unordered(atomicLoad(&survey.low[axis]));
        high[axis] = unordered(atomicLoad(&survey.high[axis]));
    }
    let frame = frame_of(low, high);
    let slot = index_of(group, groups, thread, 128u);
    let total = (frame.cells.x + 1u) * (frame.cells.y + 1u) * (frame.cells.z + 1u);
    let threads = 128u * groups.x * groups.y;
    for (var corner = slot; corner < total; corner += threads) {
        corners[corner] = vec4<i32>();
    }
    if (slot < COUNT) {
        let place = state[slot];
        if (place.w > 0.0 && is_finite(place.xyz)) {
            let cell = corner_number(frame, inside(frame, place.xyz).corner);
            atomicMax(&most, atomicAdd(&counts[cell], 1u) + 1u);
        }
    }
    workgroupBarrier();
    if (thread == 0u) {
        atomicMax(&survey.crowd, atomicLoad(&most));
    }
}
