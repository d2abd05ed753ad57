//! Hair that follows its roots.

use pliant::collide::{Collider, Key, Pose, Shape};
use pliant::mesh::generate::{Bundle, Roots};
use pliant::mesh::{Csr, StrandSet};
use pliant::prelude::*;
use pliant::solve::{FollowLeaderError, SolverChoice};
use pliant::{ModelError, Simulation};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A bundle of hair that stands out sideways.
fn bundle(count: usize, segments: usize) -> StrandSet {
    let roots = Roots::Disc { radius: 0.1, count };
    Bundle { roots, direction: Vec3::X, length: 0.3, segments }.strands().expect("a bundle")
}

pub(crate) fn roots(hair: &StrandSet) -> Vec<u32> {
    hair.strands.rows().map(|strand| strand[0]).collect()
}

fn rooted(hair: &StrandSet) -> Result<Body, ModelError> {
    Ok(Body::strands(hair, &StrandMaterial { density: 1e-4, ..StrandMaterial::default() })?
        .named("hair")
        .pin(roots(hair)))
}

/// Largest relative error of a length; x are the positions of the hair alone.
pub(crate) fn worst_length(hair: &StrandSet, x: &[Vec3]) -> f64 {
    let rest = &hair.positions;
    let error = |[a, b]: [u32; 2]| {
        let [a, b] = [a as usize, b as usize];
        (x[a].distance(x[b]) / rest[a].distance(rest[b]) - 1.0).abs()
    };
    hair.segments().map(error).fold(0.0, f64::max)
}

/// Shakes the roots; they go to `at(time)` of their rest places.
fn shake(sim: &mut Simulation, hair: &StrandSet) -> Outcome {
    let t = sim.time() + sim.time_step();
    let turn = Quat::from_rotation_y(2.0 * (6.0 * t).sin());
    let rest = hair.positions.clone();
    sim.move_pins(|vertex, _| turn * rest[vertex as usize] + Vec3::new(0.0, 0.1 * (9.0 * t).sin(), 0.0))?;
    Ok(())
}

#[test]
fn lengths_of_ten_thousand_shaken_strands_are_exact() -> Outcome {
    let hair = bundle(10_000, 15);
    let grid = Some(HairGrid { cell: 0.01, friction: 5.0, repulsion: 0.05 });
    let params = FollowLeaderParams { grid, ..FollowLeaderParams::default() };
    let mut sim = Simulation::builder().body(rooted(&hair)?).solver(params).build()?;
    for _ in 0..10 {
        shake(&mut sim, &hair)?;
        sim.step()?;
        let worst = worst_length(&hair, sim.positions());
        assert!(worst < 1e-6, "a length is wrong by {worst:e} of itself");
    }
    let lowest = sim.positions().iter().fold(0.0_f64, |low, p| low.min(p.y));
    assert!(lowest < -0.2, "the hair fell: {lowest}");
    Ok(())
}

#[test]
fn velocities_are_movement_less_a_share_of_the_followers_correction() -> Outcome {
    let positions = vec![Vec3::ZERO, Vec3::new(0.3, 0.0, 0.0), Vec3::new(0.5, 0.2, 0.0), Vec3::new(0.5, 0.4, 0.1)];
    let strand = StrandSet::new(positions.clone(), Csr::from_rows([[0, 1, 2, 3]]))?;
    let (h, s, g) = (0.02, 0.7, Vec3::new(0.0, -9.81, 0.0));
    let velocities = vec![Vec3::ZERO, Vec3::new(0.0, 1.0, 0.5), Vec3::new(-1.0, 0.3, 0.0), Vec3::new(0.2, 2.0, 0.0)];
    let params = FollowLeaderParams { correction: s, ..FollowLeaderParams::default() };
    let body = rooted(&strand)?.with_velocities(velocities.clone());
    let mut sim = Simulation::builder().body(body).solver(params).time_step(h).build()?;
    sim.step()?;
    // By hand, down the strand.
    let mut reached = vec![Vec3::ZERO];
    let mut corrections = vec![Vec3::ZERO];
    for k in 1..4 {
        let predicted = positions[k] + velocities[k] * h + g * (h * h);
        let length = positions[k].distance(positions[k - 1]);
        let place = reached[k - 1] + (predicted - reached[k - 1]).normalize() * length;
        corrections.push(place - predicted);
        reached.push(place);
    }
    for k in 1..4 {
        assert!(sim.positions()[k].distance(reached[k]) < 1e-14);
        let follower = corrections.get(k + 1).copied().unwrap_or(Vec3::ZERO);
        let expected = (reached[k] - positions[k]) / h - follower * (s / h);
        assert!(sim.velocities()[k].distance(expected) < 1e-12, "vertex {k}: {} for {expected}", sim.velocities()[k]);
    }
    Ok(())
}

