//! Vertices that move as one, for solvers that otherwise move each by itself: where their shape fits best, and contacts that act on all of them.
//!
//! A vertex of a rigid body has hardly any mass of its own. A contact that moved it alone would have to do so hundreds of times before the body has
//! got what stops it, so here a push p at a vertex with the arm r moves the whole: by p/m, and by I⁻¹(r × p) about its centre.
//! A contact asks how far the vertex gives way, which is K p with K = 1/m + [r]ᵀ I⁻¹ [r]. It takes the largest eigenvalue of K for all
//! directions: pushes are never too large, and some sweeps find what they come to together.
//!
//! Held vertices stay. At one of them a body turns about it, at several in a line about that, and at others it does not move.

use super::Contacts;
use crate::math::functions::{atan2, rotation_about, rotation_by};
use crate::math::{Mat3, Quat, Vec3, fitted_rotation, outer, symmetric_eigen};
use crate::world::model::Model;

/// Sweeps over the contacts of rigid vertices where the others have one.
const SWEEPS: usize = 8;
/// Moments below this share of the largest are those of points on a line, or in one place.
const ON_A_LINE: f64 = 1e-9;
/// Corners of a contact between surfaces at most, on one side. All push the same body, as if one gave way so many times as far.
const CORNERS: f64 = 3.0;

/// How a shape is held.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Hold {
    Free,
    Point,
    /// About a line, with its direction at rest.
    Line(Vec3),
    Everywhere,
}

/// Vertices that keep their places relative to each other.
#[derive(Debug)]
pub(crate) struct RigidShape {
    vertices: Vec<u32>,
    masses: Vec<f64>,
    is_held: Vec<bool>,
    /// From the centre of mass, or of those that are held \[m\].
    places: Vec<Vec3>,
    hold: Hold,
    /// 1/m \[1/kg\]; 0 where held.
    inverse_mass: f64,
    /// I⁻¹ about the centre, for turns that are possible \[1/(kg·m²)\].
    inverse_inertia: Mat3,
    /// How each vertex gives way to a push there, at most \[1/kg\].
    gives: Vec<f64>,
}

/// Where a shape is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShapePose {
    pub(crate) centre: Vec3,
    pub(crate) rotation: Quat,
}

/// What moves weights about a centre: Σ w (r·r − r rᵀ).
fn about(moment: Mat3) -> Mat3 {
    Mat3::from_diagonal(Vec3::splat(moment.x_axis.x + moment.y_axis.y + moment.z_axis.z)) - moment
}

/// Eigenvalues and axes of a symmetric matrix, the largest first.
fn principal(matrix: Mat3) -> [(f64, Vec3); 3] {
    let (mut values, mut vectors) = (matrix.to_cols_array(), [0.0; 9]);
    symmetric_eigen(&mut values, &mut vectors, 3);
    let mut all = [0, 1, 2].map(|k| (values[4 * k], Vec3::new(vectors[k], vectors[3 + k], vectors[6 + k])));
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all
}

impl RigidShape {
    /// Of vertices of a model and where they are relative to each other \[m\].
    pub(crate) fn new(model: &Model, vertices: Vec<u32>, mut places: Vec<Vec3>) -> Self {
        let is_held: Vec<bool> = vertices.iter().map(|&v| model.free_index(v).is_none()).collect();
        let masses: Vec<f64> = vertices.iter().map(|&v| model.mass().lumped()[v as usize]).collect();
        let mass: f64 = masses.iter().sum();
        let held = is_held.iter().filter(|held| **held).count();
        let weight =
            |k: usize| if held == 0 { masses[k] / mass } else { f64::from(u8::from(is_held[k])) / held as f64 };
        let centre = (0..places.len()).fold(Vec3::ZERO, |sum, k| sum + places[k] * weight(k));
        places.iter_mut().for_each(|place| *place -= centre);
        let spread = (0..places.len()).fold(Mat3::ZERO, |sum, k| sum + outer(places[k] * weight(k), places[k]));
        let size = places.iter().fold(0.0_f64, |most, place| most.max(place.length_squared()));
        let [(first, axis), (second, _), _] = principal(spread);
        let hold = match held {
            0 => Hold::Free,
            _ if first <= ON_A_LINE * size => Hold::Point,
            _ if second <= ON_A_LINE * first => Hold::Line(axis),
            _ => Hold::Everywhere,
        };
        let second = places.iter().zip(&masses).fold(Mat3::ZERO, |sum, (r, m)| sum + outer(*r * *m, *r));
        let inertia = about(second);
        let inverse_inertia = match hold {
            Hold::Everywhere => Mat3::ZERO,
            Hold::Line(axis) => outer(axis, axis) * axis.dot(inertia * axis).max(f64::MIN_POSITIVE).recip(),
            Hold::Free | Hold::Point => {
                let axes = principal(inertia);
                let turns = axes.iter().filter(|(value, _)| *value > ON_A_LINE * axes[0].0);
                turns.fold(Mat3::ZERO, |sum, (value, axis)| sum + outer(*axis / *value, *axis))
            }
        };
        let inverse_mass = if hold == Hold::Free { 1.0 / mass } else { 0.0 };
        let gives = places
            .iter()
            .zip(&is_held)
            .map(|(r, held)| if *held { 0.0 } else { inverse_mass + largest_turn(inverse_inertia, *r) });
        let gives = gives.collect();
        Self { vertices, masses, is_held, places, hold, inverse_mass, inverse_inertia, gives }
    }

