// What all kernels of a fluid share. Lengths are in radii of the smoothing kernel, and places are seen from the mean of all particles.
// The numbers in capitals are written before this text (`constants.rs`).

struct Grid {
    // The mean of all particles.
    origin: vec4<f32>,
    // The first cell of the box of cells, and how many there are along each axis and in all.
    low: vec4<i32>,
    size: vec4<u32>,
    // Cells with particles.
    occupied: vec4<u32>,
}

// Number of a thread among all.
fn index_of(group: vec3<u32>, groups: vec3<u32>, thread: u32, threads: u32) -> u32 {
    return (group.x + group.y * groups.x) * threads + thread;
}

// Where the n-th neighbour of a place is in the lists: those of 32 places lie side by side.
fn entry_of(k: u32, n: u32) -> u32 {
    return ((k / 32u) * MOST_NEIGHBOURS + n) * 32u + k % 32u;
}

fn is_finite(v: vec3<f32>) -> bool {
    let exponents = bitcast<vec3<u32>>(v) & vec3<u32>(0x7f800000u);
    return all(exponents != vec3<u32>(0x7f800000u));
}

// How far a particle goes in a step if nothing is in its way.
fn inertial_way(velocity: vec3<f32>) -> vec3<f32> {
    return velocity * (DRAG * STEP) + FALL;
}

// The cell of a place. Those that are outside of the box fall together with those at its border, which costs time but misses no pair.
fn cell_at(low: vec3<i32>, size: vec3<u32>, place: vec3<f32>) -> vec3<i32> {
    let bounded = clamp(floor(place), vec3<f32>(-FARTHEST_CELL), vec3<f32>(FARTHEST_CELL));
    return clamp(vec3<i32>(bounded), low + 1, low + vec3<i32>(size) - 2);
}

fn number_of_cell(low: vec3<i32>, size: vec3<u32>, cell: vec3<i32>) -> u32 {
    let c = vec3<u32>(cell - low);
    return (c.z * size.y + c.y) * size.x + c.x;
}

struct Pair {
    // From the neighbour.
    offset: vec3<f32>,
    squared: f32,
    inverse_distance: f32,
    // 1 − r, or 0.
    nearness: f32,
    // W'/r.
    slope: f32,
}

fn pair_of(own: vec3<f32>, other: vec3<f32>) -> Pair {
    var pair: Pair;
    pair.offset = own - other;
    pair.squared = dot(pair.offset, pair.offset);
    pair.inverse_distance = inverseSqrt(max(pair.squared, COINCIDENT * COINCIDENT));
    pair.nearness = max(1.0 - pair.squared * pair.inverse_distance, 0.0);
    pair.slope = -STEEPEST * pair.nearness * pair.nearness * pair.inverse_distance;
    return pair;
}

// As `pair_of`, but particles at one place part along an axis, in the order of their numbers.
fn parted_pair_of(k: u32, own: vec3<f32>, j: u32, other: vec3<f32>) -> Pair {
    var pair = pair_of(own, other);
    if (pair.squared < COINCIDENT * COINCIDENT) {
        pair.offset = vec3<f32>(0.0, select(COINCIDENT, -COINCIDENT, k < j), 0.0);
        pair.squared = COINCIDENT * COINCIDENT;
    }
    return pair;
}

// Weight of a pair in the pressure of cells, given the softness of both: V² |W'/r| (w_i V + w_j V).
fn pressure_weight(pair: Pair, own_softness: f32, softness: f32) -> f32 {
    return VOLUME * VOLUME * -pair.slope * (own_softness * VOLUME + softness * VOLUME);
}
