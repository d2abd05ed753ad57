//! Movements of pins, handles and colliders in a motion, as keyframes in every frame.

use std::f64::consts::{PI, TAU};

use pliant::math::functions::{cos, matrix_about, sin, turn_of};
use pliant::math::{Mat3, Quat, Vec3};

use super::random::{Random, RandomField};
use crate::fault::Fault;
use crate::format::{
    BodySection, CarrySection, ColliderKeyframe, ColliderShape, Keyframe, RandomSection, Rotation, Turn,
};
use crate::scene::Scene;

/// Movements begin gently, over this time \[s\].
const START: f64 = 0.5;
/// What is turned by less than this \[rad\] is not turned.
const WHOLE_TURN: f64 = 1e-9;

/// A movement is finite; faults are at keys of its section.
pub(super) fn check_carry(carry: &CarrySection) -> Result<(), Fault> {
    let numbers = [&carry.translate[..], &carry.about, &[carry.degrees, carry.phase]].concat();
    for (value, key) in
        numbers.iter().zip([["translate"; 3], ["about"; 3]].as_flattened().iter().chain(&["degrees", "phase"]))
    {
        if !value.is_finite() {
            return Err(Fault::new(*key, format!("{key} holds {value}, but must be finite")));
        }
    }
    let length = Vec3::from_array(carry.axis.unwrap_or([0.0, 1.0, 0.0])).length();
    if !(length > 0.0 && length.is_finite()) {
        return Err(Fault::new("axis", format!("the axis has length {length}, but must have a direction")));
    }
    match carry.period {
        Some(period) if !(period > 0.0 && period.is_finite()) => {
            Err(Fault::new("period", format!("period is {period}, but must be positive")))
        }
        _ => Ok(()),
    }
}

/// Share of the largest displacement of a movement, or seconds that it has gone on, at a time \[s\].
fn share(carry: &CarrySection, time: f64) -> f64 {
    let begun = (time / START).clamp(0.0, 1.0);
    match carry.period {
        Some(period) => (0.5 - 0.5 * cos(PI * begun)) * sin(TAU * (time / period + carry.phase)),
        // Speed grows from zero at a constant rate.
        None => 0.5 * begun * time.min(START) + (time - START).max(0.0),
    }
}

/// A rigid motion: R x + t.
#[derive(Debug, Clone, Copy)]
struct Place {
    turn: Mat3,
    shift: Vec3,
    axis: Vec3,
    /// \[rad\]
    angle: f64,
}

/// Where all movements together are in each frame; they begin after frames that are skipped.
fn places(all: &[CarrySection], [skip, frames]: [u32; 2], rate: f64) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for frame in 0..=frames {
        let time = f64::from(frame.saturating_sub(skip)) / rate;
        let (mut turn, mut shift) = (Mat3::IDENTITY, Vec3::ZERO);
        for carry in all {
            let share = share(carry, time);
            let axis = Vec3::from_array(carry.axis.unwrap_or([0.0, 1.0, 0.0])).normalize();
            let about = Vec3::from_array(carry.about);
            let own = matrix_about(axis, (share * carry.degrees).to_radians());
            (turn, shift) = (own * turn, own * (shift - about) + about);
        }
        shift += all.iter().map(|carry| Vec3::from_array(carry.translate) * share(carry, time)).sum::<Vec3>();
        let about = turn_of(Quat::from_mat3(&turn));
        let (mut axis, mut angle) = (about.normalize_or(Vec3::X), about.length());
        // Angles go on where those of the frame before were, so that what lies between frames does too.
        if let Some(before) = places.last() {
            // Whole turns have no axis.
            if sin(0.5 * angle).abs() < WHOLE_TURN {
                axis = before.axis;
            }
            if axis.dot(before.axis) < 0.0 {
                (axis, angle) = (-axis, -angle);
            }
            angle += TAU * ((before.angle - angle) / TAU).round();
        }
        places.push(Place { turn, shift, axis, angle });
    }
    places
}

/// Carries pins, handles and colliders of a scene along, after frames that are skipped; faults are at keys of the motion.
pub(super) fn carry(scene: &mut Scene, all: &[CarrySection], frames: [u32; 2]) -> Result<(), Fault> {
    let rate = scene.frame_rate();
    let places = places(all, frames, rate);
    let timed = || places.iter().enumerate().map(|(frame, place)| (frame as f64 / rate, place));
    let file = &mut scene.document.scene;
    for keyframes in driven(&mut file.body[0]) {
        refuse_own(keyframes.is_empty(), "pins and handles")?;
        let keyframe = |(time, place): (f64, &Place)| {
            let (axis, degrees) = (place.axis.to_array(), place.angle.to_degrees());
            Keyframe {
                time,
                translate: place.shift.to_array(),
                rotate: Some(Rotation { axis, degrees, about: [0.0; 3] }),
            }
        };
        *keyframes = timed().map(keyframe).collect();
    }
    for collider in &mut file.collider {
        if matches!(collider.shape, ColliderShape::Plane {} | ColliderShape::Heightfield { .. }) {
            continue;
        }
        refuse_own(collider.keyframe.is_empty() && collider.motion.is_none(), "colliders")?;
        if collider.rotation.is_some() {
            return Err(Fault::new("carry", "colliders with a rotation of their own cannot be carried along"));
        }
        let start = Vec3::from_array(collider.position);
        let keyframe = |(time, place): (f64, &Place)| ColliderKeyframe {
            time,
            position: Some((place.turn * start + place.shift).to_array()),
            rotation: Some(Turn { axis: place.axis.to_array(), degrees: place.angle.to_degrees() }),
        };
        collider.keyframe = timed().map(keyframe).collect();
    }
    Ok(())
}

