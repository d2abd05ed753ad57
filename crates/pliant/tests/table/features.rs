//! What a world can ask of a body, each tried in a small world of its own and measured.

use pliant::mesh::PointSet;
use pliant::prelude::*;
use pliant::solve::ExplicitParams;
use pliant::{SimulationBuilder, StepError};

use super::kinds::Kind;

/// What became of a trial.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// It works, as a number shows.
    Works(String),
    /// It is refused, with a message.
    Refused(String),
    /// It neither works nor is it refused.
    Wrong(String),
}

pub(super) struct Feature {
    pub(super) name: &'static str,
    /// What the number of a cell is.
    pub(super) measure: &'static str,
    pub(super) trial: fn(&Kind) -> Outcome,
}

pub(super) const FEATURES: &[Feature] = &[
    Feature { name: "collider", measure: "depth in the ground at the end [mm]", trial: collider },
    Feature {
        name: "pin",
        measure: "fall of the centre when held by one vertex; a fluid is held particle by particle [m]",
        trial: pin,
    },
    Feature { name: "handle", measure: "the same, by a spring to a point", trial: handle },
    Feature { name: "grab", measure: "the same, by a user's hand", trial: grab },
    Feature { name: "attachment", measure: "the same, by a tie to another body", trial: attachment },
    Feature { name: "wind", measure: "speed after half a second in 5 m/s [m/s]", trial: wind },
    Feature { name: "pressure", measure: "movement of a vertex by it in five steps [µm]", trial: pressure },
    Feature { name: "tearing", measure: "vertices that were split", trial: tearing },
    Feature { name: "cutting", measure: "length of the cut [m]", trial: cutting },
    Feature { name: "strain limiting", measure: "stretch at a limit of 1.05", trial: strain_limiting },
    Feature { name: "drag", measure: DAMPED, trial: |kind| damping(kind, Damping { drag: 1e3, ..NONE }) },
    Feature {
        name: "deformation damping",
        measure: DAMPED,
        trial: |kind| damping(kind, Damping { deformation: 1e3, ..NONE }),
    },
    Feature {
        name: "stiffness damping",
        measure: DAMPED,
        trial: |kind| damping(kind, Damping { stiffness: 0.05, ..NONE }),
    },
    Feature { name: "spring damping", measure: DAMPED, trial: |kind| damping(kind, Damping { spring: 1e3, ..NONE }) },
    Feature { name: "radial damping", measure: DAMPED, trial: |kind| damping(kind, Damping { radial: 1e3, ..NONE }) },
    Feature {
        name: "radial damping of clusters",
        measure: DAMPED,
        trial: |kind| damping(kind, Damping { radial: 1e3, cluster: 9, ..NONE }),
    },
    Feature { name: "resuming", measure: "difference after it [m]", trial: resuming },
    Feature { name: "projective", measure: SOLVED, trial: |kind| solver(kind, ProjectiveParams::default().into()) },
    Feature { name: "two-metric", measure: SOLVED, trial: |kind| solver(kind, TwoMetricParams::default().into()) },
    Feature { name: "Newton", measure: SOLVED, trial: |kind| solver(kind, NewtonParams::default().into()) },
    Feature {
        name: "position-based",
        measure: SOLVED,
        trial: |kind| solver(kind, PositionBasedParams::default().into()),
    },
    Feature { name: "explicit", measure: SOLVED, trial: |kind| solver(kind, ExplicitParams::default().into()) },
    Feature {
        name: "follow-the-leader",
        measure: SOLVED,
        trial: |kind| solver(kind, FollowLeaderParams::default().into()),
    },
    Feature { name: "pin, projective", measure: SWUNG, trial: |kind| pinned(kind, ProjectiveParams::default().into()) },
    Feature { name: "pin, two-metric", measure: SWUNG, trial: |kind| pinned(kind, TwoMetricParams::default().into()) },
    Feature { name: "pin, Newton", measure: SWUNG, trial: |kind| pinned(kind, NewtonParams::default().into()) },
    Feature {
        name: "pin, position-based",
        measure: SWUNG,
        trial: |kind| pinned(kind, PositionBasedParams::default().into()),
    },
    Feature { name: "pin, explicit", measure: SWUNG, trial: |kind| pinned(kind, ExplicitParams::default().into()) },
    Feature {
        name: "pin, follow-the-leader",
        measure: SWUNG,
        trial: |kind| pinned(kind, FollowLeaderParams::default().into()),
    },
    Feature {
        name: "attachment, projective",
        measure: SWUNG,
        trial: |kind| tied(kind, ProjectiveParams::default().into()),
    },
    Feature {
        name: "attachment, two-metric",
        measure: SWUNG,
        trial: |kind| tied(kind, TwoMetricParams::default().into()),
    },
    Feature { name: "attachment, Newton", measure: SWUNG, trial: |kind| tied(kind, NewtonParams::default().into()) },
    Feature {
        name: "attachment, position-based",
        measure: SWUNG,
        trial: |kind| tied(kind, PositionBasedParams::default().into()),
    },
    Feature {
        name: "attachment, explicit",
        measure: SWUNG,
        trial: |kind| tied(kind, ExplicitParams::default().into()),
    },
    Feature {
        name: "attachment, follow-the-leader",
        measure: SWUNG,
        trial: |kind| tied(kind, FollowLeaderParams::default().into()),
    },
    Feature { name: "implicit Euler", measure: KEPT, trial: |kind| integrator(kind, TimeIntegrator::ImplicitEuler) },
    Feature { name: "BDF2", measure: KEPT, trial: |kind| integrator(kind, TimeIntegrator::Bdf2) },
    Feature { name: "TR-BDF2", measure: KEPT, trial: |kind| integrator(kind, TimeIntegrator::TrBdf2) },
    Feature {
        name: "implicit midpoint",
        measure: KEPT,
        trial: |kind| integrator(kind, TimeIntegrator::ImplicitMidpoint),
    },
    Feature { name: "energy-keeping", measure: KEPT, trial: |kind| integrator(kind, TimeIntegrator::EnergyKeeping) },
];

