//! Fibres and levels of matched cloth: what carries stretch farther than a triangle, and what that leaves alone.

use super::cloth::{farthest, in_plane, iterations, largest_stretch};
use pliant::mesh::generate::{Diagonals, Disc};
use pliant::prelude::*;

fn levels(levels: usize) -> ClothMatching {
    ClothMatching { levels, ..in_plane() }
}

/// Fibres and nothing else.
fn fibres() -> ClothMatching {
    ClothMatching { stretch: 0.0, shear: 0.0, fibres: 1.0, ..in_plane() }
}

/// Where a free cloth is after one step without gravity.
fn after_a_step(mesh: &TriangleMesh, start: &[Vec3], matching: ClothMatching, n: usize) -> Vec<Vec3> {
    let cloth = Body::matched_cloth(mesh, 0.2, matching).unwrap().with_positions(start.to_vec());
    let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).solver(iterations(n)).build().unwrap();
    sim.step().unwrap();
    sim.positions().to_vec()
}

/// A sheet whose columns of cells go up and down by 50° in turn: every triangle has its shape at rest.
fn wrinkled(sheet: &Sheet) -> (TriangleMesh, Vec<Vec3>) {
    let mesh = sheet.mesh().unwrap();
    let cell = sheet.width / sheet.columns as f64;
    let (slope, height) = (50_f64.to_radians().cos(), 50_f64.to_radians().sin());
    let fold = |p: &Vec3| {
        let column = p.x / cell - mesh.positions[0].x / cell;
        let up = 1.0 - (column.rem_euclid(2.0) - 1.0).abs();
        Vec3::new(p.x * slope, p.y, up * cell * height)
    };
    let folded = mesh.positions.iter().map(fold).collect();
    (mesh, folded)
}

#[test]
fn wrinkles_of_cloth_at_its_lengths_stay_as_they_are() {
    for diagonals in [Diagonals::Forward, Diagonals::Alternating, Diagonals::Cross] {
        let sheet = Sheet { columns: 32, rows: 24, diagonals, ..Sheet::default() };
        let (mesh, folded) = wrinkled(&sheet);
        assert!((largest_stretch(&mesh.edges(), &mesh.positions, &folded) - 1.0).abs() < 1e-12);
        let matching = ClothMatching { levels: 5, fibres: 1.0, ..in_plane() };
        let moved = farthest(&after_a_step(&mesh, &folded, matching.clone(), 10), &folded);
        assert!(moved < 1e-14, "{diagonals:?}: {moved}");
        // The same cloth pulled along its folds does move, by levels alone too.
        let pulled: Vec<Vec3> = folded.iter().map(|p| Vec3::new(p.x, 1.05 * p.y, p.z)).collect();
        let matching = ClothMatching { stretch: 0.0, shear: 0.0, ..matching };
        let moved = farthest(&after_a_step(&mesh, &pulled, matching, 10), &pulled);
        assert!(moved > 0.01, "{diagonals:?}: {moved}");
    }
}

#[test]
fn levels_hold_cloth_that_many_more_rounds_over_triangles_do_not() {
    let sheet = Sheet { columns: 6, rows: 120, width: 0.1, height: 2.0, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let drop = |matching: ClothMatching, n: usize| {
        let cloth = Body::matched_cloth(&mesh, 0.2, matching).unwrap().pin_where(|p| p.y > 0.999);
        let mut sim = Simulation::builder().body(cloth).solver(iterations(n)).build().unwrap();
        (0..60).for_each(|_| drop(sim.step().unwrap()));
        let lowest = sim.positions().iter().fold(0.0_f64, |least, p| p.y.min(least));
        ((1.0 - lowest) / 2.0, largest_stretch(&mesh.edges(), &mesh.positions, sim.positions()))
    };
    let [single, cycles] = [drop(in_plane(), 20), drop(levels(5), 5)];
    println!("length over rest and largest edge: single {single:?}, levels {cycles:?}");
    assert!(single.0 > 1.2, "{single:?}");
    assert!(cycles.0 < 1.03, "{cycles:?}");
}

#[test]
fn meshes_without_rows_and_columns_have_levels_too() {
    let mesh = Disc { radius: 0.8, rings: 24, ..Disc::default() }.mesh().unwrap();
    let top = mesh.positions.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p.y));
    let stretch = |matching: ClothMatching, n: usize| {
        let cloth = Body::matched_cloth(&mesh, 0.2, matching).unwrap().pin_where(|p| p.y > top - 0.1);
        let mut sim = Simulation::builder().body(cloth).solver(iterations(n)).build().unwrap();
        (0..60).for_each(|_| drop(sim.step().unwrap()));
        let lowest = sim.positions().iter().fold(0.0_f64, |least, p| p.y.min(least));
        (top - lowest) / 1.6
    };
    let [single, cycles] = [stretch(in_plane(), 9), stretch(levels(4), 3)];
    assert!(cycles < 1.03 && single > 1.0 + 3.0 * (cycles - 1.0), "{single} and {cycles}");
}

