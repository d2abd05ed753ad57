//! The local step on a device: forces of elements on their corners, then the sum of all that acts on a vertex, as −∇g.

mod gathering;
mod half_spaces;
mod hinges;
mod places;
mod stars;

pub(crate) use gathering::{Gathered, Simplex, Simplices, has_kernel};
pub(crate) use places::{Places, SLICE, sliced};

use bytemuck::Zeroable;
use pliant::energy::Memory;
use pliant::math::Vec3;
use pliant::solve::Objective;
use rayon::prelude::*;

use crate::device::{Access, Bound, Device, Dispatch, Pending, Storage};
use crate::error::GpuError;
use gathering::Goal;
use half_spaces::HalfSpaces;
use hinges::Hinges;
use places::SliceRecord;
use stars::Stars;

/// Threads of a workgroup of elements and of vertices that are moved.
const THREADS: usize = 128;
/// Workgroups that measure.
const MEASURING: usize = 256;
/// Squares from which on a kernel has seen something that is not finite.
const NOT_FINITE: f32 = 3e38;

/// All elements of a world on a device, and where its vertices are.
#[derive(Debug)]
pub(crate) struct LocalStep {
    pub(crate) places: Places,
    /// Positions that stay for a stage, and what is to be added to them \[m\].
    pub(crate) anchors: Storage<[f32; 4]>,
    pub(crate) offsets: Storage<[f32; 4]>,
    previous: Storage<[f32; 4]>,
    /// Where inertia and goals pull vertices, from their anchors \[m\], and how strongly \[N/m\].
    pub(crate) targets: Storage<[f32; 4]>,
    goals: Vec<Goal>,
    /// Triangles and tets.
    pub(crate) elements: Vec<Elements>,
    pub(crate) hinges: Option<Hinges>,
    pub(crate) stars: Vec<Stars>,
    pub(crate) half_spaces: Option<HalfSpaces>,
    /// Kernels that lead to −∇g: those of elements, then the one that gathers.
    pub(crate) dispatches: Vec<Dispatch>,
    /// Where what else acts on a vertex is left: the slot of each free vertex, and all slots.
    pub(crate) others: Option<Others>,
}

/// Slots for forces that are not of elements, one of each free vertex.
#[derive(Debug)]
pub(crate) struct Others {
    pub(crate) places: Storage<u32>,
    pub(crate) slots: Storage<[f32; 4]>,
}

/// Triangles or tets on the device.
#[derive(Debug)]
pub(crate) struct Elements {
    pub(crate) kind: Simplex,
    /// Batches whose warm values are the rotations.
    batches: Vec<usize>,
    bounds: [[f64; 2]; 2],
    pub(crate) corners: Storage<[u32; 4]>,
    pub(crate) numbers: Storage<[f32; 4]>,
    /// Of tets; none for triangles.
    pub(crate) rotations: Storage<[f32; 4]>,
}

impl Elements {
    fn new(device: &Device, simplices: &Simplices) -> Result<Self, GpuError> {
        let turning = if simplices.kind == Simplex::Tet { simplices.corners.len() } else { 0 };
        Ok(Self {
            kind: simplices.kind,
            batches: simplices.batches.clone(),
            bounds: simplices.bounds,
            corners: device.array("corners of elements", &simplices.corners)?,
            numbers: device.array("numbers of elements", &simplices.numbers)?,
            rotations: device.zeros("rotations of tets", turning)?,
        })
    }

    /// Bounds of stretches and of areas or volumes, for kernels.
    pub(crate) fn parameters(&self) -> [u32; 4] {
        let [[a, b], [c, d]] = self.bounds.map(|bounds| bounds.map(|bound| (bound as f32).to_bits()));
        [a, b, c, d]
    }

    /// The kernel of forces on corners.
    fn forces(
        &self,
        device: &Device,
        corner_slots: &Storage<[u32; 4]>,
        [anchors, offsets, slots]: [&Storage<[f32; 4]>; 3],
    ) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let mut buffers: Vec<&dyn Bound> = vec![anchors, offsets, &self.corners, corner_slots, &self.numbers, slots];
        let mut access = vec![Read, Read, Read, Read, Read, Write];
        let (own, entry) = match self.kind {
            Simplex::Triangle => (include_str!("triangles.wgsl"), "triangles"),
            Simplex::Tet => (include_str!("tets.wgsl"), "tets"),
        };
        if self.kind == Simplex::Tet {
            buffers.push(&self.rotations);
            access.push(Write);
        }
        let kernel = device.kernel(&[POINTS, STRETCHES, own].concat(), entry, &access)?;
        Ok(device.dispatch(&kernel, &buffers, self.parameters(), self.corners.len().div_ceil(THREADS)))
    }
}

