//! Cloths for tests of layers.
#![allow(dead_code, clippy::unwrap_used, reason = "for tests, and not for every one")]

use pliant::prelude::*;

/// Numbers between −1 and 1 that look random.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((self.0 >> 33) as u32) / f64::from(1_u32 << 30) - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.roll(), self.roll(), self.roll())
    }
}

pub(crate) fn sheet(cells: usize, size: f64) -> TriangleMesh {
    let plane = Plane::Xz;
    Sheet { width: size, height: size, columns: cells, rows: cells, plane, ..Sheet::default() }.mesh().unwrap()
}

/// A sheet in folds, seen from the side as a snake with gaps of 4 mm.
pub(crate) fn folded(cells: usize) -> (Simulation, Vec<Vec3>) {
    let mesh = sheet(cells, 0.4);
    let cloth = Body::cloth(&mesh, &ClothMaterial::default()).unwrap();
    let sim = Simulation::builder().body(cloth).build().unwrap();
    let fold = |p: &Vec3| {
        // Straight pieces of 60 mm with half circles of 2 mm radius between.
        let (straight, bend) = (0.06, std::f64::consts::PI * 0.002);
        let along = p.x + 0.2;
        let number = (along / (straight + bend)).floor();
        let rest = along - number * (straight + bend);
        let (mut x, mut y) = (rest.min(straight), 0.0);
        if rest > straight {
            let angle = (rest - straight) / 0.002;
            (x, y) = (straight + 0.002 * angle.sin(), 0.002 * (1.0 - angle.cos()));
        }
        if number as i64 % 2 == 1 {
            x = straight - x;
        }
        Vec3::new(x, y + 0.004 * number, p.z)
    };
    let x = sim.positions().iter().map(fold).collect();
    (sim, x)
}

/// Small sheets, each turned as it likes, on a grid.
pub(crate) fn crowd(dice: &mut Dice) -> Simulation {
    let mesh = sheet(2, 0.05);
    let mut world = Simulation::builder();
    for k in 0..27 {
        let at = Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)) * 0.1;
        let turn = Mat3::from_rotation_x(3.0 * dice.roll()) * Mat3::from_rotation_z(3.0 * dice.roll());
        let positions = mesh.positions.iter().map(|p| turn * *p + at).collect();
        let body = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(format!("{k}"));
        world = world.body(body.with_positions(positions));
    }
    world.build().unwrap()
}
