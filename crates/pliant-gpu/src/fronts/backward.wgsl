// From the top of the tree to its bottom: x_c = S⁻¹ f_c − T x_m.

@group(0) @binding(4) var<storage, read> assembled: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> solution: array<vec4<f32>>;

fn vector_entry(task: vec4<u32>, front: Front, k: u32) -> vec4<f32> {
    if (k < front.columns) {
        return front.scale * assembled[front.first + k];
    }
    return solution[lists[front.row_places + k - front.columns]];
}

@compute @workgroup_size(THREADS)
fn backward(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group.x + group.y * groups.x;
    if (number >= parameters.tasks) {
        return;
    }
    let task = tasks[parameters.first_task + number];
    let front = fronts[task.x];
    let quad = multiply(task, front, front.columns + front.rows, thread);
    if (thread >= task.z) {
        return;
    }
    for (var lane = 0u; lane < 4u; lane++) {
        let row = 4u * (task.y + thread) + lane;
        if (row < front.columns) {
            found(front.first + row, row_of(quad, lane));
        }
    }
}
