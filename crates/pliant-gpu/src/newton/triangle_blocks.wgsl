// Blocks of the second derivative of triangles, between corners 00, 01, 02, 11, 12, 22.

struct Parameters {
    stretches: vec2<f32>,
    areas: vec2<f32>,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(2) var<storage, read> corners: array<vec4<u32>>;
// A row by row; then the weights of strain and area, and the first block.
@group(0) @binding(3) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> blocks: array<vec4<f32>>;

@compute @workgroup_size(128)
fn triangle_blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= arrayLength(&corners)) {
        return;
    }
    let v = corners[number];
    let a = numbers[2u * number];
    let rest = numbers[2u * number + 1u];
    let m = mat2x2<f32>(a.xy, a.zw);
    let f = mat2x3<f32>(edge(v.x, v.y), edge(v.x, v.z)) * m;
    // Gradients of edges: rows of M.
    let first = vec2<f32>(a.x, a.z);
    let second = vec2<f32>(a.y, a.w);
    var b11 = mat3x3<f32>();
    var b12 = mat3x3<f32>();
    var b22 = mat3x3<f32>();
    let plane = plane_stretch(f);
    if (plane.is_collapsed) {
        // As if what it is projected to were held.
        let weight = rest.x + rest.y;
        let one = mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
        b11 = weight * dot(first, first) * one;
        b12 = weight * dot(first, second) * one;
        b22 = weight * dot(second, second) * one;
    } else {
        let to = plane.to_rotation;
        let r = f * mat2x2<f32>(to.xy, to.yz);
        let xx = dot(r[0], f[0]);
        let yy = dot(r[1], f[1]);
        let xy = 0.5 * (dot(r[0], f[1]) + dot(r[1], f[0]));
        let gap = xx - yy;
        let size = max(length(vec2<f32>(gap, 2.0 * xy)), 1e-15);
        // Of twice the angle of the larger stretch.
        let cosine = clamp(gap / size, -1.0, 1.0);
        let c = sqrt(0.5 * (1.0 + cosine));
        let s = select(1.0, -1.0, xy < 0.0) * sqrt(0.5 * (1.0 - cosine));
        let u0 = c * r[0] + s * r[1];
        let u1 = c * r[1] - s * r[0];
        let u = mat3x3<f32>(u0, u1, cross(u0, u1));
        let sigma = vec3<f32>(plane.sigma, 0.0);
        var modes = no_modes();
        if (rest.x > 0.0) {
            modes = add_limits(modes, rest.x, sigma, 2u, parameters.stretches.x, parameters.stretches.y);
        }
        if (rest.y > 0.0) {
            let product = held_product(sigma, 2u, parameters.areas.x, parameters.areas.y);
            if (product.is_held) { modes = add_product(modes, rest.y, product, 2u); }
        }
        modes = finish_modes(modes, sigma, 2u);
        let x = vec3<f32>(c * first.x + s * first.y, c * first.y - s * first.x, 0.0);
        let y = vec3<f32>(c * second.x + s * second.y, c * second.y - s * second.x, 0.0);
        b11 = mode_block(modes, u, x, x);
        b12 = mode_block(modes, u, x, y);
        b22 = mode_block(modes, u, y, y);
    }
    let at = index_of(rest.z);
    let b21 = transpose(b12);
    write_block(at, b11 + b12 + b21 + b22);
    write_block(at + 1u, (b11 + b21) * -1.0);
    write_block(at + 2u, (b12 + b22) * -1.0);
    write_block(at + 3u, b11);
    write_block(at + 4u, b12);
    write_block(at + 5u, b22);
}
