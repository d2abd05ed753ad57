//! Light and shadow: everything is lit by distant lamps, some across the disc of the light and some across the sky. Each has
//! a depth map. The first make soft shadows that are sharp at the contact, the second ambient occlusion.

use pliant::math::Vec3;
use rayon::prelude::*;

use super::geometry::Geometry;
use super::raster::{Projection, View};
use crate::camera::{Axes, Extent};
use crate::scene::Scene;
use crate::{RenderOptions, ViewError};

/// Depth maps of the lamps of the sky are this much coarser than those of the light: their shadows are blurred by each other.
const SKY_RESOLUTION: f64 = 0.4;

#[derive(Debug)]
pub(crate) struct Lamp {
    /// From the scene to the lamp.
    pub(crate) direction: Vec3,
    /// Light on a surface that faces it.
    pub(crate) light: Vec3,
    map: Option<DepthMap>,
}

#[derive(Debug)]
struct DepthMap {
    view: View,
    keys: Vec<f32>,
    /// Axes in samples per length, and the coordinate of the middle.
    right: Vec3,
    down: Vec3,
    half: f64,
    /// Coordinates from 0 to here have four samples around.
    limit: f64,
    /// Distances by which a surface is kept out of its own shadow \[m\].
    step_off: f64,
    slack: f64,
}

#[derive(Debug)]
pub(crate) struct Lamps {
    pub(crate) light: Vec<Lamp>,
    pub(crate) sky: Vec<Lamp>,
}

impl Lamps {
    /// The lamps of a scene; `across` is the picture's direction to the right.
    pub(crate) fn of(
        scene: &Scene,
        geometry: &Geometry,
        across: Vec3,
        options: &RenderOptions,
    ) -> Result<Self, ViewError> {
        let towards = scene.light.direction.try_normalize().ok_or(ViewError::BadParameter {
            name: "length of the light's direction",
            value: scene.light.direction.length(),
            need: "finite and positive",
        })?;
        let count = if scene.light.softness > 0.0 { options.light_samples.max(1) } else { 1 };
        let light = disc(towards, scene.light.softness.clamp(0.0, 1.0).tan(), count);
        let share = Vec3::splat(scene.light.brightness / count as f64);
        let sky = dome(options.sky_samples);
        let tint = sky_tint(scene);
        // Uniform over the hemisphere, the mean of the cosine on level ground is a half.
        let sky_share = 2.0 * scene.sky.brightness / sky.len().max(1) as f64;

        let lamp = |direction: Vec3, light: Vec3, resolution: usize| {
            let map = options.shadows.then(|| DepthMap::from(geometry, direction, across, resolution)).flatten();
            Lamp { direction, light, map }
        };
        let coarse = ((options.shadow_resolution as f64 * SKY_RESOLUTION) as usize).max(16);
        Ok(Self {
            light: light.into_par_iter().map(|d| lamp(d, share, options.shadow_resolution.max(16))).collect(),
            sky: sky.into_par_iter().map(|d| lamp(d, sky_share * tint(d), coarse)).collect(),
        })
    }
}

/// Colour of the sky's light by direction: half of the gradient's tint, with its brightness taken out.
fn sky_tint(scene: &Scene) -> impl Fn(Vec3) -> Vec3 + use<> {
    let (horizon, zenith) = (scene.sky.horizon.linear(), scene.sky.zenith.linear());
    move |direction: Vec3| {
        let color = horizon.lerp(zenith, direction.y.clamp(0.0, 1.0).sqrt());
        let tint = color / color.max_element().max(1e-6);
        Vec3::ONE.lerp(tint, 0.5)
    }
}

/// Directions spread over a disc by the golden angle.
fn disc(towards: Vec3, radius: f64, count: usize) -> Vec<Vec3> {
    let (u, v) = towards.any_orthonormal_pair();
    (0..count)
        .map(|k| {
            let r = radius * ((k as f64 + 0.5) / count as f64).sqrt();
            let (sin, cos) = (k as f64 * GOLDEN_ANGLE).sin_cos();
            let offset = if count == 1 { Vec3::ZERO } else { r * (cos * u + sin * v) };
            (towards + offset).normalize()
        })
        .collect()
}

