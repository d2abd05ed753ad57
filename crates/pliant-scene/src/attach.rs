//! From `[[attachment]]` to pairs of vertices.

use pliant::math::Vec3;

use crate::fault::Fault;
use crate::format::{Attachment, JoinName};

/// One end: the selected vertices of a body with its rest positions.
pub(crate) struct End<'a> {
    pub(crate) vertices: Vec<u32>,
    pub(crate) rest: &'a [Vec3],
}

impl End<'_> {
    fn place(&self, vertex: u32) -> Vec3 {
        self.rest[vertex as usize]
    }
}

/// Vertices that an attachment joins.
pub(crate) fn pairs(section: &Attachment, from: &End<'_>, to: &End<'_>) -> Result<Vec<(u32, u32)>, Fault> {
    if !(section.stiffness.is_finite() && section.stiffness >= 0.0) {
        let message = format!("stiffness is {}, but must be at least 0", section.stiffness);
        return Err(Fault::new("stiffness", message));
    }
    let mut pairs: Vec<(u32, u32)> = match section.join.unwrap_or_default() {
        JoinName::InOrder if from.vertices.len() != to.vertices.len() => {
            let message = format!("{} vertices cannot be joined to {}", from.vertices.len(), to.vertices.len());
            return Err(Fault::new("to", message).hint("join = \"nearest\" joins each to the nearest of the others"));
        }
        JoinName::InOrder => from.vertices.iter().copied().zip(to.vertices.iter().copied()).collect(),
        JoinName::Nearest => from.vertices.iter().filter_map(|&a| Some((a, nearest(from.place(a), to)?))).collect(),
    };
    if let Some(within) = section.within {
        let distance = |&(a, b): &(u32, u32)| from.place(a).distance(to.place(b));
        let least = pairs.iter().map(distance).fold(f64::INFINITY, f64::min);
        pairs.retain(|pair| distance(pair) <= within);
        if pairs.is_empty() {
            return Err(Fault::new("within", format!("nothing is within {within} m; the nearest are {least} m apart")));
        }
    }
    Ok(pairs)
}

fn nearest(place: Vec3, end: &End<'_>) -> Option<u32> {
    let distance = |vertex: u32| place.distance_squared(end.place(vertex));
    end.vertices.iter().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
}
