//! A scene: read, checked, ready to be built and run.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

use pliant::solve::SolverChoice;
use pliant::{ModelError, Simulation, SimulationBuilder};
use pliant_io::read::Files;
use pliant_io::store::Topology;
use pliant_io::write::ExportFormat;

use crate::attach::{End, pairs};
use crate::body::{BuiltBody, build_body};
use crate::budget::{Budget, MOST_VERTICES};
use crate::collider::{build_collider, contact};
use crate::document::{Document, Source};
use crate::drive::{DrivenForce, Driver, FirstGoal};
use crate::error::{SceneError, similar};
use crate::fault::Fault;
use crate::format::{
    ColorBy, LengthName, MassName, MaterialSection, Moment, Preview, SceneFile, Select, SolverSection,
};
use crate::motion::{Motion, Track};
use crate::presence::{Presence, Tie};
use crate::run::{Parts, SceneRun};
use crate::select::resolve;
use crate::settings::{STANDARD_FRAMES, STANDARD_RATE, Settings, self_collision, settings, strain_limiting};
use crate::solver::choice;
use crate::tear::TimedCut;
use crate::{BUILTIN, Builtin};

/// A scene file that has been read and checked.
#[derive(Debug, Clone)]
pub struct Scene {
    pub(crate) document: Document,
    pub(crate) most_vertices: u64,
    /// Where paths of the scene lead.
    files: Files,
}

/// What to produce from the frames of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Formats to export to.
    pub formats: Vec<ExportFormat>,
    /// Every n-th frame is exported, at least 1.
    pub every: u64,
    /// Which pictures are drawn.
    pub preview: Preview,
    /// What their colours show.
    pub color: ColorBy,
}

