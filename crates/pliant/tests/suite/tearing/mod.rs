//! Bodies that tear and are cut: what is kept, where they part, and that everything follows.

#![allow(clippy::unwrap_used)]

mod common;
mod cuts;
mod follows;
mod itself;
mod refusals;
mod tears;
