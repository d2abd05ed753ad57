//! Colliders as surfaces to draw: grey, so that bodies stand out, unless they are given colours.

use pliant::collide::{Collider, DistanceGrid, Pose, Shape};
use pliant::math::Vec3;
use pliant::mesh::generate::Icosphere;
use pliant::mesh::{Bounds, Resolution, Tetrahedralise};

use crate::{Color, Extent, Mesh, Paint};

/// Colour of colliders.
const GREY: Color = Color::hex(0xa3a8b0);
/// Segments of what is round.
const AROUND: usize = 48;
/// Rings of a round end.
const RINGS: usize = 12;
/// Half the side of what is drawn of a plane, as a share of the diagonal of what is around it.
const PLANE_REACH: f64 = 0.55;
/// A plane whose normal is as near to upright as this is level.
const LEVEL: f64 = 1.0 - 1e-9;

/// The surfaces of colliders, made once and drawn at many times.
///
/// ```
/// use pliant::collide::{Collider, Shape};
/// use pliant::math::Vec3;
/// use pliant::mesh::Bounds;
/// use pliant_picture::ColliderSurfaces;
///
/// let colliders = [Collider::new(Shape::Sphere { radius: 0.5 }).at(Vec3::Y), Collider::new(Shape::Plane)];
/// let surfaces = ColliderSurfaces::new(&colliders);
/// let around = Bounds { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) };
/// assert_eq!(surfaces.meshes(0.0, &around).len(), 1);
/// assert_eq!(surfaces.ground(0.0), Some(0.0));
/// ```
#[derive(Debug, Clone)]
pub struct ColliderSurfaces<'a> {
    colliders: &'a [Collider],
    /// In the shapes' coordinates; none of planes, which have no end.
    surfaces: Vec<Option<Surface>>,
    /// In the order of the colliders; those after the last are grey.
    colors: Vec<Option<Color>>,
}

type Surface = (Vec<Vec3>, Vec<[u32; 3]>);

/// What a collider looks like, about its own origin.
#[derive(Debug, Clone, PartialEq)]
pub struct ColliderPart {
    /// Corners \[m\].
    pub positions: Vec<Vec3>,
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Its colour.
    pub color: Color,
    /// Whether it is a plane, of which this is a part: seen from the front only.
    pub is_plane: bool,
}

impl<'a> ColliderSurfaces<'a> {
    /// Makes the surfaces of these colliders. Colliders that cannot be drawn, such as a grid of distances without an
    /// inside, are omitted.
    pub fn new(colliders: &'a [Collider]) -> Self {
        let surfaces = colliders.iter().map(|collider| surface(collider.shape())).collect();
        Self { colliders, surfaces, colors: Vec::new() }
    }

    /// Gives colliders colours, in their order; those without one are grey.
    #[must_use]
    pub fn with_colors(self, colors: Vec<Option<Color>>) -> Self {
        Self { colors, ..self }
    }

    fn color(&self, number: usize) -> Option<Color> {
        self.colors.get(number).copied().flatten()
    }

    /// Height \[m\] of the highest horizontal plane that faces up at a time \[s\]: it is drawn as the ground.
    pub fn ground(&self, time: f64) -> Option<f64> {
        self.highest_plane(time).map(|(_, height)| height)
    }

    /// The colour of that plane at a time \[s\], if it was given one.
    pub fn ground_color(&self, time: f64) -> Option<Color> {
        self.highest_plane(time).and_then(|(number, _)| self.color(number))
    }

    /// The number and the height of the highest horizontal plane that faces up.
    fn highest_plane(&self, time: f64) -> Option<(usize, f64)> {
        let all = self.colliders.iter().enumerate();
        let planes = all.filter(|(_, collider)| matches!(collider.shape(), Shape::Plane));
        let poses = planes.map(|(number, plane)| (number, plane.pose(time))).filter(|(_, pose)| is_level(pose));
        poses.map(|(number, pose)| (number, pose.position.y)).reduce(|a, b| if b.1 > a.1 { b } else { a })
    }

    /// The visible surfaces at a time \[s\]: all finite colliders, and the part of inclined planes around a box. Planes
    /// are drawn from the front only, so that they do not hide what is in front of them.
    pub fn meshes(&self, time: f64, around: &Bounds) -> Vec<Mesh> {
        let mut meshes = Vec::new();
        for (number, (collider, surface)) in self.colliders.iter().zip(&self.surfaces).enumerate() {
            let (pose, color) = (collider.pose(time), self.color(number).unwrap_or(GREY));
            match surface {
                Some((_, triangles)) => meshes.push(dull(placed(collider, surface, time), triangles.clone(), color)),
                None if matches!(collider.shape(), Shape::Plane) && !is_level(&pose) => {
                    meshes.push(Mesh { one_sided: true, ..plane(&pose, around, color) });
                }
                None => {}
            }
        }
        meshes
    }

