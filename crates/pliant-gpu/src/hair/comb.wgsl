// One pass down each strand, see the engine's `matter/hair/pass.rs` and `style.rs`: hair is drawn to its style, and lengths are exact afterwards.

@group(0) @binding(0) var<storage, read> chains: array<Chain>;
// Share of their way that leaders go in this substep, then where bodies are carried: rotation and place of the world's middle; then poses of colliders.
@group(0) @binding(1) var<storage, read> moment: array<vec4<f32>>;
// The place at rest, and the length from the vertex before: 0 of what does not follow, negative where hair is not drawn to its place at rest.
@group(0) @binding(2) var<storage, read> fixed: array<vec4<f32>>;
// Places and masses, then velocities.
@group(0) @binding(3) var<storage, read> state: array<vec4<f32>>;
// Places now, then those without colliders, then those that colliders ask for.
@group(0) @binding(4) var<storage, read_write> places: array<vec4<f32>>;
// What lengths have taken, then the same without colliders.
@group(0) @binding(5) var<storage, read_write> corrections: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> survey: Survey;

fn predicted(x: vec4<f32>, v: vec4<f32>) -> vec3<f32> {
    return x.xyz + v.xyz * (DRAG * STEP) + FALL;
}

fn product(p: vec4<f32>, q: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(p.w * q.xyz + q.w * p.xyz + cross(p.xyz, q.xyz), p.w * q.w - dot(p.xyz, q.xyz));
}

// The shortest rotation from one unit vector to another.
fn arc(old: vec3<f32>, new_one: vec3<f32>) -> vec4<f32> {
    let cosine = dot(old, new_one);
    if (cosine < -0.999999) {
        return vec4<f32>(perpendicular_to(old), 0.0);
    }
    return normalize(vec4<f32>(cross(old, new_one), 1.0 + cosine));
}

// Draws a strand to its style. Its wishes are in `places` before and after.
fn draw(chain: Chain) {
    let rotation = moment[1u + 2u * chain.body];
    let carried = moment[2u + 2u * chain.body].xyz;
    for (var k = 1u; k < chain.count; k++) {
        let slot = chain.first + k * LANES;
        let rest = fixed[slot];
        if (rest.w > 0.0) {
            let place = places[slot].xyz;
            places[slot] = vec4<f32>(place + (carried + turned(rotation, rest.xyz) - place) * GLOBAL, 0.0);
        }
    }
    for (var iteration = 0u; iteration < ITERATIONS; iteration++) {
        var turn = rotation;
        var rest = fixed[chain.first].xyz;
        var before = vec3<f32>();
        var here = places[chain.first].xyz;
        var edge_before = vec3<f32>();
        for (var k = 1u; k < chain.count; k++) {
            let slot = chain.first + k * LANES;
            let next_rest = fixed[slot].xyz;
            let edge = next_rest - rest;
            var next = places[slot].xyz;
            if (k > 1u) {
                let goal = turned(turn, edge_before);
                let now = here - before;
                let lengths = vec2<f32>(length(goal), length(now));
                if (lengths.x > 0.0 && lengths.y > 0.0) {
                    turn = normalize(product(arc(goal / lengths.x, now / lengths.y), turn));
                }
            }
            let way = (here + turned(turn, edge) - next) * LOCAL;
            if (k > 1u) {
                here -= 0.5 * way;
                next += 0.5 * way;
                places[slot - LANES] = vec4<f32>(here, 0.0);
            } else {
                next += way;
            }
            before = here;
            here = next;
            rest = next_rest;
            edge_before = edge;
        }
        if (chain.count > 1u) {
            places[chain.first + (chain.count - 1u) * LANES] = vec4<f32>(here, 0.0);
        }
    }
}

@compute @workgroup_size(32)
fn comb(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = index_of(group, groups, thread, LANES);
    if (number == 0u) {
        for (var axis = 0u; axis < 3u; axis++) {
            survey.low[axis] = 0xffffffffu;
            survey.high[axis] = 0u;
        }
        survey.speed = 0u;
        survey.crowd = 0u;
        for (var round = 0u; round < ROUNDS; round++) {
            survey.moved[round] = 0u;
        }
    }
    if (number >= CHAINS) {
        return;
    }
    let chain = chains[number];
    let began = state[chain.first].xyz;
    let part = moment[0].x;
    let leader = select(began + (chain.leads_to - began) * part, chain.leads_to, part == 1.0);
    places[chain.first] = vec4<f32>(leader, 0.0);
    if (IS_STYLED) {
        for (var k = 1u; k < chain.count; k++) {
            let slot = chain.first + k * LANES;
            places[slot] = vec4<f32>(predicted(state[slot], state[COUNT + slot]), 0.0);
        }
        draw(chain);
    }
    var at = leader;
    var direction = vec3<f32>(0.0, -1.0, 0.0);
    // What the next vertex needs is on its way while this one is placed: 32 slots lie behind the last one, too.
    var slot = chain.first + LANES;
    var x = state[slot];
    var v = state[COUNT + slot];
    var far = abs(fixed[slot].w);
    for (var k = 1u; k < chain.count; k++) {
        var wanted = predicted(x, v);
        if (IS_STYLED) {
            wanted = places[slot].xyz;
        }
        let reach = far;
        let own = slot;
        slot += LANES;
        x = state[slot];
        v = state[COUNT + slot];
        far = abs(fixed[slot].w);
        let offset = wanted - at;
        let distance = length(offset);
        // A follower on its leader has no direction; it goes on as the strand does.
        if (distance > 0.0) {
            direction = offset / distance;
        }
        at += direction * reach;
        let correction = vec4<f32>(at - wanted, 0.0);
        places[own] = vec4<f32>(at, 0.0);
        corrections[own] = correction;
        if (COLLIDERS > 0u) {
            places[COUNT + own] = vec4<f32>(at, 0.0);
            corrections[COUNT + own] = correction;
        }
    }
}
