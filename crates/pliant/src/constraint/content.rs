//! Areas of triangles, volumes of tets and of closed surfaces [Bender 2014, §3.4.3 and §3.4.4].
//!
//! The survey's balloon sums a·(b × c) over triangles and calls it the volume; the sum is six times that, on both sides of C alike.

use super::{Block, Bound, Constraint, ConstraintArrays, ConstraintBatch, ConstraintSet, Rule, moved};
use crate::energy::{EnergyError, stencil_positions};
use crate::math::Vec3;
use crate::mesh::TriangleMesh;

/// Keeps the area of a triangle: C = area − `area`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangleAreaConstraint {
    /// The area \[m²\].
    pub area: f64,
}

impl TriangleAreaConstraint {
    /// The areas of triangles at rest, with one compliance \[m⁴/J\].
    pub fn at_rest(
        triangles: &[[u32; 3]],
        rest: &[Vec3],
        compliance: f64,
    ) -> Result<ConstraintSet<Self, 3>, EnergyError> {
        let mut elements = Vec::with_capacity(triangles.len());
        for (element, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = stencil_positions(Self::KIND, element, triangle, rest)?;
            let area = 0.5 * (b - a).cross(c - a).length();
            elements.push((*triangle, Self { area }, compliance));
        }
        ConstraintSet::new(elements)
    }
}

impl Constraint<3> for TriangleAreaConstraint {
    const KIND: &'static str = "area_constraint";

    fn evaluate(&self, _row: usize, [a, b, c]: &[Vec3; 3]) -> Option<(f64, [Vec3; 3])> {
        let normal = (*b - *a).cross(*c - *a);
        let double = normal.length();
        if double <= 0.0 {
            return None; // A collapsed triangle has no plane to grow in.
        }
        let half = normal * (0.5 / double);
        let [at_b, at_c] = [(*c - *a).cross(half), half.cross(*b - *a)];
        Some((0.5 * double - self.area, [-(at_b + at_c), at_b, at_c]))
    }
}

/// Keeps the signed volume of a tet: C = volume − `volume`. It turns an inverted tet back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TetVolumeConstraint {
    /// The volume \[m³\].
    pub volume: f64,
}

impl TetVolumeConstraint {
    /// The volumes of tets at rest, with one compliance \[m⁶/J\].
    pub fn at_rest(tets: &[[u32; 4]], rest: &[Vec3], compliance: f64) -> Result<ConstraintSet<Self, 4>, EnergyError> {
        let mut elements = Vec::with_capacity(tets.len());
        for (element, tet) in tets.iter().enumerate() {
            let [a, b, c, d] = stencil_positions(Self::KIND, element, tet, rest)?;
            let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
            elements.push((*tet, Self { volume }, compliance));
        }
        ConstraintSet::new(elements)
    }
}

impl Constraint<4> for TetVolumeConstraint {
    const KIND: &'static str = "volume_constraint";

    fn arrays<'a>(constraints: &[Self], compliances: &'a [f64]) -> ConstraintArrays<'a> {
        let volumes = constraints.iter().map(|constraint| constraint.volume).collect();
        ConstraintArrays::TetVolume { volumes, compliances }
    }

    fn evaluate(&self, _row: usize, [a, b, c, d]: &[Vec3; 4]) -> Option<(f64, [Vec3; 4])> {
        let [u, v, w] = [*b - *a, *c - *a, *d - *a];
        let [at_b, at_c, at_d] = [v.cross(w), w.cross(u), u.cross(v)].map(|g| g / 6.0);
        Some((at_d.dot(w) - self.volume, [-(at_b + at_c + at_d), at_b, at_c, at_d]))
    }
}

/// Keeps the volume inside a closed surface, such as a balloon: C = V − k V₀ with the pressure k; 1 means no overpressure.
#[derive(Debug, Clone)]
pub struct Balloon {
    /// Its vertices, each once.
    vertices: Vec<u32>,
    /// Triangles in places of `vertices`.
    triangles: Vec<[u32; 3]>,
    /// k V₀ \[m³\].
    volume: f64,
    compliance: f64,
}

