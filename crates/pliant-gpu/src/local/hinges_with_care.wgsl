// Hinges that need more than a few steps of Newton's method: as the engine's energy/hinge_projection.rs does all of them. They begin with the frame that suits the
// edge as it is, and with the last one if that is nearer; steps go downhill along every axis, as far as the misfit falls; a wing that would have to cross its edge
// collapses onto it.

@group(0) @binding(2) var<storage, read> corners: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> corner_slots: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> slots: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> frames: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> marks: array<u32>;

const MOST_STEPS = 60;
// Misfits of shorter steps differ by rounding alone; there Newton's method converges by itself, and after a step as short as the second it has.
const COMPARED = 2e-3;
const SETTLED = 1e-4;

struct Hinge {
    // Rows of A x, less that of the first corner.
    z: array<vec3<f32>, 4>,
    // 1 over the factors between rows and positions; 0 for a corner that does not move.
    inverse: vec4<f32>,
    // Direction of the second wing; that of the first is (1, 0).
    wing: vec2<f32>,
}

// What keeps a hinge from its rest angle in a frame: at most six orthonormal rows, of which components along the frame's second and third axis are used.
struct Fit {
    q: vec4<f32>,
    misfit: f32,
    rows: array<array<vec2<f32>, 4>, 6>,
    residuals: array<f32, 6>,
    count: u32,
}

fn push_row(fit: ptr<function, Fit>, inverse: vec4<f32>, corner: u32, direction: vec2<f32>) {
    var row = array<vec2<f32>, 4>();
    row[0] = -inverse.x * direction;
    row[corner] = inverse[corner] * direction;
    for (var k = 0u; k < (*fit).count; k++) {
        var along = 0.0;
        for (var i = 0; i < 4; i++) { along += dot((*fit).rows[k][i], row[i]); }
        for (var i = 0; i < 4; i++) { row[i] -= along * (*fit).rows[k][i]; }
    }
    var squared = 0.0;
    for (var i = 0; i < 4; i++) { squared += dot(row[i], row[i]); }
    let scale = inverseSqrt(max(squared, TINY));
    for (var i = 0; i < 4; i++) { row[i] = scale * row[i]; }
    (*fit).rows[(*fit).count] = row;
    (*fit).count += 1u;
}

// The nearest hinge with the rest angle in a frame.
fn fit_in(hinge: ptr<function, Hinge>, q: vec4<f32>) -> Fit {
    let frame = columns_of(q);
    var flat = array<vec2<f32>, 4>();
    for (var i = 0; i < 4; i++) { flat[i] = ((*hinge).z[i] * frame).yz; }
    let inverse = (*hinge).inverse;
    let wing = (*hinge).wing;
    var collapsed = vec2<bool>(false);
    var fit: Fit;
    for (var round = 0; round < 3; round++) {
        fit.q = q;
        fit.count = 0u;
        push_row(&fit, inverse, 1u, vec2<f32>(1.0, 0.0));
        push_row(&fit, inverse, 1u, vec2<f32>(0.0, 1.0));
        push_row(&fit, inverse, 2u, vec2<f32>(0.0, 1.0));
        if (collapsed.x) { push_row(&fit, inverse, 2u, vec2<f32>(1.0, 0.0)); }
        push_row(&fit, inverse, 3u, vec2<f32>(-wing.y, wing.x));
        if (collapsed.y) { push_row(&fit, inverse, 3u, wing); }
        var p = flat;
        fit.misfit = 0.0;
        for (var k = 0u; k < fit.count; k++) {
            var r = 0.0;
            for (var i = 0; i < 4; i++) { r += dot(fit.rows[k][i], flat[i]); }
            for (var i = 0; i < 4; i++) { p[i] -= r * fit.rows[k][i]; }
            fit.residuals[k] = r;
            fit.misfit += 0.5 * r * r;
        }
        // A triangle on the other side of the edge has another angle; the nearest allowed place is on the edge.
        let origin = inverse.x * p[0];
        var reach = vec2<f32>((inverse.z * p[2] - origin).x, dot(wing, inverse.w * p[3] - origin));
        reach = select(reach, vec2<f32>(3e38), collapsed);
        if (min(reach.x, reach.y) >= 0.0) { break; }
        if (reach.x <= reach.y) { collapsed.x = true; } else { collapsed.y = true; }
    }
    return fit;
}

// Newton's step for the misfit over rotations R ← R exp(ω), downhill where the curvature is negative.
fn careful_step(hinge: ptr<function, Hinge>, fit: ptr<function, Fit>) -> vec3<f32> {
    let frame = columns_of((*fit).q);
    var y = array<vec3<f32>, 4>();
    for (var i = 0; i < 4; i++) { y[i] = (*hinge).z[i] * frame; }
    var gradient = vec3<f32>();
    var hessian = mat3x3<f32>();
    for (var k = 0u; k < (*fit).count; k++) {
        var p = vec3<f32>();
        var q = vec3<f32>();
        for (var i = 0; i < 4; i++) {
            p += (*fit).rows[k][i].x * y[i];
            q += (*fit).rows[k][i].y * y[i];
        }
        let r = (*fit).residuals[k];
        let s = vec3<f32>(p.z - q.y, q.x, -p.x);
        gradient += r * s;
        let down = p.y + q.z;
        let bend = mat3x3<f32>(
            vec3<f32>(-down, 0.5 * p.x, 0.5 * q.x),
            vec3<f32>(0.5 * p.x, -q.z, 0.5 * (p.z + q.y)),
            vec3<f32>(0.5 * q.x, 0.5 * (p.z + q.y), -p.y),
        );
        hessian += mat3x3<f32>(s.x * s, s.y * s, s.z * s) + r * bend;
    }
    let modes = frame_of(hessian);
    let curvature = abs(modes.values);
    let least = max(1e-6 * max(curvature.x, max(curvature.y, curvature.z)), TINY);
    let along = (gradient * modes.vectors) / max(curvature, vec3<f32>(least));
    var step = -(modes.vectors * along);
    let squared = dot(step, step);
    if (squared > 0.25) { step = step * (0.5 * inverseSqrt(squared)); }
    return step;
}

