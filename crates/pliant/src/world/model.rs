//! What does not change during a step: bodies as flat arrays of particles, masses, energies and pins.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::constraint::ConstraintBatch;
use crate::energy::{Batch, Memory};
use crate::math::Vec3;
use crate::matter::{Matter, MatterEntry, Portion};
use crate::proximity::Part;
use crate::sparse::SymmetricPattern;
use crate::world::error::ModelError;
use crate::world::fingerprint::Fingerprint;
use crate::world::group::Group;
use crate::world::islands::{Class, Island, Nature, Stamp};
use crate::world::lists::Known;
use crate::world::mass::Mass;
use crate::world::topology::{Cells, Fabric};

/// A body within the world.
#[derive(Debug, Clone)]
pub struct BodyInfo {
    /// Its name.
    pub name: String,
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Its surface, in vertices of the world; wind and pressure act on it.
    pub surface: Vec<[u32; 3]>,
    /// Segments of its strands, in vertices of the world.
    pub segments: Vec<[u32; 2]>,
    /// Width of its strands that the wind acts on \[m\]; 0 if the wind does not act on them.
    pub strand_width: f64,
    /// Overpressure inside its surface \[Pa\].
    pub pressure: f64,
    /// Whether it is kept from passing through itself in a world with self-collision.
    pub collides_with_itself: bool,
    /// Whether fluid flows through it.
    pub permeable: bool,
    /// Copies of pinned vertices, in vertices of the world, each with its original: they always stay at the same place,
    /// so that nothing can keep them apart.
    pub welded: Vec<[u32; 2]>,
    pub(crate) stamp: Stamp,
}

impl<'a> From<&'a BodyInfo> for Part<'a> {
    fn from(body: &'a BodyInfo) -> Self {
        let BodyInfo { vertices, surface, segments, collides_with_itself, welded, .. } = body;
        let (vertices, collides_with_itself) = (vertices.clone(), *collides_with_itself);
        Self { vertices, surface, segments, collides_with_itself, welded, has_particles: false }
    }
}

/// A batch of energies within the world.
#[derive(Debug, Clone)]
pub struct EnergyEntry {
    /// The energy.
    pub batch: Arc<dyn Batch>,
    /// Its body; none for attachments between bodies.
    pub body: Option<usize>,
    /// For stiffness-proportional damping, the time constant β \[s\]; none for elastic energies.
    pub damping: Option<f64>,
    pub(crate) nature: Nature,
}

/// The world as flat, immutable arrays; or a group of its bodies, which one solver moves. A group has all vertices and bodies of the world, under the same
/// numbers, but only the energies, constraints, matter and unknowns of its own bodies.
#[derive(Debug)]
pub struct Model {
    pub(super) common: Arc<Common>,
    pub(super) energies: Vec<EnergyEntry>,
    pub(super) constraints: Vec<Arc<dyn ConstraintBatch>>,
    /// By body.
    pub(super) matter: Vec<MatterEntry>,
    /// Place of each vertex among the unknowns; `FIXED` for those that are none.
    pub(super) free_index: Vec<u32>,
    /// Number of vertices, also while lists are lent.
    pub(super) vertex_count: usize,
    pub(super) free: Vec<u32>,
    pub(super) group: Option<Group>,
    /// First corner of each batch among all corners, and the end.
    pub(super) corner_starts: Vec<usize>,
    rigid: Vec<RigidSetInfo>,
    /// For each free vertex the corners that touch it, in ascending order: starts and corners. Worked out when they are first asked for, as is the
    /// pattern: where there are several islands, solvers mostly ask these.
    gathered: OnceLock<(Vec<u32>, Vec<u32>)>,
    pattern: OnceLock<Arc<SymmetricPattern>>,
    pub(super) islands: OnceLock<Vec<Island>>,
    /// Worked out when it is first asked for.
    fingerprint: OnceLock<u64>,
}

