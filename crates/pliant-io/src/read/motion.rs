//! Motions of rigid parts: `.mot`, text. `NumFrames: n`, then for each part `body[k] position` with n rows of x y z, and
//! `body[k] orientation` with n rows of a quaternion w x y z.

use std::path::Path;

use pliant::collide::Pose;
use pliant::math::{Quat, Vec3};

use super::error::{Problem, ReadError};
use super::text::Text;
use super::{Files, ReadOptions, gzip};

/// Rigid parts in motion: their poses at evenly spaced frames. The file does not say how long a frame lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidMotion {
    /// For each part its pose in each frame; all parts have the same number of frames.
    pub parts: Vec<Vec<Pose>>,
}

/// Rotations are written in few digits; what is further from length 1 than this is no rotation.
const ROTATION_SLACK: f64 = 0.01;

/// Reads a motion file; only the options `scale`, `up_axis` and `max_bytes` are used. If you read the meshes of parts
/// with the same options, they move as in the file.
///
/// ```no_run
/// use pliant_io::read::{ReadOptions, UpAxis, read_motion};
///
/// let options = ReadOptions { up_axis: UpAxis::Z, ..ReadOptions::default() };
/// let motion = read_motion("models/dance.mot", &options)?;
/// println!("{} parts, {} frames", motion.parts.len(), motion.parts[0].len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_motion(path: impl AsRef<Path>, options: &ReadOptions) -> Result<RigidMotion, ReadError> {
    Files::on_disk("").read_motion(path, options)
}

/// Reads a motion from memory; the name is used in errors.
///
/// ```
/// use pliant_io::read::{ReadOptions, read_motion_from_bytes};
///
/// let text = b"NumFrames: 2\nbody[0] position\n0 0 0\n1 0 0\n\nbody[0] orientation\n1 0 0 0\n1 0 0 x\n";
/// let error = read_motion_from_bytes("walk.mot", text, &ReadOptions::default()).unwrap_err();
/// assert_eq!(error.to_string(), "walk.mot line 8: expected part of a quaternion but found 'x'");
/// ```
pub fn read_motion_from_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<RigidMotion, ReadError> {
    read(bytes, options).map_err(|error| error.of(name))
}

fn read(bytes: &[u8], options: &ReadOptions) -> Result<RigidMotion, ReadError> {
    if !(options.scale > 0.0 && options.scale.is_finite()) {
        return Err(Problem::BadOption { option: "scale", value: options.scale }.of_file());
    }
    let bytes = gzip::decompress(bytes, options.max_bytes).map_err(Problem::of_file)?;
    let mut text = Text::new(&bytes, b"#");
    expect(&mut text, "NumFrames:", b"NumFrames:")?;
    // A row of positions takes six bytes at least.
    let frames = text.count("frames", 6)?;
    if frames == 0 {
        return Err(Problem::unexpected("at least one frame", b"0").at(text.place()));
    }
    let mut parts: Vec<Vec<Pose>> = Vec::new();
    while text.peek().is_some() {
        let part = format!("body[{}]", parts.len());
        expect(&mut text, "the next part, as in body[0]", part.as_bytes())?;
        expect(&mut text, "position", b"position")?;
        let mut poses = Vec::with_capacity(frames);
        for _ in 0..frames {
            poses.push(Pose { position: position(&mut text, options)?, rotation: Quat::IDENTITY });
        }
        expect(&mut text, "the orientation of the same part", part.as_bytes())?;
        expect(&mut text, "orientation", b"orientation")?;
        for pose in &mut poses {
            pose.rotation = rotation(&mut text, options)?;
        }
        parts.push(poses);
    }
    match parts.is_empty() {
        true => Err(Problem::Truncated { expected: "body[0] position" }.at(text.place())),
        false => Ok(RigidMotion { parts }),
    }
}

/// The next word, which must be this one.
fn expect(text: &mut Text<'_>, expected: &'static str, word: &[u8]) -> Result<(), ReadError> {
    let found = text.expect_word(expected)?;
    if found == word { Ok(()) } else { Err(Problem::unexpected(expected, found).at(text.place())) }
}

