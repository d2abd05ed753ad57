// Nothing but the smooth surface.

fn detail(own: Follower, turn: mat3x3<f32>) -> vec3<f32> {
    return vec3<f32>();
}