/// The keyframes of all sets of pins and handles.
fn driven(body: &mut BodySection) -> Vec<&mut Vec<Keyframe>> {
    let pins = body.pin.iter_mut().map(|pin| &mut pin.keyframe);
    pins.chain(body.handle.iter_mut().map(|handle| &mut handle.keyframe)).collect()
}

fn refuse_own(is_still: bool, what: &str) -> Result<(), Fault> {
    match is_still {
        true => Ok(()),
        false => {
            let message = format!("{what} that the scene moves by keyframes cannot be carried along as well");
            Err(Fault::new("carry", message).hint("take them out in the motion: set = [\"body.0.pin.0.keyframe=[]\"]"))
        }
    }
}

/// Moves sets of pins and handles at random around their middles; faults are at keys of the motion.
pub(super) fn wander(
    scene: &mut Scene,
    random: &RandomSection,
    middles: &[Vec3],
    [skip, frames]: [u32; 2],
) -> Result<(), Fault> {
    let rate = scene.frame_rate();
    let driven = driven(&mut scene.document.scene.body[0]);
    if driven.is_empty() {
        let key = if random.translation.is_some() { "random.translation" } else { "random.degrees" };
        return Err(Fault::new(key, "the body has no pins and no handles that could move"));
    }
    for (number, (keyframes, middle)) in (1..).zip(driven.into_iter().zip(middles)) {
        if !keyframes.is_empty() {
            let message = "pins and handles that move otherwise cannot move at random as well";
            return Err(Fault::new("random", message));
        }
        let numbers = &mut Random::new(random.seed, number);
        let mut course =
            |size: Option<f64>| RandomField::new(numbers, size.unwrap_or(0.0), random.period, f64::INFINITY);
        let (shift, turn) = (course(random.translation), course(random.degrees));
        let [shift, turn] = [shift, turn].map(|course| course.from(f64::from(skip) / rate));
        let keyframe = |frame: u32| {
            let time = f64::from(frame) / rate;
            let angles = turn.at(time, Vec3::ZERO);
            let degrees = angles.length();
            let axis = angles.normalize_or(Vec3::Y).to_array();
            let rotate = (degrees > 0.0).then(|| Rotation { axis, degrees, about: middle.to_array() });
            Keyframe { time, translate: shift.at(time, Vec3::ZERO).to_array(), rotate }
        };
        *keyframes = (0..=frames).map(keyframe).collect();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(period: Option<f64>) -> CarrySection {
        CarrySection {
            translate: [0.2, 0.0, 0.0],
            degrees: 90.0,
            axis: None,
            about: [1.0, 0.0, 0.0],
            period,
            phase: 0.0,
        }
    }

    #[test]
    fn movements_begin_at_rest_and_go_as_far_as_they_say() {
        let oscillation = carried(Some(4.0));
        assert_eq!((share(&oscillation, 0.0), share(&oscillation, 1.0)), (0.0, 1.0));
        let on_and_on = carried(None);
        // Half of the first half second is lost.
        assert!((share(&on_and_on, 3.0) - 2.75).abs() < 1e-15);
        let slope = (share(&on_and_on, START + 1e-6) - share(&on_and_on, START - 1e-6)) / 2e-6;
        assert!((slope - 1.0).abs() < 1e-5 && share(&on_and_on, 1e-6) < 1e-11, "{slope}");
        let place = places(&[oscillation], [0, 60], 60.0)[60];
        // A quarter turn about (1, 0, 0), then 0.2 m along x.
        let at = place.turn * Vec3::new(2.0, 0.0, 0.0) + place.shift;
        assert!(at.distance(Vec3::new(1.2, 0.0, -1.0)) < 1e-12, "{at}");
    }

    #[test]
    fn angles_go_on_past_half_a_turn() {
        let all = places(&[CarrySection { degrees: 360.0, ..carried(None) }], [30, 210], 60.0);
        let turned = all[210].axis.y * all[210].angle.to_degrees();
        assert!((turned - 360.0 * 2.75).abs() < 1e-9, "{turned}");
        assert!(all.windows(2).all(|pair| (pair[1].angle - pair[0].angle).abs() < 0.11));
    }
}
