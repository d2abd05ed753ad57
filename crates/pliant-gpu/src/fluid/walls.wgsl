// Colliders as half-spaces full of fluid at rest, see the engine's `matter/fluid/walls.rs`.

// Tangent planes of colliders near the place where a particle is predicted, normal and offset; all of the first collider, then all of the second.
@group(0) @binding(0) var<storage, read_write> walls: array<vec4<f32>>;

// What walls add to the density at a place, and its gradient.
struct Share {
    gradient: vec3<f32>,
    density: f32,
}

// How far a place is from a wall of place k.
fn distance_from_wall(wall: vec4<f32>, place: vec3<f32>) -> f32 {
    return dot(wall.xyz, place) + wall.w;
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

// Of the colliders whose bits are set.
fn share_of_walls(near: u32, k: u32, place: vec3<f32>) -> Share {
    var share: Share;
    share.gradient = vec3<f32>();
    var empty = 1.0;
    for (var left = near; left != 0u; left &= left - 1u) {
        let wall = walls[countTrailingZeros(left) * COUNT + k];
        let distance = distance_from_wall(wall, place) / REACH_OF_WALLS;
        let behind = share_behind(distance);
        let slope = share_across(distance) / REACH_OF_WALLS;
        share.gradient = share.gradient * (1.0 - behind) - wall.xyz * (slope * empty);
        empty *= 1.0 - behind;
    }
    share.density = 1.0 - empty;
    return share;
}