#[test]
fn levels_keep_momentum_and_pins() {
    let sheet = Sheet { columns: 16, rows: 16, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let pulled: Vec<Vec3> =
        mesh.positions.iter().map(|p| *p * Vec3::new(1.3, 1.1, 1.0) + Vec3::Z * p.x * p.y).collect();
    let masses = Simulation::builder().body(Body::matched_cloth(&mesh, 0.2, levels(3)).unwrap());
    let masses = masses.solver(iterations(1)).build().unwrap().model().mass().lumped().to_vec();
    let after = after_a_step(&mesh, &pulled, levels(3), 3);
    let sum: Vec3 = after.iter().zip(&pulled).zip(&masses).map(|((a, b), m)| (*a - *b) * *m).sum();
    assert!(farthest(&after, &pulled) > 0.01 && sum.length() < 1e-14, "{sum}");
    let pins = [sheet.vertex(0, 16), sheet.vertex(7, 3)];
    let cloth = Body::matched_cloth(&mesh, 0.2, ClothMatching { fibres: 1.0, ..levels(3) }).unwrap().pin(pins);
    let cloth = cloth.with_positions(pulled.clone());
    let mut sim = Simulation::builder().body(cloth).solver(iterations(3)).build().unwrap();
    (0..5).for_each(|_| drop(sim.step().unwrap()));
    pins.iter().for_each(|&pin| assert_eq!(sim.positions()[pin as usize], pulled[pin as usize]));
}

#[test]
fn fibres_keep_momentum_and_angular_momentum() {
    let mesh = Sheet { columns: 11, rows: 8, ..Sheet::default() }.mesh().unwrap();
    let wave = |p: &Vec3| Vec3::new(1.4 * p.x, 1.2 * p.y + 0.1 * p.x * p.x, 0.2 * (5.0 * p.x + 3.0 * p.y).sin());
    let pulled: Vec<Vec3> = mesh.positions.iter().map(wave).collect();
    let world = Simulation::builder().body(Body::matched_cloth(&mesh, 0.2, fibres()).unwrap()).solver(iterations(1));
    let masses = world.build().unwrap().model().mass().lumped().to_vec();
    let after = after_a_step(&mesh, &pulled, fibres(), 1);
    let momentum = |v: usize| (after[v] - pulled[v]) * masses[v];
    let sum: Vec3 = (0..masses.len()).map(momentum).sum();
    let spin: Vec3 = (0..masses.len()).map(|v| pulled[v].cross(momentum(v))).sum();
    assert!(farthest(&after, &pulled) > 0.02, "it moves");
    assert!(sum.length() < 1e-14 && spin.length() < 1e-12, "{sum} {spin}");
}

#[test]
fn fibres_that_hang_from_pins_take_their_stretch_away_in_one_pass() {
    // One cell wide: strips go all the way down, and nothing else crosses them but single edges.
    let sheet = Sheet { columns: 1, rows: 40, width: 0.05, height: 2.0, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let start: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(p.x, 1.0 + 1.5 * (p.y - 1.0), 0.0)).collect();
    let cloth = Body::matched_cloth(&mesh, 0.2, ClothMatching { fibre_length: 1000, ..fibres() }).unwrap();
    let cloth = cloth.pin_where(|p| p.y > 0.999).with_positions(start);
    let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).solver(iterations(1)).build().unwrap();
    sim.step().unwrap();
    let lowest = sim.positions().iter().fold(0.0_f64, |least, p| p.y.min(least));
    assert!((lowest + 1.0).abs() < 1e-12, "{lowest}");
}

#[test]
fn fibres_make_cloth_stretch_less() {
    let sheet = Sheet { columns: 4, rows: 60, width: 0.1, height: 1.5, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let length = |fibres: f64, fibre_length: usize| {
        let matching = ClothMatching { fibres, fibre_length, ..in_plane() };
        let cloth = Body::matched_cloth(&mesh, 0.2, matching).unwrap().pin_where(|p| p.y > 0.749);
        let mut sim = Simulation::builder().body(cloth).solver(iterations(4)).build().unwrap();
        (0..60).for_each(|_| drop(sim.step().unwrap()));
        (0.75 - sim.positions().iter().fold(0.0_f64, |least, p| p.y.min(least))) / 1.5
    };
    let [none, short, long] = [length(0.0, 8), length(1.0, 8), length(1.0, 60)];
    assert!(none > short + 0.05 && short > long + 0.01 && long < 1.1, "{none} {short} {long}");
}

#[test]
fn the_number_of_threads_changes_no_bit_of_fibres_and_levels() {
    let sheet = Sheet { columns: 40, rows: 40, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let run = |threads: usize| {
        let matching = ClothMatching { shear: 0.5, levels: 3, fibres: 0.5, ..ClothMatching::default() };
        let cloth = Body::matched_cloth(&mesh, 0.2, matching).unwrap();
        let cloth = cloth.pin([sheet.vertex(0, 40), sheet.vertex(40, 40)]);
        let mut sim = Simulation::builder().body(cloth).solver(iterations(3)).threads(threads).build().unwrap();
        (0..10).for_each(|_| drop(sim.step().unwrap()));
        sim.positions().to_vec()
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn cloth_that_swings_from_a_row_stretches_no_more_at_the_ends_of_the_row() {
    // Levels take some of the row's vertices as anchors. Where they leave out an end, edges there stretch more than twice as far as others.
    let diagonals = Diagonals::Alternating;
    let sheet = Sheet { columns: 80, rows: 80, plane: Plane::Xz, diagonals, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let cloth = Body::matched_cloth(&mesh, 0.2, levels(4)).unwrap();
    let cloth = cloth.pin((0..=80).map(|column| sheet.vertex(column, 80)));
    let mut sim = Simulation::builder().body(cloth).solver(iterations(10)).build().unwrap();
    let (edges, mut strains) = (mesh.edges(), [0.0_f64; 2]);
    for _ in 0..60 {
        sim.step().unwrap();
        for ends in &edges {
            let length = |x: &[Vec3]| x[ends[0] as usize].distance(x[ends[1] as usize]);
            let strain = length(sim.positions()) / length(&mesh.positions) - 1.0;
            let is_outside = usize::from(mesh.positions[ends[0] as usize].x.abs() > 0.4);
            strains[is_outside] = strains[is_outside].max(strain);
        }
    }
    assert!(strains[1] < 1.5 * strains[0], "in the middle and at the ends edges are strained by up to {strains:?}");
}
