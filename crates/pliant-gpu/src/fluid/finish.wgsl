// Velocities after the iterations: those of the way, less what goes into colliders; and no particle ends within a collider.

@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read> origins: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> viscosities: array<f32>;
@group(0) @binding(4) var<storage, read_write> ways: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> places: array<vec4<f32>>;
// Velocities, and how much of them mixes.
@group(0) @binding(6) var<storage, read_write> speeds: array<vec4<f32>>;

@compute @workgroup_size(256)
fn finish(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = index_of(group, groups, thread, 256u);
    if (k >= COUNT) {
        return;
    }
    let origin = ways[COUNT].xyz;
    let began = origins[k].xyz;
    var way = ways[k].xyz;
    var v = way / STEP;
    var touched = indices[TOUCHED + k];
    var slot = 0u;
    for (var left = touched; left != 0u; left >>= 4u) {
        let normal = contacts[plane_at(slot, k)].xyz;
        let leaving = dot(normal, v);
        if (contacts[force_at(slot, k)].w > 0.0 && leaving < 0.0) {
            v -= normal * leaving;
        }
        slot++;
    }
    // A particle between colliders may need more than one round.
    for (var around = 0u; around < 4u; around++) {
        touched = meet(k, touched, origin, began, way);
        var moved = false;
        slot = 0u;
        for (var left = touched; left != 0u; left >>= 4u) {
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
        ways[k] = vec4<f32>(way, 0.0);
        places[k] = vec4<f32>(began + way, places[k].w);
    }
    speeds[k] = vec4<f32>(v, viscosities[indices[ORDER + k]]);
}
