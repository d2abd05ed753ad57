//! From a layout and a frame to numbers for the GPU.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};

use super::surface::{self, Surface};
use crate::protocol::{BodyLayout, Frame, Layout, LiquidSurface, Pose};

/// Strength of the highlights of bodies; colliders are dull.
const GLOSS: f32 = 0.12;
const DULL: f32 = 0.05;
/// What is farther away \[m\] is as good as not a number: single precision cannot place it.
const FARTHEST: f32 = 1e12;

/// A vertex of a surface, new with every frame.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(crate) struct Vertex {
    pub(crate) position: [f32; 3],
    pub(crate) normal: [f32; 3],
    /// From 0 to 1; −1 is not a number.
    pub(crate) value: f32,
}

/// The colours of a vertex: sRGB in front, with the strength of highlights; on the back, with 255 if it shows values.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(crate) struct Colors {
    pub(crate) front: [u8; 4],
    pub(crate) back: [u8; 4],
}

/// A piece of a strand.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(crate) struct Piece {
    pub(crate) ends: [[f32; 3]; 2],
    pub(crate) radius: f32,
    pub(crate) values: [f32; 2],
    /// sRGB, with 255 if it shows values.
    pub(crate) color: [u8; 4],
}

/// A ball.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(crate) struct Ball {
    pub(crate) middle: [f32; 3],
    pub(crate) radius: f32,
    pub(crate) value: f32,
    pub(crate) color: [u8; 4],
}

/// Surfaces that are drawn at once.
#[derive(Debug, Default)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) colors: Vec<Colors>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Colours or triangles differ from those that were last taken.
    pub(crate) is_changed: bool,
}

impl Mesh {
    fn clear(&mut self) {
        self.vertices.clear();
        self.colors.clear();
        self.triangles.clear();
        self.is_changed = true;
    }

    /// Adds a surface; triangles that have a corner that is nowhere are left out.
    fn add(&mut self, drawn: &[Vec3], triangles: &[[u32; 3]], colors: Colors) -> usize {
        let first = self.vertices.len();
        let mut normals = Vec::new();
        surface::normals(drawn, triangles, &mut normals);
        self.vertices.extend(drawn.iter().zip(normals).map(|(position, normal)| Vertex {
            position: if is_somewhere(*position) { position.to_array() } else { [0.0; 3] },
            normal: normal.to_array(),
            value: 0.0,
        }));
        self.colors.resize(self.vertices.len(), colors);
        let whole = triangles.iter().filter(|t| t.iter().all(|&v| is_somewhere(drawn[v as usize])));
        self.triangles.extend(whole.map(|t| t.map(|v| v + first as u32)));
        first
    }
}

fn is_somewhere(position: Vec3) -> bool {
    position.abs().max_element() < FARTHEST
}

/// Everything of a frame, as the GPU wants it.
#[derive(Debug, Default)]
pub(crate) struct Geometry {
    layout: Option<Layout>,
    /// One for each body, made from the first frame of a layout.
    surfaces: Vec<Surface>,
    /// One for each collider.
    collider_surfaces: Vec<Surface>,
    /// Bodies and colliders, seen from both sides.
    pub(crate) solid: Mesh,
    /// Planes, seen from the front only.
    pub(crate) planes: Mesh,
    /// Surfaces of fluids.
    pub(crate) liquid: Mesh,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) balls: Vec<Ball>,
    /// Whether colours show values.
    pub(crate) is_valued: bool,
    /// The box around bodies, and around all that throws shadows.
    pub(crate) bodies: Option<[Vec3; 2]>,
    pub(crate) casters: Option<[Vec3; 2]>,
    is_fresh: bool,
    had_gaps: bool,
}

impl Geometry {
    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    pub(crate) fn set_layout(&mut self, layout: &Layout) {
        *self = Self { layout: Some(layout.clone()), is_fresh: true, ..Self::default() };
        for mesh in [&mut self.solid, &mut self.planes, &mut self.liquid] {
            mesh.is_changed = true;
        }
    }

    /// Takes in a frame; not one of another layout, or with another number of vertices.
    pub(crate) fn set_frame(&mut self, frame: &Frame) -> bool {
        let Some(layout) = self.layout.take() else { return false };
        let is_ours = frame.layout == layout.number && frame.positions.len() == layout.vertices as usize;
        if is_ours {
            self.take(&layout, frame);
        }
        self.layout = Some(layout);
        is_ours
    }

    fn take(&mut self, layout: &Layout, frame: &Frame) {
        let positions: Vec<Vec3> = frame.positions.iter().map(|&p| Vec3::from(p)).collect();
        let values = Values::of(frame);
        self.is_valued = values.is_some();
        if std::mem::take(&mut self.is_fresh) {
            self.surfaces = layout.bodies.iter().map(|body| Surface::new(&positions, &body.triangles)).collect();
            let own = |positions: &[[f32; 3]]| positions.iter().map(|&p| Vec3::from(p)).collect::<Vec<_>>();
            let colliders = layout.colliders.iter();
            self.collider_surfaces = colliders.map(|c| Surface::new(&own(&c.positions), &c.triangles)).collect();
        }
        self.bodies = around(&positions);
        // Which triangles are drawn changes only where positions get lost and are found again.
        let has_gaps = positions.iter().any(|&position| !is_somewhere(position));
        let has_same_triangles =
            !has_gaps && !self.had_gaps && !self.solid.triangles.is_empty() && !self.solid.is_changed;
        self.had_gaps = has_gaps;
        let before = self.solid.triangles.len();
        self.solid.clear();
        let mut drawn = Vec::new();
        for (body, surface) in layout.bodies.iter().zip(&self.surfaces) {
            drawn.clear();
            drawn.extend(surface.sources.iter().map(|&v| positions[v as usize]));
            let first = self.solid.add(&drawn, &surface.triangles, colors(body));
            if let Some(values) = &values {
                let own = self.solid.vertices[first..].iter_mut().zip(&surface.sources);
                own.for_each(|(vertex, &source)| vertex.value = values.at(source));
            }
        }
        self.add_colliders(layout, &frame.colliders);
        self.solid.is_changed = !has_same_triangles || self.solid.triangles.len() != before;
        self.add_strands_and_balls(layout, frame, &positions, values.as_ref());
    }

