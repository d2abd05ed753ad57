//! `[body.material.…]`: physical parameters, or presets with changes.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{HairGridSection, HairStyleSection, PiecesName};

/// What a body is made of.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MaterialSection {
    /// A sheet.
    Cloth(ClothSection),
    /// A solid.
    Solid(SolidSection),
    /// Ropes and hairs.
    Strand(StrandSection),
    /// Hair and fur: strands of exact length that follow a vertex which is pinned, held by a handle or attached to another body; only the
    /// position-based solver knows it, and a world of hair alone may have `[solver.follow-leader]` and strands instead.
    Hair(HairSection),
    /// Cables, threads and wires: strands that resist bending and torsion.
    Rod(RodSection),
    /// Ellipsoids with orientations along strands, which are pulled back to their shape in groups: plants, fins; only the
    /// position-based solver knows them.
    Oriented(OrientedSection),
    /// A sheet of springs along its edges.
    Springs(SpringSection),
    /// A solid that does not deform: the inside of a closed surface, or of a solid.
    Rigid(RigidSection),
    /// A liquid, of a shape made of particles; only the position-based solver knows it.
    Fluid(FluidSection),
    /// A body whose regions are pulled back to their shape; only the position-based solver knows it.
    Matched(MatchedSection),
    /// Cloth whose triangles are pulled back to their shape; only the position-based solver knows it.
    MatchedCloth(MatchedClothSection),
    /// Masses that nothing holds together but what stands under `energy`.
    Bare(BareSection),
}

/// A thin sheet. What is not given comes from the preset.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClothSection {
    /// cotton (default), silk, denim, paper or rubber-sheet.
    pub preset: Option<String>,
    /// Mass per area (kg/m²).
    pub density: Option<f64>,
    /// Young's modulus (Pa).
    pub youngs_modulus: Option<f64>,
    /// Thickness (m).
    pub thickness: Option<f64>,
    /// Poisson ratio, 0 to below 1, in the plane and of bending plates.
    pub poisson_ratio: Option<f64>,
    /// Bending stiffness (N·m).
    pub bending_stiffness: Option<f64>,
    /// How bending is measured; auto by default.
    pub bend_model: Option<BendModelName>,
    /// Least and largest stretch before it becomes stiff, such as [0.9, 1.1].
    pub strain_limits: Option<[f64; 2]>,
    /// Young's modulus beyond the limits (Pa); 20 times the material's by default.
    pub limit_modulus: Option<f64>,
}

/// How a sheet resists bending.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BendModelName {
    /// As a plate where the rest shape is flat (all triangles of a connected piece face the same way within 0.06°), by hinges where not.
    Auto,
    /// As a thin plate that is flat at rest: keeps its stiffness on every mesh, in every direction and at the rim.
    Plate,
    /// Signed angles between triangles, for any rest shape; its stiffness depends on the mesh.
    Hinge,
    /// Mean curvature at interior vertices [Bouaziz 2014]: leaves saddles and the rim free.
    MeanCurvature,
    /// Not at all.
    None,
}

/// A solid. What is not given comes from the preset.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolidSection {
    /// jelly (default), rubber, foam or wood.
    pub preset: Option<String>,
    /// Mass per volume (kg/m³).
    pub density: Option<f64>,
    /// Young's modulus (Pa).
    pub youngs_modulus: Option<f64>,
    /// Poisson ratio, 0 to below 0.5.
    pub poisson_ratio: Option<f64>,
    /// Least and largest stretch before it becomes stiff.
    pub strain_limits: Option<[f64; 2]>,
    /// Young's modulus beyond the limits (Pa); 20 times the material's by default.
    pub limit_modulus: Option<f64>,
}

/// Ropes and hairs. What is not given comes from the preset.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrandSection {
    /// cord (default), thread or cable.
    pub preset: Option<String>,
    /// Mass per length (kg/m).
    pub density: Option<f64>,
    /// Axial stiffness (N).
    pub axial_stiffness: Option<f64>,
    /// Whether it resists being shortened.
    pub resists_compression: Option<bool>,
    /// Width (m), by which wind acts on it; that of a round fibre of 1300 kg/m³ by default.
    pub width: Option<f64>,
    /// Axial stiffness (N) of springs to the vertex after the next, against bending; none by default.
    pub skip_one: Option<f64>,
}

/// Hair that follows its roots.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HairSection {
    /// Mass per length (kg/m); 0.0005 by default. What hair is attached to does not feel it.
    pub density: Option<f64>,
    /// Width (m), by which wind acts on it; 0.001 by default.
    pub width: Option<f64>,
    /// How much of a follower's correction slows its leader, 0 to below 1; 0.9 by default.
    pub correction: Option<f64>,
    /// Hair against hair of this body.
    pub grid: Option<HairGridSection>,
    /// What hair keeps of its rest shape.
    pub style: Option<HairStyleSection>,
}

