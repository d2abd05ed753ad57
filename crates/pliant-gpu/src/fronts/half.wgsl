@group(0) @binding(0) var<storage, read> numbers: array<vec2<u32>>;

fn quad_at(at: u32) -> vec4<f32> {
    let pair = numbers[at];
    return vec4<f32>(unpack2x16float(pair.x), unpack2x16float(pair.y));
}

