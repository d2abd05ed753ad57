//! The problems that all methods solve: the same vertices, elements, masses, pins and matrices for each.
//!
//! Cloths are grids of Liu's springs [Liu 2013, §3]: along the edges, along one diagonal of each cell, and over every other
//! vertex; pinned at two corners, they start flat and swing down. Bars are tets with the corotated energy [Bouaziz 2014,
//! §5.1], pinned at one end, and bend under their weight.

use std::path::PathBuf;
use std::sync::Arc;

use pliant::math::{Mat3, Vec3};
use pliant::mesh::generate::{Plane, Shear, Sheet, TetBox};
use pliant::mesh::sdf::{Capsule, Solid};
use pliant::mesh::{Resolution, Simplices, TetMesh, Tetrahedralise};
use pliant::sparse::{SymmetricMatrix, SymmetricPattern};
use pliant_io::read::{ReadOptions, read_mesh};

use crate::BenchError;

/// Length of a step \[s\].
pub const TIME_STEP: f64 = 1.0 / 60.0;
/// Acceleration of free fall along y \[m/s²\].
pub const GRAVITY: f64 = -9.81;
/// Local/global iterations in a frame, as in the papers.
pub const ITERATIONS: usize = 10;

/// Areal density of cloth \[kg/m²\], and stiffness of its springs \[N/m\]: a light cotton that stretches by about 1 % when hung.
const CLOTH_DENSITY: f64 = 0.2;
const SPRING_STIFFNESS: f64 = 100.0;
/// Density \[kg/m³\] and Young's modulus \[Pa\] of solids, of Poisson ratio 0: soft rubber that bends visibly.
const SOLID_DENSITY: f64 = 1000.0;
/// Young's modulus of solids \[Pa\].
pub const YOUNGS_MODULUS: f64 = 3e5;

/// Elements of one kind.
#[derive(Debug, Clone)]
pub enum Elements {
    /// Springs with one stiffness.
    Springs {
        /// Ends of each; the structural ones first.
        edges: Vec<[u32; 2]>,
        /// How many of them run along the grid.
        structural: usize,
        /// Length of each at rest \[m\].
        rest_lengths: Vec<f64>,
        /// Stiffness \[N/m\].
        stiffness: f64,
    },
    /// Tets that project to rotations, and where they resist changes of volume to the determinant 1 too.
    Tets {
        /// Corners of each.
        tets: Vec<[u32; 4]>,
        /// For each tet and corner c the vector g_c of F = Σ x_c g_cᵀ \[1/m\].
        gradients: Vec<[Vec3; 4]>,
        /// 2μ times volume of each \[J\], which is Young's modulus times volume for a Poisson ratio of 0.
        weights: Vec<f64>,
        /// 3λ times volume of each \[J\]; 0 for a Poisson ratio of 0.
        volume_weights: Vec<f64>,
        /// Poisson ratio.
        poisson_ratio: f64,
    },
}

/// A body to simulate.
#[derive(Debug, Clone)]
pub struct Problem {
    /// What it is called.
    pub name: String,
    /// Vertices at rest and at the start \[m\].
    pub rest: Vec<Vec3>,
    /// Their masses \[kg\].
    pub masses: Vec<f64>,
    /// Vertices that stay where they are, ascending.
    pub pinned: Vec<u32>,
    /// What holds them together.
    pub elements: Elements,
}

/// The linear system M/h² + Σ w AᵀA over the free vertices of a problem.
#[derive(Debug, Clone)]
pub struct System {
    /// Vertices that are solved for, ascending.
    pub free: Vec<u32>,
    /// Place of each vertex among them; none when it is pinned.
    pub free_index: Vec<Option<u32>>,
    /// Rest positions of the free vertices \[m\].
    pub positions: Vec<Vec3>,
    /// The matrix.
    pub matrix: SymmetricMatrix,
}

