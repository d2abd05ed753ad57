// Sums what particles have in the equations of cells over the particles of each cell. 32 threads beside each other have a cell, and one number each.

@group(0) @binding(0) var<storage, read> grid: Grid;
@group(0) @binding(1) var<storage, read> table: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> cells: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> rows: array<f32>;
// The number as bits, and for a weight the cell that it is towards; all first numbers of cells, then all second ones.
@group(0) @binding(4) var<storage, read_write> entries: array<vec2<u32>>;

@compute @workgroup_size(256)
fn assemble(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let lane = thread % 32u;
    for (var cell = group.x * 8u + thread / 32u; cell < grid.occupied.x; cell += groups.x * 8u) {
        let own = cells[cell];
        var sum = 0.0;
        for (var k = own.y; k < own.y + own.z; k++) {
            sum += rows[32u * k + lane];
        }
        var column = cell;
        if (lane == ROW_X || lane == ROW_Y || lane == ROW_Z) {
            sum /= f32(own.z);
        } else if (lane < 27u) {
            let there = own.x + (lane / 9u) * grid.size.x * grid.size.y + (lane / 3u % 3u) * grid.size.x + lane % 3u
                - grid.size.x * grid.size.y - grid.size.x - 1u;
            // A cell without particles has no number, and no weight either.
            column = select(cell, table[there].y, table[there].x < table[there + 1u].x);
        }
        entries[lane * STRIDE + cell] = vec2<u32>(bitcast<u32>(sum), column);
    }
}
