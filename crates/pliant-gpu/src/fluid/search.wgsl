// Lists the neighbours of each place: those within the radius, in the order of places.

@group(0) @binding(0) var<storage, read> grid: Grid;
@group(0) @binding(1) var<storage, read> table: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> places: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> indices: array<u32>;
@group(0) @binding(4) var<storage, read_write> lists: array<u32>;
@group(0) @binding(5) var<storage, read_write> status: array<atomic<u32>>;

@compute @workgroup_size(THREADS)
fn search(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = index_of(group, groups, thread, THREADS);
    if (k >= COUNT) {
        return;
    }
    let own = places[k].xyz;
    let cell = indices[2u * indices[ORDER + k]];
    let size = grid.size;
    var found = 0u;
    for (var row = 0u; row < 9u; row++) {
        // Three cells beside each other, of nine rows around; the border of the box keeps them within.
        let middle = cell + (row / 3u) * size.x * size.y + (row % 3u) * size.x - size.x * size.y - size.x;
        let end = table[middle + 2u].x;
        for (var j = table[middle - 1u].x; j < end; j++) {
            let offset = own - places[j].xyz;
            if (dot(offset, offset) < 1.0 && j != k) {
                if (found < MOST_NEIGHBOURS) {
                    lists[entry_of(k, found)] = j;
                }
                found++;
            }
        }
    }
    if (found > MOST_NEIGHBOURS) {
        atomicMax(&status[STATUS_CROWD], found);
    }
    indices[NEIGHBOURS + k] = min(found, MOST_NEIGHBOURS);
}
