// Viscosity, then friction of walls, then the new state in the order of particles; see the engine's `matter/fluid/velocity.rs` and `walls.rs`.

@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read> lists: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> speeds: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> ways: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> state: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> status: array<atomic<u32>>;

@compute @workgroup_size(THREADS)
fn mix_velocities(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = index_of(group, groups, thread, THREADS);
    if (k >= COUNT) {
        return;
    }
    let own = places[k];
    let speed = speeds[k];
    var sum = vec3<f32>();
    let neighbours = select(0u, indices[NEIGHBOURS + k], IS_VISCOUS);
    for (var n = 0u; n < neighbours; n++) {
        let j = lists[entry_of(k, n)];
        let other = places[j];
        let its = speeds[j];
        let pair = pair_of(own.xyz, other.xyz);
        let toward = dot(pair.offset, its.xyz - speed.xyz);
        let mixed = min((speed.w + its.w) * 0.5, MOST_MIXED);
        // Of two particles the lighter follows more.
        let share = 2.0 * PEAK * own.w / (own.w + other.w);
        let cube = pair.nearness * pair.nearness * pair.nearness;
        sum += mixed * share * (VOLUME * cube) * (toward * pair.inverse_distance) * pair.inverse_distance * pair.offset;
    }
    var v = speed.xyz + sum;
    let near = indices[NEAR_WALLS + k];
    for (var left = near; left != 0u; left &= left - 1u) {
        let c = countTrailingZeros(left);
        let friction = surface_of(c).y;
        if (friction > 0.0) {
            let wall = walls[c * COUNT + k];
            let weight = share_behind(distance_from_wall(wall, own.xyz) / REACH_OF_WALLS) / BESIDE_WALLS;
            let along = v - wall.xyz * dot(wall.xyz, v);
            // Implicit, so that it stops no more than there is; a spacing is a radius over KERNEL.
            let slowed = 0.5 * friction * min(weight, 1.0) * length(along) * STEP * KERNEL;
            v -= along * (slowed / (1.0 + slowed));
        }
    }
    let id = indices[ORDER + k];
    let x = state[id];
    let way = ways[k].xyz;
    let end = x.xyz + way;
    if (!is_finite(end) || !is_finite(v)) {
        atomicMax(&status[STATUS_LOST], id + 1u);
    } else if (dot(way, way) > RUNAWAY * RUNAWAY) {
        atomicMax(&status[STATUS_RUNAWAY], id + 1u);
    }
    state[id] = vec4<f32>(end, x.w);
    state[COUNT + id] = vec4<f32>(v, state[COUNT + id].w);
}
