// How far a place is from a collider, which moves from one pose to another in a substep; formulas as in the engine (mesh/sdf/shapes.rs, collide/).
//
// A collider has eight rows: position at the start, kind; rotation at the start; position at the end, angle between both; rotation at the end; sizes, thickness;
// friction, restitution, steepness, unused; corner and spacing of a grid; its counts, and where its values begin. Values come after all rows, four in each.

@group(0) @binding(0) var<storage, read> colliders: array<vec4<f32>>;

const PLANE = 0u;
const SPHERE = 1u;
const CAPSULE = 2u;
const BOX = 3u;
const CYLINDER = 4u;
const HEIGHTFIELD = 5u;
const GRID = 6u;

// Rows before those of the first collider: times of a substep, and gravity.
const HEAD = 2u;
const ROWS = 8u;
const FAR = 1e30;

struct Pose {
    position: vec3<f32>,
    rotation: vec4<f32>,
}

// The nearest point of a surface is at p − distance·normal.
struct Near {
    normal: vec3<f32>,
    distance: f32,
}

fn whole(number: f32) -> u32 {
    return bitcast<u32>(number) & 0x3fffffffu;
}

fn row(collider: u32, number: u32) -> vec4<f32> {
    return colliders[HEAD + collider * ROWS + number];
}

fn pose_at_start(collider: u32) -> Pose {
    return Pose(row(collider, 0u).xyz, row(collider, 1u));
}

fn pose_at_end(collider: u32) -> Pose {
    return Pose(row(collider, 2u).xyz, row(collider, 3u));
}

fn thickness_of(collider: u32) -> f32 {
    return row(collider, 4u).w;
}

fn friction_of(collider: u32) -> f32 {
    return row(collider, 5u).x;
}

fn angle_of(collider: u32) -> f32 {
    return row(collider, 2u).w;
}

fn turned(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn turned_back(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return turned(vec4<f32>(-q.xyz, q.w), v);
}

// Between both poses, along a straight line and the shorter rotation.
fn pose_between(collider: u32, part: f32) -> Pose {
    let a = row(collider, 1u);
    let b = row(collider, 3u);
    let position = mix(row(collider, 0u).xyz, row(collider, 2u).xyz, part);
    let half = 0.5 * angle_of(collider);
    if (half == 0.0) {
        return Pose(position, a);
    }
    let other = select(b, -b, dot(a, b) < 0.0);
    return Pose(position, normalize((sin((1.0 - part) * half) * a + sin(part * half) * other) / sin(half)));
}

fn near_ball(p: vec3<f32>, radius: f32) -> Near {
    let away = length(p);
    // The centre is equally far from everywhere; up is as good as any way out.
    if (away == 0.0) {
        return Near(vec3<f32>(0.0, 1.0, 0.0), -radius);
    }
    return Near(p / away, away - radius);
}

fn near_box(p: vec3<f32>, half: vec3<f32>) -> Near {
    let beyond = abs(p) - half;
    let sides = select(vec3<f32>(1.0), vec3<f32>(-1.0), p < vec3<f32>());
    // Outside, the corner or face beyond which p lies; inside, the nearest face.
    let outside = max(beyond, vec3<f32>());
    let away = length(outside);
    if (away > 0.0) {
        return Near(outside / away * sides, away);
    }
    if (beyond.x >= beyond.y && beyond.x >= beyond.z) {
        return Near(vec3<f32>(sides.x, 0.0, 0.0), beyond.x);
    }
    if (beyond.y >= beyond.z) {
        return Near(vec3<f32>(0.0, sides.y, 0.0), beyond.y);
    }
    return Near(vec3<f32>(0.0, 0.0, sides.z), beyond.z);
}

fn near_cylinder(p: vec3<f32>, radius: f32, half_length: f32) -> Near {
    let r = length(p.xz);
    let radial = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(p.x, 0.0, p.z) / max(r, 1e-30), r > 0.0);
    let axial = vec3<f32>(0.0, select(1.0, -1.0, p.y < 0.0), 0.0);
    let side = r - radius;
    let cap = abs(p.y) - half_length;
    if (side > 0.0 && cap > 0.0) {
        let away = length(vec2<f32>(side, cap));
        return Near((radial * side + axial * cap) / away, away);
    }
    if (side > cap) {
        return Near(radial, side);
    }
    return Near(axial, cap);
}

// A value of a grid or a heightfield.
fn value_at(first: u32, number: u32) -> f32 {
    return colliders[first + number / 4u][number % 4u];
}

fn direction(v: vec3<f32>) -> vec3<f32> {
    let size = length(v);
    return select(vec3<f32>(0.0, 1.0, 0.0), v / max(size, 1e-30), size > 0.0);
}

