// Sums of plates along z, and where the shape of each region fits best, see the engine's `matter/matching/fit.rs`: the rotation nearest to its moments, by Newton's method on
// quaternions from the last one (`math/lanes/nearest.rs`).

@group(0) @binding(0) var<storage, read> plates: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> near: array<u32>;
@group(0) @binding(2) var<storage, read> fixed: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> rotations: array<vec4<f32>>;
// Where the region has its particle, and two columns of its rotation.
@group(0) @binding(4) var<storage, read_write> maps: array<vec4<f32>>;

const MOST_STEPS = 24u;
// A step leaves an error of about its square.
const SHORT = 1e-8;

fn matrix_of(q: vec4<f32>) -> mat3x3<f32> {
    let two = 2.0 * q.xyz;
    let w = q.w * two;
    let xx = q.x * two.x;
    let yy = q.y * two.y;
    let zz = q.z * two.z;
    let xy = q.x * two.y;
    let yz = q.y * two.z;
    let zx = q.z * two.x;
    return mat3x3<f32>(
        vec3<f32>(1.0 - yy - zz, xy + w.z, zx - w.y),
        vec3<f32>(xy - w.z, 1.0 - zz - xx, yz + w.x),
        vec3<f32>(zx + w.y, yz - w.x, 1.0 - xx - yy),
    );
}

// The rotation nearest to a matrix, from one that is near to it.
fn nearest_rotation(f: mat3x3<f32>, start: vec4<f32>) -> vec4<f32> {
    var q = start;
    for (var step = 0u; step < MOST_STEPS; step++) {
        let b = transpose(matrix_of(q)) * f;
        let g = vec3<f32>(b[1].z - b[2].y, b[2].x - b[0].z, b[0].y - b[1].x);
        let size = b[0].x + b[1].y + b[2].z;
        // H = tr(B) I − sym(B).
        let hx = vec3<f32>(size - b[0].x, -0.5 * (b[1].x + b[0].y), -0.5 * (b[2].x + b[0].z));
        let hy = vec3<f32>(hx.y, size - b[1].y, -0.5 * (b[2].y + b[1].z));
        let hz = vec3<f32>(hx.z, hy.z, size - b[2].z);
        let minors = cross(hy, hz);
        let determinant = dot(hx, minors);
        let leading = hx.x * hy.y - hx.y * hx.y;
        let scale = abs(size) + length(g);
        var turn = g / max(scale, 1e-30);
        // Where H is not positive definite, a step along g leads to where it is.
        if (hx.x > 0.0 && leading > 0.0 && determinant > 1e-4 * scale * scale * scale) {
            turn = vec3<f32>(dot(g, minors), dot(g, cross(hz, hx)), dot(g, cross(hx, hy))) / determinant;
        }
        let squared = dot(turn, turn);
        // The turn is seen from the rotated frame: it comes first.
        let t = vec4<f32>(0.5 * turn, 1.0);
        q = normalize(vec4<f32>(q.w * t.xyz + t.w * q.xyz + cross(q.xyz, t.xyz), q.w * t.w - dot(q.xyz, t.xyz)));
        if (squared < SHORT) {
            break;
        }
    }
    return q;
}

@compute @workgroup_size(128)
fn fit(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = index_of(group, groups, thread);
    if (slot >= COUNT) {
        return;
    }
    var sum = vec3<f32>();
    var moments = mat3x3<f32>();
    for (var k = 0u; k < SIDE; k++) {
        let at = near[near_at(1u, k, slot)];
        if (at != NONE) {
            let plate = plates[at].xyz;
            sum += plate;
            moments[0] += plates[COUNT + at].xyz;
            moments[1] += plates[2u * COUNT + at].xyz;
            moments[2] += plate * (f32(k) - f32(WIDTH));
        }
    }
    let region = fixed[slot];
    let centre = region.xyz;
    let scale = fixed[COUNT + slot].y;
    for (var axis = 0u; axis < 3u; axis++) {
        moments[axis] = (moments[axis] * SPACING - sum * centre[axis]) * scale;
    }
    // After a state that was not finite, which may have been replaced, it begins anew.
    var start = rotations[slot];
    if (any((bitcast<vec4<u32>>(start) & vec4<u32>(0x7f800000u)) == vec4<u32>(0x7f800000u))) {
        start = vec4<f32>(0.0, 0.0, 0.0, 1.0);
    }
    let rotation = nearest_rotation(moments, start);
    let turned = matrix_of(rotation);
    rotations[slot] = rotation;
    maps[slot] = vec4<f32>(sum * region.w - turned * centre, 0.0);
    maps[COUNT + slot] = vec4<f32>(turned[0], 0.0);
    maps[2u * COUNT + slot] = vec4<f32>(turned[1], 0.0);
}
