// The forces of a hinge on its corners but the first, and twice its energy, which is counted at its first free corner: the last slot is that of what is held.
fn write_hinge(at: vec4<u32>, forces: mat3x3<f32>, twice: f32) {
    let held = arrayLength(&slots) - 1u;
    let is_free = at != vec4<u32>(held);
    let y = !is_free.x && is_free.y;
    let z = !is_free.x && !is_free.y && is_free.z;
    let w = !is_free.x && !is_free.y && !is_free.z;
    slots[at.x] = vec4<f32>(-forces[0] - forces[1] - forces[2], select(0.0, twice, is_free.x));
    slots[at.y] = vec4<f32>(forces[0], select(0.0, twice, y));
    slots[at.z] = vec4<f32>(forces[1], select(0.0, twice, z));
    slots[at.w] = vec4<f32>(forces[2], select(0.0, twice, w));
}
