// What hair meets on its way, see the engine's `contact/obstacles.rs` and `collide/moving.rs`. The colliders that a vertex has met are in the order in
// which it met them, four bits each, from the lowest on: the collider's number and 1.

struct Parameters {
    round: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> moment: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> places: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> touched: array<u32>;
// Of each contact its plane, and how far the collider's surface moves with how deep the vertex was; all first contacts of slots, then all second ones.
@group(0) @binding(5) var<storage, read_write> touches: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> survey: Survey;

// A contact may be found this part of the thickness too deep.
const SLACK = 0.25;
// Looks along one path at most; hair is then taken as met where it is, still outside.
const MOST_LOOKS = 256u;
// A plane may turn by at most this cosine in a round: beyond, hair has slipped to another side of the shape.
const SAME_SIDE = 0.5;

struct Contact {
    is_met: bool,
    plane: vec4<f32>,
    // How far the touched point of the surface moves.
    shift: vec3<f32>,
}

// The rotation of a collider at a part of the step.
fn rotation_at(pose: u32, time: f32) -> vec4<f32> {
    let angles = moment[pose + 4u];
    let began = moment[pose + 1u];
    if (angles.x == 0.0) {
        return began;
    }
    // x: the angle of the quaternions, y: its sine; along the shorter way.
    return (sin((1.0 - time) * angles.x) * began + sin(time * angles.x) * angles.z * moment[pose + 3u]) / angles.y;
}

// The contact with a point of a shape, in its own coordinates, that is touched from along a normal.
fn contact_at(c: u32, pose: u32, point: vec3<f32>, normal: vec3<f32>) -> Contact {
    var contact: Contact;
    contact.is_met = true;
    let end = moment[pose + 2u].xyz + turned(moment[pose + 3u], point);
    let outward = turned(moment[pose + 3u], normal);
    contact.plane = vec4<f32>(outward, dot(outward, end) + surface_of(c).x);
    contact.shift = end - moment[pose].xyz - turned(moment[pose + 1u], point);
    return contact;
}

// What a vertex first comes within the thickness of on its way from a to b, while the collider moves.
fn first_hit(c: u32, a: vec3<f32>, b: vec3<f32>) -> Contact {
    var none: Contact;
    none.is_met = false;
    let pose = POSES + 5u * c;
    let thickness = surface_of(c).x;
    let angle = moment[pose + 4u].w;
    let arms = vec2<f32>(length(a - moment[pose].xyz), length(b - moment[pose + 2u].xyz));
    let way = (b - a) - (moment[pose + 2u].xyz - moment[pose].xyz);
    let first = turned_back(moment[pose + 1u], a - moment[pose].xyz);
    let last = turned_back(moment[pose + 3u], b - moment[pose + 2u].xyz);
    var near = near_shape(c, first);
    let bend = angle * (angle * max(arms.x, arms.y) + 2.0 * length(way)) / 8.0;
    if (near.w - thickness > distance(first, last) + bend) {
        return none;
    }
    let turning = angle * max(arms.x, arms.y);
    var time = 0.0;
    var local = first;
    for (var looks = 0u; looks <= MOST_LOOKS; looks++) {
        let gap = near.w - thickness;
        if (gap <= 0.0) {
            return contact_at(c, pose, local - near.xyz * near.w, near.xyz);
        }
        let rotation = rotation_at(pose, time);
        // What recedes from the nearest plane of a convex shape that does not turn never meets it.
        let approach = select(length(way) + turning, max(-dot(way, turned(rotation, near.xyz)), 0.0), turning == 0.0);
        if (approach <= 0.0 || time >= 1.0) {
            return none;
        }
        if (looks == MOST_LOOKS) {
            return contact_at(c, pose, local - near.xyz * near.w, near.xyz);
        }
        time = min(time + max(gap, SLACK * thickness) / approach, 1.0);
        let position = mix(moment[pose].xyz, moment[pose + 2u].xyz, time);
        local = turned_back(rotation_at(pose, time), mix(a, b, time) - position);
        near = near_shape(c, local);
    }
    return none;
}

@compute @workgroup_size(128)
fn touch(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread, 128u);
    if (slot >= COUNT) {
        return;
    }
    let round = parameters.round;
    // After a round that has moved nothing by much, hair stays where it is.
    if (round > 0u && bitcast<f32>(survey.moved[round - 1u]) <= SETTLED * SETTLED) {
        return;
    }
    var known = select(touched[slot], 0u, round == 0u);
    let began = state[slot].xyz;
    let now = places[slot].xyz;
    if (fixed[slot].w != 0.0 && is_finite(now)) {
        var at = slot;
        var met = 0u;
        // Planes follow curved surfaces to where the vertex is.
        for (var left = known; left != 0u; left >>= 4u) {
            let c = (left & 15u) - 1u;
            met |= 1u << c;
            let pose = POSES + 5u * c;
            let plane = touches[at];
            let local = turned_back(moment[pose + 3u], now - moment[pose + 2u].xyz);
            let near = near_shape(c, local);
            let found = contact_at(c, pose, local - near.xyz * near.w, near.xyz);
            let is_deep = near.w < -(0.5 * abs(plane.w - dot(plane.xyz, now)) + surface_of(c).x);
            // Through a thin shape, or round an edge, the plane that was met first stays.
            if (dot(found.plane.xyz, plane.xyz) > SAME_SIDE && !is_deep) {
                touches[at] = found.plane;
                touches[at + COUNT] = vec4<f32>(found.shift, 0.0);
            }
            at += 2u * COUNT;
        }
        var place = 4u * countOneBits(met);
        for (var c = 0u; c < COLLIDERS; c++) {
            if ((met & (1u << c)) == 0u) {
                let hit = first_hit(c, began, now);
                if (hit.is_met) {
                    known |= (c + 1u) << place;
                    place += 4u;
                    touches[at] = hit.plane;
                    touches[at + COUNT] = vec4<f32>(hit.shift, 0.0);
                    at += 2u * COUNT;
                }
            }
        }
        // Out of colliders and back along them, from where hair would go freely, so that friction is that of the whole push.
        let free = places[COUNT + slot].xyz;
        at = slot;
        for (var left = known; left != 0u; left >>= 4u) {
            let plane = touches[at];
            let shift = touches[at + COUNT].xyz;
            let depth = max(plane.w - dot(plane.xyz, free), 0.0);
            let slid = free - (began + shift);
            let along = slid - plane.xyz * dot(plane.xyz, slid);
            let most = surface_of((left & 15u) - 1u).y * depth;
            let back = along * min(most / max(length(along), 1e-30), 1.0);
            places[2u * COUNT + slot] = vec4<f32>(free + plane.xyz * depth - back, 0.0);
            touches[at + COUNT] = vec4<f32>(shift, depth);
            at += 2u * COUNT;
        }
    }
    touched[slot] = known;
}