impl Scene {
    /// Reads a scene file, with overrides such as `world.frames=10`.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, SceneError> {
        let files = Files::on_disk("");
        Ok(Self { document: Document::read(path, overrides, &files)?, most_vertices: MOST_VERTICES, files })
    }

    /// Parses a scene from text; `name` is used as the file name in errors.
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
        Self::parse_among(name, text, overrides, &Files::on_disk(""))
    }

    /// Parses a scene from text, among files that it may name: where there is no disk, they are in memory.
    ///
    /// ```
    /// use pliant_io::read::Files;
    /// use pliant_scene::Scene;
    /// let files = Files::in_memory([("flag.obj".to_owned(), b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n".to_vec())]);
    /// let scene = Scene::parse_among("flag.toml", r#"
    ///     [[body]]
    ///     name = "flag"
    ///     shape.file = { path = "flag.obj" }
    ///     material.cloth = { preset = "silk" }
    /// "#, &[], &files)?;
    /// assert_eq!(scene.build()?.sim.positions().len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_among(name: &str, text: &str, overrides: &[String], files: &Files) -> Result<Self, SceneError> {
        let source = Source { path: name.into(), text: text.to_owned() };
        let document = Document::parse(source, overrides, files)?;
        Ok(Self { document, most_vertices: MOST_VERTICES, files: files.clone() })
    }

    /// The files beside the scene.
    pub(crate) fn files(&self) -> Files {
        self.files.beside(&self.document.source.path)
    }

    /// The scene of a built-in name, or of a file, with overrides.
    pub fn open(name: &str, overrides: &[String]) -> Result<Self, SceneError> {
        if let Some(builtin) = Builtin::find(name) {
            return builtin.scene(overrides);
        }
        let path = Path::new(name);
        if !path.exists() {
            let names = || BUILTIN.iter().map(|scene| scene.name);
            let known: Vec<&str> = names().collect();
            let message = format!("there is no file or built-in scene of this name; built in are {}", known.join(", "));
            let mut error = SceneError::new(path, message);
            error.hint = similar(name, names()).map(|near| format!("did you mean {near:?}?"));
            return Err(error);
        }
        Self::read(path, overrides)
    }

    /// The path and text that it was read from, with overrides applied; [`parse`](Self::parse) makes the same scene
    /// from them.
    pub fn source(&self) -> (&Path, &str) {
        (&self.document.source.path, &self.document.source.text)
    }

    /// The content of the file.
    pub fn file(&self) -> &SceneFile {
        &self.document.scene
    }

    /// Number of frames of the scene.
    pub fn frames(&self) -> u32 {
        self.file().world.as_ref().and_then(|world| world.frames).unwrap_or(STANDARD_FRAMES)
    }

    /// Frames per second \[1/s\].
    pub fn frame_rate(&self) -> f64 {
        self.file().world.as_ref().and_then(|world| world.frame_rate).unwrap_or(STANDARD_RATE)
    }

    /// Limits the number of vertices of all bodies together; 16 million by default. They are counted before anything is
    /// allocated, so that a scene of unknown origin can be built safely.
    #[must_use]
    pub fn with_most_vertices(mut self, count: u64) -> Self {
        self.most_vertices = count;
        self
    }

    /// What to produce from the frames of the scene.
    pub fn output(&self) -> Result<Output, SceneError> {
        let section = self.file().output.clone().unwrap_or_default();
        let refuse = |key: String, message: String| self.fault(&["output".into()], &Fault::new(key, message));
        let mut formats = Vec::new();
        for (k, name) in section.formats.iter().enumerate() {
            let names = || ExportFormat::ALL.iter().map(|format| format.name());
            formats.push(ExportFormat::from_name(name).ok_or_else(|| {
                let known: Vec<&str> = names().collect();
                let message = format!("there is no format {name:?}; there are {}", known.join(", "));
                let mut error = refuse(format!("formats.{k}"), message);
                error.hint = similar(name, names()).map(|near| format!("did you mean {near:?}?"));
                error
            })?);
        }
        let every = section.every.unwrap_or(1);
        if every == 0 {
            return Err(refuse("every".into(), "every is 0, but must be at least 1".into()));
        }
        let (preview, color) = (section.preview.unwrap_or_default(), section.color.unwrap_or_default());
        Ok(Output { formats, every, preview, color })
    }

    /// Builds the simulation with everything that moves in it.
    pub fn build(&self) -> Result<SceneRun, SceneError> {
        self.build_with(|builder| builder)
    }

    /// Builds with changes to the builder, such as a different solver or number of threads.
    pub fn build_with(
        &self,
        change: impl FnOnce(SimulationBuilder) -> SimulationBuilder,
    ) -> Result<SceneRun, SceneError> {
        let file = self.file();
        if file.body.is_empty() {
            let error = self.fault(&[], &Fault::new("", "the scene has no body"));
            return Err(error.hint("add a [[body]] table"));
        }
        self.output()?;
        self.look()?;
        self.check_names()?;
        self.check_training()?;
        let Settings { mut builder, substeps, wind } = self.world(None)?;
        let files = self.files();
        let mut bodies = Vec::new();
        let mut budget = Budget::new(self.most_vertices);
        for k in 0..file.body.len() {
            let built = build_body(&file.body, k, &files, &mut budget);
            bodies.push(built.map_err(|fault| self.fault(&self.list_path("body", k), &fault))?);
        }
        builder = self.add_colliders(builder, &files, &mut budget)?;
        let mut presence = self.presence()?;
        let mut drivers = self.drivers(&bodies, presence.is_changing());
        drivers.extend(wind);
        drivers.extend(self.forces(&bodies)?);
        let cuts = self.cuts()?;
        if presence.is_changing() {
            let suited = self.check_all_bodies(&files)?;
            builder = builder.substeps(suited.substeps()).integrator(suited.integrator());
        }
        builder = self.attach(builder, &bodies, &mut presence)?;
        let mut topology = Topology::default();
        let (mut edges, mut riders, mut textures) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (section, built)) in file.body.iter().zip(bodies).enumerate() {
            built.describe(&section.name, &mut topology);
            textures.extend(built.textures(&section.name));
            edges.push(built.edges);
            riders.push(built.rider);
            if presence.is_present(number) {
                builder = builder.body(built.body);
            } else {
                presence.wait(number, built.body);
            }
        }
        let sim = change(builder).build().map_err(|error| self.in_engine(&error))?;
        self.check_masses(&sim)?;
        self.check_expectations()?;
        let expect = file.expect.clone();
        let placement = self.placement(&sim);
        let parts =
            Parts { sim, substeps, drivers, cuts, edges, riders, textures, presence, topology, expect, placement };
        let run = SceneRun::new(parts);
        self.check_placement(&run)?;
        Ok(run)
    }

    /// The world without bodies and colliders, with a solver in place of that of the scene if one is given.
    pub(crate) fn world(&self, solver: Option<&SolverSection>) -> Result<Settings, SceneError> {
        let file = self.file();
        let world = file.world.clone().unwrap_or_default();
        let mut world = settings(&world, solver.or(file.solver.as_ref())).map_err(|fault| self.fault(&[], &fault))?;
        if let Some(section) = &file.self_collision {
            let apart = self_collision(section).map_err(|fault| self.fault(&[], &fault))?;
            world.builder = world.builder.self_collision(apart);
        }
        if let Some(section) = &file.strain_limiting {
            let limits = strain_limiting(section).map_err(|fault| self.fault(&[], &fault))?;
            world.builder = world.builder.strain_limiting(limits);
        }
        Ok(world)
    }

    /// Colliders of the scene, and how contacts with them are handled.
    pub(crate) fn add_colliders(
        &self,
        mut builder: SimulationBuilder,
        files: &Files,
        budget: &mut Budget,
    ) -> Result<SimulationBuilder, SceneError> {
        for (k, section) in self.file().collider.iter().enumerate() {
            let built = build_collider(section, files, budget);
            builder = builder.collider(built.map_err(|fault| self.fault(&self.list_path("collider", k), &fault))?);
        }
        match &self.file().contact {
            Some(section) => Ok(builder.contact(contact(section).map_err(|fault| self.fault(&[], &fault))?)),
            None => Ok(builder),
        }
    }

    /// Bodies have different names.
    fn check_names(&self) -> Result<(), SceneError> {
        let bodies = &self.file().body;
        for (k, body) in bodies.iter().enumerate() {
            let message = if body.name.is_empty() {
                "a body needs a name".to_owned()
            } else if bodies[..k].iter().any(|other| other.name == body.name) {
                format!("two bodies are named {:?}", body.name)
            } else {
                continue;
            };
            return Err(self.fault(&self.list_path("body", k), &Fault::new("name", message)));
        }
        Ok(())
    }

    fn attach(
        &self,
        mut builder: SimulationBuilder,
        bodies: &[BuiltBody],
        presence: &mut Presence,
    ) -> Result<SimulationBuilder, SceneError> {
        let number = |name: &str| self.file().body.iter().position(|body| body.name == name).unwrap_or_default();
        for (k, attachment) in self.file().attachment.iter().enumerate() {
            let path = self.list_path("attachment", k);
            let (from, to) = (&attachment.from, &attachment.to);
            let first = self.end(bodies, &from.body, from.select.as_ref(), &path, "from.")?;
            let second = self.end(bodies, &to.body, to.select.as_ref(), &path, "to.")?;
            let joined = pairs(attachment, &first, &second).map_err(|fault| self.fault(&path, &fault))?;
            let numbers = [number(&from.body), number(&to.body)];
            let keeps_distance = attachment.length.unwrap_or_default() == LengthName::Rest;
            for (a, b) in joined {
                if numbers.iter().any(|&body| !presence.is_present(body)) {
                    let ends = [(numbers[0], a), (numbers[1], b)];
                    presence.tie(Tie { ends, stiffness: attachment.stiffness, keeps_distance });
                    continue;
                }
                let (a, b) = ((from.body.clone(), a), (to.body.clone(), b));
                builder = match keeps_distance {
                    false => builder.attach(a, b, attachment.stiffness),
                    true => builder.attach_at_distance(a, b, attachment.stiffness),
                };
            }
        }
        Ok(builder)
    }

    /// The driver of all forces, if there are any.
    fn forces(&self, bodies: &[BuiltBody]) -> Result<Option<Driver>, SceneError> {
        let mut targets: Vec<(String, u32)> = Vec::new();
        let mut place: HashMap<(&str, u32), usize> = HashMap::new();
        let mut forces = Vec::new();
        for (k, force) in self.file().force.iter().enumerate() {
            let path = self.list_path("force", k);
            let end = self.end(bodies, &force.body, force.select.as_ref(), &path, "")?;
            let keyframes: Vec<(f64, [f64; 3])> = force.keyframe.iter().map(|k| (k.time, k.total)).collect();
            let track = Track::new("", "total", force.total, &keyframes).map_err(|fault| self.fault(&path, &fault))?;
            let window = [force.from.unwrap_or(f64::NEG_INFINITY), force.until.unwrap_or(f64::INFINITY)];
            // Also refuses what is no number.
            if window[0].partial_cmp(&window[1]) != Some(Ordering::Less) {
                let key = if force.until.is_some() { "until" } else { "from" };
                let message = format!("the force acts from {} s until {} s, which is never", window[0], window[1]);
                return Err(self.fault(&path, &Fault::new(key, message)));
            }
            let mut own = Vec::new();
            for vertex in end.vertices {
                own.push(*place.entry((force.body.as_str(), vertex)).or_insert_with(|| {
                    targets.push((force.body.clone(), vertex));
                    targets.len() - 1
                }));
            }
            forces.push(DrivenForce { targets: own, track, window });
        }
        Ok((!forces.is_empty()).then_some(Driver::Forces { targets, forces }))
    }

    /// All cuts, in the order of their moments.
    fn cuts(&self) -> Result<Vec<TimedCut>, SceneError> {
        let mut cuts = Vec::new();
        for (k, section) in self.file().cut.iter().enumerate() {
            let refuse = |fault: Fault| self.fault(&self.list_path("cut", k), &fault);
            let cut = TimedCut::new(section).map_err(refuse)?;
            let names = || self.file().body.iter().map(|body| body.name.as_str());
            let Some(body) = self.file().body.iter().find(|body| body.name == cut.body) else {
                let mut error = refuse(Fault::new("body", format!("there is no body {:?}", cut.body)));
                error.hint = similar(&cut.body, names()).map(|name| format!("did you mean {name:?}?"));
                return Err(error);
            };
            if !matches!(body.material, MaterialSection::Cloth(_)) {
                let message = format!("body {:?} is not cloth; only cloth can be cut", cut.body);
                return Err(refuse(Fault::new("body", message)));
            }
            if matches!(&body.material, MaterialSection::Cloth(cloth) if cloth.flat_pieces.is_some()) {
                let message = format!("body {:?} is made of flat pieces, which cannot be cut", cut.body);
                return Err(refuse(Fault::new("body", message)));
            }
            if body.wrinkles.is_some() {
                let message = format!("body {:?} has wrinkles, which do not follow a cut", cut.body);
                return Err(refuse(Fault::new("body", message)));
            }
            if body.upsample.is_some() {
                let message = format!("body {:?} is upsampled to a surface that does not follow a cut", cut.body);
                return Err(refuse(Fault::new("body", message)));
            }
            cuts.push(cut);
        }
        cuts.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(cuts)
    }

    /// Pins and handles that follow keyframes.
    fn drivers(&self, bodies: &[BuiltBody], is_changing: bool) -> Vec<Driver> {
        let mut drivers = Vec::new();
        let mut goal = 0;
        for (section, built) in self.file().body.iter().zip(bodies) {
            if is_changing {
                goal = 0;
            }
            goal += built.fixed_goals;
            for (pin, vertices) in section.pin.iter().zip(&built.pins) {
                let motion = Motion::new(&pin.keyframe);
                let rest = |v: u32| built.body.rest()[v as usize];
                let places = vertices.iter().map(|&v| (v, rest(v))).collect();
                drivers.push(Driver::Pins { body: section.name.clone(), motion, places });
            }
            for (handle, vertices) in section.handle.iter().zip(&built.handles) {
                let motion = Motion::new(&handle.keyframe);
                let places = vertices.iter().map(|&v| built.body.rest()[v as usize]).collect();
                let first_goal = match is_changing {
                    true => FirstGoal::InBody { body: section.name.clone(), goal },
                    false => FirstGoal::InWorld(goal),
                };
                drivers.push(Driver::Handles { first_goal, motion, places });
                goal += vertices.len();
            }
        }
        drivers
    }

    /// Selected vertices of a named body; `key` is what stands before `body` and `select`.
    fn end<'a>(
        &self,
        bodies: &'a [BuiltBody],
        name: &str,
        select: Option<&Select>,
        path: &[String],
        key: &str,
    ) -> Result<End<'a>, SceneError> {
        let names = || self.file().body.iter().map(|body| body.name.as_str());
        let Some(at) = names().position(|other| other == name) else {
            let mut error = self.fault(path, &Fault::new(format!("{key}body"), format!("there is no body {name:?}")));
            error.hint = similar(name, names()).map(|name| format!("did you mean {name:?}?"));
            return Err(error);
        };
        let rest = bodies[at].body.rest();
        let vertices = resolve(select.unwrap_or(&Select::All), rest, bodies[at].strands())
            .map_err(|message| self.fault(path, &Fault::new(format!("{key}select"), message)))?;
        Ok(End { vertices, rest })
    }

    /// The key of a body at which the masses of its material are said.
    pub(crate) fn mass_key(&self, name: &str) -> &'static str {
        let body = self.file().body.iter().find(|body| body.name == name);
        match body.map(|body| &body.material) {
            Some(MaterialSection::Cloth(_)) => "material.cloth.mass",
            Some(MaterialSection::Solid(_)) => "material.solid.mass",
            Some(MaterialSection::Strand(_)) => "material.strand.mass",
            _ => "material",
        }
    }

    /// Refuses consistent masses of bodies that come later: those that are there at the start the engine has refused.
    fn check_masses(&self, sim: &Simulation) -> Result<(), SceneError> {
        for body in self.file().body.iter().filter(|body| sim.solver_of(&body.name).is_err()) {
            let mass = match &body.material {
                MaterialSection::Cloth(cloth) => cloth.mass,
                MaterialSection::Solid(solid) => solid.mass,
                MaterialSection::Strand(strand) => strand.mass,
                _ => continue,
            };
            let solver = match choice(body.solver.as_ref().or(self.file().solver.as_ref())).unwrap_or_default() {
                SolverChoice::PositionBased(_) => "position-based",
                SolverChoice::FollowLeader(_) => "follow-the-leader",
                SolverChoice::Explicit(_) => "explicit",
                _ => continue,
            };
            if mass == Some(MassName::Consistent) {
                return Err(self.in_engine(&ModelError::ConsistentMasses { body: body.name.clone(), solver }));
            }
        }
        Ok(())
    }

    fn check_expectations(&self) -> Result<(), SceneError> {
        let end = f64::from(self.frames()) / self.frame_rate();
        for (k, expect) in self.file().expect.iter().enumerate() {
            let path = self.list_path("expect", k);
            if expect.below.is_none() && expect.above.is_none() {
                return Err(self.fault(&path, &Fault::new("quantity", "give `below`, `above` or both".to_owned())));
            }
            let Some(name) = &expect.body else { continue };
            let Some(body) = self.file().body.iter().find(|body| body.name == *name) else {
                let error = ModelError::NoSuchBody(name.clone());
                return Err(self.fault(&path, &Fault::new("body", error.to_string())));
            };
            if let (Moment::End, Some(until)) = (expect.at, body.until.filter(|until| *until < end)) {
                let message = format!("body {name:?} leaves at {until} s, before the end at {end} s");
                let hint = "at = \"always\" and at = \"once\" look at it while it is there";
                return Err(self.fault(&path, &Fault::new("body", message).hint(hint)));
            }
        }
        Ok(())
    }

    pub(crate) fn has_constraints(&self, name: &str) -> bool {
        self.file().body.iter().any(|body| body.name == name && !body.constraint.is_empty())
    }
}
