//! The list of formats.

use std::fmt;

/// A format that runs can be exported to.
///
/// ```
/// use pliant_io::write::ExportFormat;
///
/// assert_eq!(ExportFormat::from_name("glb"), Some(ExportFormat::Glb));
/// for format in ExportFormat::ALL {
///     println!("{:5} {}: carries {}; not {}", format.name(), format.description(), format.carries(), format.lacks());
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    /// Wavefront OBJ, one file per frame.
    Obj,
    /// Stanford PLY, binary, one file per frame.
    Ply,
    /// VTK unstructured grids with a PVD index.
    Vtu,
    /// One NumPy array.
    Npy,
    /// Binary glTF with morph targets.
    Glb,
    /// Point cache 2.
    Pc2,
    /// LightWave motion designer point cache.
    Mdd,
    /// Universal Scene Description, as text.
    Usda,
}

struct Info {
    name: &'static str,
    extension: &'static str,
    description: &'static str,
    carries: &'static str,
    lacks: &'static str,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 8] =
        [Self::Obj, Self::Ply, Self::Vtu, Self::Npy, Self::Glb, Self::Pc2, Self::Mdd, Self::Usda];

    fn info(self) -> Info {
        match self {
            Self::Obj => Info {
                name: "obj",
                extension: "obj",
                description: "Wavefront OBJ, one text file per frame: opens everywhere",
                carries: "surfaces, polylines, points, bodies as objects, meshes that tear, full precision",
                lacks: "tets (their boundary instead), time, velocities, channels",
            },
            Self::Ply => Info {
                name: "ply",
                extension: "ply",
                description: "Stanford PLY, one binary file per frame: MeshLab, Blender, Open3D",
                carries: "surfaces, polylines as edges, points, velocities, vertex channels, meshes that tear, full precision",
                lacks: "tets (their boundary instead), time, body names, element channels",
            },
            Self::Vtu => Info {
                name: "vtu",
                extension: "pvd",
                description: "VTK unstructured grids with a PVD time index: ParaView, PyVista, meshio",
                carries: "tets, surfaces, polylines, points, time, velocities, all channels, body numbers, meshes that tear, full precision",
                lacks: "body names (a comment only)",
            },
            Self::Npy => Info {
                name: "npy",
                extension: "npy",
                description: "one NumPy array of shape (frames, vertices, 3): numpy.load, also memory-mapped",
                carries: "positions of all vertices, also inside solids, full precision",
                lacks: "elements, bodies, time, velocities, channels, meshes that tear",
            },
            Self::Glb => Info {
                name: "glb",
                extension: "glb",
                description: "binary glTF, one morph target per frame: browsers, Blender, game engines",
                carries: "surfaces, polylines, points, bodies as nodes, time, normals, texture coordinates, colliders",
                lacks: "tets (their boundary instead), velocities, channels, double precision, meshes that tear, files over 4 GiB",
            },
            Self::Pc2 => Info {
                name: "pc2",
                extension: "pc2",
                description: "point cache 2 for a mesh cache modifier: Blender, 3ds Max; comes with the mesh as OBJ",
                carries: "positions of the vertices of the OBJ",
                lacks: "elements and bodies (in the OBJ), time other than a constant rate, velocities, channels, double precision, meshes that tear",
            },
            Self::Mdd => Info {
                name: "mdd",
                extension: "mdd",
                description: "MDD point cache: Blender, LightWave, Maya, Houdini; comes with the mesh as OBJ",
                carries: "positions of the vertices of the OBJ, time",
                lacks: "elements and bodies (in the OBJ), velocities, channels, double precision, meshes that tear",
            },
            Self::Usda => Info {
                name: "usda",
                extension: "usda",
                description: "Universal Scene Description text with time samples: Houdini, Maya, Blender, Omniverse",
                carries: "surfaces, polylines as curves, points, bodies as prims, velocities, meshes that tear, frame rate, units, up axis, normals, texture coordinates, colliders",
                lacks: "tets (their boundary instead), channels, double precision",
            },
        }
    }

    /// Its name, as on a command line.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The extension of the file to open, without the dot.
    pub fn extension(self) -> &'static str {
        self.info().extension
    }

    /// What it is and which programs open it.
    pub fn description(self) -> &'static str {
        self.info().description
    }

    /// Which parts of a run are in the file.
    pub fn carries(self) -> &'static str {
        self.info().carries
    }

    /// Which parts of a run are not in the file.
    pub fn lacks(self) -> &'static str {
        self.info().lacks
    }

    /// Whether frames may have different meshes, as in a run that tears or is cut.
    pub fn carries_changing_topology(self) -> bool {
        matches!(self, Self::Obj | Self::Ply | Self::Vtu | Self::Usda)
    }

    /// The format for a name or extension, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(|format| is(format.name()) || is(format.extension()))
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
