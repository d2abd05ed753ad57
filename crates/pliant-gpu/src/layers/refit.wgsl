// Boxes of the trees, five levels at a time: from elements, or from the nodes of a level.

@group(0) @binding(0) var<storage, read> elements: array<vec4<u32>>;
// Elements in the order of leaves: triangles, then edges.
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> nodes: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> status: array<u32>;

struct Box {
    low: vec4<f32>,
    high: vec4<f32>,
}

// Their last numbers are the highest number of an element, and whether something has changed.
var<workgroup> lows: array<vec4<f32>, 256>;
var<workgroup> highs: array<vec4<f32>, 256>;

fn nothing() -> Box {
    return Box(vec4<f32>(vec3<f32>(3e38), bitcast<f32>(ORDINARY)), vec4<f32>(vec3<f32>(-3e38), bitcast<f32>(ORDINARY)));
}

fn joined(a: Box, b: Box) -> Box {
    let highest = max(bitcast<u32>(a.low.w), bitcast<u32>(b.low.w));
    let marks = bitcast<u32>(a.high.w) | bitcast<u32>(b.high.w);
    return Box(
        vec4<f32>(min(a.low.xyz, b.low.xyz), bitcast<f32>(highest)),
        vec4<f32>(max(a.high.xyz, b.high.xyz), bitcast<f32>(marks)),
    );
}

// The box around the ways of an element's corners.
fn box_of(number: u32, is_edges: bool) -> Box {
    let corners = elements[select(number, TRIANGLES + number, is_edges)];
    var low = vec3<f32>(3e38);
    var high = vec3<f32>(-3e38);
    var finite = 1.0;
    var changed = 0.0;
    for (var k = 0u; k < 3u; k++) {
        if (k == 2u && is_edges) {
            break;
        }
        let start = points[2u * corners[k]];
        let end = points[2u * corners[k] + 1u];
        low = min(low, min(start.xyz, end.xyz));
        high = max(high, max(start.xyz, end.xyz));
        finite = min(finite, start.w);
        changed = max(changed, end.w);
    }
    if (finite == 0.0) {
        return nothing();
    }
    let rounding = ROUNDING * max(largest(low), largest(high));
    let marks = ORDINARY | select(0u, HAS_CHANGED, changed > 0.0);
    return Box(
        vec4<f32>(low - rounding, bitcast<f32>(ORDINARY | number)),
        vec4<f32>(high + rounding, bitcast<f32>(marks)),
    );
}

fn write(node: u32, own: Box, next: u32, marks: u32) {
    nodes[2u * node] = own.low;
    nodes[2u * node + 1u] = vec4<f32>(own.high.xyz, bitcast<f32>((bitcast<u32>(own.high.w) & HAS_CHANGED) | ORDINARY | next | marks));
}

@compute @workgroup_size(256)
fn refit(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let pass_number = parameters.first;
    // The level whose boxes are known, 0 for elements; workgroups of the first tree.
    let level = parameters.second;
    let of_triangles = parameters.third;
    let is_asked = is_asked_for(pass_number);
    var group = id.x + id.y * groups.x;
    let is_edges = group >= of_triangles;
    group -= select(0u, of_triangles, is_edges);
    let leaves = select(TRIANGLES, EDGES, is_edges);
    let levels = select(TRIANGLE_LEVELS, EDGE_LEVELS, is_edges);
    let base = select(0u, TRIANGLE_NODES, is_edges);
    let total = select(TRIANGLE_NODES, EDGE_NODES, is_edges);
    let units = (leaves + (1u << (2u * level)) - 1u) >> (2u * level);
    var own = nothing();
    if (is_asked) {
        for (var k = 0u; k < 4u; k++) {
            let number = group * 1024u + 4u * thread + k;
            if (number >= units) {
                break;
            }
            if (level == 0u) {
                let element = order[select(number, TRIANGLES + number, is_edges)];
                let leaf = box_of(element, is_edges);
                let at = base + node_at(0u, number, levels);
                write(at, leaf, base + node_after(0u, number, levels, leaves, total), IS_LEAF);
                own = joined(own, leaf);
            } else {
                let at = base + node_at(level, number, levels);
                own = joined(own, Box(nodes[2u * at], nodes[2u * at + 1u]));
            }
        }
    }
    // The level above, from 256 boxes, then from 64 and so on.
    var width = 256u;
    for (var above = level + 1u; above <= level + 5u; above++) {
        let number = group * width + thread;
        let count = (leaves + (1u << (2u * above)) - 1u) >> (2u * above);
        if (is_asked && above <= levels && thread < width && number < count) {
            write(base + node_at(above, number, levels), own, base + node_after(above, number, levels, leaves, total), 0u);
        }
        lows[thread] = own.low;
        highs[thread] = own.high;
        workgroupBarrier();
        width /= 4u;
        if (thread < width) {
            own = Box(lows[4u * thread], highs[4u * thread]);
            for (var k = 1u; k < 4u; k++) {
                own = joined(own, Box(lows[4u * thread + k], highs[4u * thread + k]));
            }
        }
        workgroupBarrier();
    }
}
