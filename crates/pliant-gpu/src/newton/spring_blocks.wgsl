// Blocks of the second derivative of springs: one each, for both ends, and with the other sign between them.

struct Parameters {
    first_block: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(2) var<storage, read> ends: array<vec2<u32>>;
// The weight, and the smallest and largest length without energy.
@group(0) @binding(3) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> blocks: array<vec4<f32>>;

@compute @workgroup_size(128)
fn spring_blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= arrayLength(&ends)) {
        return;
    }
    let spring = numbers[number];
    let e = edge(ends[number].x, ends[number].y);
    let size = max(length(e), 1e-30);
    let n = e / size;
    let beyond = size - clamp(size, spring.y, spring.z);
    // Within limits nothing resists; compressed springs give way to the side, which is left out.
    let along = select(spring.x, 0.0, beyond == 0.0 && spring.y < spring.z);
    let across = spring.x * max(beyond, 0.0) / size;
    let block = mat3x3<f32>(
        vec3<f32>(across, 0.0, 0.0) + (along - across) * n.x * n,
        vec3<f32>(0.0, across, 0.0) + (along - across) * n.y * n,
        vec3<f32>(0.0, 0.0, across) + (along - across) * n.z * n,
    );
    let at = 3u * (parameters.first_block + number);
    blocks[at] = vec4<f32>(block[0], 0.0);
    blocks[at + 1u] = vec4<f32>(block[1], 0.0);
    blocks[at + 2u] = vec4<f32>(block[2], 0.0);
}
