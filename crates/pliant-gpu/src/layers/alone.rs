//! A world of layers without a solver.

use pliant::math::Vec3;
use pliant::{Model, SelfCollision};

use super::truncation::status;
use super::{Layers, Truncate};
use crate::device::{Device, Program, Storage, Timing};
use crate::error::GpuError;
use crate::local::Places;

/// Keeps the layers of a world apart on a device, whatever moves them.
///
/// ```
/// use pliant::prelude::*;
/// use pliant::SelfCollision;
/// use pliant::proximity::{Primitives, intersections};
/// use pliant_gpu::GpuLayers;
/// use pliant_gpu::device::{Device, DeviceChoice};
/// # if Device::adapters().is_empty() { return Ok(()) }
/// let sheet = Sheet { columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() }.mesh()?;
/// let body = |name: &str, height: f64| {
///     let at: Vec<Vec3> = sheet.positions.iter().map(|p| *p + Vec3::Y * height).collect();
///     Body::cloth(&sheet, &ClothMaterial::default()).map(|body| body.named(name).with_positions(at))
/// };
/// let sim = Simulation::builder().body(body("below", 0.0)?).body(body("above", 0.1)?).build()?;
/// let mut layers = GpuLayers::new(&Device::open(&DeviceChoice::default())?, sim.model(), &SelfCollision::default(), 3600.0, sim.positions())?;
/// // The upper sheet is to fall through the lower one.
/// let fallen: Vec<Vec3> = sim.positions().iter().map(|p| if p.y > 0.05 { *p - Vec3::Y } else { *p }).collect();
/// let reached = layers.truncate(&fallen)?;
/// assert!(reached.iter().all(|p| p.y >= 0.0));
/// assert!(intersections(&Primitives::new(sim.model().bodies()), &reached).is_empty());
/// assert_eq!(layers.report()?.cut, 81);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuLayers {
    device: Device,
    layers: Layers,
    begin: Program,
    truncate: Truncate,
    contacts: Program,
    respond: Program,
    settle: Program,
    forces: Storage<[f32; 4]>,
    steps: Storage<[f32; 4]>,
    /// Vertex at each place, and its anchor [m].
    vertices: Vec<u32>,
    anchors: Vec<Vec3>,
    offsets: Storage<[f32; 4]>,
}

/// How layers were kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LayersReport {
    /// Pairs that were looked at closely in the truncation that had most.
    pub pairs: u32,
    /// Vertices whose movement was cut in the last truncation.
    pub cut: u32,
    /// The same in all truncations.
    pub cut_in_all: u32,
    /// Truncations in which a vertex or an edge had more pairs than there is room for to the last.
    pub crowded: u32,
    /// Truncations that took the last resort: planes that stand between all that could meet, which cut more than they must.
    pub last_resorts: u32,
    /// Vertices that were to go where nothing is finite.
    pub lost: u32,
    /// Contacts of the last list.
    pub contacts: u32,
    /// Most contacts of a list.
    pub most_contacts: u32,
    /// Contacts that there was no room for, in all lists.
    pub dropped: u32,
}

/// A contact between layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerContact {
    /// Its corners, those of the first side first: a vertex and a triangle, or two edges.
    pub vertices: [u32; 4],
    /// Weights of its corners, which add up to 1 on the first side and to −1 on the second.
    pub weights: [f64; 4],
    /// From the second side to the first.
    pub normal: Vec3,
    /// Distance that the sides keep \[m\].
    pub target: f64,
    /// Weight of its law \[N/m\].
    pub stiffness: f64,
    /// The force along the normal that it goes on from \[N\].
    pub pressed: f64,
    /// The force of friction that it goes on from, against that on the first side \[N\].
    pub sliding_force: Vec3,
}

impl LayersReport {
    /// From the words of the status.
    pub(crate) fn of(words: &[u32]) -> Self {
        Self {
            pairs: words[status::MOST_PAIRS],
            cut: words[status::CUT],
            cut_in_all: words[status::ALL_CUT],
            crowded: words[status::ALL_CROWDED],
            last_resorts: words[status::ALL_PLANES],
            lost: words[status::LOST],
            contacts: words[status::CONTACTS],
            most_contacts: words[status::MOST_CONTACTS],
            dropped: words[status::DROPPED],
        }
    }
}

impl GpuLayers {
    /// A world that is at these positions, without intersections; `inertia` is 1/τ² of its time step \[1/s²\], which the stiffness of contacts goes with.
    ///
    /// # Panics
    /// If there is not a position for each vertex of the model.
    pub fn new(
        device: &Device,
        model: &Model,
        settings: &SelfCollision,
        inertia: f64,
        positions: &[Vec3],
    ) -> Result<Self, GpuError> {
        assert_eq!(positions.len(), model.rest().len(), "one for each vertex");
        let order: Vec<u32> = (0..model.free().len() as u32).collect();
        let places = Places::new(model, &order);
        let vertices = places.vertices.clone();
        let anchors: Vec<Vec3> = vertices.iter().map(|&v| rounded(positions[v as usize])).collect();
        let rows: Vec<[f32; 4]> = anchors.iter().map(|anchor| row(*anchor)).collect();
        let rest = offsets_of(&vertices, &anchors, positions);
        let held = device.array("anchors", &rows)?;
        let offsets = device.array("offsets", &rest)?;
        let layers = Layers::new(device, model, &places, settings, inertia, [&held, &offsets])?;
        let truncate = layers.truncate()?;
        let contacts = device.program(layers.contacts()?)?;
        let forces = device.zeros("forces on vertices", vertices.len())?;
        let steps = device.zeros("steps of vertices", vertices.len())?;
        let respond = device.program(vec![layers.respond()?, layers.add_forces(&forces)?])?;
        let settle = device.program(vec![layers.settle(&steps)?])?;
        let begin = device.program([layers.begin()?, layers.sort()?].concat())?;
        device.run(&[&begin])?;
        Ok(Self {
            device: device.clone(),
            layers,
            begin,
            truncate,
            contacts,
            respond,
            settle,
            forces,
            steps,
            vertices,
            anchors,
            offsets,
        })
    }