    /// The surfaces of finite colliders, about their own origins: the number of the collider, positions \[m\] and triangles.
    pub fn surfaces(&self) -> impl Iterator<Item = (usize, &[Vec3], &[[u32; 3]])> {
        let all = self.surfaces.iter().enumerate();
        all.filter_map(|(number, own)| {
            own.as_ref().map(|(positions, triangles)| (number, &positions[..], &triangles[..]))
        })
    }

    /// Every collider about its own origin, in order: what it looks like, and in which colour. Empty where it cannot be drawn, or is drawn as the ground. Planes are
    /// drawn around a box, as they lie at the start.
    pub fn parts(&self, around: &Bounds) -> Vec<ColliderPart> {
        let part = |number: usize, collider: &Collider| {
            let (pose, color) = (collider.pose(0.0), self.color(number).unwrap_or(GREY));
            let is_plane = matches!(collider.shape(), Shape::Plane);
            let (positions, triangles) = match &self.surfaces[number] {
                Some((positions, triangles)) => (positions.clone(), triangles.clone()),
                None if is_plane && !is_level(&pose) => {
                    let Mesh { positions, triangles, .. } = plane(&pose, around, color);
                    (positions.into_iter().map(|p| pose.to_local(p)).collect(), triangles)
                }
                None => (Vec::new(), Vec::new()),
            };
            ColliderPart { positions, triangles, color, is_plane }
        };
        self.colliders.iter().enumerate().map(|(number, collider)| part(number, collider)).collect()
    }

    /// The box around all finite colliders that are not larger than a length \[m\], at a time \[s\].
    pub fn extent(&self, time: f64, largest: f64) -> Extent {
        let mut extent = Extent::default();
        for (collider, surface) in self.colliders.iter().zip(&self.surfaces) {
            let mut own = Extent::default();
            own.add(&placed(collider, surface, time));
            if let Some(bounds) = own.bounds().filter(|bounds| bounds.diagonal() <= largest) {
                extent.add(&[bounds.min, bounds.max]);
            }
        }
        extent
    }
}

fn is_level(pose: &Pose) -> bool {
    (pose.rotation * Vec3::Y).y > LEVEL
}

fn dull(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>, color: Color) -> Mesh {
    let paint = Paint::Plain { front: color, back: color };
    Mesh { gloss: 0.04, crease: 40f64.to_radians(), ..Mesh::new(positions, triangles, paint) }
}

/// Where the vertices of a surface are at a time.
fn placed(collider: &Collider, surface: &Option<Surface>, time: f64) -> Vec<Vec3> {
    let pose = collider.pose(time);
    let deformed = collider.frame(time);
    let local = deformed.as_ref().or(surface.as_ref().map(|(positions, _)| positions));
    local.map_or(Vec::new(), |positions| positions.iter().map(|&p| pose.to_world(p)).collect())
}

/// The part of a plane that is below or beside a box.
fn plane(pose: &Pose, around: &Bounds, color: Color) -> Mesh {
    let middle = pose.to_local(around.centre());
    let reach = PLANE_REACH * around.diagonal();
    let corner = |x: f64, z: f64| pose.to_world(Vec3::new(middle.x + reach * x, 0.0, middle.z + reach * z));
    let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    dull(corners, vec![[0, 2, 1], [0, 3, 2]], color)
}

