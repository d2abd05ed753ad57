//! The scenes that come with Pliant, with their pictures.

use std::error::Error;
use std::path::Path;

use pliant_picture::Image;
use pliant_scene::{BUILTIN, Builtin};
use serde_json::{Value, json};

/// Pixels of a picture of the documentation, in each direction, for one pixel of a thumbnail.
const SHRINK: usize = 2;

/// Writes all scenes, their thumbnails and the list of them.
pub(crate) fn build(root: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let (scenes, pictures) = (folder.join("scenes"), root.join("docs/images"));
    std::fs::create_dir_all(&scenes)?;
    let mut list = Vec::new();
    for builtin in BUILTIN {
        std::fs::write(scenes.join(format!("{}.toml", builtin.name)), builtin.text)?;
        let picture = pictures.join(format!("{}.png", builtin.name));
        let thumbnail = shrunk(&picture).map_err(|error| format!("{}: {error}", picture.display()))?;
        std::fs::write(scenes.join(format!("{}.png", builtin.name)), thumbnail.to_indexed_png()?)?;
        list.push(entry(builtin)?);
    }
    std::fs::write(folder.join("scenes.json"), serde_json::to_string(&list)?)?;
    Ok(())
}

fn entry(builtin: &Builtin) -> Result<Value, Box<dyn Error>> {
    let scene = builtin.scene(&[])?;
    let name = builtin.name;
    Ok(json!({
        "name": name,
        "title": scene.file().title.as_deref().unwrap_or(name),
        "description": scene.file().description.as_deref().unwrap_or(""),
        "file": format!("scenes/{name}.toml"),
        "picture": format!("scenes/{name}.png"),
    }))
}

/// A picture that `pliant gallery` drew, smaller.
fn shrunk(path: &Path) -> Result<Image, Box<dyn Error>> {
    let mut decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path)?));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("the picture is too large")?];
    let info = reader.next_frame(&mut bytes)?;
    let channels = info.color_type.samples();
    if channels < 3 {
        return Err("the picture has no colours".into());
    }
    let (wide, width, height) = (info.width as usize, info.width as usize / SHRINK, info.height as usize / SHRINK);
    let pixel = |x: usize, y: usize| -> [u8; 3] {
        // The mean of a square. As brightness is what is shown, and not light, edges get a little darker than they should.
        let mut sum = [0_usize; 3];
        for (dx, dy) in (0..SHRINK * SHRINK).map(|k| (k % SHRINK, k / SHRINK)) {
            let at = channels * ((y * SHRINK + dy) * wide + x * SHRINK + dx);
            for (sum, &value) in sum.iter_mut().zip(&bytes[at..at + 3]) {
                *sum += usize::from(value);
            }
        }
        sum.map(|sum| (sum / (SHRINK * SHRINK)) as u8)
    };
    let pixels = (0..width * height).map(|k| pixel(k % width, k / width)).collect();
    Ok(Image::from_pixels(width, height, pixels)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_has_a_thumbnail_and_a_text() -> Result<(), Box<dyn Error>> {
        let folder = std::env::temp_dir().join(format!("pliant-web-gallery-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        build(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &folder)?;
        let list: Vec<Value> = serde_json::from_slice(&std::fs::read(folder.join("scenes.json"))?)?;
        assert_eq!(list.len(), BUILTIN.len());
        for entry in &list {
            for key in ["file", "picture"] {
                let path = folder.join(entry[key].as_str().ok_or("a path")?);
                assert!(std::fs::metadata(&path)?.len() > 100, "{}", path.display());
            }
            assert!(entry["title"].as_str().is_some_and(|title| !title.is_empty()));
        }
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }
}
