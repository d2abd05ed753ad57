//! `pliant compare`: the same step by several solvers, against the exact one.

use std::error::Error;
use std::time::Instant;

use pliant::prelude::NewtonParams;
use pliant::solve::Start;

use super::{load, solver};
use crate::Outcome;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A scene file, or the name of a built-in scene.
    scene: String,
    /// Solvers, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "plain,chebyshev,anderson,newton")]
    solvers: Vec<String>,
    /// Frame whose next step is solved by each.
    #[arg(long, default_value_t = 20)]
    frame: u32,
    /// Numbers of iterations, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "1,10,100")]
    iterations: Vec<usize>,
    /// Change a value of the scene, such as `world.frames=10`; may be given several times.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let mut run = load(&arguments.scene, &arguments.set)?.build()?;
    for _ in 0..arguments.frame {
        run.next_frame()?;
    }
    let problem = run.sim.next_problem()?;
    let start = problem.start(Start::Predicted);
    let mut exact = start.to_vec();
    let newton = problem.solve(&NewtonParams::default().into(), &mut exact)?;
    let (first, least) = (problem.value(start), newton.objective);
    println!(
        "one step after frame {}; error is (g − g*)/(g₀ − g*), exact by Newton in {} iterations",
        arguments.frame, newton.iterations
    );
    println!("{:>14} {:>10} {:>12} {:>14} {:>10}", "solver", "iterations", "error", "distance [m]", "ms");
    for name in &arguments.solvers {
        let fixed = ["newton", "semi-implicit"].contains(&name.as_str());
        let counts: &[usize] = if fixed { &[0] } else { &arguments.iterations };
        for &count in counts {
            let choice = solver(name, count)?;
            let mut x = start.to_vec();
            let begun = Instant::now();
            let report = problem.solve(&choice, &mut x)?;
            let milliseconds = 1e3 * begun.elapsed().as_secs_f64();
            let error = (report.objective - least) / (first - least);
            let distance = x.iter().zip(&exact).fold(0.0_f64, |m, (a, b)| m.max((*a - *b).length()));
            println!("{name:>14} {:>10} {error:>12.3e} {distance:>14.3e} {milliseconds:>10.2}", report.iterations);
        }
    }
    Ok(Outcome::Good)
}
