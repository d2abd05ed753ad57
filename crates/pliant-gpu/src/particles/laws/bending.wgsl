// Quadratic energies of bending. Elements with fewer corners than others have coefficients of 0 at the rest.

// E = w/2 ‖Σ cᵢ xᵢ‖², for vertices with their neighbours, flat at rest.
fn visit_ring() {
    let own = point(corner(0u));
    let first = number(0u);
    var bend = vec3<f32>();
    var resistance = own.w * first * first;
    for (var i = 1u; i < CORNERS; i++) {
        let x = point(corner(i));
        let k = number(i);
        // As seen from the vertex, so that nothing is lost far from the origin.
        bend += k * (x.xyz - own.xyz);
        resistance += x.w * k * k;
    }
    var step = -bend;
    if (IS_COMPLIANT) {
        let softness = number(NUMBERS - 1u);
        let old = vec3<f32>(memory[0], memory[1], memory[2]);
        step = (step - softness * old) / (resistance + softness);
        memory[0] = old.x + step.x;
        memory[1] = old.y + step.y;
        memory[2] = old.z + step.z;
    } else {
        step *= select(0.0, SHARE / resistance, resistance > 0.0);
    }
    for (var i = 0u; i < CORNERS; i++) {
        let k = number(i);
        if (k != 0.0) {
            let x = point(corner(i));
            move_point(corner(i), vec4<f32>(x.xyz + (x.w * k) * step, x.w));
        }
    }
}

// E = w/2 Σ_r ‖Σ c_ri xᵢ‖² with three rows, of which none moves another.
fn visit_quadratic() {
    let own = point(corner(0u));
    let first = vec3<f32>(number(0u), number(1u), number(2u));
    // Columns are the rows of A x.
    var z = mat3x3<f32>();
    var resistance = own.w * first * first;
    for (var i = 1u; i < CORNERS; i++) {
        let x = point(corner(i));
        let k = vec3<f32>(number(3u * i), number(3u * i + 1u), number(3u * i + 2u));
        let edge = x.xyz - own.xyz;
        z += mat3x3<f32>(k.x * edge, k.y * edge, k.z * edge);
        resistance += x.w * k * k;
    }
    var step = mat3x3<f32>();
    if (IS_COMPLIANT) {
        let softness = number(NUMBERS - 1u);
        for (var r = 0u; r < 3u; r++) {
            let old = vec3<f32>(memory[3u * r], memory[3u * r + 1u], memory[3u * r + 2u]);
            step[r] = -(softness * old + z[r]) / (resistance[r] + softness);
            memory[3u * r] = old.x + step[r].x;
            memory[3u * r + 1u] = old.y + step[r].y;
            memory[3u * r + 2u] = old.z + step[r].z;
        }
    } else {
        // Along C = ‖A x‖, as every classic constraint.
        let squares = vec3<f32>(dot(z[0], z[0]), dot(z[1], z[1]), dot(z[2], z[2]));
        let mobility = dot(resistance, squares);
        let factor = select(0.0, -SHARE * (squares.x + squares.y + squares.z) / mobility, mobility > 0.0);
        step = factor * z;
    }
    for (var i = 0u; i < CORNERS; i++) {
        let k = vec3<f32>(number(3u * i), number(3u * i + 1u), number(3u * i + 2u));
        if (any(k != vec3<f32>())) {
            let x = point(corner(i));
            move_point(corner(i), vec4<f32>(x.xyz + x.w * (step * k), x.w));
        }
    }
}
