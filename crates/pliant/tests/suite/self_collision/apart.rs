//! Nothing passes: storms, interlocked rings, a pile.

use pliant::mesh::generate::Torus;
use pliant::prelude::*;

use super::common::{Noise, Sum, long_steps, push, sheet};

/// Cloth in a storm of random forces that drag it into its own middle.
fn crumple(cells: usize, steps: usize, solver: SolverChoice, integrator: TimeIntegrator) -> Sum {
    let cell = 0.02;
    let mesh = sheet(cell * cells as f64, cell * cells as f64, cells, cells);
    let settings = SelfCollision { thickness: 4e-3, friction: 0.2, ..SelfCollision::default() };
    let mut sim = Simulation::builder()
        .body(Body::cloth(&mesh, &ClothMaterial::default()).unwrap())
        .gravity(Vec3::ZERO)
        .solver(solver)
        .integrator(integrator)
        .damping(Damping { drag: 1.0, ..Damping::default() })
        .self_collision(settings)
        .build()
        .unwrap();
    let masses = sim.model().mass().lumped().to_vec();
    let mut noise = Noise(7);
    let (mut sum, mut waves) = (Sum::default(), Vec::new());
    for step in 0..steps {
        if step % 20 == 0 {
            // Waves of random direction and length bend the sheet; a pull to the middle keeps it crowded.
            waves = (0..4)
                .map(|_: i32| (noise.vector(), noise.vector() * (20.0 / (cell * cells as f64)), noise.next()))
                .collect();
        }
        let forces = |(p, m): (&Vec3, &f64)| {
            let wave: Vec3 = waves.iter().map(|(a, k, phase)| *a * (k.dot(*p) + 3.0 * phase).sin()).sum();
            (wave * 10.0 - *p * (10.0 / (cell * cells as f64))) * *m
        };
        let forces: Vec<Vec3> = sim.positions().iter().zip(&masses).map(forces).collect();
        (0..).zip(&forces).for_each(|(v, f)| push(&mut sim, v, *f));
        sum.add(&mut sim);
    }
    sum
}

#[test]
fn crumpling_cloth_never_passes_through_itself() {
    for (solver, integrator) in [
        (ProjectiveParams::default().into(), TimeIntegrator::ImplicitEuler),
        (NewtonParams { iterations: 4, ..Default::default() }.into(), TimeIntegrator::ImplicitEuler),
        (TwoMetricParams::default().into(), TimeIntegrator::ImplicitEuler),
        (ProjectiveParams::default().into(), TimeIntegrator::ImplicitMidpoint),
    ] {
        let name = format!("{integrator:?}");
        let sum = crumple(10, 120, solver, integrator);
        sum.show(&name);
        assert_eq!(sum.intersecting, 0, "{sum}");
        assert!(sum.pressing + sum.truncated > 20, "nothing touched: {sum}");
    }
}

#[test]
#[ignore = "long: ./test full"]
fn thousands_of_steps_of_crumpling_cloth_with_ten_thousand_triangles_have_no_intersection() {
    let sum = crumple(71, long_steps(), ProjectiveParams::default().into(), TimeIntegrator::ImplicitEuler);
    sum.show("10082 triangles");
    assert_eq!(sum.intersecting, 0, "{sum}");
    assert!(sum.pressing + sum.truncated > sum.steps, "hardly anything touched: {sum}");
}

