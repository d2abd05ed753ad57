//! How a scene looks in pictures: the camera and the colours that it asks for.

use std::collections::HashMap;

use pliant::math::Vec3;

use crate::SceneError;
use crate::fault::Fault;
use crate::format::{CameraSection, SceneFile};
use crate::scene::Scene;

/// Widest angle that a picture can show \[°\].
const WIDEST: f64 = 170.0;
/// Sine of the angle below which two directions are the same.
const PARALLEL: f64 = 1e-6;

/// How a scene looks in pictures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// The camera, if the scene has one.
    pub camera: Option<View>,
    /// Which frame a single picture shows, as a share of the run, 0 to 1, if the scene names one.
    pub poster: Option<f64>,
    /// Colours of bodies, red, green and blue, by name.
    pub bodies: HashMap<String, [u8; 3]>,
    /// The colour of each collider; none is the usual one.
    pub colliders: Vec<Option<[u8; 3]>>,
}

/// A viewpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// From where it looks.
    pub place: Viewpoint,
    /// The direction that is up in the picture, if it is not y.
    pub up: Option<Vec3>,
    /// Vertical field of view \[rad\], if the scene gives one.
    pub field_of_view: Option<f64>,
}

/// Where a camera is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Viewpoint {
    /// As far away as it must be to see everything, looking in a direction, which may be left to the program.
    Framing(Option<Vec3>),
    /// At a point \[m\].
    Fixed {
        /// Where it is.
        eye: Vec3,
        /// What is in the middle of the picture.
        target: Vec3,
    },
}

impl Scene {
    /// How the scene looks in pictures.
    pub fn look(&self) -> Result<Look, SceneError> {
        let file = self.file();
        let mut look = Look::default();
        if let Some(output) = &file.output {
            let refuse = |fault: Fault| self.fault(&["output".to_owned()], &fault);
            look.poster = output.poster;
            if let Some(share) = output.poster.filter(|share| !(0.0..=1.0).contains(share)) {
                let message = format!("poster is {share}, but must be a share of the run, 0 to 1");
                return Err(refuse(Fault::new("poster", message)));
            }
            look.camera =
                output.camera.as_ref().map(view).transpose().map_err(|fault| refuse(fault.inside("camera")))?;
        }
        self.colors(file, &mut look)?;
        Ok(look)
    }

    fn colors(&self, file: &SceneFile, look: &mut Look) -> Result<(), SceneError> {
        for (k, body) in file.body.iter().enumerate() {
            let refuse = |fault: Fault| self.fault(&self.list_path("body", k), &fault);
            if let Some(color) = body.color.as_deref().map(color).transpose().map_err(refuse)? {
                look.bodies.insert(body.name.clone(), color);
            }
        }
        for (k, collider) in file.collider.iter().enumerate() {
            let refuse = |fault: Fault| self.fault(&self.list_path("collider", k), &fault);
            look.colliders.push(collider.color.as_deref().map(color).transpose().map_err(refuse)?);
        }
        Ok(())
    }
}

/// Reads `#2f6fb5`.
fn color(text: &str) -> Result<[u8; 3], Fault> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let is_hex = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = digits.filter(is_hex).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some(number) = number else {
        let message = format!("color is {text:?}, but must be a colour such as \"#2f6fb5\": red, green and blue");
        return Err(Fault::new("color", message));
    };
    let [_, red, green, blue] = number.to_be_bytes();
    Ok([red, green, blue])
}

fn view(section: &CameraSection) -> Result<View, Fault> {
    let (place, forward) = match (section.direction, section.eye, section.target) {
        (Some(_), Some(_), _) => {
            return Err(Fault::new("direction", "give `direction`, or `eye` and `target`, not both"));
        }
        (Some(_), _, Some(_)) => {
            return Err(Fault::new("direction", "give `direction`, or `eye` and `target`, not both"));
        }
        (None, Some(_), None) => return Err(Fault::new("eye", "a camera with `eye` also needs `target`")),
        (None, None, Some(_)) => return Err(Fault::new("target", "a camera with `target` also needs `eye`")),
        (None, Some(eye), Some(target)) => {
            let (eye, target) = (finite("eye", eye)?, finite("target", target)?);
            let forward = direction("target", target - eye, "`eye` and `target` must be two different points")?;
            (Viewpoint::Fixed { eye, target }, Some(forward))
        }
        (given, None, None) => {
            let need = "the direction must have a length";
            let given = given.map(|given| direction("direction", Vec3::from_array(given), need)).transpose()?;
            (Viewpoint::Framing(given), given)
        }
    };
    let up = section.up.map(|up| direction("up", Vec3::from_array(up), "`up` must have a length")).transpose()?;
    if let (Some(up), Some(forward)) = (up, forward)
        && up.cross(forward).length() < PARALLEL
    {
        return Err(Fault::new("up", "`up` is the direction in which the camera looks"));
    }
    if let Some(degrees) = section.field_of_view.filter(|degrees| !(*degrees > 0.0 && *degrees <= WIDEST)) {
        let message = format!("field_of_view is {degrees}, but must be above 0 and at most {WIDEST}");
        return Err(Fault::new("field_of_view", message));
    }
    Ok(View { place, up, field_of_view: section.field_of_view.map(f64::to_radians) })
}

fn finite(key: &str, place: [f64; 3]) -> Result<Vec3, Fault> {
    let place = Vec3::from_array(place);
    if place.is_finite() { Ok(place) } else { Err(Fault::new(key, format!("{key} is {place}, but must be finite"))) }
}

fn direction(key: &str, vector: Vec3, need: &str) -> Result<Vec3, Fault> {
    vector.try_normalize().ok_or_else(|| Fault::new(key, format!("{need}, but it is {}", vector.length())))
}
