//! A coarse curtain is drawn together along its rail: `out/wrinkles.png` shows it on the left, and on the right the fine mesh that follows
//! it and wrinkles where it is compressed.

use pliant::prelude::*;
use pliant::{WrinkleMesh, WrinkleParams};
use pliant_picture::{Camera, Color, Extent, Mesh, RenderOptions, Scene, render};

const CELLS: usize = 10;
const FINE_CELLS: usize = 80;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sheet = |cells| Sheet { columns: cells, rows: cells, ..Sheet::default() };
    let (coarse, fine) = (sheet(CELLS).mesh()?, sheet(FINE_CELLS).mesh()?);
    // Stiff against bending: it gets narrower instead of folding, which is the fine mesh's part.
    let material = ClothMaterial {
        youngs_modulus: 2e4,
        bend_model: BendModel::Hinge,
        bending_stiffness: Some(1.0),
        ..ClothMaterial::default()
    };
    let rail = (0..=CELLS).map(|column| sheet(CELLS).vertex(column, CELLS));
    let cloth = Body::cloth(&coarse, &material)?.pin(rail);
    let mut sim = Simulation::builder().body(cloth).damping(Damping { drag: 2.0, ..Damping::default() }).build()?;
    let mut wrinkles = WrinkleMesh::new(&coarse, &fine, WrinkleParams::within(3.0 / FINE_CELLS as f64))?;
    for frame in 1..=60 {
        let narrower = 1.0 - 0.12 * f64::from(frame) / 60.0;
        sim.move_pins(|_, rest| Vec3::new(narrower * rest.x, rest.y, rest.z))?;
        sim.step()?;
        wrinkles.follow(sim.positions())?;
    }
    let mean_strain = |mesh: &TriangleMesh, x: &[Vec3]| {
        let edges = mesh.edges();
        let length = |x: &[Vec3], [a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
        edges.iter().map(|&e| (length(x, e) / length(&mesh.positions, e) - 1.0).abs()).sum::<f64>() / edges.len() as f64
    };
    let strains = [mean_strain(&coarse, sim.positions()), mean_strain(&fine, wrinkles.positions())];

    let beside = |x: &[Vec3], by: f64| -> Vec<Vec3> { x.iter().map(|p| *p + Vec3::X * by).collect() };
    let (left, right) = (beside(sim.positions(), -0.55), beside(wrinkles.positions(), 0.55));
    let mut extent = Extent::default();
    extent.add(&left);
    extent.add(&right);
    let bounds = extent.bounds().ok_or("nothing to show")?;
    let options = RenderOptions { width: 960, height: 540, samples: 3, ..RenderOptions::default() };
    let camera = Camera::framing(&bounds, Vec3::new(0.35, -0.2, -1.0), options.aspect());
    let colour = Color::hex(0x2f6fb5);
    let meshes =
        vec![Mesh::new(left, coarse.triangles.clone(), colour), Mesh::new(right, fine.triangles.clone(), colour)];
    render(&Scene { meshes, ..Scene::default() }, &camera, &options)?.save_png("out/wrinkles.png")?;
    println!("out/wrinkles.png: mean strain of coarse edges {:.4}, of fine ones {:.4}", strains[0], strains[1]);
    assert!(strains[1] < 0.5 * strains[0], "the fine mesh keeps its lengths");
    Ok(())
}
