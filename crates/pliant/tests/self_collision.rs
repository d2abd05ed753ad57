//! Surfaces keep apart, rub as Coulomb says, and pass no momentum to the void.
#![allow(clippy::unwrap_used)]

use pliant::collide::{Key, Pose};
use pliant::mesh::generate::Torus;
use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};
use pliant::{ModelError, SelfCollisionReport};

/// Numbers between −1 and 1 that look random, the same on every machine (a linear congruential generator, high bits).
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

fn sheet(width: f64, height: f64, columns: usize, rows: usize) -> TriangleMesh {
    Sheet { width, height, columns, rows, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap()
}

/// Sets the force on a vertex of the world.
fn push(sim: &mut Simulation, vertex: usize, force: Vec3) {
    let (body, own) = sim.model().locate(vertex);
    let name = body.name.clone();
    sim.set_force(&name, own as u32, force).unwrap();
}

/// What a run of many steps came to.
#[derive(Default)]
struct Sum {
    steps: usize,
    intersecting: usize,
    pressing: usize,
    truncated: usize,
    held: usize,
    most_candidates: usize,
    rounds: usize,
    linear_iterations: usize,
    broad: f64,
    narrow: f64,
    solve: f64,
    primitives: Option<Primitives>,
}

impl Sum {
    fn add(&mut self, sim: &mut Simulation) {
        let step = sim.step().unwrap();
        let SelfCollisionReport {
            candidates, contacts, truncated, held, rounds, seconds_broad, seconds_narrow, ..
        } = step.self_collision.unwrap();
        self.steps += 1;
        let primitives = self.primitives.get_or_insert_with(|| Primitives::new(sim.model().bodies()));
        self.intersecting += usize::from(!intersections(primitives, sim.positions()).is_empty());
        self.pressing += contacts;
        self.truncated += truncated;
        self.held += held;
        self.rounds += rounds;
        self.linear_iterations += step.solve.linear_iterations;
        self.most_candidates = self.most_candidates.max(candidates);
        self.broad += seconds_broad;
        self.narrow += seconds_narrow;
        self.solve += step.seconds_solve - seconds_broad - seconds_narrow;
    }

    fn show(&self, name: &str) {
        println!("{name}: {self}");
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let each = |seconds: f64| 1e3 * seconds / self.steps as f64;
        write!(
            f,
            "{} steps, {} with intersections, {:.2} rounds and {:.1} linear iterations a step, {:.1} contacts, \
             {:.2} vertices cut and {:.2} held a step, at most {} candidates; broad {:.3} ms, narrow {:.3} ms, solve {:.3} ms a step",
            self.steps,
            self.intersecting,
            self.rounds as f64 / self.steps as f64,
            self.linear_iterations as f64 / self.steps as f64,
            self.pressing as f64 / self.steps as f64,
            self.truncated as f64 / self.steps as f64,
            self.held as f64 / self.steps as f64,
            self.most_candidates,
            each(self.broad),
            each(self.narrow),
            each(self.solve)
        )
    }
}

/// Steps of a long test; PLIANT_LONG_STEPS shortens it to try it out.
fn long_steps() -> usize {
    std::env::var("PLIANT_LONG_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(10_000)
}

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
        (ProjectiveParams::default().into(), TimeIntegrator::ImplicitMidpoint),
    ] {
        let name = format!("{integrator:?}");
        let sum = crumple(10, 120, solver, integrator);
        sum.show(&name);
        assert_eq!(sum.intersecting, 0, "{sum}");
        assert!(sum.pressing + sum.truncated > 100, "nothing touched: {sum}");
    }
}

