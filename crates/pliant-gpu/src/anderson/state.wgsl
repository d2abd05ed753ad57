// What Anderson acceleration knows of itself. Changes of residuals and plain iterates are in a ring of WINDOW slots.

const WINDOW = WINDOW_SIZEu;

struct State {
    // g where the last iteration began, by how much it fell in it, squared longest movement in it and in the one before.
    value: f32,
    fall: f32,
    movement: f32,
    movement_before: f32,
    // The newest slot, slots in use, whether there is an iteration to compare with.
    newest: u32,
    count: u32,
    has_last: u32,
    // Whether where vertices are is better than what was there before; if not, this iteration goes back to the last plain iterate.
    is_accepted: u32,
    // Whether it is an accelerated iterate, which may be rejected.
    is_accelerated: u32,
    has_value: u32,
    rejected: u32,
    unused: u32,
    // Share of each slot in the next iterate, and inner products of changes of residuals.
    shares: array<f32, WINDOW>,
    products: array<f32, WINDOW * WINDOW>,
}
