//! Fast sums against sums over lists.

use super::super::goals::Shape;
use super::super::sums::Sums;
use super::super::*;
use crate::math::{Quat, Vec3};
use crate::mesh::generate::{Icosphere, Sheet, TetBox};
use crate::mesh::sdf::{Ball, Block, Solid};

/// An L of two thick arms with a hole, cracked.
fn cracked_l() -> Lattice {
    let inside = |&[i, j, k]: &[i32; 3]| (i < 4 || j < 4) && [i, j, k] != [2, 2, 1];
    let cells = (0..12).flat_map(|i| (0..10).flat_map(move |j| (0..5).map(move |k| [i, j, k])));
    let lattice = Lattice::new(cells.filter(inside).collect(), 0.1, Vec3::ONE).expect("a lattice");
    let at = |cell: [i32; 3]| lattice.cells().iter().position(|c| *c == cell).expect("a cell") as u32;
    let cut: Vec<Link> = (0..4).flat_map(|j| (0..3).map(move |k| [6, j, k])).map(|cell| (at(cell), 0)).collect();
    lattice.without_links(&cut)
}

/// A ball that is fine at its surface, and thin posts beside each other on a plate.
fn octrees() -> [Octree; 2] {
    let ball = Ball { centre: Vec3::ONE, radius: 0.5 };
    let fine = Octree::fill(&ball, 0.25, 2, |cell, distance| distance.abs() < cell.size).expect("a ball");
    let post = |x: f64| Block { centre: Vec3::new(x + 0.05, 0.3, 0.05), size: Vec3::new(0.1, 0.6, 0.1) };
    let plate = Block { centre: Vec3::new(0.15, -0.1, 0.05), size: Vec3::new(0.3, 0.2, 0.1) };
    let posts = Solid::new(post(0.0)).union(post(0.2)).union(plate);
    [fine, Octree::fill(&posts, 0.2, 2, |_, distance| distance > -0.05).expect("posts")]
}

/// Sums over regions and back are those over their lists, to 1e-12 of the largest.
fn assert_sums_of_lists(regions: &Regions, what: &str) {
    let n = regions.len();
    let (fast, naive) = (Sums::new(regions, n), Sums::new(&Regions::new(regions.lists().into_owned()), n));
    let values: Vec<[f64; 2]> = (0..n).map(|v| [(v as f64 * 0.7).sin(), 1.0]).collect();
    for (fast, naive) in
        [(fast.gathered(&values), naive.gathered(&values)), (fast.scattered(&values), naive.scattered(&values))]
    {
        let largest = naive.iter().flatten().fold(0.0_f64, |most, sum| most.max(sum.abs()));
        for (v, (fast, naive)) in fast.iter().zip(&naive).enumerate() {
            let off = (0..2).fold(0.0_f64, |most, k| most.max((fast[k] - naive[k]).abs()));
            assert!(off < 1e-12 * largest, "{what}, {v}: {fast:?} for {naive:?}");
        }
    }
}

/// Goals and damping are those by lists, to \[m\].
fn assert_goals_of_lists(regions: &Regions, rest: &[Vec3], offset: Vec3, tolerance: f64, what: &str) {
    let masses: Vec<f64> = (0..rest.len()).map(|v| 0.1 + 0.01 * (v % 7) as f64).collect();
    let x: Vec<Vec3> = rest.iter().map(|r| Quat::from_rotation_z(r.x) * *r + offset).collect();
    let pulled = |regions: Regions| {
        let matching = Matching { limit: None, spring: Spring::Share(1.0), damping: 2.0, ..Matching::new(regions) };
        let (mut shape, mut moved) = (Shape::new(&matching, 0, rest, &masses, &Vec::new), x.clone());
        moved.iter_mut().zip(rest).for_each(|(x, r)| *x += Vec3::Y * 0.01 * r.x * r.y);
        shape.pull(&x, &vec![1.0; rest.len()], 0.01, &mut moved);
        moved
    };
    let (fast, naive) = (pulled(regions.clone()), pulled(Regions::new(regions.lists().into_owned())));
    for (fast, naive) in fast.iter().zip(&naive) {
        assert!(fast.distance(*naive) < tolerance, "{what}: {fast} for {naive}");
    }
}

#[test]
fn sums_by_rows_of_a_lattice_are_those_over_lists() {
    let lattice = cracked_l();
    let largest = lattice.lists(1).rows().map(<[u32]>::len).max();
    assert_eq!(largest, Some(27), "a cube inside");
    for width in [1, 2, 3, 4, 20] {
        assert_sums_of_lists(&lattice.regions(width), &format!("width {width}"));
    }
}

#[test]
fn a_lattice_has_the_goals_of_its_lists_and_ends_at_cracks() {
    let lattice = cracked_l();
    let rest = lattice.points().positions;
    for width in 1..=4 {
        let what = format!("width {width}");
        assert_goals_of_lists(&lattice.regions(width), &rest, Vec3::X * 1e4, 1e-10, &what);
    }
    let other = Regions::of_lattice(lattice.clone(), 2);
    assert_eq!(other.check(3), Err(RegionError::OtherLattice { found: rest.len(), expected: 3 }));
    assert!(Lattice::block([1 << 20, 1 << 20, 1 << 20], 0.1).is_err());
    assert!(Lattice::new(vec![[0, 0, 0]], -1.0, Vec3::ZERO).is_err());
    let dust = Ball { centre: Vec3::splat(0.3), radius: 1e-3 };
    assert_eq!(Lattice::fill(&dust, 0.1, 0.0), Err(RegionError::NoRegions));
}

