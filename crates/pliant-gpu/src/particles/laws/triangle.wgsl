// Triangles near a kind of matrices.
fn visit_triangle() {
    var x: array<vec4<f32>, CORNERS>;
    for (var k = 0u; k < CORNERS; k++) { x[k] = point(corner(k)); }
    let first = x[1].xyz - x[0].xyz;
    let second = x[2].xyz - x[0].xyz;
    let z = mat2x3<f32>(
        coefficient(0u, 0u) * first + coefficient(0u, 1u) * second,
        coefficient(1u, 0u) * first + coefficient(1u, 1u) * second,
    );
    let excess = plane_excess(z);
    correct(x, mat3x3<f32>(z[0], z[1], vec3<f32>()), mat3x3<f32>(-excess[0], -excess[1], vec3<f32>()));
}