fn fit_from(hinge: ptr<function, Hinge>, start: vec4<f32>) -> Fit {
    var fit = fit_in(hinge, start);
    for (var k = 0; k < MOST_STEPS; k++) {
        let step = careful_step(hinge, &fit);
        let size = length(step);
        var share = 1.0;
        var next = fit_in(hinge, turned_by(fit.q, step));
        while (size > COMPARED && !(next.misfit < fit.misfit) && share > 1e-4) {
            share *= 0.5;
            next = fit_in(hinge, turned_by(fit.q, share * step));
        }
        if (size > COMPARED && !(next.misfit < fit.misfit)) { break; }
        fit = next;
        if (!(size >= SETTLED)) { break; }
    }
    return fit;
}

// Any unit vector across another.
fn across(v: vec3<f32>) -> vec3<f32> {
    let axis = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 1.0, 0.0), abs(v.x) > 0.6);
    return normalize(cross(v, axis));
}

fn quaternion_of(r: mat3x3<f32>) -> vec4<f32> {
    let t = vec4<f32>(
        r[0].x - r[1].y - r[2].z,
        r[1].y - r[0].x - r[2].z,
        r[2].z - r[0].x - r[1].y,
        r[0].x + r[1].y + r[2].z,
    );
    var q = vec4<f32>(r[1].z - r[2].y, r[2].x - r[0].z, r[0].y - r[1].x, 1.0 + t.w);
    if (t.x >= max(max(t.y, t.z), t.w)) {
        q = vec4<f32>(1.0 + t.x, r[0].y + r[1].x, r[2].x + r[0].z, r[1].z - r[2].y);
    } else if (t.y >= max(t.z, t.w)) {
        q = vec4<f32>(r[0].y + r[1].x, 1.0 + t.y, r[1].z + r[2].y, r[2].x - r[0].z);
    } else if (t.z >= t.w) {
        q = vec4<f32>(r[2].x + r[0].z, r[1].z + r[2].y, 1.0 + t.z, r[0].y - r[1].x);
    }
    return normalize(q);
}

// The frame that suits the edge as it is, and both triangles across it on average.
fn first_frame(edges: mat3x3<f32>, wing: vec2<f32>) -> vec4<f32> {
    let size = length(edges[0]);
    let along = select(vec3<f32>(1.0, 0.0, 0.0), edges[0] / max(size, TINY), size > TINY);
    let up = across(along);
    let side = cross(up, along);
    let c = vec2<f32>(dot(edges[1], up), dot(edges[1], side));
    let d = vec2<f32>(dot(edges[2], up), dot(edges[2], side));
    // In the plane across the edge, vectors are complex numbers: undo the wing's own angle, then add.
    var turn = c + vec2<f32>(wing.x * d.x + wing.y * d.y, wing.x * d.y - wing.y * d.x);
    let reach = length(turn);
    turn = select(vec2<f32>(1.0, 0.0), turn / max(reach, TINY), reach > TINY);
    let second = up * turn.x + side * turn.y;
    return quaternion_of(mat3x3<f32>(along, second, cross(along, second)));
}

@compute @workgroup_size(64)
fn hinges_with_care(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 64u);
    if (number >= arrayLength(&corners) || marks[number] == 0u) {
        return;
    }
    let v = corners[number];
    let first = numbers[4u * number];
    let edges = mat3x3<f32>(edge(v.x, v.y), edge(v.x, v.z), edge(v.x, v.w));
    let inverse = numbers[4u * number + 3u];
    let size = 1.0 / max(max(length(edges[0]), max(length(edges[1]), length(edges[2]))), TINY);
    var hinge: Hinge;
    hinge.inverse = inverse;
    hinge.wing = vec2<f32>(-numbers[4u * number + 1u].w, -numbers[4u * number + 2u].w);
    hinge.z[0] = vec3<f32>();
    for (var k = 0; k < 3; k++) { hinge.z[k + 1] = edges[k] * (size / inverse[k + 1]); }
    var best = fit_from(&hinge, first_frame(edges, hinge.wing));
    let last = frames[number];
    if (dot(last, last) > 0.5) {
        // Staying at most as far as the last frame leads is what makes the energy descend.
        let from_last = fit_in(&hinge, last);
        if (from_last.misfit < best.misfit) { best = fit_from(&hinge, last); }
    }
    frames[number] = best.q;
    let r = columns_of(best.q);
    var forces = mat3x3<f32>();
    for (var k = 0; k < 3; k++) {
        var beyond = vec2<f32>();
        for (var row = 0u; row < best.count; row++) { beyond += best.residuals[row] * best.rows[row][k + 1]; }
        forces[k] = first.w / (size * inverse[k + 1]) * (beyond.x * r[1] + beyond.y * r[2]);
    }
    write_hinge(corner_slots[number], forces, first.w / (size * size) * 2.0 * best.misfit);
}
