// Linear in numbers of the block, in its frame.

fn detail(own: Follower, turn: mat3x3<f32>) -> vec3<f32> {
    let begin = FRAME_NUMBERS + own.block * (9u + INPUTS);
    var sum = vec3<f32>();
    for (var k = 0u; k < INPUTS; k++) {
        sum += frame[begin + 9u + k] * triple(own, COEFFICIENTS, 3u * k);
    }
    let x = vec3<f32>(frame[begin], frame[begin + 1u], frame[begin + 2u]);
    let y = vec3<f32>(frame[begin + 3u], frame[begin + 4u], frame[begin + 5u]);
    let z = vec3<f32>(frame[begin + 6u], frame[begin + 7u], frame[begin + 8u]);
    return x * sum.x + y * sum.y + z * sum.z;
}
