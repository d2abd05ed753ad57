// Sorts particles by cell and number: places are numbered in this order, so that neighbours are near in memory and sums have the same order in every run.

@group(0) @binding(0) var<storage, read> grid: Grid;
@group(0) @binding(1) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> table: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> indices: array<u32>;
// Where places are predicted to be, and the softness of the particle there.
@group(0) @binding(4) var<storage, read_write> places: array<vec4<f32>>;
// Where they were when the step began, and the coefficient of the artificial pressure.
@group(0) @binding(5) var<storage, read_write> origins: array<vec4<f32>>;
// How far they have come in the step; the last entry is the mean of all.
@group(0) @binding(6) var<storage, read_write> ways: array<vec4<f32>>;

// Puts each particle somewhere among those of its cell.
@compute @workgroup_size(256)
fn scatter(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let id = index_of(group, groups, thread, 256u);
    if (id < COUNT) {
        indices[UNSORTED + table[indices[2u * id]].x + indices[2u * id + 1u]] = id;
    }
}

// Puts it where its number belongs among them.
@compute @workgroup_size(256)
fn arrange(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let at = index_of(group, groups, thread, 256u);
    if (at >= COUNT) {
        return;
    }
    let id = indices[UNSORTED + at];
    let cell = indices[2u * id];
    let first = table[cell].x;
    let end = table[cell + 1u].x;
    var place = first;
    for (var other = first; other < end; other++) {
        place += select(0u, 1u, indices[UNSORTED + other] < id);
    }
    let x = state[id];
    let v = state[COUNT + id];
    let way = inertial_way(v.xyz);
    let began = x.xyz - grid.origin.xyz;
    indices[ORDER + place] = id;
    indices[CELL_OF + place] = table[cell].y;
    places[place] = vec4<f32>(began + way, x.w);
    origins[place] = vec4<f32>(began, v.w);
    ways[place] = vec4<f32>(way, 0.0);
    if (at == 0u) {
        ways[COUNT] = grid.origin;
    }
}
