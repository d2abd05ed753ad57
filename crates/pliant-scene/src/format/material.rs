//! `[body.material.…]`: physical parameters, or a preset with some values changed.

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
    /// Ropes and hair.
    Strand(StrandSection),
    /// Hair and fur: strands of exact length that follow a vertex which is pinned, held by a handle or attached to another body; only the
    /// position-based solver knows it, and a world of hair alone may have `[solver.follow-leader]` and strands instead.
    Hair(HairSection),
    /// Cables, threads and wires: strands that resist bending and torsion.
    Rod(RodSection),
    /// Ellipsoids with orientations along strands, which are pulled back to their rest shape in groups: plants, fins.
    /// Needs the position-based solver.
    Oriented(OrientedSection),
    /// A sheet of springs along its edges.
    Springs(SpringSection),
    /// A solid that does not deform: the inside of a closed surface or of a solid shape.
    Rigid(RigidSection),
    /// A liquid; its shape must be made of particles. Needs the position-based solver.
    Fluid(FluidSection),
    /// A body with shape matching: its regions are pulled back to their rest shape. Needs the position-based solver.
    Matched(MatchedSection),
    /// Cloth with shape matching: its triangles are pulled back to their rest shape. Needs the position-based solver.
    MatchedCloth(MatchedClothSection),
    /// Masses that are held together only by the energies under `energy`.
    Bare(BareSection),
}

/// A thin sheet. Omitted values come from the preset.
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
    /// Poisson ratio, 0 to below 1, for stretch in the plane and for the bending of plates.
    pub poisson_ratio: Option<f64>,
    /// Bending stiffness (N·m).
    pub bending_stiffness: Option<f64>,
    /// How bending is measured; auto by default.
    pub bend_model: Option<BendModelName>,
    /// Smallest and largest stretch before it becomes stiff, such as [0.9, 1.1].
    pub strain_limits: Option<[f64; 2]>,
    /// Young's modulus beyond the limits (Pa); 20 times the material's by default.
    pub limit_modulus: Option<f64>,
    /// Limits of stretch along warp and weft, instead of `strain_limits`, which are the same in all directions.
    pub fibres: Option<ClothFibres>,
    /// Takes the rest shape of each triangle from the texture coordinates of the body's file: the flat pieces that a
    /// garment is sewn from. The shape is then the garment as it is worn at the start, and need not be at rest.
    pub flat_pieces: Option<FlatPieces>,
    /// How mass is distributed; lumped by default.
    pub mass: Option<MassName>,
}

/// How a sheet resists bending.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BendModelName {
    /// `plate` if the rest shape is flat (all triangles of a connected piece face the same direction within 0.06°),
    /// else `hinge`.
    Auto,
    /// A thin plate that is flat at rest: its stiffness is the same on every mesh, in every direction and at the rim.
    Plate,
    /// Signed angles between triangles, for any rest shape; its stiffness depends on the mesh.
    Hinge,
    /// Mean curvature at interior vertices [Bouaziz 2014]: saddles and the rim bend without resistance.
    MeanCurvature,
    /// No resistance to bending.
    None,
}

/// A solid. Omitted values come from the preset.
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
    /// Smallest and largest stretch before it becomes stiff.
    pub strain_limits: Option<[f64; 2]>,
    /// Young's modulus beyond the limits (Pa); 20 times the material's by default.
    pub limit_modulus: Option<f64>,
    /// Limits of stretch along three directions, instead of `strain_limits`, which are the same in all directions.
    pub fibres: Option<SolidFibres>,
    /// How mass is distributed; lumped by default.
    pub mass: Option<MassName>,
}

/// Ropes and hair. Omitted values come from the preset.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrandSection {
    /// cord (default), thread or cable.
    pub preset: Option<String>,
    /// Mass per length (kg/m).
    pub density: Option<f64>,
    /// Axial stiffness (N).
    pub axial_stiffness: Option<f64>,
    /// Whether it resists compression.
    pub resists_compression: Option<bool>,
    /// Width that wind acts on (m); that of a round fibre of 1300 kg/m³ by default.
    pub width: Option<f64>,
    /// Axial stiffness (N) of springs to the vertex after the next, against bending; none by default.
    pub skip_one: Option<f64>,
    /// How mass is distributed; lumped by default.
    pub mass: Option<MassName>,
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
    /// Whether its rest shape is the given, possibly curved shape; otherwise it is straight at rest. True by default.
    pub keeps_shape: Option<bool>,
}

