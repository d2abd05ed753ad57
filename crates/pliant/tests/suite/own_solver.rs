//! A solver that knows the engine by its public doors only: it works on a copy of the positions in single precision, on a thread of its own that stands for a
//! device, and what that comes to arrives one call later.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use pliant::contact::{ContactMode, Contacts};
use pliant::energy::Memory;
use pliant::matter::LIST;
use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};
use pliant::solve::{Objective, Progress, SolveError, SolveReport, Solver, SolverRecipe};
use pliant::{Clock, Model, ModelError};

/// Projective iterations, each with a linear solve by conjugate gradients on the "device".
#[derive(Debug, Clone)]
struct Remote {
    iterations: usize,
}

impl SolverRecipe for Remote {
    fn name(&self) -> &'static str {
        "remote projective iterations"
    }

    fn check_world(&self, model: &Model, integrator: TimeIntegrator, contact: ContactMode) -> Result<(), ModelError> {
        let (name, value) = ("iterations of the remote solver", self.iterations as f64);
        if self.iterations == 0 {
            return Err(ModelError::BadParameter { name, value, need: "at least 1" });
        }
        // What most solvers refuse.
        SolverRecipe::check_world(&Plain, model, integrator, contact)
    }

    fn build(&self) -> Box<dyn Solver> {
        Box::new(RemoteSolver {
            recipe: self.clone(),
            device: None,
            inertia: 0.0,
            inverse_masses: Vec::new(),
            calls: 0,
        })
    }
}

/// Whose `check_world` is the default.
#[derive(Debug)]
struct Plain;

impl SolverRecipe for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn build(&self) -> Box<dyn Solver> {
        unreachable!("it is only asked what it serves")
    }
}

/// A thread with a matrix in single precision: right-hand sides go in, steps come out.
#[derive(Debug)]
struct Device {
    gradients: Sender<Vec<[f32; 3]>>,
    /// A simulation can be shared between threads, a receiver by itself cannot.
    steps: Mutex<Receiver<Vec<[f32; 3]>>>,
}

impl Device {
    fn new(objective: &Objective<'_>) -> Self {
        let matrix = objective.projective_matrix();
        let pattern = matrix.pattern().clone();
        let (mut entries, mut diagonal) = (Vec::new(), vec![0.0; pattern.size()]);
        for column in 0..pattern.size() {
            for k in pattern.column(column) {
                let (row, value) = (pattern.rows()[k] as usize, matrix.values()[k] as f32);
                entries.push((row, column, value));
                if row == column {
                    diagonal[row] = value;
                }
            }
        }
        let (gradients, inbox) = channel::<Vec<[f32; 3]>>();
        let (outbox, steps) = channel();
        std::thread::spawn(move || {
            for gradient in inbox {
                if outbox.send(solved(&entries, &diagonal, &gradient)).is_err() {
                    return;
                }
            }
        });
        Self { gradients, steps: Mutex::new(steps) }
    }
}

/// −A⁻¹ g by conjugate gradients over the diagonal, coordinate by coordinate.
fn solved(entries: &[(usize, usize, f32)], diagonal: &[f32], gradient: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let mut steps = vec![[0.0; 3]; gradient.len()];
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    for axis in 0..3 {
        let mut x = vec![0.0_f32; gradient.len()];
        let mut r: Vec<f32> = gradient.iter().map(|g| -g[axis]).collect();
        let mut z: Vec<f32> = r.iter().zip(diagonal).map(|(r, d)| r / d).collect();
        let (mut p, mut rz) = (z.clone(), dot(&r, &z));
        let enough = 1e-10 * rz;
        for _ in 0..200 {
            if rz <= enough {
                break;
            }
            let mut product = vec![0.0; p.len()];
            for &(i, j, value) in entries {
                product[i] += value * p[j];
                if i != j {
                    product[j] += value * p[i];
                }
            }
            let alpha = rz / dot(&p, &product);
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
            r.iter_mut().zip(&product).for_each(|(r, q)| *r -= alpha * q);
            z.iter_mut().zip(&r).zip(diagonal).for_each(|((z, r), d)| *z = r / d);
            let next = dot(&r, &z);
            let beta = next / rz;
            rz = next;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
        }
        steps.iter_mut().zip(x).for_each(|(step, x)| step[axis] = x);
    }
    steps
}

#[derive(Debug)]
struct RemoteSolver {
    recipe: Remote,
    device: Option<Device>,
    /// 1/τ² that the device has its matrix for \[1/s²\].
    inertia: f64,
    inverse_masses: Vec<f64>,
    /// In this solve.
    calls: usize,
}

impl Solver for RemoteSolver {
    fn start(&self) -> Start {
        Start::Predicted
    }

    /// Takes what the last call has asked for, then asks for the next step.
    fn advance(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        _clock: &Clock,
    ) -> Result<Progress, SolveError> {
        let model = objective.model;
        if self.device.is_none() || self.inertia != objective.inertia {
            (self.device, self.inertia) = (Some(Device::new(objective)), objective.inertia);
            let inverse = |(v, m): (u32, &f64)| if model.free_index(v).is_some() { m.recip() } else { 0.0 };
            self.inverse_masses = (0..).zip(model.mass().lumped()).map(inverse).collect();
        }
        let device = self.device.as_ref().unwrap();
        if self.calls > 0 {
            let steps = device.steps.lock().unwrap().recv().unwrap();
            for (&v, step) in model.free().iter().zip(steps) {
                x[v as usize] += Vec3::from(step.map(f64::from));
            }
            contacts.push_apart(&self.inverse_masses, objective.inertia, x);
        }
        objective.project(x, memory);
        if self.calls == self.recipe.iterations {
            let (objective, iterations) = (objective.value(x, memory), self.calls);
            self.calls = 0;
            let contacts = contacts.count();
            return Ok(Progress::Done(SolveReport { iterations, objective, contacts, ..SolveReport::default() }));
        }
        let (mut corners, mut gradient) = (Vec::new(), vec![Vec3::ZERO; model.free().len()]);
        objective.gradient(x, memory, &mut corners, &mut gradient);
        device.gradients.send(gradient.iter().map(|g| g.to_array().map(|c| c as f32)).collect()).unwrap();
        self.calls += 1;
        Ok(Progress::Busy)
    }
}

