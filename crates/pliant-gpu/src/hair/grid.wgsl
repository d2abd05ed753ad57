// Hair against hair, see the engine's `matter/hair/grid.rs`: vertices give mass and momentum to the corners of their cell, and take back what all hair
// around them does.
//
// What is given is added up as whole numbers, whose sum does not depend on the order: so vertices need not be sorted by cell, and results have the same bits in every run.
// The unit is such that the fullest cell does not overflow.

struct Frame {
    low: vec3<f32>,
    side: f32,
    cells: vec3<u32>,
}

// Where a vertex is in its cell.
struct Inside {
    corner: vec3<u32>,
    within: vec3<f32>,
}

// The box of cells around all hair; cells are doubled where they would be too many.
fn frame_of(low: vec3<f32>, high: vec3<f32>) -> Frame {
    var frame: Frame;
    frame.low = low;
    frame.side = SIDE;
    let extent = max(high - low, vec3<f32>());
    for (var doubled = 0u; doubled < 200u; doubled++) {
        let counts = floor(extent / frame.side) + 1.0;
        let corners = counts + 1.0;
        if (corners.x * corners.y * corners.z <= f32(MOST_CORNERS)) {
            frame.cells = vec3<u32>(counts);
            return frame;
        }
        frame.side *= 2.0;
    }
    frame.cells = vec3<u32>(1u);
    return frame;
}

fn inside(frame: Frame, place: vec3<f32>) -> Inside {
    var found: Inside;
    let at = (place - frame.low) / frame.side;
    found.corner = min(vec3<u32>(max(at, vec3<f32>())), frame.cells - 1u);
    found.within = at - vec3<f32>(found.corner);
    return found;
}

fn corner_number(frame: Frame, corner: vec3<u32>) -> u32 {
    return (corner.z * (frame.cells.y + 1u) + corner.y) * (frame.cells.x + 1u) + corner.x;
}

fn step_of(corner: u32) -> vec3<u32> {
    return vec3<u32>(corner & 1u, (corner >> 1u) & 1u, corner >> 2u);
}

// Weights of a corner along each axis.
fn factors_of(within: vec3<f32>, step: vec3<u32>) -> vec3<f32> {
    return select(1.0 - within, within, step == vec3<u32>(1u));
}

// How many units the mass of the heaviest vertex has: a corner gets something from eight cells.
fn units_of(crowd: u32) -> f32 {
    return 134217728.0 / f32(max(crowd, 1u));
}
