// What all kernels of shape matching share. Places are seen from the middle of the world at first; the numbers in capitals are written before this text.
//
// A slot is a particle with its region. Sums over cubes are made row by row: bars along x, then plates, then cubes. Each pass adds up what is at most WIDTH
// steps away along a row, and what it adds up counts steps from the particle itself: so no sum is a difference of large ones.

struct Parameters {
    // 0 at the start of a step, 1 in its iterations.
    stage: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;

const NONE = 0xffffffffu;
const SIDE = 2u * WIDTH + 1u;

fn index_of(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    return (group.x + group.y * groups.x) * 128u + thread;
}

// Where the neighbour some steps along y (axis 0) or z (axis 1) is among all neighbours.
fn near_at(axis: u32, k: u32, slot: u32) -> u32 {
    return (axis * SIDE + k) * COUNT + slot;
}
