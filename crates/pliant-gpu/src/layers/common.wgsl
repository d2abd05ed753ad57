// What kernels about layers share. The numbers in capitals are written before this text (`surfaces.rs`, `tree.rs`).
//
// Elements are triangles, then edges, then vertices: the places of their corners, and in the last number their body. Seekers are vertices, which look for triangles,
// then edges, which look for edges with a higher number.

// In the last number of an element: its body is kept from itself. In the third one of an edge: it is a segment of a strand.
const WITH_ITSELF = 0x80000000u;
const SEGMENT = 1u;
const NOBODY = 0xffffffffu;

struct Parameters {
    first: u32,
    second: u32,
    third: u32,
    fourth: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;

fn thread_number(group: vec3<u32>, groups: vec3<u32>, thread: u32, threads: u32) -> u32 {
    return (group.x + group.y * groups.x) * threads + thread;
}

fn is_finite(v: vec3<f32>) -> bool {
    let exponents = bitcast<vec3<u32>>(v) & vec3<u32>(0x7f800000u);
    return all(exponents != vec3<u32>(0x7f800000u));
}

fn is_seeker(seeker: u32) -> bool {
    return seeker < VERTICES || (seeker >= FIRST_EDGE && seeker < FIRST_EDGE + EDGES);
}

// Whether two elements may touch: they have no corner in common, and their bodies are kept apart.
fn may_touch(own: vec4<u32>, other: vec4<u32>, is_edges: bool) -> bool {
    let same = own.w == other.w && (own.w & WITH_ITSELF) == 0u;
    let first = own.x == other.x || own.x == other.y;
    if (is_edges) {
        return !(same || first || own.y == other.x || own.y == other.y);
    }
    return !(same || first || own.x == other.z);
}

// The corners of a pair.
fn corners_of(own: vec4<u32>, other: vec4<u32>, is_edges: bool) -> vec4<u32> {
    if (is_edges) {
        return vec4<u32>(own.xy, other.xy);
    }
    return vec4<u32>(own.x, other.xyz);
}