fn cloth() -> Body {
    let sheet = Sheet { columns: 12, rows: 12, plane: Plane::Xz, ..Sheet::default() };
    let material = ClothMaterial { youngs_modulus: 2e3, ..ClothMaterial::default() };
    Body::cloth(&sheet.mesh().unwrap(), &material).unwrap().named("cloth").pin([0, 12])
}

#[test]
fn a_solver_from_elsewhere_ends_where_ours_does() {
    let run = |solver: SolverChoice| {
        let mut sim = Simulation::builder().body(cloth()).solver(solver).build().unwrap();
        let iterations: Vec<usize> = (0..20).map(|_| sim.step().unwrap().solve.iterations).collect();
        assert!(iterations.iter().all(|count| *count == iterations[0]), "{iterations:?}");
        sim
    };
    let (own, ours) = (run(Remote { iterations: 60 }.into()), run(ProjectiveParams::plain(60).into()));
    let distance = own.positions().iter().zip(ours.positions()).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    // Both take the same iterations, one with f32 in between.
    assert!(distance < 1e-4, "{distance} m");
    assert!(own.positions()[144].y < -0.2, "it falls");
    assert_eq!(own.solver_choice().to_string(), "remote projective iterations");
}

#[test]
fn it_meets_colliders_and_layers_through_contacts() {
    let ball = Collider::new(Shape::Sphere { radius: 0.2 }).at(Vec3::NEG_Y * 0.25).friction(0.5);
    let mesh = Sheet { columns: 16, rows: 16, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let free = || Body::cloth(&mesh, &ClothMaterial { youngs_modulus: 2e3, ..ClothMaterial::default() }).unwrap();
    let layers = SelfCollision { thickness: 5e-3, ..SelfCollision::default() };
    let builder = || Simulation::builder().body(free()).collider(ball.clone()).solver(Remote { iterations: 10 });
    let mut without = builder().build().unwrap();
    (0..60).for_each(|_| drop(without.step().unwrap()));
    let surfaces = Primitives::new(without.model().bodies());
    assert!(!intersections(&surfaces, without.positions()).is_empty(), "without layers it passes through itself");
    let mut sim = builder().self_collision(layers).build().unwrap();
    let (mut touching, mut pressing) = (0, 0);
    for _ in 0..60 {
        let report = sim.step().unwrap();
        touching = report.solve.contacts.max(touching);
        pressing += report.self_collision.unwrap().contacts;
    }
    assert!(touching > 3, "{touching} vertices touch the ball");
    assert!(pressing > 0 && intersections(&surfaces, sim.positions()).is_empty(), "{pressing} pairs of layers");
    let inside = sim.positions().iter().map(|p| p.distance(Vec3::NEG_Y * 0.25)).fold(f64::INFINITY, f64::min);
    assert!(inside > 0.199, "a vertex is {inside} m from the middle of the ball");
    assert!(sim.positions().iter().any(|p| p.y > -0.1), "it lies on the ball");
}

#[test]
fn it_is_refused_where_it_does_not_serve_and_replaced_like_ours() {
    let refused = Simulation::builder().body(cloth()).solver(Remote { iterations: 0 }).build().unwrap_err();
    assert!(refused.to_string().contains("remote solver is 0"), "{refused}");
    for info in LIST {
        let matter = info.specimens[0]().unwrap();
        let refused = Simulation::builder().body(matter).solver(Remote { iterations: 5 }).build().unwrap_err();
        assert!(refused.to_string().contains(info.kind), "{refused}");
    }
    let mut sim = Simulation::builder().body(cloth()).substeps(1).build().unwrap();
    sim.set_solver(Remote { iterations: 5 }).unwrap();
    assert_eq!(sim.step().unwrap().solve.iterations, 5);
    assert!(sim.step_with(Remote { iterations: 7 }).unwrap().solve.iterations == 7);
    let saved = sim.checkpoint();
    sim.step().unwrap();
    let after = sim.state().clone();
    sim.restore(&saved).unwrap();
    sim.step().unwrap();
    assert_eq!(sim.state(), &after);
}

/// One that never ends is an error, and the step has not taken place.
#[test]
fn a_solver_that_never_ends_is_stopped() {
    #[derive(Debug)]
    struct Endless;
    impl SolverRecipe for Endless {
        fn name(&self) -> &'static str {
            "endless"
        }
        fn build(&self) -> Box<dyn Solver> {
            Box::new(Self)
        }
    }
    impl Solver for Endless {
        fn start(&self) -> Start {
            Start::Predicted
        }
        fn advance(
            &mut self,
            _objective: &Objective<'_>,
            _x: &mut [Vec3],
            _memory: &mut [Memory],
            _contacts: &mut Contacts<'_>,
            _clock: &Clock,
        ) -> Result<Progress, SolveError> {
            Ok(Progress::Busy)
        }
    }
    let mut sim = Simulation::builder().body(cloth()).solver(Endless).build().unwrap();
    let before = sim.state().clone();
    let stopped = sim.step().unwrap_err();
    assert!(stopped.to_string().contains("still not done after"), "{stopped}");
    assert_eq!(sim.state(), &before);
}
