//! Keyframes as functions of time.

use pliant::math::Vec3;
use pliant::math::functions::matrix_about;

use crate::fault::Fault;
use crate::format::{Keyframe, Rotation};

/// A rigid motion given by keyframes.
#[derive(Debug, Clone)]
pub(crate) struct Motion {
    keyframes: Vec<Keyframe>,
}

/// Rotates a point.
pub(crate) fn rotate(rotation: &Rotation, fraction: f64, p: Vec3) -> Vec3 {
    let axis = Vec3::from_array(rotation.axis).normalize_or(Vec3::Y);
    let about = Vec3::from_array(rotation.about);
    about + matrix_about(axis, fraction * rotation.degrees.to_radians()) * (p - about)
}

/// Keyframes are finite, and at different times; `section` is the key that holds them.
pub(crate) fn check_keyframes(section: &str, keyframes: &[Keyframe]) -> Result<(), Fault> {
    for (k, keyframe) in keyframes.iter().enumerate() {
        let key = |name: &str| format!("{section}.keyframe.{k}.{name}");
        if !keyframe.time.is_finite() {
            return Err(Fault::new(key("time"), format!("time is {}, but must be finite", keyframe.time)));
        }
        if keyframes[..k].iter().any(|other| other.time == keyframe.time) {
            return Err(Fault::new(key("time"), format!("there are two keyframes at {} s", keyframe.time)));
        }
        if let Some(value) = keyframe.translate.iter().find(|c| !c.is_finite()) {
            return Err(Fault::new(key("translate"), format!("translate holds {value}, but must be finite")));
        }
        if let Some(rotation) = &keyframe.rotate {
            check_rotation(&key("rotate"), rotation)?;
        }
    }
    Ok(())
}

/// A rotation is finite and has an axis.
pub(crate) fn check_rotation(key: &str, rotation: &Rotation) -> Result<(), Fault> {
    let length = Vec3::from_array(rotation.axis).length();
    if !(length.is_finite() && length > 0.0) {
        let message = format!("the axis has length {length}, but must have a direction");
        return Err(Fault::new(format!("{key}.axis"), message));
    }
    let place = Vec3::from_array(rotation.about);
    if !(rotation.degrees.is_finite() && place.is_finite()) {
        return Err(Fault::new(key, format!("{}° about {place} is not finite", rotation.degrees)));
    }
    Ok(())
}

impl Motion {
    /// Keyframes in order of time.
    pub(crate) fn new(keyframes: &[Keyframe]) -> Self {
        let mut keyframes = keyframes.to_vec();
        keyframes.sort_by(|a, b| a.time.total_cmp(&b.time));
        Self { keyframes }
    }

    /// Whether there is a motion at all.
    pub(crate) fn is_moving(&self) -> bool {
        !self.keyframes.is_empty()
    }

    /// Where a rest position is at a time \[s\]. The rotations of both neighbours act one after the other, weighted by
    /// nearness, which for one axis is the interpolated angle.
    pub(crate) fn place(&self, time: f64, rest: Vec3) -> Vec3 {
        let after = self.keyframes.partition_point(|k| k.time <= time);
        let (Some(before), next) = (self.keyframes[..after].last(), self.keyframes.get(after)) else {
            return self.keyframes.first().map_or(rest, |first| posed(&[(first, 1.0)], rest));
        };
        match next {
            None => posed(&[(before, 1.0)], rest),
            Some(next) => {
                let fraction = (time - before.time) / (next.time - before.time);
                posed(&[(before, 1.0 - fraction), (next, fraction)], rest)
            }
        }
    }
}

/// A vector that changes over time, on straight lines between keyframes.
#[derive(Debug, Clone)]
pub(crate) struct Track {
    /// In order of time, at least one.
    keyframes: Vec<(f64, Vec3)>,
}

