//! Figures of runs and comparisons, and the files they go to.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant_picture::plot::{Axis, Figure, Plot, Series, Style};
use serde_json::{Map, Value};

use crate::record::{PHASES, number};

/// Size of one plot of a figure \[px\].
const SIZE: (usize, usize) = (640, 400);

/// File formats of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FigureFormat {
    /// Lines and text that scale.
    Svg,
    /// Pixels.
    Png,
}

impl FigureFormat {
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    /// By the extension of a file.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        [Self::Svg, Self::Png].into_iter().find(|format| format.extension() == extension)
    }
}

/// Writes a figure; returns the file.
pub(crate) fn save(figure: &Figure, path: PathBuf, format: FigureFormat) -> Result<PathBuf, Box<dyn Error>> {
    match format {
        FigureFormat::Svg => figure.save_svg(&path)?,
        FigureFormat::Png => figure.save_png(&path)?,
    }
    Ok(path)
}

/// Shorter times are those of the clock itself \[ms\].
const SHORTEST: f64 = 1e-3;

/// What can be plotted of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Chart {
    /// Kinetic, elastic and gravitational energy, and their sum.
    Energy,
    /// Largest and mean ratio of edge lengths to rest lengths.
    Stretch,
    /// Largest movement of a vertex in the last iteration.
    Residual,
    /// Milliseconds per frame by phase.
    Time,
}

impl Chart {
    pub(crate) const ALL: [Self; 4] = [Self::Energy, Self::Stretch, Self::Residual, Self::Time];

    /// The plot over the time of the simulation, from the entries of a log.
    pub(crate) fn plot(self, log: &[Map<String, Value>]) -> Plot {
        let series = |name: &str, value: &dyn Fn(&Map<String, Value>) -> f64| {
            Series::new(name, log.iter().map(|entry| [number(entry, "time"), value(entry)]).collect())
        };
        let keyed = |name: &str, key: &'static str| series(name, &|entry| number(entry, key));
        match self {
            Self::Energy => {
                // Heights have no zero of their own: what matters is the change.
                let start = log.first().map_or(0.0, |entry| number(entry, "gravitational"));
                let falling = |entry: &Map<String, Value>| number(entry, "gravitational") - start;
                let total = |entry: &Map<String, Value>| {
                    number(entry, "kinetic") + number(entry, "elastic") + number(entry, "gravitational") - start
                };
                over_time(
                    "Energy, the gravitational since the first frame",
                    Axis::linear("energy [J]"),
                    vec![
                        keyed("kinetic", "kinetic"),
                        keyed("elastic", "elastic"),
                        series("gravitational", &falling),
                        series("sum", &total),
                    ],
                )
            }
            Self::Stretch => {
                let lines = vec![keyed("largest", "max_stretch"), keyed("mean", "mean_stretch")];
                over_time("Stretch", Axis::linear("length / rest length"), lines)
            }
            Self::Residual => {
                let axis = Axis::log("unbalanced / largest force");
                over_time("Residual", axis, vec![keyed("", "residual")])
            }
            Self::Time => {
                let mut lines = vec![series("all", &|entry| 1e3 * number(entry, "seconds"))];
                lines.extend(PHASES.iter().map(|phase| {
                    let key = format!("seconds_{phase}");
                    let shown = |ms: f64| if ms < SHORTEST { f64::NAN } else { ms };
                    // A factor that is kept is made once: a line of one point could not be seen.
                    let style = if *phase == "factor" { Style::Dots } else { Style::Line };
                    Series { style, ..series(phase, &|entry| shown(1e3 * number(entry, &key))) }
                }));
                // Phases differ by orders of magnitude.
                over_time("Time per frame", Axis::log("time [ms]"), lines)
            }
        }
    }
}

/// A plot over the time of the simulation.
pub(crate) fn over_time(title: &str, y: Axis, series: Vec<Series>) -> Plot {
    plot(title, Axis::linear("time [s]"), y, series)
}

/// A plot of a figure's size.
pub(crate) fn plot(title: &str, x: Axis, y: Axis, series: Vec<Series>) -> Plot {
    Plot { title: title.to_owned(), x, y, series, width: SIZE.0, height: SIZE.1 }
}
