//! Triangles around a fluid.
//!
//! The surface is where φ(x) = ‖x − x̄‖ − r vanishes, with x̄ the mean of the particles near x, weighted by (1 − d²/R²)³ [Zhu 2005, §5]: flat
//! where particles lie in a plane, and a ball of radius r around one that is alone. It is sampled on a grid and turned into triangles by
//! surface nets [Gibson 1998]: one vertex in each cell that the surface passes through, at the mean of its crossings with the cell's edges. Only blocks of
//! the grid near particles exist, so that drops may fly far.

use std::collections::HashMap;

use crate::math::Vec3;
use crate::mesh::{MeshError, TriangleMesh};

/// Nodes along the side of a block.
const SIDE: i64 = 8;
const VOLUME: usize = (SIDE * SIDE * SIDE) as usize;
/// Farther than any surface.
const OUTSIDE: f32 = f32::INFINITY;
const NO_VERTEX: u32 = u32::MAX;

/// How the surface of a fluid is made.
#[derive(Debug, Clone, PartialEq)]
pub struct FluidSurface {
    /// Width of the cells of the grid \[m\].
    pub cell: f64,
    /// Radius R over which particles are averaged \[m\].
    pub smoothing: f64,
    /// Distance r of the surface from particles \[m\].
    pub radius: f64,
}

/// A block of nodes.
struct Block {
    /// Σ weight·(particle − node) and Σ weight.
    sums: Vec<[f32; 4]>,
    vertices: Vec<u32>,
}

type Node = [i64; 3];

impl FluidSurface {
    /// Default values for a fluid with this particle spacing \[m\].
    ///
    /// ```
    /// use pliant::{FluidSurface, math::Vec3};
    /// let drop = FluidSurface::new(0.02).mesh(&[Vec3::ZERO])?;
    /// assert!(drop.positions.iter().all(|p| (p.length() - 0.011).abs() < 0.001), "a ball around it");
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn new(spacing: f64) -> Self {
        Self { cell: 0.6 * spacing, smoothing: 2.0 * spacing, radius: 0.55 * spacing }
    }

    /// The surface around particles \[m\]; particles with non-finite positions are ignored.
    pub fn mesh(&self, particles: &[Vec3]) -> Result<TriangleMesh, MeshError> {
        let mut grid = Grid { cell: self.cell, radius: self.radius, blocks: HashMap::new(), order: Vec::new() };
        particles.iter().filter(|p| p.is_finite()).for_each(|&p| grid.add(p, self.smoothing));
        grid.order.sort_unstable();
        let positions = grid.place_vertices();
        let triangles = grid.connect();
        TriangleMesh::new(positions, triangles)
    }
}

struct Grid {
    cell: f64,
    radius: f64,
    /// Looked up only, and gone through in the order of `order`: hashing changes no result.
    blocks: HashMap<Node, Block>,
    order: Vec<Node>,
}

fn place(node: Node) -> (Node, usize) {
    let block = node.map(|c| c.div_euclid(SIDE));
    let [x, y, z] = node.map(|c| c.rem_euclid(SIDE) as usize);
    (block, (z * SIDE as usize + y) * SIDE as usize + x)
}

fn corner(k: usize) -> Node {
    [k as i64 & 1, k as i64 >> 1 & 1, k as i64 >> 2 & 1]
}

fn moved(node: Node, by: Node) -> Node {
    std::array::from_fn(|c| node[c] + by[c])
}

