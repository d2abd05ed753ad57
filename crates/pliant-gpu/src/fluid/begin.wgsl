// What a step finds at its start: densities, what the movement has added to them, and the parts that each particle has in the equations of cells.

@group(0) @binding(1) var<storage, read> grid: Grid;
@group(0) @binding(2) var<storage, read> lists: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> ways: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> indices: array<u32>;
// By place: the density to be taken back, how much of it is left for later steps, −λ, and −λ on the scale of cells.
@group(0) @binding(6) var<storage, read_write> found: array<vec4<f32>>;
// By place 32 numbers: weights towards the cells around, by their number from 0 to 26, and in place of the own cell and from 27 on what `assemble` adds up.
@group(0) @binding(7) var<storage, read_write> rows: array<vec4<f32>>;

@compute @workgroup_size(THREADS)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = index_of(group, groups, thread, THREADS);
    if (k >= COUNT) {
        return;
    }
    let own = places[k];
    let way = ways[k].xyz;
    let origin = grid.origin.xyz;
    let low = grid.low.xyz;
    let size = grid.size.xyz;
    let cell = cell_at(low, size, own.xyz);
    var row: array<f32, 32>;
    for (var n = 0u; n < 32u; n++) {
        row[n] = 0.0;
    }
    var cubes = 0.0;
    var gained = 0.0;
    var spread = 0.0;
    // Neighbours come cell by cell.
    var beside = 13u;
    var weight_beside = 0.0;
    let neighbours = indices[NEIGHBOURS + k];
    for (var n = 0u; n < neighbours; n++) {
        let j = lists[entry_of(k, n)];
        let other = places[j];
        let pair = pair_of(own.xyz, other.xyz);
        let weight = pressure_weight(pair, own.w, other.w);
        spread += weight * pair.squared;
        cubes += pair.nearness * pair.nearness * pair.nearness;
        gained += pair.slope * dot(pair.offset, way - ways[j].xyz);
        let apart = clamp(cell_at(low, size, other.xyz) - cell, vec3<i32>(-1), vec3<i32>(1)) + 1;
        let its = u32(9 * apart.z + 3 * apart.y + apart.x);
        if (its != beside) {
            row[beside] += weight_beside;
            beside = its;
            weight_beside = 0.0;
        }
        weight_beside += weight;
    }
    row[beside] += weight_beside;
    // Colliders that may act in this step; what comes nearer later is left out.
    var near = 0u;
    for (var c = 0u; c < COLLIDERS; c++) {
        let wall = near_collider(c, origin, own.xyz);
        if (wall.w < FARTHEST_WALL) {
            near |= 1u << c;
            walls[c * COUNT + k] = vec4<f32>(wall.xyz, wall.w - dot(wall.xyz, own.xyz));
        }
    }
    let share = share_of_walls(near, k, own.xyz);
    let above = PEAK * VOLUME * (1.0 + cubes) + share.density - 1.0;
    let before = max(above - VOLUME * gained - dot(share.gradient, way), 0.0);
    let excess = above - LEAVE_CELLS * before;
    let density = above + 1.0;
    let inside = clamp((density - SURFACE_1) / (SURFACE_0 - SURFACE_1), 0.0, 1.0);
    let missing = max(SURFACE_0 - density, 0.0);
    row[ROW_X] = own.x;
    row[ROW_Y] = own.y;
    row[ROW_Z] = own.z;
    row[ROW_RIGHT] = VOLUME * excess * inside;
    row[ROW_AIR] = missing * (AIR * VOLUME * 2.0) * (own.w * VOLUME);
    row[ROW_SPREAD] = spread;
    for (var n = 0u; n < 8u; n++) {
        rows[8u * k + n] = vec4<f32>(row[4u * n], row[4u * n + 1u], row[4u * n + 2u], row[4u * n + 3u]);
    }
    found[k] = vec4<f32>(excess, LEAVE * before, 0.0, 0.0);
    indices[NEAR_WALLS + k] = near;
    indices[TOUCHED + k] = 0u;
}
