//! A few colours for many: the box of colours is cut where its variance is greatest [Wu 1991, in spirit], then the middles are
//! moved to the means of what is nearest to them (k-means).

use crate::Image;

/// Colours are counted in cells of this many bits a channel.
const BITS: u32 = 5;
const CELLS: usize = 1 << (3 * BITS);
/// Errors in green are seen best, in blue least.
const EYE: [f64; 3] = [0.6, 1.0, 0.4];
/// Frames that are looked at: enough to know all colours of a run.
const MAX_FRAMES: usize = 24;
const MEANS_ROUNDS: usize = 4;

pub(super) struct Palette {
    pub(super) colors: Vec<[u8; 3]>,
    /// Nearest colour of each cell of 6 bits a channel; `u16::MAX` where not asked for as yet.
    nearest: Vec<u16>,
}

#[derive(Clone, Copy)]
struct Cell {
    count: f64,
    mean: [f64; 3],
}

impl Palette {
    pub(super) fn of(frames: &[Image], size: usize) -> Self {
        let mut boxes = vec![cells(frames)];
        while boxes.len() < size {
            let worst = (0..boxes.len())
                .map(|k| (k, spread(&boxes[k]).1))
                .fold((0, 0.0), |worst, found| if found.1 > worst.1 { found } else { worst });
            if worst.1 <= 0.0 {
                break;
            }
            let (low, high) = split(std::mem::take(&mut boxes[worst.0]));
            boxes[worst.0] = low;
            boxes.push(high);
        }
        let all: Vec<Cell> = boxes.iter().flatten().copied().collect();
        let mut middles: Vec<[f64; 3]> = boxes.iter().map(|cells| mean(cells)).collect();
        for _ in 0..MEANS_ROUNDS {
            let mut groups: Vec<Vec<Cell>> = vec![Vec::new(); middles.len()];
            for &cell in &all {
                groups[nearest(&middles, cell.mean)].push(cell);
            }
            for (middle, group) in middles.iter_mut().zip(&groups) {
                if !group.is_empty() {
                    *middle = mean(group);
                }
            }
        }
        let colors = middles.iter().map(|middle| middle.map(|x| x.round().clamp(0.0, 255.0) as u8)).collect();
        Self { colors, nearest: vec![u16::MAX; 1 << 18] }
    }

    /// The number of the nearest colour, within the width of a cell.
    pub(super) fn index(&mut self, color: [u8; 3]) -> u8 {
        let [r, g, b] = color.map(|x| usize::from(x >> 2));
        let cell = r << 12 | g << 6 | b;
        if self.nearest[cell] == u16::MAX {
            let middle = [r, g, b].map(|x| 4.0 * x as f64 + 1.5);
            let found = (0..self.colors.len()).fold((0, f64::INFINITY), |best, k| {
                let d = distance(self.colors[k].map(f64::from), middle);
                if d < best.1 { (k, d) } else { best }
            });
            self.nearest[cell] = found.0 as u16;
        }
        self.nearest[cell] as u8
    }
}

/// The colours that occur, in the order of their cells.
fn cells(frames: &[Image]) -> Vec<Cell> {
    let mut sums = vec![[0f64; 4]; CELLS];
    for frame in frames.iter().step_by(frames.len().div_ceil(MAX_FRAMES).max(1)) {
        for &pixel in frame.pixels() {
            let [r, g, b] = pixel.map(|x| usize::from(x) >> (8 - BITS));
            let sum = &mut sums[r << (2 * BITS) | g << BITS | b];
            sum[3] += 1.0;
            for k in 0..3 {
                sum[k] += f64::from(pixel[k]);
            }
        }
    }
    let occurs = sums.iter().filter(|sum| sum[3] > 0.0);
    occurs
        .map(|sum| Cell {
            // Large even areas would take all colours: weigh them by less than their size.
            count: sum[3].powf(0.6),
            mean: [sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]],
        })
        .collect()
}

fn mean(cells: &[Cell]) -> [f64; 3] {
    let total: f64 = cells.iter().map(|cell| cell.count).sum();
    std::array::from_fn(|k| cells.iter().map(|cell| cell.count * cell.mean[k]).sum::<f64>() / total.max(1e-300))
}

/// The channel that varies most, and how much.
fn spread(cells: &[Cell]) -> (usize, f64) {
    if cells.len() < 2 {
        return (0, 0.0);
    }
    let middle = mean(cells);
    let variance = |k: usize| EYE[k] * cells.iter().map(|c| c.count * (c.mean[k] - middle[k]).powi(2)).sum::<f64>();
    (0..3).map(|k| (k, variance(k))).fold((0, 0.0), |most, found| if found.1 > most.1 { found } else { most })
}

fn split(mut cells: Vec<Cell>) -> (Vec<Cell>, Vec<Cell>) {
    let (channel, _) = spread(&cells);
    let middle = mean(&cells)[channel];
    cells.sort_by(|a, b| a.mean[channel].total_cmp(&b.mean[channel]));
    let cut = cells.partition_point(|cell| cell.mean[channel] < middle).clamp(1, cells.len() - 1);
    let high = cells.split_off(cut);
    (cells, high)
}

fn nearest(middles: &[[f64; 3]], color: [f64; 3]) -> usize {
    let closer = |best: (usize, f64), k: usize| {
        let d = distance(middles[k], color);
        if d < best.1 { (k, d) } else { best }
    };
    (0..middles.len()).fold((0, f64::INFINITY), closer).0
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| EYE[k] * (a[k] - b[k]).powi(2)).sum()
}