/// Two rings through each other, shaken at random.
fn shaken_tori(segments: [usize; 2], steps: usize) -> (Simulation, Sum) {
    let ring =
        Torus { major_radius: 0.1, minor_radius: 0.03, major_segments: segments[0], minor_segments: segments[1] };
    let mesh = ring.mesh().unwrap();
    let turned = |p: &Vec3| Vec3::new(p.x + 0.1, p.z, p.y);
    let other = TriangleMesh { positions: mesh.positions.iter().map(turned).collect(), ..mesh.clone() };
    let stiff = ClothMaterial::default();
    let mut sim = Simulation::builder()
        .body(Body::cloth(&mesh, &stiff).unwrap().named("one"))
        .body(Body::cloth(&other, &stiff).unwrap().named("other"))
        .gravity(Vec3::ZERO)
        .self_collision(SelfCollision { thickness: 3e-3, ..SelfCollision::default() })
        .build()
        .unwrap();
    let masses = sim.model().mass().lumped().to_vec();
    let half = masses.len() / 2;
    let mut noise = Noise(3);
    let (mut sum, mut pull) = (Sum::default(), Vec3::ZERO);
    for step in 0..steps {
        if step % 15 == 0 {
            pull = noise.vector() * 25.0;
        }
        // Opposite pulls that want to take them apart, and a spring that keeps the pair here.
        let centre = sim.positions().iter().sum::<Vec3>() / masses.len() as f64;
        for v in 0..masses.len() {
            let sign = if v < half { 1.0 } else { -1.0 };
            push(&mut sim, v, (pull * sign - centre * 20.0) * masses[v]);
        }
        sum.add(&mut sim);
    }
    (sim, sum)
}

/// How often a closed curve winds through another (Gauss's integral over both polygons).
fn linking_number(a: &[Vec3], b: &[Vec3]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        for j in 0..b.len() {
            let (da, db) = (a[(i + 1) % a.len()] - a[i], b[(j + 1) % b.len()] - b[j]);
            let r = a[i].midpoint(a[(i + 1) % a.len()]) - b[j].midpoint(b[(j + 1) % b.len()]);
            sum += r.dot(da.cross(db)) / r.length().powi(3);
        }
    }
    sum / (4.0 * std::f64::consts::PI)
}

fn check_tori(segments: [usize; 2], steps: usize) {
    let (sim, sum) = shaken_tori(segments, steps);
    sum.show("tori");
    assert_eq!(sum.intersecting, 0, "{sum}");
    assert!(sum.pressing > steps / 4, "they hardly touched: {sum}");
    let half = sim.positions().len() / 2;
    let middle = |first: usize| -> Vec<Vec3> {
        let tube = |j: usize| &sim.positions()[first + j * segments[1]..first + (j + 1) * segments[1]];
        (0..segments[0]).map(|j| tube(j).iter().sum::<Vec3>() / segments[1] as f64).collect()
    };
    let linked = linking_number(&middle(0), &middle(half)).abs();
    assert!((linked - 1.0).abs() < 0.2, "linked {linked:.3} times");
}

#[test]
fn two_interlocked_tori_stay_interlocked() {
    check_tori([18, 8], 150);
}

#[test]
#[ignore = "long: ./test full"]
fn two_interlocked_tori_stay_interlocked_for_thousands_of_steps() {
    check_tori([48, 16], long_steps());
}

#[test]
fn a_falling_ribbon_piles_up() {
    let mesh = sheet(1.0, 0.03, 50, 2);
    // Hung by its length above a floor of pinned cloth.
    let hanging = mesh.positions.iter().map(|p| Vec3::new(0.003 * (9.0 * p.x).sin(), 0.53 + p.x, p.z)).collect();
    let ribbon = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().with_positions(hanging);
    let floor = Body::cloth(&sheet(1.2, 1.2, 8, 8), &ClothMaterial::default()).unwrap().pin_where(|_| true);
    let thickness = 4e-3;
    let mut sim = Simulation::builder()
        .body(floor.named("floor"))
        .body(ribbon.named("ribbon"))
        .self_collision(SelfCollision { thickness, ..SelfCollision::default() })
        .build()
        .unwrap();
    let mut sum = Sum::default();
    (0..120).for_each(|_| sum.add(&mut sim));
    sum.show("ribbon");
    assert_eq!(sum.intersecting, 0, "{sum}");
    let ribbon = &sim.positions()[81..];
    let (low, high) = ribbon.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p.y), h.max(p.y)));
    println!("the pile begins {low:.4} m above the floor and is {high:.3} m high");
    assert!(low > 0.25 * thickness, "{low} m above the floor");
    assert!(high < 0.5 && high > 2.0 * thickness, "the pile is {high} m high");
}
