//! A bar clamped at both ends and twisted by three quarters of a turn, Figure 12 of [Bouaziz 2014].
//!
//! The right clamp turns by 5° per step. Halfway, one frame is solved by three methods, and the table shows the error
//! (g − g*)/(g₀ − g*) by iteration: Newton converges fastest by iteration, but one of its iterations costs about as much as
//! thirty of the others. Then the bar comes to rest. Away from the clamps nothing distinguishes one cross-section from the
//! next, so the angle must grow evenly along the bar, and both clamps must hold with opposite torques.
//!
//! `cargo run --release --example twisted_bar`

use std::error::Error;

use pliant::mesh::generate::TetPattern;
use pliant::prelude::*;

const LENGTH: f64 = 1.0;
const THICKNESS: f64 = 0.2;
const CELLS: [usize; 3] = [30, 5, 5];
const DEGREES_PER_STEP: f64 = 5.0;
const STEPS: usize = 54;

fn main() -> Result<(), Box<dyn Error>> {
    let size = Vec3::new(LENGTH, THICKNESS, THICKNESS);
    let solid = TetBox { size, cells: CELLS, pattern: TetPattern::Five };
    let mesh = solid.mesh()?;
    println!("{} vertices, {} tets", mesh.positions.len(), mesh.tets.len());
    // Strain alone, as in the figure: a Poisson ratio of 0 adds no volume energy.
    let material = SolidMaterial { poisson_ratio: 0.0, youngs_modulus: 1e5, ..SolidMaterial::default() };
    let end = 0.5 * LENGTH - 1e-9;
    let bar = Body::solid(&mesh, &material)?.pin_where(|p| p.x.abs() > end);
    let mut sim = Simulation::builder().body(bar).gravity(Vec3::ZERO).build()?;

    for step in 1..=STEPS {
        let twist = (DEGREES_PER_STEP * step as f64).to_radians();
        sim.move_pins(|_, rest| if rest.x > 0.0 { Mat3::from_rotation_x(twist) * rest } else { rest })?;
        if step == STEPS / 2 {
            compare_solvers(&mut sim)?;
        }
        sim.step()?;
    }
    // Long steps of implicit Euler forget inertia: a few of them find the static state.
    sim.set_solver(NewtonParams::default())?;
    sim.set_time_step(1.0)?;
    for _ in 0..10 {
        sim.step()?;
    }

    let twist = DEGREES_PER_STEP * STEPS as f64;
    let angles = section_angles(&solid, &mesh, sim.positions());
    println!("\nangle of the cross-sections at rest [°]\n\n    x/L    angle   even");
    let mut worst = 0.0_f64;
    for (i, angle) in angles.iter().enumerate() {
        let share = i as f64 / CELLS[0] as f64;
        worst = worst.max((angle.to_degrees() - share * twist).abs());
        if i % 5 == 0 {
            println!("  {share:5.2}  {:7.2} {:6.1}", angle.to_degrees(), share * twist);
        }
    }
    let stretches = mesh.principal_stretches(sim.positions())?;
    let least = stretches.iter().fold(f64::INFINITY, |least, [a, b, c]| least.min(a * b * c));
    let [left, right] = torques(&sim);
    println!("\nlargest deviation {worst:.2}° of {twist}°; least volume ratio {least:.3}");
    println!("torques of the clamps {left:.4} and {right:.4} N·m");

    assert!(least > 0.0, "a tet is inverted: volume ratio {least}");
    // Clamps hinder warping, which stiffens the bar near them.
    assert!(worst < 0.02 * twist, "the twist is uneven by {worst}°");
    assert!((left + right).abs() < 1e-6 * right, "the torques do not balance");
    Ok(())
}

/// Solves the next frame by three methods and prints the error of each by iteration.
fn compare_solvers(sim: &mut Simulation) -> Result<(), Box<dyn Error>> {
    let problem = sim.next_problem()?;
    let start = problem.start(Start::Predicted);
    let histories = [
        SolverChoice::from(ProjectiveParams { record: true, ..ProjectiveParams::plain(200) }),
        ProjectiveParams { record: true, iterations: 200, ..ProjectiveParams::default() }.into(),
        NewtonParams { record: true, tolerance: 1e-13, ..NewtonParams::default() }.into(),
    ]
    .map(|solver| problem.solve(&solver, &mut start.to_vec()).map(|report| report.history));
    let [plain, anderson, newton] = histories;
    let (mut plain, anderson, newton) = (plain?, anderson?, newton?);
    // Plain local/global records each half-step; keep whole iterations.
    plain = plain.into_iter().step_by(2).collect();
    let (first, best) = (newton[0], newton[newton.len() - 1]);
    println!("\nerror of one frame at half the twist\n\n  iterations   local/global   Anderson     Newton");
    for iteration in [1, 2, 3, 5, 10, 20, 50, 100, 200] {
        let error = |history: &[f64]| match history.get(iteration) {
            // Below 1e-12 rounding decides.
            Some(g) => format!("{:.1e}", ((g - best) / (first - best)).max(1e-12)),
            None => "·".to_owned(),
        };
        println!("  {iteration:10}   {:>12}   {:>8}   {:>8}", error(&plain), error(&anderson), error(&newton));
    }
    Ok(())
}

/// How far each cross-section has turned about the axis, unwound from the left clamp \[rad\].
fn section_angles(solid: &TetBox, mesh: &TetMesh, positions: &[Vec3]) -> Vec<f64> {
    let mut angles = Vec::new();
    let mut last = 0.0_f64;
    for i in 0..=CELLS[0] {
        let (mut along, mut across) = (0.0, 0.0);
        for (j, k) in (0..=CELLS[1]).flat_map(|j| (0..=CELLS[2]).map(move |k| (j, k))) {
            let vertex = solid.vertex([i, j, k]) as usize;
            let (rest, now) = (mesh.positions[vertex], positions[vertex]);
            along += rest.y * now.y + rest.z * now.z;
            across += rest.y * now.z - rest.z * now.y;
        }
        let turn = across.atan2(along);
        last += (turn - last + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        angles.push(last);
    }
    angles
}

/// Torques about the axis by which the left and the right clamp hold the bar \[N·m\].
fn torques(sim: &Simulation) -> [f64; 2] {
    let mut torques = [0.0; 2];
    for (&vertex, force) in sim.model().pinned().iter().zip(sim.pin_forces()) {
        let position = sim.positions()[vertex as usize];
        torques[usize::from(position.x > 0.0)] += position.cross(force).x;
    }
    torques
}
