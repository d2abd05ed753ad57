//! Where files are read from: a folder of the disk, or memory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::companion::read_file;
use super::error::{Problem, ReadError};
use super::gzip::check_size;
use super::{ImportedMesh, ReadOptions, RigidMotion, read_mesh_with_companions, read_motion_from_bytes};

/// Where files are read from: a folder of the disk, or memory, where there is no disk, such as in a browser. Cheap to clone.
///
/// ```
/// use pliant_io::read::{Files, ReadOptions};
///
/// let files = Files::in_memory([("panel.obj".to_owned(), b"v 0 0 0\nv 1 0 0\nv 1 2 0\nf 1 2 3\n".to_vec())]);
/// assert_eq!(files.read_mesh("panel.obj", &ReadOptions::default())?.triangle_mesh()?.area(), 1.0);
/// let error = files.read_mesh("chair.obj", &ReadOptions::default()).unwrap_err();
/// assert_eq!(error.to_string(), "chair.obj: there is no file of this name; there is panel.obj");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Paths are relative to this.
    folder: PathBuf,
    /// Contents by path; none: they are on the disk.
    held: Option<Arc<BTreeMap<String, Arc<[u8]>>>>,
}

impl Files {
    /// Files of a folder on the disk.
    pub fn on_disk(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), held: None }
    }

    /// Files in memory: their paths, with `/` between folders, and their contents.
    pub fn in_memory(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let held = files.into_iter().map(|(path, bytes)| (plain(Path::new(&path)), bytes.into())).collect();
        Self { folder: PathBuf::new(), held: Some(Arc::new(held)) }
    }

    /// Adds a file to those in memory, in place of another of the same path; on the disk nothing is written, and it is not added.
    pub fn insert(&mut self, path: &str, bytes: Vec<u8>) {
        if let Some(held) = &mut self.held {
            // Only names are copied, where somebody else holds the list.
            Arc::make_mut(held).insert(plain(&self.folder.join(path)), bytes.into());
        }
    }

    /// The same files, with paths relative to the folder of one of them.
    #[must_use]
    pub fn beside(&self, path: impl AsRef<Path>) -> Self {
        let folder = self.folder.join(path.as_ref().parent().unwrap_or(Path::new("")));
        Self { folder, held: self.held.clone() }
    }

    /// The content of a file. A file that is too large is an error before anything is read, and so is what is not a regular file.
    pub fn read(&self, path: impl AsRef<Path>, max_bytes: u64) -> Result<Vec<u8>, ReadError> {
        let path = self.folder.join(path);
        self.content(&path, max_bytes).map_err(|error| error.of(&path.to_string_lossy()))
    }

    /// A mesh, and other files in its folder that it needs.
    pub fn read_mesh(&self, path: impl AsRef<Path>, options: &ReadOptions) -> Result<ImportedMesh, ReadError> {
        let bytes = self.read(&path, options.max_bytes)?;
        let path = self.folder.join(path);
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut beside = |file: &str| match self.content(&folder.join(file), options.max_bytes) {
            Ok(bytes) => Ok(bytes),
            Err(ReadError { problem: Problem::Io { kind, message }, .. }) => Err(io::Error::new(kind, message)),
            Err(error) => Err(io::Error::other(error.problem.to_string())),
        };
        read_mesh_with_companions(&path.to_string_lossy(), &bytes, options, &mut beside)
    }

    /// A motion of rigid parts.
    pub fn read_motion(&self, path: impl AsRef<Path>, options: &ReadOptions) -> Result<RigidMotion, ReadError> {
        let bytes = self.read(&path, options.max_bytes)?;
        read_motion_from_bytes(&self.folder.join(path).to_string_lossy(), &bytes, options)
    }

    /// Of a path in which the folder is included already.
    fn content(&self, path: &Path, max_bytes: u64) -> Result<Vec<u8>, ReadError> {
        let Some(held) = &self.held else { return read_file(path, max_bytes) };
        let Some(bytes) = held.get(&plain(path)) else {
            let names: Vec<&str> = held.keys().map(String::as_str).collect();
            let there = match names.as_slice() {
                [] => "there are no files".to_owned(),
                [one] => format!("there is {one}"),
                many => format!("there are {}", many.join(", ")),
            };
            let message = format!("there is no file of this name; {there}");
            return Err(Problem::Io { kind: io::ErrorKind::NotFound, message }.of_file());
        };
        check_size(bytes.len() as u64, max_bytes).map_err(Problem::of_file)?;
        Ok(bytes.to_vec())
    }
}

/// A path as files in memory are named: without `.` and `..`, with `/` between its parts.
fn plain(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            Component::ParentDir => drop(parts.pop()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETS: [(&str, &str); 2] =
        [("parts/one.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"), ("parts/one.ele", "1 4 0\n1 1 2 3 4\n")];

    fn held() -> Files {
        Files::in_memory(TETS.map(|(path, text)| (path.to_owned(), text.into())))
    }

    #[test]
    fn memory_and_disk_give_the_same_meshes() -> Result<(), Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("pliant-files-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("parts"))?;
        for (path, text) in TETS {
            std::fs::write(folder.join(path), text)?;
        }
        let options = ReadOptions::default();
        let disk = Files::on_disk(&folder).read_mesh("parts/one.node", &options)?;
        std::fs::remove_dir_all(folder)?;
        assert_eq!(disk, held().read_mesh("parts/one.node", &options)?);
        assert_eq!(disk.tets, [[0, 1, 2, 3]]);
        Ok(())
    }

    #[test]
    fn folders_in_memory_are_those_of_the_paths() -> Result<(), ReadError> {
        let below = held().beside("parts/scene.toml");
        for path in ["one.ele", "./one.ele", "../parts/one.ele"] {
            assert_eq!(below.read(path, 100)?, TETS[1].1.as_bytes(), "{path}");
        }
        let error = below.read("two.ele", 100).err().map(|error| error.to_string());
        let expected = "parts/two.ele: there is no file of this name; there are parts/one.ele, parts/one.node";
        assert_eq!(error.as_deref(), Some(expected));
        assert!(below.read("one.ele", 3).is_err(), "three bytes are allowed");
        let mut more = below.clone();
        more.insert("two.ele", vec![1, 2]);
        assert_eq!(more.read("../parts/two.ele", 100)?, [1, 2]);
        assert!(below.read("two.ele", 100).is_err(), "others do not see it");
        Ok(())
    }
}
