//! Builds the page into a folder.
//!
//! `modules.rs` makes the two wasm modules and what JavaScript calls them by; `gallery.rs` the scenes with their pictures; the rest of the page is copied. All paths within the
//! page are relative, so that it can stand anywhere.

mod gallery;
mod modules;

use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use brotli::BrotliCompress;
use brotli::enc::BrotliEncoderParams;

/// Of Brotli: the best, and its largest window, in powers of two.
const QUALITY: i32 = 11;
const WINDOW: i32 = 22;

/// Builds the page. Files of an earlier build are replaced; others in the folder stay.
pub(crate) fn page(folder: &Path) -> Result<(), Box<dyn Error>> {
    let own =
        std::env::var_os("CARGO_MANIFEST_DIR").ok_or("run this program by cargo, which says where its source is")?;
    let own = PathBuf::from(own);
    let root = own
        .parent()
        .and_then(Path::parent)
        .ok_or("the source of this program is not in the folder crates of Pliant")?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let modules = folder.join("modules");
    for module in modules::NAMES {
        modules::build(root, module, &modules)?;
    }
    gallery::build(root, folder)?;
    for entry in std::fs::read_dir(own.join("page"))? {
        let file = entry?;
        std::fs::copy(file.path(), folder.join(file.file_name()))?;
    }
    let mut size = 0;
    for part in [folder, &modules] {
        for entry in std::fs::read_dir(part)? {
            size += compress(&entry?.path())?;
        }
    }
    println!("{}: {:.2} MB compressed, without pictures", folder.display(), size as f64 * 1e-6);
    Ok(())
}

/// Writes a compressed copy beside a file that gets smaller by it, for servers that can send that. Returns its bytes.
fn compress(path: &Path) -> Result<usize, Box<dyn Error>> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or("");
    if !["wasm", "js", "css", "html", "json", "svg"].contains(&ending) {
        return Ok(0);
    }
    let (whole, mut bytes) = (std::fs::read(path)?, Vec::new());
    BrotliCompress(
        &mut whole.as_slice(),
        &mut bytes,
        &BrotliEncoderParams { quality: QUALITY, lgwin: WINDOW, ..BrotliEncoderParams::default() },
    )?;
    std::fs::write(path.with_added_extension("br"), &bytes)?;
    Ok(bytes.len())
}
