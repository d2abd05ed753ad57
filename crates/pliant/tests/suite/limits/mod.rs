//! What keeps cloth from stretching: long-range attachments and strain limiting; and what wrinkles where it is compressed.
#![allow(clippy::unwrap_used)]

mod long_range;
mod strain;
mod wrinkles;

use pliant::mesh::Edge;
use pliant::prelude::*;

/// Length of each edge over that at rest.
fn stretches(edges: &[Edge], rest: &[Vec3], x: &[Vec3]) -> Vec<f64> {
    let length = |x: &[Vec3], [a, b]: Edge| x[a as usize].distance(x[b as usize]);
    edges.iter().map(|&edge| length(x, edge) / length(rest, edge)).collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(f64::NEG_INFINITY, |most, value| most.max(*value))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
