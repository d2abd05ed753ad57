//! A stored frame as a scene to draw: what can be seen of each body, with surfaces that ride along, coloured by body, strain
//! or speed.

use std::borrow::Cow;
use std::error::Error;

use pliant::math::{Vec3, diagonal};
use pliant::{Fluid, FluidSurface};
use pliant_io::store::{Frame, RunStore};
use pliant_io::write::{ExportError, VisibleBody, visible_bodies};
use pliant_scene::SceneRun;
use pliant_scene::format::ColorBy;
use pliant_view::{ColliderSurfaces, Color, ColorMap, Legend, Lines, Mesh, Paint, Points, Scene};

use crate::deformation::vertex_strains;

/// Thickness of strands and size of points, as a share of the world's diagonal.
const THICKNESS: f64 = 0.004;
/// More strands than this are drawn thinner, so that together they cover about the same.
const FEW_STRANDS: f64 = 200.0;

/// Draws frames of one run.
pub(super) struct Pictures<'a> {
    run: &'a SceneRun,
    store: &'a RunStore,
    /// The bodies as the first frame has them.
    bodies: Vec<VisibleBody>,
    pub(super) colliders: ColliderSurfaces<'a>,
    thickness: f64,
    color_by: ColorBy,
    /// Place of the first body's colour in the palette.
    pub(super) first_color: usize,
}

impl<'a> Pictures<'a> {
    pub(super) fn new(run: &'a SceneRun, store: &'a RunStore, color_by: ColorBy) -> Result<Self, ExportError> {
        let topology = store.topology();
        let colliders = ColliderSurfaces::new(run.sim.colliders());
        let thickness = THICKNESS * diagonal(&topology.rest);
        Ok(Self { run, store, bodies: visible_bodies(topology)?, colliders, thickness, color_by, first_color: 0 })
    }

    /// The bodies as a frame has them.
    fn bodies_at(&self, number: u64) -> Result<Cow<'_, [VisibleBody]>, ExportError> {
        Ok(match self.store.topology_of(number) {
            None => Cow::Borrowed(&self.bodies),
            Some(_) => Cow::Owned(visible_bodies(self.store.topology_at(number)?.as_ref())?),
        })
    }

    /// What is seen at a frame; colours of values end at `most`.
    pub(super) fn scene(&self, number: u64, frame: &Frame<'_>, most: f64) -> Result<Scene, Box<dyn Error>> {
        let values = self.values(number, frame)?;
        let (range, map) = ([0.0, most], ColorMap::default());
        let mut scene = Scene::default();
        let model = self.run.sim.model();
        for (number, body) in self.bodies_at(number)?.iter().enumerate() {
            let at = |places: &[u32]| places.iter().map(|&v| frame.positions[v as usize]).collect::<Vec<_>>();
            let paint = |places: &[u32]| match &values {
                None => Color::of_body(self.first_color + number).into(),
                Some(values) => {
                    let values = places.iter().map(|&v| values[v as usize]).collect();
                    Paint::Scalar { values, range, map }
                }
            };
            let (positions, painted) = (at(&body.vertices), paint(&body.vertices));
            if !body.triangles.is_empty() {
                scene.meshes.push(Mesh::new(positions.clone(), body.triangles.clone(), painted.clone()));
            }
            if !body.segments.is_empty() {
                let strands = body.segments.chunk_by(|before, next| before[1] == next[0]).count();
                let thickness = self.thickness * (FEW_STRANDS / strands as f64).sqrt().min(1.0);
                scene.lines.push(Lines::new(positions, body.segments.clone(), thickness, painted));
            }
            let fluid = model.matter_in::<Fluid>(number);
            if let (Some(fluid), None) = (fluid, &values) {
                let mut out = at(&body.vertices);
                out.retain(|p| fluid.is_out(*p));
                if out.is_empty() {
                    continue;
                }
                let surface = FluidSurface::new(fluid.material().spacing).mesh(&out)?;
                let color = Color::of_body(self.first_color + number);
                scene.meshes.push(Mesh::new(surface.positions, surface.triangles, color));
            } else if !body.points.is_empty() {
                let loose: Vec<u32> = body.points.iter().map(|&place| body.vertices[place as usize]).collect();
                let size = fluid.map_or(self.thickness, |fluid| 0.5 * fluid.material().spacing);
                scene.points.push(Points::new(at(&loose), size, paint(&loose)));
            }
        }
        let label = match self.color_by {
            ColorBy::Body => return Ok(scene),
            ColorBy::Strain => "largest strain [%]",
            ColorBy::Speed => "speed [m/s]",
        };
        scene.legend = Some(Legend { label: label.to_owned(), range, map });
        Ok(scene)
    }

    /// Positions \[m\] of what is seen at a frame.
    pub(super) fn seen(&self, number: u64, frame: &Frame<'_>) -> Result<Vec<Vec3>, ExportError> {
        // What waits in a pipe is not seen.
        let fluids: Vec<&Fluid> = self.run.sim.model().matter_of().map(|portion| portion.matter).collect();
        let places = self.visible_vertices(number)?.into_iter().map(|vertex| frame.positions[vertex]);
        Ok(places.filter(|p| fluids.iter().all(|fluid| fluid.is_out(*p))).collect())
    }

    /// All values that colours show at a frame; none where they show bodies.
    pub(super) fn seen_values(&self, number: u64, frame: &Frame<'_>) -> Result<Vec<f64>, Box<dyn Error>> {
        let Some(values) = self.values(number, frame)? else { return Ok(Vec::new()) };
        Ok(self.visible_vertices(number)?.into_iter().map(|vertex| values[vertex]).collect())
    }

    fn visible_vertices(&self, number: u64) -> Result<Vec<usize>, ExportError> {
        let bodies = self.bodies_at(number)?;
        Ok(bodies.iter().flat_map(|body| body.vertices.iter().map(|&vertex| vertex as usize)).collect())
    }

    /// What the colours show, at each stored vertex: speeds \[m/s\] or strains \[%\].
    fn values(&self, number: u64, frame: &Frame<'_>) -> Result<Option<Vec<f64>>, Box<dyn Error>> {
        Ok(match self.color_by {
            ColorBy::Body => None,
            ColorBy::Speed => {
                let velocities = frame.velocities.as_ref().ok_or("the frames have no velocities to show")?;
                Some(velocities.iter().map(|v| v.length()).collect())
            }
            ColorBy::Strain => {
                let mut strains = vertex_strains(self.store.topology_at(number)?.as_ref(), &frame.positions)?;
                // A surface that rides along shows the strain of the tets below it; not so in frames before something else tore.
                if let Some(taken) = self.run.taken_from_tets(&strains) {
                    strains = taken;
                }
                Some(strains.into_iter().map(|strain| 100.0 * strain).collect())
            }
        })
    }
}