    fn add_colliders(&mut self, layout: &Layout, poses: &[Pose]) {
        self.planes.clear();
        self.casters = self.bodies;
        for ((collider, pose), surface) in layout.colliders.iter().zip(poses).zip(&self.collider_surfaces) {
            let turn = Quat::from_array(pose.rotation);
            let turn =
                if turn.length_squared() > 1e-12 && turn.is_finite() { turn.normalize() } else { Quat::IDENTITY };
            let place = Vec3::from(pose.position);
            let positions: Vec<Vec3> = collider.positions.iter().map(|&p| turn * Vec3::from(p) + place).collect();
            let [r, g, b] = collider.color;
            let colors = Colors { front: [r, g, b, (255.0 * DULL) as u8], back: [r, g, b, 0] };
            let drawn: Vec<Vec3> = surface.sources.iter().map(|&v| positions[v as usize]).collect();
            if collider.is_plane {
                self.planes.add(&drawn, &surface.triangles, colors);
            } else {
                self.solid.add(&drawn, &surface.triangles, colors);
                self.casters = union(self.casters, around(&drawn));
            }
        }
    }

    fn add_strands_and_balls(
        &mut self,
        layout: &Layout,
        frame: &Frame,
        positions: &[Vec3],
        values: Option<&Values<'_>>,
    ) {
        self.pieces.clear();
        self.balls.clear();
        self.liquid.clear();
        let at = |v: u32| positions.get(v as usize).copied().filter(|&position| is_somewhere(position));
        let value = |v: u32| values.map_or(0.0, |values| values.at(v));
        for (number, body) in layout.bodies.iter().enumerate() {
            let [r, g, b] = body.color[0];
            let color = [r, g, b, 255];
            let radius = if body.radius.is_finite() { body.radius.max(0.0) } else { 0.0 };
            self.pieces.extend(body.segments.iter().filter_map(|&[a, b]| {
                let ends = [at(a)?.to_array(), at(b)?.to_array()];
                Some(Piece { ends, radius, values: [value(a), value(b)], color })
            }));
            // A fluid shows its surface, and its particles where colours show values.
            let liquid = frame.liquids.iter().find(|liquid| body.is_fluid && liquid.body as usize == number);
            if let (Some(liquid), None) = (liquid, values) {
                self.add_liquid(liquid, colors(body));
                continue;
            }
            self.balls.extend(
                body.points
                    .iter()
                    .filter_map(|&v| Some(Ball { middle: at(v)?.to_array(), radius, value: value(v), color })),
            );
        }
    }

    fn add_liquid(&mut self, liquid: &LiquidSurface, colors: Colors) {
        let drawn: Vec<Vec3> = liquid.positions.iter().map(|&p| Vec3::from(p)).collect();
        let inside = |t: &&[u32; 3]| t.iter().all(|&v| (v as usize) < drawn.len());
        let triangles: Vec<[u32; 3]> = liquid.triangles.iter().filter(inside).copied().collect();
        self.liquid.add(&drawn, &triangles, colors);
    }
}

fn colors(body: &BodyLayout) -> Colors {
    let [[r, g, b], [x, y, z]] = body.color;
    Colors { front: [r, g, b, (255.0 * GLOSS) as u8], back: [x, y, z, 255] }
}

/// The values that colours show.
struct Values<'a> {
    values: &'a [f32],
    scale: f32,
}

impl<'a> Values<'a> {
    fn of(frame: &'a Frame) -> Option<Self> {
        let scale = if frame.most > 0.0 { 1.0 / frame.most } else { 0.0 };
        (frame.values.len() == frame.positions.len() && !frame.values.is_empty())
            .then_some(Self { values: &frame.values, scale })
    }

    fn at(&self, vertex: u32) -> f32 {
        let value = self.scale * self.values.get(vertex as usize).copied().unwrap_or(f32::NAN);
        if value.is_nan() { -1.0 } else { value.clamp(0.0, 1.0) }
    }
}

fn around(positions: &[Vec3]) -> Option<[Vec3; 2]> {
    let seen = positions.iter().filter(|&&position| is_somewhere(position));
    seen.fold(None, |bounds, &position| union(bounds, Some([position; 2])))
}

fn union(a: Option<[Vec3; 2]>, b: Option<[Vec3; 2]>) -> Option<[Vec3; 2]> {
    match (a, b) {
        (Some([low, high]), Some([lower, higher])) => Some([low.min(lower), high.max(higher)]),
        (a, b) => a.or(b),
    }
}
