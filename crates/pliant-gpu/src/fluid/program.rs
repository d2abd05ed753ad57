//! The buffers of a fluid, and the kernels of a substep one after the other.

use std::cell::RefCell;
use std::collections::HashMap;

use pliant::FluidNumbers;
use pliant::math::Vec3;

use super::colliders;
use super::constants::{self, CHUNK, Layout, MOST_NEIGHBOURS, THREADS, status};
use super::world::{FluidWorld, Portion};
use crate::device::{Access, Bound, Device, Dispatch, Kernel, Program, Storage};
use crate::error::GpuError;

/// Numbers that a particle has among the indices, see `constants`.
const INDICES: usize = 8;
/// Workgroups that go over cells with 32 threads for each.
const ASSEMBLING: usize = 1024;

/// A vector and a fourth number.
type Quad = [f32; 4];

/// What a fluid has on a device. The kernels say what is in which.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) state: Storage<Quad>,
    pub(super) densities: Storage<f32>,
    pub(super) status: Storage<u32>,
    /// Softness and coefficient of the artificial pressure of each particle, beside positions and velocities.
    extras: Vec<[f32; 2]>,
    viscosities: Storage<f32>,
    indices: Storage<u32>,
    lists: Storage<u32>,
    places: [Storage<Quad>; 2],
    origins: Storage<Quad>,
    ways: Storage<Quad>,
    found: Storage<Quad>,
    changes: Storage<f32>,
    walls: Storage<Quad>,
    contacts: Storage<Quad>,
    speeds: Storage<Quad>,
    grid: Storage<Quad>,
    parts: Storage<Quad>,
    counts: Storage<u32>,
    chunks: Storage<[u32; 2]>,
    table: Storage<[u32; 2]>,
    cells: Storage<[u32; 4]>,
    rows: Storage<Quad>,
    entries: Storage<[u32; 2]>,
    vectors: [Storage<Quad>; 2],
    unknowns: Storage<Quad>,
    sums: [Storage<Quad>; 2],
}

