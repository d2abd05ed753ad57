//! What can touch on a device: the triangles, edges and vertices of all surfaces and strands, numbered so that neighbours are near in memory.

use pliant::math::Vec3;
use pliant::proximity::Primitives;
use pliant::{Model, SelfCollision};

use super::tree::Shape;
use crate::error::GpuError;
use crate::local::Places;

/// Marks in elements; see `common.wgsl`.
const WITH_ITSELF: u32 = 0x8000_0000;
const SEGMENT: u32 = 1;
const NOBODY: u32 = u32::MAX;
/// Threads of a workgroup of seekers: those of vertices and those of edges are in different workgroups.
pub(super) const SEEKING: usize = 64;
/// Cells along an axis in which elements are sorted at first.
const CELLS: f64 = 1023.0;

/// Surfaces and strands, by places.
#[derive(Debug)]
pub(super) struct Surfaces {
    /// Triangles, edges, vertices; see `common.wgsl`.
    pub(super) elements: Vec<[u32; 4]>,
    /// Across each side of each triangle the third vertex of the neighbour.
    pub(super) across: Vec<[u32; 4]>,
    /// The engine's numbers of triangles and edges.
    pub(super) triangle_numbers: Vec<u32>,
    pub(super) edge_numbers: Vec<u32>,
    pub(super) vertices: usize,
    /// Vertices of the world.
    pub(super) places: usize,
    pub(super) shapes: [Shape; 2],
}

impl Surfaces {
    /// Of a world whose bodies can all be kept apart on a device.
    pub(super) fn new(model: &Model, places: &Places) -> Result<Self, GpuError> {
        check(model)?;
        let primitives = Primitives::new(model.bodies());
        let body = |v: u32| {
            let body = primitives.body(v);
            body | if primitives.are_kept_apart(v, v) { WITH_ITSELF } else { 0 }
        };
        let rest = model.rest();
        let sorted = |count: usize, corners: &dyn Fn(usize) -> Vec<u32>| -> Vec<u32> {
            let middles: Vec<(u32, Vec3)> = (0..count)
                .map(|k| {
                    let corners = corners(k);
                    let sum: Vec3 = corners.iter().map(|&v| rest[v as usize]).sum();
                    (primitives.body(corners[0]), sum / corners.len() as f64)
                })
                .collect();
            along_a_curve(&middles)
        };
        let (triangles, edges, vertices) = (primitives.triangles(), primitives.edges(), primitives.vertices());
        let triangle_numbers = sorted(triangles.len(), &|t| triangles[t].to_vec());
        let edge_numbers = sorted(edges.len(), &|e| edges[e].to_vec());
        let vertex_numbers = sorted(vertices.len(), &|v| vec![vertices[v]]);
        let mut elements = Vec::with_capacity(triangles.len() + edges.len() + vertices.len());
        let mut across = Vec::with_capacity(triangles.len());
        for &t in &triangle_numbers {
            let [a, b, c] = triangles[t as usize];
            elements.push([places.of(a), places.of(b), places.of(c), body(a)]);
            let [x, y, z] = primitives.across(t).map(|v| v.map_or(NOBODY, |v| places.of(v)));
            across.push([x, y, z, NOBODY]);
        }
        for &e in &edge_numbers {
            let [a, b] = edges[e as usize];
            let kind = if primitives.is_segment(e) { SEGMENT } else { 0 };
            elements.push([places.of(a), places.of(b), kind, body(a)]);
        }
        elements.extend(vertex_numbers.iter().map(|&k| vertices[k as usize]).map(|v| [places.of(v), 0, 0, body(v)]));
        Ok(Self {
            elements,
            across,
            shapes: [Shape::new(triangles.len()), Shape::new(edges.len())],
            triangle_numbers,
            edge_numbers,
            vertices: vertices.len(),
            places: model.rest().len(),
        })
    }

    pub(super) fn triangles(&self) -> usize {
        self.triangle_numbers.len()
    }

    pub(super) fn edges(&self) -> usize {
        self.edge_numbers.len()
    }

    /// Number of the first seeker that is an edge.
    pub(super) fn first_edge(&self) -> usize {
        self.vertices.next_multiple_of(SEEKING)
    }

    /// Vertices and edges that look for others, with those between that are nobody.
    pub(super) fn seekers(&self) -> usize {
        self.first_edge() + self.edges()
    }

    /// The numbers that all kernels begin with.
    pub(super) fn constants(&self, settings: &SelfCollision) -> String {
        let [triangles, edges] = &self.shapes;
        let whole = [
            ("PLACES", self.places),
            ("TRIANGLES", self.triangles()),
            ("EDGES", self.edges()),
            ("VERTICES", self.vertices),
            ("FIRST_EDGE", self.first_edge()),
            ("SEEKERS", self.seekers()),
            ("TRIANGLE_LEVELS", triangles.levels),
            ("TRIANGLE_NODES", triangles.nodes),
            ("EDGE_LEVELS", edges.levels),
            ("EDGE_NODES", edges.nodes),
        ];
        let lines = whole.map(|(name, value)| format!("const {name} = {value}u;\n"));
        format!("{}const FLOOR = {};\n", lines.concat(), literal(FLOOR * settings.thickness))
    }
}

/// A number as WGSL.
pub(super) fn literal(value: f64) -> String {
    // What f32 cannot hold is not a literal in WGSL.
    format!("{:e}f", (value as f32).clamp(-f32::MAX, f32::MAX))
}

/// Gaps below this share of the thickness hardly shrink further, as on the CPU.
const FLOOR: f64 = 0.02;

/// Refuses what is not kept apart on a device.
fn check(model: &Model) -> Result<(), GpuError> {
    let refuse = |what: String, feature: &str, instead| {
        Err(GpuError::Unsupported { what, feature: feature.to_owned(), instead })
    };
    if let Some(body) = model.bodies().iter().find(|body| !body.welded.is_empty()) {
        let what = format!("body {:?}", body.name);
        return refuse(what, "copies of pinned vertices and self-collision", "keep its layers apart on the CPU");
    }
    if !model.matter().is_empty() {
        return refuse(
            "the world".to_owned(),
            "self-collision and bodies that are not made of elements alone",
            "keep its layers apart on the CPU",
        );
    }
    Ok(())
}

/// Numbers of things by body and along a curve through their middles, so that what is near in space mostly is near in the order.
fn along_a_curve(middles: &[(u32, Vec3)]) -> Vec<u32> {
    let mut low = Vec3::INFINITY;
    let mut high = Vec3::NEG_INFINITY;
    middles.iter().for_each(|(_, middle)| (low, high) = (low.min(*middle), high.max(*middle)));
    let size = (high - low).max_element();
    let scale = if size > 0.0 { CELLS / size } else { 0.0 };
    let code = |middle: Vec3| {
        let spread = |value: f64| (0..10).fold(0_u32, |code, bit| code | ((value as u32 >> bit) & 1) << (3 * bit));
        let cell = (middle - low) * scale;
        spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
    };
    let mut order: Vec<(u32, u32, u32)> =
        (0..).zip(middles).map(|(k, &(body, middle))| (body, code(middle), k)).collect();
    order.sort_unstable();
    order.into_iter().map(|(.., k)| k).collect()
}
