// x += α p, r −= α q; then what the preconditioner begins with: blocks times r, or r itself for the factor alone.

struct Parameters {
    free: u32,
    has_blocks: u32,
    // Whether this begins a solve.
    begins: u32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> scalars: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> inverse: array<vec4<f32>>;
// The right-hand side, where a solve begins.
@group(0) @binding(2) var<storage, read> forces: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> direction: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> products: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> solution: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> residual: array<vec4<f32>>;
// Of the blocks, or what the factor solves for.
@group(0) @binding(7) var<storage, read_write> next: array<vec4<f32>>;

@compute @workgroup_size(64)
fn update(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 64u + lane;
    if (vertex >= parameters.free) {
        return;
    }
    var r = vec3<f32>();
    let alpha = scalars[0].z;
    if (parameters.begins == 1u) {
        // The direction is a guess, of which this share is taken: 0 without one.
        r = forces[vertex].xyz - alpha * products[vertex].xyz;
        solution[vertex] = alpha * direction[vertex];
        direction[vertex] = vec4<f32>();
        products[vertex] = vec4<f32>();
    } else {
        r = residual[vertex].xyz - alpha * products[vertex].xyz;
        solution[vertex] += alpha * direction[vertex];
    }
    residual[vertex] = vec4<f32>(r, 0.0);
    if (parameters.has_blocks == 1u) {
        let at = 3u * vertex;
        r = inverse[at].xyz * r.x + inverse[at + 1u].xyz * r.y + inverse[at + 2u].xyz * r.z;
    }
    next[vertex] = vec4<f32>(r, 0.0);
}
