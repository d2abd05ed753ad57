// From the numbers of particles in cells to the places where cells begin, and to numbers for those cells that have any. First the sums of chunks, then
// each chunk begins with the sum of those before it.

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> grid: Grid;
// Particles and cells with particles, by chunk.
@group(0) @binding(2) var<storage, read_write> chunks: array<vec2<u32>>;
// Where each cell begins, and its number.
@group(0) @binding(3) var<storage, read_write> table: array<vec2<u32>>;
// Of each cell with particles where it is in the table, its first place and how many particles it has.
@group(0) @binding(4) var<storage, read_write> cells: array<vec4<u32>>;

const EACH = 8u;
const CHUNK = 256u * EACH;

var<workgroup> sums: array<vec2<u32>, 256>;

fn counted(cell: u32, total: u32) -> vec2<u32> {
    if (cell >= total) {
        return vec2<u32>();
    }
    let count = counts[cell];
    return vec2<u32>(count, select(0u, 1u, count > 0u));
}

@compute @workgroup_size(256)
fn sum_chunks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let total = grid.size.w;
    var sum = vec2<u32>();
    for (var k = 0u; k < EACH; k++) {
        sum += counted(group.x * CHUNK + k * 256u + thread, total);
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    if (thread == 0u) {
        chunks[group.x] = sums[0];
    }
}

@compute @workgroup_size(256)
fn number_cells(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let total = grid.size.w;
    // What comes before this chunk.
    var sum = vec2<u32>();
    for (var chunk = thread; chunk < group.x; chunk += 256u) {
        sum += chunks[chunk];
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    let before = sums[0];
    workgroupBarrier();
    let first = group.x * CHUNK + thread * EACH;
    sum = vec2<u32>();
    for (var k = 0u; k < EACH; k++) {
        sum += counted(first + k, total);
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var step = 1u; step < 256u; step *= 2u) {
        var earlier = vec2<u32>();
        if (thread >= step) {
            earlier = sums[thread - step];
        }
        workgroupBarrier();
        sums[thread] += earlier;
        workgroupBarrier();
    }
    var at = before + sums[thread] - sum;
    for (var k = 0u; k < EACH; k++) {
        let cell = first + k;
        // One more than there are: where the last one ends.
        if (cell <= total) {
            table[cell] = at;
        }
        let own = counted(cell, total);
        if (own.y > 0u) {
            cells[at.y] = vec4<u32>(cell, at.x, own.x, 0u);
        }
        at += own;
        if (cell + 1u == total) {
            table[total] = at;
            grid.occupied = vec4<u32>(at.y, 0u, 0u, 0u);
        }
    }
}
