// From the bottom of the tree to its top: a front gathers f from the right-hand side and its children, and leaves u = f_m − Tᵀ f_c to its parent.

@group(0) @binding(4) var<storage, read> right_hand_side: array<vec4<f32>>;
// f of the columns, for the way back.
@group(0) @binding(5) var<storage, read_write> assembled: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> updates: array<vec4<f32>>;

// What children have left for one of a front's columns and rows.
fn gathered(front: Front, entry: u32) -> vec4<f32> {
    var sum = vec4<f32>();
    if (front.gather > 0u) {
        let end = lists[front.gather + entry + 1u];
        for (var k = lists[front.gather + entry]; k < end; k++) {
            sum += updates[lists[k]];
        }
    }
    return sum;
}

fn vector_entry(task: vec4<u32>, front: Front, k: u32) -> vec4<f32> {
    if (front.is_assembled == 1u) {
        return assembled[front.first + k];
    }
    let value = right_hand_side[front.first + k] + gathered(front, k);
    // Each panel has all of f, and the first one writes it down.
    if (task.y == 0u) {
        assembled[front.first + k] = value;
    }
    return value;
}

@compute @workgroup_size(THREADS)
fn forward(
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
    let quad = multiply(task, front, front.columns, thread);
    if (thread >= task.z) {
        return;
    }
    for (var lane = 0u; lane < 4u; lane++) {
        let row = 4u * (task.y + thread) + lane;
        if (row < front.rows) {
            let at = front.update + row;
            if (front.is_assembled == 1u) {
                updates[at] += row_of(quad, lane);
            } else {
                updates[at] = gathered(front, front.columns + row) + row_of(quad, lane);
            }
        }
    }
}

// Sums up what fronts gather, where several panels would do the same. Tasks are a front and its first entry.
@compute @workgroup_size(256)
fn assemble(
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
    let entry = task.y + thread;
    if (entry >= front.columns + front.rows) {
        return;
    }
    let sum = gathered(front, entry);
    if (entry < front.columns) {
        assembled[front.first + entry] = right_hand_side[front.first + entry] + sum;
    } else {
        updates[front.update + entry - front.columns] = sum;
    }
}
