//! What filling promises, on solids with closed forms and on none.

use super::*;
use crate::mesh::sdf::{Ball, Block};
use crate::mesh::{Bounds, assert_close};

/// Values without any order: every stencil and every warp occurs.
struct Noise {
    seed: u64,
}

impl SignedDistance for Noise {
    fn distance(&self, p: Vec3) -> f64 {
        if p.abs().max_element() >= 1.0 {
            return 1.0;
        }
        let mut hash = self.seed;
        for x in p.to_array() {
            hash = (hash ^ (x + 0.0).to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
        (hash >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    fn bounds(&self) -> Bounds {
        Bounds { min: -Vec3::ONE, max: Vec3::ONE }
    }

    fn clearance(&self, _: Vec3) -> f64 {
        0.0
    }
}

fn fill(solid: &impl SignedDistance, cells: usize) -> Result<Tetrahedralised, TetrahedraliseError> {
    Tetrahedralise { resolution: Resolution::Cells(cells), ..Tetrahedralise::default() }.fill(solid)
}

#[test]
fn angles_are_bounded_and_the_boundary_closed_whatever_the_values() -> Result<(), TetrahedraliseError> {
    let mut bounds = (180.0f64, 0.0f64);
    for seed in 0..6 {
        let Tetrahedralised { mesh, quality, .. } = fill(&Noise { seed }, 20)?;
        bounds = (bounds.0.min(quality.min_dihedral), bounds.1.max(quality.max_dihedral));
        assert!(mesh.tet_volumes().iter().all(|&volume| volume > 0.0));
        mesh.check_referenced()?;
        mesh.surface()?.mesh.check_closed()?;
    }
    assert!(bounds.0 > 10.7 && bounds.1 < 164.8, "{bounds:?}");
    Ok(())
}

#[test]
fn a_block_of_whole_cells_is_filled_exactly() -> Result<(), TetrahedraliseError> {
    let block = Block { centre: Vec3::new(0.3, 0.2, 0.1), size: Vec3::new(1.0, 0.5, 0.75) };
    let solid = fill(&block, 8)?;
    let skin = solid.mesh.surface()?.mesh;
    assert!(skin.positions.iter().all(|&p| block.distance(p).abs() < 1e-6));
    // Cut points are found to 1e-6 cells.
    assert_close(solid.quality.volume, 0.375, 1e-7);
    assert_eq!((solid.quality.pieces, solid.quality.pinched_vertices), (1, 0));
    Ok(())
}

#[test]
fn the_largest_piece_can_be_kept_alone() -> Result<(), TetrahedraliseError> {
    let ball = |x: f64, radius: f64| Ball { centre: Vec3::X * x, radius };
    let solid = crate::mesh::sdf::Solid::new(ball(-2.0, 0.5)).union(ball(0.0, 1.0)).union(ball(2.5, 0.7));
    let all = fill(&solid, 50)?;
    assert_eq!(all.quality.pieces, 3);
    let options = Tetrahedralise { resolution: Resolution::Cells(50), keep: Keep::LargestPiece };
    let largest = options.fill(&solid)?;
    assert_eq!((largest.quality.pieces, largest.quality.dropped_pieces), (1, 2));
    assert_close(largest.quality.volume + largest.quality.dropped_volume, all.quality.volume, 1e-12);
    largest.mesh.check_referenced()?;
    Ok(())
}

#[test]
fn senseless_requests_are_refused_before_anything_is_allocated() {
    let ball = Ball { centre: Vec3::ZERO, radius: 1.0 };
    let with = |resolution| Tetrahedralise { resolution, ..Tetrahedralise::default() }.fill(&ball);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            with(Resolution::Cell(bad)),
            Err(TetrahedraliseError::Mesh(MeshError::BadParameter { name: "resolution", .. }))
        ));
    }
    assert!(matches!(with(Resolution::Cells(0)), Err(TetrahedraliseError::Mesh(MeshError::BadParameter { .. }))));
    for resolution in [Resolution::Cell(1e-9), Resolution::Cell(1e-300), Resolution::Cells(usize::MAX)] {
        let found = with(resolution);
        assert!(matches!(found, Err(TetrahedraliseError::Mesh(MeshError::TooLarge { .. }))), "{found:?}");
    }
    let point = Ball { centre: Vec3::ONE, radius: 0.0 };
    assert!(matches!(fill(&point, 4), Err(TetrahedraliseError::Mesh(MeshError::BadParameter { .. }))));
    let none = Ball { centre: Vec3::ZERO, radius: f64::NAN };
    assert!(matches!(fill(&none, 4), Err(TetrahedraliseError::NotANumber { .. })));
}

#[test]
fn false_bounds_missing_values_and_empty_solids_are_named() {
    struct Lying(f64);
    impl SignedDistance for Lying {
        fn distance(&self, p: Vec3) -> f64 {
            if p.x > 0.5 { self.0 } else { p.length() - 1.0 }
        }
        fn bounds(&self) -> Bounds {
            Bounds { min: -Vec3::ONE, max: Vec3::ONE }
        }
        fn clearance(&self, _: Vec3) -> f64 {
            0.0
        }
    }
    assert!(matches!(fill(&Lying(-1.0), 6), Err(TetrahedraliseError::BeyondBounds { distance: -1.0, .. })));
    assert!(matches!(fill(&Lying(f64::NAN), 6), Err(TetrahedraliseError::NotANumber { .. })));
    let plate = Block { centre: Vec3::ONE * 0.01, size: Vec3::new(1.0, 1.0, 0.0) };
    assert!(matches!(fill(&plate, 10), Err(TetrahedraliseError::NothingInside { cell: 0.1, .. })));
}

#[test]
fn a_feature_thinner_than_the_lattice_is_reported_missing() -> Result<(), TetrahedraliseError> {
    let handle = crate::mesh::sdf::Capsule { ends: [Vec3::ZERO, Vec3::new(3.03, 0.02, 0.03)], radius: 0.01 };
    let solid = crate::mesh::sdf::Solid::new(Ball { centre: Vec3::ZERO, radius: 1.0 }).union(handle);
    let coarse = fill(&solid, 20)?;
    assert!(coarse.fit.missed > 0.01 && coarse.fit.farthest > 1.0, "{:?}", coarse.fit);
    let ball = fill(&Ball { centre: Vec3::ZERO, radius: 1.0 }, 20)?;
    assert!(ball.fit.missed == 0.0 && ball.fit.farthest < 0.1 * ball.fit.cell, "{:?}", ball.fit);
    Ok(())
}
