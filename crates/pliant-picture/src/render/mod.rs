//! From a scene to a picture.
//!
//! `geometry` flattens the scene, `lamps` draws a depth map for each lamp, `raster` finds what each sample sees,
//! `shade` gives it a colour. Pixels are shaded once for each surface they see, not once for each sample. Bands of rows
//! are independent and lamps are summed in order, so the result is the same on any number of threads.

mod geometry;
mod lamps;
mod raster;
mod shade;

use pliant::math::Vec3;
use rayon::prelude::*;

use crate::color::from_linear;
use crate::{Camera, Image, Scene, ViewError, overlay};
use geometry::Geometry;
use lamps::Lamps;
use raster::{Projection, Ready, View};
use shade::{Point, Shader};

/// How a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenderOptions {
    /// Width \[px\].
    pub width: usize,
    /// Height \[px\].
    pub height: usize,
    /// Samples along each side of a pixel: 2 means four for each pixel.
    pub samples: usize,
    /// Number of threads; none uses the process-wide pool. The picture is the same.
    pub threads: Option<usize>,
    /// Whether objects cast shadows.
    pub shadows: bool,
    /// Samples along the side of the light's depth map.
    pub shadow_resolution: usize,
    /// Number of sampled points of the light: more make smoother half-shadows.
    pub light_samples: usize,
    /// Number of sampled points of the sky: more make smoother ambient occlusion.
    pub sky_samples: usize,
}

impl Default for RenderOptions {
    /// 640×400 in a fraction of a second.
    fn default() -> Self {
        Self {
            width: 640,
            height: 400,
            samples: 2,
            threads: None,
            shadows: true,
            shadow_resolution: 512,
            light_samples: 24,
            sky_samples: 56,
        }
    }
}

impl RenderOptions {
    /// Softer shadows from fewer lamps, in about a quarter of the time: for animations, where the eye follows the motion.
    pub fn draft() -> Self {
        Self { shadow_resolution: 256, light_samples: 10, sky_samples: 30, ..Self::default() }
    }

    /// Width over height.
    pub fn aspect(&self) -> f64 {
        self.width as f64 / self.height.max(1) as f64
    }
}

/// Most samples of a picture: 8 bytes each.
const MAX_SAMPLES: usize = 1 << 27;
/// Rows of pixels that are drawn together.
const BAND: usize = 16;
/// Part of the distance to the target that is nearer than anything seen.
const NEAR: f64 = 1e-3;
/// Nothing is seen.
const NONE: u32 = u32::MAX;

/// Draws a scene. The same scene gives the same bytes with any number of threads.
pub fn render(scene: &Scene, camera: &Camera, options: &RenderOptions) -> Result<Image, ViewError> {
    let RenderOptions { width, height, samples, .. } = *options;
    let total = [width, height, samples, samples].iter().try_fold(1usize, |total, &n| total.checked_mul(n));
    if !total.is_some_and(|total| total > 0 && total <= MAX_SAMPLES) {
        return Err(ViewError::ImageSize { width, height, samples, limit: MAX_SAMPLES });
    }
    if options.shadow_resolution > 1 << 13 {
        let value = options.shadow_resolution as f64;
        return Err(ViewError::BadParameter { name: "shadow resolution", value, need: "at most 8192" });
    }
    camera.check()?;
    scene.check()?;
    match options.threads {
        None => draw(scene, camera, options),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
            pool.map_err(|error| ViewError::Threads(error.to_string()))?.install(|| draw(scene, camera, options))
        }
    }
}

