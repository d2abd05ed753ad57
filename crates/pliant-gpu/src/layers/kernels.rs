//! Makes dispatches of kernels that begin alike.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::device::{Access, Bound, Device, Dispatch, Kernel};
use crate::error::GpuError;

/// A buffer, and what a kernel does with it.
#[derive(Clone, Copy)]
pub(super) enum Use<'a> {
    R(&'a dyn Bound),
    W(&'a dyn Bound),
}

/// The device, what all kernels begin with, and those that are compiled.
pub(super) struct Kernels<'a> {
    pub(super) device: &'a Device,
    head: String,
    compiled: RefCell<HashMap<String, Kernel>>,
}

impl<'a> Kernels<'a> {
    pub(super) fn new(device: &'a Device, head: String) -> Self {
        Self { device, head, compiled: RefCell::default() }
    }

    /// A dispatch of a kernel that is made of these files.
    pub(super) fn one(
        &self,
        (files, entry): (&[&str], &str),
        uses: &[Use<'_>],
        parameters: [u32; 4],
        workgroups: usize,
    ) -> Result<Dispatch, GpuError> {
        let mut compiled = self.compiled.borrow_mut();
        if !compiled.contains_key(entry) {
            let access: Vec<Access> =
                uses.iter().map(|one| if matches!(one, Use::R(_)) { Access::Read } else { Access::Write }).collect();
            let source = format!("{}{}", self.head, files.concat());
            compiled.insert(entry.to_owned(), self.device.kernel(&source, entry, &access)?);
        }
        let bound: Vec<&dyn Bound> = uses
            .iter()
            .map(|one| match one {
                Use::R(buffer) | Use::W(buffer) => *buffer,
            })
            .collect();
        Ok(self.device.dispatch(&compiled[entry], &bound, parameters, workgroups))
    }
}