    /// Where it fits vertices best: in the metric of masses the nearest, which keeps momentum and angular momentum. Where a rotation is open, as about a
    /// line, it is the nearest to `last`.
    fn fit(&self, x: &[Vec3], last: Quat) -> ShapePose {
        let own = || (0..self.vertices.len()).map(|k| (x[self.vertices[k] as usize], k));
        let held = || own().filter(|(_, k)| self.is_held[*k]);
        let (sum, total) = match self.hold {
            Hold::Free => own().fold((Vec3::ZERO, 0.0), |(s, t), (x, k)| (s + x * self.masses[k], t + self.masses[k])),
            _ => held().fold((Vec3::ZERO, 0.0), |(s, t), (x, _)| (s + x, t + 1.0)),
        };
        let centre = sum / total;
        let arms = own().map(|(x, k)| ((x - centre) * self.masses[k], self.places[k]));
        let held_arms = held().map(|(x, k)| (x - centre, self.places[k]));
        let rotation = match self.hold {
            Hold::Free | Hold::Point => fitted_rotation(arms, last),
            Hold::Everywhere => fitted_rotation(held_arms, last),
            Hold::Line(axis) => {
                let aligned = fitted_rotation(held_arms, last);
                let axis = aligned * axis;
                let (mut sine, mut cosine) = (0.0, 0.0);
                for (arm, place) in arms {
                    let place = aligned * place;
                    sine += axis.dot(place.cross(arm));
                    cosine += place.dot(arm) - axis.dot(place) * axis.dot(arm);
                }
                rotation_about(axis, atan2(sine, cosine)) * aligned
            }
        };
        ShapePose { centre, rotation }
    }

    /// Puts vertices where a pose has them; those that are held stay.
    fn place(&self, pose: &ShapePose, x: &mut [Vec3]) {
        for ((&v, place), held) in self.vertices.iter().zip(&self.places).zip(&self.is_held) {
            if !held {
                x[v as usize] = pose.centre + pose.rotation * *place;
            }
        }
    }

    /// Pushes it at one of its vertices \[kg·m\].
    fn push(&self, k: usize, push: Vec3, pose: &mut ShapePose) {
        let arm = self.places[k];
        let turn = self.inverse_inertia * arm.cross(pose.rotation.inverse() * push);
        pose.centre += push * self.inverse_mass;
        pose.rotation = (pose.rotation * rotation_by(turn)).normalize();
    }
}

/// The largest eigenvalue of [r]ᵀ I⁻¹ [r], which has the eigenvalue 0 along r.
fn largest_turn(inverse_inertia: Mat3, r: Vec3) -> f64 {
    let row = |axis: Vec3| r.cross(axis);
    let rows = [row(Vec3::X), row(Vec3::Y), row(Vec3::Z)];
    let entry = |i: usize, j: usize| rows[i].dot(inverse_inertia * rows[j]);
    let trace: f64 = (0..3).map(|i| entry(i, i)).sum();
    let squares: f64 = (0..9).map(|k| entry(k / 3, k % 3).powi(2)).sum();
    0.5 * (trace + (2.0 * squares - trace * trace).max(0.0).sqrt())
}

/// Shapes that share no vertices, by vertex.
#[derive(Debug, Default)]
struct ShapeSet {
    shapes: Vec<RigidShape>,
    /// Shape of each vertex and its number there; empty where there are no shapes.
    of_vertex: Vec<Option<(u32, u32)>>,
}

/// All shapes of a model, and where they are.
#[derive(Debug, Default)]
pub(crate) struct RigidShapes {
    set: ShapeSet,
    poses: Vec<ShapePose>,
}

