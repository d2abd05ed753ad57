// Second derivatives of energies of principal stretches, made positive semi-definite; formulas as in the engine (math/lanes/curvature.rs).
//
// With F = U Σ Vᵀ and an energy e(σ), the second derivative in M = Uᵀ dF V falls apart: a matrix for the diagonal of M, and for each pair a stiffness against
// twist and one against flip. What is negative of these is left out.

struct Modes {
    // Against changes of stretches, and of two of them together (01, 02, 12).
    stretch: vec3<f32>,
    pairs: vec3<f32>,
    twist: vec3<f32>,
    flip: vec3<f32>,
}

fn no_modes() -> Modes {
    return Modes(vec3<f32>(), vec3<f32>(), vec3<f32>(), vec3<f32>());
}

// Sums over the pairs 01, 02 and 12.
fn pair_sums(v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(v.x + v.y, v.x + v.z, v.y + v.z);
}

fn pair_gaps(v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(v.x - v.y, v.x - v.z, v.y - v.z);
}

fn pair_products(v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(v.x * v.y, v.x * v.z, v.y * v.z);
}

// Which of the three are stretches, and which pairs are of two of them.
fn stretches_of(count: u32) -> vec3<f32> {
    return select(vec3<f32>(1.0, 1.0, 0.0), vec3<f32>(1.0), count == 3u);
}

fn pairs_of(count: u32) -> vec3<f32> {
    return select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(1.0), count == 3u);
}

// What stretches beyond limits cost.
fn add_limits(before: Modes, weight: f32, sigma: vec3<f32>, count: u32, low: f32, high: f32) -> Modes {
    var modes = before;
    let is_stretch = stretches_of(count);
    let gaps = is_stretch * (sigma - clamp(sigma, vec3<f32>(low), vec3<f32>(high)));
    var slopes = vec3<f32>(weight);
    if (low < high) {
        slopes = select(vec3<f32>(weight), vec3<f32>(), gaps * gaps < vec3<f32>(TINY));
    }
    modes.stretch += is_stretch * slopes;
    modes.twist += weight * pair_sums(gaps);
    var flips = vec3<f32>(weight);
    if (low < high) {
        let differences = pair_gaps(sigma);
        let equal = vec3<f32>(slopes.y, slopes.z, slopes.z);
        flips = select(weight * pair_gaps(gaps) / max(differences, vec3<f32>(1e-6)), equal, differences < vec3<f32>(1e-6));
    }
    modes.flip += pairs_of(count) * flips;
    return modes;
}

// What a product of stretches that is held costs.
fn add_product(before: Modes, weight: f32, product: Product, count: u32) -> Modes {
    var modes = before;
    let is_stretch = stretches_of(count);
    let mu = product.mu;
    let s = product.values;
    // Where stretches along the product's surface could lower the energy.
    let along = max(mu, 0.0);
    let u = is_stretch / max(s, vec3<f32>(1e-6));
    let pulled = along * u * u;
    let inverse = 1.0 / max(1.0 + pulled, vec3<f32>(1e-6));
    let over = u * inverse;
    modes.stretch += weight * pulled * inverse;
    let share = weight / max(dot(over, u), TINY);
    modes.stretch += share * over * over;
    modes.pairs += share * pair_products(over);
    modes.twist -= weight * mu * pair_sums(u);
    modes.flip += pairs_of(count) * weight * mu / max(pair_products(s) + mu, vec3<f32>(TINY));
    return modes;
}

// From sums of forces to stiffness against twist. Against turning out of a plane flips are as stiff as twists.
fn finish_modes(before: Modes, sigma: vec3<f32>, count: u32) -> Modes {
    var modes = before;
    modes.twist = max(modes.twist / max(pair_sums(sigma), vec3<f32>(1e-6)), vec3<f32>());
    modes.flip = select(modes.twist, max(modes.flip, vec3<f32>()), pairs_of(count) > vec3<f32>());
    return modes;
}

// The block between two edges whose gradients in the frame of V are x and y.
fn mode_block(modes: Modes, u: mat3x3<f32>, x: vec3<f32>, y: vec3<f32>) -> mat3x3<f32> {
    let mean = 0.5 * (modes.flip + modes.twist);
    let gap = 0.5 * (modes.flip - modes.twist);
    let s = modes.stretch;
    let c = modes.pairs;
    let p = x * y;
    let b = mat3x3<f32>(
        vec3<f32>(
            s.x * p.x + mean.x * p.y + mean.y * p.z,
            c.x * x.y * y.x + gap.x * x.x * y.y,
            c.y * x.z * y.x + gap.y * x.x * y.z,
        ),
        vec3<f32>(
            c.x * x.x * y.y + gap.x * x.y * y.x,
            s.y * p.y + mean.x * p.x + mean.z * p.z,
            c.z * x.z * y.y + gap.z * x.y * y.z,
        ),
        vec3<f32>(
            c.y * x.x * y.z + gap.y * x.z * y.x,
            c.z * x.y * y.z + gap.z * x.z * y.y,
            s.z * p.z + mean.y * p.x + mean.z * p.y,
        ),
    );
    return u * b * transpose(u);
}

fn write_block(number: u32, block: mat3x3<f32>) {
    blocks[3u * number] = vec4<f32>(block[0], 0.0);
    blocks[3u * number + 1u] = vec4<f32>(block[1], 0.0);
    blocks[3u * number + 2u] = vec4<f32>(block[2], 0.0);
}
