//! Layers that do not pass through each other, on a device: the engine's truncation and its contacts between layers (`step/self_collision`, `contact/layers.rs`).
//!
//! | file | does |
//! |---|---|
//! | `surfaces` | what can touch |
//! | `tree` | the shape of the trees of boxes |
//! | `sorting` | sorts the leaves of the trees by where they are |
//! | `truncation` | shortens movements so that nothing passes through anything |
//! | `contacts` | forces that keep them apart by a thickness |
//! | `alone` | a world of layers without a solver, for tests and for solvers from elsewhere |
//!
//! All positions are places of [`Places`]: an anchor plus an offset. The last positions without intersections are offsets from the same anchors; when anchors
//! move, `begin` takes them anew.

mod alone;
mod contacts;
mod kernels;
mod sorting;
mod surfaces;
mod tree;
mod truncation;

pub use alone::{GpuLayers, LayerContact, LayersReport};

use pliant::math::Vec3;
use pliant::{Model, SelfCollision};

use crate::device::{Device, Dispatch, Pending, Program, Storage, Timing};
use crate::error::GpuError;
use crate::local::Places;
use contacts::{ContactBuffers, NEAR_ROOM, Touching};
use kernels::Kernels;
use sorting::SortBuffers;
use surfaces::Surfaces;
pub(crate) use truncation::status;
use truncation::{PARTS, ROOM, Truncation};

/// A vector and a fourth number.
type Quad = [f32; 4];

/// What layers have on a device. The kernels say what is in which.
#[derive(Debug)]
struct Buffers {
    elements: Storage<[u32; 4]>,
    order: Storage<u32>,
    nodes: Storage<Quad>,
    points: Storage<Quad>,
    safe: Storage<Quad>,
    wanted: Storage<Quad>,
    shares: Storage<[u32; 4]>,
    rooms: Storage<u32>,
    parts: Storage<Quad>,
    frame: Storage<Quad>,
    status: Storage<u32>,
}

impl Buffers {
    fn new(device: &Device, surfaces: &Surfaces) -> Result<Self, GpuError> {
        let (places, seekers) = (surfaces.places, surfaces.seekers());
        let nodes: usize = surfaces.shapes.iter().map(|shape| shape.nodes).sum();
        let order: Vec<u32> = (0..surfaces.triangles() as u32).chain(0..surfaces.edges() as u32).collect();
        Ok(Self {
            elements: device.array("surfaces", &surfaces.elements)?,
            order: device.array("order of leaves", &order)?,
            nodes: device.zeros("trees of boxes", 2 * nodes)?,
            points: device.zeros("ways of vertices", 2 * places)?,
            safe: device.zeros("safe positions", places)?,
            wanted: device.zeros("wanted positions", places)?,
            shares: device.zeros("shares of movements", places)?,
            rooms: device.zeros("pairs of seekers", (1 + ROOM.max(NEAR_ROOM)) * seekers)?,
            parts: device.zeros("parts of the middle", 2 * PARTS)?,
            frame: device.zeros("middle of all", 2)?,
            status: device.zeros("status of layers", status::LEN)?,
        })
    }
}

/// Cuts movements; see [`Layers::truncate`].
#[derive(Debug)]
pub(crate) struct Truncate {
    /// A first pass, after which nearly all are done, and what is left to do otherwise.
    first: Program,
    rest: Program,
    status: Storage<u32>,
}

impl Truncate {
    /// Waits, and returns how many vertices were cut.
    pub(crate) fn run(&self, device: &Device) -> Result<u32, GpuError> {
        self.each(device, |program| device.run(&[program]))
    }

    /// The same, and how long it took.
    fn time(&self, device: &Device) -> Result<Timing, GpuError> {
        let mut sum = Timing { device: Some(0.0), wall: 0.0 };
        self.each(device, |program| {
            let own = device.time(&[program])?;
            let device = sum.device.zip(own.device).map(|(a, b)| a + b);
            sum = Timing { device, wall: sum.wall + own.wall };
            Ok(())
        })?;
        Ok(sum)
    }

    fn each(&self, device: &Device, mut run: impl FnMut(&Program) -> Result<(), GpuError>) -> Result<u32, GpuError> {
        run(&self.first)?;
        let mut words = device.read(&self.status, status::LEN)?;
        if words[status::OPEN + status::LOOKED as usize] > 0 {
            run(&self.rest)?;
            words = device.read(&self.status, status::LEN)?;
        }
        Ok(words[status::CUT])
    }

    /// All of it, one after the other.
    pub(crate) fn programs(&self) -> [&Program; 2] {
        [&self.first, &self.rest]
    }
}

/// Layers of a world on a device.
#[derive(Debug)]
pub(crate) struct Layers {
    device: Device,
    /// What all kernels begin with.
    head: String,
    surfaces: Surfaces,
    buffers: Buffers,
    contacts: ContactBuffers,
    sort: SortBuffers,
    anchors: Storage<Quad>,
    offsets: Storage<Quad>,
}

impl Layers {
    /// For a world whose positions are at anchors and offsets from them; `inertia` is 1/τ² \[1/s²\].
    pub(crate) fn new(
        device: &Device,
        model: &Model,
        places: &Places,
        settings: &SelfCollision,
        inertia: f64,
        [anchors, offsets]: [&Storage<Quad>; 2],
    ) -> Result<Self, GpuError> {
        let surfaces = Surfaces::new(model, places)?;
        let numbers = contacts::constants(&surfaces, places, settings, inertia);
        Ok(Self {
            device: device.clone(),
            head: numbers + &sorting::constants(&surfaces) + &truncation::head(&surfaces, settings),
            buffers: Buffers::new(device, &surfaces)?,
            contacts: ContactBuffers::new(device, model, places, &surfaces)?,
            sort: SortBuffers::new(device, &surfaces)?,
            surfaces,
            anchors: anchors.clone(),
            offsets: offsets.clone(),
        })
    }

