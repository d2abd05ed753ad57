//! The scene of [Bouaziz 2014, Figure 1]: a house, a tree, a washing line with clothes, and grass, all soft and tied together.
//!
//! As in §7.1, tree and house have volumetric strain constraints; washing line, clothes, grass and leaves have edge strain and bending
//! constraints. The line is tied to the house and to the tree.
//!
//! | file | holds |
//! |---|---|
//! | `house` | a gabled house |
//! | `tree` | a tree with leaves |
//! | `washing` | the line and what hangs on it |
//! | `grass` | blades of grass, which are curves |
//! | `paint` | the picture |

mod grass;
mod house;
mod paint;
mod tree;
mod washing;

use pliant::Clock;
use pliant::energy::{Arrays, Batch, Element, ElementBatch, Operator, Properties};
use pliant::prelude::*;

use self::grass::Grass;
use self::house::House;
use self::tree::Tree;
use self::washing::Washing;
use crate::ReproduceError;

/// How finely the scene is divided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Detail {
    /// Cells of the lattices that fill the house and the tree \[m\].
    pub(crate) house_cell: f64,
    pub(crate) tree_cell: f64,
    pub(crate) leaves: usize,
    pub(crate) blades: usize,
    /// Distance of neighbouring vertices of clothes and line \[m\].
    pub(crate) pitch: f64,
}

/// All that is in the scene, at rest.
#[derive(Debug)]
pub(crate) struct Garden {
    pub(crate) house: House,
    pub(crate) tree: Tree,
    pub(crate) washing: Washing,
    pub(crate) grass: Grass,
}

/// Stiffness of pegs and of the knots at the ends of the line \[N/m\].
const PEG: f64 = 2e3;
const KNOT: f64 = 2e4;
/// Filter of velocities \[1/s\] [Bouaziz 2014, §6].
pub(crate) const DRAG: f64 = 1.0;
/// Distance that surfaces keep \[m\].
pub(crate) const APART: f64 = 0.006;

impl Garden {
    pub(crate) fn new(detail: &Detail) -> Result<Self, ReproduceError> {
        let house = House::new(detail.house_cell)?;
        let tree = Tree::new(detail.tree_cell, detail.leaves)?;
        let washing = Washing::new(house.hook(), tree.hook(), detail.pitch)?;
        let grass = Grass::new(detail.blades, |x, z| house.covers(x, z) || tree.covers(x, z));
        Ok(Self { house, tree, washing, grass })
    }

    /// The whole scene over the ground, in still air.
    pub(crate) fn simulation(
        &self,
        solver: ProjectiveParams,
        threads: usize,
        clock: Clock,
    ) -> Result<Simulation, ReproduceError> {
        let mut builder = Simulation::builder()
            .body(self.house.body()?)
            .body(self.tree.body()?)
            .body(self.washing.line()?)
            .body(self.grass.body()?)
            .attach((washing::LINE, 0), (house::NAME, self.house.hook().0), KNOT)
            .attach((washing::LINE, self.washing.last()), (tree::NAME, self.tree.hook().0), KNOT);
        for garment in &self.washing.garments {
            builder = builder.body(garment.body()?);
            for &(own, on_line) in &garment.pegs {
                builder = builder.attach_at_distance((garment.name, own), (washing::LINE, on_line), PEG);
            }
        }
        let ground = Collider::new(Shape::Plane).friction(0.5).named("ground");
        let builder = builder.collider(ground).wind(Wind::new(Vec3::ZERO)).time_step(1.0 / 30.0);
        let layers = SelfCollision { thickness: APART, friction: 0.2, least_rounds: 1, ..SelfCollision::default() };
        let builder = builder.self_collision(layers).damping(Damping { drag: DRAG, ..Damping::default() });
        Ok(builder.solver(solver).threads(threads).clock(clock).build()?)
    }
}

/// Coordinates of free vertices, and constraints that are not pins.
pub(crate) fn counts(sim: &Simulation) -> (usize, usize) {
    let constraints = sim.model().energies().iter().map(|entry| entry.batch.operator().len()).sum();
    (3 * sim.model().free().len(), constraints)
}

/// Bending of what is straight at rest, as the paper's eq. 21 where v_g = 0: a linear combination of positions is pulled to zero.
#[derive(Debug, Clone, Copy)]
struct Straight;

impl Element<1> for Straight {
    const KIND: &'static str = "straight";
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn arrays(_elements: &[Self]) -> Arrays {
        Arrays::Quadratic
    }

    fn project(&self, _z: &[Vec3; 1], _goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 1] {
        [Vec3::ZERO]
    }
}

/// Bending at the inner vertices of curves, for a bending stiffness \[N·m²\]: the difference of the tangents beside each vertex is zero at rest.
fn curve_bending<'a>(curves: impl Iterator<Item = &'a [u32]>, rest: &[Vec3], stiffness: f64) -> Box<dyn Batch> {
    let mut operator = Operator::new(1);
    for joint in curves.flat_map(|curve| curve.windows(3)) {
        let [a, b, c] = [joint[0], joint[1], joint[2]].map(|v| rest[v as usize]);
        let (before, after) = (a.distance(b), b.distance(c));
        let coefficients = [1.0 / before, -1.0 / before - 1.0 / after, 1.0 / after];
        operator.push(2.0 * stiffness / (before + after), joint, &coefficients);
    }
    let elements = vec![Straight; operator.len()];
    Box::new(ElementBatch::new(operator, elements, Vec::new()))
}

/// A number from 0 to below 1 that looks random and is always the same.
fn random(seed: usize) -> f64 {
    ((seed as f64 + 1.0) * 12.9898).sin().mul_add(43758.5453, 0.5).rem_euclid(1.0)
}

/// The vertex nearest to a place, with its position.
fn nearest(positions: &[Vec3], place: Vec3) -> (u32, Vec3) {
    let closer = |best: usize, v: usize| {
        if positions[v].distance_squared(place) < positions[best].distance_squared(place) { v } else { best }
    };
    let vertex = (0..positions.len()).fold(0, closer);
    (vertex as u32, positions[vertex])
}