/// Ellipsoids with orientations along strands, as long as their edges. A strand that begins at a vertex of another
/// strand is a branch of it. A pinned vertex keeps its orientation.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrientedSection {
    /// Mass per volume of the ellipsoids (kg/m³); 800 by default.
    pub density: Option<f64>,
    /// Radius at the root (m); 0.02 by default.
    pub radius: Option<f64>,
    /// Radius at the tips (m); that of the root by default. Where branches join, cross-sections add up.
    pub tip_radius: Option<f64>,
    /// A group contains the vertices within this number of edges; 1 by default. Larger groups are stiffer.
    pub width: Option<usize>,
    /// Frequency at which a deformation oscillates (Hz), independent of the time step. Give this or `share`; the
    /// default is a `share` of 0.
    pub frequency: Option<f64>,
    /// Share of the distance to its goal that a vertex is pulled per step, 0 to 1.
    pub share: Option<f64>,
    /// Rate at which motion and rotation decay, except that of whole groups (1/s); 0 by default.
    pub damping: Option<f64>,
    /// How far a vertex may be from its goal, as a share of a group's half-width, and how far it may be rotated from it
    /// (rad). With 0, the default, iterations bring it as close as they can; inf means no limit.
    pub limit: Option<f64>,
    /// Factor on movements towards the limit, above 0 and below 2; 1 by default.
    pub relaxation: Option<f64>,
    /// A surface that follows them and that pictures and exports show; none by default.
    pub skin: Option<SkinSection>,
}

/// A surface that follows oriented vertices.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SkinSection {
    /// Tubes around the strands.
    Tubes {
        /// Number of sides of a tube; 8 by default.
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
    /// Whether to add springs to the vertex after the next, against bending; only for sheets.
    #[serde(default)]
    pub skip_one: bool,
}

/// A solid that does not deform.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigidSection {
    /// Mass per volume (kg/m³); 700 by default, that of wood.
    pub density: Option<f64>,
    /// Its stiffness, as the angular frequency at which it would oscillate on one of its vertices (rad/s); 3000 by default.
    pub frequency: Option<f64>,
}

/// A liquid. Its particles have the spacing of the shape.
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

/// A body with shape matching: regions of its vertices are pulled back to their rest shape.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchedSection {
    /// Mass per length, area or volume (kg/m, kg/m² or kg/m³).
    pub density: f64,
    /// The regions: which vertices are matched together.
    pub regions: RegionsSection,
    /// Frequency at which a deformation oscillates (Hz), independent of the time step. Give this or `share`; the
    /// default is a `share` of 0.3.
    pub frequency: Option<f64>,
    /// Share of the distance to its goal that a vertex is pulled per step, 0 to 1.
    pub share: Option<f64>,
    /// Rate at which motion decays, except that of whole regions (1/s); 0 by default.
    pub damping: Option<f64>,
    /// How far a vertex may be from its goal, as a share of a region's half-width; 0.3 by default; inf means no limit.
    pub limit: Option<f64>,
    /// Factor on movements towards the limit, above 0 and below 2; 1 by default.
    pub relaxation: Option<f64>,
    /// Deformations that regions do not resist; none by default.
    pub modes: Option<ModesSection>,
    /// Plastic deformation of regions; none by default.
    pub plasticity: Option<PlasticitySection>,
    /// The strain beyond which regions break; they never break by default.
    pub toughness: Option<f64>,
    /// Conservation of the volume inside the body's closed surface; off by default.
    pub volume: Option<VolumeSection>,
}

/// Plastic deformation of regions. Strains are Frobenius norms of logarithmic stretches at constant volume: a bar that
/// is stretched by 10 % has 0.117.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlasticitySection {
    /// The elastic strain above which a region flows.
    pub yield_strain: f64,
    /// Rate at which elastic strain becomes plastic strain (1/s).
    pub creep: f64,
    /// The largest plastic strain; inf by default.
    pub maximum: Option<f64>,
}