#[test]
fn sums_along_paths_are_those_over_rings_also_ten_kilometres_away() {
    let sheet = Sheet { columns: 40, rows: 40, ..Sheet::default() }.mesh().expect("a sheet");
    let ball = Icosphere { subdivisions: 3, ..Icosphere::default() }.mesh().expect("a ball");
    let bar = TetBox::bar(1.0, 0.2, 20, 4).mesh().expect("a bar");
    let meshes = [
        ("sheet", sheet.positions.clone(), sheet.edges()),
        ("ball", ball.positions.clone(), ball.edges()),
        ("bar", bar.positions.clone(), bar.edges()),
    ];
    for (name, rest, edges) in &meshes {
        for width in 0..=4 {
            let what = format!("{name}, width {width}");
            let fast = Regions::rings_along_paths(rest, edges, width).expect("paths");
            assert_eq!(fast.lists(), Regions::rings(rest.len(), edges, width).expect("rings").lists(), "{what}");
            assert_sums_of_lists(&fast, &what);
            assert_goals_of_lists(&fast, rest, Vec3::new(1e4, -1e4, 1e4), 1e-9, &what);
        }
    }
    assert!(Regions::rings_along_paths(&[Vec3::ZERO], &[[0, 3]], 1).is_err());
    assert!(Regions::rings_along_paths(&[Vec3::NAN], &[], 1).is_err());
}

#[test]
fn a_ring_of_a_triangle_mesh_meets_few_paths() {
    let sheet = Sheet { columns: 60, rows: 60, ..Sheet::default() }.mesh().expect("a sheet");
    let ball = Icosphere { subdivisions: 4, ..Icosphere::default() }.mesh().expect("a ball");
    for mesh in [sheet, ball] {
        for width in [2, 4, 6] {
            let regions = Regions::rings_along_paths(&mesh.positions, &mesh.edges(), width).expect("paths");
            let runs = regions.runs().expect("runs").count() as f64 / regions.len() as f64;
            let members = regions.lists().items().len() as f64 / regions.len() as f64;
            println!("width {width}: {runs:.1} runs, {members:.1} particles");
            // Rows of a perfect layout: one for each step to each side.
            assert!(runs < 2.0 * (2 * width + 1) as f64, "width {width}: {runs}");
        }
    }
}

#[test]
fn sums_over_an_octree_are_those_over_lists() {
    for (octree, widths) in octrees().iter().zip([[0.1, 0.3, 0.6], [0.1, 0.3, 0.5]]) {
        let rest = octree.points().positions;
        for width in widths {
            let regions = octree.regions(width).expect("regions");
            assert_sums_of_lists(&regions, &format!("width {width}"));
            assert_goals_of_lists(&regions, &rest, Vec3::X * 1e4, 1e-9, &format!("width {width}"));
        }
        // Widths that differ: a region may hold a particle whose own does not hold it back.
        let widths: Vec<f64> = rest.iter().map(|p| 0.05 + 0.2 * p.y.abs()).collect();
        let regions = octree.regions_of_widths(&widths).expect("regions");
        assert_sums_of_lists(&regions, "widths that differ");
    }
}

#[test]
fn octree_regions_are_what_steps_between_neighbours_reach() {
    let [ball, posts] = octrees();
    let volume: f64 = ball.cells().iter().map(|cell| cell.size.powi(3)).sum();
    let exact = PI / 6.0;
    assert!((volume / exact - 1.0).abs() < 0.05, "{volume} for {exact}");
    let cells = posts.cells();
    let touch = |a: &OctreeCell, b: &OctreeCell| {
        let gap = (a.centre - b.centre).abs() - 0.5 * (a.size + b.size);
        let sides = gap.to_array();
        let touching = sides.iter().filter(|g| g.abs() < 1e-9).count();
        touching == 1 && sides.iter().filter(|g| **g < -1e-9).count() == 2
    };
    // Shortest walks by Bellman and Ford.
    let n = cells.len();
    let width = 0.33;
    for (centre, found) in posts.regions(width).expect("regions").lists().rows().enumerate() {
        let mut distances = vec![f64::INFINITY; n];
        distances[centre] = 0.0;
        loop {
            let before = distances.clone();
            for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                if touch(&cells[a], &cells[b]) {
                    distances[b] = distances[b].min(distances[a] + cells[a].centre.distance(cells[b].centre));
                }
            }
            if before == distances {
                break;
            }
        }
        let near: Vec<u32> = (0..n).filter(|&v| distances[v] <= width * (1.0 + 1e-9)).map(|v| v as u32).collect();
        assert_eq!(found, near, "{centre}");
    }
    // The tops of posts are near each other, and not in each other's regions.
    let top = |x: f64| {
        let at = |cell: &OctreeCell| cell.centre.distance(Vec3::new(x, 0.6, 0.05));
        (0..n).min_by(|&a, &b| at(&cells[a]).total_cmp(&at(&cells[b]))).expect("a cell")
    };
    let lists = posts.regions(width).expect("regions").lists().into_owned();
    assert!(!lists.row(top(0.05)).contains(&(top(0.25) as u32)));
}

#[test]
fn bad_octrees_are_refused() {
    let ball = Ball { centre: Vec3::ZERO, radius: 1.0 };
    let refused = |size: f64, levels: u32| Octree::fill(&ball, size, levels, |_, _| false).is_err();
    assert!(refused(0.0, 1) && refused(f64::NAN, 1) && refused(1e-9, 1) && refused(0.5, 40));
    let octree = Octree::fill(&ball, 0.5, 0, |_, _| false).expect("a ball");
    assert!(octree.regions(f64::NAN).is_err() && octree.regions_of_widths(&[0.1]).is_err());
    let regions = octree.regions(1.0).expect("regions");
    assert!(regions.check(octree.cells().len()).is_ok() && regions.check(1).is_err());
}
