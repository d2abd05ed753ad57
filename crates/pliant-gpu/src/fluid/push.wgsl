// Moves particles by the changes of λ and by the artificial pressure, then out of colliders.

@group(0) @binding(1) var<storage, read_write> indices: array<u32>;
@group(0) @binding(2) var<storage, read> lists: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> origins: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> changes: array<f32>;
@group(0) @binding(6) var<storage, read_write> ways: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> next_places: array<vec4<f32>>;

// Along which pairs part: the offset at the start of the step, as long as that of now. Where the two differ by more than 60° the particles have gone
// past each other, and part along that of now.
fn direction(pair: Pair, from_start: vec3<f32>) -> vec3<f32> {
    let inverse = inverseSqrt(max(dot(from_start, from_start), COINCIDENT * COINCIDENT));
    let cosine = dot(from_start, pair.offset) * inverse * pair.inverse_distance;
    let ratio = pair.squared * pair.inverse_distance * inverse;
    return select(from_start * ratio, pair.offset, cosine < 0.5);
}

@compute @workgroup_size(THREADS)
fn push(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = index_of(group, groups, thread, THREADS);
    if (k >= COUNT) {
        return;
    }
    let own = places[k];
    let began = origins[k];
    let change = changes[k];
    var sum = vec3<f32>();
    let neighbours = indices[NEIGHBOURS + k];
    for (var n = 0u; n < neighbours; n++) {
        let j = lists[entry_of(k, n)];
        let its_start = origins[j];
        let pair = parted_pair_of(k, own.xyz, j, places[j].xyz);
        let cube = pair.nearness * pair.nearness * pair.nearness;
        let sixth = cube * cube;
        let near = max(sixth * sixth * SEPARATION_REFERENCE - SEPARATION_AT_REST, 0.0);
        let spread = min(began.w, its_start.w) * (2.0 * VOLUME);
        let both = (change + changes[j]) * VOLUME + spread * near;
        sum += (both * pair.slope) * direction(pair, began.xyz - its_start.xyz);
    }
    let origin = ways[COUNT].xyz;
    var way = ways[k].xyz - own.w * sum;
    follow(k, indices[TOUCHED + k], origin, began.xyz, way);
    let touched = meet(k, indices[TOUCHED + k], origin, began.xyz, way);
    way = relax(k, touched, way);
    indices[TOUCHED + k] = touched;
    ways[k] = vec4<f32>(way, 0.0);
    next_places[k] = vec4<f32>(began.xyz + way, own.w);
}
