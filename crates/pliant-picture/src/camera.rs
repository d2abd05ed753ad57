//! The viewpoint of a picture.

use pliant::math::Vec3;
use pliant::mesh::Bounds;

use crate::ViewError;

/// A perspective camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Its position \[m\].
    pub eye: Vec3,
    /// The point at which it looks, in the middle of the picture \[m\].
    pub target: Vec3,
    /// The direction that is up in the picture.
    pub up: Vec3,
    /// Vertical field of view \[rad\].
    pub field_of_view: f64,
}

/// Share of the picture left free around what is framed.
const MARGIN: f64 = 0.08;

impl Camera {
    /// A camera at one point that looks at another, with a field of view of 35°.
    pub fn new(eye: Vec3, target: Vec3) -> Self {
        Self { eye, target, up: Vec3::Y, field_of_view: 35f64.to_radians() }
    }

    /// A camera that sees a whole box, looking along a direction. Use the box of the whole run, so that the camera
    /// stands still. `aspect` is the width of the picture over its height.
    ///
    /// ```
    /// use pliant::math::Vec3;
    /// use pliant::mesh::Bounds;
    /// use pliant_picture::Camera;
    ///
    /// let unit = Bounds { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) };
    /// let camera = Camera::framing(&unit, Vec3::new(0.0, 0.0, -1.0), 1.6);
    /// assert!(camera.eye.z > 1.0 && camera.eye.x.abs() < 1e-12);
    /// ```
    pub fn framing(bounds: &Bounds, direction: Vec3, aspect: f64) -> Self {
        let direction = direction.normalize_or(Vec3::NEG_Z);
        Self::new(bounds.centre() - direction, bounds.centre()).moved_to_see(bounds, aspect)
    }

    /// The same camera, moved until it sees a whole box; it looks in the same direction, with the same side up and the
    /// same field of view.
    ///
    /// ```
    /// use pliant::math::Vec3;
    /// use pliant::mesh::Bounds;
    /// use pliant_picture::Camera;
    ///
    /// let unit = Bounds { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) };
    /// let narrow = Camera { field_of_view: 0.2, ..Camera::new(Vec3::Z, Vec3::ZERO) }.moved_to_see(&unit, 1.6);
    /// let wide = Camera { field_of_view: 1.2, ..narrow }.moved_to_see(&unit, 1.6);
    /// assert!(narrow.eye.z > 4.0 * wide.eye.z);
    /// ```
    #[must_use]
    pub fn moved_to_see(self, bounds: &Bounds, aspect: f64) -> Self {
        let radius = (0.5 * bounds.diagonal()).max(f64::MIN_POSITIVE);
        let mut camera = self;
        let Ok(axes) = camera.axes() else { return camera };
        let half_height = (0.5 * camera.field_of_view).tan() * (1.0 - MARGIN);
        let half_width = half_height * aspect.max(1e-3);
        let corners = Extent::corners(bounds).map(|corner| corner - bounds.centre());
        // Perspective shows near corners larger, so the middle of the box is not the middle of its picture: alternately
        // step back until all corners fit and slide until the margins are equal.
        let mut shift = Vec3::ZERO;
        let mut distance = radius;
        for _ in 0..8 {
            let seen = |corner: &Vec3| {
                let offset = *corner - shift;
                (offset.dot(axes.right), offset.dot(axes.up), offset.dot(axes.forward))
            };
            distance = corners.iter().map(seen).fold(1e-3 * radius, |needed, (x, y, z)| {
                needed.max(x.abs() / half_width - z).max(y.abs() / half_height - z)
            });
            let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
            for (x, y, z) in corners.iter().map(seen) {
                let depth = (distance + z).max(1e-3 * radius);
                for (axis, value) in [x / depth, y / depth].into_iter().enumerate() {
                    low[axis] = low[axis].min(value);
                    high[axis] = high[axis].max(value);
                }
            }
            shift += 0.5 * distance * ((low[0] + high[0]) * axes.right + (low[1] + high[1]) * axes.up);
        }
        camera.target = bounds.centre() + shift;
        camera.eye = camera.target - distance * axes.forward;
        camera
    }

    pub(crate) fn axes(&self) -> Result<Axes, ViewError> {
        let Self { eye, target, .. } = *self;
        let forward = (target - eye).try_normalize().ok_or(ViewError::BadCamera { eye, target })?;
        // Looking straight up or down leaves no up: any side will do.
        let side = forward.cross(self.up).normalize_or(forward.any_orthonormal_vector());
        let right = if side.is_finite() { side } else { forward.any_orthonormal_vector() };
        Ok(Axes { right, up: right.cross(forward), forward })
    }

    pub(crate) fn check(&self) -> Result<(), ViewError> {
        let fov = self.field_of_view;
        if !(fov > 0.0 && fov < 3.1) {
            let need = "between 0 and 3.1 rad";
            return Err(ViewError::BadParameter { name: "field of view", value: fov, need });
        }
        self.axes().map(|_| ())
    }
}

/// The directions of a camera, orthonormal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes {
    pub(crate) right: Vec3,
    pub(crate) up: Vec3,
    pub(crate) forward: Vec3,
}

/// The smallest box around all points seen so far, for a camera that frames a whole run.
///
/// ```
/// use pliant::math::Vec3;
/// let mut extent = pliant_picture::Extent::default();
/// extent.add(&[Vec3::ZERO]);
/// extent.add(&[Vec3::ONE, Vec3::NAN]);
/// assert_eq!(extent.bounds().map(|b| b.max), Some(Vec3::ONE));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Extent(Option<Bounds>);

impl Extent {
    /// Extends the box to more points \[m\]; points that are not finite are ignored.
    pub fn add(&mut self, points: &[Vec3]) {
        for &point in points.iter().filter(|point| point.is_finite()) {
            let old = self.0.unwrap_or(Bounds { min: point, max: point });
            self.0 = Some(Bounds { min: old.min.min(point), max: old.max.max(point) });
        }
    }

    pub(crate) fn corners(bounds: &Bounds) -> [Vec3; 8] {
        std::array::from_fn(|corner| {
            let pick = |bit: usize, low: f64, high: f64| if corner >> bit & 1 == 0 { low } else { high };
            Vec3::new(
                pick(0, bounds.min.x, bounds.max.x),
                pick(1, bounds.min.y, bounds.max.y),
                pick(2, bounds.min.z, bounds.max.z),
            )
        })
    }

    /// The box; none without points.
    pub fn bounds(&self) -> Option<Bounds> {
        self.0
    }
}
