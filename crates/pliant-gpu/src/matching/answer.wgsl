// How the body answers to limits, see the engine's `matter/matching/reaction.rs`: a small rigid movement, so that momentum and angular momentum stay.

@group(0) @binding(0) var<storage, read> parts: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> state: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> ways: array<vec4<f32>>;
// The turn, the shift, and where the particle is from which places are seen.
@group(0) @binding(3) var<storage, read_write> answers: array<vec4<f32>>;

var<workgroup> shared_sums: array<array<vec4<f32>, 4>, 128>;

@compute @workgroup_size(128)
fn answer(@builtin(local_invocation_index) thread: u32) {
    var sum = array<vec4<f32>, 4>();
    for (var part = thread; part < PARTS; part += 128u) {
        for (var k = 0u; k < 4u; k++) {
            sum[k] += parts[4u * part + k];
        }
    }
    shared_sums[thread] = sum;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if (thread < half) {
            for (var k = 0u; k < 4u; k++) {
                shared_sums[thread][k] += shared_sums[thread + half][k];
            }
        }
        workgroupBarrier();
    }
    if (thread > 0u) {
        return;
    }
    let all = shared_sums[0];
    let weight = all[0].x;
    let centre = all[0].yzw / weight;
    let squares = all[1].xyz - all[0].yzw * centre;
    let xy = all[1].w - all[0].y * centre.y;
    let yz = all[2].x - all[0].z * centre.z;
    let zx = all[2].y - all[0].w * centre.x;
    let pulled = vec3<f32>(all[2].zw, all[3].x);
    let moment = all[3].yzw - cross(centre, pulled);
    let a = vec3<f32>(squares.y + squares.z, -xy, -zx);
    let b = vec3<f32>(-xy, squares.z + squares.x, -yz);
    let c = vec3<f32>(-zx, -yz, squares.x + squares.y);
    // In units of the largest entry: products of three small numbers may be too small.
    let unit = max(max(a.x, b.y), max(c.z, 1e-30));
    let columns = mat3x3<f32>(a / unit, b / unit, c / unit);
    let minors = cross(columns[1], columns[2]);
    let determinant = dot(columns[0], minors);
    var turn = vec3<f32>();
    if (determinant > 1e-12) {
        let sides = vec3<f32>(
            dot(moment, minors),
            dot(moment, cross(columns[2], columns[0])),
            dot(moment, cross(columns[0], columns[1])),
        );
        turn = -sides / (determinant * unit);
    }
    let shift = -pulled / weight - cross(turn, centre);
    answers[0] = vec4<f32>(turn, 0.0);
    answers[1] = vec4<f32>(shift, 0.0);
    answers[2] = vec4<f32>(state[ORIGIN].xyz, 0.0);
    answers[3] = vec4<f32>(ways[ORIGIN].xyz, 0.0);
}
