//! The report of training: errors against the fine simulation, as text, JSON, a page and a plot.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use pliant::upsample::{FitReport, Upsampler};
use pliant_picture::plot::{Axis, Figure, Series};
use pliant_scene::train::{Score, Total, Training};
use serde_json::{Value, json};

use crate::charts::over_time;

/// A motion that was simulated.
pub(super) struct Generated {
    pub(super) motion: String,
    /// How far averages of the fine cloth were from their goals \[m\]; zero if it was simulated before.
    pub(super) largest_offset: f64,
    pub(super) seconds: f64,
}

/// A model with what its fit reported.
pub(super) struct Fitted {
    pub(super) model: Upsampler,
    pub(super) report: FitReport,
    pub(super) seconds: f64,
}

/// All that was measured.
pub(super) struct Report {
    body: String,
    triangles: [usize; 2],
    frame_seconds: f64,
    skip: u32,
    generated: Vec<Generated>,
    fits: Vec<(String, FitReport, f64)>,
    /// Whether the motion was held out, and the errors of a method in it.
    scores: Vec<(bool, Score)>,
    /// Motions with the file names of their pictures.
    pub(super) pictures: Vec<(String, String)>,
    pub(super) seconds: f64,
}

impl Report {
    pub(super) fn new(training: &Training, generated: Vec<Generated>, fitted: &[Fitted]) -> Self {
        let refinement = training.refinement();
        Self {
            body: training.body().to_owned(),
            triangles: [refinement.coarse_mesh().triangles.len(), refinement.fine_mesh().triangles.len()],
            frame_seconds: training.frame_seconds(),
            skip: training.skip(),
            generated,
            fits: fitted.iter().map(|f| (f.model.method().name().to_owned(), f.report.clone(), f.seconds)).collect(),
            scores: Vec::new(),
            pictures: Vec::new(),
            seconds: 0.0,
        }
    }

    pub(super) fn add(&mut self, held_out: bool, score: Score) {
        self.scores.push((held_out, score));
    }

    /// Methods in the order in which they were measured, over all motions that were held out.
    fn totals(&self) -> Vec<Total> {
        Total::of_all(self.scores.iter().filter(|(held_out, _)| *held_out).map(|(_, score)| score))
    }

    /// How much less the error of a method is than that of subdivision \[%\].
    fn gain(&self, total: &Total) -> f64 {
        let smooth = self.totals().first().map_or(f64::NAN, |smooth| smooth.l2);
        100.0 * (1.0 - total.l2 / smooth)
    }

    fn table(&self) -> String {
        let mut text = String::from(
            "| method | L2 [mm] | below smooth [%] | largest [mm] | normals [°] | jitter / fine |\n|---|---|---|---|---|---|\n",
        );
        for total in self.totals() {
            let _ = writeln!(
                text,
                "| {} | {:.3} | {:.1} | {:.2} | {:.2} | {:.2} |",
                total.method,
                1e3 * total.l2,
                self.gain(&total),
                1e3 * total.largest,
                total.normal_angle.to_degrees(),
                total.relative_jitter
            );
        }
        text
    }

    /// For people, at the end of the command.
    pub(super) fn to_text(&self, dir: &Path) -> String {
        let [coarse, fine] = self.triangles;
        let mut text = format!("{} of {coarse} triangles, shown with {fine}; ", self.body);
        if self.totals().is_empty() {
            text += "no motion is held out, so no error is measured\n";
        } else {
            let _ = write!(text, "errors in motions that are held out:\n{}", self.table());
        }
        let _ =
            write!(text, "models, plots, pictures and report.md are in {}, after {:.0} s", dir.display(), self.seconds);
        text
    }

