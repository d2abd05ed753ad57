//! What a scene asks for in `[train]`, checked: meshes, motions, methods.

use std::sync::Arc;

use pliant::math::Vec3;
use pliant::mesh::Bounds;
use pliant::upsample::{Method, ModesParams, PdmParams, PiuParams, Refinement, TrainingSet, UpsampleError, WpsdParams};

use super::carry::{carry, check_carry, wander};
use super::error::TrainError;
use super::random::{Random, RandomField};
use super::tracked::TrackedRun;
use crate::body::{build_body, refinement};
use crate::budget::Budget;
use crate::drive::Driver;
use crate::error::SceneError;
use crate::fault::Fault;
use crate::format::{MaterialSection, RandomSection, TrainMotionSection, TrainSection, UpsampleMethodName};
use crate::scene::Scene;
use crate::solver::choice;

/// What averages of the fine cloth are held by, if nothing is said: a multiple of mass over the square of the time step.
const STANDARD_TRACKING: f64 = 1e4;
const TRACKING: std::ops::RangeInclusive<f64> = 1.0..=1e8;
const MOST_POSES: usize = 64;
const MOST_MODES: usize = 32;
const MOST_FRAMES: u32 = 1_000_000;

/// A scene that is to be trained: meshes, motions and methods.
///
/// ```no_run
/// use pliant_scene::{Scene, train};
/// let training = train::Training::new(&Scene::open("flag-detail", &[])?)?;
/// for motion in training.motions() {
///     let mut run = training.start(motion)?;
///     for _ in 0..motion.frames {
///         run.next_frame()?;
///     }
///     println!("{}: averages are off by {:.1e} m at most", motion.name, run.largest_offset());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Training {
    refinement: Arc<Refinement>,
    motions: Vec<TrainingMotion>,
    methods: Vec<Method>,
    body: String,
    frame_seconds: f64,
    skip: u32,
    pub(super) tracking: f64,
}

/// A motion of the scene.
#[derive(Debug, Clone)]
pub struct TrainingMotion {
    /// Its name.
    pub name: String,
    /// Whether nothing is learnt from it.
    pub held_out: bool,
    /// Number of frames after the first.
    pub frames: u32,
    /// The scene with what differs in this motion.
    pub(super) scene: Scene,
    random: Option<RandomSection>,
}

impl Scene {
    /// Checks `[train]` without building anything, if there is one.
    pub(crate) fn check_training(&self) -> Result<(), SceneError> {
        let Some(section) = &self.file().train else { return Ok(()) };
        check(section).map_err(|fault| self.fault(&["train".to_owned()], &fault))?;
        let refuse = |fault: &Fault| Err(self.fault(&self.list_path("body", 0), fault));
        let [body] = &self.file().body[..] else {
            let message = format!("training needs one body, but the scene has {}", self.file().body.len());
            return Err(self.fault(&[], &Fault::new("train", message)));
        };
        if body.upsample.is_none() {
            let fault = Fault::new("train", format!("body {:?} has no `upsample`, which training is for", body.name));
            return Err(self.fault(&[], &fault));
        }
        for (key, is_there) in [("from", body.from.is_some()), ("until", body.until.is_some())] {
            if is_there {
                return refuse(&Fault::new(key, "a body that training is for cannot come or go"));
            }
        }
        match &body.material {
            MaterialSection::Cloth(cloth) if cloth.flat_pieces.is_none() => Ok(()),
            MaterialSection::Cloth(_) => {
                refuse(&Fault::new("material.cloth.flat_pieces", "training is for cloth that is at rest in its shape"))
            }
            _ => refuse(&Fault::new("material", "training is for cloth: material.cloth")),
        }
    }
}

/// Checks what can be seen without the rest of the scene; faults are at keys of the section.
fn check(section: &TrainSection) -> Result<(), Fault> {
    if let Some(value) = section.tracking.filter(|value| !TRACKING.contains(value)) {
        let message = format!("tracking is {value}, but must be {} to {:e}", TRACKING.start(), TRACKING.end());
        return Err(Fault::new("tracking", message));
    }
    if let Some(poses) = section.poses.filter(|poses| !(1..=MOST_POSES).contains(poses)) {
        return Err(Fault::new("poses", format!("poses is {poses}, but must be 1 to {MOST_POSES}")));
    }
    if section.methods.as_ref().is_some_and(Vec::is_empty) {
        return Err(Fault::new("methods", "methods is empty; omit it for all of them"));
    }
    if let Some(modes) = section.piu_modes.filter(|modes| *modes > MOST_MODES) {
        return Err(Fault::new("piu_modes", format!("piu_modes is {modes}, but must be 0 to {MOST_MODES}")));
    }
    for (key, value) in
        [("pdm_regularisation", section.pdm_regularisation), ("piu_regularisation", section.piu_regularisation)]
    {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(Fault::new(key, format!("{key} is {value}, but must be finite and at least 0")));
        }
    }
    choice(section.solver.as_ref())?;
    if let Some(cloth) = &section.cloth {
        if cloth.flat_pieces.is_some() {
            return Err(Fault::new("cloth.flat_pieces", "training is for cloth that is at rest in its shape"));
        }
        // Its faults are named as those of a body's material, in part without the section.
        let key = |key: &str| {
            format!("cloth.{}", key.trim_start_matches("material").trim_start_matches(".cloth").trim_start_matches('.'))
        };
        crate::body::cloth(cloth).map_err(|fault| Fault { key: key(&fault.key), ..fault })?;
    }
    for (k, motion) in section.motion.iter().enumerate() {
        let inside = |fault: Fault| fault.inside(&format!("motion.{k}"));
        check_motion(motion).map_err(inside)?;
        if section.motion[..k].iter().any(|other| other.name == motion.name) {
            return Err(inside(Fault::new("name", format!("two motions are named {:?}", motion.name))));
        }
    }
    match section.motion.iter().any(|motion| !motion.held_out) {
        true => Ok(()),
        false => Err(Fault::new("motion", "there is no motion to learn from: [[train.motion]] without held_out")),
    }
}