    /// Takes where vertices are as positions without intersections, and as those that a step begins with.
    pub(crate) fn begin(&self) -> Result<Vec<Dispatch>, GpuError> {
        self.with(|touching| Ok(vec![touching.truncation.begin()?]))
    }

    /// Sorts the leaves of the trees by where vertices are, for all that comes after: once a step is enough. What is found does not depend on it, only how long it takes.
    pub(crate) fn sort(&self) -> Result<Vec<Dispatch>, GpuError> {
        self.with(|touching| sorting::all(touching.truncation, &self.sort))
    }

    /// Cuts the movement from the last positions without intersections to where vertices are, which then are such positions.
    pub(crate) fn truncate(&self) -> Result<Truncate, GpuError> {
        let [first, rest] = self.with(|touching| touching.truncation.all())?;
        let (first, rest) = (self.device.program(first)?, self.device.program(rest)?);
        Ok(Truncate { first, rest, status: self.buffers.status.clone() })
    }

    /// Lists the contacts at the last positions without intersections, of vertices that want to be where they are.
    pub(crate) fn contacts(&self) -> Result<Vec<Dispatch>, GpuError> {
        self.with(|touching| touching.list(&self.offsets))
    }

    /// The same of vertices that want to be where the last truncation kept them from.
    pub(crate) fn contacts_again(&self) -> Result<Vec<Dispatch>, GpuError> {
        self.with(|touching| touching.list(&self.buffers.wanted))
    }

    /// Moves vertices to where contacts stop them before elastic forces are known, and a guess of their movement back.
    pub(crate) fn relax(&self, guess: &Storage<Quad>) -> Result<Vec<Dispatch>, GpuError> {
        self.with(|touching| touching.relax(guess))
    }

    /// Forgets what presses.
    pub(crate) fn forget(&self) -> Result<Dispatch, GpuError> {
        self.with(|touching| touching.forget())
    }

    /// Forces, energies and stiffness of all contacts where vertices are; see `couplings.wgsl`.
    pub(crate) fn respond(&self) -> Result<Dispatch, GpuError> {
        self.respond_at(&self.offsets)
    }

    /// The same with vertices elsewhere: offsets of all places.
    pub(crate) fn respond_at(&self, offsets: &Storage<Quad>) -> Result<Dispatch, GpuError> {
        self.with(|touching| touching.respond(offsets))
    }

    /// Adds the forces and energies of contacts to those on free vertices.
    pub(crate) fn add_forces(&self, forces: &Storage<Quad>) -> Result<Dispatch, GpuError> {
        self.with(|touching| touching.add_forces(forces))
    }

    /// Takes the forces that a linear solve came to as multipliers, given its step from where forces were asked for.
    pub(crate) fn settle(&self, step: &Storage<Quad>) -> Result<Dispatch, GpuError> {
        self.with(|touching| touching.settle(step))
    }

    /// What a linear solver needs to know about contacts; see `couplings.wgsl`.
    pub(crate) fn couplings(&self) -> &Storage<Quad> {
        &self.contacts.couplings
    }

    /// Where entries of vertices and contacts begin among the couplings.
    pub(crate) fn coupling_places(&self) -> [u32; 2] {
        let first = self.surfaces.places;
        [first as u32, (first + 4 * self.contacts.most) as u32]
    }

    /// Words that say how it went.
    pub(crate) fn status(&self) -> &Storage<u32> {
        &self.buffers.status
    }

    /// Asks for these words; see [`LayersReport::of`].
    pub(crate) fn request_status(&self) -> Result<Pending<u32>, GpuError> {
        self.device.request(&self.buffers.status, status::LEN)
    }

    /// How surfaces were kept apart so far.
    pub(crate) fn report(&self) -> Result<LayersReport, GpuError> {
        Ok(LayersReport::of(&self.request_status()?.wait()?))
    }

    /// Reads back the contacts, given the vertex at each place.
    fn read_contacts(&self, vertices: &[u32]) -> Result<Vec<LayerContact>, GpuError> {
        let seekers = self.surfaces.seekers();
        let count = self.device.read(&self.contacts.firsts, seekers + 1)?[seekers] as usize;
        let rows = self.device.read(&self.contacts.contacts, contacts::RECORD * count)?;
        let vector = |row: &Quad| Vec3::new(row[0].into(), row[1].into(), row[2].into());
        let contact = |rows: &[Quad]| LayerContact {
            vertices: rows[3].map(|place| vertices[(place.to_bits() & 0x3fff_ffff) as usize]),
            weights: rows[2].map(f64::from),
            normal: vector(&rows[0]),
            target: rows[5][2].into(),
            stiffness: rows[1][3].into(),
            pressed: rows[4][3].into(),
            sliding_force: vector(&rows[4]),
        };
        Ok(rows.chunks_exact(contacts::RECORD).map(contact).collect())
    }

    fn with<T>(&self, make: impl FnOnce(&Touching<'_>) -> Result<T, GpuError>) -> Result<T, GpuError> {
        let kernels = Kernels::new(&self.device, self.head.clone());
        let Self { surfaces, buffers, anchors, offsets, .. } = self;
        let before = &self.contacts.before;
        let truncation = Truncation { kernels: &kernels, surfaces, buffers, anchors, offsets, before };
        make(&Touching { truncation: &truncation, buffers: &self.contacts })
    }
}
