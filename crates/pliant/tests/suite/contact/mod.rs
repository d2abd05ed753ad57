//! Contact with colliders against closed forms.
#![allow(clippy::unwrap_used)]

mod common;
mod drape;
mod fast;
mod newton;
mod rebound;
mod refusals;
mod repeat;
mod rest;
mod shapes;
mod slope;
mod stack;
mod two_metric;
