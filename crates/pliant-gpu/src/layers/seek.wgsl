// Looks through the trees for what may touch a seeker, and hands it to `consider`, which the next file has.

@group(0) @binding(0) var<storage, read> elements: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> nodes: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> status: array<atomic<u32>>;

fn status_of(word: u32) -> u32 {
    return atomicLoad(&status[word]);
}

struct Own {
    seeker: u32,
    is_edge: bool,
    corners: vec4<u32>,
    // Where its corners are and where they are to go; a vertex is its own other end.
    start: array<vec3<f32>, 2>,
    end: array<vec3<f32>, 2>,
    has_changed: bool,
}

var<private> own: Own;

fn low_of_own() -> vec3<f32> {
    return min(min(own.start[0], own.end[0]), min(own.start[1], own.end[1]));
}

fn high_of_own() -> vec3<f32> {
    return max(max(own.start[0], own.end[0]), max(own.start[1], own.end[1]));
}

// Takes a seeker; whether its way is finite.
fn take(seeker: u32) -> bool {
    own.seeker = seeker;
    own.is_edge = seeker >= FIRST_EDGE;
    own.corners = elements[select(TRIANGLES + EDGES + seeker, TRIANGLES + seeker - FIRST_EDGE, own.is_edge)];
    let first = own.corners.x;
    let second = select(own.corners.x, own.corners.y, own.is_edge);
    let start = points[2u * first];
    let end = points[2u * first + 1u];
    let other_start = points[2u * second];
    let other_end = points[2u * second + 1u];
    own.start[0] = start.xyz;
    own.start[1] = other_start.xyz;
    own.end[0] = end.xyz;
    own.end[1] = other_end.xyz;
    own.has_changed = max(end.w, other_end.w) > 0.0;
    return min(start.w, other_start.w) > 0.0;
}

// The corners of the pair with another element, at the start or at the end.
fn pair_at(corners: vec4<u32>, time: u32) -> Quad {
    var q: Quad;
    q.a = select(own.start[0], own.end[0], time == 1u);
    if (own.is_edge) {
        q.b = select(own.start[1], own.end[1], time == 1u);
        q.c = points[2u * corners.x + time].xyz;
        q.d = points[2u * corners.y + time].xyz;
    } else {
        q.b = points[2u * corners.x + time].xyz;
        q.c = points[2u * corners.y + time].xyz;
        q.d = points[2u * corners.z + time].xyz;
    }
    return q;
}

// Considers all elements whose boxes come nearer than a distance to that of the seeker, and that may touch it.
fn seek(distance: f32) {
    let low = low_of_own();
    let high = high_of_own();
    let reach = distance + ROUNDING * max(largest(low), largest(high));
    let lower = low - reach;
    let upper = high + reach;
    var at = select(0u, TRIANGLE_NODES, own.is_edge);
    let end = select(TRIANGLE_NODES, TRIANGLE_NODES + EDGE_NODES, own.is_edge);
    // Of two edges the one with the lower number looks for the other.
    let least = select(0u, own.seeker - FIRST_EDGE + 1u, own.is_edge);
    while (at < end) {
        // Threads go on to their next leaf before any looks at one: so they look at leaves together.
        var number = NOBODY;
        while (at < end && number == NOBODY) {
            let first = nodes[2u * at];
            let second = nodes[2u * at + 1u];
            let marks = bitcast<u32>(second.w);
            let highest = bitcast<u32>(first.w) & NUMBER;
            let meets = all(lower <= second.xyz) && all(first.xyz <= upper) && highest >= least;
            if (meets && (own.has_changed || (marks & HAS_CHANGED) != 0u)) {
                at += 1u;
                if ((marks & IS_LEAF) != 0u) {
                    number = highest;
                }
            } else {
                at = marks & NEXT;
            }
        }
        if (number != NOBODY) {
            let corners = elements[select(number, TRIANGLES + number, own.is_edge)];
            if (may_touch(own.corners, corners, own.is_edge)) {
                consider(number, corners);
            }
        }
    }
}
