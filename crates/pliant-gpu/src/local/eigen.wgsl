// Eigenvalues and eigenvectors of symmetric matrices.

struct Frame {
    values: vec3<f32>,
    vectors: mat3x3<f32>,
}

// Turns the axes p and q so that the entry between them goes away.
struct Turn {
    cosine: f32,
    sine: f32,
    tangent: f32,
}

fn turn_of(p: f32, q: f32, entry: f32) -> Turn {
    let gap = q - p;
    let twice = 2.0 * entry;
    let size = max(abs(gap) + length(vec2<f32>(gap, twice)), TINY);
    let tangent = select(twice, -twice, gap < 0.0) / size;
    let cosine = inverseSqrt(1.0 + tangent * tangent);
    return Turn(cosine, tangent * cosine, tangent);
}

// Eigenvalues, descending, and eigenvectors of a symmetric matrix, by Jacobi's method.
fn frame_of(s: mat3x3<f32>) -> Frame {
    var d = vec3<f32>(s[0][0], s[1][1], s[2][2]);
    var xy = s[1][0];
    var xz = s[2][0];
    var yz = s[2][1];
    var v = mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    for (var sweep = 0; sweep < 4; sweep++) {
        var t = turn_of(d.x, d.y, xy);
        d = vec3<f32>(d.x - t.tangent * xy, d.y + t.tangent * xy, d.z);
        xy = 0.0;
        let xz0 = xz;
        xz = t.cosine * xz0 - t.sine * yz;
        yz = t.sine * xz0 + t.cosine * yz;
        v = mat3x3<f32>(t.cosine * v[0] - t.sine * v[1], t.sine * v[0] + t.cosine * v[1], v[2]);
        t = turn_of(d.x, d.z, xz);
        d = vec3<f32>(d.x - t.tangent * xz, d.y, d.z + t.tangent * xz);
        xz = 0.0;
        let xy0 = xy;
        xy = t.cosine * xy0 - t.sine * yz;
        yz = t.sine * xy0 + t.cosine * yz;
        v = mat3x3<f32>(t.cosine * v[0] - t.sine * v[2], v[1], t.sine * v[0] + t.cosine * v[2]);
        t = turn_of(d.y, d.z, yz);
        d = vec3<f32>(d.x, d.y - t.tangent * yz, d.z + t.tangent * yz);
        yz = 0.0;
        let xy1 = xy;
        xy = t.cosine * xy1 - t.sine * xz;
        xz = t.sine * xy1 + t.cosine * xz;
        v = mat3x3<f32>(v[0], t.cosine * v[1] - t.sine * v[2], t.sine * v[1] + t.cosine * v[2]);
    }
    if (d.x < d.y) {
        d = d.yxz;
        v = mat3x3<f32>(v[1], v[0], v[2]);
    }
    if (d.y < d.z) {
        d = d.xzy;
        v = mat3x3<f32>(v[0], v[2], v[1]);
    }
    if (d.x < d.y) {
        d = d.yxz;
        v = mat3x3<f32>(v[1], v[0], v[2]);
    }
    return Frame(d, v);
}
