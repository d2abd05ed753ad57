//! Two files: TetGen's pair, or a glTF document with its buffer, whatever it is called.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_io::read::{ReadOptions, read_mesh_with_companions};

fuzz_target!(|data: (bool, &[u8], &[u8])| {
    let (tetgen, first, second) = data;
    let options = ReadOptions { max_bytes: 1 << 20, max_elements: 1 << 20, ..ReadOptions::default() };
    let mut open = |_: &str| Ok(second.to_vec());
    let name = if tetgen { "fuzz.node" } else { "fuzz.gltf" };
    let _ = read_mesh_with_companions(name, first, &options, &mut open);
});
