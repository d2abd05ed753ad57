// Contacts of vertices with colliders, after each iteration and at the end of a substep; the law of contact is that of fluids, which is the engine's.

struct Parameters {
    // 1 in the first iteration: nothing has been met yet.
    is_first: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
// Position and inverse mass of each vertex.
@group(0) @binding(1) var<storage, read_write> points: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> starts: array<vec4<f32>>;
// What each vertex has met in this substep.
@group(0) @binding(3) var<storage, read_write> touched: array<u32>;
@group(0) @binding(4) var<storage, read_write> velocities: array<vec4<f32>>;

fn own_vertex(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    return (group.x + group.y * groups.x) * THREADS + thread;
}

@compute @workgroup_size(THREADS)
fn part(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = own_vertex(group, groups, thread);
    if (k >= COUNT) {
        return;
    }
    let at = points[k];
    if (at.w == 0.0) {
        return;
    }
    let began = starts[k].xyz;
    var way = at.xyz - began;
    let origin = vec3<f32>();
    var known = 0u;
    if (parameters.is_first == 0u) { known = touched[k]; }
    follow(k, known, origin, began, way);
    known = meet(k, known, origin, began, way);
    if (known != 0u) {
        way = relax(k, known, way);
        points[k] = vec4<f32>(began + way, at.w);
    }
    touched[k] = known;
}

// Velocities are those of the way, less what goes into colliders; and no vertex ends within one.
@compute @workgroup_size(THREADS)
fn leave(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = own_vertex(group, groups, thread);
    if (k >= COUNT) {
        return;
    }
    let at = points[k];
    if (at.w == 0.0) {
        return;
    }
    let began = starts[k].xyz;
    let origin = vec3<f32>();
    var way = at.xyz - began;
    var v = velocities[k].xyz;
    var known = touched[k];
    var slot = 0u;
    for (var left = known; left != 0u; left >>= 4u) {
        let normal = contacts[plane_at(slot, k)].xyz;
        let leaving = dot(normal, v);
        if (contacts[force_at(slot, k)].w > 0.0 && leaving < 0.0) {
            v -= normal * leaving;
        }
        slot++;
    }
    // A vertex between colliders may need more than one round.
    for (var around = 0u; around < 4u; around++) {
        known = meet(k, known, origin, began, way);
        var moved = false;
        slot = 0u;
        for (var left = known; left != 0u; left >>= 4u) {
            let c = (left & 15u) - 1u;
            let plane = contacts[plane_at(slot, k)];
            let thickness = surface_of(c).x;
            let near = near_collider(c, origin, began + way);
            // Below the plane that was met first, but round an edge or on another side, is outside unless the way there went through the collider.
            let below = plane.w - dot(plane.xyz, way) - thickness;
            var normal = near.xyz;
            var out = -near.w;
            if (!(near.w < 0.0 && dot(near.xyz, plane.xyz) > 0.0)) {
                normal = plane.xyz;
                out = 0.0;
                if (below > 0.0 && (near.w < 0.0 || first_hit(c, origin, began, way, SLACK * thickness).is_met)) {
                    out = below;
                }
            }
            if (out > 0.0) {
                way += normal * out;
                v += normal * min(max(-dot(normal, v), 0.0), out / STEP);
                moved = true;
            }
            slot++;
        }
        if (!moved) {
            break;
        }
        points[k] = vec4<f32>(began + way, at.w);
    }
    velocities[k] = vec4<f32>(v, 0.0);
}
