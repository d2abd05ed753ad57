#![allow(unsafe_code, missing_docs, clippy::unwrap_used)]
use pliant::mesh::generate::Torus;
use pliant::prelude::*;
#[repr(C)]
struct T {
    s: i64,
    n: i64,
}
unsafe extern "C" {
    fn clock_gettime(c: i32, t: *mut T) -> i32;
}
fn cpu() -> f64 {
    let mut t = T { s: 0, n: 0 };
    unsafe {
        clock_gettime(3, &mut t);
    }
    t.s as f64 + 1e-9 * t.n as f64
}
struct Noise(u64);
impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}
fn main() {
    let args: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let (cells, steps, report) = (args[0], args[1], args[2]);
    let cell = 0.02;
    let mesh = Sheet {
        width: cell * cells as f64,
        height: cell * cells as f64,
        columns: cells,
        rows: cells,
        plane: Plane::Xz,
        ..Sheet::default()
    }
    .mesh()
    .unwrap();
    let _ = Torus { major_radius: 0.1, minor_radius: 0.03, major_segments: 5, minor_segments: 5 };
    let settings = SelfCollision { thickness: 4e-3, friction: 0.2, ..SelfCollision::default() };
    let mut sim = Simulation::builder()
        .body(Body::cloth(&mesh, &ClothMaterial::default()).unwrap())
        .gravity(Vec3::ZERO)
        .damping(Damping { drag: 1.0, ..Damping::default() })
        .self_collision(settings)
        .threads(1)
        .clock(pliant::Clock::new(cpu))
        .build()
        .unwrap();
    let masses = sim.model().mass().lumped().to_vec();
    let mut noise = Noise(7);
    let mut waves = Vec::new();
    let mut sum = [0.0; 8];
    for step in 0..steps {
        if step % 20 == 0 {
            waves = (0..4)
                .map(|_: i32| (noise.vector(), noise.vector() * (20.0 / (cell * cells as f64)), noise.next()))
                .collect();
        }
        let forces = |(p, m): (&Vec3, &f64)| {
            let wave: Vec3 = waves.iter().map(|(a, k, phase)| *a * (k.dot(*p) + 3.0 * phase).sin()).sum();
            (wave * 10.0 - *p * (10.0 / (cell * cells as f64))) * *m
        };
        let forces: Vec<Vec3> = sim.positions().iter().zip(&masses).map(forces).collect();
        let name = sim.model().bodies()[0].name.clone();
        (0..).zip(&forces).for_each(|(v, f)| drop(sim.set_force(&name, v, *f)));
        let r = sim.step().unwrap();
        let c = r.self_collision.unwrap();
        let add = [
            c.seconds_broad,
            c.seconds_narrow,
            r.seconds_total - c.seconds_broad - c.seconds_narrow,
            c.contacts as f64 / 1e3,
            c.truncated as f64 / 1e3,
            c.held as f64 / 1e3,
            c.candidates as f64 / 1e3,
            c.rounds as f64 / 1e3,
        ];
        sum.iter_mut().zip(add).for_each(|(s, a)| *s += a);
        if (step + 1) % report == 0 {
            let s = sum.map(|s| 1e3 * s / report as f64);
            println!(
                "{:5}: broad {:.2} narrow {:.2} rest {:.2} ms, contacts {:.0} cut {:.0} held {:.0} candidates {:.0} rounds {:.2}",
                step + 1,
                s[0],
                s[1],
                s[2],
                s[3],
                s[4],
                s[5],
                s[6],
                s[7]
            );
            sum = [0.0; 8];
        }
    }
}