const SWUNG: &str = "largest distance from the vertex that holds it in a swing, over that at the start; particles of a fluid are held one by one";
const DAMPED: &str = "energy of deforming motion that is left of that without [%]";
const SOLVED: &str = "depth in the ground, or fall of hair, at the end [mm]";
const KEPT: &str = "largest gain of energy in a fall of what falling released [%]";
const NONE: Damping = Damping { drag: 0.0, deformation: 0.0, stiffness: 0.0, spring: 0.0, radial: 0.0, cluster: 0 };

/// Builds and tries.
fn attempt(builder: SimulationBuilder, trial: impl FnOnce(&mut Simulation) -> Result<Outcome, StepError>) -> Outcome {
    match builder.build() {
        Ok(mut sim) => trial(&mut sim).unwrap_or_else(|error| Outcome::Wrong(format!("fails: {error}"))),
        Err(error) => Outcome::Refused(error.to_string()),
    }
}

fn judge(holds: bool, number: String) -> Outcome {
    if holds { Outcome::Works(number) } else { Outcome::Wrong(number) }
}

fn centre(x: &[Vec3]) -> Vec3 {
    x.iter().sum::<Vec3>() / x.len() as f64
}

fn lowest(x: &[Vec3]) -> f64 {
    x.iter().fold(f64::INFINITY, |low, p| low.min(p.y))
}

fn run(sim: &mut Simulation, steps: usize) -> Result<(), StepError> {
    (0..steps).try_for_each(|_| sim.step().map(drop))
}

/// A body a little above the ground.
fn above_ground(kind: &Kind) -> SimulationBuilder {
    let low = lowest(kind.body().rest());
    let ground = Collider::new(Shape::Plane).at(Vec3::Y * (low - 0.1)).friction(0.3);
    Simulation::builder().body(kind.body()).collider(ground)
}

/// Comes to rest on the ground; hair hangs at its root, and touches it.
fn lands(sim: &mut Simulation) -> Result<Outcome, StepError> {
    let ground = lowest(sim.positions()) - 0.1;
    run(sim, 150)?;
    let (low, report) = (lowest(sim.positions()) - ground, sim.report());
    let depth = -1e3 * low;
    let text = format!("{depth:.1}");
    let has_come = low < 0.02;
    // A fluid goes on sloshing for a while.
    Ok(match has_come && depth < 5.0 && report.max_speed < 1.0 {
        true => Outcome::Works(text),
        false => Outcome::Wrong(format!("{text} mm deep, {:.2} m/s", report.max_speed)),
    })
}

