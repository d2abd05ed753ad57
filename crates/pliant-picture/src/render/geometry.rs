//! A scene as flat lists of primitives.

use pliant::math::Vec3;
use pliant::mesh::Bounds;

use crate::ColorMap;
use crate::scene::{Mesh, Paint, Scene, Wireframe};

/// Everything that can be hit. Primitives are numbered: triangles, then capsules, then balls.
#[derive(Debug, Default)]
pub(crate) struct Geometry {
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) capsules: Vec<Capsule>,
    pub(crate) balls: Vec<Ball>,
    pub(crate) finishes: Vec<Finish>,
    pub(crate) bounds: Option<Bounds>,
}

/// A triangle with a normal at each corner and a place on the colour map.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Triangle {
    pub(crate) corners: [Vec3; 3],
    pub(crate) normals: [Vec3; 3],
    pub(crate) parameters: [f64; 3],
    pub(crate) finish: u32,
}

/// A piece of a line with round ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capsule {
    pub(crate) ends: [Vec3; 2],
    pub(crate) radius: f64,
    pub(crate) parameters: [f64; 2],
    pub(crate) finish: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Ball {
    pub(crate) middle: Vec3,
    pub(crate) radius: f64,
    pub(crate) parameter: f64,
    pub(crate) finish: u32,
}

/// How the primitives of one object look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish {
    pub(crate) hue: Hue,
    pub(crate) gloss: f64,
    pub(crate) wireframe: Option<(Vec3, f64)>,
    /// Whether its triangles are seen from the front only.
    pub(crate) one_sided: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Hue {
    Plain { front: Vec3, back: Vec3 },
    Mapped(ColorMap),
}

pub(crate) enum Primitive<'a> {
    Triangle(&'a Triangle),
    Capsule(&'a Capsule),
    Ball(&'a Ball),
}

impl Geometry {
    pub(crate) fn of(scene: &Scene) -> Self {
        let mut geometry = Self { bounds: scene.extent().bounds(), ..Self::default() };
        for mesh in &scene.meshes {
            let finish = geometry.add_finish(&mesh.paint, mesh.gloss, mesh.wireframe);
            geometry.finishes[finish as usize].one_sided = mesh.one_sided;
            geometry.add_mesh(mesh, finish);
        }
        for lines in &scene.lines {
            let finish = geometry.add_finish(&lines.paint, lines.gloss, None);
            for ends in &lines.segments {
                geometry.capsules.push(Capsule {
                    ends: ends.map(|v| lines.positions[v as usize]),
                    radius: lines.radius,
                    parameters: ends.map(|v| parameter(&lines.paint, v as usize)),
                    finish,
                });
            }
        }
        for points in &scene.points {
            let finish = geometry.add_finish(&points.paint, points.gloss, None);
            for (vertex, &middle) in points.positions.iter().enumerate() {
                let parameter = parameter(&points.paint, vertex);
                geometry.balls.push(Ball { middle, radius: points.radius, parameter, finish });
            }
        }
        geometry
    }

    fn add_finish(&mut self, paint: &Paint, gloss: f64, wireframe: Option<Wireframe>) -> u32 {
        let hue = match paint {
            Paint::Plain { front, back } => Hue::Plain { front: front.linear(), back: back.linear() },
            Paint::Scalar { map, .. } => Hue::Mapped(*map),
        };
        let wireframe = wireframe.map(|wire| (wire.color.linear(), wire.width.max(0.0)));
        self.finishes.push(Finish { hue, gloss: gloss.clamp(0.0, 1.0), wireframe, one_sided: false });
        self.finishes.len() as u32 - 1
    }

    fn add_mesh(&mut self, mesh: &Mesh, finish: u32) {
        let normals = corner_normals(mesh);
        for (triangle, normals) in mesh.triangles.iter().zip(normals) {
            let corners = triangle.map(|v| mesh.positions[v as usize]);
            let parameters = triangle.map(|v| parameter(&mesh.paint, v as usize));
            self.triangles.push(Triangle { corners, normals, parameters, finish });
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.triangles.len() + self.capsules.len() + self.balls.len()
    }

    pub(crate) fn primitive(&self, id: usize) -> Primitive<'_> {
        let capsule = id.wrapping_sub(self.triangles.len());
        if id < self.triangles.len() {
            Primitive::Triangle(&self.triangles[id])
        } else if capsule < self.capsules.len() {
            Primitive::Capsule(&self.capsules[capsule])
        } else {
            Primitive::Ball(&self.balls[capsule - self.capsules.len()])
        }
    }
}

/// Place of a vertex on the colour map, from 0 to 1.
fn parameter(paint: &Paint, vertex: usize) -> f64 {
    match paint {
        Paint::Plain { .. } => 0.0,
        Paint::Scalar { values, range: [low, high], .. } => {
            let span = high - low;
            // A range without length has no places: show its middle.
            if span == 0.0 { 0.5 } else { (values[vertex] - low) / span }
        }
    }
}

/// A normal for each corner of each triangle: the mean of the faces around the vertex, weighted by area, without those
/// beyond the crease.
fn corner_normals(mesh: &Mesh) -> Vec<[Vec3; 3]> {
    let areas: Vec<Vec3> = mesh
        .triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
            (b - a).cross(c - a)
        })
        .collect();
    let units: Vec<Vec3> = areas.iter().map(|area| area.normalize_or_zero()).collect();
    let mut starts = vec![0u32; mesh.positions.len() + 1];
    for &v in mesh.triangles.iter().flatten() {
        starts[v as usize + 1] += 1;
    }
    for v in 0..mesh.positions.len() {
        starts[v + 1] += starts[v];
    }
    let mut around = vec![0u32; 3 * mesh.triangles.len()];
    let mut next = starts.clone();
    for (triangle, vertices) in mesh.triangles.iter().enumerate() {
        for &v in vertices {
            around[next[v as usize] as usize] = triangle as u32;
            next[v as usize] += 1;
        }
    }
    // Faces fade out of the mean over ten degrees, so that no edge appears from one frame to the next.
    let (inner, outer) = ((mesh.crease - 0.09).max(0.0).cos(), (mesh.crease + 0.09).min(std::f64::consts::PI).cos());
    let smooth = mesh.crease >= std::f64::consts::PI - 0.1;
    let normal = |triangle: usize, vertex: u32| {
        let faces = &around[starts[vertex as usize] as usize..starts[vertex as usize + 1] as usize];
        let sum: Vec3 = faces
            .iter()
            .map(|&face| {
                let t = ((units[triangle].dot(units[face as usize]) - outer) / (inner - outer)).clamp(0.0, 1.0);
                let weight = if smooth { 1.0 } else { t * t * (3.0 - 2.0 * t) };
                weight * areas[face as usize]
            })
            .sum();
        sum.normalize_or(units[triangle])
    };
    mesh.triangles.iter().enumerate().map(|(triangle, vertices)| vertices.map(|v| normal(triangle, v))).collect()
}
