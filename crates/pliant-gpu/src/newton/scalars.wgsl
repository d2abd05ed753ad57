// What conjugate gradients know of themselves, and sums that decide how they go on.

struct Scalars {
    // r·z, and the factors of the next direction and of the next step along it.
    rho: f32,
    beta: f32,
    alpha: f32,
    // r·z at the start; where a residual is small enough; what it is measured by if that is more.
    begun_with: f32,
    enough: f32,
    beside: f32,
    tolerance: f32,
    iterations: u32,
    is_done: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

struct Parameters {
    count: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> sums: array<f32>;
@group(0) @binding(1) var<storage, read_write> scalars: array<Scalars>;

var<workgroup> parts: array<f32, 256>;

fn sum_of_all(thread: u32, first: u32) -> f32 {
    var sum = 0.0;
    for (var k = thread; k < parameters.count; k += 256u) {
        sum += sums[first + k];
    }
    parts[thread] = sum;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            parts[thread] += parts[thread + half];
        }
        workgroupBarrier();
    }
    let total = parts[0];
    workgroupBarrier();
    return total;
}

fn is_usable(number: f32) -> bool {
    return number > 0.0 && number < 3e38;
}

// With g·b and g·Hg: the share of a guess that a solve begins with.
@compute @workgroup_size(256)
fn guess_length(@builtin(local_invocation_index) thread: u32) {
    let along = sum_of_all(thread, 0u);
    let curvature = sum_of_all(thread, parameters.count);
    if (thread == 0u) {
        scalars[0].alpha = select(0.0, along / curvature, is_usable(along) && is_usable(curvature));
    }
}

// With r·z: the next direction.
@compute @workgroup_size(256)
fn next_direction(@builtin(local_invocation_index) thread: u32) {
    let next = sum_of_all(thread, 0u);
    if (thread > 0u) {
        return;
    }
    var now = scalars[0];
    if (now.is_done == 0u) {
        if (now.iterations == 0u) {
            now.begun_with = next;
            now.enough = max(next, now.beside) * now.tolerance * now.tolerance;
        }
        now.beta = 0.0;
        if (!is_usable(next)) {
            now.is_done = 1u;
        } else if (now.iterations > 0u) {
            now.beta = next / now.rho;
        }
        now.rho = next;
    } else {
        now.beta = 0.0;
    }
    scalars[0] = now;
}

// With p·Hp: the length of the step along it.
@compute @workgroup_size(256)
fn next_length(@builtin(local_invocation_index) thread: u32) {
    let curvature = sum_of_all(thread, 0u);
    if (thread > 0u) {
        return;
    }
    var now = scalars[0];
    now.alpha = 0.0;
    if (now.is_done == 0u) {
        if (is_usable(curvature)) {
            now.alpha = now.rho / curvature;
            now.iterations += 1u;
            // What it took to see that the residual was small enough is most of an iteration, so that one is made.
            now.is_done = select(0u, 1u, now.rho <= now.enough);
        } else {
            now.is_done = 1u;
        }
    }
    scalars[0] = now;
}
