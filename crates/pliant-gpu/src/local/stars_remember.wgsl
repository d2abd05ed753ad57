// What is damped in proportion to its stiffness is drawn to its shape at the beginning of a stage, which is where vertices are now.

@group(0) @binding(5) var<storage, read_write> kept: array<vec4<f32>>;

@compute @workgroup_size(64)
fn remember(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    if (number >= arrayLength(&star_groups)) {
        return;
    }
    let at = number * KEPT * 64u + lane;
    let last = kept[at + ROWS * 64u];
    if (ROWS == 1u && last.z == 0.0) {
        // Bounds that stay.
        return;
    }
    var z = measure(star_groups[number], lane);
    for (var row = 0u; row < ROWS; row++) {
        kept[at + row * 64u] = vec4<f32>(z[row], kept[at + row * 64u].w);
    }
    let size = length(z[0]);
    kept[at + ROWS * 64u] = select(vec4<f32>(0.0, 0.0, 0.0, 1.0), vec4<f32>(size, size, 1.0, 0.0), ROWS == 1u);
}
