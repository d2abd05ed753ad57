// Contacts with colliders, see the engine's `contact/law.rs`, `contact/obstacles.rs` and `collide/moving.rs`.
//
// Forces are in units of what they move a particle by. A particle's contacts are in the order in which they were met: four bits of a number
// each, from the lowest on, which are the collider's number and 1. A contact's plane is its normal n and a number b: a particle that has come a
// way w since the step began is b − n·w deep.

// Of each contact of a place its force, along the collider and then along the normal, and its plane; all first contacts of places, then all second ones.
@group(0) @binding(0) var<storage, read_write> contacts: array<vec4<f32>>;

// A contact may be found this part of the thickness too deep.
const SLACK = 0.25;
// Looks along one path at most; a particle is then taken as met where it is, still outside.
const MOST_LOOKS = 256u;
// A plane may turn by at most this cosine in one iteration: beyond, the particle has slipped to another side of the shape.
const SAME_SIDE = 0.5;

fn force_at(slot: u32, k: u32) -> u32 {
    return 2u * slot * COUNT + k;
}

fn plane_at(slot: u32, k: u32) -> u32 {
    return (2u * slot + 1u) * COUNT + k;
}

struct Hit {
    is_met: bool,
    plane: vec4<f32>,
}

// What a particle first comes within a distance of on its way: the distance from the collider says for how long there can be no contact. Shapes are convex, so
// what recedes from the nearest plane never meets them.
fn first_hit(c: u32, origin: vec3<f32>, began: vec3<f32>, way: vec3<f32>, distance: f32) -> Hit {
    var hit: Hit;
    hit.is_met = false;
    var near = near_collider(c, origin, began);
    if (near.w - distance > length(way)) {
        return hit;
    }
    var time = 0.0;
    for (var looks = 0u; looks <= MOST_LOOKS; looks++) {
        let gap = near.w - distance;
        let approach = -dot(way, near.xyz);
        hit.is_met = gap <= 0.0 || (looks == MOST_LOOKS && approach > 0.0);
        if (hit.is_met || approach <= 0.0 || time >= 1.0) {
            hit.plane = vec4<f32>(near.xyz, surface_of(c).x - near.w - approach * time);
            break;
        }
        time = min(time + max(gap, SLACK * distance) / approach, 1.0);
        near = near_collider(c, origin, began + way * time);
    }
    return hit;
}

// Adds the colliders that a particle meets on its way.
fn meet(k: u32, touched: u32, origin: vec3<f32>, began: vec3<f32>, way: vec3<f32>) -> u32 {
    var known = touched;
    for (var c = 0u; c < COLLIDERS; c++) {
        var slot = 0u;
        var entry = known & 15u;
        while (entry != 0u && entry != c + 1u) {
            slot++;
            entry = (known >> (4u * slot)) & 15u;
        }
        if (entry == 0u) {
            let hit = first_hit(c, origin, began, way, surface_of(c).x);
            if (hit.is_met) {
                known |= (c + 1u) << (4u * slot);
                contacts[force_at(slot, k)] = vec4<f32>();
                contacts[plane_at(slot, k)] = hit.plane;
            }
        }
    }
    return known;
}

// Lets the planes of contacts follow curved surfaces to where the particle is now.
fn follow(k: u32, touched: u32, origin: vec3<f32>, began: vec3<f32>, way: vec3<f32>) {
    var slot = 0u;
    for (var left = touched; left != 0u; left >>= 4u) {
        let c = (left & 15u) - 1u;
        let near = near_collider(c, origin, began + way);
        let plane = contacts[plane_at(slot, k)];
        let thickness = surface_of(c).x;
        // Through a thin shape, or round an edge, the plane that was met first stays.
        let is_deep = near.w < -(0.5 * abs(plane.w - dot(plane.xyz, way)) + thickness);
        if (dot(near.xyz, plane.xyz) > SAME_SIDE && !is_deep) {
            contacts[plane_at(slot, k)] = vec4<f32>(near.xyz, thickness - near.w + dot(near.xyz, way));
            var force = contacts[force_at(slot, k)];
            let size = length(force.xyz);
            if (size > 0.0) {
                let within = force.xyz - near.xyz * dot(near.xyz, force.xyz);
                force = vec4<f32>(within * (size / max(length(within), 1e-30)), force.w);
                contacts[force_at(slot, k)] = force;
            }
        }
        slot++;
    }
}

// Moves a particle to where its contacts let it be, one after the other.
fn relax(k: u32, touched: u32, start: vec3<f32>) -> vec3<f32> {
    var way = start;
    var slot = 0u;
    for (var left = touched; left != 0u; left >>= 4u) {
        let plane = contacts[plane_at(slot, k)];
        let force = contacts[force_at(slot, k)];
        let normal = plane.xyz;
        let pressed = max(force.w + plane.w - dot(normal, way), 0.0);
        var sliding = force.xyz + (way - normal * dot(normal, way));
        let most = surface_of((left & 15u) - 1u).y * pressed;
        let slid = length(sliding);
        if (slid > most) {
            sliding *= most / slid;
        }
        way += normal * (pressed - force.w) - (sliding - force.xyz);
        contacts[force_at(slot, k)] = vec4<f32>(sliding, pressed);
        slot++;
    }
    return way;
}