impl System {
    /// A right-hand side without symmetry or smoothness, the same on every machine.
    pub fn right_hand_side(&self) -> Vec<Vec3> {
        let wave = |k: usize, phase: f64| ((k as f64 + 1.0) * 12.9898 + phase).sin();
        (0..self.free.len()).map(|k| Vec3::new(wave(k, 0.0), wave(k, 1.0), wave(k, 2.0))).collect()
    }
}

impl Problem {
    /// A square cloth of 1 m with as many vertices along each side, lying, pinned at two corners.
    pub fn cloth(name: &str, vertices_along: usize) -> Result<Self, BenchError> {
        Self::sheet(name, vertices_along, Plane::Xz)
    }

    /// The same cloth, hanging from its upper corners.
    pub fn hanging_cloth(name: &str, vertices_along: usize) -> Result<Self, BenchError> {
        Self::sheet(name, vertices_along, Plane::Xy)
    }

    fn sheet(name: &str, vertices_along: usize, plane: Plane) -> Result<Self, BenchError> {
        let cells = vertices_along - 1;
        let sheet = Sheet { width: 1.0, height: 1.0, columns: cells, rows: cells, plane, ..Sheet::default() };
        let mesh = sheet.mesh()?;
        let mut edges = sheet.structural_edges()?;
        let structural = edges.len();
        edges.extend(sheet.shear_edges(Shear::Single)?);
        edges.extend(sheet.skip_one_edges()?);
        let length = |&[a, b]: &[u32; 2]| mesh.positions[a as usize].distance(mesh.positions[b as usize]);
        let rest_lengths = edges.iter().map(length).collect();
        Ok(Self {
            name: name.to_owned(),
            masses: mesh.lumped_masses(CLOTH_DENSITY)?,
            pinned: vec![sheet.vertex(0, cells), sheet.vertex(cells, cells)],
            rest: mesh.positions,
            elements: Elements::Springs { edges, structural, rest_lengths, stiffness: SPRING_STIFFNESS },
        })
    }

    /// A bar of 1 m with these numbers of vertices across and along, pinned at the end of least x.
    pub fn bar(name: &str, vertices_across: usize, vertices_along: usize) -> Result<Self, BenchError> {
        Self::bar_of_poisson_ratio(name, vertices_across, vertices_along, 0.0)
    }

    /// The same of another Poisson ratio.
    pub fn bar_of_poisson_ratio(
        name: &str,
        vertices_across: usize,
        vertices_along: usize,
        poisson_ratio: f64,
    ) -> Result<Self, BenchError> {
        let (across, along) = (vertices_across - 1, vertices_along - 1);
        let mesh = TetBox::bar(1.0, across as f64 / along as f64, along, across).mesh()?;
        Self::solid(name, mesh, poisson_ratio, |p| p.x)
    }

    /// A solid pinned where `height` is within 2 % of its range from the least.
    fn solid(name: &str, mesh: TetMesh, poisson_ratio: f64, height: impl Fn(Vec3) -> f64) -> Result<Self, BenchError> {
        mesh.check_quality()?;
        let heights: Vec<f64> = mesh.positions.iter().map(|&p| height(p)).collect();
        let low = heights.iter().fold(f64::INFINITY, |low, &h| low.min(h));
        let high = heights.iter().fold(f64::NEG_INFINITY, |high, &h| high.max(h));
        let limit = low + 0.02 * (high - low);
        let pinned = (0..).zip(&heights).filter(|&(_, &h)| h <= limit).map(|(v, _)| v).collect();
        let gradients = mesh.tets.iter().map(|tet| rest_gradients(tet.map(|v| mesh.positions[v as usize]))).collect();
        let [strain, volume] = stiffness(poisson_ratio);
        let weights = mesh.tet_volumes().iter().map(|content| strain * content).collect();
        let volume_weights = mesh.tet_volumes().iter().map(|content| volume * content).collect();
        Ok(Self {
            name: name.to_owned(),
            masses: mesh.lumped_masses(SOLID_DENSITY)?,
            pinned,
            rest: mesh.positions,
            elements: Elements::Tets { tets: mesh.tets, gradients, weights, volume_weights, poisson_ratio },
        })
    }

