// How regions move as wholes, which is what damping leaves, see the engine's `matter/matching/damping.rs`: the momentum, the angular momentum and the inertia of each region are summed along x, y
// and z as places are, and the means of its regions' motions are a particle's.

@group(0) @binding(0) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> ways: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> reach: array<u32>;
@group(0) @binding(3) var<storage, read> near: array<u32>;
@group(0) @binding(4) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> given: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> taken: array<vec4<f32>>;

// Of mass × place (from the body's first particle), movement, place × movement, squares and products of the place.
struct Motion {
    parts: array<vec4<f32>, 4>,
}

fn motion_of(slot: u32) -> Motion {
    let x = state[slot];
    let a = x.xyz - state[ORIGIN].xyz;
    let u = ways[slot].xyz;
    let spin = cross(a, u);
    var motion: Motion;
    motion.parts[0] = x.w * vec4<f32>(a, u.x);
    motion.parts[1] = x.w * vec4<f32>(u.yz, spin.xy);
    motion.parts[2] = x.w * vec4<f32>(spin.z, a * a);
    motion.parts[3] = x.w * vec4<f32>(a.x * a.y, a.y * a.z, a.z * a.x, 0.0);
    return motion;
}

@compute @workgroup_size(128)
fn damp_bars(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    var sum = Motion();
    let end = slot + (reach[slot] >> 16u);
    for (var at = slot - (reach[slot] & 0xffffu); at <= end; at++) {
        let motion = motion_of(at);
        for (var part = 0u; part < 4u; part++) {
            sum.parts[part] += motion.parts[part];
        }
    }
    for (var part = 0u; part < 4u; part++) {
        taken[part * COUNT + slot] = sum.parts[part];
    }
}

fn summed(axis: u32, slot: u32) -> Motion {
    var sum = Motion();
    for (var k = 0u; k < SIDE; k++) {
        let at = near[near_at(axis, k, slot)];
        if (at != NONE) {
            for (var part = 0u; part < 4u; part++) {
                sum.parts[part] += given[part * COUNT + at];
            }
        }
    }
    return sum;
}

@compute @workgroup_size(128)
fn damp_plates(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    let sum = summed(0u, slot);
    for (var part = 0u; part < 4u; part++) {
        taken[part * COUNT + slot] = sum.parts[part];
    }
}

// The turn of each region, and how it moves where places are seen from.
@compute @workgroup_size(128)
fn damp_cubes(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    let all = summed(1u, slot);
    let share = fixed[slot].w;
    let centre = all.parts[0].xyz * share;
    let shift = vec3<f32>(all.parts[0].w, all.parts[1].xy) * share;
    let spin = vec3<f32>(all.parts[1].zw, all.parts[2].x) * share - cross(centre, shift);
    let squares = all.parts[2].yzw * share - centre * centre;
    let products = all.parts[3].xyz * share - centre * centre.yzx;
    let a = vec3<f32>(squares.y + squares.z, -products.x, -products.z);
    let b = vec3<f32>(-products.x, squares.z + squares.x, -products.y);
    let c = vec3<f32>(-products.z, -products.y, squares.x + squares.y);
    let unit = max(max(a.x, b.y), max(c.z, 1e-30));
    let columns = mat3x3<f32>(a / unit, b / unit, c / unit);
    let minors = cross(columns[1], columns[2]);
    let determinant = dot(columns[0], minors);
    var turn = vec3<f32>();
    if (determinant > 1e-6) {
        let sides = vec3<f32>(
            dot(spin, minors),
            dot(spin, cross(columns[2], columns[0])),
            dot(spin, cross(columns[0], columns[1])),
        );
        turn = sides / (determinant * unit);
    }
    taken[slot] = vec4<f32>(turn, 0.0);
    taken[COUNT + slot] = vec4<f32>(shift - cross(turn, centre), 0.0);
}

fn spread_along(axis: u32, slot: u32) {
    var turn = vec3<f32>();
    var shift = vec3<f32>();
    for (var k = 0u; k < SIDE; k++) {
        let at = near[near_at(axis, k, slot)];
        if (at != NONE) {
            turn += given[at].xyz;
            shift += given[COUNT + at].xyz;
        }
    }
    taken[slot] = vec4<f32>(turn, 0.0);
    taken[COUNT + slot] = vec4<f32>(shift, 0.0);
}

@compute @workgroup_size(128)
fn spread_turns_along_z(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot < COUNT) {
        spread_along(1u, slot);
    }
}

@compute @workgroup_size(128)
fn spread_turns_along_y(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot < COUNT) {
        spread_along(0u, slot);
    }
}

// How much of a particle's way is not its regions' is left out: these are ways after damping.
@compute @workgroup_size(128)
fn damp(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    let own = ways[slot];
    if (fixed[COUNT + slot].z == 0.0) {
        taken[slot] = own;
        return;
    }
    var turn = vec3<f32>();
    var shift = vec3<f32>();
    let end = slot + (reach[slot] >> 16u);
    for (var at = slot - (reach[slot] & 0xffffu); at <= end; at++) {
        turn += given[at].xyz;
        shift += given[COUNT + at].xyz;
    }
    let place = state[slot].xyz - state[ORIGIN].xyz;
    let rigid = (shift + cross(turn, place)) / fixed[COUNT + slot].x;
    taken[slot] = vec4<f32>(own.xyz + (rigid - own.xyz) * DAMPED, 0.0);
}