fn near_grid(p: vec3<f32>, corner: vec4<f32>, counts: vec3<u32>, first: u32) -> Near {
    let spacing = corner.w;
    let size = vec3<f32>(counts - vec3<u32>(1u)) * spacing;
    let inside = clamp(p - corner.xyz, vec3<f32>(), size);
    let beyond = p - corner.xyz - inside;
    let at = inside / spacing;
    let cell = min(vec3<u32>(at), counts - vec3<u32>(2u));
    let part = at - vec3<f32>(cell);
    var value = 0.0;
    var gradient = vec3<f32>();
    for (var k = 0u; k < 8u; k++) {
        let bits = vec3<u32>(k & 1u, (k >> 1u) & 1u, k >> 2u);
        let entry = ((cell.z + bits.z) * counts.y + cell.y + bits.y) * counts.x + cell.x + bits.x;
        let found = value_at(first, entry);
        let w = select(vec3<f32>(1.0) - part, part, bits == vec3<u32>(1u));
        let sign = select(vec3<f32>(-1.0), vec3<f32>(1.0), bits == vec3<u32>(1u));
        value += found * w.x * w.y * w.z;
        gradient += found * sign * vec3<f32>(w.y * w.z, w.x * w.z, w.x * w.y);
    }
    let outside = length(beyond);
    if (outside > 0.0) {
        // Seen from beyond a box, what lies in it is at least as far as from the nearest point of the box, and across.
        let across = max(value, 0.0);
        let slope = length(gradient);
        let offset = beyond + select(vec3<f32>(), gradient / max(slope, 1e-30), slope > 0.0) * across;
        return Near(direction(offset), length(vec2<f32>(outside, across)));
    }
    return Near(direction(gradient), value);
}

fn nearest_on_triangle(p: vec3<f32>, a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> vec3<f32> {
    let ab = b - a;
    let ac = c - a;
    let ap = p - a;
    let d1 = dot(ab, ap);
    let d2 = dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) { return a; }
    let bp = p - b;
    let d3 = dot(ab, bp);
    let d4 = dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) { return b; }
    let vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) { return a + ab * (d1 / max(d1 - d3, 1e-30)); }
    let cp = p - c;
    let d5 = dot(ab, cp);
    let d6 = dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) { return c; }
    let vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) { return a + ac * (d2 / max(d2 - d6, 1e-30)); }
    let va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        return b + (c - b) * ((d4 - d3) / max((d4 - d3) + (d5 - d6), 1e-30));
    }
    let sum = 1.0 / max(va + vb + vc, 1e-30);
    return a + ab * (vb * sum) + ac * (vc * sum);
}

// Cells around p are looked at; what is beyond them is at least as far as their rim. A distance that is too short only makes a moving point look again.
fn near_heightfield(p: vec3<f32>, spacing: vec2<f32>, counts: vec2<u32>, first: u32) -> Near {
    let cells = vec2<i32>(counts) - vec2<i32>(1);
    let at = p.xz / spacing;
    let middle = clamp(vec2<i32>(floor(at)), vec2<i32>(0), cells - vec2<i32>(1));
    let low = max(middle - vec2<i32>(1), vec2<i32>(0));
    let high = min(middle + vec2<i32>(1), cells - vec2<i32>(1));
    var best = FAR;
    var offset = vec3<f32>(0.0, FAR, 0.0);
    var flat = vec3<f32>(0.0, 1.0, 0.0);
    var is_below = false;
    for (var j = low.y; j <= high.y; j++) {
        for (var i = low.x; i <= high.x; i++) {
            let entry = u32(j) * counts.x + u32(i);
            let x = vec2<f32>(f32(i), f32(i + 1)) * spacing.x;
            let z = vec2<f32>(f32(j), f32(j + 1)) * spacing.y;
            let a = vec3<f32>(x.x, value_at(first, entry), z.x);
            let b = vec3<f32>(x.y, value_at(first, entry + 1u), z.x);
            let c = vec3<f32>(x.y, value_at(first, entry + counts.x + 1u), z.y);
            let d = vec3<f32>(x.x, value_at(first, entry + counts.x), z.y);
            for (var half = 0u; half < 2u; half++) {
                let second = select(c, d, half == 1u);
                let third = select(b, c, half == 1u);
                let away = p - nearest_on_triangle(p, a, second, third);
                let squared = dot(away, away);
                if (squared < best) {
                    best = squared;
                    offset = away;
                    flat = cross(second - a, third - a);
                }
            }
            // The diagonal goes from the first corner of a cell to the opposite one.
            let u = at.x - f32(i);
            let v = at.y - f32(j);
            if (u >= 0.0 && v >= 0.0 && u <= 1.0 && v <= 1.0) {
                let height = select(a.y + (c.y - d.y) * u + (d.y - a.y) * v, a.y + (b.y - a.y) * u + (c.y - b.y) * v, u >= v);
                is_below = p.y < height;
            }
        }
    }
    var rim = FAR;
    if (low.x > 0) { rim = min(rim, p.x - f32(low.x) * spacing.x); }
    if (low.y > 0) { rim = min(rim, p.z - f32(low.y) * spacing.y); }
    if (high.x < cells.x - 1) { rim = min(rim, f32(high.x + 1) * spacing.x - p.x); }
    if (high.y < cells.y - 1) { rim = min(rim, f32(high.y + 1) * spacing.y - p.z); }
    let away = min(sqrt(best), max(rim, 0.0));
    let sign = select(1.0, -1.0, is_below);
    // On the surface itself the triangle says which way is out.
    let normal = select(normalize(flat), sign * offset / max(sqrt(best), 1e-30), best > 1e-14);
    return Near(normal, sign * away);
}

