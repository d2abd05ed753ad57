// p = z + β p, q = H p = (r − left) + β q, and p·q.

struct Parameters {
    free: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> scalars: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> step: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> residual: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> left: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> direction: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> products: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> sums: array<f32>;

var<workgroup> parts: array<f32, 64>;

@compute @workgroup_size(64)
fn search(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    let vertex = number * 64u + lane;
    let beta = scalars[0].y;
    var along = 0.0;
    if (vertex < parameters.free) {
        let p = step[vertex].xyz + beta * direction[vertex].xyz;
        let q = residual[vertex].xyz - left[vertex].xyz + beta * products[vertex].xyz;
        direction[vertex] = vec4<f32>(p, 0.0);
        products[vertex] = vec4<f32>(q, 0.0);
        along = dot(p, q);
    }
    parts[lane] = along;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if (lane < half) {
            parts[lane] += parts[lane + half];
        }
        workgroupBarrier();
    }
    if (lane == 0u && number * 64u < parameters.free) {
        sums[number] = parts[0];
    }
}
