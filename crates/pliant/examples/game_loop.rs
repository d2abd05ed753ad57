//! A game's loop: the screen draws when it is ready, the world steps at a fixed rate, and what is drawn lies between the last two steps. The player points
//! at a flag, drags it and lets go.

use pliant::prelude::*;
use pliant::{Pick, Ray, RenderBuffers};

/// What a frame may catch up at most: after a hiccup the game slows down for a moment instead of stepping ever more.
const MOST_STEPS: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let flag = Sheet { width: 1.2, height: 0.8, columns: 24, rows: 16, ..Sheet::default() };
    let silk = pliant::presets::cloth("silk").ok_or("there is silk")?;
    let cloth = Body::cloth(&flag.mesh()?, &silk)?.named("flag").pin_where(|p| p.x < -0.599);
    let mut sim = Simulation::builder().body(cloth).time_step(1.0 / 60.0).build()?;
    let mut buffers = RenderBuffers::new(&sim);

    // A screen of 144 Hz that stumbles once; a real game asks its clock.
    let frames = (0..288).map(|k| if k == 100 { 0.25 } else { 1.0 / 144.0 });
    let (mut clock, mut owed, mut steps, mut grab) = (0.0_f64, 0.0, 0, None);
    let (mut last_tip, mut fastest) = (buffers.positions()[flag.vertex(24, 8) as usize][0], 0.0_f32);
    for (frame, seconds) in frames.enumerate() {
        clock += seconds;
        owed += seconds;
        // The player presses, drags to and fro, and lets go.
        let pointed = Vec3::new(0.5, 0.0, 0.4 * (3.0 * clock).sin());
        if frame == 30 {
            let ray = Ray { origin: Vec3::new(0.5, -0.1, 3.0), direction: -Vec3::Z };
            if let Some(Pick { body, vertex, .. }) = sim.pick(ray, 0.02)? {
                grab = Some(sim.grab(&body, vertex, 30.0)?);
            }
        }
        if let Some(grab) = grab {
            sim.move_grab(grab, pointed)?;
        }
        if frame == 200
            && let Some(grab) = grab.take()
        {
            sim.release(grab)?;
        }
        let mut caught_up = 0;
        while owed >= sim.time_step() && caught_up < MOST_STEPS {
            sim.step()?;
            buffers.advance(&sim);
            (owed, steps, caught_up) = (owed - sim.time_step(), steps + 1, caught_up + 1);
        }
        owed = owed.min(sim.time_step());
        // Here a renderer would upload `buffers.positions()` and `buffers.normals()`.
        buffers.blend(&sim, owed / sim.time_step());
        let tip = buffers.positions()[flag.vertex(24, 8) as usize][0];
        fastest = fastest.max((tip - last_tip).abs());
        last_tip = tip;
    }
    println!(
        "{steps} steps for 288 frames; no vertex that was drawn moved more than {fastest:.3} m from frame to frame"
    );
    assert!((100..=130).contains(&steps));
    assert!(fastest < 0.1);
    assert!(buffers.normals().iter().all(|n| (n.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-3));
    Ok(())
}