fn collider(kind: &Kind) -> Outcome {
    attempt(above_ground(kind), lands)
}

/// Lies on the ground to a millimetre, and has not gained energy on the way there.
fn solver(kind: &Kind, solver: SolverChoice) -> Outcome {
    attempt(above_ground(kind).solver(solver), |sim| {
        let (first, low) = (sim.report(), lowest(sim.positions()));
        let released = 9.81 * 0.1 * sim.model().mass().lumped().iter().sum::<f64>();
        let landed = lands(sim)?;
        let (report, above) = (sim.report(), lowest(sim.positions()) - low + 0.1);
        let (gain, off) = (report.total() - first.total(), 1e3 * (above - kind.lies_at));
        Ok(match landed {
            Outcome::Works(_) if off.abs() > 1.0 => Outcome::Wrong(format!("lies {off:.1} mm from the ground")),
            Outcome::Works(_) if gain > 0.05 * released => {
                Outcome::Wrong(format!("has gained {gain:.1e} J, where falling released {released:.1e} J"))
            }
            other => other,
        })
    })
}

/// Held at one vertex it stays there, turns about it and does not fall.
fn hangs(sim: &mut Simulation, body: &str, held: u32, give: f64) -> Result<Outcome, StepError> {
    let start = sim.body_positions(body).unwrap().to_vec();
    let size = start.iter().map(|p| p.distance(start[held as usize])).fold(0.0, f64::max);
    run(sim, 90)?;
    let now = sim.body_positions(body).unwrap();
    let (off, fall) = (now[held as usize].distance(start[held as usize]), centre(&start).y - centre(now).y);
    // Particles of a fluid are held one by one.
    let is_carried = fall <= 1.25 * size || body == "fluid";
    Ok(match off <= give && is_carried {
        true => Outcome::Works(format!("{fall:.2}")),
        false => Outcome::Wrong(format!("fell by {fall:.2} m, what holds it gave by {off:.3} m")),
    })
}

fn pin(kind: &Kind) -> Outcome {
    let world = Simulation::builder().body(kind.body().pin([kind.held]));
    attempt(world, |sim| hangs(sim, kind.name, kind.held, 0.0))
}

