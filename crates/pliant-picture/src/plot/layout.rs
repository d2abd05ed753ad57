//! The layout of a plot.

use super::axis::Ruler;
use super::{Plot, Series, Style};
use crate::canvas::{Anchor, Pen, Run};
use crate::{Color, ViewError, font};

/// Something to draw; pixels from the top left corner.
#[derive(Debug, Clone)]
pub(super) enum Mark {
    Lines { strokes: Vec<Vec<[f64; 2]>>, pen: Pen, dash: Option<[f64; 2]> },
    Dots { middles: Vec<[f64; 2]>, radius: f64, color: Color },
    Box { from: [f64; 2], to: [f64; 2], color: Color, opacity: f64 },
    Text { text: String, at: [f64; 2], size: f64, anchor: Anchor, run: Run, color: Color },
}

impl Mark {
    /// The same, elsewhere.
    pub(super) fn shifted(mut self, by: [f64; 2]) -> Self {
        let shift = |point: &mut [f64; 2]| *point = [point[0] + by[0], point[1] + by[1]];
        match &mut self {
            Self::Lines { strokes, .. } => strokes.iter_mut().flatten().for_each(shift),
            Self::Dots { middles, .. } => middles.iter_mut().for_each(shift),
            Self::Box { from, to, .. } => [from, to].into_iter().for_each(shift),
            Self::Text { at, .. } => shift(at),
        }
        self
    }
}

const INK: Color = Color::hex(0x2b3440);
const FAINT: Color = Color::hex(0x5d6875);
const GRID: Color = Color::hex(0xdfe3e8);
const PAPER: Color = Color::hex(0xffffff);
const TITLE: f64 = 17.0;
const LABEL: f64 = 14.0;
const TICK: f64 = 12.5;
const LINE: f64 = 2.0;
const DOT: f64 = 3.0;
const DASH: [f64; 2] = [7.0, 5.0];
/// Places that are tried for a legend, along each axis.
const GRID_STEPS: usize = 7;
/// Distances between labels that read well \[px\].
const TICK_ROOM: [f64; 2] = [85.0, 50.0];

/// The rectangle that data are drawn in.
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Frame {
    fn at(&self, place: [f64; 2]) -> [f64; 2] {
        [self.left + place[0] * (self.right - self.left), self.bottom - place[1] * (self.bottom - self.top)]
    }
}

impl Plot {
    pub(super) fn marks(&self) -> Result<Vec<Mark>, ViewError> {
        const MAX_SIDE: usize = 1 << 14;
        let (width, height) = (self.width, self.height);
        if width < 100 || height < 80 || width > MAX_SIDE || height > MAX_SIDE {
            return Err(ViewError::ImageSize { width, height, samples: 1, limit: MAX_SIDE * MAX_SIDE });
        }
        let (width, height) = (width as f64, height as f64);
        let values = |k: usize| self.series.iter().flat_map(move |series| series.points.iter().map(move |p| p[k]));
        let x = Ruler::new(&self.x, values(0), (width / TICK_ROOM[0]) as usize)?;
        let y = Ruler::new(&self.y, values(1), (height / TICK_ROOM[1]) as usize)?;

        let widest = y.ticks.iter().map(|tick| font::width(&tick.label, TICK)).fold(0.0, f64::max);
        let labelled = |label: &str| if label.is_empty() { 0.0 } else { 1.75 * LABEL };
        let frame = Frame {
            left: 14.0 + labelled(&self.y.label) + widest + 8.0,
            top: if self.title.is_empty() { 16.0 } else { 2.6 * TITLE },
            right: width - 22.0,
            bottom: height - 14.0 - labelled(&self.x.label) - 1.5 * TICK,
        };

        let mut marks = Vec::new();
        self.grid(&mut marks, &frame, &x, &y);
        let mut shown = Vec::new();
        for (number, series) in self.series.iter().enumerate() {
            let runs = visible_runs(series, &x, &y);
            shown.extend(runs.iter().flat_map(|run| dense(run)));
            marks.push(series_mark(series, color_of(series, number), &runs, &frame));
        }
        self.labels(&mut marks, &frame, &x, &y);
        self.legend(&mut marks, &frame, &shown);
        Ok(marks)
    }

