//! Scenes that come with Pliant.

use crate::{Scene, SceneError};

/// A scene that comes with Pliant: its name and text.
#[derive(Debug, Clone, Copy)]
pub struct Builtin {
    /// Name on the command line.
    pub name: &'static str,
    /// The scene file.
    pub text: &'static str,
}

macro_rules! builtin {
    ($($name:literal),* $(,)?) => {
        &[$(Builtin { name: $name, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }),*]
    };
}

/// All built-in scenes, sorted by name.
pub const BUILTIN: &[Builtin] = builtin![
    "balloon",
    "banner",
    "bouncing-bears",
    "brush",
    "buckling-cylinder",
    "cable",
    "cars",
    "cloth-on-spheres",
    "curls",
    "curtain",
    "dam-break",
    "dress",
    "flag",
    "flag-detail",
    "grass",
    "guests",
    "gummy",
    "hair",
    "hammock",
    "jelly-cubes",
    "jelly-steps",
    "jellyfish",
    "letter",
    "net-ball",
    "nodding-head",
    "plant",
    "playground",
    "plucked-strings",
    "press",
    "pressed-balls",
    "projectile",
    "ribbon-pile",
    "rope-bridge",
    "sails",
    "sleeve",
    "springboards",
    "tent",
    "torn-flag",
    "toy",
    "toy-box",
    "trampoline",
    "twisted-bar",
    "twisted-cloth",
    "washing-line",
    "water-hammock",
    "watered-ball",
];

impl Builtin {
    /// The built-in scene with this name.
    pub fn find(name: &str) -> Option<Self> {
        BUILTIN.iter().find(|scene| scene.name == name).copied()
    }

    /// Parses it, with overrides.
    pub fn scene(&self, overrides: &[String]) -> Result<Scene, SceneError> {
        Scene::parse(&format!("{}.toml", self.name), self.text, overrides)
    }
}