/// What a world and its groups share.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) bodies: Vec<BodyInfo>,
    pub(super) rest: Vec<Vec3>,
    pub(super) mass: Mass,
    pub(super) fabrics: Vec<Arc<Fabric>>,
    pub(super) pinned: Vec<u32>,
    pub(super) diagonal: f64,
    /// Lowest and highest coordinates at rest \[m\].
    pub(super) bounds: [Vec3; 2],
    /// Whether a vertex carries mass inside a rigid body, where nothing touches it; empty without rigid sets.
    pub(super) inside: Vec<bool>,
    /// Mass by which contacts at a vertex are weighed: its own, or a share of the rigid set it belongs to \[kg\]; empty without rigid sets.
    pub(super) contact_masses: Vec<f64>,
}

/// Vertices that move as one.
#[derive(Debug)]
pub(crate) struct RigidSetInfo {
    /// Its batch among the energies.
    pub(crate) batch: usize,
    /// Its vertices, the hub first.
    pub(crate) vertices: Vec<u32>,
    /// Mass of all \[kg\].
    pub(crate) mass: f64,
}

const FIXED: u32 = u32::MAX;
/// Share of a rigid body by which contacts at one of its vertices are weighed. Many vertices touch at once and all act on the same six
/// freedoms: with weights for the whole body each, the set of those that press was seen to change back and forth without end,
/// from about six times this share on; with a third of it contacts take more iterations to settle.
const CONTACT_SHARE: f64 = 0.05;

/// What the builder hands over.
#[derive(Default)]
pub(crate) struct ModelParts {
    pub(crate) bodies: Vec<BodyInfo>,
    pub(crate) rest: Vec<Vec3>,
    pub(crate) mass: Mass,
    /// Without damping.
    pub(crate) energies: Vec<EnergyEntry>,
    pub(crate) constraints: Vec<Arc<dyn ConstraintBatch>>,
    pub(crate) matter: Vec<MatterEntry>,
    pub(crate) pinned: Vec<bool>,
    pub(crate) fabrics: Vec<Arc<Fabric>>,
    /// What is known of the first vertices.
    pub(crate) known: Known,
    /// Length scale \[m\].
    pub(crate) diagonal: f64,
    /// Time constant of stiffness-proportional damping \[s\].
    pub(crate) stiffness_damping: f64,
}

impl Model {
    pub(crate) fn new(parts: ModelParts) -> Result<Self, ModelError> {
        let bounds = parts.bounds();
        let ModelParts {
            bodies,
            rest,
            mass,
            mut energies,
            constraints,
            matter,
            pinned,
            fabrics,
            known,
            diagonal,
            stiffness_damping,
        } = parts;
        if rest.is_empty() {
            return Err(ModelError::Empty);
        }
        if stiffness_damping > 0.0 {
            let damped: Vec<EnergyEntry> =
                energies.iter().filter_map(|entry| entry.damped(stiffness_damping)).collect();
            energies.extend(damped);
        }
        let (is_pinned, count) = (pinned, rest.len());
        let Known { mut free, mut free_index, mut pinned, .. } = known;
        free_index.reserve(count - free_index.len());
        for (v, is_pinned) in (0u32..).zip(is_pinned).skip(free_index.len()) {
            free_index.push(if is_pinned { FIXED } else { free.len() as u32 });
            if is_pinned { &mut pinned } else { &mut free }.push(v);
        }
        let rigid = rigid_sets(&energies, &mass);
        let mut contact_masses = if rigid.is_empty() { Vec::new() } else { mass.lumped().to_vec() };
        for set in &rigid {
            for &v in &set.vertices {
                let mass = &mut contact_masses[v as usize];
                *mass = mass.max(CONTACT_SHARE * set.mass);
            }
        }
        let inside = inside_of(&rigid, &energies, &bodies, if rigid.is_empty() { 0 } else { count });
        let common = Common { bodies, rest, mass, fabrics, pinned, diagonal, bounds, inside, contact_masses };
        Ok(Self::numbered(Arc::new(common), energies, constraints, matter, (free, free_index), None))
    }