/// Parts of kernels that others use as well.
pub(crate) const POINTS: &str = include_str!("points.wgsl");
pub(crate) const STRETCHES: &str = include_str!("stretches.wgsl");
pub(crate) const EIGEN: &str = include_str!("eigen.wgsl");

/// How far a solve has come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measures {
    /// Longest step of a vertex \[m\].
    pub(crate) step: f64,
    /// Largest unbalanced force \[N\].
    pub(crate) unbalanced: f64,
    /// Largest force of inertia, which is what all others come to where they balance \[N\].
    pub(crate) largest: f64,
    /// Elastic energy; goals are part of inertia \[J\].
    pub(crate) elastic: f64,
    /// Inertia's part of g \[J\].
    pub(crate) inertial: f64,
    /// Kinetic energy of the movement since the start of the stage \[J\].
    pub(crate) kinetic: f64,
}

/// Where a kernel writes what it measures, by parts; see `measure.wgsl`.
#[derive(Debug)]
pub(crate) struct MeasuredParts(Storage<[[f32; 4]; 2]>);

impl MeasuredParts {
    /// Where it is.
    pub(crate) fn storage(&self) -> &Storage<[[f32; 4]; 2]> {
        &self.0
    }

    /// Asks for what was measured.
    pub(crate) fn request(&self, device: &Device) -> Result<Pending<[[f32; 4]; 2]>, GpuError> {
        device.request(&self.0, MEASURING)
    }

    /// Waits for what was measured; none where something is not finite.
    pub(crate) fn read(&self, device: &Device) -> Result<Option<Measures>, GpuError> {
        Ok(Measures::of(&self.request(device)?.wait()?))
    }
}

impl Measures {
    /// From parts; none where something is not finite.
    pub(crate) fn of(parts: &[[[f32; 4]; 2]]) -> Option<Self> {
        let most = |k: usize| parts.iter().fold(0.0, |most: f32, part| most.max(part[0][k]));
        let sum = |k: usize| 0.5 * parts.iter().map(|part| f64::from(part[1][k])).sum::<f64>();
        let [step, unbalanced, largest] = [0, 1, 2].map(most);
        let [elastic, inertial, kinetic] = [0, 1, 2].map(sum);
        let is_finite = [step, unbalanced, largest].iter().all(|square| *square < NOT_FINITE);
        let [step, unbalanced, largest] = [step, unbalanced, largest].map(|square| f64::from(square).sqrt());
        let measures = Self { step, unbalanced, largest, elastic, inertial, kinetic };
        (is_finite && (elastic + inertial).is_finite()).then_some(measures)
    }
}

