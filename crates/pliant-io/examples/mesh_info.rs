//! Prints what mesh files hold: `cargo run -p pliant-io --example mesh_info -- a.obj b.vtu`.

use pliant_io::read::{ReadOptions, read_mesh, read_mesh_from_bytes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        match read_mesh(&path, &ReadOptions::default()) {
            Ok(mesh) => {
                let counts = (mesh.positions.len(), mesh.triangles.len(), mesh.tets.len(), mesh.polylines.len());
                println!(
                    "{path}: {} vertices, {} triangles, {} tets, {} polylines",
                    counts.0, counts.1, counts.2, counts.3
                );
                if let Ok(solid) = mesh.tet_mesh() {
                    println!("  volume {} m³", solid.volume());
                }
                mesh.notes.iter().for_each(|note| println!("  {note}"));
            }
            Err(error) => println!("{error}"),
        }
    }
    let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    let square = read_mesh_from_bytes("square.obj", text, &ReadOptions::default())?;
    assert_eq!(square.triangle_mesh()?.area(), 1.0);
    Ok(())
}
