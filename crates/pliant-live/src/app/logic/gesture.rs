//! Which gesture is which: pointers go down, move and go up; what they hold is known only when the simulation answers.

use std::collections::BTreeMap;

use glam::DVec2;

use super::stroke::Stroke;

/// Seconds and pixels within which a second press is a double click.
const DOUBLE_SECONDS: f64 = 0.4;
const DOUBLE_PIXELS: f64 = 14.0;

/// What a pointer does to bodies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Takes hold and drags.
    #[default]
    Hand,
    /// Draws a cut.
    Cut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Button {
    Left,
    Right,
    Middle,
    /// A finger.
    Touch,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Turn the camera by a drag of some pixels.
    Orbit(DVec2),
    /// Move the camera by a drag of some pixels.
    Pan(DVec2),
    /// Come nearer by a factor to what is at a place.
    Zoom(f64, DVec2),
    /// See everything.
    Frame,
    /// Ask what is at a place.
    Grab(u64, DVec2),
    /// Pull what is held to a place.
    Drag(u64, DVec2),
    /// Let go.
    Release(u64),
    /// Cut along these places.
    Cut(Vec<DVec2>),
}

/// How a press is meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Press {
    pub(crate) button: Button,
    pub(crate) is_shifted: bool,
    pub(crate) tool: Tool,
    /// Whether there is anything to hold and cut.
    pub(crate) is_touchable: bool,
    pub(crate) time: f64,
}

#[derive(Debug, Clone, PartialEq)]
enum Doing {
    /// Waits for the answer; the camera stands still.
    Asking,
    Holding,
    Orbiting,
    Panning,
    Stroking(Stroke),
    /// Until it goes up.
    Nothing,
}

#[derive(Debug, Clone, PartialEq)]
struct Pointer {
    place: DVec2,
    doing: Doing,
    is_finger: bool,
    is_double: bool,
}

/// The pointers that are down in one picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Gestures {
    pointers: BTreeMap<u64, Pointer>,
    last_press: Option<(f64, DVec2)>,
}

impl Gestures {
    pub(crate) fn down(&mut self, id: u64, place: DVec2, press: Press) -> Vec<Action> {
        if self.pointers.contains_key(&id) {
            return Vec::new();
        }
        let is_double = self
            .last_press
            .is_some_and(|(time, before)| press.time - time < DOUBLE_SECONDS && before.distance(place) < DOUBLE_PIXELS);
        // A third press is not a second double click.
        self.last_press = (!is_double).then_some((press.time, place));
        let is_finger = press.button == Button::Touch;
        let mut actions = Vec::new();
        let doing = match press {
            Press { button: Button::Middle, .. } | Press { is_shifted: true, .. } => Doing::Panning,
            Press { button: Button::Right, .. } => Doing::Orbiting,
            _ if is_finger && self.join_fingers() => Doing::Orbiting,
            Press { is_touchable: false, .. } => Doing::Orbiting,
            Press { tool: Tool::Cut, .. } => Doing::Stroking(Stroke::from(place)),
            Press { tool: Tool::Hand, .. } => {
                actions.push(Action::Grab(id, place));
                Doing::Asking
            }
        };
        if is_double && doing == Doing::Orbiting && matches!(press.button, Button::Left | Button::Touch) {
            actions.push(Action::Frame);
        }
        self.pointers.insert(id, Pointer { place, doing, is_finger, is_double });
        actions
    }

    /// Whether a new finger joins one that moves the camera or draws, rather than taking hold of something itself.
    fn join_fingers(&mut self) -> bool {
        let mut joined = false;
        for pointer in self.pointers.values_mut().filter(|pointer| pointer.is_finger) {
            if matches!(pointer.doing, Doing::Orbiting | Doing::Stroking(_)) {
                pointer.doing = Doing::Orbiting;
                joined = true;
            }
        }
        joined
    }