impl RigidShapes {
    /// Of shapes that share no vertices, in a world of so many.
    pub(crate) fn new(shapes: Vec<RigidShape>, vertices: usize) -> Self {
        let mut of_vertex = vec![None; if shapes.is_empty() { 0 } else { vertices }];
        for (s, shape) in (0u32..).zip(&shapes) {
            (0u32..).zip(&shape.vertices).for_each(|(k, &v)| of_vertex[v as usize] = Some((s, k)));
        }
        let still = ShapePose { centre: Vec3::ZERO, rotation: Quat::IDENTITY };
        Self { poses: vec![still; shapes.len()], set: ShapeSet { shapes, of_vertex } }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.set.shapes.is_empty()
    }

    /// Puts the vertices of each shape where it fits them best; `rotation` tells that of the last fit, and takes the one of this.
    pub(crate) fn straighten(&mut self, x: &mut [Vec3], mut rotation: impl FnMut(usize, Option<Quat>) -> Quat) {
        for (number, (shape, pose)) in self.set.shapes.iter().zip(&mut self.poses).enumerate() {
            *pose = shape.fit(x, rotation(number, None));
            rotation(number, Some(pose.rotation));
            shape.place(pose, x);
        }
    }
}

/// Tells where a vertex is, and moves it.
pub(crate) type Exchange<'a> = dyn FnMut(usize, Option<Vec3>) -> Vec3 + 'a;

/// Moves vertices, by what tells where each is and moves it, and by how each gives way \[1/kg\].
pub(crate) type Visit<'a> = dyn FnMut(&mut Exchange<'_>, &dyn Fn(usize) -> f64) + 'a;

impl RigidShapes {
    /// Lets something else move vertices, a few times, and shapes as wholes.
    pub(crate) fn carry(&mut self, inverse_masses: &[f64], x: &mut [Vec3], visit: &mut Visit<'_>) {
        let Self { set, poses } = self;
        for _ in 0..SWEEPS {
            visit(&mut set.exchange(1.0, poses, x), &|v| set.gives(v, 1.0, inverse_masses));
        }
        set.shapes.iter().zip(&*poses).for_each(|(shape, pose)| shape.place(pose, x));
    }
}

impl ShapeSet {
    /// What tells where a vertex is, and moves it; where it belongs to a shape, by pushing that. `share` is what shapes give way by in
    /// [`gives`](Self::gives).
    fn exchange<'x>(
        &'x self,
        share: f64,
        poses: &'x mut [ShapePose],
        x: &'x mut [Vec3],
    ) -> impl FnMut(usize, Option<Vec3>) -> Vec3 + 'x {
        move |v, moved| {
            let own = self.of_vertex[v].map(|(s, k)| (s as usize, k as usize));
            let Some((s, k)) = own.filter(|(s, k)| self.shapes[*s].gives[*k] > 0.0) else {
                x[v] = moved.unwrap_or(x[v]);
                return x[v];
            };
            let (shape, pose) = (&self.shapes[s], &mut poses[s]);
            if let Some(moved) = moved {
                let now = pose.centre + pose.rotation * shape.places[k];
                shape.push(k, (moved - now) / (share * shape.gives[k]), pose);
            }
            pose.centre + pose.rotation * shape.places[k]
        }
    }

    /// How a vertex gives way \[1/kg\].
    fn gives(&self, v: usize, share: f64, inverse_masses: &[f64]) -> f64 {
        self.of_vertex[v].map_or(inverse_masses[v], |(s, k)| share * self.shapes[s as usize].gives[k as usize])
    }
}

impl Contacts<'_> {
    /// Finds what the vertices have hit on their paths to x, and moves them apart as [`push_apart`](Self::push_apart) does, but shapes as wholes. They must
    /// have been straightened.
    pub(crate) fn part_shapes(
        &mut self,
        rigid: &mut RigidShapes,
        inverse_masses: &[f64],
        inertia: f64,
        x: &mut [Vec3],
    ) {
        if self.is_none() {
            return;
        }
        self.meet(&|vertex| x[vertex]);
        let RigidShapes { set, poses } = rigid;
        for _ in 0..SWEEPS {
            let gives = |v: usize| set.gives(v, 1.0, inverse_masses) / inertia;
            self.ties.pull(&mut set.exchange(1.0, poses, x), &gives);
            let gives = |v: usize| set.gives(v, CORNERS, inverse_masses) / inertia;
            self.layers.relax(&mut set.exchange(CORNERS, poses, x), &gives);
            if let Some(obstacles) = &mut self.obstacles {
                let gives = |v: usize| set.gives(v, 1.0, inverse_masses) / inertia;
                obstacles.relax(&mut set.exchange(1.0, poses, x), &gives);
            }
        }
        set.shapes.iter().zip(&*poses).for_each(|(shape, pose)| shape.place(pose, x));
    }
}