impl Grid {
    fn add(&mut self, p: Vec3, smoothing: f64) {
        let reach = smoothing / self.cell;
        let at = p / self.cell;
        let range = |c: usize| (at[c] - reach).ceil() as i64..=(at[c] + reach).floor() as i64;
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let offset = at - Vec3::new(x as f64, y as f64, z as f64);
                    let weight = (1.0 - offset.length_squared() / (reach * reach)).max(0.0).powi(3);
                    let (block, index) = place([x, y, z]);
                    let Self { blocks, order, .. } = self;
                    let block = blocks.entry(block).or_insert_with(|| {
                        order.push(block);
                        Block { sums: vec![[0.0; 4]; VOLUME], vertices: vec![NO_VERTEX; VOLUME] }
                    });
                    let sum = &mut block.sums[index];
                    (0..3).for_each(|c| sum[c] += (offset[c] * weight) as f32);
                    sum[3] += weight as f32;
                }
            }
        }
    }

    /// φ at a node, in cells.
    fn value(&self, node: Node) -> f32 {
        let (block, index) = place(node);
        let Some(block) = self.blocks.get(&block) else { return OUTSIDE };
        let [x, y, z, weight] = block.sums[index];
        if weight <= 0.0 {
            return OUTSIDE;
        }
        // Divided first: squares of the smallest weights would be zero, and their nodes inside.
        let [x, y, z] = [x, y, z].map(|sum| sum / weight);
        (x * x + y * y + z * z).sqrt() - (self.radius / self.cell) as f32
    }

    fn nodes(&self) -> impl Iterator<Item = Node> {
        self.order.iter().flat_map(|block| {
            let block = *block;
            (0..VOLUME as i64).map(move |k| {
                let local = [k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)];
                std::array::from_fn(|c| block[c] * SIDE + local[c])
            })
        })
    }

    /// A vertex in each cell, named by its lowest node, that the surface passes through.
    fn place_vertices(&mut self) -> Vec<Vec3> {
        let mut found = Vec::new();
        for node in self.nodes() {
            let values: [f32; 8] = std::array::from_fn(|k| self.value(moved(node, corner(k))));
            let inside = values.iter().filter(|&&value| value < 0.0).count();
            if inside > 0 && inside < 8 {
                found.push((node, self.settled(node, crossing_mean(&values))));
            }
        }
        let mut positions = Vec::with_capacity(found.len());
        for (node, mean) in found {
            let (block, index) = place(node);
            if let Some(block) = self.blocks.get_mut(&block) {
                block.vertices[index] = positions.len() as u32;
                positions.push((Vec3::from_array(node.map(|c| c as f64)) + mean) * self.cell);
            }
        }
        positions
    }

    /// Moves a point of a cell to the surface: the mean of crossings is inside what curves within a cell, and drops would shrink to splinters.
    fn settled(&self, node: Node, at: Vec3) -> Vec3 {
        let (mut offset, mut weight) = (Vec3::ZERO, 0.0);
        for k in 0..8 {
            let (block, index) = place(moved(node, corner(k)));
            let Some(block) = self.blocks.get(&block) else { continue };
            let [x, y, z, own] = block.sums[index].map(f64::from);
            let to = Vec3::from_array(corner(k).map(|c| c as f64));
            let share = (Vec3::ONE - (at - to).abs()).element_product();
            offset += (Vec3::new(x, y, z) + (to - at) * own) * share;
            weight += own * share;
        }
        if weight <= 0.0 || offset.length() <= 1e-6 * weight {
            return at;
        }
        let middle = at + offset / weight;
        middle - offset.normalize() * (self.radius / self.cell)
    }

    fn vertex(&self, node: Node) -> u32 {
        let (block, index) = place(node);
        self.blocks.get(&block).map_or(NO_VERTEX, |block| block.vertices[index])
    }

    /// Two triangles for each edge of the grid that the surface crosses, between the four cells around it.
    fn connect(&self) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        for node in self.nodes() {
            let inside = self.value(node) < 0.0;
            for axis in 0..3 {
                let unit = |c: usize| -> Node { std::array::from_fn(|k| i64::from(k == c)) };
                if inside == (self.value(moved(node, unit(axis))) < 0.0) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let back = |c: usize| unit(c).map(|k| -k);
                let around = [moved(moved(node, back(u)), back(v)), moved(node, back(v)), node, moved(node, back(u))];
                let mut quad = around.map(|cell| self.vertex(cell));
                if !inside {
                    quad.reverse();
                }
                if quad.contains(&NO_VERTEX) {
                    continue; // At the rim of the blocks there is no surface.
                }
                let [a, b, c, d] = quad;
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        triangles
    }
}

/// Mean of the points in a cell's edges at which the values at its corners change sign.
fn crossing_mean(values: &[f32; 8]) -> Vec3 {
    let (mut sum, mut count) = (Vec3::ZERO, 0.0);
    for a in 0..8 {
        for bit in [1, 2, 4] {
            let b = a | bit;
            if b == a || (values[a] < 0.0) == (values[b] < 0.0) {
                continue;
            }
            let (from, to) = (corner(a).map(|c| c as f64), corner(b).map(|c| c as f64));
            // A node without particles near is infinitely far: the surface is as near to the other as can be.
            let part = if values[a].is_finite() && values[b].is_finite() {
                f64::from(values[a] / (values[a] - values[b]))
            } else {
                0.5
            };
            sum += Vec3::from_array(from).lerp(Vec3::from_array(to), part);
            count += 1.0;
        }
    }
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tet_volume;

    /// Volume inside a closed surface whose triangles face outwards.
    fn enclosed(mesh: &TriangleMesh) -> f64 {
        let corners = |t: &[u32; 3]| t.map(|v| mesh.positions[v as usize]);
        mesh.triangles
            .iter()
            .map(|t| {
                let [a, b, c] = corners(t);
                tet_volume([Vec3::ZERO, a, b, c])
            })
            .sum()
    }

    #[test]
    fn a_block_of_fluid_has_a_closed_surface_around_its_volume() {
        let s = 0.05;
        let lattice = |n: usize| (0..n).map(move |k| (k as f64 + 0.5) * s);
        let points: Vec<Vec3> = lattice(12)
            .flat_map(|x| lattice(10).flat_map(move |y| lattice(8).map(move |z| Vec3::new(x - 7.0, y, z))))
            .collect();
        let mesh = FluidSurface::new(s).mesh(&points).expect("a mesh");
        assert!(mesh.boundary_edges().is_empty(), "the surface is closed");
        let volume = enclosed(&mesh);
        let expected = (12 * 10 * 8) as f64 * s * s * s;
        assert!((volume / expected - 1.0).abs() < 0.1, "{volume} m³ around {expected} m³");
        let top = mesh.positions.iter().fold(f64::NEG_INFINITY, |top, p| top.max(p.y));
        assert!((top - 10.0 * s).abs() < 0.2 * s, "flat top at {top}");
    }

    #[test]
    fn drops_apart_have_surfaces_apart() {
        let mesh = FluidSurface::new(0.1).mesh(&[Vec3::ZERO, Vec3::new(1e5, 0.0, 0.0), Vec3::NAN]).expect("a mesh");
        let radius = |p: &Vec3| p.length().min(p.distance(Vec3::new(1e5, 0.0, 0.0)));
        assert!(mesh.positions.iter().all(|p| (radius(p) - 0.055).abs() < 0.005));
        assert_eq!(mesh.components().count, 2);
    }
}
