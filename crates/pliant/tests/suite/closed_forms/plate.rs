//! Flat sheets as thin plates: the stiffness of strips, squares and forced shapes must not depend on how the mesh is cut.
//!
//! Small deflections are solved for directly: the energy is a constant quadratic form in each coordinate.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

use pliant::energy::{Batch, PlateBending};
use pliant::math::{factor_dense, solve_dense};
use pliant::mesh::Simplices;
use pliant::mesh::generate::{Diagonals, Plane};
use pliant::prelude::*;

use super::common::{assert_close, exact, settle};

const STIFFNESS: f64 = 0.3;

/// How cells are cut.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    Forward,
    Backward,
    Alternating,
    Cross,
    /// Alternating, with vertices inside moved by up to a quarter of a cell.
    Irregular,
}

const ALL: [Cut; 5] = [Cut::Forward, Cut::Backward, Cut::Alternating, Cut::Cross, Cut::Irregular];

fn wobble(k: i32) -> f64 {
    let wave = (12.9898 * f64::from(k)).sin() * 43758.5453;
    0.5 * (wave - wave.floor()) - 0.25
}

/// Square cells between these columns and rows, of which only those count whose corners are inside; of cells with three corners inside
/// their triangle. So the rim can run along the grid or along diagonals.
fn lattice(cut: Cut, from: i32, to: i32, is_inside: impl Fn(f64, f64) -> bool) -> TriangleMesh {
    let (mut numbers, mut positions, mut triangles) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut vertex = |x: f64, y: f64| {
        *numbers.entry(((2.0 * x).round() as i32, (2.0 * y).round() as i32)).or_insert_with(|| {
            positions.push(Vec3::new(x, y, 0.0));
            positions.len() as u32 - 1
        })
    };
    for j in from..to {
        for i in from..to {
            let (x, y) = (f64::from(i), f64::from(j));
            let corners = [(x, y), (x + 1.0, y), (x + 1.0, y + 1.0), (x, y + 1.0)];
            let inside: Vec<(f64, f64)> = corners.into_iter().filter(|&(x, y)| is_inside(x, y)).collect();
            let own: Vec<u32> =
                if inside.len() < 3 { continue } else { inside.iter().map(|&(x, y)| vertex(x, y)).collect() };
            let [a, b, c, d] = match own[..] {
                [a, b, c] => {
                    triangles.push([a, b, c]);
                    continue;
                }
                [a, b, c, d] => [a, b, c, d],
                _ => continue,
            };
            let is_forward = match cut {
                Cut::Forward => true,
                Cut::Backward => false,
                _ => (i + j).rem_euclid(2) == 0,
            };
            if cut == Cut::Cross {
                let centre = vertex(x + 0.5, y + 0.5);
                triangles.extend([[a, b, centre], [b, c, centre], [c, d, centre], [d, a, centre]]);
            } else if is_forward {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    let mut mesh = TriangleMesh::new(positions, triangles).unwrap();
    if cut == Cut::Irregular {
        let rim = mesh.boundary_vertices();
        for (k, p) in mesh.positions.iter_mut().enumerate().filter(|(k, _)| !rim[*k]) {
            *p += Vec3::new(wobble(2 * k as i32), wobble(2 * k as i32 + 1), 0.0);
        }
    }
    mesh
}

fn plate(mesh: &TriangleMesh, poisson_ratio: f64) -> Box<dyn Batch> {
    PlateBending { stiffness: STIFFNESS, poisson_ratio }.build(mesh).unwrap()
}

/// Deflections of all vertices under forces, some of them held: the minimum of the quadratic form.
fn deflections(batch: &dyn Batch, held: &[bool], forces: &[f64]) -> Vec<f64> {
    let operator = batch.operator();
    let mut unknowns = vec![usize::MAX; held.len()];
    let free: Vec<usize> = (0..held.len()).filter(|v| !held[*v]).collect();
    free.iter().enumerate().for_each(|(k, v)| unknowns[*v] = k);
    let n = free.len();
    let mut matrix = vec![0.0; n * n];
    for e in 0..operator.len() {
        let stencil = operator.stencil(e);
        for row in operator.coefficients(e).chunks(stencil.len()) {
            for (a, &i) in row.iter().zip(stencil) {
                for (b, &j) in row.iter().zip(stencil) {
                    let (i, j) = (unknowns[i as usize], unknowns[j as usize]);
                    if i != usize::MAX && j != usize::MAX {
                        matrix[i * n + j] += operator.weight(e) * a * b;
                    }
                }
            }
        }
    }
    let mut rhs: Vec<f64> = free.iter().map(|v| forces[*v]).collect();
    assert!(factor_dense(&mut matrix, n), "nothing but planes is free");
    solve_dense(&matrix, &mut rhs);
    let mut all = vec![0.0; held.len()];
    free.iter().zip(rhs).for_each(|(v, w)| all[*v] = w);
    all
}

/// Tip of a cantilever under its weight over q L⁴/8D, along a direction at an angle from the columns. The first rows of vertices are
/// held; the clamp acts in the middle between the last two of them, where the length begins.
fn sag(cut: Cut, degrees: f64, cells: i32) -> f64 {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let along = |x: f64, y: f64| x * cosine + y * sine;
    let (length, half_width) = (f64::from(cells), f64::from(cells / 8));
    let inside = |x: f64, y: f64| {
        let (s, t) = (along(x, y), y * cosine - x * sine);
        (-1e-9..=length + 1e-9).contains(&s) && t.abs() <= half_width + 1e-9
    };
    let mesh = lattice(cut, -3 * cells, 3 * cells, inside);
    let mut rows: Vec<f64> = mesh.positions.iter().map(|p| along(p.x, p.y)).collect();
    let s = rows.clone();
    rows.sort_by(f64::total_cmp);
    rows.dedup_by(|a, b| (*a - *b).abs() < 0.05);
    // Vertices inside an irregular mesh have left their rows: the first two of these are held.
    let (last, before) = if cut == Cut::Irregular { (1.3, -0.3) } else { (rows[2], rows[1]) };
    let held: Vec<bool> = s.iter().map(|s| *s < last + 1e-6).collect();
    let areas = mesh.lumped_masses(1.0).unwrap();
    let w = deflections(plate(&mesh, 0.0).as_ref(), &held, &areas);
    let end = s.iter().copied().fold(0.0, f64::max);
    let span = end - f64::midpoint(last, before);
    let tip: Vec<f64> = s.iter().zip(&w).filter(|(s, _)| **s > end - 1e-6).map(|(_, w)| *w).collect();
    tip.iter().sum::<f64>() / tip.len() as f64 / (span.powi(4) / (8.0 * STIFFNESS))
}

#[test]
fn a_strip_sags_by_its_plate_stiffness_however_cells_lie_and_are_cut() {
    for cut in ALL {
        for degrees in [0.0, 45.0, 90.0] {
            // Along a diagonal the rim is at multiples of half a diagonal of a cell.
            let ratio = if degrees == 45.0 { diagonal_sag(cut, 14) } else { sag(cut, degrees, 20) };
            println!("{cut:?} at {degrees}°: {ratio:.4} of qL⁴/8D");
            assert_close(ratio, 1.0, 0.05, &format!("{cut:?} at {degrees}°"));
        }
    }
}

/// The same on a strip along the diagonal of the cells, whose rim is made of diagonals.
fn diagonal_sag(cut: Cut, diagonals: i32) -> f64 {
    let (length, width) = (2 * diagonals, 2);
    let inside = |x: f64, y: f64| (0.0..=f64::from(length)).contains(&(x + y)) && (y - x).abs() <= f64::from(width);
    let mesh = lattice(cut, -width - 1, diagonals + width + 1, inside);
    let s: Vec<f64> = mesh.positions.iter().map(|p| (p.x + p.y) * FRAC_1_SQRT_2).collect();
    // Rows of vertices are half a diagonal apart; the first three are held.
    let spacing = FRAC_1_SQRT_2;
    let held: Vec<bool> = s.iter().map(|s| *s < 2.1 * spacing).collect();
    let areas = mesh.lumped_masses(1.0).unwrap();
    let w = deflections(plate(&mesh, 0.0).as_ref(), &held, &areas);
    let end = f64::from(length) * spacing;
    let tip: Vec<f64> = s.iter().zip(&w).filter(|(s, _)| **s > end - 1e-6).map(|(_, w)| *w).collect();
    let span = end - 1.5 * spacing;
    tip.iter().sum::<f64>() / tip.len() as f64 / (span.powi(4) / (8.0 * STIFFNESS))
}

#[test]
fn sag_converges_under_refinement() {
    for cut in ALL {
        let errors = [8, 16, 32].map(|cells| (sag(cut, 0.0, cells) - 1.0).abs());
        println!("{cut:?}: off by {errors:.4?}");
        // Irregular meshes of three sizes are three different meshes: near, but not in order.
        let converges = errors[2] < 0.003 && errors[2] < errors[1] && errors[1] < errors[0];
        assert!(if cut == Cut::Irregular { errors[2] < 0.02 } else { converges }, "{cut:?}: {errors:?}");
    }
}

#[test]
fn a_square_on_three_corners_twists_by_its_plate_stiffness() {
    // w = P x y/(2D(1−ν)): moments M_xy = P/2 all over, none across the rims, and corners bear 2 M_xy.
    let cells = 8;
    let size = f64::from(cells);
    for cut in ALL {
        for poisson_ratio in [0.0, 0.3] {
            let mesh = lattice(cut, 0, cells, |_, _| true);
            let corner = |x: f64, y: f64| mesh.positions.iter().position(|p| p.x == x && p.y == y).unwrap();
            let mut held = vec![false; mesh.positions.len()];
            [corner(0.0, 0.0), corner(size, 0.0), corner(0.0, size)].into_iter().for_each(|v| held[v] = true);
            let (mut forces, end) = (vec![0.0; held.len()], corner(size, size));
            forces[end] = 1.0;
            let w = deflections(plate(&mesh, poisson_ratio).as_ref(), &held, &forces);
            let ratio = w[end] / (size * size / (2.0 * STIFFNESS * (1.0 - poisson_ratio)));
            println!("{cut:?}, ν = {poisson_ratio}: {ratio:.6}");
            assert_close(ratio, 1.0, 1e-3, &format!("{cut:?} with ν = {poisson_ratio}"));
        }
    }
}

/// Energy of the triangles that are not at the rim, over that of the plate.
fn forced(mesh: &TriangleMesh, poisson_ratio: f64, shape: impl Fn(Vec3) -> Vec3, density: impl Fn(Vec3) -> f64) -> f64 {
    let batch = plate(mesh, poisson_ratio);
    let operator = batch.operator();
    let x: Vec<Vec3> = mesh.positions.iter().map(|p| shape(*p)).collect();
    let rims: Vec<[u32; 2]> = mesh.boundary_edges();
    let is_at_rim = |triangle: &[u32; 3]| (0..3).any(|k| rims.contains(&[triangle[k], triangle[(k + 1) % 3]]));
    let none = vec![Vec3::ZERO; 3 * operator.len()];
    let (mut found, mut expected) = (0.0, 0.0);
    for (t, _) in mesh.triangles.iter().enumerate().filter(|(_, triangle)| !is_at_rim(triangle)) {
        let [a, b, c] = mesh.corners(t);
        found += operator.element_energy(t, &x, &none);
        expected += 0.5 * STIFFNESS * density((a + b + c) / 3.0) * 0.5 * (b - a).cross(c - a).length();
    }
    found / expected
}

#[test]
fn forced_shapes_have_the_energy_of_the_plate() {
    let cells = 12;
    for cut in ALL {
        let mesh = lattice(cut, -cells / 2, cells / 2, |_, _| true);
        for nu in [0.0, 0.3] {
            for degrees in [0.0, 30.0, 45.0, 135.0] {
                let (sine, cosine) = f64::to_radians(degrees).sin_cos();
                let radius = 30.0;
                let roll = |p: Vec3| {
                    let (around, along) = ((p.x * cosine + p.y * sine) / radius, p.y * cosine - p.x * sine);
                    Vec3::new(radius * around.sin(), along, radius * around.cos())
                };
                let ratio = forced(&mesh, nu, roll, |_| radius.powi(-2));
                assert_close(ratio, 1.0, 0.01, &format!("{cut:?}: cylinder at {degrees}° with ν = {nu}"));
            }
            // Graphs of small slope, whose energy is that of their second derivatives.
            let energy =
                |xx: f64, yy: f64, xy: f64| (1.0 - nu) * (xx * xx + yy * yy + 2.0 * xy * xy) + nu * (xx + yy).powi(2);
            let cap = |p: Vec3| p.with_z(1e-3 * (p.x * p.x + p.y * p.y));
            assert_close(forced(&mesh, nu, cap, |_| energy(2e-3, 2e-3, 0.0)), 1.0, 2e-3, &format!("{cut:?}: cap"));
            let saddle = |p: Vec3| p.with_z(1e-3 * (p.x * p.x - p.y * p.y) + 5e-4 * p.x * p.y);
            let ratio = forced(&mesh, nu, saddle, |_| energy(2e-3, -2e-3, 5e-4));
            assert_close(ratio, 1.0, 2e-3, &format!("{cut:?}: saddle"));
            let wave = |p: Vec3| p.with_z(1e-3 * (0.25 * p.x).sin() * (0.2 * p.y).cos());
            let density = |p: Vec3| {
                let (u, v) = (0.25 * p.x, 0.2 * p.y);
                energy(-6.25e-5 * u.sin() * v.cos(), -4e-5 * u.sin() * v.cos(), -5e-5 * u.cos() * v.sin())
            };
            assert_close(forced(&mesh, nu, wave, density), 1.0, 0.05, &format!("{cut:?}: wave"));
        }
    }
}

#[test]
fn a_plate_that_is_moved_and_turned_has_no_energy() {
    for cut in ALL {
        let mesh = lattice(cut, 0, 6, |_, _| true);
        let batch = plate(&mesh, 0.3);
        let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 2.1);
        let x: Vec<Vec3> = mesh.positions.iter().map(|p| turn * *p + Vec3::new(70.0, -40.0, 90.0)).collect();
        let none = vec![Vec3::ZERO; 3 * batch.operator().len()];
        let bent: Vec<Vec3> = mesh.positions.iter().map(|p| p.with_z(0.01 * p.x * p.x)).collect();
        let (rigid, bent) = (batch.operator().energy(&x, &none), batch.operator().energy(&bent, &none));
        assert!(rigid < 1e-18 * bent.max(1.0), "{cut:?}: {rigid:e} J, and {bent:e} J of a slight bend");
    }
}

/// What slivers do: a row of vertices that moves towards the next one must not make coefficients grow beyond what triangles of that height have.
#[test]
fn slivers_and_conics_keep_coefficients_bounded() {
    for gap in [0.5, 0.1, 1e-2, 1e-4] {
        let mut mesh = lattice(Cut::Alternating, 0, 6, |_, _| true);
        mesh.positions.iter_mut().filter(|p| p.x == 3.0).for_each(|p| p.x = 2.0 + gap);
        let batch = plate(&mesh, 0.3);
        let operator = batch.operator();
        for e in 0..operator.len() {
            let most = operator.coefficients(e).iter().fold(0.0_f64, |most, c| most.max(c.abs()));
            // A curvature over the height of the sliver, which is `gap`.
            assert!(most < 20.0 / (gap * gap), "gap {gap}: coefficient {most:e}");
        }
    }
    // Six corners around a seventh lie on a circle, so that with the hinge's own only conics pass through them.
    let ring = (0..6).map(|k| f64::from(k) * PI / 3.0).map(|a| Vec3::new(a.cos(), a.sin(), 0.0));
    let fan = TriangleMesh::new(
        std::iter::once(Vec3::ZERO).chain(ring).collect(),
        (0..6).map(|k| [0, 1 + k, 1 + (k + 1) % 6]).collect(),
    );
    let batch = plate(&fan.unwrap(), 0.0);
    assert!((0..6).all(|e| batch.operator().coefficients(e).iter().all(|c| c.abs() < 10.0)));
}

#[test]
fn cloth_is_a_plate_where_it_is_flat_and_hinged_where_not() {
    let kinds = |mesh: &TriangleMesh, bend_model| {
        let material = ClothMaterial { bend_model, ..ClothMaterial::default() };
        material.energies(mesh).map(|energies| energies.last().unwrap().kind())
    };
    let flat = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh().unwrap();
    let bent = |angle: f64| {
        let mut mesh = flat.clone();
        mesh.positions.iter_mut().filter(|p| p.x > 0.0).for_each(|p| p.z = p.x * angle.tan());
        mesh
    };
    assert_eq!(kinds(&flat, BendModel::Auto), Ok("plate"));
    assert_eq!(kinds(&bent(1e-4), BendModel::Auto), Ok("plate"));
    assert_eq!(kinds(&bent(4e-3), BendModel::Auto), Ok("hinge"));
    assert_eq!(kinds(&flat, BendModel::Hinge), Ok("hinge"));
    assert_eq!(kinds(&flat, BendModel::MeanCurvature), Ok("bending"));
    let error = kinds(&bent(0.1), BendModel::Plate).unwrap_err().to_string();
    assert!(error.contains("the rest shape must be flat"), "{error}");
}

/// The strip of 1 m × 0.1 m that sags by qL⁴/8EI, through the whole engine.
#[test]
fn a_strip_of_the_default_cloth_keeps_its_stiffness() {
    let (cells, diagonals, plane) = (20, Diagonals::Forward, Plane::Xz);
    let cell = 1.0 / (f64::from(cells) + 0.5);
    let (width, columns) = (cell * f64::from(cells + 1), cells as usize + 1);
    let sheet = Sheet { width, height: 0.1, columns, rows: 2, diagonals, plane, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap().translated(Vec3::X * (0.5 * width - 0.5 * cell));
    let material = ClothMaterial {
        density: 4.5,
        youngs_modulus: 1e8,
        thickness: 5e-3,
        bending_stiffness: None,
        ..ClothMaterial::default()
    };
    let body = Body::cloth(&mesh, &material).unwrap().pin_where(|p| p.x < 0.51 * cell);
    let gravity = Vec3::NEG_Y * 0.005;
    let mut sim = Simulation::builder().body(body).gravity(gravity).time_step(5.0).solver(exact()).build().unwrap();
    settle(&mut sim, 1e-9, 100);
    let sag = -sim.positions()[sheet.vertex(columns, 1) as usize].y;
    let expected = 4.5 * 0.005 / (8.0 * 1e8 * 5e-3_f64.powi(3) / 12.0);
    println!("sag {sag} m, qL⁴/8EI {expected} m");
    assert_close(sag, expected, 0.03, "sag");
}
