//! The kernels of contacts between layers: forces that keep them apart by a thickness, with friction, as in the engine's `contact/layers.rs` and `contact/law.rs`.
//!
//! | file | does |
//! |---|---|
//! | `near` | finds pairs that may touch, and face each other |
//! | `sum` | where lists begin |
//! | `contact`, `make` | contacts in memory, from pairs |
//! | `resume` | goes on with the multipliers that pairs had |
//! | `incidence` | the contacts of each vertex |
//! | `relax` | stops vertices before a solve |
//! | `couplings` | forces, energies, and what a linear solver needs |

use pliant::{Model, SelfCollision};

use super::kernels::Use;
use super::surfaces::{SEEKING, Surfaces, literal};
use super::truncation::{ASKED, SEEK, TREE, Truncation, status};
use super::{Buffers, Quad};
use crate::device::{Device, Dispatch, Storage};
use crate::error::GpuError;
use crate::local::Places;
use Use::{R, W};

/// Contacts that a vertex or an edge may own.
pub(super) const NEAR_ROOM: usize = 16;
/// Contacts in all, over the number of vertices of surfaces; at least `LEAST`.
const EACH: usize = 10;
const LEAST: usize = 4096;
/// Vectors of a contact; see `contact.wgsl`.
pub(super) const RECORD: usize = 6;
/// Numbers that a workgroup of `sum.wgsl` adds up.
const CHUNK: usize = 2048;
/// Threads of a workgroup over contacts.
const THREADS: usize = 128;
/// As on the CPU: contacts within this many times the thickness are kept ready; the shares of it by which layers that are too near move apart in a step, and that
/// parts of a body keep at least.
const READY: f64 = 1.5;
const RECOVERY: f64 = 0.25;
const LEAST_TARGET: f64 = 0.1;
/// Sweeps over contacts with which a stage begins. The engine makes two, but each of its contacts knows of those before it.
const SWEEPS: usize = 4;

/// What contacts have on a device.
#[derive(Debug)]
pub(super) struct ContactBuffers {
    /// Most contacts.
    pub(super) most: usize,
    rest: Storage<Quad>,
    across: Storage<[u32; 4]>,
    pub(super) before: Storage<Quad>,
    chunks: Storage<u32>,
    pub(super) firsts: Storage<u32>,
    old_firsts: Storage<u32>,
    old: Storage<Quad>,
    pub(super) contacts: Storage<Quad>,
    degrees: Storage<u32>,
    begins: Storage<u32>,
    lists: Storage<u32>,
    pub(super) couplings: Storage<Quad>,
    pub(super) responses: Storage<Quad>,
    asking: Storage<u32>,
}

/// Most contacts of a world.
fn most(surfaces: &Surfaces) -> usize {
    (EACH * surfaces.vertices).max(LEAST)
}

impl ContactBuffers {
    pub(super) fn new(device: &Device, model: &Model, places: &Places, surfaces: &Surfaces) -> Result<Self, GpuError> {
        let (most, seekers, count) = (most(surfaces), surfaces.seekers(), surfaces.places);
        let (positions, masses) = (model.rest(), model.mass().lumped());
        let mut rest = vec![[0.0; 4]; count];
        for body in model.bodies() {
            // Numbers are finest near the middle of the body.
            let own = &positions[body.vertices.clone()];
            let middle = own.iter().sum::<pliant::math::Vec3>() / own.len().max(1) as f64;
            for v in body.vertices.clone() {
                let place = places.of(v as u32) as usize;
                let p = positions[v] - middle;
                let inverse = if place < places.free { 1.0 / masses[v] } else { 0.0 };
                rest[place] = [p.x, p.y, p.z, inverse].map(|value| value as f32);
            }
        }
        Ok(Self {
            most,
            rest: device.array("rest positions", &rest)?,
            across: device.array("neighbours of triangles", &surfaces.across)?,
            before: device.zeros("positions before the step", count)?,
            chunks: device.zeros("chunks of contacts", seekers.max(count).div_ceil(CHUNK) + 1)?,
            firsts: device.zeros("first contacts", seekers + 2)?,
            old_firsts: device.zeros("first contacts before", seekers + 2)?,
            old: device.zeros("multipliers before", 2 * most)?,
            contacts: device.zeros("contacts of layers", RECORD * most)?,
            degrees: device.zeros("contacts of vertices", count)?,
            begins: device.zeros("first contacts of vertices", count + 2)?,
            lists: device.zeros("lists of contacts", 4 * most)?,
            couplings: device.zeros("couplings by contacts", count + 8 * most)?,
            responses: device.zeros("forces of contacts", most)?,
            asking: device.zeros("contacts that ask", count)?,
        })
    }
}

