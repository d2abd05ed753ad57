// Takes in a step δ and the plain iterate x + δ: how they have changed since the last ones, and inner products of changes.

struct Parameters {
    free: u32,
    groups: u32,
    unused_0: u32,
    unused_1: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> states: array<State>;
@group(0) @binding(1) var<storage, read> step: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> offsets: array<vec4<f32>>;
// The last δ and x + δ of each vertex.
@group(0) @binding(3) var<storage, read_write> last: array<array<vec4<f32>, 2>>;
// Changes of δ and of x + δ, slot by slot.
@group(0) @binding(4) var<storage, read_write> residuals: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> plain: array<vec4<f32>>;
// By workgroup: for each slot its product with the newest change, and with δ; then the squared longest step.
@group(0) @binding(6) var<storage, read_write> sums: array<vec4<f32>>;

var<workgroup> parts: array<vec4<f32>, 256>;

@compute @workgroup_size(256)
fn remember(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    if (states[0].is_accepted == 0u) {
        return;
    }
    let has_last = states[0].has_last == 1u;
    let next = (states[0].newest + 1u) % WINDOW;
    let count = states[0].count;
    var with_newest = array<f32, WINDOW>();
    var with_step = array<f32, WINDOW>();
    var longest = 0.0;
    for (var vertex = group.x * 256u + thread; vertex < parameters.free; vertex += 256u * parameters.groups) {
        let residual = step[vertex].xyz;
        let reached = offsets[vertex].xyz + residual;
        let before = last[vertex];
        last[vertex] = array<vec4<f32>, 2>(vec4<f32>(residual, 0.0), vec4<f32>(reached, 0.0));
        longest = max(longest, dot(residual, residual));
        if (!has_last) { continue; }
        let change = residual - before[0].xyz;
        residuals[next * parameters.free + vertex] = vec4<f32>(change, 0.0);
        plain[next * parameters.free + vertex] = vec4<f32>(reached - before[1].xyz, 0.0);
        with_newest[next] += dot(change, change);
        with_step[next] += dot(change, residual);
        for (var k = 1u; k <= min(count, WINDOW - 1u); k++) {
            let slot = (next + WINDOW - k) % WINDOW;
            let other = residuals[slot * parameters.free + vertex].xyz;
            with_newest[slot] += dot(change, other);
            with_step[slot] += dot(other, residual);
        }
    }
    for (var slot = 0u; slot <= WINDOW; slot++) {
        var own = vec4<f32>(longest);
        if (slot < WINDOW) { own = vec4<f32>(with_newest[slot], with_step[slot], 0.0, 0.0); }
        workgroupBarrier();
        parts[thread] = own;
        workgroupBarrier();
        for (var half = 128u; half > 0u; half /= 2u) {
            if (thread < half) {
                if (slot < WINDOW) {
                    parts[thread] += parts[thread + half];
                } else {
                    parts[thread] = max(parts[thread], parts[thread + half]);
                }
            }
            workgroupBarrier();
        }
        if (thread == 0u) {
            sums[slot * parameters.groups + group.x] = parts[0];
        }
    }
}
