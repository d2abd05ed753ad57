// Stars: elements of ROWS rows with any number of corners, whose projection is a shape that turns freely. Of a single row that is a length, between bounds.
//
// Stars go in groups of 64, and all of a group have as many corners as its largest; those that are missing are at the first one, with coefficients of zero. One corner of
// all stars comes after the other, so that threads read neighbouring numbers.

const ROWS = ROW_COUNTu;
// What a star keeps: ROWS rows, with the weight as the fourth number of the first one; then bounds of its length, or its rotation as a quaternion.
const KEPT = ROWS + 1u;

// First corner, number of corners, and first block.
@group(0) @binding(2) var<storage, read> star_groups: array<vec4<u32>>;
// Place and slot of each corner.
@group(0) @binding(3) var<storage, read> corners: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> coefficients: array<f32>;

alias Rows = array<vec3<f32>, ROWS>;

fn coefficient(group: vec4<u32>, corner: u32, lane: u32, row: u32) -> f32 {
    return coefficients[((group.x + corner * 64u + lane) * ROWS) + row];
}

fn measure(group: vec4<u32>, lane: u32) -> Rows {
    var z = Rows();
    let first = corners[group.x + lane].x;
    for (var k = 1u; k < group.y; k++) {
        let e = edge(first, corners[group.x + k * 64u + lane].x);
        for (var row = 0u; row < ROWS; row++) {
            z[row] += coefficient(group, k, lane, row) * e;
        }
    }
    return z;
}
