// Where each vertex is at the safe positions and where it is to go, seen from the middle of all. With the second parameter the end is seen from where the mean
// movement leads. The fourth numbers tell whether the end is finite, and whether pairs have to be looked for: it has changed,
// or there was no room for all pairs.

@group(0) @binding(0) var<storage, read> anchors: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> safe: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> offsets: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> frame: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> points: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> shares: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> status: array<u32>;

@compute @workgroup_size(128)
fn points_of(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let v = thread_number(group, groups, thread, 128u);
    let pass_number = parameters.first;
    if (v >= PLACES || !is_asked_for(pass_number)) {
        return;
    }
    let seen_from = select(vec3<f32>(), frame[1].xyz, parameters.second == 1u);
    let own = safe[v].xyz;
    let aim = offsets[v].xyz;
    let anchor = anchors[v].xyz - frame[0].xyz;
    let share = shares[v];
    let has_changed = pass_number == 0u || share.y != share.z || share.w == 1u;
    shares[v] = vec4<u32>(share.xyy, 0u);
    points[2u * v] = vec4<f32>(anchor + own, select(0.0, 1.0, is_finite(aim)));
    points[2u * v + 1u] = vec4<f32>(anchor + select(own, aim - seen_from, is_finite(aim)), select(0.0, 1.0, has_changed));
}
