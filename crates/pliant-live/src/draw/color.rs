//! Colours of values, and between the two scales of light.

/// Control points in Oklab (lightness, green–red, blue–yellow) at even distances, those of the pictures: lightness is linear in the value.
const POINTS: [[f32; 3]; 6] = [
    [0.27, 0.100, -0.105],
    [0.40, 0.020, -0.125],
    [0.52, -0.055, -0.065],
    [0.65, -0.105, 0.005],
    [0.78, -0.125, 0.110],
    [0.91, -0.035, 0.175],
];

/// The colour of a value from 0 to 1, sRGB; what is outside has the colour of the nearest end, and what is not a number is grey.
///
/// ```
/// use pliant_live::draw::value_color;
/// let brightness = |value| value_color(value).iter().map(|&channel| u32::from(channel)).sum::<u32>();
/// assert!(brightness(0.1) < brightness(0.9));
/// assert_eq!(value_color(-3.0), value_color(0.0));
/// ```
pub fn value_color(value: f32) -> [u8; 3] {
    linear_of_value(value).map(|channel| {
        let coded = if channel <= 0.003_130_8 { 12.92 * channel } else { 1.055 * channel.powf(1.0 / 2.4) - 0.055 };
        (255.0 * coded + 0.5).clamp(0.0, 255.0) as u8
    })
}

pub(crate) fn linear_of_value(value: f32) -> [f32; 3] {
    if value.is_nan() {
        return [0.3; 3];
    }
    let place = value.clamp(0.0, 1.0) * (POINTS.len() - 1) as f32;
    let left = (place as usize).min(POINTS.len() - 2);
    let t = place - left as f32;
    let at = |k: isize| POINTS[(left as isize + k).clamp(0, POINTS.len() as isize - 1) as usize];
    let (p0, p1, p2, p3) = (at(-1), at(0), at(1), at(2));
    // Catmull–Rom: no visible corner at the control points.
    linear_from_oklab(std::array::from_fn(|c| {
        let cubic = 3.0 * p1[c] - p0[c] - 3.0 * p2[c] + p3[c];
        let square = 2.0 * p0[c] - 5.0 * p1[c] + 4.0 * p2[c] - p3[c];
        0.5 * (2.0 * p1[c] + (p2[c] - p0[c]) * t + square * t * t + cubic * t * t * t)
    }))
}

/// [Ottosson 2020, A perceptual color space for image processing]
fn linear_from_oklab([lightness, a, b]: [f32; 3]) -> [f32; 3] {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ]
    .map(|channel| channel.clamp(0.0, 1.0))
}

pub(crate) fn linear_of_srgb(color: [u8; 3]) -> [f32; 3] {
    color.map(|channel| {
        let coded = f32::from(channel) / 255.0;
        if coded <= 0.040_45 { coded / 12.92 } else { ((coded + 0.055) / 1.055).powf(2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_is_grey() {
        let [r, g, b] = value_color(f32::NAN);
        assert!(r == g && g == b && r > 100);
    }

    #[cfg(feature = "session")]
    #[test]
    fn values_have_the_colours_that_they_have_in_pictures() {
        for k in 0..=40u8 {
            let value = f32::from(k) / 40.0;
            let expected = pliant_picture::ColorMap::default().color(f64::from(value)).0;
            let found = value_color(value);
            assert!(found.iter().zip(expected).all(|(&a, b)| a.abs_diff(b) <= 1), "{value}: {found:?}, {expected:?}");
        }
    }
}
