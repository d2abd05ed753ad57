//! Strands that are matched by runs of their vertices.

use super::{iterations, springs};
use pliant::mesh::StrandSet;
use pliant::prelude::*;

/// A strand of 24 segments of 0.05 m that is bent at rest, and a second one beside it.
fn hair() -> StrandSet {
    let mut strands = rope(Vec3::ZERO, Vec3::X * 1.2, 24).unwrap();
    strands.positions.iter_mut().for_each(|p| p.y = 0.2 * (3.0 * p.x).sin());
    let beside =
        StrandSet { positions: strands.positions.iter().map(|p| *p + Vec3::Z * 0.3).collect(), ..strands.clone() };
    strands.append(&beside).unwrap();
    strands
}

fn body(strands: &StrandSet, matching: Matching) -> Body {
    let masses = (0..strands.positions.len() as u32).map(|v| (v, v, 0.01)).collect();
    Body::new(strands.positions.clone(), masses).with_matching(matching)
}

#[test]
fn sums_along_chains_move_strands_as_lists_of_the_same_particles_do() {
    let strands = hair();
    let bent: Vec<Vec3> = strands.positions.iter().map(|p| *p + Vec3::new(0.0, 0.1 * p.x, 0.2 * p.x * p.x)).collect();
    for width in [1, 3, 7, 40] {
        for limit in [None, Some(0.0)] {
            let edges: Vec<[u32; 2]> = strands.segments().collect();
            let lists = Regions::rings(strands.positions.len(), &edges, width).unwrap();
            let chains = Regions::chains(&strands, width).unwrap();
            assert_eq!(chains.lists(), lists.lists(), "the same regions");
            let [by_lists, by_chains] = [lists, chains].map(|regions| {
                let matching = Matching { limit, damping: 1.0, ..springs(regions, 0.4) };
                let hair = body(&strands, matching).with_positions(bent.clone()).pin([0, 1, 25, 26]);
                let mut sim = Simulation::builder().body(hair).solver(iterations(4)).build().unwrap();
                (0..30).for_each(|_| drop(sim.step().unwrap()));
                sim.positions().to_vec()
            });
            let apart = by_lists.iter().zip(&by_chains).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
            assert!(apart < 1e-9, "width {width}, {limit:?}: {apart} m");
        }
    }
}

#[test]
fn springs_along_chains_keep_momentum_and_angular_momentum() {
    let strands = hair();
    let velocity = |p: &Vec3| Vec3::new(1.0, 2.0, -0.5) + Vec3::new(1.0, 3.0, 2.0).cross(*p) * p.x;
    let hair = body(&strands, springs(Regions::chains(&strands, 4).unwrap(), 0.5));
    let hair = hair.with_velocities(strands.positions.iter().map(velocity).collect());
    let mut sim = Simulation::builder().body(hair).gravity(Vec3::ZERO).solver(iterations(2)).build().unwrap();
    let before = sim.report();
    (0..200).for_each(|_| drop(sim.step().unwrap()));
    let after = sim.report();
    let (p, l) = (after.momentum - before.momentum, after.angular_momentum - before.angular_momentum);
    assert!(p.length() < 1e-10 * before.momentum.length(), "{p}");
    assert!(l.length() < 1e-9 * before.angular_momentum.length(), "{l}");
}

#[test]
fn the_wider_regions_are_the_less_a_strand_sags() {
    let strands = rope(Vec3::ZERO, Vec3::X * 0.6, 20).unwrap();
    let sag = |width: usize| {
        let matching = Matching { damping: 4.0, ..springs(Regions::chains(&strands, width).unwrap(), 0.8) };
        // Held along as much as the widest regions reach, so that they do not turn where it is held.
        let hair = body(&strands, matching).pin(0..=8);
        // Damping of small regions spares what bends a whole strand: drag brings that to rest. A heavy strand would hang down from a kink.
        let drag = Damping { drag: 2.0, ..Damping::default() };
        let world = Simulation::builder().body(hair).solver(iterations(1)).damping(drag).time_step(1.0 / 240.0);
        let world = world.gravity(Vec3::NEG_Y * 0.3);
        let mut sim = world.build().unwrap();
        (0..3000).for_each(|_| drop(sim.step().unwrap()));
        -sim.positions()[20].y
    };
    let sags = [2, 4, 8].map(sag);
    println!("the end of 0.6 m hangs {sags:?} m down for widths 2, 4 and 8");
    assert!(sags[1] < 0.7 * sags[0] && sags[2] < 0.7 * sags[1], "{sags:?}");
}

#[test]
fn where_strands_meet_and_where_one_closes_a_region_goes_along_all_of_them() {
    let positions = hair().positions[..5].to_vec();
    let strands = pliant::mesh::Csr::from_rows([&[0u32, 1, 2, 0][..], &[3, 1, 4]]);
    let regions = Regions::chains(&StrandSet { positions, strands }, 1).unwrap();
    let lists: Vec<Vec<u32>> = regions.lists().rows().map(<[u32]>::to_vec).collect();
    assert_eq!(lists, [vec![0, 1, 2], vec![0, 1, 2, 3, 4], vec![0, 1, 2], vec![1, 3], vec![1, 4]]);
}

#[test]
fn chains_that_cannot_be_are_refused() {
    let strands = hair();
    let error = Regions::chains(&strands, 0).unwrap_err();
    assert_eq!(error.to_string(), "width of regions is 0, but must be at least 1");
    let of = |rows: &[&[u32]]| {
        let strands = pliant::mesh::Csr::from_rows(rows);
        Regions::chains(&StrandSet { positions: hair().positions[..4].to_vec(), strands }, 1)
    };
    assert_eq!(of(&[&[0, 1, 2]]).unwrap_err().to_string(), "particle 3 is not in any region");
    assert_eq!(of(&[&[0, 1, 9]]).unwrap_err().to_string(), "region 2 has particle 9, but the body has 4");
    let other = Body::points(&pliant::mesh::PointSet { positions: vec![Vec3::ZERO; 2] }, 1.0);
    let other = other.with_matching(springs(Regions::chains(&strands, 1).unwrap(), 0.5));
    let error = Simulation::builder().body(other).solver(iterations(1)).build().unwrap_err();
    assert!(error.to_string().ends_with("have 50 particles, but the body has 2"), "{error}");
}
