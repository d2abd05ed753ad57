//! The colour of a point.

use pliant::math::Vec3;

use super::geometry::{Geometry, Hue, Primitive};
use super::lamps::Lamps;
use super::raster::View;
use crate::scene::{Ground, Pattern, Scene};

/// Exponent of the highlight's cosine: a satin gleam.
const SHININESS: f64 = 36.0;
/// Share of the light on the ground that is thrown back to what stands on it.
const BOUNCE: f64 = 0.55;

/// What a sample sees, or the mean of what several samples of a pixel see of one surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) key: SurfaceKey,
    pub(crate) position: Vec3,
    /// Unit normal on the side of the eye.
    pub(crate) normal: Vec3,
    pub(crate) albedo: Vec3,
    pub(crate) gloss: f64,
}

/// Points of equal keys may be averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SurfaceKey {
    Object { finish: u32, front: bool },
    Ground,
    Sky,
}

pub(crate) struct Shader<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) geometry: &'a Geometry,
    pub(crate) lamps: &'a Lamps,
    /// The view in samples.
    pub(crate) view: &'a View,
    /// Samples along the side of a pixel.
    pub(crate) samples: f64,
    /// Length to which distances are compared \[m\].
    pub(crate) scale: f64,
    pub(crate) target: Vec3,
}

