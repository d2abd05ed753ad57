// What contacts do to each vertex in Newton's method: a force and an energy, which are gathered as those of elements are, and a block of the matrix.

struct Parameters {
    free: u32,
    colliders: u32,
    // The block of the first vertex.
    first_block: u32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(2) var<storage, read> offsets: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> weights: array<vec2<f32>>;
// The slot of each vertex.
@group(0) @binding(4) var<storage, read> places: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> blocks: array<vec4<f32>>;

@compute @workgroup_size(128)
fn contact_forces(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    let free = parameters.free;
    if (vertex >= free) {
        return;
    }
    var force = vec3<f32>();
    var energy = 0.0;
    var block = mat3x3<f32>();
    for (var c = 0u; c < parameters.colliders; c++) {
        if (!is_touching(c, vertex, free)) { continue; }
        let law = law_of(c, vertex, free, weights[vertex].x);
        let response = respond(law, offsets[vertex].xyz);
        force += response.force;
        energy += response.energy;
        let n = law.normal;
        let more = response.along - response.across;
        block = block + mat3x3<f32>(
            more * n.x * n + vec3<f32>(response.across, 0.0, 0.0),
            more * n.y * n + vec3<f32>(0.0, response.across, 0.0),
            more * n.z * n + vec3<f32>(0.0, 0.0, response.across),
        );
    }
    slots[places[vertex]] = vec4<f32>(-force, 2.0 * energy);
    let at = 3u * (parameters.first_block + vertex);
    blocks[at] = vec4<f32>(block[0], 0.0);
    blocks[at + 1u] = vec4<f32>(block[1], 0.0);
    blocks[at + 2u] = vec4<f32>(block[2], 0.0);
}
