//! A stored frame as a scene to draw: what can be seen of each body, with surfaces that ride along, coloured by body, strain
//! or speed.

use std::borrow::Cow;
use std::error::Error;

use pliant::Fluid;
use pliant::math::{Vec3, diagonal};
use pliant_io::store::{Frame, RunStore};
use pliant_io::write::{ExportError, VisibleBody, visible_bodies};
use pliant_picture::{ColliderSurfaces, Color, ColorMap, Legend, Paint, Scene, SeenBody};
use pliant_scene::format::ColorBy;
use pliant_scene::{Look, SceneRun};

/// Draws frames of one run.
pub(super) struct Pictures<'a> {
    run: &'a SceneRun,
    store: &'a RunStore,
    /// The bodies as the first frame has them.
    bodies: Vec<VisibleBody>,
    pub(super) colliders: ColliderSurfaces<'a>,
    diagonal: f64,
    color_by: ColorBy,
    look: &'a Look,
    /// Place of the first body's colour in the palette.
    pub(super) first_color: usize,
}

impl<'a> Pictures<'a> {
    pub(super) fn new(
        run: &'a SceneRun,
        store: &'a RunStore,
        color_by: ColorBy,
        look: &'a Look,
    ) -> Result<Self, ExportError> {
        let topology = store.topology();
        let colors = look.colliders.iter().map(|color| color.map(Color)).collect();
        let colliders = ColliderSurfaces::new(run.sim.colliders()).with_colors(colors);
        let diagonal = diagonal(&topology.rest);
        Ok(Self { run, store, bodies: visible_bodies(topology)?, colliders, diagonal, color_by, look, first_color: 0 })
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
                None => {
                    let own = self.look.bodies.get(&body.name).map(|color| Color(*color));
                    own.unwrap_or_else(|| Color::of_body(self.first_color + number)).into()
                }
                Some(values) => {
                    let values = places.iter().map(|&v| values[v as usize]).collect();
                    Paint::Scalar { values, range, map }
                }
            };
            scene.add_body(SeenBody {
                positions: at(&body.vertices),
                triangles: body.triangles.clone(),
                segments: body.segments.clone(),
                points: body.points.clone(),
                fluid: model.bodies().iter().position(|own| own.name == body.name).and_then(|k| model.matter_in(k)),
                diagonal: self.diagonal,
                paint: paint(&body.vertices),
            });
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
                let mut strains = self.store.topology_at(number)?.vertex_strains(&frame.positions)?;
                // A surface that rides along shows the strain of the tets below it; not so in frames before something else tore.
                if let Some(taken) = self.run.taken_from_tets(&strains) {
                    strains = taken;
                }
                Some(strains.into_iter().map(|strain| 100.0 * strain).collect())
            }
        })
    }
}
