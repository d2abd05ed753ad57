// Densities at the current places, and by how much λ changes for them; see the engine's `matter/fluid/density.rs`. Walls push at once: they know only the
// particle itself.

struct Parameters {
    // Share of the pressure of cells that this iteration applies, and how much of what cells take back is still to come, as bits.
    part: f32,
    left: f32,
    unused_0: u32,
    unused_1: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read> lists: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> ways: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> found: array<vec4<f32>>;
// Changes of −λ.
@group(0) @binding(6) var<storage, read_write> changes: array<f32>;
// Density over rest density, in the order of particles.
@group(0) @binding(7) var<storage, read_write> densities: array<f32>;

@compute @workgroup_size(THREADS)
fn measure(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = index_of(group, groups, thread, THREADS);
    if (k >= COUNT) {
        return;
    }
    let own = places[k];
    var cubes = 0.0;
    var resistance = 0.0;
    var gradient = vec3<f32>();
    let neighbours = indices[NEIGHBOURS + k];
    for (var n = 0u; n < neighbours; n++) {
        let j = lists[entry_of(k, n)];
        let other = places[j];
        let pair = parted_pair_of(k, own.xyz, j, other.xyz);
        cubes += pair.nearness * pair.nearness * pair.nearness;
        gradient += pair.slope * pair.offset;
        resistance += other.w * (pair.slope * pair.slope) * pair.squared;
    }
    let share = share_of_walls(indices[NEAR_WALLS + k], k, own.xyz);
    let density = PEAK * VOLUME * (1.0 + cubes) + share.density;
    let all = VOLUME * gradient + share.gradient;
    let squared = dot(all, all + share.gradient);
    resistance = own.w * (max(squared, 0.0) + RELAXATION) + VOLUME * VOLUME * resistance;
    var known = found[k];
    let unexpected = density - 1.0 - known.y - parameters.left * known.x;
    let push = max(known.z + min(parameters.part * known.w, MOST_LOAD) + JACOBI * unexpected / resistance, 0.0);
    let change = push - known.z;
    changes[k] = change;
    // With the pressure of the particle that they touch, so twice.
    ways[k] -= vec4<f32>(own.w * 2.0 * change * share.gradient, 0.0);
    densities[indices[ORDER + k]] = density;
    known.z = push;
    found[k] = known;
}