/// How far tips are from those of the exact strand, on average over a swing of one second.
fn lag(correction: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let strand = rope(Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0), 10)?;
    let h = 1.0 / 240.0;
    let stiff = StrandMaterial { density: 0.01, axial_stiffness: 1e4, ..StrandMaterial::default() };
    let body = |name: &str| Ok::<_, ModelError>(Body::strands(&strand, &stiff)?.named(name).pin([0]));
    let mut exact = Simulation::builder().body(body("exact")?).solver(NewtonParams::default()).time_step(h).build()?;
    let params = FollowLeaderParams { correction, ..FollowLeaderParams::default() };
    let mut follower = Simulation::builder().body(body("follower")?).solver(params).time_step(h).build()?;
    let mut sum = 0.0;
    for _ in 0..240 {
        exact.step()?;
        follower.step()?;
        sum += exact.positions()[10].distance(follower.positions()[10]);
    }
    Ok(sum / 240.0)
}

#[test]
fn a_corrected_strand_swings_closer_to_the_exact_one_than_a_plain_follower() -> Outcome {
    let (plain, corrected) = (lag(0.0)?, lag(0.9)?);
    assert!(corrected < 0.7 * plain, "corrected {corrected:.4} m, plain {plain:.4} m off on average");
    Ok(())
}

/// Hair on the upper half of a ball, combed sideways, with roots at the ball's thickness.
fn head(count: usize) -> (StrandSet, f64) {
    let (radius, segments, length) = (0.1, 12, 0.012);
    let golden = std::f64::consts::TAU * (1.0 - 2.0 / (1.0 + 5f64.sqrt()));
    let (mut positions, mut rows) = (Vec::new(), Vec::new());
    for k in 0..count {
        let up = 1.0 - 0.9 * (k as f64 + 0.5) / count as f64;
        let (sin, cos) = (golden * k as f64).sin_cos();
        let across = (1.0 - up * up).sqrt();
        let normal = Vec3::new(across * cos, up, across * sin);
        let first = positions.len() as u32;
        positions.extend((0..=segments).map(|i| normal * (radius + 1e-3 + length * f64::from(i))));
        rows.push((first..=first + segments as u32).collect::<Vec<_>>());
    }
    (StrandSet::new(positions, Csr::from_rows(rows)).expect("hair"), radius)
}

/// A head that nods to and fro, as a collider and as a motion of the roots.
fn nod(time: f64) -> Pose {
    let position = Vec3::new(0.15 * (5.0 * time).sin(), 0.0, 0.0);
    Pose { position, rotation: Quat::from_rotation_z(0.6 * (5.0 * time).sin()) }
}

fn nodding(hair: &StrandSet, radius: f64, threads: usize) -> Result<Simulation, Box<dyn std::error::Error>> {
    let keys = (0..=120).map(|k| f64::from(k) / 60.0).map(|time| Key { time, pose: nod(time) }).collect();
    let ball = Collider::new(Shape::Sphere { radius }).moving(keys).friction(0.3);
    let grid = Some(HairGrid { cell: 0.01, friction: 10.0, repulsion: 0.02 });
    let params = FollowLeaderParams { grid, ..FollowLeaderParams::default() };
    Ok(Simulation::builder().body(rooted(hair)?).collider(ball).solver(params).threads(threads).build()?)
}

