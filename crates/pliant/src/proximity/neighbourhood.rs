//! The pairs of a step, looked for once.
//!
//! A step asks several times which pairs may meet, each time for a slightly different movement. So the first question is answered
//! for boxes with some slack. As long as every vertex's way lies within the box that it then had, the pairs that overlap now are among
//! those, and going through that list is all it takes. Where a few vertices leave their boxes, these grow and their new pairs are
//! added; where many do, the list is made anew. The answer is the same every way, so neither the slack nor what was asked before
//! changes a result.

use super::boxes::{Boxes, MovingBoxes};
use super::candidates::{joined, middle, sweep};
use super::{Candidates, Pair, Primitives};
use crate::math::Vec3;
use crate::mesh::Bounds;
use crate::parallel;

/// Slack of a box relative to the way of its vertex: solving changes a predicted way by about this much.
const SLACK_OF_WAY: f64 = 0.1;
/// Slack relative to the distance asked for.
const SLACK_OF_DISTANCE: f64 = 0.1;
/// The same for a second list and further ones: they are for small corrections, which differ more in direction than in length.
const SLACK_OF_LATER_DISTANCE: f64 = 0.3;
/// Share of vertices outside of their boxes from which on a new list costs less than more for the old one.
const MANY: f64 = 0.3;
/// Pairs that a thread takes at a time.
const CHUNK: usize = 1024;

/// Answers which pairs may meet, again and again for similar movements.
#[derive(Debug, Default)]
pub(crate) struct Neighbourhood {
    candidates: Candidates,
    /// The box of each vertex that the list is for; none if there is no list.
    covered: Vec<Bounds>,
    /// Vertices whose way now leads out of that.
    outside: Vec<bool>,
    list: Vec<Pair>,
    origin: Vec3,
    swept: Vec<Bounds>,
    boxes: Boxes,
    moving: MovingBoxes,
    /// Lists made in this step.
    lists: usize,
}

impl Neighbourhood {
    /// Forgets the list. The same questions then have the same answers as in any other run.
    pub(crate) fn begin_step(&mut self, x: &[Vec3]) {
        self.covered.clear();
        self.origin = middle(x);
        self.lists = 0;
    }

    /// All pairs that could be nearer to each other than `distance` while vertices move from `from` to `to`, or anywhere between.
    pub(crate) fn find(&mut self, primitives: &Primitives, from: &[Vec3], to: &[Vec3], distance: f64) -> Vec<Pair> {
        self.cover(primitives, from, to, distance);
        let Self { list, boxes, .. } = self;
        filtered(list, &|pair| boxes.overlap(pair))
    }

    /// Those of them that could be so near while all vertices move at the same pace: what moves together is not among them.
    pub(crate) fn find_meeting(
        &mut self,
        primitives: &Primitives,
        from: &[Vec3],
        to: &[Vec3],
        distance: f64,
    ) -> Vec<Pair> {
        self.cover(primitives, from, to, distance);
        let (edges, triangles) = (primitives.edges(), primitives.triangles());
        for (boxes, x) in [(&mut self.moving.start, from), (&mut self.moving.end, to)] {
            sweep(&mut self.swept, x, x, distance);
            boxes.update(edges, triangles, &self.swept, self.origin);
        }
        let Self { list, boxes, moving, .. } = self;
        filtered(list, &|pair| boxes.overlap(pair) && moving.meet(pair))
    }

    /// Makes the list such that it holds all pairs of a question.
    fn cover(&mut self, primitives: &Primitives, from: &[Vec3], to: &[Vec3], distance: f64) {
        sweep(&mut self.swept, from, to, distance);
        let outside = self.leave_their_boxes();
        let share = if self.lists == 0 { SLACK_OF_DISTANCE } else { SLACK_OF_LATER_DISTANCE };
        let slack = share * distance;
        if outside as f64 > MANY * from.len() as f64 {
            self.covered.clear();
            self.covered.extend(self.swept.iter().map(|bounds| with_slack(bounds, distance, slack)));
            self.list = self.candidates.find_in(primitives, &self.covered, self.origin);
            self.lists += 1;
        } else if outside > 0 {
            for ((covered, swept), _) in
                self.covered.iter_mut().zip(&self.swept).zip(&self.outside).filter(|(_, o)| **o)
            {
                *covered = joined(*covered, with_slack(swept, distance, slack));
            }
            self.list.extend(self.candidates.find_more(primitives, &self.covered, self.origin, &self.outside));
        }
        self.boxes.update(primitives.edges(), primitives.triangles(), &self.swept, self.origin);
    }

