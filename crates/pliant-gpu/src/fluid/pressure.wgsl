// The pressure of cells: conjugate gradients with the diagonal as preconditioner, see the engine's `matter/fluid/coarse.rs`.
//
// A dispatch is one iteration. Its two sums over all cells are those of one place [Chronopoulos & Gear 1989]: γ = r·u and δ = u·Au with u = D⁻¹r, from which
// α and β of the next iteration follow, and what neighbours will be is computed anew by each cell that needs it. So there is nothing to wait for within a dispatch.
//
// Phases: prime (u and Au of a new residual) → iterate, again and again → let go of cells that would pull → residual → prime …, at most ROUNDS times → done.

const PRIME = 0u;
const ITERATE = 1u;
const RESIDUAL = 2u;
const DONE = 3u;

@group(0) @binding(0) var<storage, read> grid: Grid;
@group(0) @binding(1) var<storage, read> entries: array<vec2<u32>>;
// r, A u, A p, and 1/diagonal, or 0 of cells that are held at no pressure.
@group(0) @binding(2) var<storage, read> vectors: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> next_vectors: array<vec4<f32>>;
// Pressure, p, right-hand side, diagonal.
@group(0) @binding(4) var<storage, read_write> unknowns: array<vec4<f32>>;
// Sums of workgroups, then two vectors: (phase, round, iteration, by how much cells are too stiff) and (γ, α, what the residual is compared with, dispatches).
@group(0) @binding(5) var<storage, read> sums: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> next_sums: array<vec4<f32>>;

var<workgroup> partial: array<vec4<f32>, SOLVERS>;

fn sum_all(thread: u32) -> vec4<f32> {
    workgroupBarrier();
    for (var half = SOLVERS / 2u; half > 0u; half /= 2u) {
        if (thread < half) {
            partial[thread] += partial[thread + half];
        }
        workgroupBarrier();
    }
    return partial[0];
}

fn value(lane: u32, cell: u32) -> f32 {
    return bitcast<f32>(entries[lane * STRIDE + cell].x);
}

fn centre(cell: u32) -> vec3<f32> {
    return vec3<f32>(value(ROW_X, cell), value(ROW_Y, cell), value(ROW_Z, cell));
}

// Diagonal and right-hand side, and by how much cells are too stiff.
@compute @workgroup_size(SOLVERS)
fn prepare_pressure(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var spread = vec2<f32>();
    for (var cell = group.x * SOLVERS + thread; cell < grid.occupied.x; cell += SOLVERS * PARTS) {
        let here = centre(cell);
        var diagonal = value(ROW_AIR, cell);
        spread.x += value(ROW_SPREAD, cell);
        for (var lane = 0u; lane < 27u; lane++) {
            let entry = entries[lane * STRIDE + cell];
            let weight = bitcast<f32>(entry.x);
            if (lane != 13u && weight > 0.0) {
                let apart = here - centre(entry.y);
                spread.y += weight * dot(apart, apart);
                diagonal += weight;
            }
        }
        diagonal *= 1.0 + REGULARISATION;
        let right = value(ROW_RIGHT, cell);
        var inverse = 0.0;
        if (diagonal > 0.0) {
            inverse = 1.0 / diagonal;
        }
        unknowns[cell] = vec4<f32>(0.0, 0.0, right, diagonal);
        next_vectors[cell] = vec4<f32>(select(0.0, right, diagonal > 0.0), 0.0, 0.0, inverse);
    }
    partial[thread] = vec4<f32>(spread, 0.0, 0.0);
    let total = sum_all(thread);
    if (thread == 0u) {
        next_sums[group.x] = total;
        if (group.x == 0u) {
            next_sums[PARTS] = vec4<f32>(f32(PRIME), 0.0, 0.0, 1.0);
            next_sums[PARTS + 1u] = vec4<f32>();
        }
    }
}

