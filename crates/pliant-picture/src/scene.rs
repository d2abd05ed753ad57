//! What is in a picture.

use std::ops::Range;

use pliant::Simulation;
use pliant::collide::Collider;
use pliant::math::Vec3;

use crate::{ColliderSurfaces, Color, ColorMap, Extent, ViewError};

/// What is in a picture: objects, the ground, the light, and the text over them. The y axis points up.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant_picture::{Camera, Color, Points, RenderOptions, Scene, render};
///
/// let ball = Points::new(vec![Vec3::ZERO], 0.5, Color::hex(0xe26d3d));
/// let scene = Scene { points: vec![ball], ..Scene::default() };
/// let camera = Camera::new(Vec3::new(0.0, 1.0, 4.0), Vec3::ZERO);
/// let image = render(&scene, &camera, &RenderOptions { width: 64, height: 40, ..RenderOptions::default() })?;
/// assert_eq!(image.width(), 64);
/// # Ok::<(), pliant_picture::ViewError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// Surfaces.
    pub meshes: Vec<Mesh>,
    /// Ropes, threads, hair.
    pub lines: Vec<Lines>,
    /// Balls.
    pub points: Vec<Points>,
    /// The ground, if there is one.
    pub ground: Option<Ground>,
    /// The background, which also lights the scene from all sides.
    pub sky: Sky,
    /// The lamp that casts shadows.
    pub light: Light,
    /// A scale that explains colours.
    pub legend: Option<Legend>,
    /// A line of text at the lower left.
    pub caption: Option<String>,
}

/// How an object is coloured.
#[derive(Debug, Clone, PartialEq)]
pub enum Paint {
    /// One colour for each side; lines and points use that of the front.
    Plain {
        /// Where triangles run counter-clockwise.
        front: Color,
        /// On the other side.
        back: Color,
    },
    /// A colour from a scalar at each vertex, on both sides.
    Scalar {
        /// One value for each vertex; NaN is drawn in grey.
        values: Vec<f64>,
        /// The values at the two ends of the colour map.
        range: [f64; 2],
        /// The colours.
        map: ColorMap,
    },
}

impl From<Color> for Paint {
    /// The colour in front, its paler companion behind.
    fn from(front: Color) -> Self {
        Self::Plain { front, back: front.back() }
    }
}

/// Lines along the edges of triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wireframe {
    /// Their colour.
    pub color: Color,
    /// Their width \[px\].
    pub width: f64,
}

impl Default for Wireframe {
    /// Thin and dark.
    fn default() -> Self {
        Self { color: Color::hex(0x1b2430), width: 1.0 }
    }
}

/// A surface of triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// Positions of the vertices \[m\].
    pub positions: Vec<Vec3>,
    /// The vertices of each triangle, counter-clockwise from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Its colours.
    pub paint: Paint,
    /// Triangles that meet at more than this angle \[rad\] form a sharp edge; others are shaded as one smooth surface.
    pub crease: f64,
    /// Strength of highlights, 0 (chalk) to 1 (lacquer).
    pub gloss: f64,
    /// Lines along its edges, if wanted.
    pub wireframe: Option<Wireframe>,
    /// Whether it is visible and casts shadows from the front only.
    pub one_sided: bool,
}

impl Mesh {
    /// A surface in a colour, smooth up to creases of 60°.
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>, paint: impl Into<Paint>) -> Self {
        let crease = 60f64.to_radians();
        Self { positions, triangles, paint: paint.into(), crease, gloss: 0.12, wireframe: None, one_sided: false }
    }
}

/// Polylines with a thickness.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// Positions of the vertices \[m\].
    pub positions: Vec<Vec3>,
    /// The vertices at the ends of each piece.
    pub segments: Vec<[u32; 2]>,
    /// Half the thickness \[m\]. Lines thinner than a pixel are drawn a pixel wide.
    pub radius: f64,
    /// Their colours.
    pub paint: Paint,
    /// Strength of highlights, 0 to 1.
    pub gloss: f64,
}

impl Lines {
    /// Polylines of a thickness, in a colour.
    pub fn new(positions: Vec<Vec3>, segments: Vec<[u32; 2]>, radius: f64, paint: impl Into<Paint>) -> Self {
        Self { positions, segments, radius, paint: paint.into(), gloss: 0.12 }
    }
}

