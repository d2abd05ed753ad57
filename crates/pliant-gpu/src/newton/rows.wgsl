// A row of Newton's matrix H times a vector: blocks, then what bends from flat, then contacts between layers. The diagonal of the last two is in the blocks.

struct Parameters {
    free: u32,
    // Where entries and contacts begin among couplings; 0 if there are none.
    first_entry: u32,
    first_coupling: u32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> matrix: array<vec4<f32>>;
// See layers/couplings.wgsl.
@group(0) @binding(1) var<storage, read> couplings: array<vec4<f32>>;
// For each slice of 64 vertices the first entry and the number of entries of blocks, and of rows; then rows.
@group(0) @binding(2) var<storage, read> rows: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> vector: array<vec4<f32>>;

fn whole(number: f32) -> u32 {
    return bitcast<u32>(number) & 0x3fffffffu;
}

// What contacts make of the movements of other vertices.
fn coupled(vertex: u32) -> vec3<f32> {
    let header = couplings[vertex];
    let first = parameters.first_entry + whole(header.x);
    var sum = vec3<f32>();
    // Those that act come first, and their number is the third of the header (newton/layers.wgsl).
    let acting = select(0u, whole(header.z), whole(header.y) > 0u);
    for (var k = 0u; k < acting; k++) {
        let entry = couplings[first + k];
        let at = parameters.first_coupling + 4u * whole(entry.x);
        let normal = couplings[at];
        let across = couplings[at + 1u].x;
        let weights = couplings[at + 2u];
        let corners = bitcast<vec4<u32>>(couplings[at + 3u]) & vec4<u32>(0x3fffffffu);
        // Its own movement is in the blocks, and what is held does not move, and may lie beyond the end of what does.
        let counts = select(weights, vec4<f32>(), corners == vec4<u32>(vertex));
        let places = select(corners, vec4<u32>(), counts == vec4<f32>());
        let moved = counts.x * vector[places.x].xyz + counts.y * vector[places.y].xyz
            + counts.z * vector[places.z].xyz + counts.w * vector[places.w].xyz;
        sum += entry.y * (across * moved + normal.xyz * ((normal.w - across) * dot(normal.xyz, moved)));
    }
    return sum;
}

fn product(number: u32, lane: u32) -> vec3<f32> {
    let blocks = rows[2u * number];
    let others = rows[2u * number + 1u];
    var sum = vec3<f32>();
    for (var k = 0u; k < whole(blocks.y); k++) {
        let at = 3u * (whole(blocks.x) + k * 64u + lane);
        let first = matrix[at];
        let other = vector[whole(first.w)].xyz;
        sum += first.xyz * other.x + matrix[at + 1u].xyz * other.y + matrix[at + 2u].xyz * other.z;
    }
    for (var k = 0u; k < whole(others.y); k++) {
        let row = rows[whole(others.x) + k * 64u + lane];
        sum += row.y * vector[whole(row.x)].xyz;
    }
    if (parameters.first_entry > 0u) {
        sum += coupled(number * 64u + lane);
    }
    return sum;
}

var<workgroup> parts: array<f32, 64>;

// The sum of a number over a workgroup, along a fixed tree; for thread 0.
fn sum_of_group(value: f32, lane: u32) -> f32 {
    parts[lane] = value;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if (lane < half) {
            parts[lane] += parts[lane + half];
        }
        workgroupBarrier();
    }
    return parts[0];
}