    /// Where vertices come to on their way to some positions, from where they came to last.
    ///
    /// # Panics
    /// If there is not a position for each vertex of the model.
    pub fn truncate(&mut self, wanted: &[Vec3]) -> Result<Vec<Vec3>, GpuError> {
        self.place(wanted)?;
        self.truncate.run(&self.device)?;
        self.reached()
    }

    /// The same, and how long it took.
    ///
    /// # Panics
    /// If there is not a position for each vertex of the model.
    pub fn timed_truncate(&mut self, wanted: &[Vec3]) -> Result<(Vec<Vec3>, Timing), GpuError> {
        self.place(wanted)?;
        let timing = self.truncate.time(&self.device)?;
        Ok((self.reached()?, timing))
    }

    fn reached(&self) -> Result<Vec<Vec3>, GpuError> {
        let offsets = self.device.read(&self.offsets, self.vertices.len())?;
        let mut reached = vec![Vec3::ZERO; self.vertices.len()];
        for ((&v, anchor), offset) in self.vertices.iter().zip(&self.anchors).zip(offsets) {
            reached[v as usize] = *anchor + vector(&offset);
        }
        Ok(reached)
    }

    /// The contacts where vertices came to last, if they want to go to some positions. Those that there were before keep their multipliers.
    ///
    /// # Panics
    /// If there is not a position for each vertex of the model.
    pub fn contacts(&mut self, wanted: &[Vec3]) -> Result<Vec<LayerContact>, GpuError> {
        self.place(wanted)?;
        self.device.run(&[&self.contacts])?;
        self.layers.read_contacts(&self.vertices)
    }

    /// The forces of these contacts on all vertices \[N\] at some positions, 0 for those that are held, and their energy \[J\].
    ///
    /// # Panics
    /// If there is not a position for each vertex of the model.
    pub fn respond(&mut self, positions: &[Vec3]) -> Result<(Vec<Vec3>, f64), GpuError> {
        self.place(positions)?;
        let count = self.vertices.len();
        self.device.write(&self.forces, 0, &vec![[0.0; 4]; count])?;
        self.device.run(&[&self.respond])?;
        let found = self.device.read(&self.forces, count)?;
        let mut forces = vec![Vec3::ZERO; count];
        self.vertices.iter().zip(&found).for_each(|(&v, force)| forces[v as usize] = vector(force));
        Ok((forces, 0.5 * found.iter().map(|force| f64::from(force[3])).sum::<f64>()))
    }

    /// Takes the forces that contacts come to as multipliers if vertices go on by a step \[m\] from where forces were asked for.
    ///
    /// # Panics
    /// If there is not a step for each vertex of the model.
    pub fn settle(&mut self, steps: &[Vec3]) -> Result<(), GpuError> {
        assert_eq!(steps.len(), self.vertices.len(), "one for each vertex");
        let rows: Vec<[f32; 4]> = self.vertices.iter().map(|&v| row(steps[v as usize])).collect();
        self.device.write(&self.steps, 0, &rows)?;
        self.device.run(&[&self.settle])
    }

    /// Forgets the multipliers.
    pub fn forget(&mut self) -> Result<(), GpuError> {
        self.device.run(&[&self.device.program(vec![self.layers.forget()?])?])
    }

    /// Takes positions without intersections as those that vertices came to last, and as those that a step begins with.
    ///
    /// # Panics
    /// If there is not a position for each vertex of the model.
    pub fn begin(&mut self, positions: &[Vec3]) -> Result<(), GpuError> {
        self.place(positions)?;
        self.device.run(&[&self.begin])
    }

    fn place(&self, positions: &[Vec3]) -> Result<(), GpuError> {
        assert_eq!(positions.len(), self.vertices.len(), "one for each vertex");
        self.device.write(&self.offsets, 0, &offsets_of(&self.vertices, &self.anchors, positions))
    }

    /// The kernels that begin a step and sort, for measuring them.
    pub fn begin_program(&self) -> &Program {
        &self.begin
    }

    /// The kernels that list contacts, for measuring them.
    pub fn contact_program(&self) -> &Program {
        &self.contacts
    }

    /// The kernels of a truncation, for measuring them: of its first pass, and of those after it.
    pub fn truncation_programs(&self) -> [&Program; 2] {
        self.truncate.programs()
    }

    /// How it went so far.
    pub fn report(&self) -> Result<LayersReport, GpuError> {
        Ok(LayersReport::of(&self.layers.request_status()?.wait()?))
    }
}

/// What f32 holds of a position.
fn rounded(x: Vec3) -> Vec3 {
    Vec3::from_array(x.to_array().map(|c| f64::from(c as f32)))
}

fn row(v: Vec3) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, 0.0]
}

fn vector(row: &[f32; 4]) -> Vec3 {
    Vec3::new(row[0].into(), row[1].into(), row[2].into())
}

fn offsets_of(vertices: &[u32], anchors: &[Vec3], positions: &[Vec3]) -> Vec<[f32; 4]> {
    vertices.iter().zip(anchors).map(|(&v, anchor)| row(positions[v as usize] - *anchor)).collect()
}
