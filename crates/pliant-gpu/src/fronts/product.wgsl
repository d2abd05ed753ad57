// A panel of a front times a vector, for x, y and z at once. What the vector is, `vector_entry` tells.
//
// Threads are laid out as quads × slices: a thread has four rows, and the columns of its slice. It reads the first numbers before the vector is there, and
// then always one batch of four ahead. Sums over slices follow a fixed tree. Vector and sums share their memory: with more of it fewer workgroups run side by side,
// and on the largest GPU that was measured, four times as much took more than twice as long.

struct Front {
    columns: u32,
    rows: u32,
    // Place of its first column.
    first: u32,
    // Its vector u among those of all fronts.
    update: u32,
    // Where the starts of what its columns and rows gather from children are among the lists; 0 if it has no children.
    gather: u32,
    // Where the places of its rows are among the lists.
    row_places: u32,
    // Whether what is gathered has been summed up already.
    is_assembled: u32,
    // By what numbers of S⁻¹ were divided.
    scale: f32,
}

struct Parameters {
    first_task: u32,
    tasks: u32,
    unused_0: u32,
    unused_1: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> fronts: array<Front>;
// Front, first quad, quads, where the numbers begin.
@group(0) @binding(2) var<storage, read> tasks: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> lists: array<u32>;

// The vector, part by part; afterwards sums.
var<workgroup> pool: array<vec4<f32>, CHUNK>;

// Sums of a quad of rows.
struct Quad {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

// Quad k is for thread k.
fn multiply(task: vec4<u32>, front: Front, columns: u32, thread: u32) -> Quad {
    let quads = task.z;
    let slices = THREADS / quads;
    let quad = thread % quads;
    let slice = thread / quads;
    let stride = slices * quads;
    let zero = vec4<f32>();
    var x = zero;
    var y = zero;
    var z = zero;
    for (var begin = 0u; begin < columns; begin += CHUNK) {
        let count = min(CHUNK, columns - begin);
        var k = select(count, slice, slice < slices);
        var at = task.w + (begin + slice) * quads + quad;
        // The first numbers are asked for before the vector.
        var a = zero;
        var b = zero;
        var c = zero;
        var d = zero;
        if (k < count) { a = quad_at(at); }
        if (k + slices < count) { b = quad_at(at + stride); }
        if (k + 2u * slices < count) { c = quad_at(at + 2u * stride); }
        if (k + 3u * slices < count) { d = quad_at(at + 3u * stride); }
        for (var i = thread; i < count; i += THREADS) {
            pool[i] = vector_entry(task, front, begin + i);
        }
        workgroupBarrier();
        let last = count - 1u;
        while (k < count) {
            let p = pool[k];
            let q = pool[min(k + slices, last)];
            let r = pool[min(k + 2u * slices, last)];
            let s = pool[min(k + 3u * slices, last)];
            k += 4u * slices;
            at += 4u * stride;
            var next_a = zero;
            var next_b = zero;
            var next_c = zero;
            var next_d = zero;
            if (k + 3u * slices < count) {
                next_a = quad_at(at);
                next_b = quad_at(at + stride);
                next_c = quad_at(at + 2u * stride);
                next_d = quad_at(at + 3u * stride);
            } else {
                if (k < count) { next_a = quad_at(at); }
                if (k + slices < count) { next_b = quad_at(at + stride); }
                if (k + 2u * slices < count) { next_c = quad_at(at + 2u * stride); }
            }
            x += a * p.x + b * q.x + c * r.x + d * s.x;
            y += a * p.y + b * q.y + c * r.y + d * s.y;
            z += a * p.z + b * q.z + c * r.z + d * s.z;
            a = next_a;
            b = next_b;
            c = next_c;
            d = next_d;
        }
        workgroupBarrier();
    }
    pool[thread] = x;
    pool[THREADS + thread] = y;
    pool[2u * THREADS + thread] = z;
    workgroupBarrier();
    var left = slices;
    while (left > 1u) {
        let half = (left + 1u) / 2u;
        if (slice < left - half) {
            let other = thread + half * quads;
            pool[thread] += pool[other];
            pool[THREADS + thread] += pool[THREADS + other];
            pool[2u * THREADS + thread] += pool[2u * THREADS + other];
        }
        workgroupBarrier();
        left = half;
    }
    return Quad(pool[thread], pool[THREADS + thread], pool[2u * THREADS + thread]);
}

// A row of it.
fn row_of(quad: Quad, lane: u32) -> vec4<f32> {
    return vec4<f32>(quad.x[lane], quad.y[lane], quad.z[lane], 0.0);
}
