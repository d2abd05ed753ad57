//! Cloth with shape matching [Bender 2014, §4.6]: many small regions, each pulled back to its best-fitting rest shape.
//!
//! | file | does |
//! |---|---|
//! | `region` | triangles matched in their planes, pairs of vertices |
//! | `folds` | pairs of triangles, which resist bending |
//! | `fibres` | chains of edges that resist stretch as a whole [Stumpp 2008] |
//! | `levels` | coarser sets of vertices that resist stretch, in a V-cycle |
//! | `coloured` | regions that threads can process at once |
//!
//! Add it to a body with [`Body::with_cloth_matching`](crate::Body::with_cloth_matching), or make a body of nothing
//! else with [`Body::matched_cloth`](crate::Body::matched_cloth). Every iteration of the position-based solver
//! processes its regions once, or with levels once on the way up and once on the way down.
//! Departure: regions are
//! processed colour by colour instead of all at once with means per vertex. This converges faster, and every region
//! conserves its momentum and angular momentum.

mod coloured;
mod fibres;
mod folds;
mod levels;
mod region;

use std::ops::Range;

use thiserror::Error;

use crate::constraint::Rule;
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::matter::{
    BodyView, Iteration, Matter, MatterInfo, Motion, MotionSetting, Place, Portion, needs_implicit_euler,
};
use crate::mesh::generate::Sheet;
use crate::mesh::{Edge, MassKind, Simplices, TriangleMesh};
use crate::parallel::Team;
use crate::world::body::Body;
use crate::world::error::ModelError;
use crate::world::topology::Cells;
use coloured::Coloured;
use fibres::Fibres;
use folds::{Fold, folds};
use levels::Levels;
use region::{Shares, Triangle};

/// Shape matching of small regions for a body of triangles.
///
/// Shares are between 0 and 1: how far all iterations of a step together would move a single region back to its rest
/// shape. The resulting stiffness depends on iterations, time step and mesh.
///
/// ```
/// use pliant::prelude::*;
/// let sheet = Sheet { columns: 10, rows: 10, ..Sheet::default() };
/// let cloth = Body::matched_cloth(&sheet.mesh()?, 0.2, ClothMatching::default())?;
/// let cloth = cloth.pin([sheet.vertex(0, 10), sheet.vertex(10, 10)]);
/// let solver = PositionBasedParams { iterations: 20, ..PositionBasedParams::default() };
/// let mut sim = Simulation::builder().body(cloth).solver(solver).build()?;
/// for _ in 0..60 {
///     sim.step()?;
/// }
/// let lowest = sim.positions().iter().fold(0.0_f64, |least, p| p.y.min(least));
/// assert!(lowest > -0.65, "it hangs down to {lowest} m");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ClothMatching {
    /// Share of stretch along warp and weft.
    pub stretch: f64,
    /// Share of shear between them.
    pub shear: f64,
    /// Share of bending; 0 for cloth that folds freely.
    pub bend: f64,
    /// Share of stretch along fibres, which are straight chains of edges; 0 for none.
    pub fibres: f64,
    /// Maximum number of edges of a fibre.
    pub fibre_length: usize,
    /// Maximum number of coarser levels of vertices, each about twice as coarse as the one before, which resist stretch
    /// with the share of stretch; 0 for none.
    pub levels: usize,
    /// Number of times that a level is matched on the way up, and on the way down.
    pub rounds: usize,
    /// Direction of the warp in the rest shape, of any length; each triangle uses the component in its plane.
    pub warp: Vec3,
}

impl Default for ClothMatching {
    /// No stretch, no shear, a tenth of bending, no fibres, no levels; warp along x.
    fn default() -> Self {
        let (fibres, fibre_length, levels, rounds) = (0.0, 16, 0, 2);
        Self { stretch: 1.0, shear: 1.0, bend: 0.1, fibres, fibre_length, levels, rounds, warp: Vec3::X }
    }
}

