// Newton's matrix from the blocks of elements: entries of a row are blocks for the vertex itself, first, and for its neighbours.

struct Parameters {
    free: u32,
    entries: u32,
    // Number of blocks; contributions beyond are products of two vectors of a hinge, which follow the blocks.
    blocks: u32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
// Where the contributions of each entry begin, and the end; then contributions: a block, transposed or with the other sign where the highest bits say so.
@group(0) @binding(0) var<storage, read> lists: array<u32>;
// The other vertex of each entry.
@group(0) @binding(1) var<storage, read> others: array<u32>;
@group(0) @binding(2) var<storage, read> blocks: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> targets: array<vec4<f32>>;
// Diagonal of what bends from flat.
@group(0) @binding(4) var<storage, read> bending: array<f32>;
// Three columns for each entry; the fourth number of the first one is the other vertex.
@group(0) @binding(5) var<storage, read_write> matrix: array<vec4<f32>>;
// ω D⁻¹ of each vertex.
@group(0) @binding(6) var<storage, read_write> inverse: array<vec4<f32>>;

const TRANSPOSED = 0x80000000u;
const NEGATIVE = 0x40000000u;
// Blocks alone would overshoot where neighbours pull together.
const DAMPING = 0.6;

// Numbers of products count corners of a row and of a column, hinge by hinge.
fn product_of_vectors(number: u32) -> mat3x3<f32> {
    let at = 3u * parameters.blocks + 4u * (number / 16u);
    let a = blocks[at + number / 4u % 4u].xyz;
    let b = blocks[at + number % 4u].xyz;
    return mat3x3<f32>(b.x * a, b.y * a, b.z * a);
}

fn contributions(entry: u32) -> mat3x3<f32> {
    var sum = mat3x3<f32>();
    let end = lists[entry + 1u];
    for (var k = lists[entry]; k < end; k++) {
        let item = lists[k];
        let index = item & 0x3fffffffu;
        if (index >= parameters.blocks) {
            sum = sum + product_of_vectors(index - parameters.blocks);
            continue;
        }
        let at = 3u * index;
        var block = mat3x3<f32>(blocks[at].xyz, blocks[at + 1u].xyz, blocks[at + 2u].xyz);
        if ((item & TRANSPOSED) != 0u) { block = transpose(block); }
        if ((item & NEGATIVE) != 0u) { block = block * -1.0; }
        sum = sum + block;
    }
    return sum;
}

@compute @workgroup_size(64)
fn assemble(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let entry = (group.x + group.y * groups.x) * 64u + thread;
    if (entry >= parameters.entries) {
        return;
    }
    let other = others[entry];
    let lane = lists[parameters.entries + 1u + entry];
    var block = contributions(entry);
    // The first entry of a vertex is its own block.
    if (lane != 0xffffffffu) {
        let held = targets[lane].w + bending[lane];
        block = block + mat3x3<f32>(held, 0.0, 0.0, 0.0, held, 0.0, 0.0, 0.0, held);
        let a = block[0];
        let b = block[1];
        let c = block[2];
        let bc = cross(b, c);
        let determinant = dot(a, bc);
        let size = a.x * b.y * c.z;
        var inverted = mat3x3<f32>();
        if (determinant > 1e-12 * size && determinant < 3e38) {
            // The inverse has these rows; it is symmetric.
            let scale = DAMPING / determinant;
            inverted = mat3x3<f32>(scale * bc, scale * cross(c, a), scale * cross(a, b));
        }
        inverse[3u * lane] = vec4<f32>(inverted[0], 0.0);
        inverse[3u * lane + 1u] = vec4<f32>(inverted[1], 0.0);
        inverse[3u * lane + 2u] = vec4<f32>(inverted[2], 0.0);
    }
    matrix[3u * entry] = vec4<f32>(block[0], bitcast<f32>(other | 0x40000000u));
    matrix[3u * entry + 1u] = vec4<f32>(block[1], 0.0);
    matrix[3u * entry + 2u] = vec4<f32>(block[2], 0.0);
}
