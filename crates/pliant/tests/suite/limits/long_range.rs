//! Long-range attachments.

use pliant::constraint::{LongRangeAttachments, ThreadLengths};
use pliant::mesh::generate::Diagonals;
use pliant::solve::StretchLevels;

use super::*;

/// A ribbon folded into a U at rest: down from its pinned end, across, and up again. Its edges are springs, and nothing resists
/// bending.
struct Ribbon {
    mesh: TriangleMesh,
    length: f64,
    base: f64,
}

impl Ribbon {
    fn new() -> Self {
        let (leg, base, cell) = (10, 2, 0.05);
        let columns = 2 * leg + base;
        let sheet = Sheet { width: columns as f64 * cell, height: cell, columns, rows: 1, ..Sheet::default() };
        let mut mesh = sheet.mesh().unwrap();
        let left = mesh.positions.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
        let (leg, base) = (leg as f64 * cell, base as f64 * cell);
        for p in &mut mesh.positions {
            let along = p.x - left;
            let [x, y] = if along <= leg {
                [0.0, -along]
            } else if along <= leg + base {
                [along - leg, -leg]
            } else {
                [base, along - base - 2.0 * leg]
            };
            *p = Vec3::new(x, y, p.y);
        }
        Self { mesh, length: 2.0 * leg + base, base }
    }

    fn ends(&self) -> [Vec<u32>; 2] {
        let top = |x: f64| move |(_, p): &(u32, &Vec3)| p.y.abs() < 1e-9 && (p.x - x).abs() < 1e-9;
        let chosen = |x: f64| (0u32..).zip(&self.mesh.positions).filter(top(x)).map(|(v, _)| v).collect();
        [chosen(0.0), chosen(self.base)]
    }

    /// Where its free end is after hanging for a while.
    fn hang(&self, lengths: ThreadLengths) -> Vec3 {
        let [held, free] = self.ends();
        let threads = LongRangeAttachments { lengths, ..LongRangeAttachments::default() }.build(&self.mesh, &held);
        let body = Body::mass_spring(&self.mesh, 0.2, self.mesh.edges(), 1e4).unwrap();
        let body = body.pin(held).with_constraints(threads.unwrap());
        let builder = Simulation::builder().body(body).damping(Damping { drag: 2.0, ..Damping::default() });
        let mut sim = builder.solver(PositionBasedParams { iterations: 20, ..Default::default() }).build().unwrap();
        for _ in 0..400 {
            sim.step().unwrap();
        }
        sim.positions()[free[0] as usize]
    }
}

#[test]
fn a_u_shaped_ribbon_unfolds_fully_by_geodesic_lengths_and_is_locked_by_euclidean_ones() {
    let ribbon = Ribbon::new();
    let unfolded = ribbon.hang(ThreadLengths::Geodesic);
    let locked = ribbon.hang(ThreadLengths::Euclidean);
    println!("{} m long: the free end hangs at {unfolded}, with euclidean lengths at {locked}", ribbon.length);
    assert!((unfolded.y + ribbon.length).abs() < 0.01 * ribbon.length, "{unfolded}");
    assert!(locked.y > -1.5 * ribbon.base, "{locked}");
}

/// What a cloth that hangs by its upper row comes to after some steps.
#[derive(Debug)]
struct Hung {
    /// Largest distance from the attachment point above over that at rest.
    hang: f64,
    largest_edge: f64,
    mean_edge: f64,
}

