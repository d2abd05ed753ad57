//! Small regions of cloth and where their rest shapes fit best: triangles in their planes, pairs of vertices.
//!
//! ```text
//!       x₃                    P = (aₓ, a_y)ᵀ, two directions in the plane of the triangle
//!      ╱  ╲                   c = Σ mᵢ xᵢ / Σ mᵢ,  pᵢ = P (xᵢ − c),  qᵢ the same at rest
//!     ╱ a_y╲                  A = Σ mᵢ pᵢ qᵢᵀ = R S          [Bender 2014, §4.6, Figure 22]
//!    ╱   ↑  ╲                 gᵢ = c + Pᵀ R qᵢ
//!   x₁ ──aₓ→─ x₂
//! ```
//!
//! With F the map that takes all qᵢ to pᵢ, gᵢ − xᵢ is Pᵀ R (1 − RᵀF) qᵢ. Rest shapes lie along warp and weft, so that the diagonal of
//! 1 − RᵀF is stretch along threads and the rest is shear between them; each goes a share of the way of its own. If shares differ, what is left
//! turns the triangle: that turn is taken out again, so that angular momentum is kept whatever the shares.

use crate::math::functions::hypot;
use crate::math::{Vec3, perpendicular_to};
use glam::{DMat2, DVec2};

/// What a pinned vertex counts for in a region, as a multiple of the heaviest other: the others go around it.
const PIN_WEIGHT: f64 = 1e6;
/// Share of the longest side below which a triangle's height counts as none.
const FLAT: f64 = 1e-12;
/// Stretch that is no more than rounding of lengths.
const ROUNDING: f64 = 1e-9;

/// How much of the way to their goals vertices go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shares {
    pub(super) stretch: f64,
    pub(super) shear: f64,
}

/// A few vertices that are matched together.
pub(super) trait Region<const N: usize>: Send + Sync {
    fn vertices(&self) -> [u32; N];

    /// Which of them can move.
    fn can_move(&self) -> [bool; N];

    /// How vertices at these places are moved; none if they are where they should be, or if that says nothing of a direction.
    fn movements(&self, x: [Vec3; N], shares: Shares) -> Option<[Vec3; N]>;
}

/// Three vertices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    vertices: [u32; 3],
    can_move: [bool; 3],
    /// Masses as shares of their sum.
    weights: [f64; 3],
    /// About their centre of mass along warp and weft \[m\].
    rest: [DVec2; 3],
    /// Inverse of the matrix of the sides from the first vertex at rest \[1/m\].
    inverse_sides: DMat2,
}

impl Triangle {
    /// None if it has no area at rest.
    pub(super) fn new(vertices: [u32; 3], rest: &[Vec3], inverse_masses: &[f64], warp: Vec3) -> Option<Self> {
        let corners = vertices.map(|v| rest[v as usize]);
        let [first, second] = [corners[1] - corners[0], corners[2] - corners[0]];
        let normal = first.cross(second);
        let longest = first.length_squared().max(second.length_squared()).max(first.distance_squared(second));
        if normal.length() <= 1e-9 * longest {
            return None;
        }
        let normal = normal.normalize();
        let along = warp - normal * normal.dot(warp);
        // Across the warp there is no direction of it in the triangle.
        let along = if along.length() > 1e-6 * warp.length() { along.normalize() } else { first.normalize() };
        let across = normal.cross(along);
        let flat = corners.map(|p| DVec2::new(along.dot(p - corners[0]), across.dot(p - corners[0])));
        let can_move = vertices.map(|v| inverse_masses[v as usize] > 0.0);
        let weights = weights(vertices.map(|v| inverse_masses[v as usize]));
        let centre = weighted(weights, flat);
        let inverse_sides = DMat2::from_cols(flat[1], flat[2]).inverse();
        Some(Self { vertices, can_move, weights, rest: flat.map(|p| p - centre), inverse_sides })
    }
}

impl Region<3> for Triangle {
    fn vertices(&self) -> [u32; 3] {
        self.vertices
    }

    fn can_move(&self) -> [bool; 3] {
        self.can_move
    }

