//! Cloth that falls on a sphere, beside the same cloth that falls free: what contact costs with the materials and the solver that users pick.
//!
//! One sample is a whole fall on one thread, from the same state with the same factor: contacts grow in number over the fall, so that
//! single frames say little. Falls of all materials take turns.

use std::cell::RefCell;

use pliant::collide::{Collider, Shape};
use pliant::math::Vec3;
use pliant::mesh::generate::{Plane, Sheet};
use pliant::presets;
use pliant::{Body, Checkpoint, Simulation};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::problem::TIME_STEP;
use crate::table::{Table, three_digits};
use crate::timing::{Contender, Effort, Timing, take_turns};

/// What `--only` calls these measurements.
pub(super) const NAME: &str = "drape on a sphere";
/// The sheet has a side of 1 m, begins above the sphere by this \[m\], and a bit off its middle, so that nothing balances by symmetry.
const DROP: f64 = 0.05;
/// \[m\]
const RADIUS: f64 = 0.35;
const FRAMES: usize = 45;
const MATERIALS: [&str; 3] = ["silk", "cotton", "denim"];

/// One material.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DrapeTimes {
    /// Its name.
    pub name: String,
    /// Vertices of the sheet.
    pub vertices: usize,
    /// Frames of a fall.
    pub frames: usize,
    /// Contacts that press after the last frame.
    pub contacts: usize,
    /// A frame of the fall on the sphere, in the mean of all.
    pub on_sphere: Timing,
    /// A frame of the fall without the sphere.
    pub free: Timing,
}

/// A cloth at the top of its fall, with a factor.
struct Fall {
    sim: Simulation,
    top: Checkpoint,
    contacts: usize,
}

impl Fall {
    fn new(material: &str, cells: usize, on_sphere: bool) -> Result<Self, BenchError> {
        let mut mesh = Sheet { columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() }.mesh()?;
        mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(0.02, RADIUS + DROP, 0.013));
        let body = Body::cloth(&mesh, &presets::cloth(material).unwrap_or_default())?;
        let mut builder = Simulation::builder().body(body).time_step(TIME_STEP).threads(1);
        if on_sphere {
            builder = builder.collider(Collider::new(Shape::Sphere { radius: RADIUS }));
        }
        let mut sim = builder.build()?;
        let top = sim.checkpoint();
        // The factor is made here, and stays.
        sim.step()?;
        Ok(Self { sim, top, contacts: 0 })
    }

    fn run(&mut self, frames: usize) -> Result<(), BenchError> {
        self.sim.restore(&self.top)?;
        for _ in 0..frames {
            self.contacts = self.sim.step()?.solve.contacts;
        }
        Ok(())
    }
}

pub(super) fn measure(effort: Effort) -> Result<Vec<DrapeTimes>, BenchError> {
    measure_falls(40, FRAMES, effort)
}

fn measure_falls(cells: usize, frames: usize, effort: Effort) -> Result<Vec<DrapeTimes>, BenchError> {
    let falls = |on_sphere: bool| MATERIALS.iter().map(move |material| Fall::new(material, cells, on_sphere));
    let mut falls = falls(true).chain(falls(false)).collect::<Result<Vec<_>, _>>()?;
    let failure: RefCell<Option<BenchError>> = RefCell::new(None);
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    for (fall, material) in falls.iter_mut().zip(MATERIALS.iter().cycle()) {
        contenders.push(Contender::calling(*material, fall, &failure, move |fall| fall.run(frames)));
    }
    let times = take_turns(&mut contenders, effort);
    drop(contenders);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let (on_sphere, free) = times.split_at(MATERIALS.len());
    let mut results = Vec::new();
    for (k, name) in MATERIALS.iter().enumerate() {
        if let (Some(on_sphere), Some(free)) = (on_sphere[k], free[k]) {
            let [on_sphere, free] = [on_sphere, free].map(|timing| timing.scaled(1.0 / frames as f64));
            let (contacts, vertices) = (falls[k].contacts, falls[k].sim.positions().len());
            results.push(DrapeTimes { name: (*name).to_owned(), vertices, frames, contacts, on_sphere, free });
        }
    }
    Ok(results)
}

/// The results as a table.
pub fn table(results: &[DrapeTimes]) -> Table {
    let mut table =
        Table::new(["material", "vertices", "contacts", "on the sphere [ms]", "free fall [ms]", "× free fall"]);
    for r in results {
        table.row(vec![
            r.name.clone(),
            r.vertices.to_string(),
            r.contacts.to_string(),
            three_digits(r.on_sphere.min),
            three_digits(r.free.min),
            three_digits(r.on_sphere.min / r.free.min),
        ]);
    }
    table
}

/// What is measured, in a paragraph.
pub fn description(results: &[DrapeTimes]) -> String {
    let frames = results.first().map_or(FRAMES, |r| r.frames);
    format!(
        "Drape on a sphere: a sheet of 1 m falls on a sphere of radius {RADIUS} m for {frames} frames, with the default solver on one thread, \
         compared with the same sheet without the sphere. Times are the mean per frame; contacts are those after the last frame."
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_fall_ends_on_the_sphere_and_begins_at_the_top_again() {
        let effort = Effort { rounds: 2, at_least: Duration::ZERO, turn: Duration::ZERO };
        let results = measure_falls(10, 30, effort).expect("falls");
        let names: Vec<&str> = results.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, MATERIALS);
        for r in &results {
            assert!(r.contacts > 0 && r.vertices == 121 && r.on_sphere.samples == 2 && r.free.samples == 2, "{r:?}");
        }
        let text = table(&results).to_text();
        assert!(text.lines().count() == 4 && text.contains("denim"), "{text}");
        // Two falls in a row are the same fall.
        let mut fall = Fall::new("silk", 6, true).expect("a fall");
        let mut ends = Vec::new();
        for _ in 0..2 {
            fall.run(30).expect("a fall");
            ends.push(fall.sim.positions().to_vec());
        }
        assert_eq!(ends[0], ends[1]);
    }
}