/// Conservation of the volume inside a body's closed surface.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeSection {
    /// How much vertices near a dent compensate for it, 0 to 1; with 0, the default, all vertices move by the same amount.
    pub local: Option<f64>,
    /// Share of these local weights that depends on distances through the body, 0 to 1; 0.5 by default.
    pub distances: Option<f64>,
    /// Number of times that local weights are smoothed along edges; 4 by default.
    pub smoothing: Option<usize>,
}

/// Regions of a body with shape matching: the larger they are, the stiffer it is.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RegionsSection {
    /// One region with all vertices.
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
        /// Number of sizes.
        levels: usize,
    },
    /// Particles on a regular lattice fill the closed surface of the shape and are simulated in its place; the surface
    /// follows them. Each region contains the particles within a number of steps along each axis; the time does not
    /// depend on this number.
    Lattice {
        /// Distance between particles (m). The outermost are about half of it below the surface; give colliders a
        /// thickness to compensate for that.
        spacing: f64,
        /// Number of steps.
        width: usize,
        /// Whether to show the surface instead of the particles; true by default. The surface does not break.
        surface: Option<bool>,
        /// What to do if the particles form several pieces; an error by default.
        pieces: Option<PiecesName>,
    },
    /// The same with a particle in each cell of an octree: few inside, many at the surface.
    Octree {
        /// Side of the largest cells (m).
        size: f64,
        /// Maximum number of times that a cell is split into eight, up to 16.
        levels: u32,
        /// Size of a region: particles within this distance along steps between neighbours (m).
        width: f64,
        /// Cells are split within this distance from the surface, in units of their own size; 1 by default.
        detail: Option<f64>,
        /// Whether to show the surface instead of the particles; true by default. The surface does not break.
        surface: Option<bool>,
        /// What to do if the particles form several pieces; an error by default.
        pieces: Option<PiecesName>,
    },
    /// For each vertex of a strand, the vertices within a number of steps along it; only for strands.
    Chains {
        /// Number of vertices to each side.
        width: usize,
    },
    /// For each vertex, the vertices within a number of edges.
    Rings {
        /// Number of edges.
        width: usize,
    },
    /// The same regions as `rings`, summed along paths over the mesh: the time of a step grows with the width, not with
    /// its square. A limit applies to the mean over the regions of a vertex.
    Paths {
        /// Number of edges.
        width: usize,
    },
}

/// Deformations that regions do not resist.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModesSection {
    /// Stretch and shear: 0 for full resistance, 1 for none.
    Linear(f64),
    /// Also bending and twisting.
    Quadratic(f64),
}

/// Cloth with shape matching on its triangles. Shares are 0 to 1: how far all iterations of a step together move a
/// triangle back to its rest shape.
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
    /// Share of stretch along fibres, which are straight chains of edges; 0, no fibres, by default.
    pub fibres: Option<f64>,
    /// Maximum number of edges of a fibre; 16 by default.
    pub fibre_length: Option<usize>,
    /// Maximum number of coarser levels of vertices that resist stretch, each about twice as coarse as the one before;
    /// 0 by default.
    pub levels: Option<usize>,
    /// Number of times that a level is matched on the way up and on the way down; 1 by default.
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

/// How mass is distributed over vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MassName {
    /// Each vertex has the mass around it.
    Lumped,
    /// The mass matrix of linear finite elements, which is exact for rigid motion; for the solvers projective,
    /// two-metric and newton.
    Consistent,
}

/// Woven cloth: limits of stretch along warp and weft. Shear between them is free.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClothFibres {
    /// Direction of the warp in the rest shape after its transform, of any non-zero length; the weft is at a right angle to
    /// it.
    pub direction: [f64; 3],
    /// Smallest and largest stretch along the warp, and the same along the weft, such as [[0.98, 1.02], [0.8, 1.2]].
    pub limits: [[f64; 2]; 2],
}

/// A solid with limits of stretch along three directions. Shear between them is free.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolidFibres {
    /// The first direction in the rest shape after its transform, of any non-zero length; the others are at right angles
    /// to it.
    pub direction: [f64; 3],
    /// Smallest and largest stretch along each direction.
    pub limits: [[f64; 2]; 3],
}

/// The flat pieces of a garment.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlatPieces {
    /// Metres per unit of the texture coordinates; 1 by default.
    pub metres_per_unit: Option<f64>,
}
