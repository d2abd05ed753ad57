//! A cloth falls from two corners into a breeze for two seconds: `out/picture.png` shows how fast it moves after half a second,
//! `out/picture.gif` the whole run.

use pliant::prelude::*;
use pliant_picture::{
    Animation, Camera, Color, ColorMap, Extent, Ground, Legend, Mesh, Paint, RenderOptions, Scene, render,
};

const FRAMES_PER_SECOND: f64 = 25.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sheet = Sheet { width: 1.2, height: 1.2, columns: 40, rows: 40, ..Sheet::default() };
    let mesh = sheet.mesh()?.rotated(&Mat3::from_rotation_x(-1.2));
    let corners = [sheet.vertex(0, 40), sheet.vertex(40, 40)];
    let material = ClothMaterial { bending_stiffness: Some(1e-4), ..ClothMaterial::default() };
    let cloth = Body::cloth(&mesh, &material)?.named("cloth").pin(corners);
    let breeze = Wind::new(Vec3::new(0.4, 0.0, 1.2));
    let mut sim = Simulation::builder().body(cloth).time_step(1.0 / 100.0).wind(breeze).build()?;

    // First the run, then the pictures: the camera frames all of it and stands still.
    let mut extent = Extent::default();
    let mut moments: Vec<(Vec<Vec3>, Vec<f64>)> = Vec::new();
    let steps_per_frame = (1.0 / (FRAMES_PER_SECOND * sim.time_step())).round() as usize;
    for _ in 0..(2.0 * FRAMES_PER_SECOND) as usize {
        for _ in 0..steps_per_frame {
            // The corners come closer in the first second, which leaves slack to fold.
            let closer = 0.12 * (sim.time().min(1.0));
            sim.move_pins(|_, rest| rest - Vec3::X * closer * rest.x.signum())?;
            sim.step()?;
        }
        extent.add(sim.positions());
        let speeds: Vec<f64> = sim.velocities().iter().map(|v| v.length()).collect();
        moments.push((sim.positions().to_vec(), speeds));
    }

    let bounds = extent.bounds().ok_or("nothing moved")?;
    let options = RenderOptions { width: 480, height: 360, samples: 3, ..RenderOptions::default() };
    let camera = Camera::framing(&bounds, Vec3::new(0.45, -0.28, -1.0), options.aspect());
    let ground = Some(Ground::at(bounds.min.y - 0.15));
    let scene = |positions: &[Vec3], paint: Paint| Scene {
        meshes: vec![Mesh::new(positions.to_vec(), mesh.triangles.clone(), paint)],
        ground,
        ..Scene::default()
    };

    let (positions, speeds) = &moments[moments.len() / 4];
    let range = [0.0, speeds.iter().copied().fold(0.0, f64::max)];
    let map = ColorMap::default();
    let legend = Legend { label: "speed [m/s]".to_owned(), range, map };
    let coloured = scene(positions, Paint::Scalar { values: speeds.clone(), range, map });
    let large = RenderOptions { width: 960, height: 720, ..options };
    render(&Scene { legend: Some(legend), ..coloured }, &camera, &large)?.save_png("out/picture.png")?;

    let mut animation = Animation::new(FRAMES_PER_SECOND);
    for (positions, _) in &moments {
        animation.push(render(&scene(positions, Color::hex(0x2f6fb5).into()), &camera, &options)?)?;
    }
    animation.save_gif("out/picture.gif")?;

    let fallen = bounds.size().y;
    assert!(fallen > 0.9, "the cloth hangs down, but only by {fallen} m");
    println!("out/picture.png, out/picture.gif: {} frames", animation.frames().len());
    Ok(())
}
