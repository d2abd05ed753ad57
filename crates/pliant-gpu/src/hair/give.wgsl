// Vertices give mass and momentum to the corners of their cell. Clears the numbers of vertices in cells.

@group(0) @binding(0) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> survey: Survey;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> corners: array<atomic<i32>>;

@compute @workgroup_size(128)
fn give(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread, 128u);
    if (slot >= COUNT) {
        return;
    }
    let place = state[slot];
    let v = state[COUNT + slot].xyz;
    if (!(place.w > 0.0 && is_finite(place.xyz))) {
        return;
    }
    let low = vec3<f32>(unordered(survey.low[0]), unordered(survey.low[1]), unordered(survey.low[2]));
    let high = vec3<f32>(unordered(survey.high[0]), unordered(survey.high[1]), unordered(survey.high[2]));
    let frame = frame_of(low, high);
    let own = inside(frame, place.xyz);
    counts[corner_number(frame, own.corner)] = 0u;
    if (!is_finite(v)) {
        return;
    }
    let units = units_of(survey.crowd) * place.w;
    let momentum = v / max(bitcast<f32>(survey.speed), 1e-30);
    for (var corner = 0u; corner < 8u; corner++) {
        let step = step_of(corner);
        let factors = factors_of(own.within, step);
        let weight = units * (factors.x * factors.y * factors.z);
        let given = vec3<i32>(round(momentum * weight));
        let at = 4u * corner_number(frame, own.corner + step);
        atomicAdd(&corners[at], given.x);
        atomicAdd(&corners[at + 1u], given.y);
        atomicAdd(&corners[at + 2u], given.z);
        atomicAdd(&corners[at + 3u], i32(round(weight)));
    }
}
