// A pass of a sort by four bits of the key, which keeps the order of those that are equal: counts in blocks, then, with the sums of these, places.

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> order: array<u32>;
// Of each value of the bits the number of keys in each block; for `scatter` where they begin.
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted_order: array<u32>;

// Keys of a thread; those of a block are four times 256.
const EACH = 4u;
const BLOCK = 1024u;

// Counts of sixteen values, two in a word.
struct Counts {
    low: vec4<u32>,
    high: vec4<u32>,
}

var<workgroup> lows: array<vec4<u32>, 256>;
var<workgroup> highs: array<vec4<u32>, 256>;

fn value_of(key: u32) -> u32 {
    return (key >> parameters.first) & 15u;
}

fn counted(first: u32) -> Counts {
    var counts_of = Counts(vec4<u32>(), vec4<u32>());
    for (var k = 0u; k < EACH; k++) {
        if (first + k < TRIANGLES + EDGES) {
            let value = value_of(keys[first + k]);
            let one = 1u << (16u * (value & 1u));
            if (value < 8u) {
                counts_of.low[value / 2u] += one;
            } else {
                counts_of.high[value / 2u - 4u] += one;
            }
        }
    }
    return counts_of;
}

fn count_of(low: vec4<u32>, high: vec4<u32>, value: u32) -> u32 {
    var word = high[(value / 2u) & 3u];
    if (value < 8u) {
        word = low[value / 2u];
    }
    return (word >> (16u * (value & 1u))) & 0xffffu;
}

@compute @workgroup_size(256)
fn count_values(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let own = counted(group.x * BLOCK + EACH * thread);
    lows[thread] = own.low;
    highs[thread] = own.high;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            lows[thread] += lows[thread + half];
            highs[thread] += highs[thread + half];
        }
        workgroupBarrier();
    }
    if (thread < 16u) {
        counts[thread * BLOCKS + group.x] = count_of(lows[0], highs[0], thread);
    }
}

@compute @workgroup_size(256)
fn scatter(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = group.x * BLOCK + EACH * thread;
    let own = counted(first);
    lows[thread] = own.low;
    highs[thread] = own.high;
    workgroupBarrier();
    for (var step = 1u; step < 256u; step *= 2u) {
        var low = vec4<u32>();
        var high = vec4<u32>();
        if (thread >= step) {
            low = lows[thread - step];
            high = highs[thread - step];
        }
        workgroupBarrier();
        lows[thread] += low;
        highs[thread] += high;
        workgroupBarrier();
    }
    // Those of the threads before.
    var low = lows[thread] - own.low;
    var high = highs[thread] - own.high;
    for (var k = 0u; k < EACH; k++) {
        if (first + k >= TRIANGLES + EDGES) {
            break;
        }
        let key = keys[first + k];
        let value = value_of(key);
        let place = counts[value * BLOCKS + group.x] + count_of(low, high, value);
        sorted_keys[place] = key;
        sorted_order[place] = order[first + k];
        let one = 1u << (16u * (value & 1u));
        if (value < 8u) {
            low[value / 2u] += one;
        } else {
            high[value / 2u - 4u] += one;
        }
    }
}