fn check_motion(motion: &TrainMotionSection) -> Result<(), Fault> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if motion.name.is_empty() || !motion.name.chars().all(is_plain) || motion.name.len() > 100 {
        let message =
            format!("the name is {:?}, but must be of letters, digits, - and _, 1 to 100 of them", motion.name);
        return Err(Fault::new("name", message));
    }
    if let Some(frames) = motion.frames.filter(|frames| !(1..=MOST_FRAMES).contains(frames)) {
        return Err(Fault::new("frames", format!("frames is {frames}, but must be 1 to {MOST_FRAMES}")));
    }
    for (k, carry) in motion.carry.iter().enumerate() {
        check_carry(carry).map_err(|fault| fault.inside(&format!("carry.{k}")))?;
    }
    let Some(random) = &motion.random else { return Ok(()) };
    if !(random.period > 0.0 && random.period.is_finite()) {
        return Err(Fault::new("random.period", format!("period is {}, but must be positive", random.period)));
    }
    for (name, size) in
        [("acceleration", random.acceleration), ("translation", random.translation), ("degrees", random.degrees)]
    {
        if let Some(size) = size.filter(|size| !(size.is_finite() && *size >= 0.0)) {
            return Err(Fault::new(
                format!("random.{name}"),
                format!("{name} is {size}, but must be finite and at least 0"),
            ));
        }
    }
    Ok(())
}

impl Training {
    /// Reads what a scene asks for. The model that its body may name is not looked at.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        let Some(section) = &scene.file().train else {
            let error = scene.fault(&[], &Fault::new("", "the scene has no [train] table"));
            return Err(error.hint("see docs/upsampling.md"));
        };
        if scene.file().body.is_empty() {
            return Err(scene.fault(&[], &Fault::new("train", "training needs one body, but the scene has 0")));
        }
        scene.check_training()?;
        let bare = without_model(scene.clone());
        let files = scene.files();
        let refuse = |fault: &Fault| scene.fault(&scene.list_path("body", 0), fault);
        let body = &bare.file().body[0];
        let built = build_body(&bare.file().body, 0, &files, &mut Budget::new(scene.most_vertices));
        let built = built.map_err(|fault| refuse(&fault))?;
        let (Some(mesh), Some(upsample)) = (built.surface(), &body.upsample) else {
            return Err(refuse(&Fault::new("upsample", "only a surface that deforms can be upsampled")));
        };
        let meshes = refinement(upsample, mesh, &files, &mut Budget::new(scene.most_vertices));
        let meshes = meshes.map_err(|fault| refuse(&fault.inside("upsample")))?;
        let skip = section.skip.unwrap_or(0);
        let mut motions = Vec::new();
        for (k, motion) in section.motion.iter().enumerate() {
            let path = ["train".to_owned(), "motion".to_owned(), k.to_string()];
            let own = motion_of(scene, motion, skip).map_err(|fault| scene.fault(&path, &fault))?;
            if own.document.scene.body.len() != 1 {
                return Err(scene.fault(&path, &Fault::new("set", "a motion has the body of the scene, and no others")));
            }
            let frames = motion.frames.unwrap_or_else(|| own.frames());
            if frames <= skip {
                let message = format!("motion {:?} has {frames} frames, of which {skip} are skipped", motion.name);
                return Err(scene.fault(&path, &Fault::new("frames", message)));
            }
            motions.push(TrainingMotion {
                name: motion.name.clone(),
                held_out: motion.held_out,
                frames,
                scene: own,
                random: motion.random.clone(),
            });
        }
        let all = [UpsampleMethodName::Wpsd, UpsampleMethodName::Pdm, UpsampleMethodName::Piu];
        let named = section.methods.clone().unwrap_or_else(|| all.to_vec());
        let methods = named.iter().map(|name| method(name, section)).collect();
        Ok(Self {
            refinement: Arc::new(meshes),
            motions,
            methods,
            body: body.name.clone(),
            frame_seconds: 1.0 / scene.frame_rate(),
            skip,
            tracking: section.tracking.unwrap_or(STANDARD_TRACKING),
        })
    }

    /// The coarse and the fine mesh.
    pub fn refinement(&self) -> &Arc<Refinement> {
        &self.refinement
    }

    /// All motions, in the order of the scene.
    pub fn motions(&self) -> &[TrainingMotion] {
        &self.motions
    }

    /// The methods to learn by.
    pub fn methods(&self) -> &[Method] {
        &self.methods
    }

    /// Name of the body.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Time from frame to frame \[s\].
    pub fn frame_seconds(&self) -> f64 {
        self.frame_seconds
    }

    /// Frames at the start of each motion that are not looked at.
    pub fn skip(&self) -> u32 {
        self.skip
    }

    /// The coarse scene and the fine cloth at the start of a motion.
    pub fn start(&self, motion: &TrainingMotion) -> Result<TrackedRun, TrainError> {
        TrackedRun::new(self, motion)
    }

    /// Checks that data is what models can be learnt from, before anything is written.
    pub fn check(&self, set: &TrainingSet) -> Result<(), UpsampleError> {
        set.check(&self.refinement)
    }
}