/// Strands of round cross-section that resist bending and torsion. A segment between two pinned vertices is clamped.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodSection {
    /// Radius of the cross-section (m); 0.003 by default.
    pub radius: Option<f64>,
    /// Mass per volume (kg/m³); 1200 by default.
    pub density: Option<f64>,
    /// Young's modulus (Pa); 5e6 by default.
    pub youngs_modulus: Option<f64>,
    /// Shear modulus (Pa); a third of Young's by default.
    pub shear_modulus: Option<f64>,
    /// Whether it is curved at rest as its shape is; otherwise straight when nothing bends it. Yes by default.
    pub keeps_shape: Option<bool>,
}

/// Ellipsoids with orientations along strands, as long as their edges. Where a strand begins at a vertex of another it is a branch of it. A pinned
/// vertex keeps its orientation.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrientedSection {
    /// Mass per volume of the ellipsoids (kg/m³); 800 by default.
    pub density: Option<f64>,
    /// Radius where most comes together, at the root (m); 0.02 by default.
    pub radius: Option<f64>,
    /// Radius at tips (m), between which cross-sections add up; as at the root by default.
    pub tip_radius: Option<f64>,
    /// How many edges away vertices are in one group; 1 by default. The more, the stiffer.
    pub width: Option<usize>,
    /// How often a deformation swings (Hz), at every time step. This or `share`, 0 of which is the default.
    pub frequency: Option<f64>,
    /// How much of the way to its goal a vertex is pulled in a step, 0 to 1.
    pub share: Option<f64>,
    /// How fast movements and turns that are not those of whole groups die away (1/s); 0 by default.
    pub damping: Option<f64>,
    /// How far a vertex may be from its goal, as a share of a group's half-width, and turned from it (rad); 0 by default, which brings it there
    /// as far as iterations go, inf for no limit.
    pub limit: Option<f64>,
    /// Factor on movements to the limit, above 0 and below 2; 1 by default.
    pub relaxation: Option<f64>,
    /// A surface that follows them, and is what pictures and exports show; none by default.
    pub skin: Option<SkinSection>,
}

/// A surface that follows oriented vertices.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SkinSection {
    /// Tubes around the strands.
    Tubes {
        /// Sides of a tube; 8 by default.
        sides: Option<usize>,
        /// Length of leaves along branches (m); no leaves by default.
        leaf: Option<f64>,
    },
    /// The triangles of a mesh file, in the coordinates of the shape, before its transform.
    File {
        /// Path, relative to the scene file.
        path: String,
    },
}

/// A sheet of springs along its edges.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringSection {
    /// Mass per area (kg/m²); 0.15 by default.
    pub density: Option<f64>,
    /// Stiffness of every spring (N/m).
    pub stiffness: f64,
    /// Also springs to the vertex after the next, against bending; only for sheets.
    #[serde(default)]
    pub skip_one: bool,
}

/// A solid that does not deform.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigidSection {
    /// Mass per volume (kg/m³); 700 by default, that of wood.
    pub density: Option<f64>,
    /// How stiff it is: the frequency at which it would swing on one of its vertices (rad/s); 3000 by default.
    pub frequency: Option<f64>,
}

/// A liquid. The spacing of its particles is that of the shape.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FluidSection {
    /// Mass per volume at rest (kg/m³); 1000 by default, that of water.
    pub density: Option<f64>,
    /// Kinematic viscosity (m²/s); 0.001 by default.
    pub viscosity: Option<f64>,
    /// Vorticity confinement (m/s); 0 by default.
    pub vorticity: Option<f64>,
    /// Artificial pressure that keeps particles apart, as a share of the density; 0.001 by default.
    pub separation: Option<f64>,
}

/// A body that keeps its shape by matching: regions of its vertices are pulled back to their shape at rest.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchedSection {
    /// Mass per length, area or volume (kg/m, kg/m² or kg/m³).
    pub density: f64,
    /// Which vertices belong together.
    pub regions: RegionsSection,
    /// How often a deformation swings (Hz), at every time step. This or `share`, 0.3 of which is the default.
    pub frequency: Option<f64>,
    /// How much of the way to its goal a vertex is pulled in a step, 0 to 1.
    pub share: Option<f64>,
    /// How fast movements that are not those of whole regions die away (1/s); 0 by default.
    pub damping: Option<f64>,
    /// How far a vertex may be from its goal, as a share of a region's half-width; 0.3 by default, inf for no limit.
    pub limit: Option<f64>,
    /// Factor on movements to the limit, above 0 and below 2; 1 by default.
    pub relaxation: Option<f64>,
    /// In which ways regions may be deformed without resistance; none by default.
    pub modes: Option<ModesSection>,
    /// How regions keep a deformation; not at all by default.
    pub plasticity: Option<PlasticitySection>,
    /// The strain beyond which regions part; never by default.
    pub toughness: Option<f64>,
    /// How the body keeps the volume in its closed surface; not at all by default.
    pub volume: Option<VolumeSection>,
}

