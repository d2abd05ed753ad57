// Tets near a kind of matrices. What is kept is the quaternion of the nearest rotation.
fn visit_tet() {
    var x: array<vec4<f32>, CORNERS>;
    for (var k = 0u; k < CORNERS; k++) { x[k] = point(corner(k)); }
    let edges = mat3x3<f32>(x[1].xyz - x[0].xyz, x[2].xyz - x[0].xyz, x[3].xyz - x[0].xyz);
    var z = mat3x3<f32>();
    for (var r = 0u; r < 3u; r++) {
        z[r] = coefficient(r, 0u) * edges[0] + coefficient(r, 1u) * edges[1] + coefficient(r, 2u) * edges[2];
    }
    let q = nearest_rotation(z, vec4<f32>(
        memory[MULTIPLIERS], memory[MULTIPLIERS + 1u], memory[MULTIPLIERS + 2u], memory[MULTIPLIERS + 3u],
    ));
    for (var k = 0u; k < 4u; k++) { memory[MULTIPLIERS + k] = q[k]; }
    let turned = columns_of(q);
    if (!IS_MEASURE && LOW == 1.0 && HIGH == 1.0) {
        correct(x, z, turned - z);
        return;
    }
    let s = transpose(turned) * z;
    let sigma = eigenvalues(s);
    var beyond = Beyond(0.0, 0.0, 0.0, 0.0);
    if (IS_MEASURE) {
        beyond = beyond_volume(sigma, LOW, HIGH);
    } else {
        beyond = beyond_limits(sigma, LOW, HIGH);
    }
    let plain = beyond.plain * mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    let excess = beyond.rotation * turned + z * (plain + beyond.stretched * s);
    correct(x, z, -1.0 * excess);
}
