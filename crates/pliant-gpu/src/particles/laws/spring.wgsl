// The energy of springs.

// Edges shorter than this have no direction [m].
const SHORTEST = 1e-18;

// E = w/2 ‖z − p‖² with z = b − a and p the nearest edge of an allowed length.
fn visit_spring() {
    let a = point(corner(0u));
    let b = point(corner(1u));
    let z = b.xyz - a.xyz;
    let size = length(z);
    var aim = number(0u);
    if (IS_LIMITED) { aim = clamp(size, aim, number(1u)); }
    // Coincident ends part along x.
    var step = vec3<f32>(aim, 0.0, 0.0);
    if (size >= SHORTEST) { step = (aim / size - 1.0) * z; }
    let mobility = a.w + b.w;
    if (IS_COMPLIANT) {
        let softness = number(NUMBERS - 1u);
        let old = vec3<f32>(memory[0], memory[1], memory[2]);
        step = (step - softness * old) / (mobility + softness);
        memory[0] = old.x + step.x;
        memory[1] = old.y + step.y;
        memory[2] = old.z + step.z;
    } else {
        step *= SHARE / mobility;
    }
    move_point(corner(0u), vec4<f32>(a.xyz - a.w * step, a.w));
    move_point(corner(1u), vec4<f32>(b.xyz + b.w * step, b.w));
}