fn hang_cloth(cells: usize, steps: usize, plane: Plane, threads: Option<LongRangeAttachments>) -> Hung {
    let side = 1.0;
    let (columns, diagonals) = (cells, Diagonals::Alternating);
    let sheet = Sheet { width: side, height: side, columns, rows: cells, plane, diagonals, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let top: Vec<u32> = (0..=cells).map(|column| sheet.vertex(column, cells)).collect();
    let edges = mesh.edges();
    let mut body = Body::mass_spring(&mesh, 0.2, edges.clone(), 1e4).unwrap().pin(top.clone());
    if let Some(threads) = threads {
        body = body.with_constraints(threads.build(&mesh, &top).unwrap());
    }
    let solver = PositionBasedParams::classic(10, 1.0);
    let mut sim = Simulation::builder().body(body).solver(solver).build().unwrap();
    for _ in 0..steps {
        sim.step().unwrap();
    }
    let x = sim.positions();
    let above = |v: usize| top[v % (cells + 1)] as usize;
    let stretch = |v: usize| x[v].distance(x[above(v)]) / mesh.positions[v].distance(mesh.positions[above(v)]);
    let hang = (0..cells * (cells + 1)).map(stretch).fold(0.0, f64::max);
    let edges = stretches(&edges, &mesh.positions, x);
    Hung { hang, largest_edge: largest(&edges), mean_edge: mean(&edges) }
}

#[test]
fn a_hanging_cloth_keeps_its_length_at_ten_iterations() {
    let plain = hang_cloth(80, 60, Plane::Xy, None);
    let held = hang_cloth(80, 60, Plane::Xy, Some(LongRangeAttachments::default()));
    println!("81 x 81 vertices, without threads: {plain:?}\nwith: {held:?}");
    assert!(held.hang < 1.0 + 1e-9 && held.largest_edge < 1.05, "{held:?}");
    assert!(plain.hang > 1.2, "{plain:?}");
}

#[test]
#[ignore = "long: 90 601 vertices"]
fn a_cloth_of_90_000_vertices_stretches_by_less_than_five_percent_where_plain_iterations_exceed_fifty() {
    let threads = Some(LongRangeAttachments::default());
    let plain = hang_cloth(300, 90, Plane::Xy, None);
    println!("301 x 301 vertices, hanging, without threads: {plain:?}");
    let held = hang_cloth(300, 90, Plane::Xy, threads);
    println!("with: {held:?}");
    assert!(held.mean_edge < 1.05);
    let swung = hang_cloth(300, 90, Plane::Xz, threads);
    println!("with, swinging down from level: {swung:?}");
    assert!(plain.hang > 1.5, "{plain:?}");
    assert!(held.hang < 1.05 && held.largest_edge < 1.05, "{held:?}");
    assert!(swung.hang < 1.05, "{swung:?}");
}

/// Stretches of edges while a cloth swings down from level at ten iterations: their mean over all steps, and the largest.
fn swing(cells: usize, steps: usize, levels: Option<StretchLevels>, limit: Option<StrainLimiting>) -> [f64; 2] {
    let diagonals = Diagonals::Alternating;
    let sheet = Sheet { columns: cells, rows: cells, plane: Plane::Xz, diagonals, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let top: Vec<u32> = (0..=cells).map(|column| sheet.vertex(column, cells)).collect();
    let body = Body::mass_spring(&mesh, 0.2, mesh.edges(), 1e4).unwrap().pin(top.clone());
    let body = body.with_constraints(LongRangeAttachments::default().build(&mesh, &top).unwrap());
    let solver = PositionBasedParams { levels, ..PositionBasedParams::classic(10, 1.0) };
    let builder = Simulation::builder().body(body).solver(solver);
    let builder = if let Some(limit) = limit { builder.strain_limiting(limit) } else { builder };
    let mut sim = builder.build().unwrap();
    let mut found = [0.0, 0.0];
    for _ in 0..steps {
        sim.step().unwrap();
        let edges = stretches(&mesh.edges(), &mesh.positions, sim.positions());
        found = [found[0] + mean(&edges) / steps as f64, largest(&edges).max(found[1])];
    }
    found
}

#[test]
fn levels_keep_the_edges_of_a_swinging_cloth_that_threads_alone_let_stretch() {
    let levels = Some(StretchLevels::default());
    let threads = swing(60, 45, None, None);
    let helped = swing(60, 45, levels, None);
    let limited = swing(60, 45, levels, Some(StrainLimiting::edges(1.02, 20)));
    println!("mean and largest: threads {threads:?}, with levels {helped:?}, and a limit {limited:?}");
    assert!(threads[1] > 1.5, "{threads:?}");
    assert!((helped[0] - 1.0).abs() < 0.1 * (threads[0] - 1.0), "{threads:?} {helped:?}");
    assert!(helped[1] - 1.0 < 0.5 * (threads[1] - 1.0), "{threads:?} {helped:?}");
    // Rounds over edges promise no bound; all edges at once do.
    assert!(limited[1] - 1.0 < 0.5 * (helped[1] - 1.0), "{helped:?} {limited:?}");
    let bounded = swing(30, 45, levels, Some(StrainLimiting::global(1.04)));
    println!("31 x 31 vertices, all edges limited at once: {bounded:?}");
    assert!(bounded[1] < 1.0401, "{bounded:?}");
}

#[test]
fn levels_leave_a_wrinkled_sheet_alone_whose_edges_have_their_lengths() {
    // Folded along lines: every edge keeps its length, and straight distances get shorter.
    let sheet = Sheet { columns: 16, rows: 4, width: 1.6, height: 0.4, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let zigzag = |p: &Vec3| {
        let along = (p.x + 0.8) / 0.1;
        let odd = (along.round() as i64).rem_euclid(2) as f64;
        Vec3::new(0.08 * along, p.y, 0.06 * odd)
    };
    let folded: Vec<Vec3> = mesh.positions.iter().map(zigzag).collect();
    let levels = Some(StretchLevels::default());
    let body =
        |start: &[Vec3]| Body::mass_spring(&mesh, 0.2, mesh.edges(), 1e4).unwrap().with_positions(start.to_vec());
    let moved = |body: Body, start: &[Vec3]| {
        // Levels alone: no constraint has any stiffness.
        let solver = PositionBasedParams { levels, ..PositionBasedParams::classic(3, 0.0) };
        let mut sim = Simulation::builder().body(body).solver(solver).gravity(Vec3::ZERO).build().unwrap();
        sim.step().unwrap();
        sim.positions().iter().zip(start).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    };
    let still = moved(body(&folded), &folded);
    assert!(still < 1e-12, "{still}");
    // The same folds pulled along themselves are too long, and levels alone take that back.
    let pulled: Vec<Vec3> = folded.iter().map(|p| Vec3::new(p.x, 1.1 * p.y, p.z)).collect();
    let taken_back = moved(body(&pulled), &pulled);
    assert!(taken_back > 0.25 * 0.1 * 0.2, "{taken_back} m");
}

#[test]
fn threads_to_both_corners_hold_a_cloth_better_than_one_to_the_nearest() {
    let sheet = Sheet { width: 1.0, height: 1.0, columns: 20, rows: 20, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let corners = [sheet.vertex(0, 20), sheet.vertex(20, 20)];
    let farthest = |per_vertex: usize| {
        let threads = LongRangeAttachments { per_vertex, ..LongRangeAttachments::default() };
        let body = Body::mass_spring(&mesh, 0.2, mesh.edges(), 1e4).unwrap().pin(corners);
        let body = body.with_constraints(threads.build(&mesh, &corners).unwrap());
        let solver = PositionBasedParams::classic(4, 1.0);
        let mut sim = Simulation::builder().body(body).solver(solver).build().unwrap();
        (0..60).for_each(|_| drop(sim.step().unwrap()));
        let too_long = |corner: u32, v: usize| {
            let corner = corner as usize;
            sim.positions()[v].distance(sim.positions()[corner]) / mesh.positions[v].distance(mesh.positions[corner])
        };
        let away = (0..mesh.positions.len()).filter(|v| !corners.contains(&(*v as u32)));
        away.map(|v| too_long(corners[0], v).max(too_long(corners[1], v))).fold(0.0, f64::max)
    };
    let (one, all) = (farthest(1), farthest(usize::MAX));
    println!("largest distance to a corner over that at rest: {one} by the nearest, {all} by both");
    assert!(all - 1.0 < 0.8 * (one - 1.0), "{one} {all}");
}

#[test]
fn threads_refuse_what_makes_no_sense() {
    let mesh = Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh().unwrap();
    let message = |threads: LongRangeAttachments, points: &[u32]| threads.build(&mesh, points).unwrap_err().to_string();
    let standard = LongRangeAttachments::default();
    assert!(message(standard, &[99]).contains("vertex 99"));
    assert!(message(standard, &[]).contains("points"));
    assert!(message(LongRangeAttachments { slack: -0.5, ..standard }, &[0]).contains("slack is -0.5"));
    assert!(message(LongRangeAttachments { per_vertex: 0, ..standard }, &[0]).contains("number of threads"));
    assert!(message(LongRangeAttachments { lengths: ThreadLengths::Euclidean, ..standard }, &[]).contains("points"));
}
