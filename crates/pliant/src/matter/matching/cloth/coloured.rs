//! Regions in colours: those of one share no vertex that moves, so threads take them at once and change no bit.

#![allow(unsafe_code)] // Regions of one colour move vertices of their own.

use super::region::{Region, Shares};
use crate::math::Vec3;
use crate::parallel::Colouring;
use crate::parallel::{Shared, Team};

/// Regions that a thread takes at a time.
const CHUNK: usize = 256;

/// Regions of one kind, colour by colour.
#[derive(Debug)]
pub(super) struct Coloured<R, const N: usize> {
    regions: Vec<R>,
    starts: Vec<usize>,
    /// Vertices that there are.
    vertices: usize,
}

impl<R: Region<N> + Copy, const N: usize> Coloured<R, N> {
    pub(super) fn new(regions: &[R], inverse_masses: &[f64]) -> Self {
        let stencils: Vec<[u32; N]> = regions.iter().map(Region::vertices).collect();
        let colouring = Colouring::new(regions.len(), |k| &stencils[k], |v| inverse_masses[v as usize] > 0.0);
        let regions = colouring.order.iter().map(|&k| regions[k as usize]).collect();
        Self { regions, starts: colouring.starts, vertices: inverse_masses.len() }
    }

    /// Bytes that going over them takes, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.regions.len() * (size_of::<R>() + N * size_of::<Vec3>())
    }

    /// Moves vertices region by region, each from where the last colour has left them.
    pub(super) fn run(&self, team: &Team<'_>, shares: Shares, backwards: bool, x: &mut [Vec3]) {
        assert!(x.len() >= self.vertices, "a position for each vertex");
        let x = Shared(x.as_mut_ptr());
        let visit = |ends: &[usize]| {
            let colour = &self.regions[ends[0]..ends[1]];
            team.share(colour.len().div_ceil(CHUNK), |item| {
                for region in colour.iter().skip(item * CHUNK).take(CHUNK) {
                    let vertices = region.vertices();
                    // SAFETY: vertices have inverse masses (`new` looked them up), so there are positions, as checked
                    // above; those that move are in no other region of the colour, and the others are only read.
                    let places = vertices.map(|v| unsafe { *x.get().add(v as usize) });
                    let Some(movements) = region.movements(places, shares) else { continue };
                    let can_move = region.can_move();
                    for k in (0..N).filter(|&k| can_move[k]) {
                        // SAFETY: the same vertex, which moves.
                        unsafe { *x.get().add(vertices[k] as usize) = places[k] + movements[k] };
                    }
                }
            });
        };
        if backwards {
            self.starts.windows(2).rev().for_each(visit);
        } else {
            self.starts.windows(2).for_each(visit);
        }
    }
}
