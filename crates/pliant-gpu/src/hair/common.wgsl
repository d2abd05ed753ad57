// What all kernels of hair share. Places are seen from the middle of the world at first; the numbers in capitals are written before this text (`world.rs`).
//
// A place of an array is a slot: slots of 32 strands lie side by side, vertex by vertex, so that 32 threads that go down their strands read what is
// side by side. The slot of the next vertex of a strand is 32 farther on.

const LANES = 32u;
// Colliders are looked at anew this often; later, hair is where it was.
const ROUNDS = 4u;

// What is found out about all hair in a step.
struct Survey {
    // Bounds of places: numbers that are ordered as the floats they stand for.
    low: array<u32, 3>,
    high: array<u32, 3>,
    // The fastest component of a velocity, as the bits of a float.
    speed: u32,
    // The most vertices in a cell of the grid.
    crowd: u32,
    // How far hair was moved in each round around colliders, squared, as the bits of a float.
    moved: array<u32, 4>,
}

struct SharedSurvey {
    low: array<atomic<u32>, 3>,
    high: array<atomic<u32>, 3>,
    speed: atomic<u32>,
    crowd: atomic<u32>,
    moved: array<atomic<u32>, 4>,
}

struct Chain {
    // Where its leader goes in this step.
    leads_to: vec3<f32>,
    // Its vertices, the leader too.
    count: u32,
    // Slot of its leader.
    first: u32,
    // Its body, among those with hair.
    body: u32,
    unused_0: u32,
    unused_1: u32,
}

fn index_of(group: vec3<u32>, groups: vec3<u32>, thread: u32, threads: u32) -> u32 {
    return (group.x + group.y * groups.x) * threads + thread;
}

fn is_finite(v: vec3<f32>) -> bool {
    let exponents = bitcast<vec3<u32>>(v) & vec3<u32>(0x7f800000u);
    return all(exponents != vec3<u32>(0x7f800000u));
}

// A number that is larger for larger floats.
fn ordered(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}

fn unordered(number: u32) -> f32 {
    return bitcast<f32>(select(~number, number & 0x7fffffffu, (number & 0x80000000u) != 0u));
}

fn turned(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let across = cross(q.xyz, v);
    return v + 2.0 * (q.w * across + cross(q.xyz, across));
}

fn turned_back(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return turned(vec4<f32>(-q.xyz, q.w), v);
}

// A unit vector across another one [Duff 2017].
fn perpendicular_to(unit: vec3<f32>) -> vec3<f32> {
    let side = select(1.0, -1.0, unit.z < 0.0);
    let a = -1.0 / (side + unit.z);
    return vec3<f32>(unit.x * unit.y * a, side + unit.y * unit.y * a, -unit.y);
}
