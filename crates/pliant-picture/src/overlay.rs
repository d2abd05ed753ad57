//! What is written over a picture: the scale of its colours and a caption.

use crate::canvas::{Anchor, Canvas, Pen, Run};
use crate::plot::number;
use crate::{Color, Image, Legend, Scene, font};

const INK: Color = Color::hex(0x2b3440);
const PAPER: Color = Color::hex(0xffffff);

pub(crate) fn draw(scene: &Scene, image: &mut Image) {
    if scene.legend.is_none() && scene.caption.is_none() {
        return;
    }
    // Text of 13 px on a picture 400 px high, and never too small to read.
    let size = (image.height() as f64 / 31.0).clamp(10.0, 40.0);
    let (width, height) = (image.width() as f64, image.height() as f64);
    let mut canvas = Canvas::new(image);
    if let Some(legend) = &scene.legend {
        draw_legend(&mut canvas, legend, size, width);
    }
    if let Some(caption) = &scene.caption {
        canvas.text(caption, [1.2 * size, height - 1.2 * size], size, Anchor::Start, Run::Right, INK);
    }
}

/// A horizontal bar at the upper right, on a pale plate.
fn draw_legend(canvas: &mut Canvas<'_>, legend: &Legend, size: f64, width: f64) {
    let bar = 11.0 * size;
    let bar = bar.max(font::width(&legend.label, size));
    let thick = 0.75 * size;
    let (right, top) = (width - 1.6 * size, 1.2 * size);
    let left = right - bar;
    let pad = 0.8 * size;
    canvas.fill([left - pad, top - 0.6 * pad], [right + pad, top + 3.9 * size], PAPER, 0.72);
    canvas.text(&legend.label, [left, top + 0.85 * size], size, Anchor::Start, Run::Right, INK);
    let (bar_top, bar_bottom) = (top + 1.45 * size, top + 1.45 * size + thick);
    let steps = bar.ceil() as usize;
    for step in 0..steps {
        let color = legend.map.color((step as f64 + 0.5) / steps as f64);
        let x = left + step as f64 * bar / steps as f64;
        canvas.fill([x, bar_top], [x + bar / steps as f64, bar_bottom], color, 1.0);
    }
    let [low, high] = legend.range;
    let small = 0.85 * size;
    for (share, anchor) in [(0.0, Anchor::Start), (0.5, Anchor::Middle), (1.0, Anchor::End)] {
        let x = left + share * bar;
        let tick = vec![[x, bar_bottom], [x, bar_bottom + 0.2 * size]];
        canvas.strokes(&[tick], Pen { color: INK, width: 1.0, opacity: 0.8 });
        // Steps of a hundredth: the middle must not be rounded away from the middle of the ends.
        let label = number(low + share * (high - low), 0.01 * (high - low).abs());
        canvas.text(&label, [x, bar_bottom + 1.15 * size], small, anchor, Run::Right, INK);
    }
}
