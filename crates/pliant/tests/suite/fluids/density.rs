//! Iterations that go on until fluids have their density.

use pliant::math::Vec3;
use pliant::solve::{DensityTolerance, PositionBasedParams};
use pliant::{ModelError, Simulation, SimulationBuilder};

use super::{filling, vessel, water};

/// A column of water 20 particles deep, with 5 iterations or more.
fn column(density_tolerance: Option<DensityTolerance>) -> SimulationBuilder {
    let size = Vec3::new(0.24, 0.8, 0.24);
    let solver = PositionBasedParams { iterations: 5, density_tolerance, ..PositionBasedParams::default() };
    let builder = Simulation::builder().solver(solver).time_step(1.0 / 150.0).body(filling(size, &water(0.04)));
    vessel(size).into_iter().fold(builder, SimulationBuilder::collider)
}

/// Over 60 steps the largest mean excess of the density, and the fewest and most iterations.
fn followed(tolerance: Option<DensityTolerance>) -> (f64, [usize; 2]) {
    let mut sim = column(tolerance).build().expect("a world");
    let mut found = (0.0_f64, [usize::MAX, 0]);
    for _ in 0..60 {
        let report = sim.step().expect("a step").solve;
        found.0 = found.0.max(report.fluid.expect("a fluid").mean_excess);
        found.1 = [found.1[0].min(report.iterations), found.1[1].max(report.iterations)];
    }
    found
}

#[test]
fn iterations_go_on_until_the_mean_excess_is_within_the_tolerance() {
    let (excess, iterations) = followed(None);
    assert!(excess > 2e-3 && iterations == [5, 5], "{excess} after {iterations:?} iterations");
    let excess_wanted = 1e-3;
    let (excess, [fewest, most]) =
        followed(Some(DensityTolerance { excess: excess_wanted, ..DensityTolerance::default() }));
    assert!(excess <= excess_wanted, "{excess}");
    assert!(fewest >= 5 && most > 5 && most < 200, "{fewest} to {most} iterations");
    // A cap is a cap.
    let (excess, [_, most]) = followed(Some(DensityTolerance { excess: 1e-6, iterations: 12 }));
    assert!(most == 12 && excess > 1e-6, "{excess} after at most {most} iterations");
}

#[test]
fn a_tolerance_that_means_nothing_is_refused() {
    for excess in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
        let refused = column(Some(DensityTolerance { excess, iterations: 20 })).build().map(|_| ());
        assert!(matches!(refused, Err(ModelError::BadParameter { name: "density tolerance", .. })), "{refused:?}");
    }
    let few = column(Some(DensityTolerance { excess: 1e-3, iterations: 4 })).build().map(|_| ());
    assert!(matches!(few, Err(ModelError::BadParameter { value: 4.0, .. })), "{few:?}");
    // A world without fluid.
    let sheet = pliant::mesh::generate::Sheet::default().mesh().expect("a sheet");
    let cloth = pliant::Body::cloth(&sheet, &pliant::ClothMaterial::default()).expect("cloth");
    let solver =
        PositionBasedParams { density_tolerance: Some(DensityTolerance::default()), ..PositionBasedParams::default() };
    let dry = Simulation::builder().solver(solver).body(cloth).build().map(|_| ());
    assert!(matches!(dry, Err(ModelError::BadParameter { name: "density tolerance", .. })), "{dry:?}");
}