/// Balls.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// Their centres \[m\].
    pub positions: Vec<Vec3>,
    /// Their radius \[m\]. Balls smaller than a pixel are drawn a pixel wide.
    pub radius: f64,
    /// Their colours.
    pub paint: Paint,
    /// Strength of highlights, 0 to 1.
    pub gloss: f64,
}

impl Points {
    /// Balls of one radius, in a colour.
    pub fn new(positions: Vec<Vec3>, radius: f64, paint: impl Into<Paint>) -> Self {
        Self { positions, radius, paint: paint.into(), gloss: 0.25 }
    }
}

/// What is drawn on the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pattern {
    /// Nothing.
    Plain,
    /// Thin lines.
    #[default]
    Grid,
    /// Squares of two shades.
    Checker,
}

/// A horizontal plane that receives shadows and fades into the sky.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ground {
    /// Its height \[m\].
    pub height: f64,
    /// Its colour.
    pub color: Color,
    /// What is drawn on it.
    pub pattern: Pattern,
    /// Distance between the lines, or side of the squares \[m\].
    pub spacing: f64,
}

impl Ground {
    /// Pale ground at a height, with lines every quarter of a metre.
    pub fn at(height: f64) -> Self {
        Self { height, color: Color::hex(0xdfe2e6), pattern: Pattern::default(), spacing: 0.25 }
    }

    /// Sets the lines to a round distance that suits objects of a size \[m\]: 1, 2 or 5 times a power of ten, about an
    /// eighth of it.
    #[must_use]
    pub fn with_lines_for(self, size: f64) -> Self {
        let wanted = (size / 8.0).max(1e-9);
        let power = 10f64.powf(wanted.log10().floor());
        let factor = [1.0, 2.0, 5.0].into_iter().rev().find(|factor| factor * power <= wanted);
        Self { spacing: factor.unwrap_or(1.0) * power, ..self }
    }
}

/// The background: a gradient, and the light from all sides that goes with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sky {
    /// Colour at the horizon.
    pub horizon: Color,
    /// Colour overhead.
    pub zenith: Color,
    /// Light from the sky on horizontal ground, as a share of white.
    pub brightness: f64,
}

impl Default for Sky {
    /// A bright haze.
    fn default() -> Self {
        Self { horizon: Color::hex(0xf3f5f7), zenith: Color::hex(0xb9cce0), brightness: 0.5 }
    }
}

/// A distant lamp with an apparent size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// From the scene towards the lamp.
    pub direction: Vec3,
    /// Light on a surface that faces it, as a share of white.
    pub brightness: f64,
    /// Half the angle that the lamp spans \[rad\]: 0 casts hard shadows.
    pub softness: f64,
}

impl Default for Light {
    /// High at the left, in front; shadows soften within a hand's breadth.
    fn default() -> Self {
        Self { direction: Vec3::new(-0.55, 1.0, 0.55), brightness: 0.72, softness: 3f64.to_radians() }
    }
}

/// A bar of colours with numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Legend {
    /// The quantity, with its unit.
    pub label: String,
    /// The values at the two ends.
    pub range: [f64; 2],
    /// The colours.
    pub map: ColorMap,
}

