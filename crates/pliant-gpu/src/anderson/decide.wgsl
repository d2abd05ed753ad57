// Whether g has fallen.

struct Parameters {
    parts: u32,
    // Whether this begins a solve.
    begins: u32,
    unused_0: u32,
    unused_1: u32,
}

struct Measures {
    largest: vec4<f32>,
    energies: vec4<f32>,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> measures: array<Measures>;
@group(0) @binding(1) var<storage, read_write> states: array<State>;

// Changes of g below this share cannot be told from the rounding of f32; there the length of the step can tell better from worse.
const NOISE = 1e-6;

var<workgroup> parts: array<f32, 256>;

@compute @workgroup_size(256)
fn decide(@builtin(local_invocation_index) thread: u32) {
    var sum = 0.0;
    for (var k = thread; k < parameters.parts; k += 256u) {
        sum += measures[k].energies.x + measures[k].energies.y;
    }
    parts[thread] = sum;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            parts[thread] += parts[thread + half];
        }
        workgroupBarrier();
    }
    if (thread > 0u) {
        return;
    }
    let reached = 0.5 * parts[0];
    if (parameters.begins == 1u) {
        states[0].count = 0u;
        states[0].has_last = 0u;
        states[0].has_value = 0u;
        states[0].is_accelerated = 0u;
        states[0].rejected = 0u;
        states[0].movement = 3e38;
        states[0].movement_before = 3e38;
    }
    let noise = NOISE * abs(states[0].value);
    let has_risen = states[0].has_value == 1u && !(reached <= states[0].value + noise);
    let is_accepted = !(has_risen && states[0].is_accelerated == 1u);
    states[0].is_accepted = select(0u, 1u, is_accepted);
    if (has_risen) {
        // The history describes another region.
        states[0].count = 0u;
        states[0].has_last = 0u;
    }
    if (!is_accepted) {
        states[0].rejected += 1u;
        states[0].is_accelerated = 0u;
        return;
    }
    states[0].fall = select(3e38, states[0].value - reached, states[0].has_value == 1u);
    states[0].value = reached;
    states[0].has_value = 1u;
}
