// Velocities after the iterations: those of the way, less what goes into colliders; and no particle ends within a collider.

@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> origins: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> forces: array<vec4<f32>>;
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
        let normal = PLANES[(left & 15u) - 1u].xyz;
        let leaving = dot(normal, v);
        if (forces[slot * COUNT + k].w > 0.0 && leaving < 0.0) {
            v -= normal * leaving;
        }
        slot++;
    }
    // A particle between colliders may need more than one round.
    for (var around = 0u; around < 4u; around++) {
        touched = meet(touched, origin, began, way);
        var moved = false;
        for (var left = touched; left != 0u; left >>= 4u) {
            let c = (left & 15u) - 1u;
            let normal = PLANES[c].xyz;
            let out = -(distance_from(c, origin, began) + dot(normal, way));
            if (out > 0.0) {
                way += normal * out;
                v += normal * min(max(-dot(normal, v), 0.0), out / STEP);
                moved = true;
            }
        }
        if (!moved) {
            break;
        }
        ways[k] = vec4<f32>(way, 0.0);
        places[k] = vec4<f32>(began + way, places[k].w);
    }
    speeds[k] = vec4<f32>(v, viscosities[indices[ORDER + k]]);
}