    pub(crate) fn moved(&mut self, id: u64, place: DVec2) -> Vec<Action> {
        let fingers = self.free_fingers();
        let Some(pointer) = self.pointers.get_mut(&id) else { return Vec::new() };
        let before = std::mem::replace(&mut pointer.place, place);
        if before == place {
            return Vec::new();
        }
        match &mut pointer.doing {
            Doing::Asking | Doing::Nothing => Vec::new(),
            Doing::Holding => vec![Action::Drag(id, place)],
            Doing::Panning => vec![Action::Pan(place - before)],
            Doing::Stroking(stroke) => {
                stroke.add(place);
                Vec::new()
            }
            Doing::Orbiting => match fingers[..] {
                // Two fingers: their middle moves the view, the distance between them brings it nearer.
                [a, b, ..] if a == id || b == id => {
                    let other = self.pointers[&if a == id { b } else { a }].place;
                    let factor = place.distance(other).max(1.0) / before.distance(other).max(1.0);
                    vec![Action::Pan(0.5 * (place - before)), Action::Zoom(factor, 0.5 * (place + other))]
                }
                [_, _, ..] => Vec::new(),
                _ => vec![Action::Orbit(place - before)],
            },
        }
    }

    /// A pointer goes up, or leaves.
    pub(crate) fn up(&mut self, id: u64) -> Vec<Action> {
        match self.pointers.remove(&id).map(|pointer| pointer.doing) {
            Some(Doing::Asking | Doing::Holding) => vec![Action::Release(id)],
            Some(Doing::Stroking(stroke)) => stroke.thinned().map(Action::Cut).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// All pointers go up, and strokes are forgotten.
    pub(crate) fn cancel(&mut self) -> Vec<Action> {
        let ids: Vec<u64> = self.pointers.keys().copied().collect();
        let all = ids.into_iter().flat_map(|id| self.up(id));
        all.filter(|action| matches!(action, Action::Release(_))).collect()
    }

    /// The simulation says that a pointer holds something. Returns false if that pointer is up again.
    pub(crate) fn grabbed(&mut self, id: u64) -> Option<DVec2> {
        let pointer = self.pointers.get_mut(&id)?;
        pointer.doing = Doing::Holding;
        Some(pointer.place)
    }

    /// The simulation says that a pointer holds nothing: it looks around, unless it had held something.
    pub(crate) fn released(&mut self, id: u64) -> Vec<Action> {
        let Some(pointer) = self.pointers.get_mut(&id) else { return Vec::new() };
        match pointer.doing {
            Doing::Asking => {
                pointer.doing = Doing::Orbiting;
                if pointer.is_double { vec![Action::Frame] } else { Vec::new() }
            }
            Doing::Holding => {
                pointer.doing = Doing::Nothing;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn free_fingers(&self) -> Vec<u64> {
        let free = self.pointers.iter().filter(|(_, pointer)| pointer.is_finger && pointer.doing == Doing::Orbiting);
        free.map(|(&id, _)| id).collect()
    }

    pub(crate) fn is_down(&self, id: u64) -> bool {
        self.pointers.contains_key(&id)
    }

    pub(crate) fn has_fingers(&self) -> bool {
        self.pointers.values().any(|pointer| pointer.is_finger)
    }

    /// The strokes that are being drawn.
    pub(crate) fn strokes(&self) -> impl Iterator<Item = &[DVec2]> {
        self.pointers.values().filter_map(|pointer| match &pointer.doing {
            Doing::Stroking(stroke) => Some(stroke.places()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(button: Button) -> Press {
        Press { button, is_shifted: false, tool: Tool::Hand, is_touchable: true, time: 0.0 }
    }

    fn at(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    #[test]
    fn while_the_answer_is_awaited_nothing_moves() {
        let mut gestures = Gestures::default();
        assert_eq!(gestures.down(0, at(5.0, 5.0), press(Button::Left)), [Action::Grab(0, at(5.0, 5.0))]);
        assert_eq!(gestures.moved(0, at(9.0, 5.0)), []);
        assert_eq!(gestures.grabbed(0), Some(at(9.0, 5.0)));
        assert_eq!(gestures.moved(0, at(20.0, 5.0)), [Action::Drag(0, at(20.0, 5.0))]);
        assert_eq!(gestures.up(0), [Action::Release(0)]);
        assert_eq!(gestures.grabbed(0), None);
    }

    #[test]
    fn beside_bodies_a_drag_looks_around_and_a_double_click_shows_all() {
        let mut gestures = Gestures::default();
        gestures.down(0, at(5.0, 5.0), press(Button::Left));
        assert_eq!(gestures.released(0), []);
        assert_eq!(gestures.moved(0, at(9.0, 7.0)), [Action::Orbit(at(4.0, 2.0))]);
        assert_eq!(gestures.up(0), []);
        gestures.down(0, at(6.0, 5.0), Press { time: 0.2, ..press(Button::Left) });
        assert_eq!(gestures.released(0), [Action::Frame]);
    }

    #[test]
    fn what_is_lost_while_held_does_not_turn_the_camera() {
        let mut gestures = Gestures::default();
        gestures.down(0, at(5.0, 5.0), press(Button::Left));
        gestures.grabbed(0);
        gestures.released(0);
        assert_eq!(gestures.moved(0, at(50.0, 5.0)), []);
        assert_eq!(gestures.up(0), []);
    }

    #[test]
    fn two_free_fingers_move_and_zoom() {
        let mut gestures = Gestures::default();
        gestures.down(1, at(100.0, 100.0), press(Button::Touch));
        gestures.released(1);
        assert_eq!(gestures.down(2, at(200.0, 100.0), press(Button::Touch)), []);
        let actions = gestures.moved(2, at(300.0, 100.0));
        assert_eq!(actions, [Action::Pan(at(50.0, 0.0)), Action::Zoom(2.0, at(200.0, 100.0))]);
        gestures.up(1);
        assert_eq!(gestures.moved(2, at(310.0, 100.0)), [Action::Orbit(at(10.0, 0.0))]);
    }

    #[test]
    fn several_fingers_hold_several_vertices() {
        let mut gestures = Gestures::default();
        gestures.down(1, at(100.0, 100.0), press(Button::Touch));
        gestures.grabbed(1);
        assert_eq!(gestures.down(2, at(200.0, 9.0), press(Button::Touch)), [Action::Grab(2, at(200.0, 9.0))]);
        gestures.grabbed(2);
        assert_eq!(gestures.moved(1, at(1.0, 2.0)), [Action::Drag(1, at(1.0, 2.0))]);
        assert_eq!(gestures.moved(2, at(3.0, 4.0)), [Action::Drag(2, at(3.0, 4.0))]);
        assert_eq!(gestures.cancel(), [Action::Release(1), Action::Release(2)]);
    }

    #[test]
    fn scissors_draw_and_a_second_finger_stops_them() {
        let cut = Press { tool: Tool::Cut, ..press(Button::Touch) };
        let mut gestures = Gestures::default();
        gestures.down(1, at(0.0, 0.0), cut);
        (1..20).for_each(|k| assert_eq!(gestures.moved(1, at(5.0 * f64::from(k), 0.0)), []));
        assert_eq!(gestures.strokes().count(), 1);
        assert_eq!(gestures.up(1), [Action::Cut(vec![at(0.0, 0.0), at(95.0, 0.0)])]);
        gestures.down(1, at(0.0, 0.0), cut);
        gestures.down(2, at(50.0, 0.0), cut);
        assert_eq!(gestures.strokes().count(), 0);
        assert_eq!((gestures.up(1), gestures.up(2)), (vec![], vec![]));
    }

    #[test]
    fn buttons_and_shift_move_the_camera_over_bodies_too() {
        let mut gestures = Gestures::default();
        assert_eq!(gestures.down(0, at(0.0, 0.0), press(Button::Right)), []);
        assert_eq!(gestures.moved(0, at(3.0, 0.0)), [Action::Orbit(at(3.0, 0.0))]);
        gestures.up(0);
        gestures.down(0, at(0.0, 0.0), Press { is_shifted: true, ..press(Button::Left) });
        assert_eq!(gestures.moved(0, at(3.0, 0.0)), [Action::Pan(at(3.0, 0.0))]);
        gestures.up(0);
        assert_eq!(gestures.down(0, at(0.0, 0.0), Press { is_touchable: false, ..press(Button::Left) }), []);
    }
}
