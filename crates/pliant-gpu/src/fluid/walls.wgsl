// Colliders as half-spaces full of fluid at rest, see the engine's `matter/fluid/walls.rs`.

// What walls add to the density at a place, and its gradient.
struct Share {
    gradient: vec3<f32>,
    density: f32,
}

// Distance from a collider, given the mean of all particles.
fn distance_from(collider: u32, origin: vec3<f32>, place: vec3<f32>) -> f32 {
    let plane = PLANES[collider];
    return dot(plane.xyz, place) + (plane.w + dot(plane.xyz, origin));
}

// Share of the kernel that lies in a half-space at a signed distance.
fn share_behind(distance: f32) -> f32 {
    let u = max(1.0 - abs(distance), 0.0);
    let outer = u * u * u * u * u * (1.5 - u);
    return select(outer, 1.0 - outer, distance < 0.0);
}

// How fast that falls with the distance.
fn share_across(distance: f32) -> f32 {
    let u = max(1.0 - abs(distance), 0.0);
    return 30.0 * u * u * u * u * (0.25 - 0.2 * u);
}

// Bits of the colliders that act on a particle in a step that predicts it at a place.
fn walls_near(origin: vec3<f32>, place: vec3<f32>) -> u32 {
    var near = 0u;
    for (var c = 0u; c < COLLIDERS; c++) {
        if (distance_from(c, origin, place) < FARTHEST_WALL) {
            near |= 1u << c;
        }
    }
    return near;
}

fn share_of_walls(near: u32, origin: vec3<f32>, place: vec3<f32>) -> Share {
    var share: Share;
    share.gradient = vec3<f32>();
    var empty = 1.0;
    if (near != 0u) {
        for (var c = 0u; c < COLLIDERS; c++) {
            if ((near & (1u << c)) != 0u) {
                let distance = distance_from(c, origin, place) / REACH_OF_WALLS;
                let behind = share_behind(distance);
                let slope = share_across(distance) / REACH_OF_WALLS;
                share.gradient = share.gradient * (1.0 - behind) - PLANES[c].xyz * (slope * empty);
                empty *= 1.0 - behind;
            }
        }
    }
    share.density = 1.0 - empty;
    return share;
}
