//! Drawing by wgpu: surfaces, strands, balls and the ground, with soft shadows.
