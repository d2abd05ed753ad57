//! Fine detail from coarse motion: a coarse cloth is simulated, a fine one is shown, with wrinkles that were learnt from examples
//! [Bender 2014, §5].
//!
//! | file | answers |
//! |---|---|
//! | [`Refinement`] | which fine vertices follow which coarse ones: by subdivision, or any fine mesh laid onto the coarse one |
//! | [`TrainingSet`] | coarse and fine shapes in step with each other |
//! | [`Method`] | how detail follows from the coarse shape, and parameters |
//! | [`Upsampler`] | the model that was learnt; frames, bytes |
//! | [`Parts`] | what evaluating a model elsewhere takes, as on a GPU |
//! | [`compare`] | errors beside a reference |
//! | [`leave_one_out`] | which method shows motions best that it was not fitted to |

mod error;
mod fingerprint;
mod frames;
mod gauge;
mod layout;
mod method;
mod metrics;
mod modes;
mod oscillator;
mod parts;
mod pdm;
mod piu;
mod principal;
mod push;
mod refinement;
mod rows;
mod store;
mod subdivision;
mod surface;
mod training;
mod trials;
mod upsampler;
mod wpsd;

pub use error::UpsampleError;
pub use method::{Directions, Method, ModesParams, PdmParams, PiuParams, WpsdParams};
pub use metrics::{UpsampleReport, compare};
pub use parts::{DetailParts, Parts};
pub use push::push_outside;
pub use refinement::Refinement;
pub use training::{TrainingFrame, TrainingSequence, TrainingSet};
pub use trials::{Trial, leave_one_out};
pub use upsampler::{FitProgress, FitReport, Provenance, Upsampler, UpsamplerState};
