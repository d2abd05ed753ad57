use crate::math::{Mat3, Quat, Vec3};
use crate::matter::matching::{Lattice, MatchedSkin, Octree, RegionError};
use crate::mesh::TriangleMesh;
use crate::mesh::generate::Icosphere;
use crate::mesh::sdf::{Ball, Block};

fn ball() -> (Ball, TriangleMesh) {
    let mesh = Icosphere { radius: 0.5, subdivisions: 3 }.mesh().expect("a ball");
    (Ball { centre: Vec3::ZERO, radius: 0.5 }, mesh)
}

fn moved(points: &[Vec3], map: impl Fn(Vec3) -> Vec3) -> Vec<Vec3> {
    points.iter().map(|&p| map(p)).collect()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max(a.distance(*b)))
}

#[test]
fn an_affine_map_of_a_lattice_or_an_octree_moves_its_surface_by_the_same_map() {
    let (solid, mesh) = ball();
    let lattice = Lattice::fill_centred(&solid, 0.13).expect("a ball");
    let octree = Octree::fill(&solid, 0.25, 2, |cell, distance| distance.abs() < cell.size).expect("a ball");
    let linear = Mat3::from_cols_array(&[1.2, 0.3, -0.1, 0.4, 0.9, 0.2, -0.3, 0.1, 1.5]);
    let map = |p: Vec3| linear * p + Vec3::new(30.0, -2.0, 1.0);
    for (points, skin) in [
        (lattice.points(), lattice.skin(&mesh.positions).expect("a skin")),
        (octree.points(), octree.skin(&mesh.positions).expect("a skin")),
    ] {
        let (x, expected) = (moved(&points.positions, map), moved(&mesh.positions, map));
        assert!(farthest(&skin.apply(&x), &expected) < 1e-11);
        assert!(farthest(&skin.apply(&points.positions), &mesh.positions) < 1e-13);
        // As the positions change, so do velocities: the map is linear in time here.
        let velocities = moved(&points.positions, |p| linear * p);
        assert!(farthest(&skin.velocities(&x, &velocities), &moved(&mesh.positions, |p| linear * p)) < 1e-11);
        let heights: Vec<f64> = points.positions.iter().map(|p| p.y).collect();
        let errors = skin.mix(&heights).iter().zip(&mesh.positions).fold(0.0_f64, |m, (h, p)| m.max((h - p.y).abs()));
        assert!(errors < 1e-13, "{errors}");
    }
}

#[test]
fn the_surface_of_a_sheet_one_particle_thick_turns_with_it() {
    for counts in [[6, 1, 6], [6, 1, 1], [1, 1, 1]] {
        let lattice = Lattice::block(counts, 0.1).expect("a block");
        let rest = lattice.points().positions;
        let surface: Vec<Vec3> = rest.iter().flat_map(|p| [-0.05, 0.05].map(|by| *p + by * Vec3::Y)).collect();
        let skin = lattice.skin(&surface).expect("a skin");
        assert!(farthest(&skin.apply(&rest), &surface) < 1e-15);
        // About an axis that particles on a line show; one particle alone shows none.
        let turn = if counts == [1, 1, 1] { Quat::IDENTITY } else { Quat::from_rotation_z(2.0) };
        let map = |p: Vec3| turn * p + 0.3 * Vec3::X;
        assert!(farthest(&skin.apply(&moved(&rest, map)), &moved(&surface, map)) < 1e-12, "{counts:?}");
        let spin = if counts == [1, 1, 1] { Vec3::ZERO } else { 3.0 * Vec3::Z };
        let turning = |p: Vec3| spin.cross(turn * p) + Vec3::Y;
        let found = skin.velocities(&moved(&rest, map), &moved(&rest, turning));
        assert!(farthest(&found, &moved(&surface, turning)) < 1e-12, "{counts:?}");
    }
}

#[test]
fn what_faces_each_other_across_a_gap_does_not_stick_together() {
    // Two posts on a plate, one cell apart.
    let cells = (0..7).flat_map(|y| (0..5).map(move |x| [x, y, 0])).filter(|c| c[1] == 0 || c[0] != 2).collect();
    let lattice = Lattice::new(cells, 0.1, Vec3::ZERO).expect("posts");
    let faces = [Vec3::new(0.2, 0.6, 0.05), Vec3::new(0.3, 0.6, 0.05)];
    let skin = lattice.skin(&faces).expect("a skin");
    let pulled = moved(&lattice.points().positions, |p| if p.x > 0.25 && p.y > 0.1 { p + Vec3::X } else { p });
    let found = skin.apply(&pulled);
    assert!(found[0].distance(faces[0]) < 1e-12 && found[1].distance(faces[1] + Vec3::X) < 1e-12, "{found:?}");
}

