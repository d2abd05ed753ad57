//! The format of a file, from its extension, or from its first bytes if that is missing or ambiguous.

use super::text::Text;

/// How much of a file is looked at to tell its format.
const SNIFFED: usize = 4096;

/// The formats that can be read. Each may also be compressed by gzip (`.obj.gz`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MeshFormat {
    /// Wavefront OBJ: polygons, polylines, texture coordinates.
    Obj,
    /// Stanford PLY, text or binary of either byte order: polygons, strips, edges.
    Ply,
    /// STL, text or binary: triangles.
    Stl,
    /// glTF 2.0, `.gltf` or `.glb`: triangles and lines of all nodes of the scene.
    Gltf,
    /// Gmsh MSH 2 and 4, text or binary.
    Gmsh,
    /// Medit `.mesh`, text.
    Medit,
    /// TetGen (or Triangle) `.node` and `.ele`; either names the pair.
    TetGen,
    /// Legacy VTK, text or binary: polydata and unstructured grids.
    Vtk,
    /// VTK's XML unstructured grids: text, base64 or raw, plain or zlib.
    Vtu,
    /// Vega FEM `.veg`: tets and hexes.
    Vega,
    /// TressFX 4 `.tfx`: guide hairs, as polylines.
    TressFx,
}

impl MeshFormat {
    /// All formats.
    pub const ALL: [Self; 11] = [
        Self::Obj,
        Self::Ply,
        Self::Stl,
        Self::Gltf,
        Self::Gmsh,
        Self::Medit,
        Self::TetGen,
        Self::Vtk,
        Self::Vtu,
        Self::Vega,
        Self::TressFx,
    ];

    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obj => "Wavefront OBJ",
            Self::Ply => "PLY",
            Self::Stl => "STL",
            Self::Gltf => "glTF",
            Self::Gmsh => "Gmsh",
            Self::Medit => "Medit",
            Self::TetGen => "TetGen",
            Self::Vtk => "legacy VTK",
            Self::Vtu => "VTK XML",
            Self::Vega => "Vega",
            Self::TressFx => "TressFX",
        }
    }

    /// Its extensions, lower case, without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Obj => &["obj"],
            Self::Ply => &["ply"],
            Self::Stl => &["stl"],
            Self::Gltf => &["glb", "gltf"],
            Self::Gmsh => &["msh"],
            Self::Medit => &["mesh"],
            Self::TetGen => &["node", "ele"],
            Self::Vtk => &["vtk"],
            Self::Vtu => &["vtu"],
            Self::Vega => &["veg"],
            Self::TressFx => &["tfx"],
        }
    }

    /// The format for the extension of a file name; a final `.gz` and case are ignored.
    ///
    /// ```
    /// use pliant_io::read::MeshFormat;
    /// assert_eq!(MeshFormat::from_name("Spot.MESH.gz"), Some(MeshFormat::Medit));
    /// assert_eq!(MeshFormat::from_name("notes.txt"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        let extension = extension(name)?;
        Self::ALL.into_iter().find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// The format that the start of a (decompressed) file shows. TetGen's bare numbers cannot be recognised.
    pub fn from_content(bytes: &[u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(SNIFFED)];
        let has = |word: &str| head.windows(word.len()).any(|window| window == word.as_bytes());
        if head.starts_with(b"glTF") {
            return Some(Self::Gltf);
        }
        if head.starts_with(b"ply\n") || head.starts_with(b"ply\r") {
            return Some(Self::Ply);
        }
        if super::stl::is_binary(bytes) || (head.starts_with(b"solid") && has("facet")) {
            return Some(Self::Stl);
        }
        if super::tressfx::is_whole(bytes) {
            return Some(Self::TressFx);
        }
        if has("$MeshFormat") {
            return Some(Self::Gmsh);
        }
        if head.starts_with(b"# vtk DataFile") {
            return Some(Self::Vtk);
        }
        if has("<VTKFile") {
            return Some(Self::Vtu);
        }
        if has("MeshVersionFormatted") {
            return Some(Self::Medit);
        }
        if has("*VERTICES") {
            return Some(Self::Vega);
        }
        if head.trim_ascii_start().starts_with(b"{") && has("\"asset\"") {
            return Some(Self::Gltf);
        }
        let mut lines = Text::new(head, b"#");
        let obj: [&[u8]; 7] = [b"v", b"vn", b"vt", b"o", b"g", b"mtllib", b"usemtl"];
        let first = lines.next_line().and_then(|mut line| line.next());
        first.filter(|word| obj.contains(word)).map(|_| Self::Obj)
    }

    /// The format of a file: by its name, unless that is silent or its content clearly says otherwise where an extension
    /// is used by several programs.
    pub(super) fn detect(name: &str, bytes: &[u8]) -> Option<Self> {
        match Self::from_name(name) {
            // Several programs write these extensions, in formats that have nothing in common.
            Some(named @ (Self::Medit | Self::Gmsh | Self::Vtk | Self::Vtu)) => {
                Some(Self::from_content(bytes).unwrap_or(named))
            }
            Some(named) => Some(named),
            None => Self::from_content(bytes),
        }
    }

    /// All formats with their extensions, for messages.
    pub(super) fn list() -> String {
        let one = |format: Self| {
            let extensions: Vec<String> = format.extensions().iter().map(|e| format!(".{e}")).collect();
            format!("{} ({})", format.name(), extensions.join(", "))
        };
        Self::ALL.map(one).join(", ")
    }
}

/// The last part of a file name without folders.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// A file's name without folders, `.gz` and extension.
pub(super) fn stem(name: &str) -> &str {
    let base = without_gz(base_name(name));
    base.rsplit_once('.').map_or(base, |(stem, _)| stem)
}

/// The extension in lower case, `.gz` looked through.
pub(super) fn extension(name: &str) -> Option<String> {
    without_gz(base_name(name)).rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())
}

pub(super) fn without_gz(name: &str) -> &str {
    match name.len().checked_sub(3).and_then(|at| name.split_at_checked(at)) {
        Some((rest, suffix)) if suffix.eq_ignore_ascii_case(".gz") => rest,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_without_gz() {
        assert_eq!(stem("a/b.c/spot_66k.mesh.gz"), "spot_66k");
        assert_eq!(stem("plain"), "plain");
        assert_eq!(extension("X.OBJ.GZ").as_deref(), Some("obj"));
        assert_eq!(extension("ä"), None);
    }

    #[test]
    fn content_tells_where_the_extension_does_not() {
        assert_eq!(MeshFormat::detect("a.mesh", b"MeshVersionFormatted 2\n"), Some(MeshFormat::Medit));
        assert_eq!(MeshFormat::detect("a.msh", b"MeshVersionFormatted 2\n"), Some(MeshFormat::Medit));
        assert_eq!(MeshFormat::detect("a", b"# comment\nv 0 0 0\n"), Some(MeshFormat::Obj));
        assert_eq!(MeshFormat::detect("a", b"{\"asset\":{}}"), Some(MeshFormat::Gltf));
        assert_eq!(MeshFormat::detect("a", b"hello"), None);
        assert_eq!(MeshFormat::detect("a.vtk", b"<?xml version=\"1.0\"?><VTKFile>"), Some(MeshFormat::Vtu));
    }
}
