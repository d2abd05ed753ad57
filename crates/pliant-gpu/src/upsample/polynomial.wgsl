// A polynomial of two numbers, which are interpolated as points are.

fn detail(own: Follower, turn: mat3x3<f32>) -> vec3<f32> {
    var u = vec2<f32>();
    for (var k = 0u; k < own.controls; k++) {
        let at = FRAME_NUMBERS + 2u * (own.first_control + k);
        u += weight(own, k, 0u) * vec2<f32>(frame[at], frame[at + 1u]);
    }
    let range = RANGES + 4u * own.block;
    let a = clamp(u.x, numbers[range], numbers[range + 1u]);
    let b = clamp(u.y, numbers[range + 2u], numbers[range + 3u]);
    var terms = array<f32, 6>(a * a, b * b, a, b, a * b, 1.0);
    var along = array<f32, 3>(0.0, 0.0, 0.0);
    for (var direction = 0u; direction < DIRECTIONS; direction++) {
        var sum = 0.0;
        for (var term = 0u; term < 6u; term++) {
            sum += terms[term] * numbers[COEFFICIENTS + (6u * direction + term) * SLOTS + own.place];
        }
        along[select(direction, 2u, DIRECTIONS == 1u)] = sum;
    }
    return turn * vec3<f32>(along[0], along[1], along[2]);
}
