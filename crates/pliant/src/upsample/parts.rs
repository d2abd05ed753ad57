//! A model taken apart, so that it can be evaluated elsewhere, as on a GPU: numbers that stay, and those of a frame, all in f32.

use super::error::UpsampleError;
use super::layout::LANES;
use super::pdm::direction_count;
use super::piu::TRIPLE;
use super::refinement::Refinement;
use super::surface::Surface;
use super::upsampler::{Numbers, Upsampler, UpsamplerState};
use crate::math::Vec3;

/// What stays the same from frame to frame. Fine vertices lie in groups of [`Parts::LANES`], groups in blocks that follow the same coarse
/// vertices. Arrays in brackets tell the order of their numbers, that which changes fastest last.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// Of each block: its first control, how many it has, where its table begins, and its first group.
    pub blocks: Vec<[u32; 4]>,
    /// Coarse vertices that blocks follow.
    pub controls: Vec<u32>,
    /// Weights of controls: `[group of the block][control][point, first tangent, second tangent][lane]`.
    pub tables: Vec<f32>,
    /// Fine vertex and block of each lane; no lane without a vertex has a vertex below [`fine_vertices`](Self::fine_vertices).
    pub lanes: Vec<[u32; 2]>,
    /// What lies above the smooth surface at rest, in local frames \[m\]: `[group][coordinate][lane]`; empty if nothing does.
    pub rest: Vec<f32>,
    /// What a model adds.
    pub detail: DetailParts,
    /// Number of coarse vertices.
    pub coarse_vertices: usize,
    /// Number of fine vertices.
    pub fine_vertices: usize,
}

/// What a model adds to the smooth surface.
#[derive(Debug, Clone, PartialEq)]
pub enum DetailParts {
    /// Nothing; a frame has no numbers.
    Smooth,
    /// A mixture of poses, in local frames of the fine vertices. A frame has weights, `[coarse vertex][pose]`.
    Poses {
        /// Number of poses.
        poses: usize,
        /// \[m\], `[group][pose][coordinate][lane]`.
        details: Vec<f32>,
    },
    /// A polynomial of two numbers a and b that are interpolated from the controls: of a², b², a, b, a b and 1, in local frames of the fine vertices. A frame
    /// has them, `[control][a, b]`.
    Polynomial {
        /// 1: along the normal. 3: along all axes.
        directions: usize,
        /// \[m\], `[group][direction][term][lane]`.
        coefficients: Vec<f32>,
        /// Least and largest a and b of each block: beyond, they stay as they are there.
        ranges: Vec<[f32; 4]>,
    },
    /// Linear in numbers of the block, in its frame. A frame has columns of that frame and numbers, `[block][9 + numbers]`.
    Rows {
        /// Numbers of a block.
        inputs: usize,
        /// `[group][number][coordinate][lane]`.
        coefficients: Vec<f32>,
    },
}

impl Parts {
    /// Lanes of a group.
    pub const LANES: usize = LANES;

    fn new(refinement: &Refinement, detail: DetailParts) -> Self {
        let Surface { layout, rest } = &refinement.surface;
        let [coarse_vertices, fine_vertices] = refinement.vertex_counts();
        let mut lanes = vec![[u32::MAX; 2]; layout.group_count() * LANES];
        let mut blocks = Vec::with_capacity(layout.blocks.len());
        for (number, block) in (0..).zip(&layout.blocks) {
            let places = [block.controls.start, block.controls.len(), block.table, block.groups.start];
            blocks.push(places.map(|place| place as u32));
            for group in block.groups.clone() {
                layout.members(group).for_each(|(lane, v)| lanes[group * LANES + lane] = [v as u32, number]);
            }
        }
        Self {
            blocks,
            controls: layout.controls.clone(),
            tables: single(&layout.tables),
            lanes,
            rest: rest.as_deref().map(single).unwrap_or_default(),
            detail,
            coarse_vertices,
            fine_vertices,
        }
    }
}

