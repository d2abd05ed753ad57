//! The motions that solvers are judged by, with all their constants.

use pliant::collide::{Collider, Shape};
use pliant::math::Vec3;
use pliant::mesh::generate::{Plane, Sheet, TetBox};
use pliant::{Body, ClothMaterial, SelfCollision, Simulation, SimulationBuilder, SolidMaterial, Wind};

use crate::BenchError;

/// A motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// A cloth of 1.2 m, held at two corners, swings down.
    Swing,
    /// A cloth of 1 m falls onto a sphere of radius 0.35 m.
    Drape,
    /// The same, and layers are kept apart.
    DrapeApart,
    /// A flag of 1.5 × 0.9 m in wind of 8 m/s.
    Flag,
    /// A cube of 0.4 m falls by 0.3 m.
    Drop,
    /// A clamped bar of 1.2 × 0.15 × 0.15 m bends under its weight.
    Bar,
}

/// A motion with a material and a size.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// What moves.
    pub motion: Motion,
    /// Name of its material.
    pub material: &'static str,
    /// Vertices along its longest side.
    pub along: usize,
}

/// How far the cube falls \[m\].
pub(super) const DROP: f64 = 0.3;

/// Frames a second.
pub const RATE: usize = 60;

/// Mass per area \[kg/m²\], Young's modulus \[Pa\], thickness \[m\] and bending stiffness \[N·m\] of three cloths.
const CLOTHS: [(&str, [f64; 4]); 3] = [
    ("light cloth", [0.06, 4e6, 1.5e-4, 1e-6]),
    ("medium cloth", [0.15, 4e6, 5e-4, 1e-5]),
    ("heavy cloth", [0.4, 1e7, 8e-4, 8e-5]),
];
/// Density \[kg/m³\], Young's modulus \[Pa\] and Poisson ratio of two solids.
const SOLIDS: [(&str, [f64; 3]); 2] = [("soft solid", [1000.0, 2e4, 0.4]), ("stiff solid", [1100.0, 1e6, 0.45])];

impl Motion {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Swing => "swing",
            Self::Drape => "drape",
            Self::DrapeApart => "drape-apart",
            Self::Flag => "flag",
            Self::Drop => "drop",
            Self::Bar => "bar",
        }
    }

    /// All of them.
    pub const ALL: [Self; 6] = [Self::Swing, Self::Drape, Self::DrapeApart, Self::Flag, Self::Drop, Self::Bar];

    /// Whether it is a cloth that moves.
    pub fn is_of_cloth(self) -> bool {
        !matches!(self, Self::Drop | Self::Bar)
    }

    /// Frames that are looked at.
    pub fn frames(self) -> [usize; 3] {
        match self {
            Self::Flag => [26, 45, 60],
            // A second.
            Self::Drop => [20, 40, 60],
            _ => [20, 30, 45],
        }
    }
}

/// The cases of these motions: all materials and three sizes, or a light and a heavy cloth, a soft solid and the smallest size.
pub fn cases(motions: &[Motion], quick: bool, largest: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for &motion in motions {
        let names: Vec<&'static str> = if motion.is_of_cloth() {
            CLOTHS.iter().map(|(name, _)| *name).collect()
        } else {
            SOLIDS.iter().map(|(name, _)| *name).collect()
        };
        let sizes: &[usize] = if motion.is_of_cloth() { &[25, 50, 100, 200] } else { &[9, 17, 25] };
        let few = if quick { 1 } else { sizes.len() };
        for material in names.into_iter().step_by(if quick { 2 } else { 1 }) {
            let sizes = sizes.iter().take(few).filter(|along| **along <= largest);
            cases.extend(sizes.map(|&along| Case { motion, material, along }));
        }
    }
    cases
}

impl Case {
    /// Its name.
    pub fn name(&self) -> String {
        format!("{}, {}, {} vertices along", self.motion.name(), self.material, self.along)
    }

    /// The world, without a solver, on one thread. Gravity is a little askew, so that nothing balances by symmetry.
    pub fn world(&self) -> Result<SimulationBuilder, BenchError> {
        let world = Simulation::builder().gravity(Vec3::new(0.1, -9.81, 0.05)).threads(1);
        let cells = self.along - 1;
        let sheet = |width: f64, height: f64, rows: usize, plane| Sheet {
            width,
            height,
            columns: cells,
            rows,
            plane,
            ..Sheet::default()
        };
        Ok(match self.motion {
            Motion::Swing => {
                let sheet = sheet(1.2, 1.2, cells, Plane::Xz);
                let corners = [sheet.vertex(0, 0), sheet.vertex(cells, 0)];
                world.body(Body::cloth(&sheet.mesh()?, &self.cloth())?.pin(corners))
            }
            Motion::Drape | Motion::DrapeApart => {
                let mut mesh = sheet(1.0, 1.0, cells, Plane::Xz).mesh()?;
                mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(0.02, 0.36, 0.013));
                let sphere = Collider::new(Shape::Sphere { radius: 0.35 }).friction(0.3).thickness(4e-3);
                let world = world.body(Body::cloth(&mesh, &self.cloth())?).collider(sphere);
                if self.motion == Motion::Drape { world } else { world.self_collision(SelfCollision::default()) }
            }
            Motion::Flag => {
                let rows = (cells * 3).div_ceil(5);
                let sheet = sheet(1.5, 0.9, rows, Plane::Xy);
                let pole = (0..=rows).map(|row| sheet.vertex(0, row)).collect::<Vec<_>>();
                let wind = Wind::new(Vec3::new(8.0, 0.0, 1.5));
                world.body(Body::cloth(&sheet.mesh()?, &self.cloth())?.pin(pole)).wind(wind)
            }
            Motion::Drop => {
                let cells = [self.along / 2; 3];
                let mut mesh = TetBox { size: Vec3::splat(0.4), cells, ..TetBox::default() }.mesh()?;
                mesh.positions.iter_mut().for_each(|p| p.y += 0.2 + DROP);
                let floor = Collider::new(Shape::Plane).friction(0.5);
                world.body(Body::solid(&mesh, &self.solid())?).collider(floor)
            }
            Motion::Bar => {
                let across = (cells / 8).max(1);
                let size = Vec3::new(1.2, 0.15, 0.15);
                let mesh = TetBox { size, cells: [cells, across, across], ..TetBox::default() }.mesh()?;
                let least = mesh.positions.iter().fold(f64::INFINITY, |least, p| least.min(p.x));
                world.body(Body::solid(&mesh, &self.solid())?.pin_where(|p| p.x < least + 1e-9))
            }
        })
    }

    fn cloth(&self) -> ClothMaterial {
        let constants = CLOTHS.iter().find(|(name, _)| *name == self.material).map_or(CLOTHS[0].1, |entry| entry.1);
        cloth_of(constants)
    }

    fn solid(&self) -> SolidMaterial {
        let constants = SOLIDS.iter().find(|(name, _)| *name == self.material).map_or(SOLIDS[0].1, |entry| entry.1);
        let [density, youngs_modulus, poisson_ratio] = constants;
        SolidMaterial { density, youngs_modulus, poisson_ratio, ..Default::default() }
    }
}

/// The lightest of the three cloths.
pub(super) fn light_cloth() -> ClothMaterial {
    cloth_of(CLOTHS[0].1)
}

fn cloth_of([density, youngs_modulus, thickness, bending]: [f64; 4]) -> ClothMaterial {
    ClothMaterial { density, youngs_modulus, thickness, bending_stiffness: Some(bending), ..Default::default() }
}
