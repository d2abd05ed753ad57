// Pairs of two convex sides, a vertex and a triangle or two edges: their closest points, and slabs of space between them, as in the engine's `proximity`.
// Differences of corners are exact but for a few units in the last place, so what is proved with a margin for rounding holds for the true positions.

// The corners of a pair, those of the first side first: one of a vertex and a triangle, two of two edges.
struct Quad {
    a: vec3<f32>,
    b: vec3<f32>,
    c: vec3<f32>,
    d: vec3<f32>,
}

struct Closest {
    // Weights of the corners: 1 in sum on the first side, −1 on the second.
    weights: vec4<f32>,
    // From the second side's closest point to the first's.
    offset: vec3<f32>,
}

// Sine squared of an angle below which a cross product says little.
const NEARLY_PARALLEL = 1e-9;
// Share of a gap that a movement must leave, and that of a gap below the floor.
const LEFT = 0.1;
const LEFT_BELOW_FLOOR = 0.999;
// Rounding of a coordinate of a corner in a frame of its own, over the size of the numbers that it was made from; with room to spare.
const ROUNDING = 1e-6;
// Gaps below so many times the rounding are not told from none.
const CERTAIN = 10.0;
const FAR = 3e38;

fn first_of(is_edges: bool, own: f32, other: f32) -> f32 {
    return select(other, own, is_edges);
}

fn largest(v: vec3<f32>) -> f32 {
    return max(abs(v.x), max(abs(v.y), abs(v.z)));
}

// The largest coordinate of a corner.
fn size_of(q: Quad) -> f32 {
    return max(max(largest(q.a), largest(q.b)), max(largest(q.c), largest(q.d)));
}

fn heights(direction: vec3<f32>, q: Quad) -> vec4<f32> {
    return vec4<f32>(0.0, dot(direction, q.b - q.a), dot(direction, q.c - q.a), dot(direction, q.d - q.a));
}

// Width of the slab with these heights of corners that has the first side above and the second below; negative if they overlap.
fn width_of(height: vec4<f32>, is_edges: bool) -> f32 {
    let low = min(height.x, select(FAR, height.y, is_edges));
    let high = max(max(height.z, height.w), select(height.y, -FAR, is_edges));
    return low - high;
}

fn slab(direction: vec3<f32>, q: Quad, is_edges: bool) -> f32 {
    return width_of(heights(direction, q), is_edges);
}

// The way from the middle of the second side to that of the first.
fn between(q: Quad, is_edges: bool) -> vec3<f32> {
    let vertex = ((q.a - q.b) + (q.a - q.c) + (q.a - q.d)) / 3.0;
    let edges = ((q.a - q.c) + (q.b - q.d)) * 0.5;
    return select(vertex, edges, is_edges);
}

// Place of the point of a segment nearest to p, as a share of it.
fn nearest_share(p: vec3<f32>, a: vec3<f32>, b: vec3<f32>) -> f32 {
    let along = dot(p - a, b - a);
    let squared = dot(b - a, b - a);
    return select(0.0, clamp(along / squared, 0.0, 1.0), squared > 0.0);
}

fn nearer(own: Closest, other: Closest) -> Closest {
    if (dot(other.offset, other.offset) < dot(own.offset, own.offset)) {
        return other;
    }
    return own;
}

fn on_triangle(q: Quad, u: f32, v: f32, w: f32) -> Closest {
    return Closest(vec4<f32>(1.0, -u, -v, -w), (q.a - q.b) * u + (q.a - q.c) * v + (q.a - q.d) * w);
}

fn closest_vertex_triangle(q: Quad) -> Closest {
    let ab = q.c - q.b;
    let ac = q.d - q.b;
    let ap = q.a - q.b;
    let normal = cross(ab, ac);
    let area = dot(normal, normal);
    if (area > NEARLY_PARALLEL * dot(ab, ab) * dot(ac, ac)) {
        let v = dot(cross(ap, ac), normal) / area;
        let w = dot(cross(ab, ap), normal) / area;
        if (v >= 0.0 && w >= 0.0 && v + w <= 1.0) {
            // Along the normal, whose direction has more digits than a short difference.
            return Closest(vec4<f32>(1.0, v + w - 1.0, -v, -w), normal * (dot(ap, normal) / area));
        }
    }
    let t = nearest_share(q.a, q.b, q.c);
    let s = nearest_share(q.a, q.c, q.d);
    let r = nearest_share(q.a, q.d, q.b);
    let best = nearer(on_triangle(q, 1.0 - t, t, 0.0), on_triangle(q, 0.0, 1.0 - s, s));
    return nearer(best, on_triangle(q, r, 0.0, 1.0 - r));
}

fn on_edges(q: Quad, s: f32, t: f32) -> Closest {
    return Closest(vec4<f32>(1.0 - s, s, t - 1.0, -t), (q.a - q.c) * (1.0 - s) + (q.b - q.c) * s + (q.c - q.d) * t);
}

