//! Forces between groups in a checkpoint.

use super::HeldForces;
use crate::contact::PairForce;
use crate::math::Vec3;
use crate::proximity::Pair;
use crate::world::checkpoint::{Checkpoint, CheckpointError, bad_number, flatten};

const CONTACTS: &str = "between/contacts";
const YIELDING: &str = "between/yielding";
const TIES: &str = "between/attachments";

impl HeldForces {
    /// Its channels; none where there is one group.
    pub(crate) fn channels(&self) -> Vec<(String, Vec<f64>)> {
        let Self { contacts, ties, yielding } = self;
        let numbers = |force: &PairForce| {
            let (kind, [a, b]) = match force.pair {
                Pair::VertexTriangle(a, b) => (0.0, [a, b]),
                Pair::EdgeEdge(a, b) => (1.0, [a, b]),
            };
            let [x, y, z] = force.sliding_force.to_array();
            [kind, f64::from(a), f64::from(b), force.pressed, x, y, z]
        };
        let mut channels = vec![
            (CONTACTS.to_owned(), contacts.iter().flat_map(numbers).collect()),
            (TIES.to_owned(), flatten(ties)),
            (YIELDING.to_owned(), yielding.clone()),
        ];
        channels.retain(|(_, numbers)| !numbers.is_empty());
        channels
    }

    /// Those of a checkpoint of a world with so many bodies.
    pub(crate) fn saved_in(saved: &Checkpoint, bodies: usize) -> Result<Self, CheckpointError> {
        let mut contacts = Vec::new();
        for (k, record) in saved.records::<7>(CONTACTS)?.iter().enumerate() {
            let [kind, first, second, pressed, x, y, z] = *record;
            let number = |place: usize, value: f64| {
                let is_good = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
                if is_good { Ok(value as u32) } else { Err(bad_number(CONTACTS, 7 * k + place, value)) }
            };
            let [first, second] = [number(1, first)?, number(2, second)?];
            let pair = match number(0, kind)? {
                0 => Pair::VertexTriangle(first, second),
                1 => Pair::EdgeEdge(first, second),
                _ => return Err(bad_number(CONTACTS, 7 * k, kind)),
            };
            if pressed < 0.0 {
                return Err(bad_number(CONTACTS, 7 * k + 3, pressed));
            }
            contacts.push(PairForce { pair, pressed, sliding_force: Vec3::new(x, y, z) });
        }
        contacts.sort_unstable_by_key(|force| force.pair);
        let yielding = saved.optional(YIELDING, bodies)?.to_vec();
        if let Some(at) = yielding.iter().position(|share| !(*share > 0.0 && *share <= 1.0)) {
            return Err(bad_number(YIELDING, at, yielding[at]));
        }
        let ties = saved.records::<3>(TIES)?.iter().map(|force| Vec3::from_array(*force)).collect();
        Ok(Self { contacts, ties, yielding })
    }
}
