// Elements of a level, which share no vertex that moves: one for each thread.

struct Parameters {
    first: u32,
    count: u32,
    // 1 in the first iteration: no multipliers yet.
    is_first: u32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
// Position and inverse mass of each vertex.
@group(0) @binding(0) var<storage, read_write> points: array<vec4<f32>>;
// What elements are made of: for each word one of every element.
@group(0) @binding(1) var<storage, read> words: array<u32>;
// Multipliers, and what is kept from step to step, in the same way.
@group(0) @binding(2) var<storage, read_write> memories: array<f32>;

// The element of this thread.
var<private> element: array<u32, WORDS>;
var<private> memory: array<f32, MEMORY>;

fn corner(k: u32) -> u32 {
    return element[k];
}

fn number(k: u32) -> f32 {
    return bitcast<f32>(element[PACKED + k]);
}

fn point(k: u32) -> vec4<f32> {
    return points[k];
}

fn move_point(k: u32, to: vec4<f32>) {
    // Others may be in other elements of the level.
    if (to.w > 0.0) { points[k] = to; }
}

@compute @workgroup_size(THREADS)
fn visit_level(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let place = (group.x + group.y * groups.x) * THREADS + thread;
    if (place >= parameters.count) {
        return;
    }
    let own = parameters.first + place;
    for (var k = 0u; k < WORDS; k++) { element[k] = words[k * TOTAL + own]; }
    if (HAS_MEMORY) {
        for (var k = 0u; k < MEMORY; k++) { memory[k] = memories[k * TOTAL + own]; }
    }
    if (parameters.is_first == 1u) {
        for (var k = 0u; k < MULTIPLIERS; k++) { memory[k] = 0.0; }
    }
    visit();
    if (HAS_MEMORY) {
        for (var k = 0u; k < MEMORY; k++) { memories[k * TOTAL + own] = memory[k]; }
    }
}
