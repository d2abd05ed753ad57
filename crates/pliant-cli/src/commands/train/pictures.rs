//! Methods side by side: the coarse cloth, what each method shows, and the fine simulation, at one moment.

use std::error::Error;

use pliant::math::Vec3;
use pliant::upsample::TrainingSequence;
use pliant_picture::{Camera, Color, Extent, Image, Mesh, RenderOptions, Scene, render};
use pliant_scene::train::{Shown, Training, TrainingMotion, frame_errors};

/// Width and height of each \[px\].
const SIZE: (usize, usize) = (360, 420);
/// From the front, a little from the side and above.
const DIRECTION: Vec3 = Vec3::new(-0.45, -0.3, -1.0);

/// At the moment at which the smooth surface, the first that is shown, is farthest from the fine one.
pub(super) fn side_by_side(
    training: &Training,
    motion: &TrainingMotion,
    sequence: &TrainingSequence,
    shown: &[Shown],
) -> Result<Image, Box<dyn Error>> {
    let fine: Vec<Vec<Vec3>> = sequence.frames.iter().map(|frame| frame.fine.clone()).collect();
    let errors = frame_errors(&shown[0].frames, &fine);
    let moment = (0..errors.len()).max_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
    let refinement = training.refinement();
    let coarse = (&sequence.frames[moment].coarse, &refinement.coarse_mesh().triangles);
    let triangles = &refinement.fine_mesh().triangles;
    let methods = shown.iter().map(|shown| (&shown.frames[moment], triangles));
    let all = std::iter::once(coarse).chain(methods).chain([(&fine[moment], triangles)]);
    let time = (moment as f64 + f64::from(training.skip())) * training.frame_seconds();
    // Colliders are where the scene has them, whatever has happened before.
    let colliders = training.start(motion)?;
    let colliders = colliders.fine_simulation().colliders();
    let options = RenderOptions { width: SIZE.0, height: SIZE.1, samples: 3, ..RenderOptions::default() };
    let mut extent = Extent::default();
    extent.add(&fine[moment]);
    extent.add(&sequence.frames[moment].coarse);
    let bounds = extent.bounds().ok_or("an empty cloth")?;
    let camera = Camera::framing(&bounds, DIRECTION, options.aspect());
    let mut tiles = Vec::new();
    for (positions, triangles) in all {
        let mut scene = Scene::default();
        scene.meshes.push(Mesh::new(positions.clone(), triangles.clone(), Color::of_body(0)));
        scene.add_colliders(colliders, time);
        tiles.push(render(&scene, &camera, &options)?);
    }
    Ok(row(&tiles)?)
}

/// Pictures of one size from left to right.
fn row(tiles: &[Image]) -> Result<Image, pliant_picture::ViewError> {
    let (width, height) = tiles.first().map_or((0, 0), |tile| (tile.width(), tile.height()));
    let lines = (0..height).flat_map(|y| tiles.iter().flat_map(move |tile| &tile.pixels()[y * width..(y + 1) * width]));
    Image::from_pixels(width * tiles.len(), height, lines.copied().collect())
}