impl Buffers {
    pub(super) fn new(
        device: &Device,
        world: &FluidWorld<'_>,
        portions: &[Portion<'_>],
        layout: &Layout,
    ) -> Result<Self, GpuError> {
        let (numbers, count) = (FluidNumbers::default(), layout.count);
        // Masses are in units of the heaviest particle, as on the CPU.
        let heaviest = portions.iter().fold(0.0, |most: f64, portion| most.max(portion.material.particle_mass()));
        let scale = numbers.parallel * 6.0 * layout.h / (numbers.second_moment * layout.radius * layout.radius);
        let (mut extras, mut viscosities) = (vec![[0.0; 2]; count], vec![0.0; count]);
        let masses = world.model.mass().lumped();
        for Portion { vertices, material } in portions {
            for v in vertices.clone() {
                let separation = material.separation as f32 / numbers.stiffness_at_rest as f32;
                extras[v] = [(heaviest / masses[v]) as f32, separation];
                viscosities[v] = (material.viscosity * scale) as f32;
            }
        }
        let quads = |what: &str, len: usize| device.zeros::<Quad>(what, len);
        let two = |what: &str, len: usize| Ok::<_, GpuError>([quads(what, len)?, quads(what, len)?]);
        let buffers = Self {
            state: quads("state of particles", 2 * count)?,
            densities: device.zeros("densities", count)?,
            status: device.zeros("status", status::LEN)?,
            extras,
            viscosities: device.array("viscosities", &viscosities)?,
            indices: device.zeros("indices of particles", INDICES * count)?,
            lists: device.zeros("lists of neighbours", MOST_NEIGHBOURS * count.next_multiple_of(32))?,
            places: two("places", count)?,
            origins: quads("places at the start", count)?,
            ways: quads("ways", count + 1)?,
            found: quads("what a step finds", count)?,
            changes: device.zeros("changes", count)?,
            walls: quads("walls near particles", world.colliders.len() * count)?,
            contacts: quads("contacts of particles", 2 * world.colliders.len() * count)?,
            speeds: quads("velocities", count)?,
            grid: quads("grid", 4)?,
            parts: quads("parts of the survey", 3 * layout.parts)?,
            counts: device.zeros("particles in cells", layout.cells)?,
            chunks: device.zeros("chunks of cells", layout.cells / CHUNK)?,
            table: device.zeros("table of cells", layout.cells + 1)?,
            cells: device.zeros("cells with particles", count)?,
            rows: quads("rows of particles", 8 * count)?,
            entries: device.zeros("equations of cells", 32 * count)?,
            vectors: two("vectors over cells", count)?,
            unknowns: quads("pressures of cells", count)?,
            sums: two("sums over cells", layout.parts + 2)?,
        };
        buffers.write_state(device, layout, world.positions, world.velocities)?;
        Ok(buffers)
    }

    pub(super) fn write_state(
        &self,
        device: &Device,
        layout: &Layout,
        positions: &[Vec3],
        velocities: &[Vec3],
    ) -> Result<(), GpuError> {
        let row = |v: Vec3, extra: f32| {
            let [x, y, z] = (v / layout.radius).to_array().map(|c| c as f32);
            [x, y, z, extra]
        };
        let places = positions.iter().zip(&self.extras).map(|(x, extra)| row(*x - layout.centre, extra[0]));
        let speeds = velocities.iter().zip(&self.extras).map(|(v, extra)| row(*v, extra[1]));
        let rows: Vec<Quad> = places.chain(speeds).collect();
        // What went wrong in another state is no fault of this one.
        for word in [status::CROWD, status::LOST, status::RUNAWAY] {
            device.write(&self.status, word, &[0])?;
        }
        device.write(&self.state, 0, &rows)
    }

    /// The kernels of a substep.
    pub(super) fn program(
        &self,
        device: &Device,
        world: &FluidWorld<'_>,
        layout: &Layout,
        is_viscous: bool,
    ) -> Result<Program, GpuError> {
        let list = List { device, head: head(world, layout, is_viscous), kernels: RefCell::default() };
        let (by_pairs, by_256) = (layout.count.div_ceil(THREADS), layout.count.div_ceil(256));
        let mut all = Vec::new();
        all.extend(self.sorting(&list, layout, by_256)?);
        let [places, _] = &self.places;
        all.push(list.one(
            (include_str!("search.wgsl"), "search"),
            &[R(&self.grid), R(&self.table), R(places), W(&self.indices), W(&self.lists), W(&self.status)],
            by_pairs,
        )?);
        let (lists, ways) = (&self.lists, &self.ways);
        all.push(list.one(
            (concat!(include_str!("walls.wgsl"), include_str!("begin.wgsl")), "begin"),
            &[
                W(&self.walls),
                R(&self.grid),
                R(lists),
                R(places),
                R(ways),
                W(&self.indices),
                W(&self.found),
                W(&self.rows),
            ],
            by_pairs,
        )?);
        all.extend(self.pressure(&list, layout, by_pairs, world.pressure_dispatches)?);
        all.extend(self.iterations(&list, world, layout, by_pairs)?);
        let places = &self.places[world.solver.iterations % 2];
        let with_contacts =
            concat!(include_str!("walls.wgsl"), include_str!("contact.wgsl"), include_str!("finish.wgsl"));
        all.push(list.one(
            (with_contacts, "finish"),
            &[
                W(&self.contacts),
                R(&self.indices),
                R(&self.origins),
                R(&self.viscosities),
                W(ways),
                W(places),
                W(&self.speeds),
            ],
            by_256,
        )?);
        all.push(list.one(
            (concat!(include_str!("walls.wgsl"), include_str!("mix.wgsl")), "mix_velocities"),
            &[
                W(&self.walls),
                R(&self.indices),
                R(lists),
                R(places),
                R(&self.speeds),
                R(ways),
                W(&self.state),
                W(&self.status),
            ],
            by_pairs,
        )?);
        device.program(all)
    }

    /// Sorts particles by cell.
    fn sorting(&self, list: &List<'_>, layout: &Layout, by_256: usize) -> Result<Vec<Dispatch>, GpuError> {
        let (state, grid) = (&self.state, &self.grid);
        let survey = [R(state), W(&self.parts), W(&self.counts)];
        let count = [R(state), R(&self.parts), W(&self.counts), W(&self.indices), W(grid)];
        let scan = [R(&self.counts), W(grid), W(&self.chunks), W(&self.table), W(&self.cells)];
        let sort =
            [R(grid), R(state), R(&self.table), W(&self.indices), W(&self.places[0]), W(&self.origins), W(&self.ways)];
        let (scanning, sorting, chunks) = (include_str!("scan.wgsl"), include_str!("sort.wgsl"), layout.cells / CHUNK);
        Ok(vec![
            list.one((include_str!("survey.wgsl"), "survey"), &survey, layout.parts)?,
            list.one((include_str!("count.wgsl"), "count"), &count, by_256)?,
            list.one((scanning, "sum_chunks"), &scan, chunks)?,
            list.one((scanning, "number_cells"), &scan, chunks)?,
            list.one((sorting, "scatter"), &sort, by_256)?,
            list.one((sorting, "arrange"), &sort, by_256)?,
        ])
    }

    /// Finds the pressure of cells, and brings it to particles.
    fn pressure(
        &self,
        list: &List<'_>,
        layout: &Layout,
        by_pairs: usize,
        dispatches: usize,
    ) -> Result<Vec<Dispatch>, GpuError> {
        let (grid, entries, unknowns) = (&self.grid, &self.entries, &self.unknowns);
        let assemble = [R(grid), R(&self.table), R(&self.cells), R(&self.rows), W(entries)];
        let mut all = vec![list.one((include_str!("assemble.wgsl"), "assemble"), &assemble, ASSEMBLING)?];
        let source = include_str!("pressure.wgsl");
        let ([here, there], [sums, next_sums]) = (&self.vectors, &self.sums);
        let prepare = [R(grid), R(entries), R(here), W(there), W(unknowns), R(sums), W(next_sums)];
        all.push(list.one((source, "prepare_pressure"), &prepare, layout.parts)?);
        let back = [R(grid), R(entries), R(there), W(here), W(unknowns), R(next_sums), W(sums)];
        let turns = [
            list.one((source, "solve_pressure"), &back, layout.parts)?,
            list.one((source, "solve_pressure"), &prepare, layout.parts)?,
        ];
        // An even number: the last sums are in the second buffer, where the first ones were.
        for _ in 0..dispatches.div_ceil(2) {
            all.extend(turns.iter().cloned());
        }
        let load = [
            R(&self.indices),
            R(&self.lists),
            R(&self.places[0]),
            R(unknowns),
            R(next_sums),
            W(&self.found),
            W(&self.status),
        ];
        all.push(list.one((include_str!("load.wgsl"), "load"), &load, by_pairs)?);
        Ok(all)
    }

    /// All iterations; places go from one buffer to the other.
    fn iterations(
        &self,
        list: &List<'_>,
        world: &FluidWorld<'_>,
        layout: &Layout,
        by_pairs: usize,
    ) -> Result<Vec<Dispatch>, GpuError> {
        let (iterations, leave) = (world.solver.iterations, 1.0 - layout.recovery(&FluidNumbers::default()) as f32);
        let measure = concat!(include_str!("walls.wgsl"), include_str!("measure.wgsl"));
        let push = concat!(include_str!("walls.wgsl"), include_str!("contact.wgsl"), include_str!("push.wgsl"));
        let mut pairs = Vec::new();
        for (from, to) in [(0, 1), (1, 0)] {
            let (places, next_places) = (&self.places[from], &self.places[to]);
            let measuring = [
                W(&self.walls),
                R(&self.indices),
                R(&self.lists),
                R(places),
                W(&self.ways),
                W(&self.found),
                W(&self.changes),
                W(&self.densities),
            ];
            let pushing = [
                W(&self.contacts),
                W(&self.indices),
                R(&self.lists),
                R(places),
                R(&self.origins),
                R(&self.changes),
                W(&self.ways),
                W(next_places),
            ];
            pairs.push((
                list.one((measure, "measure"), &measuring, by_pairs)?,
                list.one((push, "push"), &pushing, by_pairs)?,
            ));
        }
        let mut all = Vec::new();
        for number in 0..iterations {
            let (measure, push) = &pairs[number % 2];
            // As the CPU has it: of what cells do not see, a short step looks at once.
            let done = number as f32 + leave;
            let [part, left] = [1.0 / iterations as f32, 1.0 - done / iterations as f32];
            all.push(measure.with_parameters([part.to_bits(), left.to_bits(), 0, 0]));
            all.push(push.clone());
        }
        Ok(all)
    }
}

/// What all kernels begin with.
fn head(world: &FluidWorld<'_>, layout: &Layout, is_viscous: bool) -> String {
    let constants = constants::constants(world, layout, is_viscous);
    let colliders = colliders::colliders(world.colliders, layout.centre, layout.radius);
    [&constants, include_str!("common.wgsl"), include_str!("shapes.wgsl"), &colliders, ""].join("\n")
}

/// A buffer, and what a kernel does with it.
#[derive(Clone, Copy)]
enum Use<'a> {
    R(&'a dyn Bound),
    W(&'a dyn Bound),
}
use Use::{R, W};

/// Makes dispatches of kernels that begin alike.
struct List<'a> {
    device: &'a Device,
    head: String,
    /// Those that are compiled, by their entry points.
    kernels: RefCell<HashMap<String, Kernel>>,
}

impl List<'_> {
    fn one(&self, (source, entry): (&str, &str), uses: &[Use<'_>], workgroups: usize) -> Result<Dispatch, GpuError> {
        let mut kernels = self.kernels.borrow_mut();
        if !kernels.contains_key(entry) {
            let access: Vec<Access> =
                uses.iter().map(|one| if matches!(one, R(_)) { Access::Read } else { Access::Write }).collect();
            let kernel = self.device.kernel(&format!("{}{source}", self.head), entry, &access)?;
            kernels.insert(entry.to_owned(), kernel);
        }
        let bound: Vec<&dyn Bound> = uses
            .iter()
            .map(|one| match one {
                R(buffer) | W(buffer) => *buffer,
            })
            .collect();
        Ok(self.device.dispatch(&kernels[entry], &bound, [0; 4], workgroups))
    }
}
