//! What keys do.

use crate::protocol::Thing;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum KeyAction {
    Play,
    Step,
    Reset,
    Cut,
    Hand,
    Frame,
    Drop(Thing),
    Save,
    Help,
    Panel,
    /// Pixels of a drag.
    Orbit(f64, f64),
    Zoom(f64),
}

/// What the help panel lists.
pub(crate) const HELP: [(&str, &str); 19] = [
    ("drag a body", "pull it by hand"),
    ("drag beside it", "look around"),
    ("right button", "look around, also over bodies"),
    ("shift or middle button", "move the view"),
    ("wheel, pinch", "nearer, farther"),
    ("two fingers", "move the view, nearer, farther"),
    ("double click beside", "see everything"),
    ("arrows", "look around"),
    ("+ and -", "nearer, farther"),
    ("space", "run or stand still"),
    (". (full stop)", "one step"),
    ("R", "begin anew"),
    ("G", "hand"),
    ("C", "scissors: draw a cut"),
    ("F", "see everything"),
    ("1, 2, 3, 4", "drop a ball, a cube, a cloth, a rope"),
    ("S", "save a picture"),
    ("P", "panel"),
    ("H", "this help"),
];

/// What a key does, by its name: a letter, a digit, `Space`, `Left`...
pub(crate) fn action_of(key: &str) -> Option<KeyAction> {
    const STEP: f64 = 40.0;
    Some(match key {
        "Space" => KeyAction::Play,
        "Period" => KeyAction::Step,
        "R" => KeyAction::Reset,
        "C" => KeyAction::Cut,
        "G" => KeyAction::Hand,
        "F" => KeyAction::Frame,
        "S" => KeyAction::Save,
        "H" | "Questionmark" | "F1" => KeyAction::Help,
        "P" => KeyAction::Panel,
        "1" => KeyAction::Drop(Thing::ALL[0]),
        "2" => KeyAction::Drop(Thing::ALL[1]),
        "3" => KeyAction::Drop(Thing::ALL[2]),
        "4" => KeyAction::Drop(Thing::ALL[3]),
        "Left" => KeyAction::Orbit(-STEP, 0.0),
        "Right" => KeyAction::Orbit(STEP, 0.0),
        "Up" => KeyAction::Orbit(0.0, -STEP),
        "Down" => KeyAction::Orbit(0.0, STEP),
        "Plus" | "Equals" => KeyAction::Zoom(1.2),
        "Minus" => KeyAction::Zoom(1.0 / 1.2),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_has_a_key() {
        let dropped = ["1", "2", "3", "4"].map(|key| match action_of(key) {
            Some(KeyAction::Drop(thing)) => thing,
            other => panic!("{key} does {other:?}"),
        });
        assert_eq!(dropped, Thing::ALL);
        assert_eq!(action_of("Q"), None);
    }
}