    pub(super) fn of(
        common: Arc<Common>,
        energies: Vec<EnergyEntry>,
        constraints: Vec<Arc<dyn ConstraintBatch>>,
        matter: Vec<MatterEntry>,
        free: Vec<u32>,
        group: Option<Group>,
    ) -> Self {
        let mut free_index = vec![FIXED; common.rest.len()];
        free.iter().enumerate().for_each(|(k, &v)| free_index[v as usize] = k as u32);
        Self::numbered(common, energies, constraints, matter, (free, free_index), group)
    }

    /// The same with the places of vertices among the unknowns.
    fn numbered(
        common: Arc<Common>,
        energies: Vec<EnergyEntry>,
        constraints: Vec<Arc<dyn ConstraintBatch>>,
        matter: Vec<MatterEntry>,
        (free, free_index): (Vec<u32>, Vec<u32>),
        group: Option<Group>,
    ) -> Self {
        let mut corner_starts = vec![0];
        for entry in &energies {
            corner_starts.push(corner_starts[corner_starts.len() - 1] + entry.nature.corners);
        }
        let rigid = rigid_sets(&energies, &common.mass);
        Self {
            vertex_count: common.rest.len(),
            common,
            energies,
            constraints,
            matter,
            free_index,
            free,
            group,
            corner_starts,
            rigid,
            gathered: OnceLock::new(),
            pattern: OnceLock::new(),
            islands: OnceLock::new(),
            fingerprint: OnceLock::new(),
        }
    }

