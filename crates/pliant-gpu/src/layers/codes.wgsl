// Codes of elements along a curve through the box around all vertices, so that what is near in space is near in the order of codes.

@group(0) @binding(0) var<storage, read> elements: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> points: array<vec4<f32>>;
// Lower and upper corners by workgroups; then of all.
@group(0) @binding(2) var<storage, read_write> corners: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> order: array<u32>;

var<workgroup> lows: array<vec4<f32>, 256>;
var<workgroup> highs: array<vec4<f32>, 256>;

fn join_all(thread: u32) {
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            lows[thread] = min(lows[thread], lows[thread + half]);
            highs[thread] = max(highs[thread], highs[thread + half]);
        }
        workgroupBarrier();
    }
}

@compute @workgroup_size(256)
fn box_parts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var low = vec4<f32>(FAR);
    var high = vec4<f32>(-FAR);
    for (var v = group.x * 256u + thread; v < PLACES; v += 256u * PARTS) {
        low = min(low, points[2u * v]);
        high = max(high, points[2u * v]);
    }
    lows[thread] = low;
    highs[thread] = high;
    join_all(thread);
    if (thread == 0u) {
        corners[2u * group.x] = lows[0];
        corners[2u * group.x + 1u] = highs[0];
    }
}

@compute @workgroup_size(256)
fn box_of_all(@builtin(local_invocation_index) thread: u32) {
    lows[thread] = vec4<f32>(FAR);
    highs[thread] = vec4<f32>(-FAR);
    if (thread < PARTS) {
        lows[thread] = corners[2u * thread];
        highs[thread] = corners[2u * thread + 1u];
    }
    join_all(thread);
    if (thread == 0u) {
        corners[2u * PARTS] = lows[0];
        corners[2u * PARTS + 1u] = highs[0];
    }
}

// Each bit of a number three places from the next.
fn spread(number: u32) -> u32 {
    var sum = 0u;
    for (var bit = 0u; bit < 7u; bit++) {
        sum |= ((number >> bit) & 1u) << (3u * bit);
    }
    return sum;
}

@compute @workgroup_size(128)
fn encode(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = thread_number(group, groups, thread, 128u);
    if (number >= TRIANGLES + EDGES) {
        return;
    }
    let own = elements[number];
    let is_edge = number >= TRIANGLES;
    let ends = points[2u * own.x].xyz + points[2u * own.y].xyz;
    var middle = 0.5 * ends;
    if (!is_edge) {
        middle = (ends + points[2u * own.z].xyz) / 3.0;
    }
    let low = corners[2u * PARTS].xyz;
    let size = corners[2u * PARTS + 1u].xyz - low;
    let scale = 127.0 / max(max(size.x, max(size.y, size.z)), 1e-30);
    let cell = vec3<u32>(clamp((middle - low) * scale, vec3<f32>(), vec3<f32>(127.0)));
    // Triangles before edges.
    keys[number] = spread(cell.x) | (spread(cell.y) << 1u) | (spread(cell.z) << 2u) | select(0u, 0x200000u, is_edge);
    order[number] = number - select(0u, TRIANGLES, is_edge);
}