    #[inline]
    fn movements(&self, x: [Vec3; 3], shares: Shares) -> Option<[Vec3; 3]> {
        let [first, second] = [x[1] - x[0], x[2] - x[0]];
        let (length, other) = (first.length(), second.length());
        // The plane of a triangle that has collapsed to a line is any through it.
        let base = if length >= FLAT * other { first } else { second };
        let along = base.try_normalize()?;
        let height = if length >= FLAT * other { second } else { -first };
        let height = height - along * along.dot(height);
        let across = match height.length() {
            h if h > FLAT * length.max(other) => height / h,
            _ => perpendicular_to(along),
        };
        let flat = |d: Vec3| DVec2::new(along.dot(d), across.dot(d));
        let sides = DMat2::from_cols(flat(first), flat(second));
        let places = [DVec2::ZERO, sides.x_axis, sides.y_axis];
        let centre = weighted(self.weights, places);
        let places = places.map(|p| p - centre);
        let (mut cosine, mut sine) = (0.0, 0.0);
        for k in 0..3 {
            cosine += self.weights[k] * places[k].dot(self.rest[k]);
            sine += self.weights[k] * self.rest[k].perp_dot(places[k]);
        }
        let size = hypot(cosine, sine);
        if size == 0.0 {
            return None;
        }
        let turn = DMat2::from_cols(DVec2::new(cosine, sine) / size, DVec2::new(-sine, cosine) / size);
        let moved = if shares.stretch == shares.shear {
            [0, 1, 2].map(|k| (turn * self.rest[k] - places[k]) * shares.stretch)
        } else {
            let left = DMat2::IDENTITY - turn.transpose() * (sides * self.inverse_sides);
            let [stretch, shear] = [shares.stretch, shares.shear];
            let taken =
                DMat2::from_cols(left.x_axis * DVec2::new(stretch, shear), left.y_axis * DVec2::new(shear, stretch));
            let moved = self.rest.map(|rest| turn * (taken * rest));
            without_turn(self.weights, places, moved)
        };
        Some(moved.map(|m| along * m.x + across * m.y))
    }
}

/// Takes the turn about the centre out of movements.
fn without_turn(weights: [f64; 3], places: [DVec2; 3], moved: [DVec2; 3]) -> [DVec2; 3] {
    let (mut spin, mut inertia) = (0.0, 0.0);
    for k in 0..3 {
        spin += weights[k] * places[k].perp_dot(moved[k]);
        inertia += weights[k] * places[k].length_squared();
    }
    let omega = spin / inertia;
    [0, 1, 2].map(|k| moved[k] - places[k].perp() * omega)
}

/// Two vertices that resist being farther apart than at rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    vertices: [u32; 2],
    /// Of what one end is to go, if the other goes the rest.
    weights: [f64; 2],
    /// Distance at rest \[m\].
    rest: f64,
}

impl Pair {
    /// None if neither can move.
    pub(super) fn new(vertices: [u32; 2], rest: f64, inverse_masses: [f64; 2]) -> Option<Self> {
        let sum = inverse_masses[0] + inverse_masses[1];
        (sum > 0.0).then(|| Self { vertices, weights: inverse_masses.map(|w| w / sum), rest })
    }
}

impl Region<2> for Pair {
    fn vertices(&self) -> [u32; 2] {
        self.vertices
    }

    fn can_move(&self) -> [bool; 2] {
        self.weights.map(|w| w > 0.0)
    }

    #[inline]
    fn movements(&self, x: [Vec3; 2], shares: Shares) -> Option<[Vec3; 2]> {
        let way = x[1] - x[0];
        let squared = way.length_squared();
        let longest = self.rest * (1.0 + ROUNDING);
        if squared <= longest * longest {
            return None;
        }
        let pull = way * (shares.stretch * (1.0 - self.rest / squared.sqrt()));
        Some([pull * self.weights[0], -pull * self.weights[1]])
    }
}

/// Masses as shares of their sum, with pins that outweigh the rest.
fn weights(inverse_masses: [f64; 3]) -> [f64; 3] {
    let lightest = inverse_masses.into_iter().filter(|w| *w > 0.0).fold(f64::INFINITY, f64::min);
    let heaviest = if lightest.is_finite() { 1.0 / lightest } else { 1.0 };
    let masses = inverse_masses.map(|w| if w > 0.0 { 1.0 / w } else { PIN_WEIGHT * heaviest });
    let sum: f64 = masses.iter().sum();
    masses.map(|m| m / sum)
}

fn weighted(weights: [f64; 3], places: [DVec2; 3]) -> DVec2 {
    places[0] * weights[0] + places[1] * weights[1] + places[2] * weights[2]
}