    fn grid(&self, marks: &mut Vec<Mark>, frame: &Frame, x: &Ruler, y: &Ruler) {
        let line = |from: [f64; 2], to: [f64; 2]| vec![frame.at(from), frame.at(to)];
        for (labelled, opacity) in [(false, 0.45), (true, 1.0)] {
            let wanted = |label: &str| label.is_empty() != labelled;
            let across = y.ticks.iter().filter(|t| wanted(&t.label)).map(|t| line([0.0, t.place], [1.0, t.place]));
            let down = x.ticks.iter().filter(|t| wanted(&t.label)).map(|t| line([t.place, 0.0], [t.place, 1.0]));
            let strokes = across.chain(down).map(|stroke| snapped(&stroke)).collect();
            marks.push(Mark::Lines { strokes, pen: Pen { color: GRID, width: 1.0, opacity }, dash: None });
        }
        let base = vec![frame.at([0.0, 1.0]), frame.at([0.0, 0.0]), frame.at([1.0, 0.0])];
        let pen = Pen { color: FAINT, width: 1.0, opacity: 1.0 };
        marks.push(Mark::Lines { strokes: vec![snapped(&base)], pen, dash: None });
    }

    fn labels(&self, marks: &mut Vec<Mark>, frame: &Frame, x: &Ruler, y: &Ruler) {
        let mut text = |text: &str, at: [f64; 2], size: f64, anchor: Anchor, run: Run, color: Color| {
            if !text.is_empty() {
                marks.push(Mark::Text { text: text.to_owned(), at, size, anchor, run, color });
            }
        };
        for tick in &x.ticks {
            let [at, _] = frame.at([tick.place, 0.0]);
            text(&tick.label, [at, frame.bottom + 6.0 + 0.8 * TICK], TICK, Anchor::Middle, Run::Right, FAINT);
        }
        for tick in &y.ticks {
            let [_, at] = frame.at([0.0, tick.place]);
            text(&tick.label, [frame.left - 8.0, at + 0.35 * TICK], TICK, Anchor::End, Run::Right, FAINT);
        }
        let middle = frame.at([0.5, 0.5]);
        let below = frame.bottom + 6.0 + 1.4 * TICK + LABEL;
        text(&self.x.label, [middle[0], below], LABEL, Anchor::Middle, Run::Right, INK);
        text(&self.y.label, [12.0 + 0.75 * LABEL, middle[1]], LABEL, Anchor::Middle, Run::Up, INK);
        text(&self.title, [frame.left, 1.65 * TITLE], TITLE, Anchor::Start, Run::Right, INK);
    }

    /// Where it hides least.
    fn legend(&self, marks: &mut Vec<Mark>, frame: &Frame, shown: &[[f64; 2]]) {
        let named: Vec<(usize, &Series)> =
            self.series.iter().enumerate().filter(|(_, series)| !series.name.is_empty()).collect();
        if named.is_empty() {
            return;
        }
        let (sample, pad, row) = (24.0, 10.0, 1.55 * TICK);
        let text = named.iter().map(|(_, series)| font::width(&series.name, TICK)).fold(0.0, f64::max);
        let size = [3.0 * pad + sample + text, 1.2 * pad + row * named.len() as f64];
        // The corners first; where all hide something, places between them.
        let inner = (0..GRID_STEPS * GRID_STEPS).map(|k| {
            let share = |k: usize| k as f64 / (GRID_STEPS - 1) as f64;
            [share(k % GRID_STEPS), share(k / GRID_STEPS)]
        });
        let places = [[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]].into_iter().chain(inner).map(|share| {
            let inset = 8.0;
            let (left, right) = (frame.left + inset, frame.right - inset - size[0]);
            let (top, bottom) = (frame.top + inset, frame.bottom - inset - size[1]);
            [left + share[0] * (right - left), bottom + share[1] * (top - bottom)]
        });
        let hidden = |from: &[f64; 2]| {
            let inside = |place: &&[f64; 2]| {
                let at = frame.at(**place);
                (0..2).all(|k| at[k] >= from[k] && at[k] <= from[k] + size[k])
            };
            shown.iter().filter(inside).count()
        };
        let best = places.fold(([frame.left, frame.top], usize::MAX), |best, place| {
            let count = hidden(&place);
            if count < best.1 { (place, count) } else { best }
        });
        let from = best.0;
        marks.push(Mark::Box { from, to: [from[0] + size[0], from[1] + size[1]], color: PAPER, opacity: 0.85 });
        for (line, (number, series)) in named.into_iter().enumerate() {
            let y = from[1] + 0.6 * pad + row * (line as f64 + 0.5);
            let ends = [[from[0] + pad, y], [from[0] + pad + sample, y]];
            let color = color_of(series, number);
            marks.push(match series.style {
                Style::Dots => Mark::Dots { middles: vec![[from[0] + pad + 0.5 * sample, y]], radius: DOT, color },
                style => Mark::Lines {
                    strokes: vec![ends.to_vec()],
                    pen: Pen { color, width: LINE, opacity: 1.0 },
                    dash: (style == Style::Dashed).then_some(DASH),
                },
            });
            marks.push(Mark::Text {
                text: series.name.clone(),
                at: [from[0] + 2.0 * pad + sample, y + 0.35 * TICK],
                size: TICK,
                anchor: Anchor::Start,
                run: Run::Right,
                color: INK,
            });
        }
    }
}

