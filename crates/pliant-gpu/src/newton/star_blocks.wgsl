// Blocks of the second derivative of stars between all pairs of corners, as in the engine (solve/projective/local/free_turns.rs): a shape that turns freely resists all but
// turning, w (aᵢ·aⱼ I + [cᵢ]× J⁻¹ [cⱼ]×) with the moments cᵢ = Σ aᵢ p and the inertia J of the rows p; a length resists along itself, and across as far as it is too long.

@group(0) @binding(5) var<storage, read> kept: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> blocks: array<vec4<f32>>;

fn arm_of(group: vec4<u32>, corner: u32, lane: u32, rows: ptr<function, Rows>) -> vec3<f32> {
    var arm = vec3<f32>();
    for (var row = 0u; row < ROWS; row++) { arm += coefficient(group, corner, lane, row) * (*rows)[row]; }
    return arm;
}

fn cross_matrix(v: vec3<f32>) -> mat3x3<f32> {
    return mat3x3<f32>(0.0, v.z, -v.y, -v.z, 0.0, v.x, v.y, -v.x, 0.0);
}

// w/2 (‖z‖ − l)² with l = ‖z‖ within bounds.
fn stiffness_of_length(z: vec3<f32>, bounds: vec2<f32>, weight: f32) -> mat3x3<f32> {
    let squared = dot(z, z);
    let size = sqrt(squared);
    let is_long = squared > 1e-30;
    let is_within = size >= bounds.x && size <= bounds.y && bounds.x < bounds.y;
    let along = select(weight, 0.0, is_within && is_long);
    let beyond = max(weight * (1.0 - clamp(size, bounds.x, bounds.y) / max(size, 1e-15)), 0.0);
    let across = select(weight, beyond, is_long);
    let n = z * ((along - across) / max(squared, 1e-30));
    return mat3x3<f32>(across, 0.0, 0.0, 0.0, across, 0.0, 0.0, 0.0, across) + mat3x3<f32>(z.x * n, z.y * n, z.z * n);
}

@compute @workgroup_size(64)
fn star_blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    if (number >= arrayLength(&star_groups)) {
        return;
    }
    let own = star_groups[number];
    let at = number * KEPT * 64u + lane;
    let weight = kept[at].w;
    var rows = Rows();
    // Of a length its stiffness; of a shape J⁻¹.
    var inner = mat3x3<f32>();
    if (ROWS == 1u) {
        rows = measure(own, lane);
        inner = stiffness_of_length(rows[0], kept[at + 64u].xy, weight);
    } else {
        let r = columns_of(kept[at + ROWS * 64u]);
        var moment = mat3x3<f32>();
        var total = 0.0;
        for (var row = 0u; row < ROWS; row++) {
            let p = r * kept[at + row * 64u].xyz;
            rows[row] = p;
            moment += mat3x3<f32>(p.x * p, p.y * p, p.z * p);
            total += dot(p, p);
        }
        // Rows along one line have no inertia about it; a little more only holds what turns there.
        let scale = 1.0 / max(total, TINY);
        let a = vec3<f32>(1.000001, 0.0, 0.0) - scale * moment[0];
        let b = vec3<f32>(0.0, 1.000001, 0.0) - scale * moment[1];
        let c = vec3<f32>(0.0, 0.0, 1.000001) - scale * moment[2];
        let bc = cross(b, c);
        let inverse = scale / max(dot(a, bc), 1e-12);
        inner = mat3x3<f32>(inverse * bc, inverse * cross(c, a), inverse * cross(a, b));
    }
    var block = own.z + lane;
    for (var i = 0u; i < own.y; i++) {
        let first = weight * cross_matrix(arm_of(own, i, lane, &rows)) * inner;
        for (var j = i; j < own.y; j++) {
            var product = 0.0;
            for (var row = 0u; row < ROWS; row++) {
                product += coefficient(own, i, lane, row) * coefficient(own, j, lane, row);
            }
            var result = product * inner;
            if (ROWS > 1u) {
                let plain = weight * product;
                result = mat3x3<f32>(plain, 0.0, 0.0, 0.0, plain, 0.0, 0.0, 0.0, plain)
                    + first * cross_matrix(arm_of(own, j, lane, &rows));
            }
            blocks[3u * block] = vec4<f32>(result[0], 0.0);
            blocks[3u * block + 1u] = vec4<f32>(result[1], 0.0);
            blocks[3u * block + 2u] = vec4<f32>(result[2], 0.0);
            block += 64u;
        }
    }
}
