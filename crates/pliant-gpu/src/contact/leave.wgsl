// What remains after a substep is solved, as the engine's contact/finish.rs: restitution, and no vertex ends inside a collider. Velocities follow from where vertices are
// and from where they began, so it is the beginning that is moved.

struct Parameters {
    free: u32,
    colliders: u32,
    unused_0: u32,
    unused_1: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(2) var<storage, read> anchors: array<vec4<f32>>;
// Velocities that the substep has begun with.
@group(0) @binding(3) var<storage, read> velocities: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> starts: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> bases: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> offsets: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> earlier: array<vec4<f32>>;

// Impacts slower than this many times what forces add in a substep are no impacts but rest.
const REST = 2.0;
// Rounds of the last projection: a vertex between two colliders may need more than one.
const ROUNDS = 4u;

@compute @workgroup_size(128)
fn leave_contacts(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    let free = parameters.free;
    if (vertex >= free) {
        return;
    }
    // h, τ, what is left of velocities by drag, 1 if it looks back.
    let times = colliders[0];
    let gained = times.x * colliders[1].xyz;
    let base = anchors[vertex].xyz;
    let start = starts[vertex].xyz;
    let began_with = times.z * velocities[vertex].xyz;
    var x = offsets[vertex].xyz;
    var v = (x - bases[vertex].xyz) / times.y;
    var is_struck = false;
    var is_changed = false;
    for (var c = 0u; c < parameters.colliders; c++) {
        let at_held = touch_row(c, 4u, vertex, free);
        var held = vec4<f32>();
        if (is_touching(c, vertex, free)) {
            let law = law_of(c, vertex, free, 0.0);
            if (law.pressed > 0.0) {
                let time = touches[touch_row(c, 1u, vertex, free)].w;
                let surface = (law.unslid - start) / times.x;
                let approach = -dot(law.normal, began_with + gained * time - surface);
                let leaving = dot(law.normal, v - surface);
                let is_fast = approach > REST * length(gained);
                if (is_fast) {
                    is_struck = true;
                } else {
                    // What stops an impact is no guess of what carries a load.
                    held = vec4<f32>(law.sliding, law.pressed);
                }
                let restitution = row(c, 5u).y;
                let least = select(0.0, restitution * approach, is_fast && restitution > 0.0);
                // Implicit Euler is as fast as its way to the surface was long, so it may still approach; others mirror the velocity at a stage that
                // stops at the surface.
                if (times.w == 1.0 || leaving < least) {
                    v += law.normal * (least - leaving);
                    is_changed = true;
                }
            }
        }
        touches[at_held] = held;
    }
    for (var round = 0u; round < ROUNDS; round++) {
        var is_moved = false;
        for (var c = 0u; c < parameters.colliders; c++) {
            if (!is_touching(c, vertex, free)) {
                follow_or_meet(c, vertex, free, base, start, x);
            }
            if (!is_touching(c, vertex, free)) { continue; }
            let law = law_of(c, vertex, free, 0.0);
            let to = pose_at_end(c);
            let thickness = thickness_of(c);
            let near = nearby(c, turned_back(to.rotation, (base - to.position) + x));
            let out = turned(to.rotation, near.normal);
            let below = depth_of(law, x) - thickness;
            var normal = out;
            var push = -near.distance;
            // Below the plane that was met first, but round an edge or on another side, is outside unless the way there went through the collider.
            if (!(near.distance < 0.0 && dot(out, law.normal) > 0.0)) {
                if (below <= 0.0) { continue; }
                if (near.distance >= 0.0 && !meet(c, base, start, x, SLACK * thickness).is_met) { continue; }
                normal = law.normal;
                push = below;
            }
            x += normal * push;
            let closing = -dot(normal, v - (law.unslid - start) / times.x);
            if (closing > 0.0) {
                v += normal * min(closing, push / times.x);
                is_struck = true;
            }
            is_moved = true;
            is_changed = true;
        }
        if (!is_moved) { break; }
        touches[0] = vec4<f32>(1.0, 0.0, 0.0, 0.0);
    }
    if (is_changed) {
        offsets[vertex] = vec4<f32>(x, 0.0);
        bases[vertex] = vec4<f32>(x - times.y * v, 0.0);
    }
    // An impact leaves no past to look back on: as if the vertex had come the way it goes now, under the same forces.
    if (is_struck) {
        starts[vertex] = vec4<f32>(x - times.x * v, 0.0);
        earlier[vertex] = vec4<f32>(v - gained, 0.0);
    }
}
