//! Starts with intersections are brought free of them.

use pliant::ModelError;
use pliant::prelude::*;

use super::common::{Sum, sheet};

/// A world that starts with intersections: it is refused, and with `untangle` brought free of them and runs on. Returns the furthest way.
fn untangled(bodies: impl Fn() -> Vec<Body>) -> f64 {
    let build = |untangle| {
        let settings = SelfCollision { thickness: 4e-3, untangle, ..SelfCollision::default() };
        let builder = Simulation::builder().gravity(Vec3::ZERO).self_collision(settings);
        bodies().into_iter().fold(builder, |builder, body| builder.body(body)).build()
    };
    let refused = build(false).unwrap_err();
    assert!(matches!(refused, ModelError::Intersecting { .. }), "{refused}");
    let mut sim = build(true).unwrap_or_else(|error| panic!("{error}"));
    let untangled = sim.untangled().unwrap();
    println!("{untangled:?}");
    assert!(untangled.crossings > 0 && untangled.vertices > 0, "{untangled:?}");
    let mut sum = Sum::default();
    (0..20).for_each(|_| sum.add(&mut sim));
    assert_eq!(sum.intersecting, 0, "{sum}");
    untangled.max_displacement
}

fn cloth_at(mesh: &TriangleMesh, place: impl Fn(Vec3) -> Vec3) -> Body {
    let positions = mesh.positions.iter().map(|p| place(*p)).collect();
    Body::cloth(mesh, &ClothMaterial::default()).unwrap().with_positions(positions)
}

#[test]
fn sheets_that_cross_slightly_are_untangled_by_at_most_twice_their_depth() {
    let mesh = sheet(0.4, 0.4, 10, 10);
    for turn in [0.0, 0.5] {
        // One side of the upper sheet dips 2 cm below the lower one, which is as wide or turned.
        let slope = |p: Vec3| Mat3::from_rotation_y(turn) * Vec3::new(p.x, 0.02 + 0.2 * p.x, p.z) + Vec3::X * 0.013;
        let furthest = untangled(|| vec![cloth_at(&mesh, |p| p).named("lower"), cloth_at(&mesh, slope).named("upper")]);
        assert!(furthest < 2.0 * 0.02, "moved by {furthest} m");
    }
}

#[test]
fn a_corner_that_pokes_through_its_own_cloth_is_taken_back() {
    let mesh = sheet(0.4, 0.4, 16, 16);
    // Folded over along the middle, with a lower half that lies flat and one corner of the upper half pressed through it.
    let folded = |p: Vec3| {
        if p.x <= 0.0 {
            return p;
        }
        let corner = ((p.x - 0.12) + (p.z - 0.12)).max(0.0);
        // A little narrower than the half below, so that the corner is over its inside.
        let narrow = 1.0 - 2.0 * p.x.min(0.05);
        let height = 0.25 * p.x.min(0.05) + 0.5 * (p.x - 0.05).clamp(0.0, 0.025);
        Vec3::new(p.x.min(0.05) - (p.x - 0.05).max(0.0), height - 0.35 * corner, narrow * p.z)
    };
    let furthest = untangled(|| vec![cloth_at(&mesh, folded)]);
    assert!(furthest < 0.05, "moved by {furthest} m");
}

#[test]
fn a_strand_through_cloth_is_pulled_back() {
    let cord = rope(Vec3::new(0.013, 0.3, 0.007), Vec3::new(0.013, -0.055, 0.007), 20).unwrap();
    let strand = || Body::strands(&cord, &StrandMaterial::default()).unwrap().named("cord");
    let furthest = untangled(|| vec![cloth_at(&sheet(0.4, 0.4, 8, 8), |p| p).named("cloth"), strand()]);
    assert!((0.05..0.08).contains(&furthest), "moved by {furthest} m");
}

#[test]
fn what_may_not_be_moved_is_not_untangled_but_named() {
    let mesh = sheet(0.4, 0.4, 4, 4);
    let fixed =
        |name: &str, slope: f64| cloth_at(&mesh, |p| p + Vec3::Y * (slope * p.x)).named(name).pin_where(|_| true);
    let error = Simulation::builder()
        .body(fixed("one", 0.0))
        .body(fixed("other", 0.5))
        .self_collision(SelfCollision { untangle: true, ..SelfCollision::default() })
        .build()
        .unwrap_err();
    assert!(matches!(&error, ModelError::Intersecting { crossings } if !crossings.is_empty()), "{error}");
}