impl Balloon {
    /// Name of the kind.
    pub const KIND: &'static str = "balloon";

    /// A closed surface with `pressure` times its volume at rest, and a compliance \[m⁶/J\].
    ///
    /// ```
    /// use pliant::constraint::Balloon;
    /// use pliant::mesh::generate::Icosphere;
    /// use pliant::prelude::*;
    /// let ball = Icosphere { radius: 0.1, subdivisions: 2 }.mesh()?;
    /// let body = Body::cloth(&ball, &ClothMaterial::default())?.with_constraints(Balloon::new(&ball, 1.5, 0.0)?.boxed());
    /// let solver = PositionBasedParams::default();
    /// let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(solver).build()?;
    /// sim.step()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(surface: &TriangleMesh, pressure: f64, compliance: f64) -> Result<Self, EnergyError> {
        let kind = Self::KIND;
        for (name, value) in [("pressure", pressure), ("compliance", compliance)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(EnergyError::BadParameter { kind, name, value, need: "finite and at least 0" });
            }
        }
        for (element, triangle) in surface.triangles.iter().enumerate() {
            let _: [Vec3; 3] = stencil_positions(kind, element, triangle, &surface.positions)?;
        }
        let mut vertices: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let place = |v: u32| vertices.partition_point(|&other| other < v) as u32;
        let triangles: Vec<[u32; 3]> = surface.triangles.iter().map(|t| t.map(place)).collect();
        let rest: Vec<Vec3> = vertices.iter().map(|&v| surface.positions[v as usize]).collect();
        let volume = signed_volume(&triangles, &rest);
        if volume <= 0.0 {
            let measure = "volume inside its outward triangles";
            return Err(EnergyError::Degenerate { kind, element: 0, measure, value: volume });
        }
        Ok(Self { vertices, triangles, volume: pressure * volume, compliance })
    }

    /// Converts it to a batch.
    pub fn boxed(self) -> Box<dyn ConstraintBatch> {
        Box::new(self)
    }
}

/// A sixth of Σ a·(b × c), from the first corner, so that a place far from the origin costs no digits.
fn signed_volume(triangles: &[[u32; 3]], x: &[Vec3]) -> f64 {
    let origin = x.first().copied().unwrap_or_default();
    let product = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| x[v as usize] - origin);
        a.dot(b.cross(c))
    };
    triangles.iter().map(product).sum::<f64>() / 6.0
}

impl ConstraintBatch for Balloon {
    fn kind(&self) -> &'static str {
        Self::KIND
    }

    fn len(&self) -> usize {
        1
    }

    fn stencil(&self, _element: usize) -> &[u32] {
        &self.vertices
    }

    fn shift_vertices(&mut self, by: u32) {
        self.vertices.iter_mut().for_each(|v| *v += by);
    }

    fn shifted(&self, by: i64) -> Option<Box<dyn ConstraintBatch>> {
        let mut copy = self.clone();
        copy.vertices.iter_mut().for_each(|v| *v = moved(*v, by));
        Some(Box::new(copy))
    }

    fn correct(&self, block: &mut Block<'_>, rule: &Rule) {
        if block.elements.is_empty() {
            return;
        }
        let (x, w) = (&mut *block.corners, block.inverse_masses);
        let origin = x[0];
        let mut gradient = vec![Vec3::ZERO; x.len()];
        for triangle in &self.triangles {
            let [i, j, k] = triangle.map(|v| v as usize);
            let [a, b, c] = [x[i] - origin, x[j] - origin, x[k] - origin];
            gradient[i] += b.cross(c) / 6.0;
            gradient[j] += c.cross(a) / 6.0;
            gradient[k] += a.cross(b) / 6.0;
        }
        let value = signed_volume(&self.triangles, x) - self.volume;
        let mobility: f64 = gradient.iter().zip(w).map(|(g, w)| w * g.length_squared()).sum();
        let step = rule.step(value, mobility, self.compliance, Bound::Equal, &mut block.multipliers[0]);
        x.iter_mut().zip(gradient).zip(w).for_each(|((x, g), w)| *x += g * (w * step));
    }
}
