// Second derivatives of hinges: the frame follows, so of the four residuals only what no turning of the frame changes is stiff: one direction n of them, and w v vᵀ with v
// the gradient of n·r, which is that of the angle. √w v is left for each corner.

struct Parameters {
    first: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(2) var<storage, read> corners: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> vectors: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> frames: array<vec4<f32>>;

@compute @workgroup_size(128)
fn hinge_vectors(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= arrayLength(&corners)) {
        return;
    }
    let v = corners[number];
    let first = numbers[4u * number];
    let second = numbers[4u * number + 1u];
    let third = numbers[4u * number + 2u];
    let edges = mat3x3<f32>(edge(v.x, v.y), edge(v.x, v.z), edge(v.x, v.w));
    let r = columns_of(frames[number]);
    // Of the order of 1, whatever the size of the hinge: only the direction matters.
    let size = 1.0 / max(first.x * length(edges[0]), TINY);
    let slopes = slopes_of(in_frame(sums_of(edges * size, first, second, third), r));
    // The vector across all three columns of slopes: minors with alternating signs.
    let direction = vec4<f32>(
        dot(slopes[1], cross(slopes[2], slopes[3])),
        -dot(slopes[2], cross(slopes[3], slopes[0])),
        dot(slopes[3], cross(slopes[0], slopes[1])),
        -dot(slopes[0], cross(slopes[1], slopes[2])),
    );
    let scale = sqrt(first.w / max(dot(direction, direction), 1e-12));
    let f = corner_forces(scale * direction, first, second, third, r);
    let at = parameters.first + 4u * number;
    vectors[at] = vec4<f32>(-f[0] - f[1] - f[2], 0.0);
    vectors[at + 1u] = vec4<f32>(f[0], 0.0);
    vectors[at + 2u] = vec4<f32>(f[1], 0.0);
    vectors[at + 3u] = vec4<f32>(f[2], 0.0);
}
