// Where particles are going to be: their sum and their bounds, in parts. Clears the numbers of particles in cells.

@group(0) @binding(0) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> parts: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> sums: array<vec4<f32>, 256>;
var<workgroup> lows: array<vec4<f32>, 256>;
var<workgroup> highs: array<vec4<f32>, 256>;

@compute @workgroup_size(256)
fn survey(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = group.x * 256u + thread;
    let stride = 256u * PARTS;
    for (var cell = first; cell < MOST_CELLS; cell += stride) {
        counts[cell] = 0u;
    }
    var sum = vec4<f32>();
    var low = vec4<f32>(FARTHEST_CELL);
    var high = vec4<f32>(-FARTHEST_CELL);
    for (var id = first; id < COUNT; id += stride) {
        let p = state[id].xyz + inertial_way(state[COUNT + id].xyz);
        // What is not finite is noticed at the end of the step.
        if (is_finite(p)) {
            sum += vec4<f32>(p, 1.0);
            low = min(low, vec4<f32>(p, 0.0));
            high = max(high, vec4<f32>(p, 0.0));
        }
    }
    sums[thread] = sum;
    lows[thread] = low;
    highs[thread] = high;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            sums[thread] += sums[thread + half];
            lows[thread] = min(lows[thread], lows[thread + half]);
            highs[thread] = max(highs[thread], highs[thread + half]);
        }
        workgroupBarrier();
    }
    if (thread == 0u) {
        parts[3u * group.x] = sums[0];
        parts[3u * group.x + 1u] = lows[0];
        parts[3u * group.x + 2u] = highs[0];
    }
}
