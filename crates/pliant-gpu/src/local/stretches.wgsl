// Principal stretches and what projections make of them; formulas as in the engine (math/lanes/stretches.rs and nearest.rs).

const TINY = 1e-30;

// F − p = rotation R + F (plain I + stretched S), and its squared length.
struct Beyond {
    rotation: f32,
    plain: f32,
    stretched: f32,
    squared: f32,
}

// A product of stretches that is brought between bounds: sᵢ² − σᵢ sᵢ = μ for all.
struct Product {
    mu: f32,
    values: vec3<f32>,
    // Whether the bounds act.
    is_held: bool,
}

fn product_of(values: vec3<f32>, count: u32) -> f32 {
    return values.x * values.y * select(1.0, values.z, count == 3u);
}

// Plus roots s of s² − σ s = μ. For negative σ the sum cancels; the product of both roots is −μ.
fn plus_roots(sigma: vec3<f32>, mu: f32) -> vec3<f32> {
    let root = sqrt(max(sigma * sigma + 4.0 * mu, vec3<f32>()));
    return select(2.0 * mu / max(root - sigma, vec3<f32>(TINY)), 0.5 * (sigma + root), sigma >= vec3<f32>());
}

// All plus roots: Newton's method on the logarithm of the product, kept between bounds.
fn plus_multiplier(sigma: vec3<f32>, count: u32, wanted: f32, least: f32, most: f32, start: f32) -> f32 {
    var low = least;
    var high = most;
    var mu = start;
    for (var k = 0; k < 24; k++) {
        let s = plus_roots(sigma, mu);
        let reached = product_of(s, count);
        if (reached < wanted) { low = mu; } else { high = mu; }
        let roots = max(sqrt(max(sigma * sigma + 4.0 * mu, vec3<f32>())), vec3<f32>(TINY));
        let slopes = 1.0 / max(s * roots, vec3<f32>(TINY));
        let slope = slopes.x + slopes.y + select(0.0, slopes.z, count == 3u);
        // The logarithm by its first rational approximation, which only shortens steps.
        var next = mu + 2.0 * (wanted - reached) / max((wanted + reached) * slope, TINY);
        if (!(next > low && next < high)) { next = 0.5 * (low + high); }
        let taken = abs(next - mu);
        mu = next;
        if (taken <= 1e-6 * abs(mu) + 1e-9) { break; }
    }
    return mu;
}

// Product too large, and plus roots may not be what is nearest: the smallest stretch t is the unknown.
fn values_at(sigma: vec3<f32>, smallest: f32, count: u32, t: f32) -> vec3<f32> {
    let root = 2.0 * t - smallest;
    let s = 0.5 * (sigma + sqrt(max((sigma - smallest) * (sigma + smallest) + root * root, vec3<f32>())));
    return select(vec3<f32>(s.x, t, 0.0), vec3<f32>(s.x, s.y, t), count == 3u);
}