impl ClothMatching {
    /// The first parameter that is out of range, if any: name, value, what is needed.
    pub fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        let share = |name, value: f64| (name, value, (0.0..=1.0).contains(&value), "0 to 1");
        let warp = self.warp.length();
        let checks = [
            share("stretch share of matched cloth", self.stretch),
            share("shear share of matched cloth", self.shear),
            share("bending share of matched cloth", self.bend),
            share("fibre share of matched cloth", self.fibres),
            ("edges of a fibre of matched cloth", self.fibre_length as f64, self.fibre_length >= 2, "at least 2"),
            ("rounds on a level of matched cloth", self.rounds as f64, self.rounds >= 1, "at least 1"),
            ("length of the warp of matched cloth", warp, warp > 0.0 && warp.is_finite(), "finite and above 0"),
        ];
        checks.into_iter().find(|check| !check.2).map(|(name, value, _, need)| (name, value, need))
    }

    /// Whether triangles can be matched.
    pub(crate) fn check(&self, triangles: &[[u32; 3]], rest: &[Vec3]) -> Result<(), ClothMatchingError> {
        if triangles.is_empty() {
            return Err(ClothMatchingError::NoTriangles);
        }
        let free = vec![1.0; rest.len()];
        let is_flat = |t: &[u32; 3]| Triangle::new(*t, rest, &free, self.warp).is_none();
        match triangles.iter().position(is_flat) {
            None => Ok(()),
            Some(triangle) => {
                let [a, b, c] = triangles[triangle].map(|v| rest[v as usize]);
                Err(ClothMatchingError::Degenerate { triangle, area: 0.5 * (b - a).cross(c - a).length() })
            }
        }
    }
}

/// Why a body does not support shape matching as cloth.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClothMatchingError {
    /// It has no surface.
    #[error("cloth is matched by its triangles, but there are none")]
    NoTriangles,
    /// A triangle is degenerate at rest.
    #[error("triangle {triangle} is a line at rest (area {area:e} m²), so that it cannot be matched")]
    Degenerate {
        /// The triangle.
        triangle: usize,
        /// Its area \[m²\].
        area: f64,
    },
}

pub(crate) const INFO: MatterInfo = MatterInfo {
    kind: "cloth matching",
    summary: "cloth whose triangles are pulled back to their shape",
    citation: "Stumpp et al. 2008; Bender 2014, section 4.6",
    specimens: &[fine, coarse],
    is_kind_of: crate::matter::is::<ClothMatching>,
};

/// A cloth that hangs by a corner, with so many coarser levels.
fn sheet(levels: usize) -> Result<Body, ModelError> {
    let mesh = Sheet { columns: 6, rows: 6, ..Sheet::default() }.mesh()?;
    Ok(Body::matched_cloth(&mesh, 0.2, ClothMatching { levels, ..ClothMatching::default() })?.pin([0]))
}

fn fine() -> Result<Body, ModelError> {
    sheet(0)
}

fn coarse() -> Result<Body, ModelError> {
    sheet(2)
}

impl Body {
    /// Cloth that is held together only by shape matching of its triangles, with a mass per area \[kg/m²\].
    pub fn matched_cloth(mesh: &TriangleMesh, density: f64, matching: ClothMatching) -> Result<Self, ModelError> {
        mesh.check_quality()?;
        let mut body = Self::new(mesh.positions.clone(), mesh.mass_matrix(MassKind::Lumped, density)?);
        body.surface.clone_from(&mesh.triangles);
        body.made_of(Cells::triangles(&mesh.triangles), None);
        Ok(body.with_cloth_matching(matching))
    }

    /// Adds shape matching of the body's triangles to what it is made of. Needs the [position-based
    /// solver](crate::solve::pbd).
    pub fn with_cloth_matching(self, matching: ClothMatching) -> Self {
        self.with_matter(matching)
    }
}

impl Matter for ClothMatching {
    fn kind(&self) -> &'static str {
        INFO.kind
    }

    fn check_world(&self, at: &Place<'_>, integrator: TimeIntegrator) -> Result<(), ModelError> {
        needs_implicit_euler(at, INFO.kind, integrator)
    }

    fn prepare(&mut self, body: &BodyView<'_>) -> Result<(), ModelError> {
        if let Some((name, value, need)) = self.problem() {
            return Err(ModelError::BadParameter { name, value, need });
        }
        let fits = self.check(body.surface, body.rest);
        fits.map_err(|error| ModelError::ClothMatching { body: body.name.to_owned(), error })
    }

    fn motion(&self, setting: &MotionSetting<'_>) -> Box<dyn Motion> {
        Box::new(Cloths::new(setting))
    }
}

/// All matched cloth of a world while it is stepped.
#[derive(Debug, Default)]
struct Cloths {
    cloths: Vec<Cloth>,
}

impl Cloths {
    /// Shares are those of the iterations of the setting.
    fn new(setting: &MotionSetting<'_>) -> Self {
        let cloth = |portion: Portion<'_, ClothMatching>| {
            let at = Place::new(setting.model, portion.body);
            let own = &setting.inverse_masses[portion.vertices.clone()];
            Cloth::new(&portion, &at.surface(), at.rest(), own, setting.iterations)
        };
        Self { cloths: setting.model.matter_of().map(cloth).collect() }
    }
}