impl LocalStep {
    /// Brings all elements to the device; `offsets` has room for all vertices, `forces` will have −∇g. Also what they are made of. `has_others` makes room for forces that are not of elements.
    pub(crate) fn new(
        device: &Device,
        objective: &Objective<'_>,
        order: &[u32],
        (offsets, forces): (Storage<[f32; 4]>, &Storage<[f32; 4]>),
        has_others: bool,
    ) -> Result<(Self, Gathered), GpuError> {
        let places = Places::new(objective.model, order);
        let mut gathered = Gathered::new(objective, &places);
        let taken: Vec<_> = (0..places.free as u32).filter(|_| has_others).map(|v| gathered.slots.take(v)).collect();
        let points = |what: &str| device.zeros::<[f32; 4]>(what, places.vertices.len());
        let (anchors, targets) = (points("anchors")?, points("targets")?);
        let resolved = gathered.slots.finish();
        let slots: Storage<[f32; 4]> = device.zeros("forces of elements", resolved.count)?;
        let (mut dispatches, mut elements) = (Vec::new(), Vec::new());
        for simplices in &gathered.simplices {
            let at: Vec<[u32; 4]> = simplices.slots.iter().map(|slots| slots.map(|slot| resolved.slot(slot))).collect();
            let own = Elements::new(device, simplices)?;
            let corner_slots = device.array("slots of corners", &at)?;
            dispatches.push(own.forces(device, &corner_slots, [&anchors, &offsets, &slots])?);
            elements.push(own);
        }
        let points = [&anchors, &offsets, &slots];
        let hinges = Hinges::new(device, &gathered.hinges, &resolved, points, &mut dispatches)?;
        let mut stars = Vec::new();
        for (rows, list) in (1..).zip(&gathered.stars) {
            stars.extend(Stars::new(device, rows, list, &resolved, points, &mut dispatches)?);
        }
        let half_spaces =
            HalfSpaces::new(device, &gathered.half_spaces, &resolved, [&offsets, &slots], &mut dispatches)?;
        let (spring_slices, springs) =
            sliced(&places, &spring_rows(&gathered), |place| [indexed(place as u32), 0.0, 0.0, 0.0]);
        let (row_slices, rows) = sliced(&places, &quadratic_rows(&gathered), |place| [indexed(place as u32), 0.0]);
        let mut slices = vec![SliceRecord::zeroed(); places.slices()];
        for (k, slice) in slices.iter_mut().enumerate() {
            (slice.springs, slice.rows, slice.slots) = (spring_slices[k], row_slices[k], resolved.slices[k]);
        }
        let slices = device.array("slices of vertices", &slices)?;
        let springs = device.array("springs", &springs)?;
        let rows = device.array("rows of bending", &rows)?;
        use Access::{Read, Write};
        let source = [POINTS, include_str!("gather.wgsl")].concat();
        let kernel = device.kernel(&source, "gather", &[Read, Read, Read, Read, Read, Read, Read, Write])?;
        let buffers: [&dyn Bound; 8] = [&anchors, &offsets, &targets, &slices, &springs, &rows, &slots, forces];
        let free = places.free;
        dispatches.push(device.dispatch(&kernel, &buffers, [free as u32, 0, 0, 0], free.div_ceil(SLICE)));
        let previous = device.zeros("offsets before", free)?;
        let others = if has_others {
            let taken: Vec<u32> = taken.into_iter().map(|slot| resolved.slot(slot)).collect();
            Some(Others { places: device.array("slots of vertices", &taken)?, slots })
        } else {
            None
        };
        let goals = gathered.goals.clone();
        let step = Self {
            places,
            anchors,
            offsets,
            previous,
            targets,
            goals,
            elements,
            hinges,
            stars,
            half_spaces,
            dispatches,
            others,
        };
        Ok((step, gathered))
    }

    /// Kernels that move vertices by a share of a step, and again by a share of the movement before it: one for each pair of shares.
    pub(crate) fn advances(
        &self,
        device: &Device,
        step: &Storage<[f32; 4]>,
        shares: &[(f64, f64)],
    ) -> Result<Vec<Dispatch>, GpuError> {
        use Access::{Read, Write};
        let kernel = device.kernel(include_str!("advance.wgsl"), "advance", &[Write, Write, Read])?;
        let buffers: [&dyn Bound; 3] = [&self.offsets, &self.previous, step];
        let free = self.places.free;
        let dispatch = |&(share, again): &(f64, f64)| {
            let parameters = [free as u32, (share as f32).to_bits(), (again as f32).to_bits(), 0];
            device.dispatch(&kernel, &buffers, parameters, free.div_ceil(THREADS))
        };
        Ok(shares.iter().map(dispatch).collect())
    }

    /// A kernel that measures a step and forces.
    pub(crate) fn measure(
        &self,
        device: &Device,
        step: &Storage<[f32; 4]>,
        forces: &Storage<[f32; 4]>,
    ) -> Result<(Dispatch, MeasuredParts), GpuError> {
        use Access::{Read, Write};
        let parts = device.zeros("measures", MEASURING)?;
        let kernel = device.kernel(include_str!("measure.wgsl"), "measure", &[Read, Read, Read, Read, Write])?;
        let buffers: [&dyn Bound; 5] = [step, forces, &self.targets, &self.offsets, &parts];
        let parameters = [self.places.free as u32, MEASURING as u32, 0, 0];
        Ok((device.dispatch(&kernel, &buffers, parameters, MEASURING), MeasuredParts(parts)))
    }

    /// Kernels that lead to −∇g, with others before the one that gathers.
    pub(crate) fn with_others(&self, others: &[Dispatch]) -> Vec<Dispatch> {
        let (elements, gather) = self.dispatches.split_at(self.dispatches.len() - 1);
        [elements, others, gather].concat()
    }

    /// Whether something is pulled to goals, or kept on one side of planes.
    pub(crate) fn has_goals(&self) -> bool {
        !self.goals.is_empty() || self.half_spaces.is_some()
    }

