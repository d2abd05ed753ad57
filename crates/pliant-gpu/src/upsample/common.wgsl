// A fine surface over a coarse one: each thread shows a fine vertex. What a model adds, the next file tells.

struct Parameters {
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
    unused_3: u32,
}

// Fine vertex and block of each lane; of each block its first control, their number, where its table begins, and its first group; controls.
@group(0) @binding(0) var<storage, read> places: array<u32>;
@group(0) @binding(1) var<storage, read> tables: array<f32>;
// What lies above the smooth surface at rest, ranges of blocks, and coefficients: those of all lanes side by side.
@group(0) @binding(2) var<storage, read> numbers: array<f32>;
// Coarse positions, and the numbers of a frame.
@group(0) @binding(3) var<storage, read> frame: array<f32>;
@group(0) @binding(4) var<storage, read_write> fine: array<vec4<f32>>;
@group(1) @binding(0) var<uniform> parameters: Parameters;

// Squared lengths below this count as zero, as their inverse would overflow.
const TINY = 1e-30;

struct Follower {
    // Its lane among all, and among those of its group.
    place: u32,
    lane: u32,
    block: u32,
    first_control: u32,
    controls: u32,
    // Where weights of its group begin.
    table: u32,
}

fn weight(own: Follower, control: u32, row: u32) -> f32 {
    return tables[own.table + (3u * control + row) * LANES + own.lane];
}

fn coarse_vertex(own: Follower, control: u32) -> u32 {
    return places[FIRST_CONTROL + own.first_control + control];
}

fn coarse_position(vertex: u32) -> vec3<f32> {
    return vec3<f32>(frame[3u * vertex], frame[3u * vertex + 1u], frame[3u * vertex + 2u]);
}

// Three numbers of a lane, the first of them the k-th.
fn triple(own: Follower, first: u32, k: u32) -> vec3<f32> {
    let at = first + k * SLOTS + own.place;
    return vec3<f32>(numbers[at], numbers[at + SLOTS], numbers[at + 2u * SLOTS]);
}

fn unit(v: vec3<f32>) -> vec3<f32> {
    return v / sqrt(max(dot(v, v), TINY));
}

// The frame of two tangents, as in the engine's `upsample/frames.rs`.
fn frame_of(first: vec3<f32>, second: vec3<f32>) -> mat3x3<f32> {
    let a = unit(first);
    let b = unit(second);
    let p = unit(a + b);
    let m = unit(a - b);
    let x = (p + m) * 0.70710678;
    let y = (p - m) * 0.70710678;
    return mat3x3<f32>(x, y, cross(x, y));
}

@compute @workgroup_size(64)
fn show(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let place = (group.x + group.y * groups.x) * 64u + thread;
    if (place >= SLOTS || places[2u * place] >= FINE) {
        return;
    }
    let block = places[2u * place + 1u];
    let at = FIRST_BLOCK + 4u * block;
    var own: Follower;
    own.place = place;
    own.lane = place % LANES;
    own.block = block;
    own.first_control = places[at];
    own.controls = places[at + 1u];
    own.table = places[at + 2u] + (place / LANES - places[at + 3u]) * own.controls * 3u * LANES;
    var point = vec3<f32>();
    var first = vec3<f32>();
    var second = vec3<f32>();
    for (var k = 0u; k < own.controls; k++) {
        let p = coarse_position(coarse_vertex(own, k));
        point += weight(own, k, 0u) * p;
        first += weight(own, k, 1u) * p;
        second += weight(own, k, 2u) * p;
    }
    let turn = frame_of(first, second);
    var local = vec3<f32>();
    if (HAS_REST) {
        local = triple(own, 0u, 0u);
    }
    fine[places[2u * place]] = vec4<f32>(point + turn * local + detail(own, turn), 0.0);
}