/// Coarse positions around their mean, three numbers each; and the mean.
fn begin_frame(coarse: &[Vec3], numbers: &mut Vec<f32>) -> Vec3 {
    let mean = coarse.iter().sum::<Vec3>() / coarse.len().max(1) as f64;
    numbers.clear();
    numbers.extend(coarse.iter().flat_map(|p| (*p - mean).to_array()).map(|c| c as f32));
    mean
}

fn single(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|number| *number as f32).collect()
}

impl Refinement {
    /// The smooth surface taken apart.
    pub fn parts(&self) -> Parts {
        Parts::new(self, DetailParts::Smooth)
    }

    /// Numbers of a frame for [`parts`](Self::parts): coarse positions around a point \[m\], which is returned.
    pub fn frame_numbers(&self, coarse: &[Vec3], numbers: &mut Vec<f32>) -> Result<Vec3, UpsampleError> {
        self.check_coarse(coarse)?;
        Ok(begin_frame(coarse, numbers))
    }
}

impl Upsampler {
    /// The model taken apart.
    pub fn parts(&self) -> Parts {
        let refinement = self.refinement();
        let groups = refinement.surface.layout.group_count();
        let detail = match &self.numbers {
            Numbers::Wpsd(wpsd) => DetailParts::Poses { poses: wpsd.poses, details: single(&wpsd.details) },
            Numbers::Pdm(pdm) => DetailParts::Polynomial {
                directions: direction_count(pdm.params.directions),
                coefficients: single(&pdm.coefficients),
                ranges: pdm.components.iter().map(|c| quad(c.range)).collect(),
            },
            Numbers::Piu(piu, modes) => {
                let (rows, shapes) = (3 * piu.inputs.count, modes.as_ref().map_or(&[][..], |modes| &modes.shapes));
                let modes = shapes.len() / (groups * TRIPLE).max(1);
                let of_group = |group: usize| {
                    let own = |numbers: &[f32], each: usize| numbers[group * each * TRIPLE..][..each * TRIPLE].to_vec();
                    [own(&piu.coefficients, rows), own(shapes, modes)].concat()
                };
                DetailParts::Rows { inputs: rows + modes, coefficients: (0..groups).flat_map(of_group).collect() }
            }
        };
        Parts::new(refinement, detail)
    }

    /// Numbers of a frame for [`parts`](Self::parts): coarse positions around a point \[m\], which is returned, and those of the model. `state` and `seconds`
    /// are as for [`apply`](Self::apply), of which this is the first half.
    pub fn frame_numbers(
        &self,
        state: &mut UpsamplerState,
        coarse: &[Vec3],
        seconds: f64,
        numbers: &mut Vec<f32>,
    ) -> Result<Vec3, UpsampleError> {
        self.refinement().check_coarse(coarse)?;
        self.check_state(state, seconds)?;
        let mean = begin_frame(coarse, numbers);
        let layout = &self.refinement().surface.layout;
        match &self.numbers {
            Numbers::Wpsd(wpsd) => numbers.extend(wpsd.weights(coarse, &mut state.wpsd).iter().map(|&w| w as f32)),
            Numbers::Pdm(pdm) => pdm.measure(coarse, (&layout.blocks, &layout.controls), &mut state.pdm, |pair| {
                numbers.extend(pair.map(|u| u as f32));
            }),
            Numbers::Piu(piu, modes) => {
                if let Some(modes) = modes {
                    modes.advance(&mut state.modes, coarse, seconds);
                }
                let amplitudes = if modes.is_some() { &state.modes.now[..] } else { &[] };
                let mut inputs = vec![0.0; 3 * piu.inputs.count];
                for block in 0..layout.blocks.len() {
                    let frame = piu.inputs.measure(block, coarse, &mut inputs);
                    let all = frame.to_cols_array().into_iter().chain(inputs.iter().chain(amplitudes).copied());
                    numbers.extend(all.map(|number| number as f32));
                }
            }
        }
        Ok(mean)
    }
}

fn quad([[a, b], [c, d]]: [[f64; 2]; 2]) -> [f32; 4] {
    [a, b, c, d].map(|number| number as f32)
}
