//! A scene: read, checked, ready to be built and run.

use std::path::Path;

use pliant::math::Vec3;
use pliant::solve::{Acceleration, NewtonParams, ProjectiveParams, SolverChoice};
use pliant::{Damping, Simulation, SimulationBuilder, TimeIntegrator, Wind};
use pliant_io::store::Topology;

use crate::body::{BuiltBody, build_body};
use crate::document::{Document, Source, find};
use crate::error::{SceneError, similar};
use crate::format::{AccelerationSection, AttachmentEnd, IntegratorName, SceneFile, SolverSection, WorldSection};
use crate::motion::Motion;
use crate::run::{Driver, SceneRun};
use crate::select::resolve;

/// Largest numbers of frames and of steps per frame; more is a slip of the keyboard.
const MOST_FRAMES: u32 = 10_000_000;
const MOST_SUBSTEPS: u32 = 10_000;

/// A scene file that has been read and checked.
#[derive(Debug, Clone)]
pub struct Scene {
    document: Document,
}

impl Scene {
    /// Reads a scene file, with overrides such as `world.frames=10`.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, SceneError> {
        Ok(Self { document: Document::read(path, overrides)? })
    }

    /// Parses a scene from text; `name` stands for the file in errors.
    ///
    /// ```
    /// use pliant_scene::Scene;
    /// let scene = Scene::parse("curtain.toml", r#"
    ///     [[body]]
    ///     name = "curtain"
    ///     shape.sheet = { width = 1, height = 1, columns = 8, rows = 8 }
    ///     material.cloth = { preset = "silk" }
    ///     pin = [{ select = { corners = ["top-left", "top-right"] } }]
    ///     [[expect]]
    ///     quantity = "max-stretch"
    ///     below = 1.05
    /// "#, &[])?;
    /// let mut run = scene.build()?;
    /// for _ in 0..10 {
    ///     run.next_frame()?;
    /// }
    /// assert!(run.verdicts().iter().all(|verdict| verdict.holds()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(name: &str, text: &str, overrides: &[String]) -> Result<Self, SceneError> {
        let source = Source { path: name.into(), text: text.to_owned() };
        Ok(Self { document: Document::parse(source, overrides)? })
    }

    /// What stands in the file.
    pub fn file(&self) -> &SceneFile {
        &self.document.scene
    }

    /// Frames that the scene wants.
    pub fn frames(&self) -> u32 {
        self.file().world.as_ref().and_then(|world| world.frames).unwrap_or(120)
    }

    /// Frames per second \[1/s\].
    pub fn frame_rate(&self) -> f64 {
        self.file().world.as_ref().and_then(|world| world.frame_rate).unwrap_or(60.0)
    }

    /// Builds the simulation with everything that moves in it.
    pub fn build(&self) -> Result<SceneRun, SceneError> {
        self.build_with(|builder| builder)
    }

    /// Builds with changes to the builder, such as another solver or a number of threads.
    pub fn build_with(
        &self,
        change: impl FnOnce(SimulationBuilder) -> SimulationBuilder,
    ) -> Result<SceneRun, SceneError> {
        let file = self.file();
        if file.body.is_empty() {
            return Err(
                SceneError::new(&self.document.source.path, "the scene has no body").hint("add a [[body]] table")
            );
        }
        let folder = self.document.source.path.parent().unwrap_or(Path::new(""));
        let mut bodies = Vec::new();
        for (k, section) in file.body.iter().enumerate() {
            let built = build_body(section, folder).map_err(|fault| self.fault(&self.list_path("body", k), &fault))?;
            bodies.push(built);
        }
        let substeps = self.world()?;
        let mut builder = self.settings(substeps);
        let drivers = self.drivers(&bodies)?;
        for (k, attachment) in file.attachment.iter().enumerate() {
            let path = self.list_path("attachment", k);
            let from = self.end(&bodies, &attachment.from, &path, "from")?;
            let to = self.end(&bodies, &attachment.to, &path, "to")?;
            if from.len() != to.len() {
                let message = format!("{} vertices cannot be joined to {}", from.len(), to.len());
                return Err(self.fault(&path, &Fault::new("to", message)));
            }
            for (a, b) in from.into_iter().zip(to) {
                let ends = (attachment.from.body.clone(), attachment.to.body.clone());
                builder = builder.attach((ends.0, a), (ends.1, b), attachment.stiffness);
            }
        }
        let mut forces = Vec::new();
        for (k, force) in file.force.iter().enumerate() {
            let path = self.list_path("force", k);
            let end = AttachmentEnd { body: force.body.clone(), select: force.select.clone() };
            let chosen = self.end(&bodies, &end, &path, "")?;
            let share = Vec3::from_array(force.total) / chosen.len() as f64;
            forces.extend(chosen.into_iter().map(|v| (force.body.clone(), v, share)));
        }
        let edges = bodies.iter().map(|built| built.edges.clone()).collect();
        let mut topology = Topology::default();
        for (section, built) in file.body.iter().zip(&bodies) {
            built.describe(&section.name, &mut topology);
        }
        for built in bodies {
            builder = builder.body(built.body);
        }
        let mut sim = change(builder).build().map_err(|error| self.whole(&error))?;
        for (body, vertex, force) in forces {
            sim.set_force(&body, vertex, force).map_err(|error| self.whole(&error))?;
        }
        self.check_expectations(&sim)?;
        Ok(SceneRun::new(sim, substeps, drivers, edges, topology, file.expect.clone()))
    }

    /// Checks the world's numbers; returns the steps per frame.
    fn world(&self) -> Result<u32, SceneError> {
        let world = self.file().world.clone().unwrap_or_default();
        let refuse = |key: &'static str, message: String| Err(self.fault(&["world".into()], &Fault::new(key, message)));
        let WorldSection { frame_rate, substeps, frames, .. } = world;
        let rate = frame_rate.unwrap_or(60.0);
        if !(rate > 0.0 && rate.is_finite()) {
            return refuse("frame_rate", format!("frame_rate is {rate}, but must be positive"));
        }
        let substeps = substeps.unwrap_or(1);
        if substeps == 0 || substeps > MOST_SUBSTEPS {
            return refuse("substeps", format!("substeps is {substeps}, but must be 1 to {MOST_SUBSTEPS}"));
        }
        let frames = frames.unwrap_or(120);
        if frames > MOST_FRAMES {
            return refuse("frames", format!("frames is {frames}, but must be at most {MOST_FRAMES}"));
        }
        Ok(substeps)
    }

    fn settings(&self, substeps: u32) -> SimulationBuilder {
        let world = self.file().world.clone().unwrap_or_default();
        let mut builder = Simulation::builder()
            .time_step(1.0 / (self.frame_rate() * f64::from(substeps)))
            .solver(self.solver())
            .integrator(match world.integrator.unwrap_or_default() {
                IntegratorName::ImplicitEuler => TimeIntegrator::ImplicitEuler,
                IntegratorName::Bdf2 => TimeIntegrator::Bdf2,
                IntegratorName::TrBdf2 => TimeIntegrator::TrBdf2,
                IntegratorName::ImplicitMidpoint => TimeIntegrator::ImplicitMidpoint,
            });
        if let Some(gravity) = world.gravity {
            builder = builder.gravity(Vec3::from_array(gravity));
        }
        if let Some(wind) = &world.wind {
            let standard = Wind::new(Vec3::from_array(wind.velocity));
            builder = builder.wind(Wind {
                air_density: wind.air_density.unwrap_or(standard.air_density),
                drag: wind.drag.unwrap_or(standard.drag),
                ..standard
            });
        }
        if let Some(damping) = &world.damping {
            builder = builder.damping(Damping {
                drag: damping.drag.unwrap_or(0.0),
                deformation: damping.deformation.unwrap_or(0.0),
                stiffness: damping.stiffness.unwrap_or(0.0),
            });
        }
        builder
    }

    fn solver(&self) -> SolverChoice {
        match &self.file().solver {
            None => SolverChoice::default(),
            Some(SolverSection::Projective(section)) => {
                let standard = ProjectiveParams::default();
                ProjectiveParams {
                    iterations: section.iterations.unwrap_or(standard.iterations),
                    tolerance: section.tolerance.unwrap_or(standard.tolerance),
                    acceleration: match section.acceleration {
                        None => standard.acceleration,
                        Some(AccelerationSection::None {}) => Acceleration::None,
                        Some(AccelerationSection::Anderson { window }) => Acceleration::Anderson { window },
                        Some(AccelerationSection::Chebyshev { rho, delay }) => {
                            Acceleration::Chebyshev { rho, delay, relaxation: 1.0 }
                        }
                    },
                    ..standard
                }
                .into()
            }
            Some(SolverSection::Newton(section)) => {
                let standard =
                    if section.semi_implicit { NewtonParams::semi_implicit() } else { NewtonParams::default() };
                NewtonParams {
                    iterations: section.iterations.unwrap_or(standard.iterations),
                    tolerance: section.tolerance.unwrap_or(standard.tolerance),
                    warm_start: section.warm_start.unwrap_or(standard.warm_start),
                    ..standard
                }
                .into()
            }
        }
    }

    /// Pins and handles that follow keyframes.
    fn drivers(&self, bodies: &[BuiltBody]) -> Result<Vec<Driver>, SceneError> {
        let mut drivers = Vec::new();
        let mut goal = 0;
        for (section, built) in self.file().body.iter().zip(bodies) {
            for (pin, vertices) in section.pin.iter().zip(&built.pins) {
                let motion = Motion::new(&pin.keyframe);
                let rest = |v: u32| built.body.rest()[v as usize];
                let places = vertices.iter().map(|&v| (v, rest(v))).collect();
                drivers.push(Driver::Pins { body: section.name.clone(), motion, places });
            }
            for (handle, vertices) in section.handle.iter().zip(&built.handles) {
                let motion = Motion::new(&handle.keyframe);
                let places = vertices.iter().map(|&v| built.body.rest()[v as usize]).collect();
                drivers.push(Driver::Handles { first_goal: goal, motion, places });
                goal += vertices.len();
            }
        }
        Ok(drivers)
    }

    fn end(
        &self,
        bodies: &[BuiltBody],
        end: &AttachmentEnd,
        path: &[String],
        key: &'static str,
    ) -> Result<Vec<u32>, SceneError> {
        let inside = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
        let names = || self.file().body.iter().map(|body| body.name.as_str());
        let Some(at) = names().position(|name| name == end.body) else {
            let mut error = self.fault(path, &Fault::new(inside("body"), format!("there is no body {:?}", end.body)));
            error.hint = similar(&end.body, names()).map(|name| format!("did you mean {name:?}?"));
            return Err(error);
        };
        resolve(&end.select, bodies[at].body.rest())
            .map_err(|message| self.fault(path, &Fault::new(inside("select"), message)))
    }

    fn check_expectations(&self, sim: &Simulation) -> Result<(), SceneError> {
        for (k, expect) in self.file().expect.iter().enumerate() {
            let path = self.list_path("expect", k);
            if expect.below.is_none() && expect.above.is_none() {
                return Err(self.fault(&path, &Fault::new("quantity", "give `below`, `above` or both".to_owned())));
            }
            if let Some(body) = &expect.body
                && let Err(error) = sim.body(body)
            {
                return Err(self.fault(&path, &Fault::new("body", error.to_string())));
            }
        }
        Ok(())
    }

    /// Path of an entry of a list in the main file; of the include line, where it came from there.
    fn list_path(&self, list: &str, k: usize) -> Vec<String> {
        let included = self.document.included;
        let before = match list {
            "body" => included.body,
            "attachment" => included.attachment,
            "force" => included.force,
            _ => included.expect,
        };
        match k.checked_sub(before) {
            Some(own) => vec![list.to_owned(), own.to_string()],
            None => vec!["include".to_owned()],
        }
    }

    /// An error at a key below a path.
    fn fault(&self, path: &[String], fault: &Fault) -> SceneError {
        let source = &self.document.source;
        let error = SceneError::new(&source.path, fault.message.clone());
        let keys: Vec<&str> = path.iter().map(String::as_str).chain(fault.key.split('.')).collect();
        match find(&source.text, &keys) {
            Some(byte) => error.at(&source.text, byte),
            None => error,
        }
    }

    /// An error of the engine that concerns the scene as a whole.
    fn whole(&self, error: &dyn std::error::Error) -> SceneError {
        SceneError::new(&self.document.source.path, error.to_string())
    }
}

/// What is wrong with a section, and at which key of it.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) key: String,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
}
