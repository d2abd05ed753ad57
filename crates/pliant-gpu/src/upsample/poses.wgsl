// A mixture of poses, whose weights are interpolated as points are.

fn detail(own: Follower, turn: mat3x3<f32>) -> vec3<f32> {
    var sum = vec3<f32>();
    for (var pose = 0u; pose < POSES; pose++) {
        var share = 0.0;
        for (var k = 0u; k < own.controls; k++) {
            share += weight(own, k, 0u) * frame[FRAME_NUMBERS + coarse_vertex(own, k) * POSES + pose];
        }
        sum += share * triple(own, COEFFICIENTS, 3u * pose);
    }
    return turn * sum;
}
