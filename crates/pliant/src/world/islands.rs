//! Islands: bodies that hang together, and with no others. What a solver prepares for one of them stays right while others come, go and change.
//!
//! An island is a range of bodies, so that its vertices are a range too; attached bodies with others between them take those in. In the model of a group the
//! bodies of other groups have no unknowns, and islands without unknowns are left out.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::energy::{Arrays, Batch, Operator, Rewiring, Viscous};
use crate::world::model::{Common, EnergyEntry, Model};
use crate::world::topology::Fabric;

/// Tells a body from all others, and from itself before its material, pins or cells changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// One that nothing has had before.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What elements of a batch are, as far as the choice of a solver goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// The stretch of a sheet.
    Stretch,
    /// Its bending.
    Bending,
    /// Tets, and what says nothing of thin bodies: goals and damping.
    Solid,
    /// Tets with example poses.
    Posed,
    /// A rigid set.
    Rigid,
    /// Known by its projection alone.
    Opaque,
    /// Others with kernels.
    Other,
}

/// What is known of a batch, worked out once: asking for its arrays copies them, and a world of many bodies asks for the rest of all of them at each change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nature {
    pub(crate) class: Class,
    /// Sum of the entries on the diagonal of the constant matrix that a sheet's energy causes \[N/m\].
    pub(crate) stiffness: f64,
    pub(crate) elements: usize,
    pub(crate) corners: usize,
    /// Whether it can be had with other vertex numbers.
    can_move: bool,
}

impl Nature {
    pub(crate) fn of(batch: &dyn Batch) -> Self {
        let class = match batch.arrays() {
            Arrays::Opaque => Class::Opaque,
            Arrays::Rigid(_) => Class::Rigid,
            Arrays::Examples { .. } | Arrays::GlobalExamples { .. } => Class::Posed,
            Arrays::TriangleStrain(_) => Class::Stretch,
            Arrays::Quadratic | Arrays::Hinge(_) | Arrays::MeanCurvature(_) => Class::Bending,
            Arrays::TetStrain(_) | Arrays::TetVolume(_) | Arrays::TetFibres(_) | Arrays::Goals | Arrays::Viscous => {
                Class::Solid
            }
            _ => Class::Other,
        };
        let can_move = match class {
            Class::Opaque => false,
            // Their elements may hang together, so that none of them moves alone.
            Class::Rigid | Class::Posed => moved(batch, 0).is_some(),
            _ => batch.rewired(&first_element(batch)).is_some(),
        };
        let is_of_sheet = matches!(class, Class::Stretch | Class::Bending);
        let operator = batch.operator();
        let stiffness = if is_of_sheet { diagonal(operator) } else { 0.0 };
        Self { class, stiffness, elements: operator.len(), corners: operator.corner_vertices().len(), can_move }
    }

    /// Whether elements have kernels.
    pub(crate) fn has_lanes(&self) -> bool {
        !matches!(self.class, Class::Opaque | Class::Rigid)
    }
}

fn first_element(batch: &dyn Batch) -> Rewiring {
    let operator = batch.operator();
    if operator.is_empty() {
        return Rewiring::default();
    }
    Rewiring { elements: vec![(0, 1.0)], vertices: operator.stencil(0).to_vec() }
}

/// Sum of the entries on the diagonal of the constant matrix that an energy causes \[N/m\].
fn diagonal(operator: &Operator) -> f64 {
    let square = |element| operator.coefficients(element).iter().map(|a| a * a).sum::<f64>();
    (0..operator.len()).map(|element| operator.weight(element) * square(element)).sum()
}

/// A copy with other vertex numbers.
pub(crate) fn moved(batch: &dyn Batch, by: i64) -> Option<Arc<dyn Batch>> {
    let operator = batch.operator();
    let elements = (0..operator.len() as u32).map(|element| (element, 1.0)).collect();
    let vertices = operator.corner_vertices().iter().map(|&v| crate::constraint::moved(v, by)).collect();
    batch.rewired(&Rewiring { elements, vertices }).map(Arc::from)
}

/// A range of bodies that hang together.
#[derive(Debug)]
pub(crate) struct Island {
    /// Its vertices in the world.
    pub(crate) vertices: Range<usize>,
    /// Its energies in the world, ascending.
    pub(crate) energies: Vec<usize>,
    bodies: Range<usize>,
    /// What tells it from others: stamps of bodies and whether their vertices are unknowns, and what they are attached by.
    pub(crate) key: Vec<u64>,
}

/// Ranges of bodies that hang together, given the last body that each one is attached to, itself at least.
pub(crate) fn ranges(reach: &[usize]) -> Vec<Range<usize>> {
    let (mut ranges, mut first) = (Vec::new(), 0);
    while first < reach.len() {
        let (mut last, mut at) = (reach[first], first);
        while at <= last {
            last = last.max(reach[at]);
            at += 1;
        }
        ranges.push(first..last + 1);
        first = last + 1;
    }
    ranges
}

impl Model {
    /// Islands by their first body. A world with one has it whole, as has one with an energy that cannot be had with
    /// other vertex numbers.
    pub(crate) fn islands(&self) -> &[Island] {
        self.islands.get_or_init(|| self.find_islands())
    }

    /// All bodies as one island.
    pub(crate) fn whole_island(&self) -> Island {
        let bodies = 0..self.bodies().len();
        let (vertices, key) = (0..self.rest().len(), self.stamps_of(bodies.clone()));
        Island { bodies, vertices, energies: (0..self.energies().len()).collect(), key }
    }

