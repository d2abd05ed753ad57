//! Models as bytes.
//!
//! ```text
//!   magic, version, fingerprints of the coarse and the fine mesh, provenance, method and parameters, arrays, checksum
//! ```
//!
//! All little-endian. What follows from the meshes and parameters is not stored but computed again. The checksum is that of all bytes before it.

use std::sync::Arc;

use super::error::UpsampleError;
use super::fingerprint::hash;
use super::gauge::{Gauge, NUMBERS};
use super::layout::LANES;
use super::method::{Directions, Method, ModesParams, PdmParams, PiuParams, WpsdParams};
use super::modes::{Modes, SOURCES, numbers_of, oscillator_of};
use super::pdm::{Components, Pdm, direction_count};
use super::piu::{Inputs, Piu, TRIPLE};
use super::refinement::Refinement;
use super::upsampler::{Numbers, Provenance, Upsampler};
use super::wpsd::{Strains, Wpsd};

const MAGIC: &[u8; 8] = b"PLIANTUP";
const VERSION: u64 = 1;
/// Texts of the provenance are no longer than this.
const LONGEST_TEXT: usize = 1 << 20;

impl Upsampler {
    /// The model as bytes: version, provenance, fingerprints of both meshes, parameters, numbers and a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        out.count(VERSION);
        self.refinement().fingerprints().into_iter().for_each(|fingerprint| out.count(fingerprint));
        let Provenance { scene, date, notes } = self.provenance();
        [scene, date, notes].into_iter().for_each(|text| out.text(text));
        out.text(self.method().name());
        out.numbers(&parameters(self.method()));
        match &self.numbers {
            Numbers::Wpsd(wpsd) => {
                out.count(wpsd.poses as u64);
                [&wpsd.places, &wpsd.solutions, &wpsd.details].into_iter().for_each(|numbers| out.numbers(numbers));
            }
            Numbers::Pdm(pdm) => {
                let flat = |c: &Components| [&c.mean[..], c.axes.as_flattened(), c.range.as_flattened()].concat();
                out.numbers(&pdm.components.iter().flat_map(flat).collect::<Vec<f64>>());
                out.numbers(&pdm.coefficients);
            }
            Numbers::Piu(piu, modes) => {
                out.halves(&piu.coefficients);
                if let Some(modes) = modes {
                    out.count(modes.signals as u64);
                    out.numbers(&[modes.frame_seconds]);
                    out.numbers(&modes.mean);
                    out.numbers(&modes.axes);
                    out.numbers(&modes.oscillators.iter().flat_map(numbers_of).collect::<Vec<f64>>());
                    out.halves(&modes.shapes);
                }
            }
        }
        let checksum = hash(out.0.iter().copied());
        out.count(checksum);
        out.0
    }

    /// Reads a model; refuses damaged data, other versions, and models for other meshes.
    pub fn from_bytes(bytes: &[u8], refinement: &Arc<Refinement>) -> Result<Self, UpsampleError> {
        if !bytes.starts_with(MAGIC) {
            return Err(UpsampleError::NotAModel);
        }
        let mut reader = Reader { bytes, at: MAGIC.len() };
        let found = reader.count()?;
        if found != VERSION {
            return Err(UpsampleError::Version { found, expected: VERSION });
        }
        let end = bytes.len() - size_of::<u64>();
        let stored = Reader { bytes, at: end }.count()?;
        if hash(bytes[..end].iter().copied()) != stored {
            return Err(damaged("its checksum does not fit its contents"));
        }
        reader.bytes = &bytes[..end];
        let found = [reader.count()?, reader.count()?];
        let provenance = Provenance { scene: reader.text()?, date: reader.text()?, notes: reader.text()? };
        for ((which, found), expected) in ["coarse", "fine"].into_iter().zip(found).zip(refinement.fingerprints()) {
            if found != expected {
                return Err(UpsampleError::OtherMesh { which, scene: provenance.scene, found, expected });
            }
        }
        let name = reader.text()?;
        let method = method_of(&name, &reader.numbers(None)?)?;
        method.check()?;
        let numbers = reader.model(&method, refinement)?;
        if reader.at != end {
            return Err(damaged("more follows after its end"));
        }
        Ok(Self::of_parts(refinement.clone(), method, provenance, numbers))
    }
}

