// Constraints C(x) of four vertices: volumes of tets, hinges.

// Δλ of a constraint at value C, with Σ wᵢ‖∇ᵢC‖² = `mobility`.
fn step_of(value: f32, mobility: f32) -> f32 {
    if (IS_COMPLIANT) {
        let softness = number(NUMBERS - 1u);
        let resistance = mobility + softness;
        if (resistance <= 0.0) {
            return 0.0;
        }
        let step = -(value + softness * memory[0]) / resistance;
        memory[0] += step;
        return step;
    }
    if (mobility <= 0.0) {
        return 0.0;
    }
    return -SHARE * value / mobility;
}

fn moved(x: vec4<f32>, by: vec3<f32>) -> vec4<f32> {
    return vec4<f32>(x.xyz + x.w * by, x.w);
}

// C = (b − a) × (c − a) · (d − a)/6 − V.
fn visit_volume() {
    let a = point(corner(0u));
    let b = point(corner(1u));
    let c = point(corner(2u));
    let d = point(corner(3u));
    let u = b.xyz - a.xyz;
    let v = c.xyz - a.xyz;
    let w = d.xyz - a.xyz;
    let at_b = cross(v, w) / 6.0;
    let at_c = cross(w, u) / 6.0;
    let at_d = cross(u, v) / 6.0;
    let at_a = -(at_b + at_c + at_d);
    let value = dot(at_d, w) - number(0u);
    let mobility = a.w * dot(at_a, at_a) + b.w * dot(at_b, at_b) + c.w * dot(at_c, at_c) + d.w * dot(at_d, at_d);
    let step = step_of(value, mobility);
    move_point(corner(0u), moved(a, step * at_a));
    move_point(corner(1u), moved(b, step * at_b));
    move_point(corner(2u), moved(c, step * at_c));
    move_point(corner(3u), moved(d, step * at_d));
}

// C = ½ ‖Σ kᵢ xᵢ‖², with k of corners 1 to 3; that of the first is minus their sum.
fn visit_isometric() {
    let a = point(corner(0u));
    let b = point(corner(1u));
    let c = point(corner(2u));
    let d = point(corner(3u));
    let k = vec3<f32>(number(0u), number(1u), number(2u));
    let first = -(k.x + k.y + k.z);
    let bend = k.x * (b.xyz - a.xyz) + k.y * (c.xyz - a.xyz) + k.z * (d.xyz - a.xyz);
    let squared = dot(bend, bend);
    let share = a.w * first * first + b.w * k.x * k.x + c.w * k.y * k.y + d.w * k.z * k.z;
    let step = step_of(0.5 * squared, share * squared);
    move_point(corner(0u), moved(a, (step * first) * bend));
    move_point(corner(1u), moved(b, (step * k.x) * bend));
    move_point(corner(2u), moved(c, (step * k.y) * bend));
    move_point(corner(3u), moved(d, (step * k.z) * bend));
}

// Squared height over squared longest edge, below which a triangle has no normal. f32 has no digits for the engine's 1e-18.
const FLAT = 1e-10;
// Most that an angle is changed by in a visit [rad], and its tangent.
const MOST = 0.05;
const TANGENT = 0.050041708375538795;

// The angle of (cosine, sine) from another one, bounded. Within the bound the inverse tangent is a short series; beyond, only its sign is asked for.
fn angle_between(sine: f32, cosine: f32, rest_cosine: f32, rest_sine: f32) -> f32 {
    let s = sine * rest_cosine - cosine * rest_sine;
    let c = cosine * rest_cosine + sine * rest_sine;
    if (c <= 0.0 || abs(s) > TANGENT * c) {
        return select(MOST, -MOST, s < 0.0);
    }
    let t = s / c;
    let t2 = t * t;
    return t * (1.0 + t2 * (-1.0 / 3.0 + t2 * (1.0 / 5.0 - t2 / 7.0)));
}

// C = θ − θ₀ of a hinge, with the cosine and sine of θ₀.
fn visit_dihedral() {
    let a = point(corner(0u));
    let b = point(corner(1u));
    let c = point(corner(2u));
    let d = point(corner(3u));
    let edge = b.xyz - a.xyz;
    let to_c = c.xyz - a.xyz;
    let to_d = d.xyz - a.xyz;
    let left = cross(edge, to_c);
    let right = cross(to_d, edge);
    let edge_squared = dot(edge, edge);
    let size = sqrt(edge_squared);
    let left_squared = dot(left, left);
    let right_squared = dot(right, right);
    let longest_c = max(edge_squared, dot(to_c, to_c));
    let longest_d = max(edge_squared, dot(to_d, to_d));
    // A triangle without height has no normal, and its hinge no angle.
    if (!(left_squared > FLAT * longest_c * longest_c && right_squared > FLAT * longest_d * longest_d)) {
        return;
    }
    let value = angle_between(-size * dot(left, to_d), dot(left, right), number(0u), number(1u));
    let at_c = (-size / left_squared) * left;
    let at_d = (-size / right_squared) * right;
    let foot_c = dot(to_c, edge) / edge_squared;
    let foot_d = dot(to_d, edge) / edge_squared;
    // The feet of the heights share the reaction between the ends of the edge.
    let reaction = foot_c * at_c + foot_d * at_d;
    let at_b = -reaction;
    let at_a = reaction - at_c - at_d;
    let mobility = a.w * dot(at_a, at_a) + b.w * dot(at_b, at_b) + c.w * dot(at_c, at_c) + d.w * dot(at_d, at_d);
    let step = step_of(value, mobility);
    move_point(corner(0u), moved(a, step * at_a));
    move_point(corner(1u), moved(b, step * at_b));
    move_point(corner(2u), moved(c, step * at_c));
    move_point(corner(3u), moved(d, step * at_d));
}