    /// A figure with a trunk, a head, a tail, two arms and two legs, so many cells high, standing on its feet.
    pub fn figure(name: &str, cells: usize) -> Result<Self, BenchError> {
        let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
        let limb = |start: Vec3, end: Vec3, radius: f64| Capsule { ends: [start, end], radius };
        let mut solid = Solid::new(limb(at(0.0, 0.42, 0.0), at(0.0, 0.62, 0.02), 0.14));
        for (part, fillet) in [
            (limb(at(0.0, 0.82, 0.05), at(0.0, 0.86, 0.10), 0.08), 0.08),
            (limb(at(-0.10, 0.66, 0.0), at(-0.34, 0.74, 0.08), 0.05), 0.06),
            (limb(at(0.10, 0.66, 0.0), at(0.34, 0.74, 0.08), 0.05), 0.06),
            (limb(at(-0.07, 0.36, 0.0), at(-0.13, 0.06, 0.02), 0.06), 0.06),
            (limb(at(0.07, 0.36, 0.0), at(0.13, 0.06, 0.02), 0.06), 0.06),
            (limb(at(0.0, 0.36, -0.08), at(0.0, 0.14, -0.34), 0.045), 0.06),
        ] {
            solid = solid.smooth_union(part, fillet);
        }
        let filled =
            Tetrahedralise { resolution: Resolution::Cells(cells), ..Tetrahedralise::default() }.fill(&solid)?;
        Self::solid(name, filled.mesh, 0.0, |p| p.y)
    }

    /// Spot the cow from the folder of test data, standing on its hooves; none where the data is absent.
    pub fn spot() -> Result<Option<Self>, BenchError> {
        let folder = std::env::var_os("PLIANT_DATA")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
        let file = folder.join("tet/spot_tet_66k.mesh.gz");
        if !file.is_file() {
            eprintln!("spot-66k is left out: no {} (set PLIANT_DATA to the folder of test data)", file.display());
            return Ok(None);
        }
        let mesh = read_mesh(file, &ReadOptions::default())?.tet_mesh()?;
        Self::solid("spot-66k", mesh, 0.0, |p| p.y).map(Some)
    }

    /// Number of elements.
    pub fn element_count(&self) -> usize {
        match &self.elements {
            Elements::Springs { edges, .. } => edges.len(),
            Elements::Tets { tets, .. } => tets.len(),
        }
    }

    /// Whether its elements resist changes of volume beside strain.
    pub fn resists_volume(&self) -> bool {
        matches!(self.elements, Elements::Tets { poisson_ratio, .. } if poisson_ratio > 0.0)
    }