fn damaged(what: &str) -> UpsampleError {
    UpsampleError::Damaged { what: what.to_owned() }
}

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

fn parameters(method: &Method) -> Vec<f64> {
    match *method {
        Method::Wpsd(WpsdParams { poses, tolerance, rest_pose, convex, edges, decay }) => {
            vec![poses as f64, tolerance, flag(rest_pose), flag(convex), edges as f64, decay]
        }
        Method::Pdm(PdmParams { directions, regularisation }) => {
            vec![flag(directions == Directions::All), regularisation]
        }
        Method::Piu(PiuParams { neighbours, regularisation, modes }) => {
            let modes = modes.map(|m| vec![m.count as f64, m.signals as f64, m.regularisation]).unwrap_or_default();
            [vec![neighbours as f64, regularisation], modes].concat()
        }
    }
}

fn method_of(name: &str, numbers: &[f64]) -> Result<Method, UpsampleError> {
    match (name, numbers) {
        ("wpsd", &[poses, tolerance, rest_pose, convex, edges, decay]) => {
            let (poses, edges) = (poses as usize, edges as usize);
            let (rest_pose, convex) = (rest_pose != 0.0, convex != 0.0);
            Ok(Method::Wpsd(WpsdParams { poses, tolerance, rest_pose, convex, edges, decay }))
        }
        ("pdm", &[all, regularisation]) => {
            let directions = if all != 0.0 { Directions::All } else { Directions::Normal };
            Ok(Method::Pdm(PdmParams { directions, regularisation }))
        }
        ("piu", &[neighbours, regularisation, ref modes @ ..]) => {
            let modes = match *modes {
                [] => None,
                [count, signals, regularisation] => {
                    Some(ModesParams { count: count as usize, signals: signals as usize, regularisation })
                }
                _ => return Err(damaged("its modes have too many parameters")),
            };
            Ok(Method::Piu(PiuParams { neighbours: neighbours as usize, regularisation, modes }))
        }
        _ => Err(damaged("its method is unknown, or has other parameters")),
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn count(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len() as u64);
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    /// Numbers of half the precision.
    fn halves(&mut self, numbers: &[f32]) {
        self.count(numbers.len() as u64);
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], UpsampleError> {
        let taken = self.bytes[self.at..].get(..count);
        let taken = taken.ok_or_else(|| damaged(&format!("it is cut off at byte {}", self.bytes.len())))?;
        self.at += count;
        Ok(taken)
    }

    fn count(&mut self) -> Result<u64, UpsampleError> {
        Ok(u64::from_le_bytes(self.take(8)?.as_chunks::<8>().0[0]))
    }

    /// A number of items of a size that are all there.
    fn length(&mut self, size: usize) -> Result<usize, UpsampleError> {
        let count = self.count()?;
        let left = (self.bytes.len() - self.at) / size;
        if count > left as u64 { Err(damaged("it is cut off, or a length in it is wrong")) } else { Ok(count as usize) }
    }

    fn text(&mut self) -> Result<String, UpsampleError> {
        let length = self.length(1)?;
        if length > LONGEST_TEXT {
            return Err(damaged("a text in it is too long"));
        }
        String::from_utf8(self.take(length)?.to_vec()).map_err(|_| damaged("a text in it is not UTF-8"))
    }

    /// Finite numbers, as many as expected where that is known.
    fn numbers(&mut self, expected: Option<usize>) -> Result<Vec<f64>, UpsampleError> {
        let length = self.length(8)?;
        let numbers: Vec<f64> =
            self.take(8 * length)?.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        check(&numbers, expected, |number| number.is_finite())?;
        Ok(numbers)
    }

    fn halves(&mut self, expected: usize) -> Result<Vec<f32>, UpsampleError> {
        let length = self.length(4)?;
        let numbers: Vec<f32> =
            self.take(4 * length)?.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        check(&numbers, Some(expected), |number| number.is_finite())?;
        Ok(numbers)
    }

    /// The numbers of a method, in the sizes that the meshes ask for.
    fn model(&mut self, method: &Method, refinement: &Refinement) -> Result<Numbers, UpsampleError> {
        let layout = &refinement.surface.layout;
        let groups = layout.group_count();
        let [vertices, _] = refinement.vertex_counts();
        Ok(match method {
            Method::Wpsd(params) => {
                let strains = Strains::new(refinement.coarse_mesh(), params)?;
                let poses = self.count()? as usize;
                if !(1..=params.poses).contains(&poses) {
                    return Err(damaged(&format!("it has {poses} poses, but may have {}", params.poses)));
                }
                let places = self.numbers(Some(vertices * poses * strains.edges_of_vertex()))?;
                let solutions = self.numbers(Some(vertices * poses * (poses + 1)))?;
                let details = self.numbers(Some(groups * poses * 3 * LANES))?;
                Numbers::Wpsd(Wpsd { params: *params, strains, poses, places, solutions, details })
            }
            Method::Pdm(params) => {
                const SIZE: usize = 3 * NUMBERS + 4;
                let flat = self.numbers(Some(layout.blocks.len() * SIZE))?;
                let components = flat.as_chunks::<SIZE>().0.iter().map(components_of).collect();
                let coefficients = self.numbers(Some(groups * direction_count(params.directions) * 6 * LANES))?;
                let gauge = Gauge::new(refinement.coarse_mesh())?;
                Numbers::Pdm(Pdm { params: *params, gauge, components, coefficients })
            }
            Method::Piu(params) => {
                let inputs = Inputs::new(refinement.coarse_mesh(), &layout.blocks, params.neighbours);
                let coefficients = self.halves(groups * 3 * inputs.count * TRIPLE)?;
                let piu = Piu { inputs, coefficients };
                let modes = params.modes.map(|_| self.modes(refinement)).transpose()?;
                Numbers::Piu(piu, modes)
            }
        })
    }

    fn modes(&mut self, refinement: &Refinement) -> Result<Modes, UpsampleError> {
        let sources = SOURCES * refinement.vertex_counts()[0];
        let signals = self.count()? as usize;
        let frame_seconds = self.numbers(Some(1))?[0];
        let mean = self.numbers(Some(sources))?;
        let axes = self.numbers(signals.checked_mul(sources))?;
        let flat = self.numbers(None)?;
        let size = 4 + signals + 1;
        if !flat.len().is_multiple_of(size) || frame_seconds <= 0.0 || signals.checked_mul(sources).is_none() {
            return Err(damaged("its modes are incomplete"));
        }
        let oscillators: Vec<_> = flat.chunks(size).map(oscillator_of).collect();
        if oscillators.iter().any(|oscillator| !oscillator.is_stable()) {
            return Err(damaged("a mode of it would grow without bound"));
        }
        let shapes = self.halves(refinement.surface.layout.group_count() * oscillators.len() * TRIPLE)?;
        let gauge = Gauge::new(refinement.coarse_mesh())?;
        Ok(Modes { frame_seconds, gauge, mean, axes, signals, oscillators, shapes })
    }
}

fn components_of(numbers: &[f64; 3 * NUMBERS + 4]) -> Components {
    let (mut mean, mut axes, mut range) = ([0.0; NUMBERS], [[0.0; NUMBERS]; 2], [[0.0; 2]; 2]);
    mean.copy_from_slice(&numbers[..NUMBERS]);
    axes.as_flattened_mut().copy_from_slice(&numbers[NUMBERS..3 * NUMBERS]);
    range.as_flattened_mut().copy_from_slice(&numbers[3 * NUMBERS..]);
    Components { mean, axes, range }
}

fn check<T: Copy + Into<f64>>(
    numbers: &[T],
    expected: Option<usize>,
    is_good: impl Fn(T) -> bool,
) -> Result<(), UpsampleError> {
    if let Some(expected) = expected.filter(|&expected| expected != numbers.len()) {
        return Err(damaged(&format!("a list in it has {} numbers instead of {expected}", numbers.len())));
    }
    match numbers.iter().position(|&number| !is_good(number)) {
        Some(index) => Err(damaged(&format!("number {index} of a list in it is {}", numbers[index].into()))),
        None => Ok(()),
    }
}
