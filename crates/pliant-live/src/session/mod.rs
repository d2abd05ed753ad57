//! The simulation behind the view.