#[test]
fn pieces_that_do_not_hang_together_are_told_apart_by_size() {
    let cells = vec![[0, 0, 0], [5, 0, 0], [6, 0, 0], [6, 1, 0], [9, 9, 9]];
    let lattice = Lattice::new(cells, 0.1, Vec3::ZERO).expect("cells").largest_piece();
    assert_eq!(lattice.cells(), [[5, 0, 0], [6, 0, 0], [6, 1, 0]]);
    assert_eq!(lattice.edges(), [[0, 1], [1, 2]]);
    let solid = Block { centre: Vec3::ZERO, size: Vec3::new(0.7, 0.1, 0.1) };
    /// A bar without what is 0.1 m from x = 0.15 m.
    struct Parted(Block);
    impl crate::mesh::sdf::SignedDistance for Parted {
        fn distance(&self, p: Vec3) -> f64 {
            self.0.distance(p).max(0.1 - (p.x - 0.15).abs())
        }
        fn bounds(&self) -> crate::mesh::Bounds {
            self.0.bounds()
        }
    }
    let octree = Octree::fill(&Parted(solid), 0.1, 1, |_, _| false).expect("two blocks");
    let kept = octree.largest_piece();
    assert_eq!((octree.cells().len(), kept.cells().len()), (5, 4));
    assert!(kept.cells().iter().all(|cell| cell.centre.x < 0.05));
    assert_eq!(kept.edges(), [[0, 1], [1, 2], [2, 3]]);
    let again = Octree::new(kept.cells().to_vec(), &kept.edges()).expect("the same");
    assert_eq!((again.edges(), again.regions(0.2)), (kept.edges(), kept.regions(0.2)));
    assert!(Octree::new(kept.cells().to_vec(), &[[0, 4]]).is_err());
}

#[test]
fn the_outermost_particles_of_a_lattice_enclose_what_is_between_them() {
    let lattice = Lattice::block([5, 4, 3], 0.1).expect("a block");
    let block = TriangleMesh { positions: lattice.points().positions, triangles: lattice.surface() };
    // Seen from outside, and without what is in the middle, which no triangle names.
    assert!((block.volume().expect("closed") - 0.4 * 0.3 * 0.2).abs() < 1e-15);
    assert_eq!(block.triangles.len(), 2 * 2 * (4 * 3 + 3 * 2 + 2 * 4));
    let (solid, _) = ball();
    let round = Lattice::fill_centred(&solid, 0.07).expect("a ball");
    let round = TriangleMesh { positions: round.points().positions, triangles: round.surface() };
    let volume = round.volume().expect("closed");
    assert!(volume > 0.3 && volume < 0.52, "less than that of the ball, half a cell below its surface: {volume}");
    assert!(Lattice::block([5, 1, 3], 0.1).expect("a sheet").surface().is_empty());
}

#[test]
fn skins_of_nothing_and_points_that_are_none_are_refused() {
    let lattice = Lattice::block([2, 2, 2], 0.1).expect("a block");
    let bad = lattice.skin(&[Vec3::ZERO, Vec3::new(0.0, f64::NAN, 0.0)]);
    assert!(matches!(bad, Err(RegionError::BadPoint { point: 1, .. })));
    assert_eq!(MatchedSkin::new(&[], &[], &[], &[]), Err(RegionError::NoRegions));
    let two = [Vec3::ZERO, Vec3::X];
    let refused =
        |sizes: &[f64], links: &[[u32; 2]], rest: &[Vec3]| MatchedSkin::new(rest, sizes, links, &two).is_err();
    assert!(refused(&[1.0], &[], &two) && refused(&[1.0, 0.0], &[], &two) && refused(&[1.0; 2], &[[0, 2]], &two));
    assert!(refused(&[1.0; 2], &[[0, 1]], &[Vec3::ZERO; 2]) && !refused(&[1.0; 2], &[[0, 1]], &two));
}

#[test]
fn a_centred_filling_refuses_spacings_that_are_none() {
    let (solid, _) = ball();
    for spacing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = Lattice::fill_centred(&solid, spacing);
        assert!(matches!(refused, Err(RegionError::BadNumber { name: "spacing", .. })), "{spacing}: {refused:?}");
    }
    let cube = Block { centre: Vec3::splat(0.3), size: Vec3::splat(0.3) };
    // One particle is no shape to match.
    let larger = Block { centre: Vec3::splat(0.5), size: Vec3::splat(0.5) };
    for spacing in [0.5, 0.51, 5.0, 1e12] {
        let expected =
            format!("spacing is {spacing} m, which makes one particle of a body that is 0.5 m long; make it smaller");
        assert_eq!(Lattice::fill_centred(&larger, spacing).map_err(|error| error.to_string()), Err(expected));
        let octree = Octree::fill(&larger, spacing, 0, |_, _| false);
        assert!(matches!(octree, Err(RegionError::TooCoarse { name: "cell size", .. })), "{spacing}: {octree:?}");
    }
    assert_eq!(Lattice::fill_centred(&cube, 0.1).expect("a cube").cells().len(), 27);
}
