// Vertices take what the hair around them does: friction draws them along, repulsion drives them from dense to thin.

@group(0) @binding(0) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> survey: Survey;
@group(0) @binding(2) var<storage, read> corners: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read_write> state: array<vec4<f32>>;

@compute @workgroup_size(128)
fn take(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread, 128u);
    if (slot >= COUNT || fixed[slot].w == 0.0) {
        return;
    }
    let place = state[slot];
    let v = state[COUNT + slot].xyz;
    if (!(is_finite(place.xyz) && is_finite(v))) {
        return;
    }
    let low = vec3<f32>(unordered(survey.low[0]), unordered(survey.low[1]), unordered(survey.low[2]));
    let high = vec3<f32>(unordered(survey.high[0]), unordered(survey.high[1]), unordered(survey.high[2]));
    let frame = frame_of(low, high);
    let own = inside(frame, place.xyz);
    let units = units_of(survey.crowd) * place.w;
    let speed = bitcast<f32>(survey.speed);
    var around = vec3<f32>();
    var density = 0.0;
    var gradient = vec3<f32>();
    for (var corner = 0u; corner < 8u; corner++) {
        let step = step_of(corner);
        let factors = factors_of(own.within, step);
        let weight = factors.x * factors.y * factors.z;
        let signs = select(vec3<f32>(-1.0), vec3<f32>(1.0), step == vec3<u32>(1u));
        let slope = signs * vec3<f32>(factors.y * factors.z, factors.x * factors.z, factors.x * factors.y);
        let held = corners[corner_number(frame, own.corner + step)];
        if (weight > 0.0 && held.w > 0) {
            around += vec3<f32>(held.xyz) * (speed * weight / f32(held.w));
        }
        density += f32(held.w) * weight;
        // Less what the vertex itself has given, which is a whole number of units, too.
        gradient += slope * f32(held.w - i32(round(units * weight)));
    }
    if (density > 0.0) {
        state[COUNT + slot] = vec4<f32>(v + (around - v) * SHARE - gradient * (PUSH / (density * frame.side)), 0.0);
    }
}
