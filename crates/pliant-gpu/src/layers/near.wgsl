// Lists the pairs that may come within the thickness of each other on their way and face each other, in rooms of the seekers, as in the engine's `contact/layers.rs`.

@group(0) @binding(4) var<storage, read_write> rooms: array<u32>;
@group(0) @binding(5) var<storage, read> anchors: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> safe: array<vec4<f32>>;
// Across each side of each triangle the third corner of the neighbour.
@group(0) @binding(7) var<storage, read> across: array<vec4<u32>>;

// Sine of the angle by which a neighbour must rise towards the vertex to be nearer.
const SLANT = 1e-3;

var<private> found: u32;

// Whether two sides that move and change linearly may come within a distance: not if one is beyond the other along an axis at both times.
fn may_meet(start: Quad, end: Quad, is_edges: bool, distance: f32) -> bool {
    let start_second = select(start.b, start.c, is_edges);
    let end_second = select(end.b, end.c, is_edges);
    let start_first = select(start.a, start.b, is_edges);
    let end_first = select(end.a, end.b, is_edges);
    let low = min(start.a, start_first) - distance;
    let high = max(start.a, start_first) + distance;
    let end_low = min(end.a, end_first) - distance;
    let end_high = max(end.a, end_first) + distance;
    let other_low = min(min(start.c, start.d), start_second);
    let other_high = max(max(start.c, start.d), start_second);
    let other_end_low = min(min(end.c, end.d), end_second);
    let other_end_high = max(max(end.c, end.d), end_second);
    let above = (low > other_high) & (end_low > other_end_high);
    let below = (other_low > high) & (other_end_low > end_high);
    return !any(above | below);
}

// How much nearer the sides could come on their way.
fn approach(start: Quad, end: Quad, is_edges: bool) -> f32 {
    let a = end.a - start.a;
    let b = end.b - start.b;
    let c = end.c - start.c;
    let d = end.d - start.d;
    let mean = 0.25 * (a + b + c + d);
    let of_b = length(b - mean);
    let first = max(length(a - mean), select(0.0, of_b, is_edges));
    let second = max(max(length(c - mean), length(d - mean)), select(of_b, 0.0, is_edges));
    return first + second;
}

fn local(vertex: u32, origin: u32) -> vec3<f32> {
    return (anchors[vertex].xyz - anchors[origin].xyz) + (safe[vertex].xyz - safe[origin].xyz);
}

// Whether the neighbour across a side of a triangle is nearer than the point on that side: then that is no contact.
fn slants(neighbour: u32, origin: u32, foot: vec3<f32>, offset: vec3<f32>) -> bool {
    if (neighbour == NOBODY) {
        return false;
    }
    let way = local(neighbour, origin) - foot;
    return dot(offset, way) > SLANT * length(offset) * length(way);
}

fn is_facing(number: u32, corners: vec4<u32>, nearest: Closest) -> bool {
    let weights = nearest.weights;
    if (own.is_edge) {
        // Ends of edges are vertices, and those have the triangles to touch; strands against each other have not.
        let strands = (own.corners.z & SEGMENT) != 0u && (corners.z & SEGMENT) != 0u;
        return strands || all(weights != vec4<f32>());
    }
    let around = across[number];
    let foot = -nearest.offset;
    let origin = own.corners.x;
    return !((weights.w == 0.0 && slants(around.x, origin, foot, nearest.offset))
        || (weights.y == 0.0 && slants(around.y, origin, foot, nearest.offset))
        || (weights.z == 0.0 && slants(around.z, origin, foot, nearest.offset)));
}

// Whether the closest points of two edges are certainly at an end of one: most edges near each other are neighbours in one layer, and their closest points are ends.
fn ends_are_closest(q: Quad, rounding: f32) -> bool {
    let first = q.b - q.a;
    let second = q.d - q.c;
    let way = q.a - q.c;
    let normal = cross(first, second);
    let squared = dot(normal, normal);
    let s = -dot(cross(way, second), normal);
    let t = -dot(cross(way, first), normal);
    let slack = 1e-3 * squared + 8.0 * rounding * (length(first) + length(second)) * sqrt(squared);
    return min(s, t) < -slack || max(s, t) > squared + slack;
}

fn consider(number: u32, corners: vec4<u32>) {
    let start = pair_at(corners, 0u);
    let end = pair_at(corners, 1u);
    let rounding = ROUNDING * max(size_of(start), size_of(end));
    if (!may_meet(start, end, own.is_edge, READY)) {
        return;
    }
    if (own.is_edge && (own.corners.z & corners.z & SEGMENT) == 0u && ends_are_closest(start, rounding)) {
        return;
    }
    let reach = READY + approach(start, end, own.is_edge);
    let way = between(start, own.is_edge);
    let width = slab(way, start, own.is_edge);
    if (width > (reach + rounding) * length(way)) {
        return;
    }
    let all_corners = corners_of(own.corners, corners, own.is_edge);
    let origin = all_corners.x;
    let exact = Quad(vec3<f32>(), local(all_corners.y, origin), local(all_corners.z, origin), local(all_corners.w, origin));
    let nearest = closest(exact, own.is_edge);
    let distance = length(nearest.offset);
    let may_move = (all_corners < vec4<u32>(FREE)) & (nearest.weights != vec4<f32>());
    if (!(distance > 0.0) || distance > reach || !any(may_move) || !is_facing(number, corners, nearest)) {
        return;
    }
    if (found < NEAR_ROOM) {
        rooms[(1u + found) * SEEKERS + own.seeker] = number;
    }
    found++;
}

@compute @workgroup_size(64)
fn list_near(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let seeker = thread_number(group, groups, thread, 64u);
    if (seeker >= SEEKERS) {
        return;
    }
    found = 0u;
    if (is_seeker(seeker) && take(seeker)) {
        seek(READY);
    }
    rooms[seeker] = min(found, NEAR_ROOM);
    if (found > NEAR_ROOM) {
        atomicAdd(&status[STATUS_DROPPED], found - NEAR_ROOM);
    }
}