fn surface(shape: &Shape) -> Option<Surface> {
    match shape {
        Shape::Plane => None,
        Shape::Sphere { radius } => {
            let mesh = Icosphere { radius: *radius, subdivisions: 4 }.mesh().ok()?;
            Some((mesh.positions, mesh.triangles))
        }
        Shape::Capsule { radius, length } => {
            let ends = [-0.5, 0.5].map(|end| {
                let ring = move |k: usize| 0.5 * std::f64::consts::PI * k as f64 / RINGS as f64;
                let ring = move |k: usize| if end < 0.0 { ring(k) - 0.5 * std::f64::consts::PI } else { ring(k) };
                (0..=RINGS).map(move |k| [radius * ring(k).cos(), end * length + radius * ring(k).sin()])
            });
            let [low, high] = ends;
            Some(turned(&low.chain(high).collect::<Vec<_>>()))
        }
        Shape::Cylinder { radius, length } => {
            let h = 0.5 * length;
            Some(turned(&[[0.0, -h], [*radius, -h], [*radius, h], [0.0, h]]))
        }
        Shape::Box { size } => Some(block(0.5 * *size)),
        Shape::Heightfield(field) => {
            let (positions, triangles) = field.surface();
            Some((positions.to_vec(), triangles.to_vec()))
        }
        Shape::Mesh(mesh) => {
            let (positions, triangles) = mesh.surface();
            Some((positions.to_vec(), triangles.to_vec()))
        }
        Shape::Grid(grid) => of_grid(grid),
    }
}

/// The surface where sampled distances are zero.
fn of_grid(grid: &DistanceGrid) -> Option<Surface> {
    let filling = Tetrahedralise { resolution: Resolution::Cell(grid.spacing()), ..Tetrahedralise::default() };
    let mesh = filling.fill(grid).ok()?.mesh.surface().ok()?.mesh;
    Some((mesh.positions, mesh.triangles))
}

/// A profile of points (radius, height) from bottom to top, turned about y.
fn turned(profile: &[[f64; 2]]) -> Surface {
    let mut positions = Vec::new();
    for &[radius, height] in profile {
        positions.extend((0..AROUND).map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / AROUND as f64).sin_cos();
            Vec3::new(radius * cos, height, -radius * sin)
        }));
    }
    let mut triangles = Vec::new();
    for row in 0..profile.len() - 1 {
        for k in 0..AROUND {
            let at = |row: usize, k: usize| (row * AROUND + k % AROUND) as u32;
            let [a, b, c, d] = [at(row, k), at(row, k + 1), at(row + 1, k + 1), at(row + 1, k)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    // Rings at the ends may be points; half of their triangles then have no area, and no normal.
    triangles.retain(|t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        a != b && b != c && c != a
    });
    (positions, triangles)
}

fn block(half: Vec3) -> Surface {
    let corner = |k: u32| {
        let side = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * Vec3::new(side(0), side(1), side(2))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    ((0..8).map(corner).collect(), quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::TriangleMesh;
    use pliant::mesh::sdf::Ball;

    #[test]
    fn surfaces_lie_on_their_shapes_and_face_outwards() -> Result<(), Box<dyn std::error::Error>> {
        let ball = DistanceGrid::sampled(&Ball { centre: Vec3::X, radius: 0.5 }, 0.05)?;
        let (pi, size) = (std::f64::consts::PI, Vec3::new(1.0, 2.0, 3.0));
        for (shape, volume) in [
            (Shape::Sphere { radius: 0.5 }, pi / 6.0),
            (Shape::Capsule { radius: 0.5, length: 2.0 }, pi / 6.0 + 0.5 * pi),
            (Shape::Cylinder { radius: 0.5, length: 2.0 }, 0.5 * pi),
            (Shape::Box { size }, 6.0),
            (Shape::Grid(ball), pi / 6.0),
        ] {
            let (positions, triangles) = surface(&shape).ok_or("no surface")?;
            for p in &positions {
                assert!(shape.nearby(*p).distance.abs() < 2e-3, "{shape:?} at {p}");
            }
            let signed: f64 = triangles
                .iter()
                .map(|t| t.map(|v| positions[v as usize]))
                .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
                .sum();
            assert!((signed / volume - 1.0).abs() < 0.02, "{shape:?}: {signed} of {volume}");
            let _: TriangleMesh = TriangleMesh::new(positions, triangles)?;
        }
        Ok(())
    }

    #[test]
    fn what_moves_is_drawn_where_it_is() {
        use pliant::collide::Key;
        let key = |time: f64| Key { time, pose: Pose { position: Vec3::X * time, ..Pose::default() } };
        let colliders = [
            Collider::new(Shape::Box { size: Vec3::ONE }).moving(vec![key(0.0), key(2.0)]),
            Collider::new(Shape::Plane),
        ];
        let surfaces = ColliderSurfaces::new(&colliders);
        let bounds = surfaces.extent(1.5, 10.0).bounds().map(|bounds| bounds.centre());
        assert_eq!(bounds, Some(Vec3::X * 1.5));
        assert!(surfaces.extent(1.5, 1.0).bounds().is_none(), "it is larger than a metre");
    }
}