#[test]
#[ignore = "long: ./test full"]
fn ten_thousand_steps_of_crumpling_cloth_with_ten_thousand_triangles_have_no_intersection() {
    let sum = crumple(71, long_steps(), ProjectiveParams::default().into(), TimeIntegrator::ImplicitEuler);
    sum.show("10082 triangles");
    assert_eq!(sum.intersecting, 0, "{sum}");
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
fn two_interlocked_tori_stay_interlocked_for_ten_thousand_steps() {
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

/// A stiff small sheet on a pinned one, tilted by θ: distance slid downhill after a second.
fn slid(angle: f64, friction: f64) -> f64 {
    let tilt = Mat3::from_rotation_z(-angle);
    let placed = |mesh: TriangleMesh, up: f64| {
        let positions = mesh.positions.iter().map(|p| tilt * (*p + Vec3::Y * up)).collect();
        TriangleMesh { positions, ..mesh }
    };
    let thickness = 5e-3;
    let below = placed(sheet(3.0, 0.5, 12, 2), 0.0);
    let above = placed(sheet(0.1, 0.1, 3, 3), thickness);
    let mut sim = Simulation::builder()
        .body(Body::cloth(&below, &ClothMaterial::default()).unwrap().named("slope").pin_where(|_| true))
        .body(Body::cloth(&above, &ClothMaterial::default()).unwrap().named("patch"))
        .self_collision(SelfCollision { thickness, friction, ..SelfCollision::default() })
        .build()
        .unwrap();
    let start = sim.positions()[39..].iter().sum::<Vec3>() / 16.0;
    (0..60).for_each(|_| drop(sim.step().unwrap()));
    let end = sim.positions()[39..].iter().sum::<Vec3>() / 16.0;
    (end - start).dot(tilt * Vec3::X)
}

#[test]
fn a_layer_slides_on_another_exactly_if_the_slope_is_steeper_than_its_friction() {
    for degrees in [10.0_f64, 20.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let sticks = slid(degrees.to_radians(), 1.1 * sin / cos);
        let slides = slid(degrees.to_radians(), 0.7 * sin / cos);
        let free = slid(degrees.to_radians(), 0.0);
        println!("{degrees}°: sticks {sticks:.2e} m, slides {slides:.4} m, without friction {free:.4} m");
        // Implicit Euler falls h/2·t further than ½ a t²; the patch lands first, which takes a little.
        let expected = |mu: f64| 0.5 * 9.81 * (sin - mu * cos) * (1.0 + 1.0 / 60.0);
        assert!(sticks.abs() < 2e-3 * free, "{sticks} m of {free} m");
        assert!((free / expected(0.0) - 1.0).abs() < 0.03, "{free} for {}", expected(0.0));
        let with_friction = expected(0.7 * sin / cos);
        assert!((slides / with_friction - 1.0).abs() < 0.1, "{slides} for {with_friction}");
    }
}

#[test]
fn contacts_within_the_world_keep_its_momentum() {
    let cube = TetBox { size: Vec3::splat(0.1), cells: [2, 2, 2], ..TetBox::default() }.mesh().unwrap();
    let soft = SolidMaterial { youngs_modulus: 2e4, ..SolidMaterial::default() };
    let body = |name: &str, at: Vec3, velocity: Vec3| {
        let mesh = cube.clone().translated(at);
        let count = mesh.positions.len();
        Body::solid(&mesh, &soft).unwrap().named(name).with_velocities(vec![velocity; count])
    };
    let mut sim = Simulation::builder()
        .body(body("left", Vec3::ZERO, Vec3::X * 0.5))
        .body(body("right", Vec3::new(0.13, 0.02, 0.01), Vec3::X * -0.25))
        .gravity(Vec3::ZERO)
        .time_step(1.0 / 240.0)
        .solver(ProjectiveParams { iterations: 60, precision: Precision::Double, ..Default::default() })
        // Friction over a gap leaves a couple; without it both momenta must stay.
        .self_collision(SelfCollision { thickness: 0.01, friction: 0.0, ..SelfCollision::default() })
        .build()
        .unwrap();
    let before = sim.report();
    let count = cube.positions.len();
    let speed =
        |sim: &Simulation, first: usize| sim.velocities()[first..first + count].iter().map(|v| v.x).sum::<f64>();
    let (mut truncated, mut pressing, mut spin) = (0, 0, Vec3::ZERO);
    for _ in 0..60 {
        let old = sim.velocities().to_vec();
        let report = sim.step().unwrap().self_collision.unwrap();
        (truncated, pressing) = (truncated + report.truncated, pressing + report.contacts);
        // What implicit Euler itself does to angular momentum: L' = L + hΣ m v'×v.
        let masses = sim.model().mass().lumped();
        spin += (0..old.len()).map(|i| sim.velocities()[i].cross(old[i]) * masses[i]).sum::<Vec3>() / 240.0;
    }
    let after = sim.report();
    assert!(pressing > 0 && truncated == 0, "{pressing} contacts, {truncated} cut");
    assert!(speed(&sim, 0) < speed(&sim, count), "they bounced or stick: {} {}", speed(&sim, 0), speed(&sim, count));
    let exchanged = before.momentum.length() + 0.1;
    let drift = (after.momentum - before.momentum).length() / exchanged;
    assert!(drift < 1e-9, "momentum {drift:e}");
    let turned = (after.angular_momentum - before.angular_momentum - spin).length();
    let scale = 0.1 * before.momentum.length();
    println!("angular momentum off by {:.2e} of {scale:.2e}", turned);
    assert!(turned < 1e-2 * scale, "angular momentum {turned:e} of {scale:e}");
}

/// A ball comes from below by half its radius in a step, under four layers a millimetre apart.
#[test]
fn a_collider_that_comes_fast_carries_a_stack_of_layers_on() {
    const RADIUS: f64 = 0.1;
    let mesh = sheet(0.4, 0.4, 20, 20);
    let layer = |k: usize| {
        let (sine, cosine) = (0.2 * k as f64).sin_cos();
        let place = |p: &Vec3| Vec3::new(cosine * p.x + sine * p.z, 1.2e-3 * k as f64, cosine * p.z - sine * p.x);
        let mesh = TriangleMesh { positions: mesh.positions.iter().map(place).collect(), ..mesh.clone() };
        Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(format!("layer {k}"))
    };
    let key = |time: f64| Key { time, pose: Pose { position: Vec3::Y * (1.5 * time - 0.12), ..Pose::default() } };
    let ball = Collider::new(Shape::Sphere { radius: RADIUS }).moving(vec![key(0.0), key(1.0)]);
    let builder = (0..4).fold(Simulation::builder().time_step(1.0 / 30.0), |builder, k| builder.body(layer(k)));
    let mut sim = builder
        .collider(ball.friction(0.3).thickness(3e-3))
        .self_collision(SelfCollision { thickness: 1e-3, ..SelfCollision::default() })
        .build()
        .unwrap();
    let mut sum = Sum::default();
    for step in 1..=12 {
        sum.add(&mut sim);
        let centre = key(sim.time()).pose.position;
        let deepest = sim.positions().iter().fold(0.0_f64, |most, p| most.max(RADIUS - p.distance(centre)));
        assert!(deepest < 3e-3, "{deepest} m at step {step}");
    }
    sum.show("carried layers");
    assert!(sum.intersecting == 0 && sum.pressing > 100);
}

#[test]
fn a_world_in_contact_has_the_same_bits_at_any_number_of_threads() {
    let run = |threads: usize| {
        let mesh = sheet(0.3, 0.3, 12, 12);
        let layer = |name: &str, y: f64, turn: f64| {
            let rotation = Mat3::from_rotation_y(turn);
            let positions = mesh.positions.iter().map(|p| rotation * *p + Vec3::Y * y).collect();
            let mesh = TriangleMesh { positions, ..mesh.clone() };
            Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(name)
        };
        let mut sim = Simulation::builder()
            .body(layer("floor", 0.0, 0.0).pin([0, 12, 156, 168]))
            .body(layer("one", 0.01, 0.3))
            .body(layer("two", 0.02, 0.9))
            .self_collision(SelfCollision::default())
            .threads(threads)
            .build()
            .unwrap();
        let pressed: usize = (0..12).map(|_| sim.step().unwrap().self_collision.unwrap().contacts).sum();
        assert!(pressed > 100, "{pressed}");
        sim.positions().iter().flat_map(|p| p.to_array().map(f64::to_bits)).collect::<Vec<_>>()
    };
    let alone = run(1);
    assert!([2, 3].into_iter().all(|threads| run(threads) == alone));
}

#[test]
fn ropes_hang_over_each_other_and_lie_on_cloth() {
    // A pinned rope across, a loose one laid over it at right angles, and cloth below.
    let across = rope(Vec3::new(0.0, 0.2, -0.5), Vec3::new(0.0, 0.2, 0.5), 20).unwrap();
    let over = rope(Vec3::new(-0.3, 0.21, 0.013), Vec3::new(0.3, 0.21, 0.013), 31).unwrap();
    let material = StrandMaterial::default();
    let cloth = Body::cloth(&sheet(1.0, 1.0, 10, 10), &ClothMaterial::default()).unwrap().pin_where(|_| true);
    let stray = rope(Vec3::new(-0.4, 0.03, 0.31), Vec3::new(0.2, 0.05, 0.27), 24).unwrap();
    let mut sim = Simulation::builder()
        .body(cloth.named("cloth"))
        .body(Body::strands(&across, &material).unwrap().named("across").pin_where(|_| true))
        .body(Body::strands(&over, &material).unwrap().named("over"))
        .body(Body::strands(&stray, &material).unwrap().named("stray"))
        .self_collision(SelfCollision { thickness: 6e-3, friction: 0.5, ..SelfCollision::default() })
        .build()
        .unwrap();
    let mut sum = Sum::default();
    (0..60).for_each(|_| sum.add(&mut sim));
    sum.show("ropes");
    let over = &sim.positions()[121 + 21..121 + 21 + 32];
    let top = over.iter().fold(f64::NEG_INFINITY, |high, p| high.max(p.y));
    assert!(top > 0.2, "it slipped through to {top} m");
    assert!(over[0].y < 0.15 && over[31].y < 0.15, "its ends hang down");
    let stray = &sim.positions()[121 + 21 + 32..];
    assert!(stray.iter().all(|p| p.y > 1e-3), "the rope lies on the cloth");
    assert_eq!(sum.intersecting, 0);
}

#[test]
fn a_start_with_intersections_is_refused_with_the_places() {
    let mesh = sheet(1.0, 1.0, 2, 2);
    let tilt = Mat3::from_rotation_z(1.0);
    let tilted =
        TriangleMesh { positions: mesh.positions.iter().map(|p| tilt * *p + Vec3::Z * 0.1).collect(), ..mesh.clone() };
    let cloth = |mesh: &TriangleMesh, name: &str| Body::cloth(mesh, &ClothMaterial::default()).unwrap().named(name);
    let build = |settings| {
        Simulation::builder().body(cloth(&mesh, "flat")).body(cloth(&tilted, "tilted")).self_collision(settings).build()
    };
    let error = build(SelfCollision::default()).unwrap_err();
    let ModelError::Intersecting { crossings } = &error else { panic!("{error}") };
    assert!(
        crossings.iter().all(|c| c.edge_body != c.triangle_body && c.edge[0] < 9 && c.triangle < 8),
        "{crossings:?}"
    );
    assert!(error.to_string().contains("\"tilted\"") && error.to_string().contains("\"flat\""), "{error}");
    let error = build(SelfCollision { thickness: -1.0, ..Default::default() }).unwrap_err();
    assert!(matches!(error, ModelError::BadParameter { name: "self-collision thickness", .. }), "{error}");
}

#[test]
fn a_body_that_opts_out_passes_through_itself_only() {
    let folded = |itself: bool| {
        let mesh = sheet(0.4, 0.1, 16, 4);
        let cloth = Body::cloth(&mesh, &ClothMaterial::default()).unwrap();
        let cloth = if itself { cloth } else { cloth.without_self_collision() };
        let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO);
        sim = sim.self_collision(SelfCollision::default());
        let mut sim = sim.build().unwrap();
        let masses = sim.model().mass().lumped().to_vec();
        let mut noise = Noise(5);
        let mut touched = 0;
        for _ in 0..40 {
            (0..masses.len()).for_each(|v| {
                let inwards = -sim.positions()[v] * 300.0 + noise.vector() * 5.0;
                push(&mut sim, v, inwards * masses[v]);
            });
            touched += sim.step().unwrap().self_collision.unwrap().contacts;
        }
        touched
    };
    assert!(folded(true) > 0);
    assert_eq!(folded(false), 0);
}

/// A world that starts with intersections: it is refused, and with `untangle` brought free of them and runs on. Returns the furthest way.
fn untangled(bodies: impl Fn() -> Vec<Body>) -> f64 {
    let build = |untangle| {
        let settings = SelfCollision { thickness: 4e-3, untangle, ..SelfCollision::default() };
        let builder = Simulation::builder().gravity(Vec3::ZERO).self_collision(settings);
        bodies().into_iter().fold(builder, |builder, body| builder.body(body)).build()
    };
    let refused = build(false).unwrap_err();
    assert!(matches!(refused, ModelError::Intersecting { .. }), "{refused}");
    let mut sim = build(true).unwrap_or_else(|error| panic!("{error}"));
    let untangled = sim.untangled().unwrap();
    println!("{untangled:?}");
    assert!(untangled.crossings > 0 && untangled.vertices > 0, "{untangled:?}");
    let mut sum = Sum::default();
    (0..20).for_each(|_| sum.add(&mut sim));
    assert_eq!(sum.intersecting, 0, "{sum}");
    untangled.furthest
}

fn cloth_at(mesh: &TriangleMesh, place: impl Fn(Vec3) -> Vec3) -> Body {
    let positions = mesh.positions.iter().map(|p| place(*p)).collect();
    Body::cloth(mesh, &ClothMaterial::default()).unwrap().with_positions(positions)
}

#[test]
fn sheets_that_cross_slightly_are_untangled_by_at_most_twice_their_depth() {
    let mesh = sheet(0.4, 0.4, 10, 10);
    for turn in [0.0, 0.5] {
        // One side of the upper sheet dips 2 cm below the lower one, which is as wide or turned.
        let slope = |p: Vec3| Mat3::from_rotation_y(turn) * Vec3::new(p.x, 0.02 + 0.2 * p.x, p.z) + Vec3::X * 0.013;
        let furthest = untangled(|| vec![cloth_at(&mesh, |p| p).named("lower"), cloth_at(&mesh, slope).named("upper")]);
        assert!(furthest < 2.0 * 0.02, "moved by {furthest} m");
    }
}

#[test]
fn a_corner_that_pokes_through_its_own_cloth_is_taken_back() {
    let mesh = sheet(0.4, 0.4, 16, 16);
    // Folded over along the middle, with a lower half that lies flat and one corner of the upper half pressed through it.
    let folded = |p: Vec3| {
        if p.x <= 0.0 {
            return p;
        }
        let corner = ((p.x - 0.12) + (p.z - 0.12)).max(0.0);
        // A little narrower than the half below, so that the corner is over its inside.
        let narrow = 1.0 - 2.0 * p.x.min(0.05);
        let height = 0.25 * p.x.min(0.05) + 0.5 * (p.x - 0.05).clamp(0.0, 0.025);
        Vec3::new(p.x.min(0.05) - (p.x - 0.05).max(0.0), height - 0.35 * corner, narrow * p.z)
    };
    let furthest = untangled(|| vec![cloth_at(&mesh, folded)]);
    assert!(furthest < 0.05, "moved by {furthest} m");
}

#[test]
fn a_strand_through_cloth_is_pulled_back() {
    let cord = rope(Vec3::new(0.013, 0.3, 0.007), Vec3::new(0.013, -0.055, 0.007), 20).unwrap();
    let strand = || Body::strands(&cord, &StrandMaterial::default()).unwrap().named("cord");
    let furthest = untangled(|| vec![cloth_at(&sheet(0.4, 0.4, 8, 8), |p| p).named("cloth"), strand()]);
    assert!((0.05..0.08).contains(&furthest), "moved by {furthest} m");
}

#[test]
fn what_may_not_be_moved_is_not_untangled_but_named() {
    let mesh = sheet(0.4, 0.4, 4, 4);
    let fixed =
        |name: &str, slope: f64| cloth_at(&mesh, |p| p + Vec3::Y * (slope * p.x)).named(name).pin_where(|_| true);
    let error = Simulation::builder()
        .body(fixed("one", 0.0))
        .body(fixed("other", 0.5))
        .self_collision(SelfCollision { untangle: true, ..SelfCollision::default() })
        .build()
        .unwrap_err();
    assert!(matches!(&error, ModelError::Intersecting { crossings } if !crossings.is_empty()), "{error}");
}
