//! Colours, the palette of bodies, and the map from scalars to colours.

use pliant::math::Vec3;

/// An sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color(
    /// Red, green, blue.
    pub [u8; 3],
);

/// Colours of bodies, in the order of their numbers: distinct in hue and similar in strength.
pub const PALETTE: [Color; 8] = [
    Color([0x2f, 0x6f, 0xb5]),
    Color([0xe2, 0x6d, 0x3d]),
    Color([0x3f, 0x9b, 0x76]),
    Color([0xc8, 0x45, 0x5a]),
    Color([0xd9, 0xa4, 0x2e]),
    Color([0x7a, 0x5f, 0xae]),
    Color([0x3a, 0xa3, 0xb5]),
    Color([0x8a, 0x6a, 0x50]),
];

impl Color {
    /// From `0xrrggbb`.
    ///
    /// ```
    /// assert_eq!(pliant_picture::Color::hex(0x2f6fb5).0, [47, 111, 181]);
    /// ```
    pub const fn hex(rgb: u32) -> Self {
        Self([(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8])
    }

    /// The colour of a body by its number; the palette repeats after the last.
    pub fn of_body(body: usize) -> Self {
        PALETTE[body % PALETTE.len()]
    }

    /// A matching colour for the back of a sheet: paler and a little warmer.
    pub fn back(self) -> Self {
        let front = self.linear();
        from_linear(front.lerp(Vec3::new(0.80, 0.74, 0.66), 0.62))
    }

    /// Linear light, 0 to 1.
    pub(crate) fn linear(self) -> Vec3 {
        Vec3::from(self.0.map(|channel| {
            let s = f64::from(channel) / 255.0;
            if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
        }))
    }
}

/// Linear light as the nearest sRGB colour.
pub(crate) fn from_linear(light: Vec3) -> Color {
    Color(light.to_array().map(|x| {
        let s = if x <= 0.0031308 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
        (255.0 * s + 0.5).clamp(0.0, 255.0) as u8
    }))
}

/// How scalars become colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorMap {
    /// Dark violet, blue, green, yellow: lightness rises evenly, so that the order is visible without hue.
    #[default]
    Dusk,
    /// Blue, pale, red: for quantities with a neutral middle.
    Balance,
}

/// Control points in Oklab (lightness, green–red, blue–yellow) at even distances. Lightness is linear in the parameter; hues
/// follow a spiral from violet to yellow inside the sRGB gamut.
const DUSK: [[f64; 3]; 6] = [
    [0.27, 0.100, -0.105],
    [0.40, 0.020, -0.125],
    [0.52, -0.055, -0.065],
    [0.65, -0.105, 0.005],
    [0.78, -0.125, 0.110],
    [0.91, -0.035, 0.175],
];
const BALANCE: [[f64; 3]; 5] =
    [[0.42, -0.02, -0.15], [0.70, -0.03, -0.08], [0.95, 0.00, 0.01], [0.70, 0.10, 0.06], [0.45, 0.16, 0.08]];

impl ColorMap {
    /// The colour of a parameter from 0 to 1; values outside have the colour of the nearest end, and NaN is grey.
    ///
    /// ```
    /// use pliant_picture::ColorMap;
    ///
    /// let luma = |c: pliant_picture::Color| c.0.iter().map(|&v| u32::from(v)).sum::<u32>();
    /// assert!(luma(ColorMap::Dusk.color(0.1)) < luma(ColorMap::Dusk.color(0.9)));
    /// assert_eq!(ColorMap::Dusk.color(-3.0), ColorMap::Dusk.color(0.0));
    /// ```
    pub fn color(self, parameter: f64) -> Color {
        from_linear(self.linear(parameter))
    }

    pub(crate) fn linear(self, parameter: f64) -> Vec3 {
        if parameter.is_nan() {
            return Vec3::splat(0.3);
        }
        let points: &[[f64; 3]] = match self {
            Self::Dusk => &DUSK,
            Self::Balance => &BALANCE,
        };
        let place = parameter.clamp(0.0, 1.0) * (points.len() - 1) as f64;
        let left = (place as usize).min(points.len() - 2);
        let at = |k: isize| Vec3::from(points[(left as isize + k).clamp(0, points.len() as isize - 1) as usize]);
        // Catmull–Rom: no visible corner at the control points.
        let (p0, p1, p2, p3, t) = (at(-1), at(0), at(1), at(2), place - left as f64);
        let lab = 0.5
            * (2.0 * p1
                + (p2 - p0) * t
                + (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) * t * t
                + (3.0 * p1 - p0 - 3.0 * p2 + p3) * t * t * t);
        linear_from_oklab(lab)
    }
}

/// [Ottosson 2020, A perceptual color space for image processing]
fn linear_from_oklab(lab: Vec3) -> Vec3 {
    let l = (lab.x + 0.396_337_777_4 * lab.y + 0.215_803_757_3 * lab.z).powi(3);
    let m = (lab.x - 0.105_561_345_8 * lab.y - 0.063_854_172_8 * lab.z).powi(3);
    let s = (lab.x - 0.089_484_177_5 * lab.y - 1.291_485_548_0 * lab.z).powi(3);
    Vec3::new(
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    )
    .clamp(Vec3::ZERO, Vec3::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_survives_the_way_to_light_and_back() {
        for value in 0..=255 {
            let color = Color([value, 255 - value, value / 2]);
            assert_eq!(from_linear(color.linear()), color);
        }
    }

    #[test]
    fn lightness_rises_evenly_along_dusk() {
        let luminance = |t: f64| ColorMap::Dusk.linear(t).dot(Vec3::new(0.2126, 0.7152, 0.0722)).cbrt();
        let steps: Vec<f64> =
            (0..20).map(|k| luminance(f64::from(k + 1) / 20.0) - luminance(f64::from(k) / 20.0)).collect();
        let mean = steps.iter().sum::<f64>() / 20.0;
        assert!(steps.iter().all(|step| (step / mean - 1.0).abs() < 0.5), "{steps:?}");
    }
}