fn draw(scene: &Scene, camera: &Camera, options: &RenderOptions) -> Result<Image, ViewError> {
    let RenderOptions { width, height, samples, .. } = *options;
    let geometry = Geometry::of(scene);
    let lamps = Lamps::of(scene, &geometry, camera.axes()?.right, options)?;
    let distance = camera.eye.distance(camera.target);
    let view = View {
        origin: camera.eye,
        axes: camera.axes()?,
        focal: 0.5 * (height * samples) as f64 / (0.5 * camera.field_of_view).tan(),
        width: width * samples,
        height: height * samples,
        projection: Projection::Perspective { near: NEAR * distance },
        // A line is at least a pixel wide.
        least_radius: 0.5 * samples as f64,
    };
    let shader = Shader {
        scene,
        geometry: &geometry,
        lamps: &lamps,
        view: &view,
        samples: samples as f64,
        scale: geometry.bounds.map_or(distance, |bounds| bounds.diagonal().clamp(0.1 * distance, distance)),
        target: camera.target,
    };

    let ready: Vec<Ready> = (0..geometry.len()).into_par_iter().filter_map(|id| view.prepare(&geometry, id)).collect();
    let bands = height.div_ceil(BAND);
    let mut bins: Vec<Vec<u32>> = vec![Vec::new(); bands];
    for (k, primitive) in ready.iter().enumerate() {
        let band = |row: usize| row / (BAND * samples);
        for bin in &mut bins[band(primitive.rows[0])..=band(primitive.rows[1] - 1)] {
            bin.push(k as u32);
        }
    }

    let mut image = Image::new(width, height, [0; 3]);
    image.pixels_mut().par_chunks_mut(BAND * width).zip(&bins).enumerate().for_each(|(band, (pixels, bin))| {
        let rows = pixels.len() / width;
        let first = band * BAND * samples;
        let mut keys = vec![0f32; rows * samples * view.width];
        let mut ids = vec![NONE; keys.len()];
        for &k in bin {
            view.rasterise(&ready[k as usize], first..first + rows * samples, |index, key, id| {
                if key > keys[index] {
                    keys[index] = key;
                    ids[index] = id;
                }
            });
        }
        let mut surfaces = Vec::with_capacity(samples * samples);
        for (k, pixel) in pixels.iter_mut().enumerate() {
            surfaces.clear();
            let (column, row) = (k % width * samples, k / width * samples);
            for sample in 0..samples * samples {
                let (i, j) = (column + sample % samples, row + sample / samples);
                let index = j * view.width + i;
                let (x, y) = view.sample(i as f64, (first + j) as f64);
                let hit = (ids[index] != NONE).then(|| (ids[index], 1.0 / f64::from(keys[index])));
                gather(&mut surfaces, shader.point(view.ray(x, y), hit), &view, samples);
            }
            let light: Vec3 =
                surfaces.iter().map(|(sum, count)| f64::from(*count) * display(shader.shade(&mean(sum, *count)))).sum();
            *pixel = from_linear(light / (samples * samples) as f64).0;
        }
    });
    overlay::draw(scene, &mut image);
    Ok(image)
}

/// Adds a sample to those that see the same piece of surface in this pixel.
fn gather(surfaces: &mut Vec<(Point, u32)>, point: Point, view: &View, samples: usize) {
    for (sum, count) in surfaces.iter_mut() {
        let known = mean(sum, *count);
        if known.key != point.key {
            continue;
        }
        // Folds of one cloth behind each other have one key, but are no one surface.
        let depth = (point.position - view.origin).dot(view.axes.forward);
        let reach = 8.0 * depth * samples as f64 / view.focal;
        let object = matches!(point.key, shade::SurfaceKey::Object { .. });
        if object && (known.normal.dot(point.normal) < 0.8 || known.position.distance(point.position) > reach) {
            continue;
        }
        sum.position += point.position;
        sum.normal += point.normal;
        sum.albedo += point.albedo;
        *count += 1;
        return;
    }
    surfaces.push((point, 1));
}

fn mean(sum: &Point, count: u32) -> Point {
    if count == 1 {
        return *sum;
    }
    let share = 1.0 / f64::from(count);
    Point {
        position: share * sum.position,
        normal: sum.normal.normalize_or(Vec3::Y),
        albedo: share * sum.albedo,
        ..*sum
    }
}

/// Linear up to here; brighter light approaches white without reaching it.
const SHOULDER: f64 = 0.75;

/// Tone mapping of linear light, before samples are averaged, so that bright edges stay smooth.
fn display(light: Vec3) -> Vec3 {
    let room = 1.0 - SHOULDER;
    Vec3::from(
        light
            .to_array()
            .map(|x| if x > SHOULDER { SHOULDER + room * (1.0 - (-(x - SHOULDER) / room).exp()) } else { x.max(0.0) }),
    )
}