/// Directions spread evenly over the upper hemisphere.
fn dome(count: usize) -> Vec<Vec3> {
    (0..count)
        .map(|k| {
            let height = (k as f64 + 0.5) / count as f64;
            let (sin, cos) = (k as f64 * GOLDEN_ANGLE).sin_cos();
            let r = (1.0 - height * height).sqrt();
            Vec3::new(r * cos, height, r * sin)
        })
        .collect()
}

const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

impl Lamp {
    /// Share of the lamp that is seen from a point of a surface, 0 to 1.
    pub(crate) fn visibility(&self, point: Vec3, normal: Vec3) -> f64 {
        self.map.as_ref().map_or(1.0, |map| map.visibility(point, normal))
    }
}

impl DepthMap {
    /// None where there is nothing to throw a shadow.
    fn from(geometry: &Geometry, towards: Vec3, across: Vec3, resolution: usize) -> Option<Self> {
        let bounds = geometry.bounds.filter(|bounds| bounds.diagonal().is_finite())?;
        // Neighbours in a row of the picture are then neighbours in a row of the map, and in memory.
        let right = (across - across.dot(towards) * towards).normalize_or(towards.any_orthonormal_vector());
        let axes = Axes { right, up: right.cross(-towards), forward: -towards };
        let mut view = View {
            origin: bounds.centre(),
            axes,
            focal: 1.0,
            width: resolution,
            height: resolution,
            projection: Projection::Parallel,
            least_radius: 0.6,
        };
        let reach = Extent::corners(&bounds).map(|corner| view.local(corner));
        let reach = reach.iter().fold(0f64, |reach, p| reach.max(p.x.abs()).max(p.y.abs()));
        if reach <= 0.0 {
            return None;
        }
        // Two free samples around, so that interpolation finds nothing at the rim.
        view.focal = (0.5 * resolution as f64 - 2.0) / reach;
        let mut keys = vec![f32::NEG_INFINITY; resolution * resolution];
        for id in 0..geometry.len() {
            if let Some(ready) = view.prepare(geometry, id) {
                view.rasterise(&ready, 0..resolution, |index, key, _| keys[index] = keys[index].max(key));
            }
        }
        Some(Self {
            right: view.focal * axes.right,
            down: -view.focal * axes.up,
            half: 0.5 * resolution as f64 - 0.5,
            limit: (resolution - 1) as f64,
            step_off: 1.5 / view.focal,
            slack: 0.4 / view.focal,
            view,
            keys,
        })
    }

    fn visibility(&self, point: Vec3, normal: Vec3) -> f64 {
        // The four samples around lie up to 1.5 away on the same slope: step off the surface by as much.
        let offset = point + self.step_off * normal - self.view.origin;
        let (x, y) = (offset.dot(self.right) + self.half, offset.dot(self.down) + self.half);
        // Also refuses what is not a number.
        if !(x >= 0.0 && y >= 0.0 && x < self.limit && y < self.limit) {
            return 1.0;
        }
        // Through i32, which converts in one instruction.
        let (column, row) = (x as i32, y as i32);
        let (u, v) = ((x - f64::from(column)) as f32, (y - f64::from(row)) as f32);
        let key = (offset.dot(-self.view.axes.forward) + self.slack) as f32;
        let index = row as usize * self.view.width + column as usize;
        let seen = |pair: &[f32]| {
            let [a, b] = [0, 1].map(|k| if pair[k] <= key { 1f32 } else { 0.0 });
            a + u * (b - a)
        };
        let upper = seen(&self.keys[index..index + 2]);
        let lower = seen(&self.keys[index + self.view.width..index + self.view.width + 2]);
        f64::from(upper + v * (lower - upper))
    }
}
