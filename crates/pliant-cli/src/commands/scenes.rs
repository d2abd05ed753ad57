//! `pliant scenes`.

use pliant_scene::BUILTIN;

pub(crate) fn run() {
    let widest = BUILTIN.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    for builtin in BUILTIN {
        let description = builtin.scene(&[]).ok().and_then(|scene| scene.file().description.clone());
        println!("{:widest$}  {}", builtin.name, description.unwrap_or_default());
    }
}