fn closest_edge_edge(q: Quad) -> Closest {
    let own = q.b - q.a;
    let other = q.d - q.c;
    let way = q.a - q.c;
    let normal = cross(own, other);
    let squared = dot(normal, normal);
    if (squared > NEARLY_PARALLEL * dot(own, own) * dot(other, other)) {
        let s = -dot(cross(way, other), normal) / squared;
        let t = -dot(cross(way, own), normal) / squared;
        if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
            return Closest(vec4<f32>(1.0 - s, s, t - 1.0, -t), normal * (dot(way, normal) / squared));
        }
    }
    let begin = on_edges(q, 0.0, nearest_share(q.a, q.c, q.d));
    let end = on_edges(q, 1.0, nearest_share(q.b, q.c, q.d));
    let other_begin = on_edges(q, nearest_share(q.c, q.a, q.b), 0.0);
    let other_end = on_edges(q, nearest_share(q.d, q.a, q.b), 1.0);
    return nearer(nearer(begin, end), nearer(other_begin, other_end));
}

fn closest(q: Quad, is_edges: bool) -> Closest {
    if (is_edges) {
        return closest_edge_edge(q);
    }
    return closest_vertex_triangle(q);
}

// What must be left of a gap.
fn keep_of(gap: f32) -> f32 {
    return max(LEFT * gap, min(LEFT_BELOW_FLOOR * gap, FLOOR));
}

// The empty slab between the sides of a pair at its safe positions.
struct Gap {
    // From the second side to the first; about a unit vector.
    normal: vec3<f32>,
    // At least so wide; 0 where it is not certain that there is one.
    width: f32,
    keep: f32,
}

fn gap_of(start: Quad, is_edges: bool, rounding: f32) -> Gap {
    let offset = closest(start, is_edges).offset;
    let distance = length(offset);
    if (!(distance > 0.0)) {
        return Gap(vec3<f32>(), 0.0, 0.0);
    }
    let normal = offset / distance;
    let width = slab(normal, start, is_edges) - rounding;
    if (!(width > CERTAIN * rounding)) {
        return Gap(normal, 0.0, 0.0);
    }
    return Gap(normal, width, keep_of(width));
}

// Whether a slab that is open at the start still is at the end, and with it all the time between: heights are linear, and the least of linear functions is concave.
fn stays_open(start: Quad, end: Quad, is_edges: bool, rounding: f32) -> bool {
    // The way between the middles tells most pairs apart, and is longer than the gap can be.
    let way = between(start, is_edges);
    let far = length(way);
    let open = slab(way, start, is_edges) > rounding * far;
    if (open && slab(way, end, is_edges) >= (max(LEFT * far, FLOOR) + rounding) * far) {
        return true;
    }
    let gap = gap_of(start, is_edges, rounding);
    return gap.width > 0.0 && slab(gap.normal, end, is_edges) >= gap.keep + rounding;
}

// Whether two sides are apart along the way between their middles while each corner makes any part of its movement, in a frame that stands.
fn stays_open_anyhow(start: Quad, end: Quad, is_edges: bool, rounding: f32) -> bool {
    let way = between(start, is_edges);
    let far = length(way);
    let begin = heights(way, start);
    let over = vec4<f32>(dot(way, end.a - start.a), dot(way, end.b - start.a), dot(way, end.c - start.a), dot(way, end.d - start.a));
    let lower = min(begin, over);
    let upper = max(begin, over);
    let low = min(lower.x, select(FAR, lower.y, is_edges));
    let high = max(max(upper.z, upper.w), select(upper.y, -FAR, is_edges));
    return low - high >= (max(LEFT * far, FLOOR) + rounding) * far && far > 0.0;
}

// Share of a distance at which an impact is near, and of a safe step that is taken; steps before it counts as an impact.
const NEAR_IMPACT = 0.1;
const CAUTION = 0.9;
const MOST_STEPS = 24u;

// Whether two sides that turn stay further apart than `keep`: by steps, each as long as the slab across their closest points lasts.
fn never_meets(begin: Quad, end: Quad, is_edges: bool, keep: f32, rounding: f32) -> bool {
    // Seen from the first corner.
    let start = Quad(vec3<f32>(), begin.b - begin.a, begin.c - begin.a, begin.d - begin.a);
    let over = Quad(vec3<f32>(), end.b - end.a, end.c - end.a, end.d - end.a);
    let movement = Quad(vec3<f32>(), over.b - start.b, over.c - start.c, over.d - start.d);
    var time = 0.0;
    var first_left = 0.0;
    for (var step = 0u; step < MOST_STEPS; step++) {
        let moved = Quad(vec3<f32>(), start.b + time * movement.b, start.c + time * movement.c, start.d + time * movement.d);
        let offset = closest(moved, is_edges).offset;
        let distance = length(offset);
        let left = distance - keep - rounding;
        if (step == 0u) {
            first_left = left;
        }
        if (!(left > 0.0) || left < NEAR_IMPACT * first_left) {
            return false;
        }
        let n = offset / distance;
        let height = heights(n, moved);
        let speed = vec4<f32>(0.0, dot(n, movement.b), dot(n, movement.c), dot(n, movement.d));
        var lasts = FAR;
        for (var upper = 0u; upper < 2u; upper++) {
            for (var lower = 1u; lower < 4u; lower++) {
                let is_pair = select(upper == 0u, lower > 1u, is_edges);
                let closing = speed[lower] - speed[upper];
                if (is_pair && closing > 0.0) {
                    let open = height[upper] - height[lower] - keep - rounding;
                    lasts = min(lasts, max(open, 0.0) / closing);
                }
            }
        }
        time += CAUTION * lasts;
        if (time >= 1.0) {
            return true;
        }
    }
    return false;
}