fn follow_nod(sim: &mut Simulation, hair: &StrandSet) -> Outcome {
    let pose = nod(sim.time() + sim.time_step());
    sim.move_pins(|vertex, _| pose.position + pose.rotation * hair.positions[vertex as usize])?;
    sim.step()?;
    Ok(())
}

#[test]
fn hair_on_a_nodding_head_keeps_lengths_and_stays_outside() -> Outcome {
    let (hair, radius) = head(400);
    let mut sim = nodding(&hair, radius, 2)?;
    let mut touching = 0;
    for _ in 0..90 {
        follow_nod(&mut sim, &hair)?;
        let worst = worst_length(&hair, sim.positions());
        assert!(worst < 1e-6, "at {:.2} s a length is wrong by {worst:e} of itself", sim.time());
        let centre = nod(sim.time()).position;
        let nearest = sim.positions().iter().map(|p| p.distance(centre)).fold(f64::INFINITY, f64::min);
        assert!(nearest > radius - 1e-9, "at {:.2} s hair is {:e} m deep", sim.time(), radius - nearest);
        touching = touching.max(sim.contacts().len());
    }
    assert!(touching > 400, "hair lies on the head: {touching}");
    Ok(())
}

#[test]
fn threads_change_no_bit_and_neither_does_a_checkpoint() -> Outcome {
    let (hair, radius) = head(300);
    let mut alone = nodding(&hair, radius, 1)?;
    let mut together = nodding(&hair, radius, 2)?;
    let mut saved = None;
    for step in 0..30 {
        follow_nod(&mut alone, &hair)?;
        follow_nod(&mut together, &hair)?;
        assert_eq!(alone.positions(), together.positions(), "step {step}");
        assert_eq!(alone.velocities(), together.velocities(), "step {step}");
        if step == 14 {
            saved = Some(Checkpoint::from_bytes(&alone.checkpoint().to_bytes())?);
        }
    }
    let mut resumed = nodding(&hair, radius, 2)?;
    resumed.restore(&saved.expect("a checkpoint"))?;
    for _ in 15..30 {
        follow_nod(&mut resumed, &hair)?;
    }
    assert_eq!(resumed.positions(), alone.positions());
    Ok(())
}

/// Curls that hang from a plate.
fn curls(count: usize) -> StrandSet {
    let (mut positions, mut rows) = (Vec::new(), Vec::new());
    for k in 0..count {
        let root = Vec3::new(0.03 * (k % 5) as f64, 0.0, 0.03 * (k / 5) as f64);
        let first = positions.len() as u32;
        positions.extend((0..=40).map(|i| {
            let turn = 0.6 * f64::from(i);
            root + Vec3::new(0.008 * (turn.cos() - 1.0), -0.004 * f64::from(i), 0.008 * turn.sin())
        }));
        rows.push((first..=first + 40).collect::<Vec<_>>());
    }
    StrandSet::new(positions, Csr::from_rows(rows)).expect("curls")
}

/// How far a tip has dropped from its place at rest over how far it could, and its speed \[m/s\], some time after a shake.
fn shaken_curls(style: Option<HairStyle>) -> Result<[f64; 2], Box<dyn std::error::Error>> {
    let hair = curls(25);
    let params = FollowLeaderParams { correction: 0.5, style, ..FollowLeaderParams::default() };
    let builder = Simulation::builder().body(rooted(&hair)?).solver(params);
    let mut sim = builder.damping(Damping { drag: 1.0, ..Damping::default() }).build()?;
    let mut before = sim.positions()[40];
    for step in 0..300 {
        let t = f64::from(step) / 60.0;
        let shift = if t < 1.0 { 0.05 * (12.0 * t).sin() } else { 0.0 };
        sim.move_pins(|vertex, _| hair.positions[vertex as usize] + Vec3::X * shift)?;
        before = sim.positions()[40];
        sim.step()?;
    }
    assert!(worst_length(&hair, sim.positions()) < 1e-6);
    let could = hair.length() / 25.0 - 0.16;
    let tip = sim.positions()[40];
    Ok([(-0.16 - tip.y) / could, 60.0 * tip.distance(before)])
}

