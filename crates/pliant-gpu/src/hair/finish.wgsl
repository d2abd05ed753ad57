// Velocities after the passes: those of the way, less what goes into colliders, less a share of the follower's correction. Then what the grid has to know: bounds
// and the highest speed.

@group(0) @binding(0) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> places: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> corrections: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> touched: array<u32>;
@group(0) @binding(4) var<storage, read> touches: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> state: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> survey: SharedSurvey;

var<workgroup> lows: array<vec4<f32>, 128>;
var<workgroup> highs: array<vec4<f32>, 128>;

const FARTHEST = 3e38;

@compute @workgroup_size(128)
fn finish(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread, 128u);
    var low = vec4<f32>(FARTHEST);
    // Places, and the highest speed as a negative number in the lowest.
    var high = vec4<f32>(-FARTHEST);
    if (slot < COUNT) {
        let began = state[slot];
        let end = places[slot].xyz;
        var v = (end - began.xyz) / STEP;
        if (fixed[slot].w != 0.0) {
            if (COLLIDERS > 0u) {
                var at = slot;
                for (var left = touched[slot]; left != 0u; left >>= 4u) {
                    let normal = touches[at].xyz;
                    let surface = touches[at + COUNT];
                    let leaving = dot(normal, v - surface.xyz / STEP);
                    if (surface.w > 0.0 && leaving < 0.0) {
                        v -= normal * leaving;
                    }
                    at += 2u * COUNT;
                }
            }
            // A tip has no follower: behind it is a leader, or nothing.
            if (fixed[slot + LANES].w != 0.0) {
                v -= corrections[slot + LANES].xyz * (CORRECTION / STEP);
            }
        }
        state[slot] = vec4<f32>(end, began.w);
        state[COUNT + slot] = vec4<f32>(v, 0.0);
        if (began.w > 0.0 && is_finite(end) && is_finite(v)) {
            let speeds = abs(v);
            low = vec4<f32>(end, -max(speeds.x, max(speeds.y, speeds.z)));
            high = vec4<f32>(end, 0.0);
        }
    }
    if (!HAS_GRID) {
        return;
    }
    lows[thread] = low;
    highs[thread] = high;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if (thread < half) {
            lows[thread] = min(lows[thread], lows[thread + half]);
            highs[thread] = max(highs[thread], highs[thread + half]);
        }
        workgroupBarrier();
    }
    if (thread < 3u) {
        atomicMin(&survey.low[thread], ordered(lows[0][thread]));
        atomicMax(&survey.high[thread], ordered(highs[0][thread]));
    }
    if (thread == 3u) {
        atomicMax(&survey.speed, bitcast<u32>(max(-lows[0].w, 0.0)));
    }
}
