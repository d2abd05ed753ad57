// What a linear solve came to: b·x, b·x + r·x and the longest movement, by parts; and the movement of free bodies as a whole, which iterations that end early would
// change.

struct Parameters {
    free: u32,
    groups: u32,
    // The first block of contacts, if there are any.
    first_block: u32,
    has_blocks: u32,
}

@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> forces: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> residual: array<vec4<f32>>;
// What iterations have come to so far, which they go on with; and what is taken of it.
@group(0) @binding(2) var<storage, read> solution: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> taken: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> judgements: array<vec4<f32>>;
// Parts of free bodies: first vertex, end, body. Bodies: first part, end, inertia.
@group(0) @binding(5) var<storage, read> bodies: array<vec4<f32>>;
// Of each part the residual and the columns of the contacts' stiffness; afterwards the first row of a body's first part is its movement.
@group(0) @binding(6) var<storage, read_write> sums: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> blocks: array<vec4<f32>>;

var<workgroup> parts: array<vec4<f32>, 256>;

fn sum_of_group(thread: u32) {
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            parts[thread] += parts[thread + half];
        }
        workgroupBarrier();
    }
}

fn index_of(number: f32) -> u32 {
    return bitcast<u32>(number) & 0x3fffffffu;
}

@compute @workgroup_size(256)
fn sum_bodies(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let number = group.x + group.y * groups.x;
    let part = bodies[number];
    let end = index_of(part.y);
    for (var k = 0u; k < select(1u, 4u, parameters.has_blocks == 1u); k++) {
        var sum = vec4<f32>();
        for (var vertex = index_of(part.x) + thread; vertex < end; vertex += 256u) {
            if (k == 0u) {
                sum += vec4<f32>(residual[vertex].xyz, 0.0);
            } else {
                sum += blocks[3u * (parameters.first_block + vertex) + k - 1u];
            }
        }
        parts[thread] = sum;
        sum_of_group(thread);
        if (thread == 0u) {
            sums[4u * number + k] = parts[0];
        }
        workgroupBarrier();
    }
}

// A free body moves as the forces on all of it say: what is left of their sum is a movement of the whole, against its inertia and what it touches.
@compute @workgroup_size(256)
fn find_movements(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let body = bodies[parameters.groups + group.x + group.y * groups.x];
    let first = index_of(body.x);
    let end = index_of(body.y);
    var total: array<vec3<f32>, 4>;
    for (var k = 0u; k < select(1u, 4u, parameters.has_blocks == 1u); k++) {
        var sum = vec4<f32>();
        for (var number = first + thread; number < end; number += 256u) {
            sum += sums[4u * number + k];
        }
        parts[thread] = sum;
        sum_of_group(thread);
        total[k] = parts[0].xyz;
        workgroupBarrier();
    }
    let a = total[1] + vec3<f32>(body.z, 0.0, 0.0);
    let b = total[2] + vec3<f32>(0.0, body.z, 0.0);
    let c = total[3] + vec3<f32>(0.0, 0.0, body.z);
    let bc = cross(b, c);
    let determinant = dot(a, bc);
    var movement = vec3<f32>();
    if (determinant > 0.0 && determinant < 3e38) {
        // The inverse has these rows.
        let r = total[0];
        movement = vec3<f32>(dot(bc, r), dot(cross(c, a), r), dot(cross(a, b), r)) / determinant;
    }
    storageBarrier();
    if (thread == 0u) {
        sums[4u * first] = vec4<f32>(movement, 0.0);
    }
}

@compute @workgroup_size(256)
fn move_bodies(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let part = bodies[group.x + group.y * groups.x];
    let body = bodies[parameters.groups + index_of(part.z)];
    let movement = sums[4u * index_of(body.x)];
    let end = index_of(part.y);
    for (var vertex = index_of(part.x) + thread; vertex < end; vertex += 256u) {
        taken[vertex] += movement;
    }
}

@compute @workgroup_size(256)
fn take(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    for (var vertex = group.x * 256u + thread; vertex < parameters.free; vertex += 256u * parameters.groups) {
        taken[vertex] = solution[vertex];
    }
}

@compute @workgroup_size(256)
fn judge(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    var sum = vec4<f32>();
    var most = 0.0;
    for (var vertex = group.x * 256u + thread; vertex < parameters.free; vertex += 256u * parameters.groups) {
        let x = taken[vertex].xyz;
        let b = forces[vertex].xyz;
        sum += vec4<f32>(dot(b, x), dot(b + residual[vertex].xyz, solution[vertex].xyz), 0.0, 0.0);
        let squared = dot(x, x);
        most = select(3e38, max(most, squared), squared < 3e38);
    }
    parts[thread] = vec4<f32>(sum.xy, 0.0, 0.0);
    sum_of_group(thread);
    let total = parts[0].xy;
    workgroupBarrier();
    parts[thread] = vec4<f32>(most);
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if (thread < half) {
            parts[thread] = max(parts[thread], parts[thread + half]);
        }
        workgroupBarrier();
    }
    if (thread == 0u) {
        judgements[group.x] = vec4<f32>(total, parts[0].x, 0.0);
    }
}
