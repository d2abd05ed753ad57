//! The share of hair in a position-based solve.
//!
//! The first iteration combs hair from where it was predicted to be; in the others only what else has moved its leaders, or pushed it, makes
//! lengths wrong again. Around colliders lengths are made exact on the planes that these leave.

use super::{Comb, Hair};
use crate::contact::Contacts;
use crate::math::Vec3;
use crate::matter::{Channels, Iteration, Motion, MotionSetting, StageView};

/// All hair of a world, body by body.
#[derive(Debug)]
pub(super) struct HairMotion {
    combs: Vec<Comb>,
    masses: Vec<f64>,
}

impl HairMotion {
    pub(super) fn new(setting: &MotionSetting<'_>) -> Self {
        let model = setting.model;
        let combs = model.matter_of::<Hair>().filter_map(|portion| portion.matter.comb(model, portion.body)).collect();
        Self { combs, masses: model.mass().lumped().to_vec() }
    }
}

impl Motion for HairMotion {
    fn begin(&mut self, stage: &StageView<'_>, _contacts: &Contacts<'_>, _channels: &[Channels], x: &mut [Vec3]) {
        self.combs.iter_mut().for_each(|comb| comb.begin(stage.model, x));
    }

    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        for comb in &mut self.combs {
            if at.number == 0 {
                comb.pass(x);
            } else {
                comb.pass_lengths(x);
            }
        }
    }

    fn meet(&mut self, _stage: &StageView<'_>, contacts: &Contacts<'_>, x: &mut [Vec3]) {
        for comb in &mut self.combs {
            let planes = comb.planes(contacts);
            if !planes.is_empty() {
                comb.pass_outside(&planes, x);
            }
        }
    }

    fn correct_velocities(&mut self, _inverse_masses: &[f64], x: &[Vec3], v: &mut [Vec3], h: f64) {
        self.combs.iter_mut().for_each(|comb| comb.correct_velocities(&self.masses, x, v, h));
    }
}