    /// Takes the positions, targets, goals and rotations that a solve begins with. Anchors are where vertices were at the start of the stage.
    pub(crate) fn begin(
        &self,
        device: &Device,
        objective: &Objective<'_>,
        x: &[Vec3],
        memory: &[Memory],
    ) -> Result<(), GpuError> {
        let (vertices, mass) = (&self.places.vertices, objective.model.mass().diagonal());
        let mut held = vec![(0.0, Vec3::ZERO); if self.goals.is_empty() { 0 } else { self.places.free }];
        for &(batch, element, place, weight) in &self.goals {
            let (sum, pull) = &mut held[place as usize];
            *sum += weight;
            *pull += objective.goals[batch][element] * weight;
        }
        let points: Vec<[[f32; 4]; 3]> = (0..vertices.len())
            .into_par_iter()
            .map(|place| {
                let v = vertices[place] as usize;
                let anchor = rounded(objective.before[v]);
                let inertia = objective.inertia * mass[v];
                let (weight, pull) = held.get(place).copied().unwrap_or_default();
                let all = inertia + weight;
                let target = if all > 0.0 { (objective.target[v] * inertia + pull) / all } else { x[v] };
                [quad(anchor, 0.0), quad(x[v] - anchor, 0.0), quad(target - anchor, all as f32)]
            })
            .collect();
        for (k, storage) in [&self.anchors, &self.offsets, &self.targets].into_iter().enumerate() {
            let part: Vec<[f32; 4]> = points.iter().map(|point| point[k]).collect();
            device.write(storage, 0, &part)?;
        }
        for elements in self.elements.iter().filter(|elements| elements.kind == Simplex::Tet) {
            let warm = memory[elements.batches[0]].warm.as_chunks::<4>().0;
            let warm: Vec<[f32; 4]> = warm.iter().map(|q| q.map(|value| value as f32)).collect();
            device.write(&elements.rotations, 0, &warm)?;
        }
        self.hinges.iter().try_for_each(|hinges| hinges.begin(device, memory))?;
        self.stars.iter().try_for_each(|stars| stars.begin(device, memory))?;
        self.half_spaces.iter().try_for_each(|own| own.begin(device, objective, &self.places))
    }

    /// Brings positions and rotations back; `before` are the positions that the stage begins with.
    pub(crate) fn finish(
        &self,
        device: &Device,
        before: &[Vec3],
        x: &mut [Vec3],
        memory: &mut [Memory],
    ) -> Result<(), GpuError> {
        let free = self.places.free;
        let offsets = device.request(&self.offsets, free)?;
        let tets = self.elements.iter().filter(|elements| elements.kind == Simplex::Tet);
        let rotations: Vec<_> = tets
            .map(|tets| Ok((&tets.batches, device.request(&tets.rotations, tets.rotations.len())?)))
            .collect::<Result<_, GpuError>>()?;
        let frames = self.hinges.as_ref().map(|hinges| Ok((hinges, hinges.request(device)?))).transpose()?;
        for (&v, offset) in self.places.vertices.iter().zip(offsets.wait()?) {
            x[v as usize] =
                rounded(before[v as usize]) + Vec3::new(offset[0].into(), offset[1].into(), offset[2].into());
        }
        for (batches, rotations) in rotations {
            let values: Vec<f64> = rotations.wait()?.into_iter().flatten().map(f64::from).collect();
            batches.iter().for_each(|&batch| memory[batch].warm.copy_from_slice(&values));
        }
        if let Some((hinges, frames)) = frames {
            hinges.finish(frames.wait()?, memory);
        }
        Ok(())
    }
}

/// The anchor of a position.
fn rounded(x: Vec3) -> Vec3 {
    Vec3::from_array(x.to_array().map(|value| f64::from(value as f32)))
}

/// An index among numbers; see `points.wgsl`.
pub(crate) fn indexed(index: u32) -> f32 {
    f32::from_bits(index | 0x4000_0000)
}

fn quad(v: Vec3, last: f32) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, last]
}

fn spring_rows(gathered: &Gathered) -> Vec<Vec<[f32; 4]>> {
    let row = |spring: &gathering::Spring| {
        let [low, high] = spring.lengths.map(|length| length as f32);
        [indexed(spring.other), spring.weight as f32, low, high]
    };
    gathered.springs.iter().map(|springs| springs.iter().map(row).collect()).collect()
}

fn quadratic_rows(gathered: &Gathered) -> Vec<Vec<[f32; 2]>> {
    let entry = |&(other, value): &(u32, f64)| [indexed(other), value as f32];
    gathered.rows.iter().map(|row| row.iter().map(entry).collect()).collect()
}