    /// A number that differs between models.
    pub(crate) fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| Fingerprint::of(self))
    }

    /// The bodies, in the order in which they were added.
    pub fn bodies(&self) -> &[BodyInfo] {
        &self.common.bodies
    }

    /// Rest positions of all vertices \[m\].
    pub fn rest(&self) -> &[Vec3] {
        &self.common.rest
    }

    /// Masses.
    pub fn mass(&self) -> &Mass {
        &self.common.mass
    }

    /// All energies, damping included.
    pub fn energies(&self) -> &[EnergyEntry] {
        &self.energies
    }

    /// Constraints, which only the position-based solver supports.
    pub fn constraints(&self) -> &[Arc<dyn ConstraintBatch>] {
        &self.constraints
    }

    /// What bodies are made of besides energies, by body. Only the position-based solver supports it.
    pub fn matter(&self) -> &[MatterEntry] {
        &self.matter
    }

    /// All matter of one type, by body.
    ///
    /// ```
    /// # use pliant::prelude::*;
    /// use pliant::Fluid;
    /// # let particles = pliant::mesh::generate::particle_block(Vec3::splat(0.2), 0.05)?;
    /// let water = FluidMaterial { spacing: 0.05, ..FluidMaterial::default() };
    /// let pool = Body::fluid(&particles, &water)?.named("pool");
    /// let sim = Simulation::builder().body(pool).build()?;
    /// let fluids: Vec<_> = sim.model().matter_of::<Fluid>().collect();
    /// assert_eq!((fluids.len(), fluids[0].matter.material()), (1, &water));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn matter_of<M: Matter>(&self) -> impl Iterator<Item = Portion<'_, M>> {
        self.matter.iter().filter_map(|entry| {
            let vertices = self.common.bodies[entry.body].vertices.clone();
            entry.downcast().map(|matter| Portion { body: entry.body, vertices, matter })
        })
    }

    /// The matter of one type in a body, by its number; none if the body does not have it.
    pub fn matter_in<M: Matter>(&self, body: usize) -> Option<&M> {
        self.matter.iter().filter(|entry| entry.body == body).find_map(MatterEntry::downcast)
    }

    /// The cells of a body, in its own vertices: triangles, tets or segments of strands; empty for loose vertices.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn cells(&self, body: usize) -> &Cells {
        &self.common.fabrics[body].cells
    }

    pub(crate) fn fabrics(&self) -> &[Arc<Fabric>] {
        &self.common.fabrics
    }

    /// Vertices that are solved for, ascending.
    pub fn free(&self) -> &[u32] {
        &self.free
    }

    /// Vertices that follow their targets exactly, ascending.
    pub fn pinned(&self) -> &[u32] {
        &self.common.pinned
    }

    /// Index of a vertex among the unknowns; none if it is pinned, or belongs to another group.
    pub fn free_index(&self, vertex: u32) -> Option<usize> {
        let index = self.free_index[vertex as usize];
        (index != FIXED).then_some(index as usize)
    }

    /// Length scale of the world: the diagonal of its rest or first positions, whichever is larger; 1 m for a single point \[m\].
    pub fn diagonal(&self) -> f64 {
        self.common.diagonal
    }

    /// Pattern of the system over free vertices. Contributions are numbered batch by batch, element by element, pairs of
    /// corners a ≤ b with both free, then off-diagonal mass entries.
    pub fn pattern(&self) -> &Arc<SymmetricPattern> {
        self.pattern.get_or_init(|| {
            let masses = self.common.mass.off_diagonal().iter();
            let masses = masses.filter_map(|&(i, j, _)| free_pair(&self.free_index, i, j));
            let places = stiffness_places(&self.energies, &self.free_index).chain(masses);
            Arc::new(SymmetricPattern::new(self.free.len(), places))
        })
    }

    /// The first body with constraints or matter that only the position-based solver supports, and their kind.
    pub fn needs_position_based(&self) -> Option<(&BodyInfo, &'static str)> {
        let constraints = self.constraints.iter().filter(|batch| !batch.is_empty());
        let constraints =
            constraints.filter_map(|batch| Some((self.locate(*batch.stencil(0).first()? as usize).0, batch.kind())));
        let matter = self.matter.iter().map(|entry| (&self.common.bodies[entry.body], entry.matter.kind()));
        constraints.chain(matter).min_by_key(|(body, _)| body.vertices.start)
    }

    /// For each body whether it has constraints or matter that only the position-based solver supports.
    pub(crate) fn bodies_needing_position_based(&self) -> Vec<bool> {
        needing_position_based(&self.common.bodies, &self.constraints, &self.matter)
    }

    /// Sets of vertices that move as one.
    pub(crate) fn rigid_sets(&self) -> &[RigidSetInfo] {
        &self.rigid
    }

    /// Whether a vertex is inside a rigid body, where nothing touches it.
    pub(crate) fn is_inside(&self, vertex: usize) -> bool {
        self.common.inside.get(vertex).is_some_and(|inside| *inside)
    }

    /// Mass by which contacts at each vertex are weighed \[kg\].
    pub(crate) fn contact_masses(&self) -> &[f64] {
        if self.common.contact_masses.is_empty() { self.common.mass.lumped() } else { &self.common.contact_masses }
    }

    /// Each vertex of rigid sets but the hubs, with the batch and the stiffness that keeps it in place \[N/m\].
    pub(crate) fn rigid_vertices(&self) -> impl Iterator<Item = (u32, usize, f64)> {
        self.rigid.iter().flat_map(|set| {
            let weights = self.energies[set.batch].batch.operator().weights();
            set.vertices[1..].iter().zip(weights).map(|(&v, &weight)| (v, set.batch, weight))
        })
    }

    /// Memory of all energies before the first step.
    pub(crate) fn initial_memory(&self) -> Vec<Memory> {
        self.energies.iter().map(|entry| Memory::of(entry.batch.as_ref())).collect()
    }

    /// Number of corners of all batches.
    pub(crate) fn corner_count(&self) -> usize {
        self.corner_starts[self.energies.len()]
    }

    /// Corners of a batch among all corners.
    pub(crate) fn batch_corners(&self, batch: usize) -> Range<usize> {
        self.corner_starts[batch]..self.corner_starts[batch + 1]
    }

    /// Corners that touch the k-th free vertex, in a fixed order.
    pub(crate) fn free_corners(&self, k: usize) -> &[u32] {
        let (starts, corners) =
            self.gathered.get_or_init(|| gather_lists(&self.energies, &self.free_index, self.free.len()));
        &corners[starts[k] as usize..starts[k + 1] as usize]
    }

    /// Number of the body that a vertex belongs to.
    pub(crate) fn body_of(&self, vertex: usize) -> usize {
        let at = self.bodies().partition_point(|body| body.vertices.end <= vertex);
        at.min(self.bodies().len() - 1)
    }

    /// The body that a vertex belongs to, and its number there.
    pub fn locate(&self, vertex: usize) -> (&BodyInfo, usize) {
        let body = &self.bodies()[self.body_of(vertex)];
        (body, vertex - body.vertices.start)
    }
}

