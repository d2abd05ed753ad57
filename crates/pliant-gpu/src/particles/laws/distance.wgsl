// Constraints of a distance, threads among them.

// Edges shorter than this have no direction [m].
const SHORTEST = 1e-18;

// C = ±(‖b − a‖ − d), where it is bounded ≥ 0: for the second number 1 distances may be longer, for −1 shorter.
fn visit_distance() {
    let a = point(corner(0u));
    let b = point(corner(1u));
    let z = b.xyz - a.xyz;
    let size = length(z);
    if (size < SHORTEST) {
        return;
    }
    var side = 0.0;
    if (IS_BOUNDED) { side = number(1u); }
    let sign = select(1.0, -1.0, side < 0.0);
    let value = sign * (size - number(0u));
    let mobility = a.w + b.w;
    var step = 0.0;
    if (IS_COMPLIANT) {
        let softness = number(NUMBERS - 1u);
        step = -(value + softness * memory[0]) / (mobility + softness);
    } else {
        step = -SHARE * value / mobility;
    }
    // What is one-sided never pulls: of what it has pushed it may take back.
    if (side != 0.0) { step = max(step, -memory[0]); }
    memory[0] += step;
    let by = (sign * step / size) * z;
    move_point(corner(0u), vec4<f32>(a.xyz - a.w * by, a.w));
    move_point(corner(1u), vec4<f32>(b.xyz + b.w * by, b.w));
}