/// How regions keep a deformation. Strains are Frobenius norms of logarithms of stretches, without change of volume: a bar drawn longer by 10 % has
/// 0.117.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlasticitySection {
    /// The elastic strain above which a region flows.
    pub yield_strain: f64,
    /// How fast elastic strain goes over into plastic strain (1/s).
    pub creep: f64,
    /// The largest plastic strain; inf by default.
    pub maximum: Option<f64>,
}

/// How a body keeps the volume in its closed surface.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeSection {
    /// How much vertices near a dent make up for it, 0 to 1; 0 by default, where all move alike.
    pub local: Option<f64>,
    /// How much of that goes by distances through the body, 0 to 1; 0.5 by default.
    pub distances: Option<f64>,
    /// How often local weights are smoothed along edges; 4 by default.
    pub smoothing: Option<usize>,
}

/// Regions of a matched body: the larger they are, the stiffer it is.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RegionsSection {
    /// One of all vertices.
    Whole {},
    /// Spheres around vertices picked at random.
    Random {
        /// Radius (m).
        radius: f64,
        /// The same seed gives the same regions; 0 by default.
        #[serde(default)]
        seed: u64,
    },
    /// Spheres of about equal masses that have the body's symmetry.
    Balanced {
        /// Radius (m).
        radius: f64,
    },
    /// Balanced spheres of several sizes, each twice as large as the one before.
    MultiScale {
        /// Radius of the smallest (m).
        radius: f64,
        /// How many sizes.
        levels: usize,
    },
    /// Particles on a regular lattice that fill the shape's closed surface move in its place, and the surface follows them. For each particle
    /// those that are so many steps away along each axis, in a time that does not depend on how many.
    Lattice {
        /// Distance of particles (m). The outermost are about half of it below the surface: a collider's thickness makes up for that.
        spacing: f64,
        /// Steps.
        width: usize,
        /// Whether the surface is shown, and not the particles; yes by default. It does not break.
        surface: Option<bool>,
        /// What to do where particles fall into pieces; refuse it by default.
        pieces: Option<PiecesName>,
    },
    /// The same with a particle in each cell of an octree: few inside, many at the surface.
    Octree {
        /// Side of the largest cells (m).
        size: f64,
        /// How often cells are split in eight at most, up to 16.
        levels: u32,
        /// How far particles of a region are away along steps between neighbours (m).
        width: f64,
        /// How far from the surface cells are split, in their own sizes; 1 by default.
        detail: Option<f64>,
        /// Whether the surface is shown, and not the particles; yes by default. It does not break.
        surface: Option<bool>,
        /// What to do where particles fall into pieces; refuse it by default.
        pieces: Option<PiecesName>,
    },
    /// For each vertex of a strand those that are so many vertices away along it; only for strands.
    Chains {
        /// Vertices to each side.
        width: usize,
    },
    /// For each vertex those that are so many edges away.
    Rings {
        /// Edges.
        width: usize,
    },
}

/// Ways in which regions may be deformed.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModesSection {
    /// Stretch and shear: 0 for none, 1 for as much as there is.
    Linear(f64),
    /// Bending and twisting too.
    Quadratic(f64),
}

/// Cloth that is held together by matching its triangles. Shares are 0 to 1: how much of the way back to its shape at rest all iterations of
/// a step take a triangle.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchedClothSection {
    /// Mass per area (kg/m²); 0.15 by default.
    pub density: Option<f64>,
    /// Share of stretch along warp and weft; 1 by default.
    pub stretch: Option<f64>,
    /// Share of shear between them; 1 by default.
    pub shear: Option<f64>,
    /// Share of bending; 0.1 by default.
    pub bend: Option<f64>,
    /// Share of stretch along fibres, strips of edges that go straight on; 0, none, by default.
    pub fibres: Option<f64>,
    /// Most edges of a fibre; 16 by default.
    pub fibre_length: Option<usize>,
    /// Most levels of coarser vertices above the mesh that resist stretch, each about twice as far apart as the last; 0 by default.
    pub levels: Option<usize>,
    /// How often a level is matched on the way there and on the way back; 1 by default.
    pub rounds: Option<usize>,
    /// Direction of the warp, of any length; along x by default.
    pub warp: Option<[f64; 3]>,
}

/// Masses without energies.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BareSection {
    /// Mass per length, area or volume (kg/m, kg/m² or kg/m³).
    pub density: f64,
}
