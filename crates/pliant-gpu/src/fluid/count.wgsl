// The box of cells, and how many particles each cell has. Every workgroup adds up the parts of the survey for itself, in the same order.

@group(0) @binding(0) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> parts: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> indices: array<u32>;
@group(0) @binding(4) var<storage, read_write> grid: Grid;

var<workgroup> sums: array<vec4<f32>, 256>;
var<workgroup> lows: array<vec4<f32>, 256>;
var<workgroup> highs: array<vec4<f32>, 256>;

@compute @workgroup_size(256)
fn count(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    sums[thread] = vec4<f32>();
    lows[thread] = vec4<f32>(FARTHEST_CELL);
    highs[thread] = vec4<f32>(-FARTHEST_CELL);
    if (thread < PARTS) {
        sums[thread] = parts[3u * thread];
        lows[thread] = parts[3u * thread + 1u];
        highs[thread] = parts[3u * thread + 2u];
    }
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            sums[thread] += sums[thread + half];
            lows[thread] = min(lows[thread], lows[thread + half]);
            highs[thread] = max(highs[thread], highs[thread + half]);
        }
        workgroupBarrier();
    }
    let origin = sums[0].xyz / max(sums[0].w, 1.0);
    // A box with a border of empty cells. Where that is too large, it ends nearer to the mean.
    let first = vec3<i32>(floor(clamp(lows[0].xyz - origin, vec3<f32>(-FARTHEST_CELL), vec3<f32>(FARTHEST_CELL))));
    let last = vec3<i32>(floor(clamp(highs[0].xyz - origin, vec3<f32>(-FARTHEST_CELL), vec3<f32>(FARTHEST_CELL))));
    var limit = i32(FARTHEST_CELL);
    var low = first - 1;
    var size = vec3<u32>(last - first + 3);
    // In f32, because the product of three large numbers does not fit into 32 bits.
    while (f32(size.x) * f32(size.y) * f32(size.z) > f32(MOST_CELLS)) {
        limit = limit - max(limit / 4, 1);
        low = clamp(first, vec3<i32>(-limit), vec3<i32>(limit)) - 1;
        size = vec3<u32>(clamp(last, vec3<i32>(-limit), vec3<i32>(limit)) - low + 2);
    }
    let number = index_of(group, groups, thread, 256u);
    if (number == 0u) {
        grid.origin = vec4<f32>(origin, 0.0);
        grid.low = vec4<i32>(low, 0);
        grid.size = vec4<u32>(size, size.x * size.y * size.z);
    }
    if (number < COUNT) {
        let p = state[number].xyz + inertial_way(state[COUNT + number].xyz);
        let cell = number_of_cell(low, size, cell_at(low, size, select(vec3<f32>(), p - origin, is_finite(p))));
        indices[2u * number] = cell;
        indices[2u * number + 1u] = atomicAdd(&counts[cell], 1u);
    }
}
