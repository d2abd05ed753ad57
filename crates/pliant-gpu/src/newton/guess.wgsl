// What a solve begins with: `vector` is a guess, and the best share of it is g·b/g·Hg, never worse than to begin with nothing. Products of the matrix with it come along.

@group(0) @binding(4) var<storage, read> forces: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> products: array<vec4<f32>>;
// g·b of each workgroup, then g·Hg of each.
@group(0) @binding(6) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(64)
fn guess_products(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    let vertex = number * 64u + lane;
    var along = 0.0;
    var curvature = 0.0;
    if (vertex < parameters.free) {
        let q = product(number, lane);
        let g = vector[vertex].xyz;
        products[vertex] = vec4<f32>(q, 0.0);
        along = dot(g, forces[vertex].xyz);
        curvature = dot(g, q);
    }
    let count = (parameters.free + 63u) / 64u;
    let first = sum_of_group(along, lane);
    workgroupBarrier();
    let second = sum_of_group(curvature, lane);
    if (lane == 0u && number < count) {
        sums[number] = first;
        sums[count + number] = second;
    }
}
