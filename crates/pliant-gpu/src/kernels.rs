//! Kernels of one world: they begin with the same text, and each is compiled once.

use std::cell::RefCell;
use std::collections::HashMap;

use pliant::math::Vec3;

use crate::device::{Access, Bound, Device, Dispatch, Kernel};
use crate::error::GpuError;

/// A buffer, and what a kernel does with it.
#[derive(Clone, Copy)]
pub(crate) enum Use<'a> {
    /// It reads it.
    R(&'a dyn Bound),
    /// It reads and writes it.
    W(&'a dyn Bound),
}

/// Makes dispatches of kernels that begin with the same text.
pub(crate) struct Kernels<'a> {
    device: &'a Device,
    head: String,
    /// Those that are compiled, by their entry points.
    compiled: RefCell<HashMap<String, Kernel>>,
}

impl<'a> Kernels<'a> {
    pub(crate) fn new(device: &'a Device, head: String) -> Self {
        Self { device, head, compiled: RefCell::default() }
    }

    /// A kernel with its buffers, in the order of its bindings.
    pub(crate) fn dispatch(
        &self,
        (source, entry): (&str, &str),
        uses: &[Use<'_>],
        workgroups: usize,
    ) -> Result<Dispatch, GpuError> {
        let mut compiled = self.compiled.borrow_mut();
        if !compiled.contains_key(entry) {
            let access = |one: &Use<'_>| if matches!(one, Use::R(_)) { Access::Read } else { Access::Write };
            let access: Vec<Access> = uses.iter().map(access).collect();
            let kernel = self.device.kernel(&format!("{}\n{source}", self.head), entry, &access)?;
            compiled.insert(entry.to_owned(), kernel);
        }
        let bound: Vec<&dyn Bound> = uses
            .iter()
            .map(|one| match one {
                Use::R(buffer) | Use::W(buffer) => *buffer,
            })
            .collect();
        Ok(self.device.dispatch(&compiled[entry], &bound, [0; 4], workgroups))
    }
}

/// Constants of WGSL, written one after the other.
#[derive(Debug, Default)]
pub(crate) struct Constants(String);

impl Constants {
    pub(crate) fn whole(&mut self, name: &str, value: usize) {
        self.0 += &format!("const {name} = {value}u;\n");
    }

    pub(crate) fn number(&mut self, name: &str, value: f64) {
        self.0 += &format!("const {name} = {};\n", literal(value));
    }

    pub(crate) fn vector(&mut self, name: &str, value: Vec3) {
        self.0 += &format!("const {name} = {};\n", vector(value));
    }

    pub(crate) fn truth(&mut self, name: &str, value: bool) {
        self.0 += &format!("const {name} = {value};\n");
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// A number as WGSL.
pub(crate) fn literal(value: f64) -> String {
    // What f32 cannot hold is not a literal in WGSL.
    format!("{:e}f", (value as f32).clamp(-f32::MAX, f32::MAX))
}

/// A vector as WGSL.
pub(crate) fn vector(v: Vec3) -> String {
    format!("vec3<f32>({})", v.to_array().map(literal).join(", "))
}