/// The numbers that kernels of contacts begin with; `inertia` is 1/τ² \[1/s²\].
pub(super) fn constants(surfaces: &Surfaces, places: &Places, settings: &SelfCollision, inertia: f64) -> String {
    let (most, thickness) = (most(surfaces), settings.thickness);
    let whole = [
        ("FREE", places.free),
        ("NEAR_ROOM", NEAR_ROOM),
        ("FIRST_ENTRY", surfaces.places),
        ("FIRST_COUPLING", surfaces.places + 4 * most),
        ("PRESSING", status::PRESSING),
    ];
    let numbers = [
        ("THICKNESS", thickness),
        ("READY", READY * thickness),
        ("RECOVERY", RECOVERY * thickness),
        ("LEAST_TARGET", LEAST_TARGET * thickness),
        ("STIFFNESS", settings.stiffness * inertia),
        ("FRICTION", settings.friction),
        ("GIVES", 1.0 / inertia),
    ];
    let whole = whole.map(|(name, value)| format!("const {name} = {value}u;\n"));
    let numbers = numbers.map(|(name, value)| format!("const {name} = {};\n", literal(value)));
    [whole.concat(), numbers.concat()].concat()
}

/// Kernels of contacts.
pub(super) struct Touching<'a> {
    pub(super) truncation: &'a Truncation<'a>,
    pub(super) buffers: &'a ContactBuffers,
}

const CONTACT: &str = include_str!("contact.wgsl");

