//! Regions and fits.

use super::super::fit::Fits;
use super::super::*;
use crate::math::{Mat3, Quat, Vec3};

/// A block of particles, side by side.
fn block(counts: [usize; 3], spacing: f64) -> Vec<Vec3> {
    let [nx, ny, nz] = counts;
    let cells = (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| [i, j, k])));
    cells.map(|cell| Vec3::from(cell.map(|c| c as f64)) * spacing).collect()
}

fn fits(regions: &Regions, rest: &[Vec3], modes: Modes) -> Fits {
    Fits::new(&Matching { modes, ..Matching::new(regions.clone()) }, regions, rest, &vec![0.1; rest.len()])
}

#[test]
fn random_regions_hold_every_particle_and_repeat_with_their_seed() {
    let points = block([8, 6, 5], 0.1);
    let regions = Regions::random(&points, 0.22, 7).expect("regions");
    regions.check(points.len()).expect("all particles");
    assert_eq!(regions, Regions::random(&points, 0.22, 7).expect("regions"));
    assert_ne!(regions, Regions::random(&points, 0.22, 8).expect("regions"));
    for row in regions.lists().rows() {
        let centre = row.iter().find(|&&c| {
            let near = |&v: &u32| points[v as usize].distance(points[c as usize]) <= 0.22;
            row.iter().all(near) && (0..points.len() as u32).filter(near).count() == row.len()
        });
        assert!(centre.is_some(), "a sphere around one of its particles");
    }
}

#[test]
fn balanced_regions_of_a_cube_are_mirrored_and_of_equal_mass() {
    let points = block([7, 7, 7], 0.1);
    let regions = Regions::balanced(&points, 0.2).expect("regions");
    regions.check(points.len()).expect("all particles");
    let index = |cell: [usize; 3]| ((cell[0] * 7 + cell[1]) * 7 + cell[2]) as u32;
    let mut sets: Vec<Vec<u32>> = regions.lists().rows().map(<[u32]>::to_vec).collect();
    sets.iter_mut().for_each(|set| set.sort_unstable());
    let mirrored = |set: &Vec<u32>, axis: usize| {
        let mut image: Vec<u32> = set
            .iter()
            .map(|&v| {
                let mut cell = [v as usize / 49, v as usize / 7 % 7, v as usize % 7];
                cell[axis] = 6 - cell[axis];
                index(cell)
            })
            .collect();
        image.sort_unstable();
        image
    };
    for axis in 0..3 {
        assert!(sets.iter().all(|set| sets.contains(&mirrored(set, axis))), "axis {axis}");
    }
    // Masses of regions: much more even than of random ones.
    let spread = |regions: &Regions| {
        let mut counts = vec![0.0; points.len()];
        regions.lists().items().iter().for_each(|&v| counts[v as usize] += 1.0);
        let masses: Vec<f64> =
            regions.lists().rows().map(|row| row.iter().map(|&v| 1.0 / counts[v as usize]).sum()).collect();
        let mean = masses.iter().sum::<f64>() / masses.len() as f64;
        (masses.iter().map(|m| (m / mean - 1.0).powi(2)).sum::<f64>() / masses.len() as f64).sqrt()
    };
    let random = (0..5).map(|seed| spread(&Regions::random(&points, 0.2, seed).expect("regions"))).sum::<f64>() / 5.0;
    let balanced = spread(&regions);
    println!("spread of masses: balanced {balanced}, random {random}");
    assert!(balanced < 0.5 * random, "{balanced} for {random}");
}