impl Scene {
    /// All bodies of a simulation in their current state, each in its colour: the surface if a body has one or is a
    /// fluid, else springs and rods as lines, and loose vertices as points; colliders are grey, and a horizontal plane
    /// is the ground.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// let sim = Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default())?).build()?;
    /// let scene = pliant_picture::Scene::of(&sim);
    /// assert_eq!(scene.meshes[0].triangles.len(), 32);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(simulation: &Simulation) -> Self {
        Self::painted(simulation, simulation.positions(), |number, _| Color::of_body(number).into())
    }

    /// All bodies coloured by a value at each vertex of the simulation, with a legend.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// use pliant_picture::{Legend, Scene};
    ///
    /// let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// let sim = Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default())?).build()?;
    /// let heights: Vec<f64> = sim.positions().iter().map(|p| p.y).collect();
    /// let legend = Legend { label: "height [m]".to_owned(), range: [-0.5, 0.5], map: Default::default() };
    /// assert_eq!(Scene::colored(&sim, &heights, legend)?.meshes.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn colored(simulation: &Simulation, values: &[f64], legend: Legend) -> Result<Self, ViewError> {
        Self::at(simulation, simulation.positions(), Some((values, legend)))
    }

    /// All bodies of a simulation at positions \[m\] from another time, each in its colour or coloured by a value at
    /// each vertex.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// let mut sim = Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default())?).build()?;
    /// let before = sim.positions().to_vec();
    /// sim.step()?;
    /// assert_eq!(pliant_picture::Scene::at(&sim, &before, None)?.meshes[0].positions, before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(
        simulation: &Simulation,
        positions: &[Vec3],
        colors: Option<(&[f64], Legend)>,
    ) -> Result<Self, ViewError> {
        let expected = simulation.positions().len();
        let check = |what: &str, found: usize| match found == expected {
            true => Ok(()),
            false => Err(ViewError::LengthMismatch { what: what.to_owned(), found, expected }),
        };
        check("the list of positions", positions.len())?;
        let Some((values, legend)) = colors else {
            return Ok(Self::painted(simulation, positions, |number, _| Color::of_body(number).into()));
        };
        check("the list of values at vertices", values.len())?;
        let paint = |_, vertices: Range<usize>| {
            let (values, range, map) = (values[vertices].to_vec(), legend.range, legend.map);
            Paint::Scalar { values, range, map }
        };
        Ok(Self { legend: Some(legend.clone()), ..Self::painted(simulation, positions, paint) })
    }

    /// Adds colliders in grey, at their poses at a time \[s\]; a horizontal plane becomes the ground.
    pub fn add_colliders(&mut self, colliders: &[Collider], time: f64) {
        let surfaces = ColliderSurfaces::new(colliders);
        if let Some(bounds) = self.extent().bounds() {
            self.meshes.extend(surfaces.meshes(time, &bounds));
        }
        self.ground = surfaces.ground(time).map(Ground::at).or(self.ground);
    }

    /// The box around everything, without the ground.
    pub fn extent(&self) -> Extent {
        let mut extent = Extent::default();
        let mut add = |positions: &[Vec3], radius: f64| {
            let mut own = Extent::default();
            own.add(positions);
            if let Some(bounds) = own.bounds() {
                extent.add(&[bounds.min - radius, bounds.max + radius]);
            }
        };
        self.meshes.iter().for_each(|mesh| add(&mesh.positions, 0.0));
        self.lines.iter().for_each(|lines| add(&lines.positions, lines.radius));
        self.points.iter().for_each(|points| add(&points.positions, points.radius));
        extent
    }

    pub(crate) fn check(&self) -> Result<(), ViewError> {
        for (object, mesh) in self.meshes.iter().enumerate() {
            check_object("mesh", object, &mesh.positions, &mesh.paint)?;
            check_indices("mesh", object, &mesh.triangles, mesh.positions.len())?;
        }
        for (object, lines) in self.lines.iter().enumerate() {
            check_object("line set", object, &lines.positions, &lines.paint)?;
            check_indices("line set", object, &lines.segments, lines.positions.len())?;
            check_radius("line radius", lines.radius)?;
        }
        for (object, points) in self.points.iter().enumerate() {
            check_object("point set", object, &points.positions, &points.paint)?;
            check_radius("point radius", points.radius)?;
        }
        Ok(())
    }
}

fn check_object(kind: &'static str, object: usize, positions: &[Vec3], paint: &Paint) -> Result<(), ViewError> {
    if let Some(vertex) = positions.iter().position(|position| !position.is_finite()) {
        return Err(ViewError::NonFinitePosition { kind, object, vertex, value: positions[vertex] });
    }
    if let Paint::Scalar { values, .. } = paint
        && values.len() != positions.len()
    {
        let what = format!("the scalar of {kind} {object}");
        return Err(ViewError::LengthMismatch { what, found: values.len(), expected: positions.len() });
    }
    Ok(())
}

fn check_indices<const N: usize>(
    kind: &'static str,
    object: usize,
    elements: &[[u32; N]],
    count: usize,
) -> Result<(), ViewError> {
    for (element, vertices) in elements.iter().enumerate() {
        if let Some(&vertex) = vertices.iter().find(|&&vertex| vertex as usize >= count) {
            return Err(ViewError::IndexOutOfRange { kind, object, element, vertex, count });
        }
    }
    Ok(())
}

fn check_radius(name: &'static str, value: f64) -> Result<(), ViewError> {
    let usable = value.is_finite() && value >= 0.0;
    if usable { Ok(()) } else { Err(ViewError::BadParameter { name, value, need: "finite and not negative" }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ground_has_round_squares() {
        for (size, spacing) in [(8.0, 1.0), (1.8, 0.2), (6.5, 0.5), (0.5, 0.05)] {
            let found = Ground::at(0.0).with_lines_for(size).spacing;
            assert!((found - spacing).abs() < 1e-12, "{size}: {found}");
        }
    }
}