@compute @workgroup_size(SOLVERS)
fn solve_pressure(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var earlier = vec4<f32>();
    for (var part = thread; part < PARTS; part += SOLVERS) {
        earlier += sums[part];
    }
    partial[thread] = earlier;
    let found = sum_all(thread);
    workgroupBarrier();
    let control = sums[PARTS];
    let last = sums[PARTS + 1u];
    let phase = u32(control.x);
    var round = control.y;
    var iteration = control.z;
    var stiffer = control.w;
    var compared = last.z;
    var next_phase = phase;
    var alpha = 0.0;
    var beta = 0.0;
    var stops = false;
    if (phase == PRIME) {
        // The sums of `prepare_pressure`.
        if (round == 0.0 && found.x > 0.0) {
            stiffer = found.y / found.x;
        }
        iteration = 0.0;
        next_phase = ITERATE;
    } else if (phase == ITERATE) {
        if (iteration == 0.0) {
            compared = found.z;
        } else {
            beta = found.x / last.x;
        }
        var curvature = found.y;
        if (iteration > 0.0) {
            curvature -= beta * found.x / last.y;
        }
        alpha = found.x / curvature;
        stops = iteration >= MOST_ITERATIONS || found.x <= TOLERANCE * TOLERANCE * compared || !(curvature > 0.0);
        iteration += 1.0;
        if (stops) {
            next_phase = RESIDUAL;
        }
    } else if (phase == RESIDUAL) {
        if (found.x == 0.0 || round + 1.0 >= ROUNDS) {
            next_phase = DONE;
        } else {
            round += 1.0;
            next_phase = PRIME;
        }
    }
    var own_sums = vec4<f32>();
    if (next_phase != DONE) {
        for (var cell = group.x * SOLVERS + thread; cell < grid.occupied.x; cell += SOLVERS * PARTS) {
            let own = vectors[cell];
            var unknown = unknowns[cell];
            if (stops) {
                var inverse = own.w;
                if (unknown.x < 0.0) {
                    inverse = 0.0;
                    own_sums.x += 1.0;
                    unknown.x = 0.0;
                }
                unknowns[cell] = unknown;
                next_vectors[cell] = vec4<f32>(own.xyz, inverse);
            } else {
                // Σ a x of the residual's pressures, or Σ a u.
                var beside = 0.0;
                for (var lane = 0u; lane < 27u; lane++) {
                    let entry = entries[lane * STRIDE + cell];
                    let weight = bitcast<f32>(entry.x);
                    if (lane != 13u && weight > 0.0) {
                        if (phase == RESIDUAL) {
                            beside += weight * unknowns[entry.y].x;
                        } else {
                            let its = vectors[entry.y];
                            beside += weight * ((its.x - alpha * (its.y + beta * its.z)) * its.w);
                        }
                    }
                }
                if (phase == RESIDUAL) {
                    let residual = unknown.z - (unknown.w * unknown.x - beside);
                    next_vectors[cell] = vec4<f32>(select(0.0, residual, own.w > 0.0), 0.0, 0.0, own.w);
                } else {
                    let product = own.y + beta * own.z;
                    let residual = own.x - alpha * product;
                    let eased = residual * own.w;
                    let next = select(0.0, unknown.w * eased - beside, own.w > 0.0);
                    if (phase == ITERATE) {
                        unknown.y = own.x * own.w + beta * unknown.y;
                        unknown.x += alpha * unknown.y;
                    } else {
                        unknown.y = 0.0;
                        own_sums.z += unknown.z * unknown.z * own.w;
                    }
                    unknowns[cell] = unknown;
                    next_vectors[cell] = vec4<f32>(residual, next, product, own.w);
                    own_sums.x += residual * eased;
                    own_sums.y += next * eased;
                }
            }
        }
    }
    partial[thread] = own_sums;
    let total = sum_all(thread);
    if (thread == 0u) {
        next_sums[group.x] = total;
        if (group.x == 0u) {
            next_sums[PARTS] = vec4<f32>(f32(next_phase), round, iteration, stiffer);
            next_sums[PARTS + 1u] =
                vec4<f32>(found.x, alpha, compared, last.w + select(0.0, 1.0, next_phase != DONE));
        }
    }
}
