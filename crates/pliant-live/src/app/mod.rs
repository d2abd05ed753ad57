//! The view: what is drawn, panels beside it, and what the mouse, fingers and keys do.