    /// Finds vertices whose way leads out of the box that the list is for, and counts them.
    fn leave_their_boxes(&mut self) -> usize {
        self.outside.clear();
        if self.covered.len() != self.swept.len() {
            return usize::MAX;
        }
        let is_within =
            |own: &Bounds, covered: &Bounds| (covered.min.cmple(own.min) & own.max.cmple(covered.max)).all();
        self.outside.extend(self.swept.iter().zip(&self.covered).map(|(own, covered)| !is_within(own, covered)));
        self.outside.iter().filter(|outside| **outside).count()
    }
}

fn filtered(list: &[Pair], holds: &(impl Fn(Pair) -> bool + Sync)) -> Vec<Pair> {
    let parts = parallel::map(list.chunks(CHUNK).collect(), &|part: &[Pair]| {
        part.iter().copied().filter(|&pair| holds(pair)).collect::<Vec<_>>()
    });
    parts.concat()
}

fn with_slack(bounds: &Bounds, distance: f64, slack: f64) -> Bounds {
    let way = (bounds.size() - distance).max(Vec3::ZERO);
    let slack = way * SLACK_OF_WAY + slack;
    Bounds { min: bounds.min - slack, max: bounds.max + slack }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proximity::corners;
    use crate::proximity::tests_support::{crumpled, scattered};

    #[test]
    fn what_meets_on_its_way_is_found_and_most_of_what_moves_together_is_not() {
        let (primitives, from) = crumpled(8);
        // All fall together, and each a little on its own.
        let own = scattered(from.len()).map(|q| 0.05 * (q - 0.5) - Vec3::Y * 0.5);
        let to: Vec<Vec3> = from.iter().zip(own).map(|(p, way)| *p + way).collect();
        let distance = 0.02;
        let mut neighbourhood = Neighbourhood::default();
        neighbourhood.begin_step(&from);
        let all = neighbourhood.find(&primitives, &from, &to, distance);
        let mut meeting = neighbourhood.find_meeting(&primitives, &from, &to, distance);
        meeting.sort_unstable();
        let at = |time: f64| from.iter().zip(&to).map(|(a, b)| a.lerp(*b, time)).collect::<Vec<Vec3>>();
        let moments: Vec<Vec<Vec3>> = (0..=20).map(|k| at(f64::from(k) / 20.0)).collect();
        let mut near = 0;
        for pair in &all {
            let vertices = pair.vertices(&primitives);
            if moments.iter().any(|x| pair.closest(&corners(x, vertices)).distance() <= distance) {
                near += 1;
                assert!(meeting.binary_search(pair).is_ok(), "{pair:?}");
            }
        }
        let (all, meeting) = (all.len(), meeting.len());
        assert!(near > 100 && meeting < all / 2, "{near} come near; {meeting} of {all} pairs");
    }

    #[test]
    fn a_list_kept_answers_as_a_new_one_does() {
        let (primitives, from) = crumpled(8);
        let moved = |by: f64| -> Vec<Vec3> {
            from.iter().zip(scattered(from.len())).map(|(p, q)| *p + by * (q - 0.5)).collect()
        };
        let mut kept = Neighbourhood::default();
        kept.begin_step(&from);
        // Within the slack; a few out of it; all far out of it, then back inside what is covered by now.
        for (by, few, distance, lists) in [
            (0.02, 0.0, 0.02, 1),
            (0.022, 0.0, 0.02, 1),
            (0.02, 0.3, 0.0, 1),
            (0.02, 0.4, 0.0, 1),
            (0.2, 0.0, 0.02, 2),
            (0.1, 0.0, 0.0, 2),
        ] {
            let mut to = moved(by);
            to.iter_mut().step_by(10).for_each(|p| p.x += few);
            let mut found = kept.find(&primitives, &from, &to, distance);
            found.sort_unstable();
            let expected = Candidates::default().find(&primitives, &from, &to, distance);
            assert!(expected.len() > 100);
            assert_eq!(found, expected, "{by}");
            assert_eq!(kept.lists, lists, "{by}");
        }
    }
}
