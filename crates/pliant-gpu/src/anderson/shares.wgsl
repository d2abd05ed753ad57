// The combination of the last iterates whose residuals cancel best: normal equations of min ‖δ − Σ θᵢ Δδᵢ‖, with columns of unit length. The newest come first, so that of
// nearly dependent columns the oldest are dropped.

struct Parameters {
    groups: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> sums: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> states: array<State>;

// What is left of a column's squared length when what it has in common with newer ones is taken away; below, it is rounding of f32.
const DEPENDENT = 1e-5;
const NOISE = 1e-6;

var<workgroup> parts: array<vec4<f32>, 256>;

fn total(thread: u32, slot: u32) -> vec4<f32> {
    var sum = vec4<f32>();
    for (var k = thread; k < parameters.groups; k += 256u) {
        let part = sums[slot * parameters.groups + k];
        if (slot < WINDOW) { sum += part; } else { sum = max(sum, part); }
    }
    workgroupBarrier();
    parts[thread] = sum;
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
    return parts[0];
}

@compute @workgroup_size(256)
fn shares(@builtin(local_invocation_index) thread: u32) {
    // The whole workgroup sees the same state before anyone changes it.
    if (states[0].is_accepted == 0u) {
        return;
    }
    var with_newest = array<f32, WINDOW>();
    var theta = array<f32, WINDOW>();
    for (var slot = 0u; slot < WINDOW; slot++) {
        let both = total(thread, slot);
        with_newest[slot] = both.x;
        theta[slot] = both.y;
    }
    let movement = total(thread, WINDOW).x;
    if (thread > 0u) {
        return;
    }
    for (var slot = 0u; slot < WINDOW; slot++) { states[0].shares[slot] = 0.0; }
    states[0].movement_before = states[0].movement;
    states[0].movement = movement;
    states[0].is_accelerated = 0u;
    if (states[0].has_last == 0u) {
        states[0].has_last = 1u;
        return;
    }
    let newest = (states[0].newest + 1u) % WINDOW;
    let count = min(states[0].count + 1u, WINDOW);
    states[0].newest = newest;
    states[0].count = count;
    // Where g tells nothing, a step that is much longer than the last does: what is known is of another region.
    let is_silent = states[0].fall <= NOISE * abs(states[0].value);
    if (is_silent && movement > 4.0 * states[0].movement_before) {
        states[0].count = 0u;
        return;
    }
    var slots = array<u32, WINDOW>();
    var scales = array<f32, WINDOW>();
    for (var k = 0u; k < count; k++) {
        let slot = (newest + WINDOW - k) % WINDOW;
        slots[k] = slot;
        states[0].products[newest * WINDOW + slot] = with_newest[slot];
        states[0].products[slot * WINDOW + newest] = with_newest[slot];
        let squared = states[0].products[slot * WINDOW + slot];
        if (!(squared > 1e-36 && squared < 3e38)) {
            return;
        }
        scales[k] = inverseSqrt(squared);
    }
    // LDLᵀ of the matrix, row by row of its lower triangle.
    var matrix = array<f32, WINDOW * WINDOW>();
    var side = array<f32, WINDOW>();
    for (var i = 0u; i < count; i++) {
        side[i] = scales[i] * theta[slots[i]];
        for (var j = 0u; j <= i; j++) {
            matrix[i * WINDOW + j] = scales[i] * scales[j] * states[0].products[slots[i] * WINDOW + slots[j]];
        }
    }
    var is_kept = array<bool, WINDOW>();
    for (var j = 0u; j < count; j++) {
        for (var k = 0u; k < j; k++) {
            if (!is_kept[k]) { continue; }
            let scaled = matrix[j * WINDOW + k] * matrix[k * WINDOW + k];
            for (var i = j; i < count; i++) { matrix[i * WINDOW + j] -= matrix[i * WINDOW + k] * scaled; }
        }
        let pivot = matrix[j * WINDOW + j];
        is_kept[j] = pivot > DEPENDENT;
        if (!is_kept[j]) { continue; }
        for (var i = j + 1u; i < count; i++) { matrix[i * WINDOW + j] /= pivot; }
    }
    for (var j = 0u; j < count; j++) {
        if (!is_kept[j]) {
            side[j] = 0.0;
            continue;
        }
        for (var i = j + 1u; i < count; i++) { side[i] -= matrix[i * WINDOW + j] * side[j]; }
    }
    for (var back = 0u; back < count; back++) {
        let j = count - 1u - back;
        if (!is_kept[j]) {
            side[j] = 0.0;
            continue;
        }
        side[j] /= matrix[j * WINDOW + j];
        for (var i = j + 1u; i < count; i++) { side[j] -= matrix[i * WINDOW + j] * side[i]; }
    }
    for (var k = 0u; k < count; k++) { states[0].shares[slots[k]] = scales[k] * side[k]; }
    states[0].is_accelerated = 1u;
}