impl Track {
    /// Of a constant or of keyframes (time, vector); `section` and `name` are their keys in the file.
    pub(crate) fn new(
        section: &str,
        name: &str,
        constant: Option<[f64; 3]>,
        keyframes: &[(f64, [f64; 3])],
    ) -> Result<Self, Fault> {
        let inside = |key: &str| if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") };
        let finite = |key: String, value: [f64; 3]| match value.iter().all(|c| c.is_finite()) {
            true => Ok(Vec3::from(value)),
            false => Err(Fault::new(key, format!("{name} is {value:?}, but must be finite"))),
        };
        let mut sorted = Vec::new();
        match (constant, keyframes) {
            (Some(value), []) => sorted.push((0.0, finite(inside(name), value)?)),
            (None, [_, ..]) => {
                for (k, &(time, value)) in keyframes.iter().enumerate() {
                    let key = |name: &str| inside(&format!("keyframe.{k}.{name}"));
                    if !time.is_finite() {
                        return Err(Fault::new(key("time"), format!("time is {time}, but must be finite")));
                    }
                    if keyframes[..k].iter().any(|other| other.0 == time) {
                        return Err(Fault::new(key("time"), format!("there are two keyframes at {time} s")));
                    }
                    sorted.push((time, finite(key(name), value)?));
                }
            }
            (Some(_), _) => {
                return Err(Fault::new(inside("keyframe"), format!("give `{name}` or `keyframe`, not both")));
            }
            (None, []) => return Err(Fault::new(section, format!("give `{name}` or `keyframe`"))),
        }
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Self { keyframes: sorted })
    }

    /// The vector at a time \[s\].
    pub(crate) fn at(&self, time: f64) -> Vec3 {
        let after = self.keyframes.partition_point(|k| k.0 <= time);
        match (self.keyframes[..after].last(), self.keyframes.get(after)) {
            (Some(before), Some(next)) => before.1.lerp(next.1, (time - before.0) / (next.0 - before.0)),
            (Some(only), None) | (None, Some(only)) => only.1,
            (None, None) => Vec3::ZERO,
        }
    }

    /// Whether it never changes.
    pub(crate) fn is_constant(&self) -> bool {
        self.keyframes.len() == 1
    }
}

fn posed(parts: &[(&Keyframe, f64)], rest: Vec3) -> Vec3 {
    let rotated = parts.iter().fold(rest, |p, (keyframe, weight)| {
        keyframe.rotate.as_ref().map_or(p, |rotation| rotate(rotation, *weight, p))
    });
    parts.iter().fold(rotated, |p, (keyframe, weight)| p + Vec3::from_array(keyframe.translate) * *weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyframe(time: f64, x: f64, degrees: f64) -> Keyframe {
        let rotate = Some(Rotation { axis: [0.0, 0.0, 2.0], degrees, about: [0.0; 3] });
        Keyframe { time, translate: [x, 0.0, 0.0], rotate }
    }

    #[test]
    fn poses_are_interpolated_between_keyframes_and_held_outside() {
        let motion = Motion::new(&[keyframe(3.0, 2.0, 90.0), keyframe(1.0, 0.0, 0.0)]);
        let at = |time: f64| motion.place(time, Vec3::X);
        assert!((at(0.0) - Vec3::X).length() < 1e-15 && (at(1.0) - Vec3::X).length() < 1e-15);
        assert!((at(9.0) - Vec3::new(2.0, 1.0, 0.0)).length() < 1e-15);
        let diagonal = std::f64::consts::FRAC_1_SQRT_2;
        assert!((at(2.0) - Vec3::new(1.0 + diagonal, diagonal, 0.0)).length() < 1e-15);
    }

    #[test]
    fn a_track_is_interpolated_between_keyframes_and_held_outside() -> Result<(), Fault> {
        let track = Track::new("", "total", None, &[(3.0, [4.0, 0.0, 2.0]), (1.0, [0.0; 3])])?;
        assert_eq!((track.at(0.0), track.at(9.0)), (Vec3::ZERO, Vec3::new(4.0, 0.0, 2.0)));
        assert_eq!(track.at(1.5), Vec3::new(1.0, 0.0, 0.5));
        let constant = Track::new("", "total", Some([1.0, 2.0, 3.0]), &[])?;
        assert_eq!(constant.at(7.0), Vec3::new(1.0, 2.0, 3.0));
        assert!(constant.is_constant() && !track.is_constant());
        assert!(Track::new("", "total", None, &[]).is_err());
        assert!(Track::new("", "total", Some([0.0; 3]), &[(0.0, [0.0; 3])]).is_err());
        Ok(())
    }
}
