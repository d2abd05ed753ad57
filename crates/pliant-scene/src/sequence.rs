//! From `shape.sequence` to a collider that deforms.

use pliant::collide::{Collider, ColliderError};
use pliant_io::read::{Files, ImportedMesh, ReadOptions};

use crate::body::up_axis;
use crate::budget::Budget;
use crate::fault::Fault;
use crate::format::ColliderShape;

/// Files per second, if nothing is said \[1/s\].
const STANDARD_RATE: f64 = 30.0;
/// Number signs in a row at most.
const MOST_DIGITS: usize = 20;

/// Reads all files of a sequence; faults are named within the shape.
pub(crate) fn sequence(shape: &ColliderShape, files: &Files, budget: &mut Budget) -> Result<Collider, Fault> {
    let ColliderShape::Sequence { path, first, count, frame_rate, start, metres_per_unit, up } = shape else {
        return Err(Fault::new("", "is not a sequence"));
    };
    if *count == 0 {
        return Err(Fault::new("count", "count is 0, but must be at least 1"));
    }
    let rate = frame_rate.unwrap_or(STANDARD_RATE);
    if !(rate > 0.0 && rate.is_finite()) {
        return Err(Fault::new("frame_rate", format!("frame_rate is {rate}, but must be positive and finite")));
    }
    let start = start.unwrap_or(0.0);
    if !start.is_finite() {
        return Err(Fault::new("start", format!("start is {start}, but must be finite")));
    }
    let pattern = Pattern::new(path)?;
    let first = u64::from(first.unwrap_or(0));
    let scale = metres_per_unit.unwrap_or(1.0);
    let options = ReadOptions { scale, up_axis: up_axis(*up), ..ReadOptions::default() };
    let read = |place: u64| -> Result<ImportedMesh, Fault> {
        let file = pattern.name(first + place);
        let mut imported = files.read_mesh(file, &options).map_err(|error| Fault::new("path", error.to_string()))?;
        imported.remove_unused_vertices();
        Ok(imported)
    };
    let rest = read(0)?;
    // All frames are kept; counted before the others are read.
    let all = (rest.positions.len() as u128).saturating_mul(*count as u128);
    budget.take(all).map_err(|message| Fault::new("count", message))?;
    let mesh = rest.triangle_mesh().map_err(|error| Fault::new("path", error.to_string()))?;
    let mut frames = vec![rest.positions.clone()];
    for place in 1..*count as u64 {
        let frame = read(place)?;
        if frame.triangles != rest.triangles || frame.positions.len() != rest.positions.len() {
            let (name, other) = (pattern.name(first + place), pattern.name(first));
            let message = format!("{name} does not have the vertices and triangles of {other}");
            return Err(Fault::new("path", message));
        }
        frames.push(frame.positions);
    }
    let times: Vec<f64> = (0..*count).map(|place| start + place as f64 / rate).collect();
    Collider::animated(&mesh, times, frames).map_err(|error| match error {
        ColliderError::TimesNotIncreasing { .. } => Fault::new("frame_rate", error.to_string()),
        _ => Fault::new("path", error.to_string()),
    })
}

/// A path with one row of number signs.
struct Pattern<'a> {
    before: &'a str,
    digits: usize,
    after: &'a str,
}

impl<'a> Pattern<'a> {
    fn new(path: &'a str) -> Result<Self, Fault> {
        let refuse = || {
            let message =
                format!("path is {path:?}, but must have one row of at most 20 number signs, as in \"walk-####.obj\"");
            Fault::new("path", message)
        };
        let begin = path.find('#').ok_or_else(refuse)?;
        let (before, rest) = path.split_at(begin);
        let after = rest.trim_start_matches('#');
        if after.contains('#') || rest.len() - after.len() > MOST_DIGITS {
            return Err(refuse());
        }
        Ok(Self { before, digits: rest.len() - after.len(), after })
    }

    fn name(&self, number: u64) -> String {
        let Self { before, digits, after } = self;
        format!("{before}{number:0digits$}{after}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_signs_are_the_digits_of_a_frame() -> Result<(), String> {
        let name =
            |path: &str, number| Pattern::new(path).map(|pattern| pattern.name(number)).map_err(|fault| fault.message);
        assert_eq!(name("a/walk-###.obj", 7)?, "a/walk-007.obj");
        assert_eq!(name("#.ply", 1234)?, "1234.ply");
        assert!(name("walk.obj", 0).is_err() && name("#-#.obj", 0).is_err());
        Ok(())
    }
}