    /// What the elements are.
    pub fn element_kind(&self) -> &'static str {
        match &self.elements {
            Elements::Springs { .. } => "springs",
            Elements::Tets { .. } => "tets",
        }
    }

    /// M/h² + Σ w AᵀA over the free vertices.
    pub fn system(&self) -> System {
        let mut free_index = vec![Some(0); self.rest.len()];
        self.pinned.iter().for_each(|&v| free_index[v as usize] = None);
        let mut free = Vec::with_capacity(self.rest.len());
        for (v, index) in (0..).zip(&mut free_index) {
            if index.is_some() {
                *index = Some(free.len() as u32);
                free.push(v);
            }
        }
        let mut entries: Vec<(u32, u32, f64)> = Vec::new();
        self.for_each_pair(|i, j, value| {
            if let (Some(i), Some(j)) = (free_index[i as usize], free_index[j as usize]) {
                entries.push((i, j, value));
            }
        });
        let pattern = SymmetricPattern::new(free.len(), entries.iter().map(|&(i, j, _)| (i, j)));
        let mut matrix = SymmetricMatrix::zero(Arc::new(pattern));
        entries.iter().enumerate().for_each(|(k, &(_, _, value))| matrix.add(k, value));
        for (k, &v) in free.iter().enumerate() {
            matrix.add_diagonal(k, self.masses[v as usize] / (TIME_STEP * TIME_STEP));
        }
        System { positions: free.iter().map(|&v| self.rest[v as usize]).collect(), free, free_index, matrix }
    }

    /// Calls `visit` with each contribution of w AᵀA to the upper triangle, vertices in any order within a pair.
    fn for_each_pair(&self, mut visit: impl FnMut(u32, u32, f64)) {
        match &self.elements {
            Elements::Springs { edges, stiffness, .. } => {
                for &[a, b] in edges {
                    visit(a, a, *stiffness);
                    visit(b, b, *stiffness);
                    visit(a, b, -*stiffness);
                }
            }
            Elements::Tets { tets, gradients, weights, volume_weights, .. } => {
                let weights = weights.iter().zip(volume_weights).map(|(strain, volume)| strain + volume);
                for ((tet, gradient), weight) in tets.iter().zip(gradients).zip(weights) {
                    for a in 0..4 {
                        for b in a..4 {
                            visit(tet[a], tet[b], weight * gradient[a].dot(gradient[b]));
                        }
                    }
                }
            }
        }
    }

    /// Σ_pinned −K x over the free vertices: what pinned vertices, which do not move, add to every right-hand side \[N\].
    pub fn pull_of_pins(&self, system: &System) -> Vec<Vec3> {
        let mut pull = vec![Vec3::ZERO; system.free.len()];
        self.for_each_pair(|i, j, value| {
            for (row, column) in [(i, j), (j, i)] {
                if let (Some(k), None) = (system.free_index[row as usize], system.free_index[column as usize]) {
                    pull[k as usize] -= self.rest[column as usize] * value;
                }
            }
        });
        pull
    }
}

/// Columns g_c of F = Σ x_c g_cᵀ for a tet at rest.
fn rest_gradients(corners: [Vec3; 4]) -> [Vec3; 4] {
    let [a, b, c, d] = corners;
    let inverse = Mat3::from_cols(b - a, c - a, d - a).inverse().transpose();
    let (gb, gc, gd) = (inverse.x_axis, inverse.y_axis, inverse.z_axis);
    [-(gb + gc + gd), gb, gc, gd]
}

/// Stiffness of strain, 2μ, and of volume, 3λ, of solids with a Poisson ratio \[Pa\].
pub fn stiffness(poisson_ratio: f64) -> [f64; 2] {
    let (e, nu) = (YOUNGS_MODULUS, poisson_ratio);
    [e / (1.0 + nu), 3.0 * e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))]
}

/// Names of the problems of a full run, the quick ones first.
pub const NAMES: [&str; 9] = [
    "curtain-81",
    "bar-1k",
    "cloth-161",
    "bar-10k",
    "bar-10k-nu-0.4",
    "cloth-321",
    "cloth-641",
    "spot-66k",
    "bar-100k",
];

/// A problem by its name; none where its data is absent.
pub fn by_name(name: &str) -> Result<Option<Problem>, BenchError> {
    match name {
        "curtain-81" => Problem::cloth(name, 81).map(Some),
        "cloth-161" => Problem::cloth(name, 161).map(Some),
        "cloth-321" => Problem::cloth(name, 321).map(Some),
        "cloth-641" => Problem::cloth(name, 641).map(Some),
        "bar-1k" => Problem::bar(name, 8, 22).map(Some),
        "bar-10k" => Problem::bar(name, 16, 40).map(Some),
        "bar-10k-nu-0.4" => Problem::bar_of_poisson_ratio(name, 16, 40, 0.4).map(Some),
        "bar-100k" => Problem::bar(name, 36, 78).map(Some),
        "spot-66k" => Problem::spot(),
        _ => Err(BenchError::NoSuchProblem { name: name.to_owned(), known: NAMES.join(", ") }),
    }
}