#[test]
fn bad_regions_are_refused_by_region_and_particle() {
    use crate::mesh::Csr;
    let check = |rows: &[&[u32]]| Regions::new(Csr::from_rows(rows)).check(3);
    assert_eq!(check(&[&[0, 1], &[]]), Err(RegionError::Empty { region: 1 }));
    assert_eq!(check(&[&[0, 1], &[2, 2]]), Err(RegionError::Repeated { region: 1, particle: 2 }));
    assert_eq!(check(&[&[0, 5]]), Err(RegionError::NoSuchParticle { region: 0, particle: 5, count: 3 }));
    assert_eq!(check(&[&[0, 2]]), Err(RegionError::Loose { particle: 1 }));
    assert!(Regions::random(&[Vec3::ZERO], f64::NAN, 0).is_err());
    assert!(Regions::balanced(&[Vec3::ZERO, Vec3::X * f64::INFINITY], 1.0).is_err());
    assert_eq!(Regions::balanced(&[], 1.0).expect("none").check(0), Err(RegionError::NoRegions));
    assert_eq!(Lattice::block([0, 2, 2], 0.1).expect("none").regions(1).check(0), Err(RegionError::NoRegions));
    // A radius that is tiny beside the body makes a region of each particle, and no grid that does not fit in memory.
    assert_eq!(Regions::balanced(&block([3, 3, 3], 1.0), 1e-6).expect("regions").len(), 27);
}

#[test]
fn a_body_that_is_turned_and_moved_fits_exactly() {
    let rest = block([3, 4, 2], 0.2);
    let regions = Regions::random(&rest, 0.35, 3).expect("regions");
    let turn = Mat3::from_quat(Quat::from_rotation_x(2.5) * Quat::from_rotation_z(-1.0));
    let shift = Vec3::new(1e4, -2e4, 3e3);
    let x: Vec<Vec3> = rest.iter().map(|r| turn * *r + shift).collect();
    for modes in [Modes::Rigid, Modes::Linear(0.7), Modes::Quadratic(0.8)] {
        let mut fits = fits(&regions, &rest, modes);
        fits.update(&x);
        for (region, row) in regions.lists().rows().enumerate() {
            for &v in row {
                let goal = fits.place(region, v as usize);
                assert!(goal.distance(x[v as usize]) < 1e-9, "{modes:?}: {goal} for {}", x[v as usize]);
            }
        }
    }
}

#[test]
fn linear_modes_fit_a_shear_of_the_same_volume_and_quadratic_ones_a_bend() {
    let rest = block([4, 4, 4], 0.1);
    let whole = Regions::whole(rest.len());
    let error = |modes: Modes, map: &dyn Fn(Vec3) -> Vec3| {
        let x: Vec<Vec3> = rest.iter().map(|r| map(*r)).collect();
        let mut fits = fits(&whole, &rest, modes);
        fits.update(&x);
        x.iter().enumerate().fold(0.0_f64, |most, (v, x)| most.max(fits.place(0, v).distance(*x)))
    };
    let sheared = |r: Vec3| Vec3::new(r.x + 0.4 * r.y, r.y, r.z);
    assert!(error(Modes::Linear(1.0), &sheared) < 1e-12);
    assert!(error(Modes::Rigid, &sheared) > 0.01);
    let bent = |r: Vec3| Vec3::new(r.x, r.y + 2.0 * r.x * r.x, r.z - r.x * r.y);
    assert!(error(Modes::Quadratic(1.0), &bent) < 1e-12);
    assert!(error(Modes::Linear(1.0), &bent) > 0.01);
}

#[test]
fn regions_on_a_plane_on_a_line_and_of_one_point_have_rotations_too() {
    for counts in [[3, 3, 1], [5, 1, 1], [1, 1, 1]] {
        let rest = block(counts, 0.1);
        let turn = Mat3::from_quat(Quat::from_rotation_y(0.8));
        let x: Vec<Vec3> = rest.iter().map(|r| turn * *r + Vec3::Y).collect();
        for modes in [Modes::Rigid, Modes::Linear(0.5), Modes::Quadratic(0.5)] {
            let mut fits = fits(&Regions::whole(rest.len()), &rest, modes);
            fits.update(&x);
            for (v, x) in x.iter().enumerate() {
                let goal = fits.place(0, v);
                assert!(goal.distance(*x) < 1e-9, "{counts:?} {modes:?}: {goal} for {x}");
            }
        }
    }
}