impl Motion for Cloths {
    fn bytes(&self) -> usize {
        self.cloths.iter().map(|cloth| cloth.mesh.bytes() + cloth.levels.as_ref().map_or(0, Levels::bytes)).sum()
    }

    /// Goes over all regions once.
    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        for cloth in &mut self.cloths {
            cloth.iterate(at.team, at.backwards, &mut x[cloth.vertices.clone()]);
        }
    }
}

/// One body.
#[derive(Debug)]
struct Cloth {
    vertices: Range<usize>,
    mesh: MeshRegions,
    levels: Option<Levels>,
    /// Of levels, and how often each is visited.
    coarse: Shares,
    rounds: usize,
}

impl Cloth {
    fn new(
        info: &Portion<'_, ClothMatching>,
        triangles: &[[u32; 3]],
        rest: &[Vec3],
        inverse_masses: &[f64],
        iterations: usize,
    ) -> Self {
        let ClothMatching { stretch, levels, rounds, .. } = *info.matter;
        let mut edges: Vec<Edge> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        edges.iter_mut().for_each(|edge| edge.sort_unstable());
        edges.sort_unstable();
        edges.dedup();
        let has_levels = levels > 0;
        let visits = if has_levels { iterations.saturating_mul(2) } else { iterations };
        let mesh = MeshRegions::new(info.matter, triangles, &edges, rest, inverse_masses, visits);
        let levels = has_levels.then(|| Levels::new(rest, inverse_masses, &edges, triangles, levels));
        let stretch = share(stretch, visits.saturating_mul(rounds));
        Self { vertices: info.vertices.clone(), mesh, levels, coarse: Shares { stretch, shear: stretch }, rounds }
    }

    fn iterate(&mut self, team: &Team<'_>, backwards: bool, x: &mut [Vec3]) {
        let (mesh, coarse, rounds) = (&mut self.mesh, self.coarse, self.rounds);
        match &mut self.levels {
            None => mesh.run(team, backwards, x),
            Some(levels) => levels.cycle(team, coarse, rounds, x, |back, x| mesh.run(team, backwards != back, x)),
        }
    }
}

/// Regions of the mesh itself.
#[derive(Debug)]
struct MeshRegions {
    triangles: Coloured<Triangle, 3>,
    in_plane: Shares,
    folds: Coloured<Fold, 4>,
    bending: Shares,
    fibres: Option<Fibres>,
    fibre_share: f64,
}

impl MeshRegions {
    fn new(
        matching: &ClothMatching,
        triangles: &[[u32; 3]],
        edges: &[Edge],
        rest: &[Vec3],
        inverse_masses: &[f64],
        visits: usize,
    ) -> Self {
        let ClothMatching { stretch, shear, bend, fibres, fibre_length, warp, .. } = *matching;
        let folds = if bend > 0.0 { folds(triangles, rest, inverse_masses) } else { Vec::new() };
        let can_move = |t: &&[u32; 3]| t.iter().any(|&v| inverse_masses[v as usize] > 0.0);
        let region = |t: &[u32; 3]| Triangle::new(*t, rest, inverse_masses, warp);
        let regions: Vec<Triangle> = triangles.iter().filter(can_move).filter_map(region).collect();
        Self {
            triangles: Coloured::new(&regions, inverse_masses),
            in_plane: Shares { stretch: share(stretch, visits), shear: share(shear, visits) },
            folds: Coloured::new(&folds, inverse_masses),
            bending: Shares { stretch: share(bend, visits), shear: share(bend, visits) },
            fibres: (fibres > 0.0).then(|| Fibres::new(edges, rest, inverse_masses, fibre_length)),
            fibre_share: share(fibres, visits),
        }
    }

    fn bytes(&self) -> usize {
        self.triangles.bytes() + self.folds.bytes() + self.fibres.as_ref().map_or(0, Fibres::bytes)
    }

    /// Triangles last: what is left over is in the weaker regions.
    fn run(&mut self, team: &Team<'_>, backwards: bool, x: &mut [Vec3]) {
        self.folds.run(team, self.bending, backwards, x);
        if let Some(fibres) = &mut self.fibres {
            fibres.run(team, self.fibre_share, x);
        }
        self.triangles.run(team, self.in_plane, backwards, x);
    }
}

/// The share of one visit, so that so many go the given share together.
fn share(all: f64, visits: usize) -> f64 {
    match Rule::share_of(all, visits) {
        Rule::Share(one) => one,
        Rule::Compliance { .. } => all,
    }
}
