//! The first byte chooses the format (or leaves it to be found), the rest is the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_io::read::{MeshFormat, ReadOptions, read_mesh_from_bytes};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let options = ReadOptions {
        format: MeshFormat::ALL.get(usize::from(choice) % (MeshFormat::ALL.len() + 1)).copied(),
        max_bytes: 1 << 20,
        max_elements: 1 << 20,
        ..ReadOptions::default()
    };
    if let Ok(mesh) = read_mesh_from_bytes("fuzz", bytes, &options) {
        let count = mesh.positions.len() as u32;
        assert!(mesh.triangles.iter().flatten().chain(mesh.tets.iter().flatten()).all(|&vertex| vertex < count));
        assert!(mesh.polylines.iter().flatten().all(|&vertex| vertex < count));
        assert!(mesh.positions.iter().all(|position| position.is_finite()));
    }
});
