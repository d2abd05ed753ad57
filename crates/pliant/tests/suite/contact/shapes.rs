//! Distances of all shapes against brute force.

use pliant::collide::{DistanceGrid, Heightfield, Nearby, SolidMesh};
use pliant::math::Vec3;
use pliant::mesh::generate::Icosphere;
use pliant::mesh::sdf::Ball;
use pliant::prelude::Shape;

/// Points that fill a cube about the origin evenly.
fn scattered(count: usize, side: f64) -> impl Iterator<Item = Vec3> {
    (1..=count).map(move |i| ((Vec3::new(0.8191725, 0.6710436, 0.5497005) * i as f64).fract() - 0.5) * side)
}

/// Many points of a surface: those at which rays from scattered points inside the shape leave it, by bisection.
fn surface_points(shape: &Shape, inside: Vec3, reach: f64) -> Vec<Vec3> {
    let directions = (0..20_000).map(|k| {
        let (z, turn) = (1.0 - (2.0 * f64::from(k) + 1.0) / 20_000.0, 2.399963229728653 * f64::from(k));
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * turn.cos(), r * turn.sin(), z)
    });
    let leave = |direction: Vec3| {
        let (mut low, mut high) = (0.0, reach);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if shape.nearby(inside + direction * middle).distance < 0.0 { low = middle } else { high = middle }
        }
        inside + direction * low
    };
    directions.map(leave).collect()
}

#[test]
fn the_nearest_point_is_as_near_as_any_of_the_surface() {
    let mesh = Icosphere { radius: 0.5, subdivisions: 2 }.mesh().unwrap();
    let shapes = [
        Shape::Sphere { radius: 0.5 },
        Shape::Capsule { radius: 0.2, length: 0.6 },
        Shape::Box { size: Vec3::new(0.6, 0.9, 0.4) },
        Shape::Cylinder { radius: 0.3, length: 0.7 },
        Shape::Mesh(SolidMesh::new(&mesh).unwrap()),
    ];
    for shape in shapes {
        let surface = surface_points(&shape, Vec3::ZERO, 2.0);
        for p in scattered(150, 2.0) {
            let Nearby { distance, point, normal } = shape.nearby(p);
            let least = surface.iter().map(|q| q.distance(p)).fold(f64::INFINITY, f64::min);
            assert!((distance.abs() - least).abs() < 0.02, "{p}: {distance} {least}");
            assert!(distance.abs() < least + 1e-9, "{p}: {distance} {least}");
            assert!((point.distance(p) - distance.abs()).abs() < 1e-12);
            assert!((normal.length() - 1.0).abs() < 1e-9);
            assert!((point + normal * distance - p).length() < 1e-9, "the normal goes from the point to p, or back");
            // A little further out is further away.
            assert!(shape.nearby(p + normal * 1e-4).distance > distance);
        }
    }
}

#[test]
fn inside_is_where_rays_from_the_middle_have_not_left() {
    let shape = Shape::Mesh(SolidMesh::new(&Icosphere { radius: 0.5, subdivisions: 1 }.mesh().unwrap()).unwrap());
    for p in scattered(500, 1.4) {
        let distance = shape.nearby(p).distance;
        // The flat faces lie between the spheres through their corners and their middles.
        assert!(p.length() > 0.4 || distance < 0.0);
        assert!(p.length() < 0.5 || distance > 0.0);
    }
}

#[test]
fn a_heightfield_has_its_heights_and_the_distance_to_its_triangles() {
    let heights: Vec<f64> = (0..30).map(|k| 0.1 * f64::from((k * 7) % 5)).collect();
    let field = Heightfield::new([6, 5], [0.3, 0.4], heights.clone()).unwrap();
    for j in 0..5 {
        for i in 0..6 {
            let found = field.height(0.3 * i as f64, 0.4 * j as f64).unwrap();
            assert!((found - heights[j * 6 + i]).abs() < 1e-12);
        }
    }
    assert_eq!(field.height(-0.01, 0.5), None);
    let shape = Shape::Heightfield(field.clone());
    let fine: Vec<Vec3> = (0..=300)
        .flat_map(|i| (0..=300).map(move |j| (1.5 * f64::from(i) / 300.0, 1.6 * f64::from(j) / 300.0)))
        .map(|(x, z)| Vec3::new(x, field.height(x, z).unwrap(), z))
        .collect();
    for p in scattered(100, 1.4).map(|p| p + Vec3::new(0.75, 0.3, 0.8)) {
        let found = shape.nearby(p).distance;
        let least = fine.iter().map(|q| q.distance(p)).fold(f64::INFINITY, f64::min);
        assert!((found.abs() - least).abs() < 0.01, "{p}: {found} {least}");
        assert_eq!(found < 0.0, p.y < field.height(p.x, p.z).unwrap());
    }
}

#[test]
fn a_grid_of_distances_is_as_good_as_its_cells_are_small() {
    let ball = Ball { centre: Vec3::new(0.1, 0.0, 0.0), radius: 0.4 };
    for spacing in [0.04, 0.02] {
        let shape = Shape::Grid(DistanceGrid::sampled(&ball, spacing).unwrap());
        let mut worst: f64 = 0.0;
        for p in scattered(500, 0.9).filter(|p| (p.distance(ball.centre) - 0.4).abs() < 0.03) {
            let found = shape.nearby(p);
            worst = worst.max((found.distance - (p.distance(ball.centre) - 0.4)).abs());
            assert!(found.normal.dot((p - ball.centre).normalize()) > 0.99);
        }
        assert!(worst < 0.5 * spacing * spacing / 0.3, "{spacing}: {worst}");
        // Beyond the grid a shape is not nearer than it seems.
        for p in scattered(200, 4.0) {
            assert!(shape.nearby(p).distance < p.distance(ball.centre) - 0.4 + spacing * spacing);
        }
    }
}