fn color_of(series: &Series, number: usize) -> Color {
    series.color.unwrap_or(Color::of_body(number))
}

fn series_mark(series: &Series, color: Color, runs: &[Vec<[f64; 2]>], frame: &Frame) -> Mark {
    let placed = |run: &Vec<[f64; 2]>| run.iter().map(|&place| frame.at(place)).collect::<Vec<_>>();
    if series.style == Style::Dots {
        return Mark::Dots { middles: runs.iter().flat_map(placed).collect(), radius: DOT, color };
    }
    let dash = (series.style == Style::Dashed).then_some(DASH);
    Mark::Lines { strokes: runs.iter().map(placed).collect(), pen: Pen { color, width: LINE, opacity: 1.0 }, dash }
}

/// Places of the points within the frame, as lines that are cut where they leave it.
fn visible_runs(series: &Series, x: &Ruler, y: &Ruler) -> Vec<Vec<[f64; 2]>> {
    let places: Vec<Option<[f64; 2]>> =
        series.points.iter().map(|point| Some([x.place(point[0])?, y.place(point[1])?])).collect();
    let within = |place: &[f64; 2]| place.iter().all(|t| (0.0..=1.0).contains(t));
    if series.style == Style::Dots {
        return places.into_iter().flatten().filter(within).map(|place| vec![place]).collect();
    }
    let mut runs: Vec<Vec<[f64; 2]>> = Vec::new();
    // A lone point would be no line; show it as one without length.
    if let [Some(only)] = places[..] {
        return if within(&only) { vec![vec![only]] } else { runs };
    }
    for ends in places.windows(2) {
        let [Some(from), Some(to)] = [ends[0], ends[1]] else { continue };
        let Some([start, end]) = clipped(from, to) else { continue };
        match runs.last_mut() {
            Some(run) if run.last() == Some(&start) => run.push(end),
            _ => runs.push(vec![start, end]),
        }
    }
    runs
}

/// Points along a line, the ends of its pieces and some between.
fn dense(run: &[[f64; 2]]) -> Vec<[f64; 2]> {
    const BETWEEN: usize = 32;
    let mut points: Vec<[f64; 2]> = run.first().copied().into_iter().collect();
    for ends in run.windows(2) {
        points.extend((1..=BETWEEN).map(|k| {
            let t = k as f64 / BETWEEN as f64;
            [0, 1].map(|axis| ends[0][axis] + t * (ends[1][axis] - ends[0][axis]))
        }));
    }
    points
}

/// The part of a segment within the unit square [Liang & Barsky 1984].
fn clipped(from: [f64; 2], to: [f64; 2]) -> Option<[[f64; 2]; 2]> {
    let (mut first, mut last) = (0f64, 1f64);
    for k in 0..2 {
        let step = to[k] - from[k];
        if step == 0.0 {
            if !(0.0..=1.0).contains(&from[k]) {
                return None;
            }
            continue;
        }
        let crossings = [-from[k] / step, (1.0 - from[k]) / step];
        first = first.max(crossings[0].min(crossings[1]));
        last = last.min(crossings[0].max(crossings[1]));
    }
    let at = |t: f64| [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])];
    let start = if first == 0.0 { from } else { at(first) };
    let end = if last == 1.0 { to } else { at(last) };
    (first <= last).then_some([start, end])
}

/// Thin straight lines are crisp through the middles of pixels.
fn snapped(stroke: &[[f64; 2]]) -> Vec<[f64; 2]> {
    stroke.iter().map(|point| point.map(|x| x.floor() + 0.5)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_the_frame() {
        assert_eq!(clipped([0.5, 0.5], [0.5, 2.5]), Some([[0.5, 0.5], [0.5, 1.0]]));
        assert_eq!(clipped([-1.0, 0.5], [3.0, 0.5]), Some([[0.0, 0.5], [1.0, 0.5]]));
        assert_eq!(clipped([2.0, 0.0], [3.0, 1.0]), None);
    }
}
