// Blocks of the second derivative of tets, between corners 00, 01, 02, 03, 11, 12, 13, 22, 23, 33. Rotations are those of the forces.

struct Parameters {
    stretches: vec2<f32>,
    volumes: vec2<f32>,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(2) var<storage, read> corners: array<vec4<u32>>;
// A row by row, with the weights of strain and volume and the first block.
@group(0) @binding(3) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> blocks: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> rotations: array<vec4<f32>>;

@compute @workgroup_size(64)
fn tet_blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 64u);
    if (number >= arrayLength(&corners)) {
        return;
    }
    let v = corners[number];
    let first = numbers[3u * number];
    let second = numbers[3u * number + 1u];
    let third = numbers[3u * number + 2u];
    let m = mat3x3<f32>(first.xyz, second.xyz, third.xyz);
    let f = mat3x3<f32>(edge(v.x, v.y), edge(v.x, v.z), edge(v.x, v.w)) * m;
    let r = columns_of(rotations[number]);
    let frame = frame_of(transpose(r) * f);
    let u = r * frame.vectors;
    var modes = no_modes();
    if (first.w > 0.0) {
        modes = add_limits(modes, first.w, frame.values, 3u, parameters.stretches.x, parameters.stretches.y);
    }
    if (second.w > 0.0) {
        let product = held_product(frame.values, 3u, parameters.volumes.x, parameters.volumes.y);
        if (product.is_held) { modes = add_product(modes, second.w, product, 3u); }
    }
    modes = finish_modes(modes, frame.values, 3u);
    // Columns: gradients of edges, rows of M, in the frame of V.
    let g = transpose(frame.vectors) * transpose(m);
    let at = index_of(third.w);
    let b11 = mode_block(modes, u, g[0], g[0]);
    let b12 = mode_block(modes, u, g[0], g[1]);
    let b13 = mode_block(modes, u, g[0], g[2]);
    let b22 = mode_block(modes, u, g[1], g[1]);
    let b23 = mode_block(modes, u, g[1], g[2]);
    let b33 = mode_block(modes, u, g[2], g[2]);
    let s1 = b11 + transpose(b12) + transpose(b13);
    let s2 = b12 + b22 + transpose(b23);
    let s3 = b13 + b23 + b33;
    write_block(at, s1 + s2 + s3);
    write_block(at + 1u, s1 * -1.0);
    write_block(at + 2u, s2 * -1.0);
    write_block(at + 3u, s3 * -1.0);
    write_block(at + 4u, b11);
    write_block(at + 5u, b12);
    write_block(at + 6u, b13);
    write_block(at + 7u, b22);
    write_block(at + 8u, b23);
    write_block(at + 9u, b33);
}
