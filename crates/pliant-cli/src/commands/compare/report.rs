//! A comparison as tables, as JSON and as a figure.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use pliant_picture::Color;
use pliant_picture::plot::{Axis, Figure, Plot, Series, Style};
use serde_json::{Value, json};

use super::{Attempt, Comparison, Course, EXACT, Moment};
use crate::charts::{self, FigureFormat, over_time, plot};

/// Below, errors are shown as having left the plot: nobody needs them, and they would press all others together.
const SMALLEST_ERROR: f64 = 1e-9;

impl Comparison {
    /// Names of the solvers, in their order.
    fn solvers(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for attempt in &self.attempts {
            if !names.contains(&attempt.solver.as_str()) {
                names.push(&attempt.solver);
            }
        }
        names
    }

    /// For people.
    pub(super) fn tables(&self) -> String {
        let list = |numbers: &[String]| numbers.join(", ");
        let frames: Vec<String> = self.steps.iter().map(ToString::to_string).collect();
        let newton: Vec<String> = self.newton_iterations.iter().map(ToString::to_string).collect();
        let mut text = format!(
            "one step after frame {} of {}; error is (g − g*)/(g₀ − g*), exact by Newton in {} iterations\n\
             ms is without a factor that is kept from step to step; that is made once, in prefactor ms\n\n\
             {:>14} {:>10} {:>12} {:>14} {:>10} {:>13}\n",
            list(&frames),
            self.scene,
            list(&newton),
            "solver",
            "iterations",
            "error",
            "distance [m]",
            "ms",
            "prefactor ms"
        );
        for a in &self.attempts {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{:>14} {:>10} {:>12.3e} {:>14.3e} {:>10.2} {:>13.2}",
                a.solver, a.iterations, a.error, a.distance, a.milliseconds, a.prefactor_milliseconds
            );
        }
        if let Some(first) = self.courses.first() {
            let _ = write!(
                text,
                "\n{} frames with {} iterations a step (Newton's until it converges); distance is to the exact run at the end\n\n\
                 {:>14} {:>12} {:>16} {:>14} {:>14} {:>14}\n",
                first.frames.len(),
                self.run_iterations,
                "solver",
                "ms/frame",
                "largest stretch",
                "mean stretch",
                "energy [J]",
                "distance [m]"
            );
            for course in &self.courses {
                let largest = course.frames.iter().fold(0.0_f64, |m, moment| m.max(moment.largest_stretch));
                let (mean, energy) =
                    course.frames.last().map_or((f64::NAN, f64::NAN), |last| (last.mean_stretch, last.energy));
                let _ = writeln!(
                    text,
                    "{:>14} {:>12.2} {largest:>16.4} {mean:>14.4} {energy:>14.4e} {:>14.3e}",
                    course.solver, course.milliseconds, course.distance
                );
            }
        }
        text
    }

    /// For other programs.
    pub(super) fn to_json(&self) -> Value {
        let attempt = |a: &Attempt| {
            json!({
                "solver": a.solver,
                "iterations": a.iterations,
                "error": a.error,
                "distance": a.distance,
                "milliseconds": a.milliseconds,
                "prefactor_milliseconds": a.prefactor_milliseconds,
            })
        };
        let course = |c: &Course| {
            let list = |value: fn(&Moment) -> f64| c.frames.iter().map(value).collect::<Vec<f64>>();
            json!({
                "solver": c.solver,
                "milliseconds_per_frame": c.milliseconds,
                "distance": c.distance,
                "time": list(|m| m.time),
                "max_stretch": list(|m| m.largest_stretch),
                "mean_stretch": list(|m| m.mean_stretch),
                "energy": list(|m| m.energy),
            })
        };
        json!({
            "scene": self.scene,
            "frames": self.steps,
            "newton_iterations": self.newton_iterations,
            "attempts": self.attempts.iter().map(attempt).collect::<Vec<_>>(),
            "run_iterations": self.run_iterations,
            "runs": self.courses.iter().map(course).collect::<Vec<_>>(),
        })
    }

    /// The figure and compare.json, in a folder.
    pub(super) fn write(&self, dir: &Path, format: FigureFormat) -> Result<Vec<PathBuf>, Box<dyn Error>> {
        std::fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let figure = Figure { plots: self.plots(), columns: 2 };
        let picture = charts::save(&figure, dir.join("compare").with_extension(format.extension()), format)?;
        let numbers = dir.join("compare.json");
        let text = serde_json::to_string_pretty(&self.to_json())? + "\n";
        std::fs::write(&numbers, text).map_err(|error| format!("{}: {error}", numbers.display()))?;
        Ok(vec![picture, numbers])
    }

    fn plots(&self) -> Vec<Plot> {
        let errors = |place: fn(&Attempt) -> f64| -> Vec<Series> {
            let of = |name: &&str| self.attempts.iter().filter(|a| a.solver == *name).collect::<Vec<_>>();
            let series = |name: &str, attempts: Vec<&Attempt>| {
                let points: Vec<[f64; 2]> = attempts.iter().map(|a| [place(a), a.error]).collect();
                // One attempt is no line.
                let style = if points.len() == 1 { Style::Dots } else { Style::Line };
                Series { style, ..Series::new(name, points) }
            };
            self.solvers().iter().map(|name| series(name, of(name))).collect()
        };
        let largest = self.attempts.iter().fold(1.0_f64, |most, attempt| most.max(attempt.error));
        let error = || Axis::log("error of g, 1 at the start").with_range(SMALLEST_ERROR, largest);
        let mut plots = vec![
            plot("Error by iterations", Axis::log("iterations"), error(), errors(|a| a.iterations)),
            plot("Error by time", Axis::log("time [ms]"), error(), errors(|a| a.milliseconds)),
        ];
        if !self.courses.is_empty() {
            let over = |value: fn(&Moment) -> f64| -> Vec<Series> {
                let series = |course: &Course| {
                    let points = course.frames.iter().map(|m| [m.time, value(m)]).collect();
                    let known = self.solvers().iter().position(|name| *name == course.solver);
                    // Last and dashed, so that it shows over the others; in no solver's colour.
                    let style = if course.solver == EXACT { Style::Dashed } else { Style::Line };
                    let color = known.map_or(Color::hex(0x1b2430), Color::of_body);
                    Series { style, color: Some(color), ..Series::new(course.solver.clone(), points) }
                };
                self.courses.iter().skip(1).chain(self.courses.first()).map(series).collect()
            };
            plots.push(over_time("Largest stretch", Axis::linear("length / rest length"), over(|m| m.largest_stretch)));
            plots.push(over_time("Energy", Axis::linear("kinetic + elastic + gravitational [J]"), over(|m| m.energy)));
        }
        plots
    }
}
