// The pressure of cells at each place, averaged over its neighbours: a step from cell to cell would push only there.

@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> lists: array<u32>;
@group(0) @binding(2) var<storage, read> places: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> unknowns: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> sums: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> found: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> status: array<atomic<u32>>;

// Where the solve did not come to its end, some may still pull.
fn pressure_of(place: u32) -> f32 {
    return max(unknowns[indices[CELL_OF + place]].x, 0.0);
}

@compute @workgroup_size(THREADS)
fn load(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = index_of(group, groups, thread, THREADS);
    if (k >= COUNT) {
        return;
    }
    let own = places[k];
    var sum = 0.0;
    var weights = 0.0;
    let neighbours = indices[NEIGHBOURS + k];
    for (var n = 0u; n < neighbours; n++) {
        let j = lists[entry_of(k, n)];
        let other = places[j];
        let weight = pressure_weight(pair_of(own.xyz, other.xyz), own.w, other.w);
        sum += weight * pressure_of(j);
        weights += weight;
    }
    let mean = weights / 32.0;
    let smoothed = (sum + mean * pressure_of(k)) / max(weights + mean, 1e-30);
    found[k].w = sums[PARTS].w / SEEN_GRADIENT * smoothed * VOLUME;
    if (k == 0u) {
        // How many dispatches the pressure took, and whether there were too few.
        atomicMax(&status[STATUS_PRESSURE], u32(sums[PARTS + 1u].w));
        if (sums[PARTS].x < 3.0) {
            atomicAdd(&status[STATUS_UNFINISHED], 1u);
        }
    }
}
