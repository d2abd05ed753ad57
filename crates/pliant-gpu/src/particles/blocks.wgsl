// Blocks of elements that lie together: a workgroup takes the vertices of one into memory that it shares, visits the elements round by round, and puts back those
// vertices that move. Blocks of one dispatch share none of these; elements of one round neither.

struct Parameters {
    first_block: u32,
    // 1 in the first iteration: no multipliers yet.
    is_first: u32,
    is_backwards: u32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
// Position and inverse mass of each vertex.
@group(0) @binding(0) var<storage, read_write> points: array<vec4<f32>>;
// What elements are made of, round by round: for each word one of every thread.
@group(0) @binding(1) var<storage, read> words: array<u32>;
// Multipliers, and what is kept from step to step, in the same way.
@group(0) @binding(2) var<storage, read_write> memories: array<f32>;
// Of each block the first of its vertices, how many there are, the first of its rounds, how many there are.
@group(0) @binding(3) var<storage, read> blocks: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> vertices: array<u32>;

var<workgroup> near: array<vec4<f32>, POINTS>;
// The element of this thread.
var<private> element: array<u32, WORDS>;
var<private> memory: array<f32, MEMORY>;

fn corner(k: u32) -> u32 {
    return (element[k >> 1u] >> (16u * (k & 1u))) & 0xffffu;
}

fn number(k: u32) -> f32 {
    return bitcast<f32>(element[PACKED + k]);
}

fn point(k: u32) -> vec4<f32> {
    return near[k];
}

fn move_point(k: u32, to: vec4<f32>) {
    // Others may be in other elements of the round.
    if (to.w > 0.0) { near[k] = to; }
}

fn round_number(block: vec4<u32>, round: u32) -> u32 {
    return block.z + select(round, block.w - 1u - round, parameters.is_backwards == 1u);
}

@compute @workgroup_size(THREADS)
fn visit_blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = blocks[parameters.first_block + group.x + group.y * groups.x];
    // What the next round needs is asked for before it is waited for.
    var words_ahead: array<u32, WORDS>;
    var memory_ahead: array<f32, MEMORY>;
    let first = round_number(block, 0u);
    for (var k = 0u; k < WORDS; k++) { words_ahead[k] = words[(first * WORDS + k) * THREADS + thread]; }
    if (HAS_MEMORY) {
        for (var k = 0u; k < MEMORY; k++) { memory_ahead[k] = memories[(first * MEMORY + k) * THREADS + thread]; }
    }
    for (var k = thread; k < block.y; k += THREADS) {
        near[k] = points[vertices[block.x + k]];
    }
    for (var round = 0u; round < block.w; round++) {
        let now = round_number(block, round);
        for (var k = 0u; k < WORDS; k++) { element[k] = words_ahead[k]; }
        for (var k = 0u; k < MEMORY; k++) { memory[k] = memory_ahead[k]; }
        if (round + 1u < block.w) {
            let next = round_number(block, round + 1u);
            for (var k = 0u; k < WORDS; k++) { words_ahead[k] = words[(next * WORDS + k) * THREADS + thread]; }
            if (HAS_MEMORY) {
                for (var k = 0u; k < MEMORY; k++) { memory_ahead[k] = memories[(next * MEMORY + k) * THREADS + thread]; }
            }
        }
        workgroupBarrier();
        if (element[0] != NONE) {
            if (parameters.is_first == 1u) {
                for (var k = 0u; k < MULTIPLIERS; k++) { memory[k] = 0.0; }
            }
            visit();
            if (HAS_MEMORY) {
                for (var k = 0u; k < MEMORY; k++) { memories[(now * MEMORY + k) * THREADS + thread] = memory[k]; }
            }
        }
    }
    workgroupBarrier();
    for (var k = thread; k < block.y; k += THREADS) {
        let moved = near[k];
        if (moved.w > 0.0) { points[vertices[block.x + k]] = moved; }
    }
}
