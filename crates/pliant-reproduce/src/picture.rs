//! Shapes side by side in one picture.

use pliant::math::{Mat3, Vec3};
use pliant::mesh::Bounds;
use pliant_picture::{Camera, Color, Ground, Image, Mesh, Points, RenderOptions, Scene, Wireframe, render};

use crate::ReproduceError;

/// A row of surfaces from left to right.
#[derive(Debug, Clone)]
pub(crate) struct Row<'a> {
    /// Positions of each \[m\].
    pub(crate) shapes: Vec<&'a [Vec3]>,
    /// Triangles of each, or of all where there is one list.
    pub(crate) triangles: Vec<&'a [[u32; 3]]>,
    /// Angle by which each is turned about the vertical \[°\].
    pub(crate) turn: f64,
    /// Width and height of the picture \[px\].
    pub(crate) size: [usize; 2],
    /// Whether the edges of triangles are drawn.
    pub(crate) edges: bool,
    /// Triangles that meet at more than this angle \[°\] meet in an edge.
    pub(crate) crease: f64,
}

/// How far away the camera stands, compared with one of a usual lens: near ones would show the first larger than the last.
const FAR: f64 = 6.0;
/// Where the camera looks.
const DIRECTION: Vec3 = Vec3::new(0.0, -0.3, -1.0);
/// Angle by which particles are turned about the vertical \[°\]: corners of cubes show.
const TURN: f64 = -25.0;
/// Free space between neighbours, as a share of the widest.
const GAP: f64 = 0.2;

impl Row<'_> {
    pub(crate) fn draw(&self) -> Result<Image, ReproduceError> {
        draw_row(&self.shapes, self.turn, self.size, |scene, k, moved| {
            let triangles = self.triangles[k.min(self.triangles.len() - 1)].to_vec();
            let mesh = Mesh::new(moved, triangles, Color::of_body(k));
            let wireframe = self.edges.then(Wireframe::default);
            scene.meshes.push(Mesh { crease: self.crease.to_radians(), wireframe, ..mesh });
        })
    }
}

/// Particles as balls of a radius \[m\], body by body from left to right.
pub(crate) fn draw_balls(shapes: &[&[Vec3]], radius: f64, size: [usize; 2]) -> Result<Image, ReproduceError> {
    draw_row(shapes, TURN, size, |scene, k, moved| scene.points.push(Points::new(moved, radius, Color::of_body(k))))
}

/// Puts shapes side by side, turned about the vertical \[°\]; `add` puts each into the scene.
fn draw_row(
    shapes: &[&[Vec3]],
    turn: f64,
    [width, height]: [usize; 2],
    add: impl Fn(&mut Scene, usize, Vec<Vec3>),
) -> Result<Image, ReproduceError> {
    let turn = Mat3::from_rotation_y(turn.to_radians());
    let turned: Vec<Vec<Vec3>> = shapes.iter().map(|shape| shape.iter().map(|p| turn * *p).collect()).collect();
    let boxes: Vec<Bounds> = turned.iter().filter_map(|shape| Bounds::around(shape)).collect();
    let pitch = (1.0 + GAP) * boxes.iter().fold(0.0_f64, |most, b| most.max(b.size().x));
    let mut scene = Scene::default();
    for (k, shape) in turned.iter().enumerate() {
        let shift = Vec3::X * (pitch * k as f64 - boxes[k].centre().x);
        add(&mut scene, k, shape.iter().map(|p| *p + shift).collect());
    }
    let options = RenderOptions { width, height, samples: 3, ..RenderOptions::default() };
    let extent = scene.extent();
    let Some(bounds) = extent.bounds() else { return Ok(Image::new(width, height, [255; 3])) };
    scene.ground = Some(Ground::at(bounds.min.y - 0.02 * bounds.size().y));
    let near = Camera::framing(&bounds, DIRECTION, options.aspect());
    let camera = Camera {
        eye: near.target + (near.eye - near.target) * FAR,
        field_of_view: 2.0 * ((0.5 * near.field_of_view).tan() / FAR).atan(),
        ..near
    };
    Ok(render(&scene, &camera, &options)?)
}
