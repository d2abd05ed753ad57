// Contacts with colliders, see the engine's `contact/law.rs`. Forces are in units of what they move a particle by. A particle's contacts are in the order in
// which they were met: four bits of a number each, from the lowest on, which are the collider's number and 1.

fn thickness_of(collider: u32) -> f32 {
    return SURFACES[collider].x;
}

fn friction_of(collider: u32) -> f32 {
    return SURFACES[collider].y;
}

// Adds the colliders that a particle meets on its way from where the step began.
fn meet(touched: u32, origin: vec3<f32>, began: vec3<f32>, way: vec3<f32>) -> u32 {
    var known = touched;
    for (var c = 0u; c < COLLIDERS; c++) {
        let distance = distance_from(c, origin, began);
        if (min(distance, distance + dot(PLANES[c].xyz, way)) <= thickness_of(c)) {
            var slot = 0u;
            while (((known >> slot) & 15u) != 0u && ((known >> slot) & 15u) != c + 1u) {
                slot += 4u;
            }
            known |= (c + 1u) << slot;
        }
    }
    return known;
}
