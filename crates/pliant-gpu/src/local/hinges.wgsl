// Forces of hinges with rest angles, from the nearest frame, which continues from the last one. Hinges that have no frame yet, whose curvature is not positive,
// that do not settle, or where a wing is about to cross its edge are marked, and done with care by the next kernel.

@group(0) @binding(2) var<storage, read> corners: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> corner_slots: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> slots: array<vec4<f32>>;
// Quaternions; zero where there is none yet.
@group(0) @binding(6) var<storage, read_write> frames: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> marks: array<u32>;

// Steps of Newton's method before a hinge is done with care.
const MOST_STEPS = 6;
// A wing whose reach is below this share of its length may cross the edge.
const NEAR_EDGE = 0.2;

// −H⁻¹g, at most half a radian long; the last number tells whether H is positive definite.
fn newton_step(s: Sums) -> vec4<f32> {
    let r = residuals_of(s);
    let slope = s.p.z - s.q.y;
    let cc = s.c.z * s.c.z;
    let ee = s.e.x * s.e.x;
    let g = vec3<f32>(
        r.w * slope - s.c.z * s.c.y,
        r.w * s.q.x + s.c.z * s.c.x + s.e.z * s.e.x,
        -(r.w * s.p.x + s.e.y * s.e.x),
    );
    let h00 = slope * slope + (s.c.y * s.c.y - cc) - r.w * r.w;
    let h11 = s.q.x * s.q.x + s.c.x * s.c.x + ee - (r.w * s.q.z + s.e.z * s.e.z + cc);
    let h22 = s.p.x * s.p.x + ee - (r.w * s.p.y + s.e.y * s.e.y);
    let h01 = 0.5 * (r.w * s.p.x - s.e.x * s.e.y) + (slope * s.q.x - s.c.x * s.c.y);
    let h02 = 0.5 * (r.w * s.q.x + (s.c.z * s.c.x - s.e.x * s.e.z)) - slope * s.p.x;
    let h12 = 0.5 * (r.w * (s.p.z + s.q.y) + s.c.z * s.c.y) + (s.e.y * s.e.z - s.q.x * s.p.x);
    let c00 = h11 * h22 - h12 * h12;
    let c01 = h02 * h12 - h01 * h22;
    let c02 = h01 * h12 - h02 * h11;
    let c11 = h00 * h22 - h02 * h02;
    let c12 = h01 * h02 - h00 * h12;
    let c22 = h00 * h11 - h01 * h01;
    let determinant = h00 * c00 + h01 * c01 + h02 * c02;
    let trace = h00 + h11 + h22;
    let least = max(trace * trace * trace * 1e-6, 1e-36);
    let is_regular = h00 > 0.0 && c22 > 0.0 && determinant > least;
    var turn = vec3<f32>(
        c00 * g.x + c01 * g.y + c02 * g.z,
        c01 * g.x + c11 * g.y + c12 * g.z,
        c02 * g.x + c12 * g.y + c22 * g.z,
    ) / -select(1.0, determinant, is_regular);
    let squared = 4.0 * dot(turn, turn);
    if (squared > 1.0) { turn = turn * inverseSqrt(squared); }
    return vec4<f32>(turn, select(0.0, 1.0, is_regular));
}

@compute @workgroup_size(128)
fn hinges(
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
    // Of the order of 1, whatever the size of the hinge: third powers would leave the range of f32.
    let size = 1.0 / max(first.x * length(edges[0]), TINY);
    let sums = sums_of(edges * size, first, second, third);
    var q = frames[number];
    var failed = !(dot(q, q) >= 0.5);
    var begun_with = 0.0;
    if (!failed) {
        var steps = 0;
        loop {
            let turned = in_frame(sums, columns_of(q));
            if (steps == 0) {
                let r = residuals_of(turned);
                begun_with = dot(r, r);
            }
            let turn = newton_step(turned);
            if (turn.w == 0.0) {
                failed = true;
                break;
            }
            q = turned_by(q, turn.xyz);
            steps++;
            if (dot(turn.xyz, turn.xyz) < 1e-6) { break; }
            if (steps == MOST_STEPS) {
                failed = true;
                break;
            }
        }
        frames[number] = q;
        // Long turns must not lead away; a single short one cannot. Misfits below the rounding of the sums that they are made of do not compare.
        if (steps > 1) {
            let r = residuals_of(in_frame(sums, columns_of(q)));
            let noise = 1e-12 * (dot(sums.e, sums.e) + dot(sums.c, sums.c) + dot(sums.p, sums.p) + dot(sums.q, sums.q));
            failed = failed || !(dot(r, r) <= begun_with * (1.0 + 1e-5) + noise);
        }
    }
    let r = columns_of(q);
    let rho = residuals_of(in_frame(sums, r));
    // Wings stay on their side of the edge.
    let c = vec2<f32>(dot(r[1], edges[1]), dot(r[2], edges[1]));
    let d = vec2<f32>(dot(r[1], edges[2]), dot(r[2], edges[2]));
    failed = failed || c.x < NEAR_EDGE * length(c);
    failed = failed || -(second.w * d.x + third.w * d.y) < NEAR_EDGE * length(d);
    marks[number] = select(0u, 1u, failed);
    if (failed) {
        return;
    }
    let weight = first.w / size;
    write_hinge(corner_slots[number], corner_forces(weight * rho, first, second, third, r), weight / size * dot(rho, rho));
}
