// Velocities after the iterations: those of the way, less what goes into colliders; and no particle ends within a collider.

@group(0) @binding(1) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> ways: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> touches: array<u32>;
@group(0) @binding(4) var<storage, read_write> state: array<vec4<f32>>;

// Rounds of moving a particle out: between two colliders it may take more than one.
const OUT = 4u;

@compute @workgroup_size(128)
fn finish(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    let own = state[slot];
    let began = own.xyz;
    var way = ways[slot].xyz;
    var v = way / STEP;
    if (COLLIDERS > 0u && fixed[COUNT + slot].z > 0.0) {
        var touched = touches[slot];
        var place = 0u;
        for (var left = touched; left != 0u; left >>= 4u) {
            let normal = contacts[plane_at(place, slot)].xyz;
            let leaving = dot(normal, v);
            if (contacts[force_at(place, slot)].w > 0.0 && leaving < 0.0) {
                v -= normal * leaving;
            }
            place++;
        }
        for (var around = 0u; around < OUT; around++) {
            touched = meet(slot, touched, vec3<f32>(), began, way);
            var moved = false;
            place = 0u;
            for (var left = touched; left != 0u; left >>= 4u) {
                let c = (left & 15u) - 1u;
                let plane = contacts[plane_at(place, slot)];
                let thickness = surface_of(c).x;
                let near = near_collider(c, vec3<f32>(), began + way);
                let below = plane.w - dot(plane.xyz, way) - thickness;
                var normal = near.xyz;
                var out = -near.w;
                // Below the plane that was met first, but round an edge or on another side, is outside unless the way there went through the collider.
                if (!(near.w < 0.0 && dot(near.xyz, plane.xyz) > 0.0)) {
                    normal = plane.xyz;
                    out = 0.0;
                    if (below > 0.0
                        && (near.w < 0.0 || first_hit(c, vec3<f32>(), began, way, SLACK * thickness).is_met)) {
                        out = below;
                    }
                }
                if (out > 0.0) {
                    way += normal * out;
                    v += normal * min(max(-dot(normal, v), 0.0), out / STEP);
                    moved = true;
                }
                place++;
            }
            if (!moved) {
                break;
            }
        }
    }
    state[slot] = vec4<f32>(began + way, own.w);
    state[COUNT + slot] = vec4<f32>(v, 0.0);
}