// In the collider's own coordinates.
fn nearby(collider: u32, p: vec3<f32>) -> Near {
    let sizes = row(collider, 4u).xyz;
    switch whole(row(collider, 0u).w) {
        case SPHERE: { return near_ball(p, sizes.x); }
        case CAPSULE: { return near_ball(p - vec3<f32>(0.0, clamp(p.y, -sizes.y, sizes.y), 0.0), sizes.x); }
        case BOX: { return near_box(p, sizes); }
        case CYLINDER: { return near_cylinder(p, sizes.x, sizes.y); }
        case HEIGHTFIELD: {
            let counts = bitcast<vec4<u32>>(row(collider, 7u)) & vec4<u32>(0x3fffffffu);
            return near_heightfield(p, row(collider, 6u).xy, counts.xy, counts.w);
        }
        case GRID: {
            let counts = bitcast<vec4<u32>>(row(collider, 7u)) & vec4<u32>(0x3fffffffu);
            return near_grid(p, row(collider, 6u), counts.xyz, counts.w);
        }
        default: { return Near(vec3<f32>(0.0, 1.0, 0.0), p.y); }
    }
}

// A point of the surface in the collider's coordinates, with the way out there.
struct Met {
    is_met: bool,
    time: f32,
    point: vec3<f32>,
    normal: vec3<f32>,
}

// Looks along one path at most; a point that would need more is taken as met where it is, still outside.
const MOST_LOOKS = 64u;
// A contact may be found this part of the thickness too deep.
const SLACK = 0.25;

// Where a point that goes straight from `base + a` to `base + b` first comes within a distance of the collider, by conservative advancement.
fn meet(collider: u32, base: vec3<f32>, a: vec3<f32>, b: vec3<f32>, within: f32) -> Met {
    let begun = pose_at_start(collider);
    let to = pose_at_end(collider);
    let steepness = row(collider, 5u).z;
    let way = (b - a) - (to.position - begun.position);
    let arm = max(length((base - begun.position) + a), length((base - to.position) + b));
    let turning = angle_of(collider) * arm;
    let bound = (length(way) + turning) * steepness;
    // Times along a very long path do not resolve the thickness: it ends where it begins.
    let is_too_long = SLACK * within <= 1.2e-7 * bound;
    var time = 0.0;
    for (var look = 0u; look <= MOST_LOOKS; look++) {
        let pose = pose_between(collider, time);
        let p = turned_back(pose.rotation, (base - pose.position) + mix(a, b, time));
        let near = nearby(collider, p);
        let gap = near.distance - within;
        if (look == 0u && gap > bound) {
            break;
        }
        if (gap <= 0.0 || is_too_long || look == MOST_LOOKS) {
            return Met(true, time, p - near.distance * near.normal, near.normal);
        }
        // A receding point of a convex shape that does not turn never meets it.
        var approach = bound;
        if (turning == 0.0 && steepness == 1.0) {
            approach = max(-dot(way, turned(pose.rotation, near.normal)), 0.0);
        }
        if (approach <= 0.0 || time >= 1.0) {
            break;
        }
        // The end is looked at, however short the way.
        time = min(time + max(gap, SLACK * within) / approach, 1.0);
    }
    return Met(false, 1.0, vec3<f32>(), vec3<f32>());
}

// How far a point of the surface, given in the collider's coordinates, moves in the substep.
fn shift_of(collider: u32, point: vec3<f32>) -> vec3<f32> {
    let begun = pose_at_start(collider);
    let to = pose_at_end(collider);
    return (to.position - begun.position) + (turned(to.rotation, point) - turned(begun.rotation, point));
}
