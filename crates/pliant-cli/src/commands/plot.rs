//! `pliant plot`: what the log of a run says, as a figure.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant_io::store::RunStore;
use pliant_picture::plot::Figure;

use crate::Outcome;
use crate::charts::{self, Chart, FigureFormat};
use crate::output::say;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folder of the run.
    run: PathBuf,
    /// File to write; plot.svg or plot.png in the run's folder by default.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Format; by default from the extension of the file, or SVG without a file.
    #[arg(long, value_enum)]
    format: Option<FigureFormat>,
    /// What to plot, separated by commas; all by default.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Chart>,
}

const EXAMPLES: &str = "Examples:
  pliant plot out/curtain                        energy, stretch, residual and times in out/curtain/plot.svg
  pliant plot out/curtain --out curtain.png      as pixels, elsewhere
  pliant plot out/curtain --only energy,stretch";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let log = RunStore::open(&arguments.run)?.read_log()?;
    if log.is_empty() {
        return Err(format!("the run in {} has no frame in its log to plot", arguments.run.display()).into());
    }
    let charts = if arguments.only.is_empty() { &Chart::ALL[..] } else { &arguments.only };
    let figure = Figure { plots: charts.iter().map(|chart| chart.plot(&log)).collect(), columns: 2 };
    let (path, format) = target(arguments.out.as_deref(), arguments.format, &arguments.run.join("plot"))?;
    say!("{}", charts::save(&figure, path, format)?.display());
    Ok(Outcome::Good)
}

/// Where a figure goes and in which format: a name decides unless the format is given.
fn target(
    out: Option<&Path>,
    format: Option<FigureFormat>,
    default: &Path,
) -> Result<(PathBuf, FigureFormat), Box<dyn Error>> {
    let Some(out) = out else {
        let format = format.unwrap_or(FigureFormat::Svg);
        return Ok((default.with_extension(format.extension()), format));
    };
    let known = format.or_else(|| FigureFormat::of(out));
    let format = known.ok_or_else(|| format!("{} ends in neither .svg nor .png; give --format", out.display()))?;
    Ok((out.to_owned(), format))
}