    fn stamps_of(&self, bodies: Range<usize>) -> Vec<u64> {
        let stamped = bodies.flat_map(|body| {
            let Stamp(stamp) = self.bodies()[body].stamp;
            [stamp, u64::from(self.has_body(body))]
        });
        stamped.collect()
    }

    fn find_islands(&self) -> Vec<Island> {
        let count = self.bodies().len();
        // The last body that each one is in one island with.
        let mut reach: Vec<usize> = (0..count).collect();
        let mut owners = vec![0; self.energies().len()];
        let is_stuck = |entry: &EnergyEntry| entry.damping.is_none() && !entry.nature.can_move;
        if self.energies().iter().any(is_stuck) {
            reach[0] = count - 1;
        }
        for (owner, entry) in owners.iter_mut().zip(self.energies()) {
            *owner = entry.body.unwrap_or_else(|| {
                let corners = entry.batch.operator().corner_vertices();
                let (first, last) = (corners.iter().min(), corners.iter().max());
                let [first, last] = [first, last].map(|v| v.map_or(0, |&v| self.body_of(v as usize)));
                reach[first] = reach[first].max(last);
                first
            });
        }
        let mut islands: Vec<Island> = Vec::new();
        let mut island_of = vec![usize::MAX; count];
        for bodies in ranges(&reach) {
            let vertices = self.bodies()[bodies.start].vertices.start..self.bodies()[bodies.end - 1].vertices.end;
            if vertices.clone().all(|v| self.free_index(v as u32).is_none()) {
                continue;
            }
            island_of[bodies.clone()].fill(islands.len());
            let key = self.stamps_of(bodies.clone());
            islands.push(Island { bodies, vertices, energies: Vec::new(), key });
        }
        if islands.len() < 2 {
            islands = vec![Island { energies: Vec::new(), ..self.whole_island() }];
            island_of.fill(0);
        }
        for (number, (&owner, entry)) in owners.iter().zip(self.energies()).enumerate() {
            let Some(island) = islands.get_mut(island_of[owner]) else { continue };
            island.energies.push(number);
            if entry.body.is_none() {
                let (base, operator) = (island.vertices.start as u64, entry.batch.operator());
                island.key.extend(operator.corner_vertices().iter().map(|&v| u64::from(v) - base));
                island.key.extend(operator.weights().iter().map(|weight| weight.to_bits()));
                if let Arrays::EdgeSpring(lengths) = entry.batch.arrays() {
                    island.key.extend(lengths.as_flattened().iter().map(|length| length.to_bits()));
                }
            }
        }
        islands
    }

    /// An island as a world of its own, with vertices, bodies and energies numbered from 0; none where an energy cannot be had so. It has no surfaces: what
    /// acts on these belongs to the world.
    pub(crate) fn of_island(&self, island: &Island) -> Option<Self> {
        let range = island.vertices.clone();
        let base = range.start as u32;
        let mut energies: Vec<EnergyEntry> = Vec::new();
        let elastic = |k: &&usize| self.energies()[**k].damping.is_none();
        for entry in island.energies.iter().filter(elastic).map(|&k| &self.energies()[k]) {
            let batch = match base {
                0 => Arc::clone(&entry.batch),
                _ => moved(entry.batch.as_ref(), -i64::from(base))?,
            };
            energies.push(EnergyEntry { batch, ..entry.clone() });
        }
        let damping = island.energies.iter().find_map(|&k| self.energies()[k].damping);
        if let Some(damping) = damping {
            let damped: Vec<EnergyEntry> = energies.iter().filter_map(|entry| entry.damped(damping)).collect();
            energies.extend(damped);
        }
        for entry in &mut energies {
            entry.body = entry.body.map(|body| body - island.bodies.start);
        }
        let mut bodies = self.bodies()[island.bodies.clone()].to_vec();
        for body in &mut bodies {
            body.vertices = body.vertices.start - range.start..body.vertices.end - range.start;
            (body.surface, body.segments, body.welded) = Default::default();
        }
        let local = |list: &[u32]| -> Vec<u32> {
            let own = list.partition_point(|&v| v < base)..list.partition_point(|&v| (v as usize) < range.end);
            list[own].iter().map(|v| v - base).collect()
        };
        let common = Common {
            fabrics: bodies.iter().map(|_| Arc::new(Fabric::default())).collect(),
            bodies,
            rest: self.rest()[range.clone()].to_vec(),
            mass: self.mass().of_range(range.clone()),
            pinned: local(self.pinned()),
            diagonal: self.diagonal(),
            bounds: self.common.bounds,
            inside: self.common.inside.get(range.clone()).unwrap_or_default().to_vec(),
            contact_masses: self.common.contact_masses.get(range.clone()).unwrap_or_default().to_vec(),
        };
        Some(Self::of(Arc::new(common), energies, Vec::new(), Vec::new(), local(self.free()), None))
    }
}

impl EnergyEntry {
    pub(crate) fn new(batch: Arc<dyn Batch>, body: Option<usize>) -> Self {
        Self { nature: Nature::of(batch.as_ref()), batch, body, damping: None }
    }

    /// Whether it is an elastic energy of a body: neither an attachment nor damping.
    pub(crate) fn is_of_body(&self) -> bool {
        self.body.is_some() && self.damping.is_none()
    }

    /// Damping in proportion to its stiffness, with a time constant \[s\]; none where it has no change of shape.
    pub(crate) fn damped(&self, damping: f64) -> Option<Self> {
        let viscous = Viscous::of(self.batch.as_ref())?;
        Some(Self {
            batch: Arc::new(viscous),
            body: self.body,
            damping: Some(damping),
            nature: Nature { class: Class::Solid, stiffness: 0.0, ..self.nature },
        })
    }
}