/// Swings about what holds it at one vertex. It stays in one piece and does not get longer than it was, what holds it gives way by no more than `give` \[m\], and
/// its motion gains nothing; of rigid bodies, which have no strain, all energy is looked at.
fn swings(sim: &mut Simulation, kind: &Kind, give: f64) -> Result<Outcome, StepError> {
    let place = |sim: &Simulation| sim.body_positions(kind.name).unwrap().to_vec();
    let start = place(sim);
    let hold = start[kind.held as usize];
    let size = |x: &[Vec3]| x.iter().map(|p| p.distance(x[kind.held as usize])).fold(0.0, f64::max);
    let is_rigid = sim.rigid_pose(kind.name).is_ok();
    let energy = |sim: &Simulation| {
        let report = sim.report();
        report.kinetic + report.gravitational + if is_rigid { report.potential() } else { 0.0 }
    };
    let scale = 9.81 * size(&start) * sim.model().mass().lumped().iter().sum::<f64>();
    let (first, mut gain, mut reach, mut off) = (energy(sim), 0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..90 {
        sim.step()?;
        let now = place(sim);
        gain = gain.max(energy(sim) - first);
        reach = reach.max(size(&now) / size(&start));
        off = off.max(now[kind.held as usize].distance(hold));
    }
    let bent = sim.rigid_pose(kind.name).map_or(0.0, |pose| pose.deviation);
    // Shape matching is as soft as its limit allows; particles of a fluid are held one by one.
    let is_carried = reach < 1.6 || kind.name == "fluid";
    Ok(match off <= give && is_carried && bent < 1e-3 && gain < 0.05 * scale {
        true => Outcome::Works(format!("{reach:.2}")),
        false => Outcome::Wrong(format!(
            "{reach:.2} times as long, what holds it gave by {:.1} mm of {:.1} mm, bent by {bent:.1e}, gained {gain:.1e} J of {scale:.1e} J",
            1e3 * off,
            1e3 * give
        )),
    })
}

fn pinned(kind: &Kind, solver: SolverChoice) -> Outcome {
    let world = Simulation::builder().body(kind.body().pin([kind.held])).solver(solver);
    attempt(world, |sim| swings(sim, kind, 0.0))
}

/// By a spring to a fixed point that gives way by 1 mm under its weight; a body that swings pulls up to five times as much.
fn tied(kind: &Kind, solver: SolverChoice) -> Outcome {
    let body = kind.body();
    let place = body.rest()[kind.held as usize];
    let mass = match Simulation::builder().body(kind.body()).build() {
        Ok(sim) => sim.model().mass().lumped().iter().sum::<f64>(),
        Err(error) => return Outcome::Wrong(error.to_string()),
    };
    let hook = Body::points(&PointSet { positions: vec![place] }, 1.0).named("hook").pin([0]);
    let ends = ((kind.name, kind.held), ("hook", 0));
    let world = Simulation::builder().body(body).body(hook).attach(ends.0, ends.1, mass * 9.81 / 1e-3).solver(solver);
    attempt(world, |sim| swings(sim, kind, 6e-3))
}

fn handle(kind: &Kind) -> Outcome {
    let body = kind.body();
    let goal = pliant::energy::PositionGoals { vertices: vec![kind.held], goals: None, stiffness: 1e4 };
    match goal.build(body.rest()) {
        Ok(energy) => {
            let world = Simulation::builder().body(kind.body().with_energy(energy));
            attempt(world, |sim| hangs(sim, kind.name, kind.held, 0.05))
        }
        Err(error) => Outcome::Refused(error.to_string()),
    }
}

fn grab(kind: &Kind) -> Outcome {
    attempt(Simulation::builder().body(kind.body()), |sim| {
        if let Err(error) = sim.grab(kind.name, kind.held, 1e4) {
            return Ok(Outcome::Refused(error.to_string()));
        }
        hangs(sim, kind.name, kind.held, 0.05)
    })
}

fn attachment(kind: &Kind) -> Outcome {
    let body = kind.body();
    let place = body.rest()[kind.held as usize];
    let hook = Body::points(&PointSet { positions: vec![place] }, 1.0).named("hook").pin([0]);
    let world = Simulation::builder().body(body).body(hook).attach((kind.name, kind.held), ("hook", 0), 1e4);
    attempt(world, |sim| hangs(sim, kind.name, kind.held, 0.05))
}

fn wind(kind: &Kind) -> Outcome {
    let world = Simulation::builder().body(kind.body()).gravity(Vec3::ZERO).wind(Wind::new(Vec3::new(0.0, 5.0, 2.0)));
    attempt(world, |sim| {
        run(sim, 30)?;
        let speed = centre(sim.velocities()).length();
        Ok(judge(speed > 1e-4, format!("{speed:.4}")))
    })
}

fn pressure(kind: &Kind) -> Outcome {
    let world = Simulation::builder().body(kind.body().with_pressure(20.0)).gravity(Vec3::ZERO);
    attempt(world, |sim| {
        let start = sim.positions().to_vec();
        run(sim, 5)?;
        let moved = sim.positions().iter().zip(&start).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        Ok(judge(moved > 1e-9, format!("{:.2}", 1e6 * moved)))
    })
}

/// Its ends along x are pulled apart.
fn tearing(kind: &Kind) -> Outcome {
    let body = kind.body();
    let far = body.rest().iter().map(|p| p.x.abs()).fold(0.0, f64::max) - 1e-6;
    let body = body.with_tearing(Tearing::at_stretch(1.1)).pin_where(|p| p.x.abs() >= far);
    attempt(Simulation::builder().body(body).gravity(Vec3::ZERO), |sim| {
        let mut torn = 0;
        for step in 1..=20 {
            let way = Vec3::X * (0.005 * f64::from(step));
            sim.move_pins(|_, rest| if rest.x > 0.0 { rest + way } else { rest - way }).unwrap();
            torn += sim.step()?.torn;
        }
        Ok(judge(torn > 0, torn.to_string()))
    })
}

fn cutting(kind: &Kind) -> Outcome {
    attempt(Simulation::builder().body(kind.body()), |sim| {
        run(sim, 2)?;
        let middle = centre(sim.positions());
        match sim.cut(kind.name, &Cut::Plane { point: middle + Vec3::X * 0.01, normal: Vec3::X }) {
            Err(error) => Ok(Outcome::Refused(error.to_string())),
            Ok(cut) => {
                run(sim, 10)?;
                let triangles = &sim.body(kind.name).unwrap().surface;
                let edges: Vec<[u32; 2]> = triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]]]).collect();
                let pieces = pliant::mesh::connected_components(sim.positions().len(), &edges);
                Ok(judge(cut.length > 0.0 && pieces.count == 2, format!("{:.2}", cut.length)))
            }
        }
    })
}