impl Touching<'_> {
    /// Lists contacts at the safe positions, of vertices that want to go somewhere.
    pub(super) fn list(&self, aims: &Storage<Quad>) -> Result<Vec<Dispatch>, GpuError> {
        let Truncation { surfaces, buffers, anchors, .. } = *self.truncation;
        let Buffers { elements, nodes, points, status, safe, rooms, .. } = buffers;
        let ContactBuffers { most, rest, across, before, firsts, contacts, degrees, begins, lists, couplings, .. } =
            self.buffers;
        let (seekers, places) = (surfaces.seekers(), surfaces.places);
        let mut all = vec![self.resume("remember", seekers.max(*most).max(places) + 1, THREADS)?];
        all.extend(self.truncation.frame(aims)?);
        all.extend(self.truncation.search(0, true, aims)?);
        let uses = [R(elements), R(nodes), R(points), W(status), W(rooms), R(anchors), R(safe), R(across)];
        let near = [ASKED, TREE, SEEK, include_str!("near.wgsl")];
        all.push(self.one((&near, "list_near"), &uses, seekers, SEEKING)?);
        all.extend(self.sum(rooms, firsts, [seekers, *most])?);
        let uses = [R(elements), R(rooms), R(firsts), R(anchors), R(safe), R(before), R(rest), W(contacts)];
        all.push(self.one((&[TREE, CONTACT, include_str!("make.wgsl")], "make_contacts"), &uses, seekers, SEEKING)?);
        all.push(self.resume("resume", seekers, SEEKING)?);
        all.extend(self.sum(degrees, begins, [places, 4 * most])?);
        let uses = [R(contacts), R(firsts), W(degrees), R(begins), W(lists), W(couplings)];
        let files = [TREE, CONTACT, include_str!("incidence.wgsl")];
        all.push(self.one((&files, "fill"), &uses, *most, THREADS)?);
        all.push(self.one((&files, "arrange"), &uses, places, SEEKING)?);
        Ok(all)
    }

    /// Forgets what presses.
    pub(super) fn forget(&self) -> Result<Dispatch, GpuError> {
        self.resume("forget", self.buffers.most, THREADS)
    }

    /// Forces and stiffness of all contacts with vertices at these offsets.
    pub(super) fn respond(&self, offsets: &Storage<Quad>) -> Result<Dispatch, GpuError> {
        self.couple("respond", offsets, self.buffers.most, THREADS)
    }

    /// Moves vertices to where contacts stop them, and a guess of their movement back.
    pub(super) fn relax(&self, guess: &Storage<Quad>) -> Result<Vec<Dispatch>, GpuError> {
        let ContactBuffers { most, firsts, contacts, couplings, responses, rest, asking, .. } = self.buffers;
        let offsets = self.truncation.offsets;
        let uses = [R(firsts), W(contacts), R(couplings), W(responses), W(offsets), R(rest), W(asking), W(guess)];
        let files = [TREE, CONTACT, include_str!("relax.wgsl")];
        let places = self.truncation.surfaces.places;
        let mut sweep = Vec::new();
        for (entry, count, threads) in [
            ("ask", *most, THREADS),
            ("count_asking", places, SEEKING),
            ("take_share", *most, THREADS),
            ("move_apart", places, SEEKING),
        ] {
            sweep.push(self.one((&files, entry), &uses, count, threads)?);
        }
        Ok((0..SWEEPS).flat_map(|_| sweep.clone()).collect())
    }

    /// Adds the forces to those on vertices.
    pub(super) fn add_forces(&self, forces: &Storage<Quad>) -> Result<Dispatch, GpuError> {
        self.couple("add_forces", forces, self.truncation.surfaces.places, SEEKING)
    }

    /// Takes the forces that a linear solve came to.
    pub(super) fn settle(&self, step: &Storage<Quad>) -> Result<Dispatch, GpuError> {
        self.couple("settle", step, self.buffers.most, THREADS)
    }

    fn couple(&self, entry: &str, vectors: &Storage<Quad>, count: usize, threads: usize) -> Result<Dispatch, GpuError> {
        let ContactBuffers { firsts, contacts, couplings, responses, .. } = self.buffers;
        let status = &self.truncation.buffers.status;
        let uses = [R(firsts), W(contacts), W(couplings), W(responses), W(vectors), W(status)];
        self.one((&[TREE, CONTACT, include_str!("couplings.wgsl")], entry), &uses, count, threads)
    }

    fn resume(&self, entry: &str, count: usize, threads: usize) -> Result<Dispatch, GpuError> {
        let ContactBuffers { firsts, old_firsts, old, contacts, degrees, .. } = self.buffers;
        let uses = [W(contacts), R(firsts), W(old_firsts), W(old), W(degrees), W(&self.truncation.buffers.status)];
        self.one((&[TREE, CONTACT, include_str!("resume.wgsl")], entry), &uses, count, threads)
    }

    fn sum(
        &self,
        counts: &Storage<u32>,
        firsts: &Storage<u32>,
        [count, limit]: [usize; 2],
    ) -> Result<[Dispatch; 2], GpuError> {
        let uses = [R(counts), W(&self.buffers.chunks), W(firsts)];
        let parameters = [count as u32, limit as u32, 0, 0];
        let workgroups = (count + 1).div_ceil(CHUNK);
        let files = [include_str!("sum.wgsl")];
        let kernels = self.truncation.kernels;
        Ok([
            kernels.one((&files, "sum_chunks"), &uses, parameters, workgroups)?,
            kernels.one((&files, "number_lists"), &uses, parameters, workgroups)?,
        ])
    }

    fn one(
        &self,
        kernel: (&[&str], &str),
        uses: &[Use<'_>],
        count: usize,
        threads: usize,
    ) -> Result<Dispatch, GpuError> {
        self.truncation.kernels.one(kernel, uses, [0; 4], count.div_ceil(threads))
    }
}
