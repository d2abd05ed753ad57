//! How strands lie on the device: those of 32 threads side by side, vertex by vertex.
//!
//! ```text
//!   strands of 4, 3 and 3 vertices, three threads side by side, as slots:  a0 b0 c0  a1 b1 c1  a2 b2 c2  a3 -- --
//! ```

use std::sync::Arc;

use pliant::Model;
use pliant::math::Vec3;
use pliant::solve::{FollowLeaderParams, HairChains};

/// Strands side by side, as the kernels have it.
pub(super) const LANES: usize = 32;

/// A strand, as kernels read it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Chain {
    /// Where its leader goes in this step.
    pub(super) leads_to: [f32; 3],
    pub(super) count: u32,
    pub(super) first: u32,
    pub(super) body: u32,
    unused: [u32; 2],
}

/// Where everything is.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// Slots.
    pub(super) count: usize,
    /// Vertex of each slot; none where there is none.
    pub(super) vertices: Arc<[Option<u32>]>,
    pub(super) chains: Vec<Chain>,
    /// For each chain the place of its leader among the pinned vertices.
    pub(super) leaders: Vec<u32>,
    /// For each slot the place at rest and the length from the vertex before; see `comb.wgsl`.
    pub(super) fixed: Vec<[f32; 4]>,
    /// For each slot its mass in units of the heaviest vertex; 0 where the vertex has another slot, too.
    pub(super) masses: Vec<f32>,
    /// The place from which places are counted \[m\].
    pub(super) centre: Vec3,
}

impl Layout {
    pub(super) fn new(model: &Model, params: &FollowLeaderParams, chains: &HairChains, x: &[Vec3]) -> Self {
        let range = params.style.map_or(0.0, |style| style.global_range);
        // Entries of each chain; a pinned vertex that leads none is a chain of its own, of which the grid knows.
        let mut first_entry = 0;
        let mut rows: Vec<(Vec<u32>, u32, Option<usize>)> = Vec::new();
        let mut leads = vec![false; x.len()];
        for (row, body) in chains.vertices.rows().zip(&chains.bodies) {
            leads[row[0] as usize] = true;
            rows.push((row.to_vec(), *body, Some(first_entry)));
            first_entry += row.len();
        }
        let alone = model.pinned().iter().filter(|&&v| !leads[v as usize]);
        rows.extend(alone.map(|&v| (vec![v], 0, None)));
        // Strands of one length side by side; those of equal length keep their order.
        rows.sort_by_key(|(row, _, _)| std::cmp::Reverse(row.len()));
        let count = rows.chunks(LANES).map(|block| block[0].0.len() * LANES).sum::<usize>() + LANES;
        let (low, high) =
            x.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
        let centre = if x.is_empty() { Vec3::ZERO } else { 0.5 * (low + high) };
        let heaviest = model.mass().lumped().iter().fold(0.0_f64, |most, mass| most.max(*mass));
        let mut layout = Self {
            count,
            vertices: Arc::new([]),
            chains: Vec::with_capacity(rows.len()),
            leaders: Vec::with_capacity(rows.len()),
            fixed: vec![[0.0; 4]; count],
            masses: vec![0.0; count],
            centre,
        };
        let mut vertices = vec![None; count];
        let mut is_known = vec![false; x.len()];
        let mut first = 0;
        for block in rows.chunks(LANES) {
            for (lane, (row, body, entry)) in block.iter().enumerate() {
                for (k, &v) in row.iter().enumerate() {
                    let (slot, vertex) = (first + k * LANES + lane, v as usize);
                    let [x, y, z] = layout.row(model.rest()[vertex]);
                    let place = entry.map_or(0, |entry| entry + k);
                    let length = if k > 0 { chains.lengths[place] as f32 } else { 0.0 };
                    let is_drawn = k > 0 && chains.shares[place] <= range;
                    layout.fixed[slot] = [x, y, z, if is_drawn { length } else { -length }];
                    vertices[slot] = Some(v);
                    if !std::mem::replace(&mut is_known[vertex], true) {
                        layout.masses[slot] = (model.mass().lumped()[vertex] / heaviest) as f32;
                    }
                }
                let place = model.pinned().binary_search(&row[0]).unwrap_or(0);
                layout.leaders.push(place as u32);
                layout.chains.push(Chain {
                    leads_to: layout.row(x[row[0] as usize]),
                    count: row.len() as u32,
                    first: (first + lane) as u32,
                    body: *body,
                    unused: [0; 2],
                });
            }
            first += block[0].0.len() * LANES;
        }
        layout.vertices = vertices.into();
        layout
    }

    /// A place as the device has it.
    pub(super) fn row(&self, place: Vec3) -> [f32; 3] {
        (place - self.centre).to_array().map(|c| c as f32)
    }

    /// Values of vertices in the order of slots.
    pub(super) fn state(&self, positions: &[Vec3], velocities: &[Vec3]) -> Vec<[f32; 4]> {
        let vector = |values: &[Vec3], slot: usize, away: Vec3| {
            self.vertices[slot].map_or([0.0; 3], |v| (values[v as usize] - away).to_array().map(|c| c as f32))
        };
        let row = |[x, y, z]: [f32; 3], w: f32| [x, y, z, w];
        let places = (0..self.count).map(|slot| row(vector(positions, slot, self.centre), self.masses[slot]));
        places.chain((0..self.count).map(|slot| row(vector(velocities, slot, Vec3::ZERO), 0.0))).collect()
    }
}

/// What slots hold, in the order of vertices.
pub(super) fn by_vertex(vertices: &[Option<u32>], rows: &[[f32; 4]], len: usize, centre: Vec3) -> Vec<Vec3> {
    let mut values = vec![Vec3::ZERO; len];
    for (row, v) in rows.iter().zip(vertices) {
        if let Some(v) = v {
            values[*v as usize] = centre + Vec3::new(row[0].into(), row[1].into(), row[2].into());
        }
    }
    values
}
