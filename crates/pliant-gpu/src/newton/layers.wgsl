// Contacts between layers in Newton's method: their part of the diagonal blocks, and the step that vertices took.

struct Parameters {
    free: u32,
    first_entry: u32,
    first_coupling: u32,
    // The block of the first vertex, with 1 << 31 where something has written blocks already.
    first_block: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read_write> couplings: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> blocks: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> origin: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> offsets: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> step: array<vec4<f32>>;

fn whole(number: f32) -> u32 {
    return bitcast<u32>(number) & 0x3fffffffu;
}

@compute @workgroup_size(128)
fn layer_blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex >= parameters.free) {
        return;
    }
    let at = 3u * ((parameters.first_block & 0x7fffffffu) + vertex);
    var a = vec3<f32>();
    var b = vec3<f32>();
    var c = vec3<f32>();
    if (parameters.first_block >= 0x80000000u) {
        a = blocks[at].xyz;
        b = blocks[at + 1u].xyz;
        c = blocks[at + 2u].xyz;
    }
    let header = couplings[vertex];
    let first = parameters.first_entry + whole(header.x);
    // Most contacts are only kept ready. Those that act come first, in the order that they have, so that products need not look at others.
    var acting = 0u;
    for (var k = 0u; k < whole(header.y); k++) {
        let entry = couplings[first + k];
        let contact = parameters.first_coupling + 4u * whole(entry.x);
        let normal = couplings[contact];
        let across = couplings[contact + 1u].x;
        if (normal.w == 0.0 && across == 0.0) { continue; }
        couplings[first + k] = couplings[first + acting];
        couplings[first + acting] = entry;
        acting++;
        let squared = entry.y * entry.y;
        let n = normal.xyz;
        let along = squared * (normal.w - across);
        a += along * n.x * n + vec3<f32>(squared * across, 0.0, 0.0);
        b += along * n.y * n + vec3<f32>(0.0, squared * across, 0.0);
        c += along * n.z * n + vec3<f32>(0.0, 0.0, squared * across);
    }
    if (whole(header.y) > 0u) {
        couplings[vertex].z = bitcast<f32>(acting | 0x40000000u);
    }
    blocks[at] = vec4<f32>(a, 0.0);
    blocks[at + 1u] = vec4<f32>(b, 0.0);
    blocks[at + 2u] = vec4<f32>(c, 0.0);
}

@compute @workgroup_size(128)
fn step_taken(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let vertex = (group.x + group.y * groups.x) * 128u + thread;
    if (vertex < parameters.free) {
        step[vertex] = offsets[vertex] - origin[vertex];
    }
}