/// For each body whether it has constraints or matter that only the position-based solver supports.
pub(super) fn needing_position_based(
    bodies: &[BodyInfo],
    constraints: &[Arc<dyn ConstraintBatch>],
    matter: &[MatterEntry],
) -> Vec<bool> {
    let mut needs = vec![false; bodies.len()];
    matter.iter().for_each(|entry| needs[entry.body] = true);
    for batch in constraints.iter().filter(|batch| !batch.is_empty()) {
        if let Some(&v) = batch.stencil(0).first() {
            needs[bodies.partition_point(|body| body.vertices.end <= v as usize)] = true;
        }
    }
    needs
}

fn rigid_sets(energies: &[EnergyEntry], mass: &Mass) -> Vec<RigidSetInfo> {
    let is_rigid = |entry: &EnergyEntry| entry.nature.class == Class::Rigid;
    let rigid = energies.iter().enumerate().filter(|(_, entry)| is_rigid(entry));
    rigid
        .map(|(batch, entry)| {
            let corners = entry.batch.operator().corner_vertices();
            let vertices: Vec<u32> = corners[..1].iter().chain(corners.iter().skip(1).step_by(2)).copied().collect();
            let mass = vertices.iter().map(|&v| mass.lumped()[v as usize]).sum();
            RigidSetInfo { batch, vertices, mass }
        })
        .collect()
}

/// Vertices of rigid sets that are on no surface, though their body has one.
fn inside_of(rigid: &[RigidSetInfo], energies: &[EnergyEntry], bodies: &[BodyInfo], count: usize) -> Vec<bool> {
    let mut inside = vec![false; count];
    for set in rigid {
        let surface = energies[set.batch].body.map_or(&[][..], |body| &bodies[body].surface);
        if !surface.is_empty() {
            set.vertices.iter().for_each(|&v| inside[v as usize] = true);
            surface.iter().flatten().for_each(|&v| inside[v as usize] = false);
        }
    }
    inside
}

fn free_pair(free_index: &[u32], i: u32, j: u32) -> Option<(u32, u32)> {
    let (a, b) = (free_index[i as usize], free_index[j as usize]);
    (a != FIXED && b != FIXED).then_some((a, b))
}

fn stiffness_places<'a>(energies: &'a [EnergyEntry], free_index: &'a [u32]) -> impl Iterator<Item = (u32, u32)> + 'a {
    energies.iter().flat_map(move |entry| {
        let operator = entry.batch.operator();
        (0..operator.len()).flat_map(move |e| {
            let stencil = operator.stencil(e);
            (0..stencil.len()).flat_map(move |a| {
                (a..stencil.len()).filter_map(move |b| free_pair(free_index, stencil[a], stencil[b]))
            })
        })
    })
}

fn gather_lists(energies: &[EnergyEntry], free_index: &[u32], free_count: usize) -> (Vec<u32>, Vec<u32>) {
    let corners = || {
        let vertices = energies.iter().flat_map(|entry| entry.batch.operator().corner_vertices());
        vertices.enumerate().filter_map(|(corner, &v)| {
            let k = free_index[v as usize];
            (k != FIXED).then_some((k as usize, corner as u32))
        })
    };
    let mut starts = vec![0u32; free_count + 1];
    corners().for_each(|(k, _)| starts[k + 1] += 1);
    (0..free_count).for_each(|k| starts[k + 1] += starts[k]);
    let mut next = starts.clone();
    let mut list = vec![0u32; starts[free_count] as usize];
    for (k, corner) in corners() {
        list[next[k] as usize] = corner;
        next[k] += 1;
    }
    (starts, list)
}