fn position(text: &mut Text<'_>, options: &ReadOptions) -> Result<Vec3, ReadError> {
    let mut row = [0.0; 3];
    for value in &mut row {
        *value = options.scale * text.number("coordinate")?;
    }
    match row.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(Problem::NotFinite { what: "scaled position", value: value.to_string() }.at(text.place())),
        None => Ok(options.up_axis.to_engine(row.into())),
    }
}

fn rotation(text: &mut Text<'_>, options: &ReadOptions) -> Result<Quat, ReadError> {
    let mut row = [0.0; 4];
    for value in &mut row {
        *value = text.number("part of a quaternion")?;
    }
    let [w, x, y, z] = row;
    let length = (w * w + x * x + y * y + z * z).sqrt();
    if length.is_nan() || (length - 1.0).abs() > ROTATION_SLACK {
        let found = format!("length {length}");
        return Err(Problem::Unexpected { expected: "a quaternion of length 1", found }.at(text.place()));
    }
    // Seen from other axes a rotation is about the axis as seen from these.
    let axis = options.up_axis.to_engine(Vec3::new(x, y, z));
    Ok(Quat::from_xyzw(axis.x, axis.y, axis.z, w).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::UpAxis;

    const WALK: &str = "NumFrames: 2\nbody[0] position\n0 0 0\n1 2 3\n\nbody[0] orientation\n1 0 0 0\n0.70711 0 0 0.70711\n\
                        body[1] position\n0 0 1\n0 0 1\nbody[1] orientation\n1 0 0 0\n1 0 0 0\n";

    fn walk(from: &str, to: &str) -> Result<RigidMotion, String> {
        assert!(WALK.contains(from), "{from}");
        let text = WALK.replacen(from, to, 1);
        read_motion_from_bytes("walk.mot", text.as_bytes(), &ReadOptions::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn parts_have_poses_in_every_frame() -> Result<(), ReadError> {
        let motion = read_motion_from_bytes("walk.mot", WALK.as_bytes(), &ReadOptions::default())?;
        assert_eq!(motion.parts.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
        let pose = motion.parts[0][1];
        assert_eq!(pose.position, Vec3::new(1.0, 2.0, 3.0));
        assert!((pose.to_world(Vec3::X) - Vec3::new(1.0, 3.0, 3.0)).length() < 1e-9);
        Ok(())
    }

    #[test]
    fn a_motion_with_z_up_moves_parts_as_their_file_means() -> Result<(), ReadError> {
        let options = ReadOptions { up_axis: UpAxis::Z, scale: 0.5, ..ReadOptions::default() };
        let plain = read_motion_from_bytes("walk.mot", WALK.as_bytes(), &ReadOptions::default())?.parts[0][1];
        let turned = read_motion_from_bytes("walk.mot", WALK.as_bytes(), &options)?.parts[0][1];
        let seen = |p: Vec3| UpAxis::Z.to_engine(0.5 * p);
        let p = Vec3::new(0.3, -0.2, 0.7);
        assert!((turned.to_world(seen(p)) - seen(plain.to_world(p))).length() < 1e-12);
        Ok(())
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let refused = |from, to| walk(from, to).err().unwrap_or_default();
        assert_eq!(refused("1 2 3", "1 two 3"), "walk.mot line 4: expected coordinate but found 'two'");
        assert_eq!(refused("1 2 3", "1 inf 3"), "walk.mot line 4: coordinate inf is not finite");
        assert!(refused("0.70711 0", "0.9 0").starts_with("walk.mot line 8: expected a quaternion of length 1"));
        assert!(refused("body[1] p", "body[3] p").contains("line 9: expected the next part"));
        assert!(refused("2\n", "900000000\n").contains("line 1: 900000000 frames are claimed"));
        assert!(refused("2\n", "0\n").contains("at least one frame"));
        assert!(refused("1 0 0 0\n1 0 0 0\n", "1 0 0 0\n").contains("ends where"));
        for length in 0..WALK.len() - 1 {
            let read = read_motion_from_bytes("cut.mot", &WALK.as_bytes()[..length], &ReadOptions::default());
            // Cut after its first part it is a whole file, and so it is where the last number has lost digits but is one.
            if let Ok(motion) = read {
                assert!(motion.parts.iter().all(|poses| poses.len() == 2));
            }
        }
    }
}