    pub(super) fn to_json(&self) -> Value {
        let score = |(held_out, score): &(bool, Score)| {
            json!({
                "motion": score.motion, "held_out": held_out, "method": score.method, "l2": score.report.l2,
                "largest": score.report.largest, "normal_angle": score.report.normal_angle, "jitter": score.report.jitter,
                "reference_jitter": score.report.reference_jitter,
            })
        };
        let total = |total: &Total| {
            json!({
                "method": total.method, "l2": total.l2, "below_smooth_percent": self.gain(total), "largest": total.largest,
                "normal_angle": total.normal_angle, "relative_jitter": total.relative_jitter,
            })
        };
        let fit = |(method, report, seconds): &(String, FitReport, f64)| {
            json!({
                "method": method, "frames": report.frames, "l2": report.l2, "smooth_l2": report.smooth_l2,
                "poses": report.poses, "seconds": seconds,
            })
        };
        let motion =
            |g: &Generated| json!({ "motion": g.motion, "largest_offset": g.largest_offset, "seconds": g.seconds });
        json!({
            "body": self.body,
            "triangles": self.triangles,
            "motions": self.generated.iter().map(motion).collect::<Vec<_>>(),
            "fits": self.fits.iter().map(fit).collect::<Vec<_>>(),
            "scores": self.scores.iter().map(score).collect::<Vec<_>>(),
            "held_out": self.totals().iter().map(total).collect::<Vec<_>>(),
            "seconds": self.seconds,
        })
    }

    fn to_markdown(&self) -> String {
        let [coarse, fine] = self.triangles;
        let mut text = format!("# Detail of {}\n\nA cloth of {coarse} triangles is shown with {fine}.\n\n", self.body);
        let _ = writeln!(text, "## Errors in motions that are held out\n\n{}", self.table());
        text += "## Fits\n\n| method | frames | L2 [mm] | smooth [mm] | time [s] |\n|---|---|---|---|---|\n";
        for (method, report, seconds) in &self.fits {
            let (l2, smooth) = (1e3 * report.l2, 1e3 * report.smooth_l2);
            let _ = writeln!(text, "| {method} | {} | {l2:.3} | {smooth:.3} | {seconds:.1} |", report.frames);
        }
        text += "\n## Motions\n\n| motion | method | held out | L2 [mm] | largest [mm] |\n|---|---|---|---|---|\n";
        for (held_out, score) in &self.scores {
            let held_out = if *held_out { "yes" } else { "" };
            let [l2, largest] = [score.report.l2, score.report.largest].map(|error| 1e3 * error);
            let _ = writeln!(text, "| {} | {} | {held_out} | {l2:.3} | {largest:.2} |", score.motion, score.method);
        }
        let farthest = self.generated.iter().fold(0.0_f64, |most, motion| most.max(motion.largest_offset));
        if farthest > 0.0 {
            let _ =
                writeln!(text, "\nAverages of the fine cloth were at most {:.3} mm from their goals.", 1e3 * farthest);
        }
        for (motion, file) in &self.pictures {
            let methods: Vec<String> = self.totals().into_iter().map(|total| total.method).collect();
            let _ = writeln!(
                text,
                "\nMotion {motion}, from left to right: coarse, {}, the fine simulation.\n\n![{motion}]({file})",
                methods.join(", ")
            );
        }
        text
    }

    /// The error in each frame of the motions that were held out.
    fn figure(&self) -> Figure {
        let mut motions: Vec<&str> = Vec::new();
        for (_, score) in self.scores.iter().filter(|(held_out, _)| *held_out) {
            if !motions.contains(&score.motion.as_str()) {
                motions.push(&score.motion);
            }
        }
        let plot = |motion: &&str| {
            let own = self.scores.iter().map(|(_, score)| score).filter(|score| score.motion == **motion);
            let series = own.map(|score| {
                let time = |k: usize| (k as f64 + f64::from(self.skip)) * self.frame_seconds;
                let points = score.frames.iter().enumerate().map(|(k, error)| [time(k), 1e3 * error]).collect();
                Series::new(&score.method, points)
            });
            over_time(&format!("Motion {motion}"), Axis::linear("L2 error [mm]"), series.collect())
        };
        Figure { plots: motions.iter().map(plot).collect(), columns: 2 }
    }

    /// Writes report.json and report.md, and the plot if asked.
    pub(super) fn write(&self, dir: &Path, plots: bool) -> Result<(), Box<dyn Error>> {
        let write = |name: &str, text: String| {
            let file = dir.join(name);
            fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
        };
        write("report.json", serde_json::to_string_pretty(&self.to_json())? + "\n")?;
        let mut page = self.to_markdown();
        if plots && !self.totals().is_empty() {
            let figure = self.figure();
            figure.save_svg(dir.join("errors.svg"))?;
            figure.save_png(dir.join("errors.png"))?;
            page += "\n![Errors over time](errors.svg)\n";
        }
        Ok(write("report.md", page)?)
    }
}