fn lowered(sigma: vec3<f32>, count: u32, wanted: f32) -> vec3<f32> {
    let smallest = select(sigma.y, sigma.z, count == 3u);
    var nearest = sigma;
    var least = 3e38;
    var low = 0.0;
    var is_low_below = true;
    for (var k = 1; k <= 32; k++) {
        let high = smallest * f32(k) / 32.0;
        let is_high_below = product_of(values_at(sigma, smallest, count, high), count) < wanted;
        if (is_low_below && !is_high_below) {
            var a = low;
            var b = high;
            for (var n = 0; n < 24; n++) {
                let middle = 0.5 * (a + b);
                if (product_of(values_at(sigma, smallest, count, middle), count) < wanted) { a = middle; } else { b = middle; }
            }
            let candidate = values_at(sigma, smallest, count, 0.5 * (a + b));
            let gap = candidate - sigma;
            let distance = gap.x * gap.x + gap.y * gap.y + select(0.0, gap.z * gap.z, count == 3u);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        low = high;
        is_low_below = is_high_below;
    }
    return nearest;
}

// Stretches, descending, of which only the last may be negative.
fn held_product(sigma: vec3<f32>, count: u32, low: f32, high: f32) -> Product {
    let product = product_of(sigma, count);
    if (product >= low && product <= high) {
        return Product(0.0, sigma, low == high);
    }
    let smallest = select(sigma.y, sigma.z, count == 3u);
    if (product < low) {
        // Plus roots of a value and its negative have the product μ, so the root lies below this.
        let most = pow(low, 2.0 / f32(count)) * 1.0001;
        let start = select(0.0, 0.999 * most, smallest < 0.3 * sqrt(most));
        let mu = plus_multiplier(sigma, count, low, 0.0, most, start);
        return Product(mu, plus_roots(sigma, mu), true);
    }
    let half = values_at(sigma, smallest, count, 0.5 * smallest);
    if (product < 3.0 * high && product_of(half, count) < high) {
        let mu = plus_multiplier(sigma, count, high, -0.25 * smallest * smallest, 0.0, 0.0);
        return Product(mu, plus_roots(sigma, mu), true);
    }
    let values = lowered(sigma, count, high);
    let t = select(values.y, values.z, count == 3u);
    return Product(t * (t - smallest), values, true);
}

// F with two columns: R = F [[m.x, m.y], [m.y, m.z]], and its singular values, descending.
struct Plane {
    to_rotation: vec3<f32>,
    sigma: vec2<f32>,
    is_collapsed: bool,
}

fn plane_stretch(f: mat2x3<f32>) -> Plane {
    let c00 = dot(f[0], f[0]);
    let c01 = dot(f[0], f[1]);
    let c11 = dot(f[1], f[1]);
    let area = length(cross(f[0], f[1]));
    let trace = c00 + c11;
    let sum = sqrt(trace + 2.0 * area);
    let scale = 1.0 / max(area * sum, TINY);
    // The root of the trace less twice the area would lose half of the digits.
    let difference = length(vec2<f32>(c00 - c11, 2.0 * c01)) / max(sum, TINY);
    return Plane(
        vec3<f32>((c11 + area) * scale, -c01 * scale, (c00 + area) * scale),
        0.5 * vec2<f32>(sum + difference, sum - difference),
        area < 1e-4 * trace || trace < TINY,
    );
}

fn beyond_plane_limits(sigma: vec2<f32>, low: f32, high: f32) -> Beyond {
    let wanted = clamp(sigma, vec2<f32>(low), vec2<f32>(high));
    let gaps = sigma - wanted;
    let squared = dot(gaps, gaps);
    if (low == high) {
        return Beyond(-low, 1.0, 0.0, squared);
    }
    let difference = sigma.x - sigma.y;
    // Equal stretches have the slope of the clamp.
    var slope = select(0.0, 1.0, gaps.y * gaps.y < TINY);
    if (difference >= TINY) { slope = (wanted.x - wanted.y) / difference; }
    return Beyond(slope * sigma.x - wanted.x, 1.0 - slope, 0.0, squared);
}

fn beyond_area(sigma: vec2<f32>, low: f32, high: f32) -> Beyond {
    let product = held_product(vec3<f32>(sigma, 0.0), 2u, low, high);
    let area = product.values.x * product.values.y;
    let inverse = 1.0 / max(area + product.mu, TINY);
    let inverse_area = 1.0 / max(area, TINY);
    let over = product.mu * inverse_area;
    let squares = dot(product.values.xy, product.values.xy);
    return Beyond(
        -product.mu * (product.values.y * inverse_area + sigma.x * inverse),
        product.mu * inverse,
        0.0,
        over * over * squares,
    );
}

fn columns_of(q: vec4<f32>) -> mat3x3<f32> {
    let twice = q.xyz + q.xyz;
    let w = q.w * twice;
    let xx = q.x * twice.x;
    let yy = q.y * twice.y;
    let zz = q.z * twice.z;
    let xy = q.x * twice.y;
    let xz = q.x * twice.z;
    let yz = q.y * twice.z;
    return mat3x3<f32>(
        vec3<f32>(1.0 - yy - zz, xy + w.z, xz - w.y),
        vec3<f32>(xy - w.z, 1.0 - xx - zz, yz + w.x),
        vec3<f32>(xz + w.y, yz - w.x, 1.0 - xx - yy),
    );
}

// The rotation nearest to F as a quaternion, from another one, by Newton's method: with B = RᵀF, a turn ω changes tr(RᵀF) by ω·g − ½ωᵀHω. It has no local maximum
// besides the global one.
fn nearest_rotation(f: mat3x3<f32>, begin: vec4<f32>) -> vec4<f32> {
    var q = begin;
    for (var k = 0; k < 40; k++) {
        let b = transpose(columns_of(q)) * f;
        // b[j][i] is row i, column j.
        let g = vec3<f32>(b[1][2] - b[2][1], b[2][0] - b[0][2], b[0][1] - b[1][0]);
        // 2H: h on its diagonal, −s off it.
        let h = 2.0 * vec3<f32>(b[1][1] + b[2][2], b[0][0] + b[2][2], b[0][0] + b[1][1]);
        let s01 = b[1][0] + b[0][1];
        let s02 = b[2][0] + b[0][2];
        let s12 = b[2][1] + b[1][2];
        let c00 = h.y * h.z - s12 * s12;
        let c01 = s01 * h.z + s02 * s12;
        let c02 = s02 * h.y + s01 * s12;
        let c11 = h.x * h.z - s02 * s02;
        let c12 = s12 * h.x + s01 * s02;
        let c22 = h.x * h.y - s01 * s01;
        let determinant = h.x * c00 - s01 * c01 - s02 * c02;
        let trace = h.x + h.y + h.z;
        let size = max(trace * trace * trace * 1e-5, 0.0);
        let is_indefinite = min(h.x, c22) < 0.0 || determinant <= size;
        // ω/2 = (2H)⁻¹g; where there is none a short way uphill, ½ adj(H) g.
        let inverse = 1.0 / select(determinant, 8.0, determinant < max(size, TINY));
        var turn = inverse * vec3<f32>(
            c00 * g.x + c01 * g.y + c02 * g.z,
            c01 * g.x + c11 * g.y + c12 * g.z,
            c02 * g.x + c12 * g.y + c22 * g.z,
        );
        let squared = dot(turn, turn);
        // At most a right angle at a time.
        if (squared > 1.0) { turn = turn * inverseSqrt(squared); }
        q = normalize(vec4<f32>(q.xyz + q.w * turn + cross(q.xyz, turn), q.w - dot(q.xyz, turn)));
        if (squared < 1e-6 && !is_indefinite) { break; }
    }
    return q;
}

// Eigenvalues of a symmetric matrix, descending.
fn eigenvalues(s: mat3x3<f32>) -> vec3<f32> {
    let mean = (s[0][0] + s[1][1] + s[2][2]) / 3.0;
    let d = vec3<f32>(s[0][0] - mean, s[1][1] - mean, s[2][2] - mean);
    let off = vec3<f32>(s[1][0], s[2][0], s[2][1]);
    let squared = (dot(d, d) + 2.0 * dot(off, off)) / 6.0;
    let p = sqrt(squared);
    let determinant = d.x * (d.y * d.z - off.z * off.z) - off.x * (off.x * d.z - off.z * off.y)
        + off.y * (off.x * off.z - d.y * off.y);
    // Where all are equal there is no angle, and any will do.
    let r = clamp(0.5 * determinant / max(squared * p, TINY), -1.0, 1.0);
    let u = sqrt(0.5 * (1.0 + r));
    // 2 cos(⅔ acos u), within 6e-8.
    var t = 0.002255272478083362;
    t = t * u - 0.012178691359401254;
    t = t * u + 0.03209456074283031;
    t = t * u - 0.06047079513948226;
    t = t * u + 0.10568281828395985;
    t = t * u - 0.22207702249413985;
    t = t * u + 1.1546938347392;
    t = t * u + 1.0000000520516616;
    let sine = sqrt(max(4.0 - t * t, 0.0) * 0.75);
    let largest = mean + p * t;
    return vec3<f32>(largest, min(mean + p * (sine - 0.5 * t), largest), mean - p * (sine + 0.5 * t));
}

fn beyond_limits(sigma: vec3<f32>, low: f32, high: f32) -> Beyond {
    let wanted = clamp(sigma, vec3<f32>(low), vec3<f32>(high));
    let gaps = sigma - wanted;
    let squared = dot(gaps, gaps);
    if (low == high) {
        return Beyond(-low, 1.0, 0.0, squared);
    }
    let slope = select(0.0, 1.0, gaps.y * gaps.y < TINY);
    var first = slope;
    var second = slope;
    if (sigma.x - sigma.y >= TINY) { first = (wanted.x - wanted.y) / (sigma.x - sigma.y); }
    if (sigma.y - sigma.z >= TINY) { second = (wanted.y - wanted.z) / (sigma.y - sigma.z); }
    let third = (first - second) / max(sigma.x - sigma.z, TINY);
    let constant_term = wanted.x - first * sigma.x + third * sigma.x * sigma.y;
    let linear = first - third * (sigma.x + sigma.y);
    return Beyond(-constant_term, 1.0 - linear, -third, squared);
}

fn beyond_volume(sigma: vec3<f32>, low: f32, high: f32) -> Beyond {
    let product = held_product(sigma, 3u, low, high);
    let mu = product.mu;
    let s = product.values;
    let ab = s.x * s.y;
    let bc = s.y * s.z;
    let ac = s.x * s.z;
    let rest = (bc + mu) * (ac + mu);
    let inverse = 1.0 / max((ab + mu) * rest, TINY);
    let volume = ab * s.z;
    let inverse_volume = 1.0 / max(volume, TINY);
    let inverse_first = rest * inverse;
    let square_term = volume * inverse;
    // 1/s as a polynomial in S, times −μ.
    let constant_term = bc * inverse_volume + sigma.x * inverse_first + square_term * sigma.x * sigma.y;
    let linear = -inverse_first - square_term * (sigma.x + sigma.y);
    let over = mu * inverse_volume;
    return Beyond(-mu * constant_term, -mu * linear, -mu * square_term, over * over * (bc * bc + ac * ac + ab * ab));
}