impl Shader<'_> {
    /// What is hit by a ray of unit depth: a primitive at a depth, or ground, or sky.
    pub(crate) fn point(&self, ray: Vec3, hit: Option<(u32, f64)>) -> Point {
        let eye = self.view.origin;
        if let Some(ground) = &self.scene.ground {
            let depth = (ground.height - eye.y) / ray.y;
            // Seen from below, the ground is not there.
            if ray.y < 0.0 && depth > 0.0 && hit.is_none_or(|(_, z)| depth < z) {
                return Point {
                    key: SurfaceKey::Ground,
                    position: eye + depth * ray,
                    normal: Vec3::Y,
                    albedo: Vec3::ZERO,
                    gloss: 0.0,
                };
            }
        }
        let Some((id, depth)) = hit else {
            return Point { key: SurfaceKey::Sky, position: ray, normal: Vec3::Y, albedo: Vec3::ZERO, gloss: 0.0 };
        };
        let position = eye + depth * ray;
        let (normal, parameter, finish, front, edge) = match self.geometry.primitive(id as usize) {
            Primitive::Triangle(triangle) => {
                let [a, b, c] = triangle.corners;
                let area = (b - a).cross(c - a);
                let scale = 1.0 / area.length_squared();
                let u = (c - b).cross(position - b).dot(area) * scale;
                let v = (a - c).cross(position - c).dot(area) * scale;
                let weights = [u, v, 1.0 - u - v].map(|weight| weight.clamp(0.0, 1.0));
                let front = area.dot(ray) <= 0.0;
                let n = triangle.normals;
                let normal = (weights[0] * n[0] + weights[1] * n[1] + weights[2] * n[2])
                    .normalize_or(area.normalize_or(Vec3::Y));
                let p = triangle.parameters;
                let parameter = weights[0] * p[0] + weights[1] * p[1] + weights[2] * p[2];
                // Distance to the nearest edge.
                let length = area.length();
                let sides = [(c - b).length(), (a - c).length(), (b - a).length()];
                let edge = (0..3)
                    .fold(f64::INFINITY, |edge, k| edge.min(weights[k] * length / sides[k].max(f64::MIN_POSITIVE)));
                (if front { normal } else { -normal }, parameter, triangle.finish, front, edge)
            }
            Primitive::Capsule(capsule) => {
                let axis = capsule.ends[1] - capsule.ends[0];
                let along = (position - capsule.ends[0]).dot(axis) / axis.length_squared().max(f64::MIN_POSITIVE);
                let along = along.clamp(0.0, 1.0);
                let normal = (position - capsule.ends[0] - along * axis).normalize_or(-ray);
                let parameter = capsule.parameters[0] + along * (capsule.parameters[1] - capsule.parameters[0]);
                (normal, parameter, capsule.finish, true, f64::INFINITY)
            }
            Primitive::Ball(ball) => {
                ((position - ball.middle).normalize_or(-ray), ball.parameter, ball.finish, true, f64::INFINITY)
            }
        };
        let look = &self.geometry.finishes[finish as usize];
        let mut albedo = match look.hue {
            Hue::Plain { front: color, .. } if front => color,
            Hue::Plain { back, .. } => back,
            Hue::Mapped(map) => map.linear(parameter),
        };
        if let Some((color, width)) = look.wireframe {
            let pixel = depth * self.samples / self.view.focal;
            let coverage = (0.5 * width + 0.5 - edge / pixel).clamp(0.0, 1.0) * width.min(1.0);
            albedo = albedo.lerp(color, coverage);
        }
        // Smooth normals may turn away from the eye near a silhouette; tilt them back to grazing.
        let away = normal.dot(ray).max(0.0) / ray.length_squared();
        let normal = (normal - away * ray).normalize_or(normal);
        Point { key: SurfaceKey::Object { finish, front }, position, normal, albedo, gloss: look.gloss }
    }

    /// Linear light towards the eye.
    pub(crate) fn shade(&self, point: &Point) -> Vec3 {
        match point.key {
            SurfaceKey::Sky => self.sky(point.position),
            SurfaceKey::Ground => {
                let Some(ground) = &self.scene.ground else { return Vec3::ZERO };
                let (light, _, _) = self.received(point.position, Vec3::Y);
                let color = self.ground_color(ground, point.position) * light;
                // Far ground melts into the horizon, so that there is no edge.
                let away = (point.position - self.target).length() / (4.0 * self.scale);
                color.lerp(self.scene.sky.horizon.linear(), 1.0 - (-away * away).exp())
            }
            SurfaceKey::Object { .. } => self.object(point),
        }
    }

    fn object(&self, point: &Point) -> Vec3 {
        let (light, seen_light, open) = self.received(point.position, point.normal);
        let bounced = self.bounced(point, open);
        let view = (self.view.origin - point.position).normalize_or(Vec3::Y);
        let towards = self.scene.light.direction.normalize_or(Vec3::Y);
        let half = (view + towards).normalize_or(point.normal);
        let gleam = point.normal.dot(half).max(0.0).powf(SHININESS) * seen_light * self.scene.light.brightness;
        let grazing = (1.0 - point.normal.dot(view).clamp(0.0, 1.0)).powi(4);
        let mirrored = 2.0 * point.normal.dot(view) * point.normal - view;
        let reflection = self.sky(mirrored) * (0.04 + 0.5 * grazing) * open;
        point.albedo * (light + bounced) + point.gloss * (Vec3::splat(gleam) + reflection)
    }

    /// Light from all lamps on a surface, the share of the light that is not in shadow, and that of the sky.
    fn received(&self, position: Vec3, normal: Vec3) -> (Vec3, f64, f64) {
        let mut sum = Vec3::ZERO;
        let mut seen = 0.0;
        for lamp in &self.lamps.light {
            let cosine = normal.dot(lamp.direction);
            if cosine > 0.0 {
                let visibility = lamp.visibility(position, normal);
                sum += cosine * visibility * lamp.light;
                seen += visibility;
            }
        }
        let (mut open, mut whole) = (0.0, 0.0);
        for lamp in &self.lamps.sky {
            let cosine = normal.dot(lamp.direction);
            if cosine > 0.0 {
                let visible = cosine * lamp.visibility(position, normal);
                sum += visible * lamp.light;
                open += visible;
                whole += cosine;
            }
        }
        let open = if whole > 0.0 { open / whole } else { 0.5 };
        (sum, seen / self.lamps.light.len() as f64, open)
    }

    /// Light from below: the ground throws some back, less where a body stands close to its own shadow.
    fn bounced(&self, point: &Point, open: f64) -> Vec3 {
        let down = 0.5 * (1.0 - point.normal.y);
        let level = self.scene.sky.brightness + 0.6 * self.scene.light.brightness;
        let (color, nearness) = match &self.scene.ground {
            Some(ground) => {
                let height = ((point.position.y - ground.height) / (0.3 * self.scale)).clamp(0.0, 1.0);
                (ground.color.linear(), 0.45 + 0.55 * height)
            }
            None => (Vec3::splat(0.6), 1.0),
        };
        // What is hidden from the sky by folds is hidden from the ground by much the same folds.
        BOUNCE * level * down * nearness * (0.35 + 0.65 * open) * color
    }

    /// The background in a direction.
    pub(crate) fn sky(&self, direction: Vec3) -> Vec3 {
        let rise = direction.normalize_or(Vec3::Y).y.clamp(0.0, 1.0);
        let sky = &self.scene.sky;
        sky.horizon.linear().lerp(sky.zenith.linear(), 1.0 - (1.0 - rise).powi(3))
    }

    fn ground_color(&self, ground: &Ground, position: Vec3) -> Vec3 {
        let color = ground.color.linear();
        if ground.spacing <= 0.0 || !ground.spacing.is_finite() {
            return color;
        }
        let eye = self.view.origin;
        let toward = position - eye;
        let depth = toward.dot(self.view.axes.forward);
        // How far the neighbouring pixels' rays land on the ground: the area to average over.
        let pixel = depth * self.samples / self.view.focal;
        let shift = |axis: Vec3| {
            let ray = toward + pixel * axis;
            let moved = ray * (ground.height - eye.y) / ray.y - toward;
            [moved.x.abs() / ground.spacing, moved.z.abs() / ground.spacing]
        };
        let (across, down) = (shift(self.view.axes.right), shift(-self.view.axes.up));
        let width = [0, 1].map(|k| (across[k].max(down[k])).clamp(1e-6, 1e6));
        let place = [position.x / ground.spacing, position.z / ground.spacing];
        match ground.pattern {
            Pattern::Plain => color,
            Pattern::Grid => {
                // Lines are 1.2 % of the spacing, at least as wide as a pixel but then fainter.
                let line = [0, 1].map(|k| line_share(place[k], width[k], 0.012));
                let share = line[0] + line[1] - line[0] * line[1];
                color * (1.0 - 0.35 * share)
            }
            Pattern::Checker => {
                let wave = [0, 1].map(|k| square_wave(place[k], width[k]));
                color * (1.0 - 0.07 * (0.5 - 0.5 * wave[0] * wave[1]))
            }
        }
    }
}

/// Share of an interval of some width around a place that is covered by lines at the integers.
fn line_share(place: f64, width: f64, line: f64) -> f64 {
    // Integral of the lines from 0: each whole number adds its line, centred.
    let covered = |x: f64| {
        let x = x + 0.5 * line;
        x.floor() * line + (x - x.floor()).min(line)
    };
    ((covered(place + 0.5 * width) - covered(place - 0.5 * width)) / width).clamp(0.0, 1.0)
}

/// Mean over an interval of the function that is 1 and −1 in turn.
fn square_wave(place: f64, width: f64) -> f64 {
    let integral = |x: f64| 1.0 - 2.0 * ((0.5 * x).rem_euclid(1.0) - 0.5).abs();
    (integral(place + 0.5 * width) - integral(place - 0.5 * width)) / width
}
