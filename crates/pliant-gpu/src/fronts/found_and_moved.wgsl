// A solution is written down, and vertices move along it: a kernel of its own for that would take as long as to start it.

@group(0) @binding(6) var<storage, read_write> offsets: array<vec4<f32>>;

fn found(place: u32, value: vec4<f32>) {
    solution[place] = value;
    offsets[place] += value;
}
