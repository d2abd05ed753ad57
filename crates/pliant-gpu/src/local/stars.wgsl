@group(0) @binding(5) var<storage, read_write> kept: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> slots: array<vec4<f32>>;

// w (A x − p) by rows, and twice the energy.
struct Residual {
    rows: Rows,
    twice: f32,
}

// Squared length below which a vector has no direction.
const SHORTEST_SQUARED = 1e-30;

fn residual_of(z: ptr<function, Rows>, at: u32) -> Residual {
    var result = Residual(Rows(), 0.0);
    let weight = kept[at].w;
    if (ROWS == 1u) {
        let bounds = kept[at + 64u].xy;
        let squared = dot((*z)[0], (*z)[0]);
        let size = sqrt(squared);
        var gap = (*z)[0] * (1.0 - clamp(size, bounds.x, bounds.y) / max(size, 1e-15));
        if (squared < SHORTEST_SQUARED) { gap = (*z)[0] - kept[at].xyz; }
        result.rows[0] = weight * gap;
        result.twice = weight * dot(gap, gap);
        return result;
    }
    // The rotation that suits all rows together.
    var covariance = mat3x3<f32>();
    var size = 0.0;
    for (var row = 0u; row < ROWS; row++) {
        let last = kept[at + row * 64u].xyz;
        covariance += mat3x3<f32>(last.x * (*z)[row], last.y * (*z)[row], last.z * (*z)[row]);
        size = max(size, max(dot(last, last), dot((*z)[row], (*z)[row])));
    }
    let place = at + ROWS * 64u;
    // Of the order of 1: third powers of it must stay in the range of f32.
    let q = nearest_rotation(covariance * (1.0 / max(size, TINY)), kept[place]);
    kept[place] = q;
    let r = columns_of(q);
    for (var row = 0u; row < ROWS; row++) {
        let gap = (*z)[row] - r * kept[at + row * 64u].xyz;
        result.rows[row] = weight * gap;
        result.twice += weight * dot(gap, gap);
    }
    return result;
}

@compute @workgroup_size(64)
fn stars(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.x + group.y * groups.x;
    if (number >= arrayLength(&star_groups)) {
        return;
    }
    let own = star_groups[number];
    var z = measure(own, lane);
    var residual = residual_of(&z, number * KEPT * 64u + lane);
    var at_first = vec3<f32>();
    for (var k = 1u; k < own.y; k++) {
        var force = vec3<f32>();
        for (var row = 0u; row < ROWS; row++) {
            force += coefficient(own, k, lane, row) * residual.rows[row];
        }
        at_first -= force;
        slots[corners[own.x + k * 64u + lane].y] = vec4<f32>(force, 0.0);
    }
    slots[corners[own.x + lane].y] = vec4<f32>(at_first, residual.twice);
}
