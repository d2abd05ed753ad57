//! A large cloth with long-range attachments that swings down: milliseconds per frame over threads.
//!
//! The survey prints one figure of such a cloth, "90K vertices at 20fps on a GPU using LRA" [Bender 2014, Figure 8], and neither its steps in a
//! frame nor its iterations nor the card. So this is beside it, not against it: as many vertices, frames of one step of 1/60 s.

use pliant::constraint::LongRangeAttachments;
use pliant::mesh::TriangleMesh;
use pliant::mesh::generate::Diagonals;
use pliant::prelude::{Plane, Sheet};
use pliant::solve::PositionBasedParams;
use pliant::{Body, Simulation};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::frames::Plan;
use crate::machine;
use crate::table::{Table, or_dash, three_digits};
use crate::timing::Timing;

const ITERATIONS: usize = 10;
/// The figure that is printed: vertices, about, and \[ms\] per frame on a GPU [Bender 2014, Figure 8].
pub const PRINTED: (usize, f64) = (90_000, 50.0);

/// A cloth on some numbers of threads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AttachmentResults {
    /// Name of the processor.
    pub processor: String,
    /// Programs that wanted to run when it began.
    pub load: Option<f64>,
    /// Vertices.
    pub vertices: usize,
    /// Springs.
    pub springs: usize,
    /// Frames before those that are timed.
    pub frames_before: usize,
    /// Threads, and a frame on them.
    pub frames: Vec<(usize, Timing)>,
    /// Largest distance from the row that holds it, over that at rest, at the end.
    pub stretch: f64,
}

/// The world of a cloth of `cells` × `cells` on one thread.
pub(crate) fn world(cells: usize) -> Result<Simulation, BenchError> {
    Cloth::new(cells)?.simulation(1)
}

/// A cloth of springs, and the row that holds it.
struct Cloth {
    mesh: TriangleMesh,
    springs: Vec<[u32; 2]>,
    row: Vec<u32>,
}

impl Cloth {
    fn new(cells: usize) -> Result<Self, BenchError> {
        let (plane, diagonals) = (Plane::Xz, Diagonals::Alternating);
        let sheet = Sheet { columns: cells, rows: cells, plane, diagonals, ..Sheet::default() };
        let mesh = sheet.mesh()?;
        let row = (0..=cells).map(|column| sheet.vertex(column, cells)).collect();
        Ok(Self { springs: mesh.edges(), mesh, row })
    }

    fn simulation(&self, threads: usize) -> Result<Simulation, BenchError> {
        let body = Body::mass_spring(&self.mesh, 0.2, self.springs.clone(), 1e4)?.pin(self.row.clone());
        let solver = PositionBasedParams::classic(ITERATIONS, 1.0);
        let body = body.with_constraints(LongRangeAttachments::default().build(&self.mesh, &self.row)?);
        Ok(Simulation::builder().body(body).solver(solver).threads(threads).build()?)
    }
}

/// Runs a cloth of `cells` × `cells`, all threads in turns.
pub fn measure(
    cells: usize,
    threads: &[usize],
    frames_before: usize,
    frames: usize,
) -> Result<AttachmentResults, BenchError> {
    let (processor, load) = (machine::processor(), machine::load());
    let cloth = Cloth::new(cells)?;
    let Cloth { mesh, springs, row } = &cloth;
    let runs = Plan { steps: 1, before: frames_before, timed: frames }
        .measure(threads, |threads| cloth.simulation(threads))?;
    let stretch_of = |x: &[pliant::math::Vec3]| {
        let distance = |x: &[pliant::math::Vec3], v: usize| x[v].distance(x[row[v % (cells + 1)] as usize]);
        (0..cells * (cells + 1)).map(|v| distance(x, v) / distance(&mesh.positions, v)).fold(0.0, f64::max)
    };
    Ok(AttachmentResults {
        processor,
        load,
        vertices: mesh.positions.len(),
        springs: springs.len(),
        frames_before,
        stretch: runs.first().map_or(1.0, |run| stretch_of(run.sim.positions())),
        frames: runs.iter().map(|run| (run.threads, run.frame)).collect(),
    })
}

/// The results as a table, and what the survey prints.
pub fn table(results: &AttachmentResults) -> Table {
    let mut table = Table::new(["", "vertices", "threads", "frame [ms]", "median", "distance from the row"]);
    for (threads, frame) in &results.frames {
        table.row(vec![
            "Pliant".to_owned(),
            results.vertices.to_string(),
            threads.to_string(),
            three_digits(frame.min),
            three_digits(frame.median),
            format!("{:.3}", results.stretch),
        ]);
    }
    let (vertices, ms) = PRINTED;
    let mut row = vec!["[Bender 2014, Figure 8], a GPU".to_owned(), vertices.to_string(), "–".to_owned()];
    row.extend([three_digits(ms), or_dash(None), or_dash(None)]);
    table.row(row);
    table
}

/// What is measured, in a paragraph.
pub fn description(results: &AttachmentResults) -> String {
    let load = results.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.1}"));
    format!(
        "A cloth of {} vertices and {} springs that is held at one row, with every other vertex attached to that row, swings down from horizontal; a frame is \
         one step of 1/60 s with {ITERATIONS} iterations of position-based dynamics, timed after {} frames. On {}, load {load}. The survey \
         prints \"90K vertices at 20fps on a GPU\" but does not give its steps, iterations or graphics card.",
        results.vertices, results.springs, results.frames_before, results.processor
    )
}
