// From numbers of things to the places where their lists begin: first the sums of chunks, then each chunk begins with the sum of those before it. Lists that would
// go beyond the limit are cut there.

// How many there are, and the limit, are the first two parameters.
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> chunks: array<u32>;
// One more than there are: where the last list ends. After it, how many there would have been without a limit.
@group(0) @binding(2) var<storage, read_write> firsts: array<u32>;

const EACH = 8u;
const CHUNK = 256u * EACH;

var<workgroup> sums: array<u32, 256>;

fn counted(number: u32) -> u32 {
    if (number >= parameters.first) {
        return 0u;
    }
    return counts[number];
}

fn add_up(thread: u32) {
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn sum_chunks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var sum = 0u;
    for (var k = 0u; k < EACH; k++) {
        sum += counted(group.x * CHUNK + k * 256u + thread);
    }
    sums[thread] = sum;
    add_up(thread);
    if (thread == 0u) {
        chunks[group.x] = sums[0];
    }
}

@compute @workgroup_size(256)
fn number_lists(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var sum = 0u;
    for (var chunk = thread; chunk < group.x; chunk += 256u) {
        sum += chunks[chunk];
    }
    sums[thread] = sum;
    add_up(thread);
    let before = sums[0];
    workgroupBarrier();
    let first = group.x * CHUNK + thread * EACH;
    sum = 0u;
    for (var k = 0u; k < EACH; k++) {
        sum += counted(first + k);
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var step = 1u; step < 256u; step *= 2u) {
        var earlier = 0u;
        if (thread >= step) {
            earlier = sums[thread - step];
        }
        workgroupBarrier();
        sums[thread] += earlier;
        workgroupBarrier();
    }
    var at = before + sums[thread] - sum;
    for (var k = 0u; k < EACH; k++) {
        let number = first + k;
        if (number <= parameters.first) {
            firsts[number] = min(at, parameters.second);
        }
        if (number == parameters.first) {
            firsts[number + 1u] = at;
        }
        at += counted(number);
    }
}
