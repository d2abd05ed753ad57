use pliant::energy::PlateBending;
use pliant::prelude::*;
use std::time::Instant;
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for cells in [40usize, 80] {
        for model in [BendModel::None, BendModel::MeanCurvature, BendModel::Plate, BendModel::Hinge] {
            if model == BendModel::Hinge && cells == 80 {
                continue;
            }
            for (name, solver) in [
                (
                    "xpbd",
                    pliant::solve::SolverChoice::from(PositionBasedParams {
                        iterations: 10,
                        ..PositionBasedParams::default()
                    }),
                ),
                ("projective", ProjectiveParams::plain(10).into()),
            ] {
                let sheet = Sheet { columns: cells, rows: cells, ..Sheet::default() };
                let mesh = sheet.mesh()?;
                let material = ClothMaterial { bend_model: model, bending_stiffness: Some(1e-5), ..Default::default() };
                let body = Body::cloth(&mesh, &material)?.pin([sheet.vertex(0, 0), sheet.vertex(cells, 0)]);
                let mut sim = Simulation::builder().body(body).solver(solver).threads(1).build()?;
                sim.step()?;
                let mut best = f64::INFINITY;
                for _ in 0..20 {
                    let t = Instant::now();
                    sim.step()?;
                    best = best.min(t.elapsed().as_secs_f64());
                }
                println!("{cells} {model:?} {name}: {:.3} ms a step of 10 iterations", 1e3 * best);
            }
        }
    }
    let mut mesh = Sheet { columns: 100, rows: 100, ..Sheet::default() }.mesh()?;
    let t = Instant::now();
    PlateBending { stiffness: 1.0, poisson_ratio: 0.0 }.build(&mesh)?;
    println!("build 20000 regular: {:.1} ms", 1e3 * t.elapsed().as_secs_f64());
    for (k, p) in mesh.positions.iter_mut().enumerate() {
        p.x += 0.002 * (12.9898 * k as f64).sin();
        p.y += 0.002 * (78.233 * k as f64).sin();
    }
    let t = Instant::now();
    let b = PlateBending { stiffness: 1.0, poisson_ratio: 0.0 }.build(&mesh)?;
    let corners = b.operator().corner_vertices().len() as f64 / b.operator().len() as f64;
    println!("build 20000 irregular: {:.1} ms, stencil {corners:.2}", 1e3 * t.elapsed().as_secs_f64());
    Ok(())
}
