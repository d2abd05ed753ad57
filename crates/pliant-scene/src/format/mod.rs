//! The contents of a scene file, as data. Unknown keys are errors in every table; kinds are chosen by the name of a
//! table (`[body.shape.sheet]`), so that errors inside them keep their position.

mod body;
mod collider;
mod constraint;
mod energy;
mod expect;
mod force;
mod material;
mod motion;
mod output;
mod pose;
mod select;
mod self_collision;
mod shape;
mod solid;
mod solver;
mod strain_limiting;
mod tear;
mod train;
mod world;

pub use body::{
    Attachment, AttachmentEnd, BodySection, HandleSection, JoinName, LengthName, LongRangeSection, PinSection,
    ThreadLengthsName, TransformSection, WrinklesSection,
};
pub use collider::{
    ColliderKeyframe, ColliderSection, ColliderShape, ContactModeName, ContactSection, MotionFile, Turn,
};
pub use constraint::{AllowedName, ConstraintSection};
pub use energy::EnergySection;
pub use expect::{ExpectSection, Moment, Quantity};
pub use force::{ForceKeyframe, ForceSection};
pub use material::*;
pub use motion::{Keyframe, Rotation};
pub use output::{CameraSection, ColorBy, OutputSection, Preview};
pub use pose::{Deformation, PoseSection};
pub use select::{Corner, Select, Side};
pub use self_collision::SelfCollisionSection;
pub use shape::{ContentName, CurlSection, DiagonalName, PiecesName, PlaneName, ShapeSection, TetPatternName, UpName};
pub use solid::SolidShape;
pub use solver::{
    AccelerationSection, ExplicitSection, FollowLeaderSection, GpuSection, HairGridSection, HairStyleSection,
    NewtonCurvatureName, NewtonSection, PositionBasedSection, PrecisionSection, PreconditionerName, ProjectiveSection,
    SolverSection, StartName, StretchLevelsSection, SweepOrderName, SweepSection, TwoMetricSection,
};
pub use strain_limiting::{LimitMethodSection, StrainLimitingSection};
pub use tear::{CutSection, CutSpace, PlaneCut, PolylineCut, SeamSection, TearSection};
pub use train::{CarrySection, RandomSection, TrainMotionSection, TrainSection, UpsampleMethodName, UpsampleSection};
pub use world::{
    DampingSection, GustSection, IntegratorName, TurbulenceSection, WindKeyframe, WindSection, WorldSection,
};

use schemars::JsonSchema;
use serde::Deserialize;

/// A scene file. Everything except bodies has a default.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// A short name for people.
    pub title: Option<String>,
    /// A short description of what it shows.
    pub description: Option<String>,
    /// An override that makes an expectation fail, to show that it can.
    pub counterexample: Option<String>,
    /// Other scene files, relative to this one, that are read first. Lists in this file are appended to theirs; other
    /// values replace theirs.
    #[serde(default)]
    pub include: Vec<String>,
    /// Time, gravity, wind, damping.
    pub world: Option<WorldSection>,
    /// The solver and its parameters.
    pub solver: Option<SolverSection>,
    /// Keeps surfaces from passing through each other.
    pub self_collision: Option<SelfCollisionSection>,
    /// Limits how far bodies stretch.
    pub strain_limiting: Option<StrainLimitingSection>,
    /// The bodies.
    #[serde(default)]
    pub body: Vec<BodySection>,
    /// Obstacles for bodies.
    #[serde(default)]
    pub collider: Vec<ColliderSection>,
    /// How contacts with colliders are handled.
    pub contact: Option<ContactSection>,
    /// Springs between vertices of two bodies.
    #[serde(default)]
    pub attachment: Vec<Attachment>,
    /// Forces on vertices.
    #[serde(default)]
    pub force: Vec<ForceSection>,
    /// Cuts through cloth.
    #[serde(default)]
    pub cut: Vec<CutSection>,
    /// Expectations that must be met when the scene has run; they make the scene a test.
    #[serde(default)]
    pub expect: Vec<ExpectSection>,
    /// How `pliant train` learns the detail of a body with `upsample`.
    pub train: Option<TrainSection>,
    /// What `pliant run` produces from the frames.
    pub output: Option<OutputSection>,
}

impl SceneFile {
    /// Puts `other` on top of this file.
    pub(crate) fn overlay(&mut self, other: Self) {
        self.title = other.title.or(self.title.take());
        self.description = other.description.or(self.description.take());
        self.counterexample = other.counterexample.or(self.counterexample.take());
        self.world = match (self.world.take(), other.world) {
            (Some(below), Some(above)) => Some(below.overlaid(above)),
            (below, above) => above.or(below),
        };
        self.solver = other.solver.or(self.solver.take());
        self.self_collision = other.self_collision.or(self.self_collision.take());
        self.strain_limiting = other.strain_limiting.or(self.strain_limiting.take());
        self.contact = other.contact.or(self.contact.take());
        self.train = other.train.or(self.train.take());
        self.output = other.output.or(self.output.take());
        self.body.extend(other.body);
        self.collider.extend(other.collider);
        self.attachment.extend(other.attachment);
        self.force.extend(other.force);
        self.cut.extend(other.cut);
        self.expect.extend(other.expect);
    }
}