impl TrainingMotion {
    /// Random forces on the vertices of the coarse body, from a moment on \[s\].
    pub(super) fn random_forces(&self, start: f64, rest: &[Vec3], masses: &[f64]) -> Option<Driver> {
        let random = self.random.as_ref()?;
        let acceleration = random.acceleration.filter(|size| *size > 0.0)?;
        let distance = 0.5 * Bounds::around(rest)?.size().length();
        let field = RandomField::new(&mut Random::new(random.seed, 0), acceleration, random.period, distance);
        let field = field.from(start);
        Some(Driver::Random { field: Box::new(field), masses: masses.to_vec(), rest: rest.to_vec() })
    }
}

/// A method with the parameters of a scene.
fn method(name: &UpsampleMethodName, section: &TrainSection) -> Method {
    match name {
        UpsampleMethodName::Wpsd => {
            let standard = WpsdParams::default();
            Method::Wpsd(WpsdParams { poses: section.poses.unwrap_or(standard.poses), ..standard })
        }
        UpsampleMethodName::Pdm => {
            let standard = PdmParams::default();
            let regularisation = section.pdm_regularisation.unwrap_or(standard.regularisation);
            Method::Pdm(PdmParams { regularisation, ..standard })
        }
        UpsampleMethodName::Piu => {
            let standard = PiuParams::default();
            let regularisation = section.piu_regularisation.unwrap_or(standard.regularisation);
            let count = section.piu_modes.unwrap_or(0);
            let modes = (count > 0).then(|| ModesParams { count, ..ModesParams::default() });
            Method::Piu(PiuParams { regularisation, modes, ..standard })
        }
    }
}

/// The scene without what training makes, and without expectations, which are those of the scene as it stands.
fn without_model(mut scene: Scene) -> Scene {
    for body in &mut scene.document.scene.body {
        if let Some(upsample) = &mut body.upsample {
            upsample.model = None;
        }
    }
    scene.document.scene.expect.clear();
    scene
}

/// The scene of a motion; faults are at keys of its section.
fn motion_of(scene: &Scene, motion: &TrainMotionSection, skip: u32) -> Result<Scene, Fault> {
    let (path, text) = scene.source();
    let own = Scene::parse(&path.to_string_lossy(), text, &motion.set)
        .and_then(|own| own.check_training().map(|()| own))
        .map_err(|error| Fault::new("set", error.message))?;
    let mut own = without_model(own);
    own.most_vertices = scene.most_vertices;
    let frames = motion.frames.unwrap_or_else(|| own.frames());
    if !motion.carry.is_empty() {
        carry(&mut own, &motion.carry, [skip, frames])?;
    }
    let Some(random) = &motion.random else { return Ok(own) };
    if random.acceleration.is_some() && !own.file().force.is_empty() {
        return Err(Fault::new("random.acceleration", "a scene with [[force]] cannot have random forces as well"));
    }
    if random.translation.is_some() || random.degrees.is_some() {
        let files = own.files();
        let built = build_body(&own.file().body, 0, &files, &mut Budget::new(own.most_vertices));
        let built = built.map_err(|fault| Fault::new("set", fault.message))?;
        let middle = |vertices: &Vec<u32>| {
            let places = vertices.iter().map(|&v| built.body.rest()[v as usize]);
            places.sum::<Vec3>() / vertices.len().max(1) as f64
        };
        let middles: Vec<Vec3> = built.pins.iter().chain(&built.handles).map(middle).collect();
        wander(&mut own, random, &middles, [skip, frames])?;
    }
    Ok(own)
}
