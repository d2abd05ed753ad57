// The law of one contact, an augmented Lagrangian, as the engine's contact/law.rs has it; and where contacts are kept.
//
// For each collider and vertex there are five rows: normal and target n·r, from the vertex's anchor; where the vertex would be if it had not slid, when it met the
// collider, negative if it has not; force across, and force along the normal, which are the multipliers; the force that the last linear system has come to; the
// multipliers that the substep before has left. Before all rows there is one whose first number says whether a vertex was moved out of a collider after the last solve.

@group(0) @binding(1) var<storage, read_write> touches: array<vec4<f32>>;

struct Law {
    normal: vec3<f32>,
    wanted: f32,
    unslid: vec3<f32>,
    weight: f32,
    friction: f32,
    pressed: f32,
    sliding: vec3<f32>,
}

struct Response {
    force: vec3<f32>,
    along: f32,
    across: f32,
    energy: f32,
}

const TOUCH_ROWS = 5u;

fn touch_row(collider: u32, number: u32, vertex: u32, free: u32) -> u32 {
    return 1u + (collider * TOUCH_ROWS + number) * free + vertex;
}

fn is_touching(collider: u32, vertex: u32, free: u32) -> bool {
    return touches[touch_row(collider, 1u, vertex, free)].w >= 0.0;
}

fn law_of(collider: u32, vertex: u32, free: u32, weight: f32) -> Law {
    let plane = touches[touch_row(collider, 0u, vertex, free)];
    let unslid = touches[touch_row(collider, 1u, vertex, free)];
    let forces = touches[touch_row(collider, 2u, vertex, free)];
    return Law(plane.xyz, plane.w, unslid.xyz, weight, friction_of(collider), forces.w, forces.xyz);
}

fn depth_of(law: Law, r: vec3<f32>) -> f32 {
    return law.wanted - dot(law.normal, r);
}

fn across_normal(normal: vec3<f32>, v: vec3<f32>) -> vec3<f32> {
    return v - normal * dot(normal, v);
}

fn slid(law: Law, r: vec3<f32>) -> vec3<f32> {
    return across_normal(law.normal, r - law.unslid);
}

fn no_longer_than(v: vec3<f32>, most: f32) -> vec3<f32> {
    let size = length(v);
    if (size > most) {
        return v * (most / max(size, 1e-30));
    }
    return v;
}

fn respond(law: Law, r: vec3<f32>) -> Response {
    let push = max(law.pressed + law.weight * depth_of(law, r), 0.0);
    let limit = law.friction * law.pressed;
    let all = law.sliding + law.weight * slid(law, r);
    let size = length(all);
    var share = 1.0;
    if (size > limit) { share = limit / max(size, 1e-30); }
    // Huber's function: quadratic up to the limit, linear beyond.
    let cut = share * size;
    let friction = cut * size - 0.5 * cut * cut - 0.5 * dot(law.sliding, law.sliding);
    return Response(
        law.normal * push - all * share,
        select(0.0, law.weight, push > 0.0),
        select(0.0, law.weight * share, limit > 0.0),
        (0.5 * (push * push - law.pressed * law.pressed) + friction) / max(law.weight, 1e-30),
    );
}

fn stiffness_times(law: Law, response: Response, movement: vec3<f32>) -> vec3<f32> {
    return movement * response.across + law.normal * ((response.along - response.across) * dot(law.normal, movement));
}

// Takes a force as multipliers.
fn settle(collider: u32, vertex: u32, free: u32, law: Law, force: vec3<f32>) {
    let pressed = max(dot(law.normal, force), 0.0);
    let sliding = no_longer_than(-across_normal(law.normal, force), law.friction * pressed);
    touches[touch_row(collider, 2u, vertex, free)] = vec4<f32>(sliding, pressed);
    touches[touch_row(collider, 3u, vertex, free)] = vec4<f32>(force, 0.0);
}

// A plane may turn by at most this cosine at once: beyond, the vertex has slipped to another side of the shape.
const SAME_SIDE = 0.5;

// Lets a plane follow a curved surface to where the vertex is, or finds what it has met on its way there.
fn follow_or_meet(collider: u32, vertex: u32, free: u32, base: vec3<f32>, start: vec3<f32>, r: vec3<f32>) {
    let thickness = thickness_of(collider);
    if (!is_touching(collider, vertex, free)) {
        let met = meet(collider, base, start, r, thickness);
        if (met.is_met) {
            let to = pose_at_end(collider);
            let normal = turned(to.rotation, met.normal);
            let point = (to.position - base) + turned(to.rotation, met.point);
            let none = vec4<f32>();
            touches[touch_row(collider, 0u, vertex, free)] = vec4<f32>(normal, dot(normal, point) + thickness);
            touches[touch_row(collider, 1u, vertex, free)] = vec4<f32>(start + shift_of(collider, met.point), met.time);
            touches[touch_row(collider, 2u, vertex, free)] = none;
            touches[touch_row(collider, 3u, vertex, free)] = none;
        }
        return;
    }
    let law = law_of(collider, vertex, free, 0.0);
    let to = pose_at_end(collider);
    let p = turned_back(to.rotation, (base - to.position) + r);
    let near = nearby(collider, p);
    let normal = turned(to.rotation, near.normal);
    // Through a thin shape, or round an edge, the plane that was met first stays.
    let is_deep = near.distance < -max(thickness, 0.5 * abs(depth_of(law, r)) + thickness);
    if (dot(normal, law.normal) > SAME_SIDE && !is_deep) {
        let time = touches[touch_row(collider, 1u, vertex, free)].w;
        let shift = shift_of(collider, p - near.distance * near.normal);
        let in_plane = across_normal(normal, law.sliding);
        let size = length(in_plane);
        let sliding = in_plane * (length(law.sliding) / max(size, 1e-30));
        touches[touch_row(collider, 0u, vertex, free)] =
            vec4<f32>(normal, dot(normal, r) - near.distance + thickness);
        touches[touch_row(collider, 1u, vertex, free)] = vec4<f32>(start + shift, time);
        touches[touch_row(collider, 2u, vertex, free)] = vec4<f32>(select(vec3<f32>(), sliding, size > 0.0), law.pressed);
    }
}
