// A hinge in a frame: the misfit of four corners against hinges of the rest angle, as in the engine (solve/projective/local/hinges.rs).
//
// Rows that keep a hinge from its rest angle are functionals of edges in the frame R:
// r₁ = (RᵀE)₂, r₂ = (RᵀE)₃, r₃ = (RᵀC)₃, r₄ = (RᵀP)₂ + (RᵀQ)₃. The misfit is ½Σr².

struct Sums {
    e: vec3<f32>,
    c: vec3<f32>,
    p: vec3<f32>,
    q: vec3<f32>,
}

// `first` has a₁, b₁, b₂ and the weight; `second` and `third` have the components of the last row, with the rest angle's cosine and sine.
fn sums_of(edges: mat3x3<f32>, first: vec4<f32>, second: vec4<f32>, third: vec4<f32>) -> Sums {
    return Sums(
        first.x * edges[0],
        first.y * edges[0] + first.z * edges[1],
        edges * second.xyz,
        edges * third.xyz,
    );
}

fn in_frame(sums: Sums, r: mat3x3<f32>) -> Sums {
    return Sums(sums.e * r, sums.c * r, sums.p * r, sums.q * r);
}

fn residuals_of(turned: Sums) -> vec4<f32> {
    return vec4<f32>(turned.e.y, turned.e.z, turned.c.z, turned.p.y + turned.q.z);
}

// Slopes of the residuals as the frame turns about its axes.
fn slopes_of(s: Sums) -> array<vec3<f32>, 4> {
    return array<vec3<f32>, 4>(
        vec3<f32>(s.e.z, 0.0, -s.e.x),
        vec3<f32>(-s.e.y, s.e.x, 0.0),
        vec3<f32>(-s.c.y, s.c.x, 0.0),
        vec3<f32>(s.p.z - s.q.y, s.q.x, -s.p.x),
    );
}

// What forces on the four residuals are at the corners but the first.
fn corner_forces(rho: vec4<f32>, first: vec4<f32>, second: vec4<f32>, third: vec4<f32>, r: mat3x3<f32>) -> mat3x3<f32> {
    let along = vec3<f32>(first.x * rho.x, 0.0, 0.0) + rho.w * second.xyz;
    let up = vec3<f32>(first.x * rho.y + first.y * rho.z, first.z * rho.z, 0.0) + rho.w * third.xyz;
    return mat3x3<f32>(
        along.x * r[1] + up.x * r[2],
        along.y * r[1] + up.y * r[2],
        along.z * r[1] + up.z * r[2],
    );
}

// A quaternion that turns within its own frame by a short turn.
fn turned_by(q: vec4<f32>, turn: vec3<f32>) -> vec4<f32> {
    let t = 0.5 * turn;
    return normalize(vec4<f32>(q.xyz + q.w * t + cross(q.xyz, t), q.w - dot(q.xyz, t)));
}
