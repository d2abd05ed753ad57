//! Rods: strands that resist bending and torsion, such as cables, threads and wires.
//!
//! A rod is a polyline with an orientation for each segment (position-based Cosserat rods [Kugelstadt 2016]).
//!
//! | file | holds |
//! |---|---|
//! | `solve` | constraints of a rod, and one iteration over all of them |
//! | `block` | its linear system |
//! | `matter` | the rods of a body |
//! | `motion` | the motion of all rods of a world during a step |

mod block;
mod matter;
mod motion;
mod solve;

pub(crate) use matter::INFO;
pub use matter::Rod;

use std::f64::consts::PI;

use crate::energy::EnergyError;
use crate::math::functions::turn_of;
use crate::math::{Quat, Vec3};
use solve::{between, curvature, turned};

/// Material of a rod with a round cross-section.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RodMaterial {
    /// Radius of the cross-section \[m\].
    pub radius: f64,
    /// Mass per volume \[kg/m³\].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub youngs_modulus: f64,
    /// Shear modulus \[Pa\].
    pub shear_modulus: f64,
    /// Whether the rest shape is the possibly curved shape of the mesh, such as a coil or a curl; otherwise the rod is
    /// straight at rest.
    pub keeps_shape: bool,
}

impl Default for RodMaterial {
    /// A soft cable of 6 mm.
    fn default() -> Self {
        Self { radius: 3e-3, density: 1200.0, youngs_modulus: 5e6, shear_modulus: 1.7e6, keeps_shape: true }
    }
}

impl RodMaterial {
    /// Mass per length \[kg/m\].
    pub fn line_density(&self) -> f64 {
        self.density * self.area()
    }

    /// E I of bending and G J of torsion \[N·m²\].
    ///
    /// ```
    /// let [bending, torsion] = pliant::RodMaterial { radius: 1e-3, ..Default::default() }.stiffnesses();
    /// assert!((bending / (5e6 * std::f64::consts::PI / 4.0 * 1e-12) - 1.0).abs() < 1e-12);
    /// assert!((torsion / (1.7e6 * std::f64::consts::PI / 2.0 * 1e-12) - 1.0).abs() < 1e-12);
    /// ```
    pub fn stiffnesses(&self) -> [f64; 2] {
        let second_moment = 0.25 * PI * self.radius.powi(4);
        [self.youngs_modulus * second_moment, self.shear_modulus * 2.0 * second_moment]
    }

    fn area(&self) -> f64 {
        PI * self.radius.powi(2)
    }

    pub(crate) fn check(&self) -> Result<(), EnergyError> {
        let need = "finite and positive";
        for (name, value) in [
            ("radius", self.radius),
            ("density", self.density),
            ("Young's modulus", self.youngs_modulus),
            ("shear modulus", self.shear_modulus),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(EnergyError::BadParameter { kind: "rod material", name, value, need });
            }
        }
        Ok(())
    }
}

/// A segment of a rod.
#[derive(Debug, Clone, PartialEq)]
struct Segment {
    /// Rest length \[m\].
    length: f64,
    /// 1/(l·GA), 1/(l·GA), 1/(l·EA) \[1/(N·m)\].
    stretch_compliance: Vec3,
    /// One over its moments of inertia about its axes \[1/(kg·m²)\].
    inverse_inertia: Vec3,
    /// Whether it is held: it turns only as it is told.
    is_held: bool,
}

impl Segment {
    fn mobility(&self) -> Vec3 {
        if self.is_held { Vec3::ZERO } else { self.inverse_inertia }
    }
}

/// Between a segment and the next of its rod; that of the last segment is not used.
#[derive(Debug, Clone, PartialEq)]
struct Joint {
    /// How much of the rod bends there: half of each segment that is not held \[m\].
    length: f64,
    /// Curvatures and twist at rest \[1/m\].
    rest: Vec3,
    /// 1/(l̄·EI), 1/(l̄·EI), 1/(l̄·GJ) \[1/(N·m³)\].
    compliance: Vec3,
}

/// Segments and joints of rods, one rod after the other.
#[derive(Debug, Clone, Default, PartialEq)]
struct Rods {
    segments: Vec<Segment>,
    joints: Vec<Joint>,
}

/// Frames along a polyline that do not twist: the third axis is along each segment.
fn frames(points: &[Vec3]) -> Vec<Quat> {
    let mut frame = Quat::IDENTITY;
    let edges = points.windows(2).map(|ends| (ends[1] - ends[0]).normalize_or_zero());
    edges
        .map(|edge| {
            // A segment without length has no direction; it keeps that of the one before.
            if edge != Vec3::ZERO {
                frame = (Quat::from_rotation_arc(frame * Vec3::Z, edge) * frame).normalize();
            }
            frame
        })
        .collect()
}

impl Rods {
    /// Adds a rod along a polyline; segments between pinned vertices are held.
    fn add(&mut self, points: &[Vec3], material: &RodMaterial, is_pinned: impl Fn(usize) -> bool) {
        let frames = frames(points);
        let lengths: Vec<f64> = points.windows(2).map(|ends| ends[0].distance(ends[1])).collect();
        let (area, [bending, torsion]) = (material.area(), material.stiffnesses());
        let stretch = Vec3::new(material.shear_modulus, material.shear_modulus, material.youngs_modulus) * area;
        for (i, &length) in lengths.iter().enumerate() {
            // The ends carry the mass, and with it the inertia of turning as a whole; what is left is that of the cross-section.
            let about = material.line_density() * length * material.radius.powi(2);
            let inertia = Vec3::new(0.25, 0.25, 0.5) * about;
            self.segments.push(Segment {
                length,
                stretch_compliance: (stretch * length).recip(),
                inverse_inertia: inertia.recip(),
                is_held: is_pinned(i) && is_pinned(i + 1),
            });
            let next = (i + 1).min(lengths.len() - 1);
            // Half of each segment bends at the joint; a held segment does not bend.
            let share = |i: usize| if is_pinned(i) && is_pinned(i + 1) { 0.0 } else { 0.5 * lengths[i] };
            let bends = share(i) + share(next);
            let middle = if bends > 0.0 { bends } else { 0.5 * (length + lengths[next]) };
            let rest = if material.keeps_shape { curvature(frames[i], frames[next], middle) } else { Vec3::ZERO };
            let compliance = (Vec3::new(bending, bending, torsion) * middle).recip();
            self.joints.push(Joint { length: middle, rest, compliance });
        }
    }

    /// Orientations after a free turn over h \[s\] with angular velocities in body axes \[rad/s\].
    fn predict(&self, q: &[Quat], spins: &[Vec3], h: f64, predicted: &mut Vec<Quat>) {
        predicted.clear();
        let all = q.iter().zip(spins).zip(&self.segments);
        predicted.extend(all.map(|((q, spin), segment)| if segment.is_held { *q } else { turned(*q, *spin * h) }));
    }
}

/// Angular velocities, in body axes, that a step of h \[s\] has come to \[rad/s\].
fn spins(before: &[Quat], after: &[Quat], h: f64) -> Vec<Vec3> {
    before.iter().zip(after).map(|(a, b)| turn_of(between(*a, *b)) / h).collect()
}

#[cfg(test)]
mod tests;
