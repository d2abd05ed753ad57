// Where vertices are: at an anchor, which stays for a stage, plus an offset. Differences of both are taken apart, so that a short edge far from the origin is as
// exact as one at the origin, and small movements are not lost.

@group(0) @binding(0) var<storage, read> anchors: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> offsets: array<vec4<f32>>;

fn edge(begin: u32, end: u32) -> vec3<f32> {
    return (anchors[end].xyz - anchors[begin].xyz) + (offsets[end].xyz - offsets[begin].xyz);
}

// Number of this thread in a grid whose workgroups are counted along rows.
fn thread_number(group: vec3<u32>, groups: vec3<u32>, thread: u32, threads: u32) -> u32 {
    return (group.x + group.y * groups.x) * threads + thread;
}

// An index that is stored among numbers: with a bit that makes it an ordinary one, which no device changes.
fn index_of(number: f32) -> u32 {
    return bitcast<u32>(number) & 0x3fffffffu;
}
