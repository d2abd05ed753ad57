//! What comes to a run that the scene did not say: bodies of other scenes, and another wind.

use pliant::{Cut, CutReport, InputError, TopologyError, Wind};

use crate::body::build_body;
use crate::budget::Budget;
use crate::drive::Driver;
use crate::error::SceneError;
use crate::fault::Fault;
use crate::run::SceneRun;
use crate::scene::Scene;

impl SceneRun {
    /// Adds the bodies of another scene to the world, which goes on from where it is: as a hand that drops something in. Of that scene only the bodies
    /// are used; what a body cannot do without the rest of its scene is an error at its key. If a body cannot come, those before it have. A run with such
    /// bodies cannot be saved.
    ///
    /// ```
    /// use pliant_scene::Scene;
    /// let sheet = |name: &str, y: f64| format!(r#"
    ///     [[body]]
    ///     name = "{name}"
    ///     shape.sheet = {{ width = 1, height = 1, columns = 4, rows = 4, plane = "xz" }}
    ///     transform = {{ translate = [0, {y}, 0] }}
    ///     material.cloth = {{ preset = "silk" }}
    /// "#);
    /// let mut run = Scene::parse("first.toml", &sheet("first", 0.0), &[])?.build()?;
    /// run.next_frame()?;
    /// run.add_bodies(&Scene::parse("second.toml", &sheet("second", 1.0), &[])?)?;
    /// run.next_frame()?;
    /// assert_eq!(run.topology().bodies.len(), 2);
    /// assert_eq!(run.stored_frame().positions.len(), 50);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_bodies(&mut self, scene: &Scene) -> Result<(), SceneError> {
        let file = scene.file();
        let files = scene.files();
        let mut budget = Budget::new(scene.most_vertices);
        for (k, section) in file.body.iter().enumerate() {
            let refuse = |fault: Fault| scene.fault(&scene.list_path("body", k), &fault);
            let cannot = [
                ("from", section.from.is_some()),
                ("until", section.until.is_some()),
                ("tear", section.tear.is_some()),
                ("handle", !section.handle.is_empty()),
                ("pin", section.pin.iter().any(|pin| !pin.keyframe.is_empty())),
            ];
            if let Some((key, _)) = cannot.iter().find(|(_, is_there)| *is_there) {
                let message = format!(
                    "a body that is dropped into a running world cannot have {key:?} with motions or moments of its own"
                );
                return Err(refuse(Fault::new(*key, message)));
            }
            let built = build_body(&file.body, k, &files, &mut budget).map_err(refuse)?;
            self.welcome(&section.name, built).map_err(|error| refuse(Fault::new("", error.to_string())))?;
        }
        Ok(())
    }

    /// Cuts a cloth of the running scene. Cloth with wrinkles, and garments of flat pieces, cannot be cut.
    pub fn cut(&mut self, body: &str, cut: &Cut) -> Result<CutReport, TopologyError> {
        let number = self.sim.body_number(body).map_err(|_| TopologyError::NoSuchBody(body.to_owned()))?;
        let number = self.presence.present()[number];
        if self.riders[number].is_some() {
            return Err(TopologyError::NotCloth { body: body.to_owned() });
        }
        let report = self.sim.cut(body, cut)?;
        self.follow_changes();
        Ok(report)
    }

    /// Sets the wind from now on, in place of the wind of the scene; none is calm.
    pub fn set_wind(&mut self, wind: Option<Wind>) -> Result<(), InputError> {
        self.sim.set_wind(wind)?;
        self.drivers.retain(|driver| !matches!(driver, Driver::Wind { .. }));
        Ok(())
    }
}
