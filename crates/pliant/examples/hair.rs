//! Ten thousand hairs of sixteen points on a turning head: inextensible, and how long a frame takes.
//!
//! ```sh
//! cargo run --release --example hair
//! ```

use std::error::Error;
use std::time::Instant;

use pliant::collide::{Key, Pose};
use pliant::mesh::generate::Scalp;
use pliant::prelude::*;

const FRAMES: usize = 60;

/// How the head is turned at a time \[s\].
fn turn(time: f64) -> Quat {
    Quat::from_rotation_y((4.0 * time).sin())
}

fn main() -> Result<(), Box<dyn Error>> {
    let hair = Scalp { radius: 0.101, cover: 0.45, count: 10_000, length: 0.3, segments: 15, curl: None }.strands()?;
    let roots: Vec<u32> = hair.strands.rows().map(|strand| strand[0]).collect();
    let keys = (0..=FRAMES).map(|k| k as f64 / 60.0);
    let keys = keys.map(|time| Key { time, pose: Pose { rotation: turn(time), ..Pose::default() } }).collect();
    let head = || Collider::new(Shape::Sphere { radius: 0.1 });
    let grid = Some(HairGrid { cell: 0.01, friction: 10.0, repulsion: 0.02 });
    for (what, grid, collider) in [
        ("hair alone", None, None),
        ("against hair", grid, None),
        ("against hair and head", grid, Some(head().moving(keys))),
    ] {
        let body = Body::strands(&hair, &StrandMaterial { density: 1e-5, ..StrandMaterial::default() })?;
        let params = FollowLeaderParams { grid, ..FollowLeaderParams::default() };
        let builder = Simulation::builder().body(body.pin(roots.iter().copied())).solver(params);
        let mut sim = collider.into_iter().fold(builder, |builder, collider| builder.collider(collider)).build()?;
        let mut times = Vec::new();
        for _ in 0..FRAMES {
            let rotation = turn(sim.time() + sim.time_step());
            sim.move_pins(|vertex, _| rotation * hair.positions[vertex as usize])?;
            let begun = Instant::now();
            sim.step()?;
            times.push(1e3 * begun.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let lengths = hair.segments().map(|ends| ends.map(|v| v as usize));
        let error = |[a, b]: [usize; 2]| (sim.positions()[a].distance(sim.positions()[b]) / 0.02 - 1.0).abs();
        let worst = lengths.map(error).fold(0.0, f64::max);
        println!("{what}: {:.1} ms a frame ({:.1} at best), lengths within {worst:.1e}", times[FRAMES / 2], times[0]);
        assert!(worst < 1e-6);
    }
    Ok(())
}