fn strain_limiting(kind: &Kind) -> Outcome {
    let world = Simulation::builder().body(kind.body().pin([kind.held])).strain_limiting(StrainLimiting::global(1.05));
    attempt(world, |sim| {
        let start = sim.positions().to_vec();
        // Pairs of neighbours: no vertex has others that are much closer.
        let gap = |v: usize| {
            let others = (0..start.len()).filter(|&w| w != v);
            others.map(|w| start[v].distance(start[w])).fold(f64::INFINITY, f64::min)
        };
        let mut pairs = Vec::new();
        for v in 0..start.len() {
            let near = 1.05 * gap(v);
            pairs.extend((0..v).filter(|&w| start[v].distance(start[w]) < near).map(|w| (v, w)));
        }
        run(sim, 60)?;
        let x = sim.positions();
        let stretch = pairs.iter().map(|&(v, w)| x[v].distance(x[w]) / start[v].distance(start[w])).fold(0.0, f64::max);
        Ok(judge(stretch < 1.06, format!("{stretch:.3}")))
    })
}

/// Mean energy of motion of what was pulled longer, in a tenth of a second of short steps, with and without damping.
fn damping(kind: &Kind, damping: Damping) -> Outcome {
    let moving = |damping: Damping| {
        let body = kind.body();
        let velocities = body.rest().iter().map(|p| *p * Vec3::new(0.2, -0.1, 0.1)).collect();
        let world = Simulation::builder().body(body.with_velocities(velocities)).gravity(Vec3::ZERO).damping(damping);
        world.time_step(1e-3).substeps(1).build().map(|mut sim| {
            let mut sum = 0.0;
            (0..100).try_for_each(|_| sim.step().map(|_| sum += sim.report().kinetic)).map(|()| sum)
        })
    };
    match (moving(NONE), moving(damping)) {
        (_, Err(error)) => Outcome::Refused(error.to_string()),
        (Ok(Ok(free)), Ok(Ok(damped))) => {
            let share = 100.0 * damped / free;
            judge(share < 97.0, format!("{share:.0}"))
        }
        (_, Ok(Err(error))) => Outcome::Wrong(format!("fails: {error}")),
        (other, _) => Outcome::Wrong(format!("fails without damping: {:?}", other.map(|_| ()))),
    }
}

fn resuming(kind: &Kind) -> Outcome {
    attempt(above_ground(kind), |sim| {
        run(sim, 20)?;
        let saved = sim.checkpoint().to_bytes();
        run(sim, 20)?;
        let mut other = above_ground(kind).build().unwrap();
        other.restore(&Checkpoint::from_bytes(&saved).unwrap()).unwrap();
        run(&mut other, 20)?;
        let off = sim.positions().iter().zip(other.positions()).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        Ok(judge(off == 0.0, format!("{off}")))
    })
}

/// What falls, lands, and is pulled while it does, gains nothing.
fn integrator(kind: &Kind, integrator: TimeIntegrator) -> Outcome {
    let body = kind.body();
    let velocities = body.rest().iter().map(|p| *p * Vec3::new(2.0, -1.0, 1.0)).collect();
    let ground = Collider::new(Shape::Plane).at(Vec3::Y * -0.5).friction(0.3);
    let world = Simulation::builder().body(body.with_velocities(velocities)).collider(ground).integrator(integrator);
    attempt(world, |sim| {
        let start = sim.report();
        let (mut gain, mut share) = (0.0_f64, 0.0_f64);
        for _ in 0..120 {
            sim.step()?;
            let now = sim.report();
            let released = start.gravitational - now.gravitational;
            gain = gain.max(now.kinetic + now.potential() - start.kinetic - start.potential() - released.max(0.0));
            share = share.max(gain / (released.max(0.0) + start.kinetic + start.potential()));
        }
        Ok(judge(share < 0.05, format!("{:.1}", 100.0 * share.max(0.0))))
    })
}
