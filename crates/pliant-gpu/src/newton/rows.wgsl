// A row of Newton's matrix H times a vector: blocks, then what bends from flat. The diagonal of the latter is in the blocks.

struct Parameters {
    free: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> matrix: array<vec4<f32>>;
// First entry and number of entries of a slice of 64 vertices: of blocks, of rows.
@group(0) @binding(1) var<storage, read> slices: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> rows: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read> vector: array<vec4<f32>>;

fn product(number: u32, lane: u32) -> vec3<f32> {
    let slice = slices[number];
    var sum = vec3<f32>();
    for (var k = 0u; k < slice.y; k++) {
        let at = 3u * (slice.x + k * 64u + lane);
        let first = matrix[at];
        let other = vector[bitcast<u32>(first.w) & 0x3fffffffu].xyz;
        sum += first.xyz * other.x + matrix[at + 1u].xyz * other.y + matrix[at + 2u].xyz * other.z;
    }
    for (var k = 0u; k < slice.w; k++) {
        let row = rows[slice.z + k * 64u + lane];
        sum += row.y * vector[bitcast<u32>(row.x) & 0x3fffffffu].xyz;
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
