// Strain, areas and volumes of triangles and tets: energies with a vector as multiplier for each row of A.
//
// A visit solves (A W Aᵀ + α/τ²) ΔΛ = −(A x − p + α/τ² Λ). The matrix does not change, so that elements bring its inverse: that of the engine's numbers, in f64.
// Numbers are A of all corners but the first, row by row, which has minus their sum; then, with a compliance, the inverse by columns of its upper half; then α/τ².

// Least determinant of what multipliers turn an element by, over the cube of its trace; below it the element is a line. The engine has 1e-9, for which f32 has
// no digits.
const LEAST_TURN = 1e-5;

fn coefficient(row: u32, k: u32) -> f32 {
    return number(ROWS * row + k);
}

// Product of the inverse with some vectors, of which a triangle has two.
fn solved(v: mat3x3<f32>) -> mat3x3<f32> {
    let at = ROWS * ROWS;
    if (ROWS == 2u) {
        let a = number(at);
        let b = number(at + 1u);
        let c = number(at + 2u);
        return mat3x3<f32>(a * v[0] + b * v[1], b * v[0] + c * v[1], vec3<f32>());
    }
    let a = number(at);
    let b = number(at + 1u);
    let c = number(at + 2u);
    let d = number(at + 3u);
    let e = number(at + 4u);
    let f = number(at + 5u);
    return mat3x3<f32>(
        a * v[0] + b * v[1] + d * v[2],
        b * v[0] + c * v[1] + e * v[2],
        d * v[0] + e * v[1] + f * v[2],
    );
}

// Changes a step of multipliers so that it does not turn the element, but for taking back a part of the torque that there is.
fn without_torque(z: mat3x3<f32>, step: mat3x3<f32>, to_take_back: vec3<f32>) -> mat3x3<f32> {
    let raw = solved(z);
    let size = dot(z[0], raw[0]) + dot(z[1], raw[1]) + dot(z[2], raw[2]);
    if (size <= 0.0) {
        return step;
    }
    // In units in which its trace is 1, so that nothing underflows.
    let give = (1.0 / size) * raw;
    let torque = cross(z[0], step[0]) + cross(z[1], step[1]) + cross(z[2], step[2]);
    let squares = dot(z[0], z[0]) + dot(z[1], z[1]) + dot(z[2], z[2]);
    // I − Σ give zᵀ.
    let m = mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) - give * transpose(z);
    let c0 = cross(m[1], m[2]);
    let c1 = cross(m[2], m[0]);
    let c2 = cross(m[0], m[1]);
    let determinant = dot(m[0], c0);
    // Of what is a line no turn can be told.
    if (determinant <= LEAST_TURN) {
        return step;
    }
    let turn = -vec3<f32>(dot(c0, torque), dot(c1, torque), dot(c2, torque)) / determinant
        - (1.5 * size / squares) * to_take_back;
    return step + mat3x3<f32>(cross(turn, give[0]), cross(turn, give[1]), cross(turn, give[2]));
}

// Moves the corners so that A x, with columns z, goes by `step` or a part of that.
fn correct(x: array<vec4<f32>, CORNERS>, z: mat3x3<f32>, wanted: mat3x3<f32>) {
    var at = x;
    var step = wanted;
    if (IS_COMPLIANT) {
        let softness = number(NUMBERS - 1u);
        var torque = vec3<f32>();
        for (var r = 0u; r < ROWS; r++) {
            let old = vec3<f32>(memory[3u * r], memory[3u * r + 1u], memory[3u * r + 2u]);
            step[r] -= softness * old;
            torque += cross(z[r], old);
        }
        step = without_torque(z, solved(step), softness * torque);
        for (var r = 0u; r < ROWS; r++) {
            memory[3u * r] += step[r].x;
            memory[3u * r + 1u] += step[r].y;
            memory[3u * r + 2u] += step[r].z;
        }
    }
    var by: array<vec3<f32>, CORNERS>;
    by[0] = vec3<f32>();
    for (var k = 0u; k < ROWS; k++) {
        by[k + 1u] = vec3<f32>();
        for (var r = 0u; r < ROWS; r++) {
            by[k + 1u] += coefficient(r, k) * step[r];
        }
        by[0] -= by[k + 1u];
    }
    var factor = 1.0;
    if (!IS_COMPLIANT) {
        // Along C = ‖A x − p‖, as every classic constraint.
        var value = 0.0;
        for (var r = 0u; r < ROWS; r++) { value += dot(step[r], step[r]); }
        var mobility = 0.0;
        for (var k = 0u; k < CORNERS; k++) { mobility += at[k].w * dot(by[k], by[k]); }
        factor = select(0.0, SHARE * value / mobility, mobility > 0.0);
    }
    for (var k = 0u; k < CORNERS; k++) {
        move_point(corner(k), vec4<f32>(at[k].xyz + (factor * at[k].w) * by[k], at[k].w));
    }
}

fn product(sigma: vec2<f32>) -> vec2<f32> {
    return held_product(vec3<f32>(sigma, 0.0), 2u, LOW, HIGH).values.xy;
}

// What F is beyond the nearest matrix of its kind. Columns that are nearly parallel have no plane: the larger stretch has a direction, the smaller one any across it.
fn collapsed_excess(f: mat2x3<f32>) -> mat2x3<f32> {
    let c = transpose(f) * f;
    let gap = 0.5 * (c[0][0] - c[1][1]);
    let size = length(vec2<f32>(gap, c[0][1]));
    var v = vec2<f32>(1.0, 0.0);
    if (size > TINY) {
        v = select(vec2<f32>(c[0][1], size - gap), vec2<f32>(size + gap, c[0][1]), gap >= 0.0);
        v = v * inverseSqrt(max(dot(v, v), TINY));
    }
    let across = vec2<f32>(-v.y, v.x);
    let along = f * v;
    let large = length(along);
    let u = select(vec3<f32>(1.0, 0.0, 0.0), along / max(large, TINY), large > TINY);
    let rest = f * across;
    var w = rest - u * dot(rest, u);
    if (dot(w, w) <= TINY) {
        let axis = select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(u.x) < 0.7);
        w = cross(u, axis);
    }
    w = normalize(w);
    let sigma = vec2<f32>(large, max(dot(rest, w), 0.0));
    var aim = clamp(sigma, vec2<f32>(LOW), vec2<f32>(HIGH));
    if (IS_MEASURE) { aim = product(sigma); }
    let pull = sigma - aim;
    return mat2x3<f32>(pull.x * v.x * u + pull.y * across.x * w, pull.x * v.y * u + pull.y * across.y * w);
}

fn plane_excess(f: mat2x3<f32>) -> mat2x3<f32> {
    let plane = plane_stretch(f);
    if (plane.is_collapsed) {
        return collapsed_excess(f);
    }
    var beyond = Beyond(0.0, 0.0, 0.0, 0.0);
    if (IS_MEASURE) {
        beyond = beyond_area(plane.sigma, LOW, HIGH);
    } else {
        beyond = beyond_plane_limits(plane.sigma, LOW, HIGH);
    }
    let m = beyond.rotation * plane.to_rotation;
    return f * mat2x2<f32>(vec2<f32>(m.x + beyond.plain, m.y), vec2<f32>(m.y, m.z + beyond.plain));
}
