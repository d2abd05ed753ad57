//! A stroke across the picture.

use glam::DVec2;

/// Lines of sight in a cut at most: each makes a plane that all triangles are tested against.
const MOST: usize = 12;
/// How far a thinned stroke may be from what was drawn \[px\].
const TOLERANCE: f64 = 1.5;
/// Shorter strokes \[px\] are a slip of the hand.
const SHORTEST: f64 = 8.0;

/// Places that a pointer went over.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Stroke {
    places: Vec<DVec2>,
}

impl Stroke {
    pub(crate) fn from(place: DVec2) -> Self {
        Self { places: vec![place] }
    }

    /// Goes on; steps of less than two pixels wait for the next.
    pub(crate) fn add(&mut self, place: DVec2) {
        if self.places.last().is_none_or(|last| last.distance(place) >= 2.0) && self.places.len() < 4096 {
            self.places.push(place);
        }
    }

    pub(crate) fn places(&self) -> &[DVec2] {
        &self.places
    }

    /// A few of its places, between which it is nearly straight; none if it is too short to be meant.
    pub(crate) fn thinned(&self) -> Option<Vec<DVec2>> {
        let (first, last) = (*self.places.first()?, self.places.len() - 1);
        if self.places.iter().all(|place| place.distance(first) < SHORTEST) {
            return None;
        }
        // The place that is farthest from the lines between those that are kept joins them, until all are near. [Douglas and Peucker 1973]
        let mut kept = vec![0, last];
        while kept.len() < MOST {
            let farthest = kept.windows(2).flat_map(|ends| {
                let (a, b) = (self.places[ends[0]], self.places[ends[1]]);
                (ends[0] + 1..ends[1]).map(move |k| (k, distance_from_segment(self.places[k], a, b)))
            });
            let Some((index, distance)) = farthest.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            if distance <= TOLERANCE {
                break;
            }
            kept.push(index);
            kept.sort_unstable();
        }
        Some(kept.into_iter().map(|k| self.places[k]).collect())
    }
}

fn distance_from_segment(place: DVec2, a: DVec2, b: DVec2) -> f64 {
    let along = b - a;
    let share = ((place - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    place.distance(a + share * along)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(places: impl Iterator<Item = DVec2>) -> Stroke {
        let mut stroke = Stroke::default();
        places.for_each(|place| stroke.add(place));
        stroke
    }

    #[test]
    fn a_straight_stroke_has_two_ends() {
        let stroke = drawn((0..100).map(|k| DVec2::new(3.0 * f64::from(k), 50.0 + f64::from(k % 2))));
        assert_eq!(stroke.thinned().map(|places| places.len()), Some(2));
    }

    #[test]
    fn a_corner_is_kept_and_a_circle_has_few_places() {
        let corner = (0..50).map(|k| DVec2::new(f64::from(k.min(25)) * 4.0, f64::from((k - 25).max(0)) * 4.0));
        assert_eq!(drawn(corner).thinned().map(|places| places[1]), Some(DVec2::new(100.0, 0.0)));
        let circle = (0..500).map(|k| 200.0 * DVec2::from_angle(f64::from(k) / 80.0));
        let places = drawn(circle).thinned().expect("long enough");
        assert!(places.len() == MOST, "{}", places.len());
    }

    #[test]
    fn a_click_is_no_stroke() {
        assert_eq!(drawn((0..3).map(|k| DVec2::splat(f64::from(k) * 2.0))).thinned(), None);
        assert_eq!(Stroke::default().thinned(), None);
        // One that comes back to where it began is.
        let back = (0..41).map(|k: i32| DVec2::new(f64::from(20 - (k - 20).abs()) * 3.0, 0.0));
        assert!(drawn(back).thinned().is_some());
    }
}
