@group(0) @binding(0) var<storage, read> numbers: array<vec4<f32>>;

fn quad_at(at: u32) -> vec4<f32> {
    return numbers[at];
}