#[test]
fn styled_curls_stay_and_come_to_rest_where_unstyled_ones_unwind() -> Outcome {
    let style = |local| Some(HairStyle { local, iterations: 3, global: 0.0, global_range: 0.0 });
    let [unstyled, _] = shaken_curls(None)?;
    let [styled, speed] = shaken_curls(style(0.9))?;
    assert!(unstyled > 0.99, "{unstyled}");
    assert!(styled < 0.8 * unstyled, "{styled} beside {unstyled}");
    // As a follower's wish alone the style kept shaking at metres per second.
    assert!(speed < 0.1, "{speed} m/s");
    Ok(())
}

#[test]
fn style_is_carried_along_when_its_pins_turn() -> Outcome {
    let hair = curls(25);
    let style = Some(HairStyle { local: 0.5, iterations: 3, global: 0.3, global_range: 1.0 });
    let params = FollowLeaderParams { style, ..FollowLeaderParams::default() };
    let builder = Simulation::builder().body(rooted(&hair)?).solver(params).gravity(Vec3::ZERO);
    let mut sim = builder.damping(Damping { drag: 5.0, ..Damping::default() }).build()?;
    let turned = |t: f64, p: Vec3| Quat::from_rotation_x(t) * Quat::from_rotation_z(0.5 * t) * p + Vec3::Y * t;
    for step in 0..200 {
        let t = 1.5 * (f64::from(step + 1) / 60.0).min(1.0);
        sim.move_pins(|vertex, _| turned(t, hair.positions[vertex as usize]))?;
        sim.step()?;
    }
    let off = sim.positions().iter().zip(&hair.positions).map(|(x, rest)| x.distance(turned(1.5, *rest)));
    let most = off.fold(0.0, f64::max);
    assert!(most < 1e-4, "{most:e} m off");
    Ok(())
}

#[test]
fn worlds_that_do_not_follow_are_refused_with_their_place() -> Outcome {
    let follow = || SolverChoice::from(FollowLeaderParams::default());
    let refused = |body: Body| match Simulation::builder().body(body.named("it")).solver(follow()).build() {
        Err(ModelError::FollowLeader(error)) => error,
        other => panic!("{other:?}"),
    };
    let hair = bundle(3, 4);
    let mut some = roots(&hair);
    some.pop();
    let material = StrandMaterial::default();
    let loose = Body::strands(&hair, &material)?.pin(some);
    assert_eq!(refused(loose), FollowLeaderError::NoLeader { body: "it".into(), strand: 2 });
    let sheet = Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh()?;
    let cloth = refused(Body::cloth(&sheet, &ClothMaterial::default())?.pin([0]));
    assert!(matches!(cloth, FollowLeaderError::Energy { .. }), "{cloth}");
    let net =
        StrandSet::new(vec![Vec3::ZERO, Vec3::X, Vec3::NEG_X, Vec3::NEG_Y], Csr::from_rows([[1, 0, 3], [2, 0, 3]]))?;
    let shared = refused(Body::strands(&net, &material)?.pin([1, 2]));
    assert_eq!(shared, FollowLeaderError::Shared { body: "it".into(), vertex: 0 });
    let builder = Simulation::builder().body(rooted(&hair)?).solver(follow());
    let midpoint = builder.integrator(TimeIntegrator::ImplicitMidpoint).build();
    assert!(matches!(midpoint, Err(ModelError::FollowLeader(FollowLeaderError::Integrator { .. }))));
    let wrong = FollowLeaderParams { correction: 1.0, ..FollowLeaderParams::default() };
    let built = Simulation::builder().body(rooted(&hair)?).solver(wrong).build();
    assert!(matches!(built, Err(ModelError::BadParameter { value: 1.0, .. })));
    // As by a solver that is set later.
    let mut sim = Simulation::builder().body(Body::cloth(&sheet, &ClothMaterial::default())?.pin([0])).build()?;
    assert!(matches!(sim.set_solver(FollowLeaderParams::default()), Err(ModelError::FollowLeader(_))));
    Ok(())
}
