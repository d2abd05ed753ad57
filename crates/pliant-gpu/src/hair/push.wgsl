// The pass again for strands that have met colliders, outside of these: a vertex that would be behind a plane goes to the circle where its length is exact
// and the plane is met, see the engine's `matter/hair/pass.rs`.

struct Parameters {
    round: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> chains: array<Chain>;
@group(0) @binding(1) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> touched: array<u32>;
@group(0) @binding(3) var<storage, read> touches: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> places: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> corrections: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> survey: SharedSurvey;

// Rounds over the planes of one vertex: between two colliders it may take more than one.
const PLANE_ROUNDS = 8u;

// The direction nearest to this one in which a follower is above its planes.
fn above(slot: u32, known: u32, leader: vec3<f32>, reach: f32, wish: vec3<f32>) -> vec3<f32> {
    var direction = wish;
    for (var round = 0u; round < PLANE_ROUNDS; round++) {
        var moved = false;
        var at = slot;
        for (var left = known; left != 0u; left >>= 4u) {
            let plane = touches[at];
            at += 2u * COUNT;
            // The least height over the leader, as a share of the length.
            let least = min((plane.w - dot(plane.xyz, leader)) / reach, 1.0);
            let height = dot(plane.xyz, direction);
            if (height < least) {
                var along = direction - plane.xyz * height;
                let size = length(along);
                along = select(perpendicular_to(plane.xyz), along / max(size, 1e-30), size > 0.0);
                direction = plane.xyz * least + along * sqrt(max(1.0 - least * least, 0.0));
                moved = true;
            }
        }
        if (!moved) {
            break;
        }
    }
    return direction;
}

@compute @workgroup_size(32)
fn push(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = index_of(group, groups, thread, LANES);
    if (number >= CHAINS) {
        return;
    }
    let round = parameters.round;
    if (round > 0u && bitcast<f32>(atomicLoad(&survey.moved[round - 1u])) <= SETTLED * SETTLED) {
        return;
    }
    let chain = chains[number];
    var all_known = 0u;
    for (var k = 1u; k < chain.count; k++) {
        all_known |= touched[chain.first + k * LANES];
    }
    if (all_known == 0u) {
        return;
    }
    var at = places[chain.first].xyz;
    var direction = vec3<f32>(0.0, -1.0, 0.0);
    var farthest = 0.0;
    for (var k = 1u; k < chain.count; k++) {
        let slot = chain.first + k * LANES;
        let known = touched[slot];
        let wanted = places[select(COUNT, 2u * COUNT, known != 0u) + slot].xyz;
        let last = places[slot].xyz;
        let reach = abs(fixed[slot].w);
        let offset = wanted - at;
        let distance = length(offset);
        if (distance > 0.0) {
            direction = offset / distance;
        }
        direction = above(slot, known, at, reach, direction);
        at += direction * reach;
        var correction = corrections[COUNT + slot].xyz + (at - wanted);
        var place = slot;
        for (var left = known; left != 0u; left >>= 4u) {
            // What the collider pushed is not what the length took.
            let normal = touches[place].xyz;
            correction -= normal * max(dot(normal, correction), 0.0);
            place += 2u * COUNT;
        }
        places[slot] = vec4<f32>(at, 0.0);
        corrections[slot] = vec4<f32>(correction, 0.0);
        farthest = max(farthest, dot(at - last, at - last));
    }
    // Of numbers that are not negative, the bits are ordered as they are.
    atomicMax(&survey.moved[round], bitcast<u32>(farthest));
}
