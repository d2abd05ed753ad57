//! Materials: physical parameters that determine the weights of energies, so that behaviour does not change with
//! resolution.

use crate::energy::{
    Batch, EdgeSprings, EnergyError, HingeBending, HingeStiffness, MeanCurvatureBending, PlateBending, SpringStiffness,
    StrainSet, TetStrain, TetVolume, TriangleArea, TriangleStrain, is_flat, stencil_positions,
};
use crate::math::Vec3;
use crate::mesh::{MassKind, StrandSet, TetMesh, TriangleMesh};

/// The stretch beyond which a soft material becomes stiff: a weak strain energy plus a strong limit [Bouaziz 2014, §7.1].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "[[f64; 2]; D]: serde::Serialize",
        deserialize = "[[f64; 2]; D]: serde::de::DeserializeOwned"
    ))
)]
pub struct StrainLimit<const D: usize> {
    /// The set of stretches within which the limit does not act.
    pub set: StrainSet<D>,
    /// Young's modulus beyond the limit \[Pa\], usually 10 to 1000 times that of the material.
    pub youngs_modulus: f64,
}

/// A batch and its place among the energies of a material.
pub(crate) type PlacedBatch = (usize, Box<dyn Batch>);

/// How a sheet resists bending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BendModel {
    /// [`Plate`](Self::Plate) if the rest shape is flat, else [`Hinge`](Self::Hinge). A surface is flat if all
    /// triangles of each connected piece face the same direction within 0.001 rad; garments always are.
    #[default]
    Auto,
    /// A thin plate that is flat at rest. Its stiffness is the same on every mesh, in every direction and at the rim,
    /// and it uses the Poisson ratio of the material. Other rest shapes are an error.
    Plate,
    /// Signed angles between neighbouring triangles, for any rest shape. Its stiffness depends on the mesh.
    Hinge,
    /// Mean curvature at interior vertices [Bouaziz 2014]: saddles and the rim bend without resistance.
    MeanCurvature,
    /// No resistance.
    None,
}

impl BendModel {
    /// The model for a rest shape that is flat or not.
    pub(crate) fn on(self, is_flat: impl FnOnce() -> bool) -> Self {
        match self {
            Self::Auto if is_flat() => Self::Plate,
            Self::Auto => Self::Hinge,
            chosen => chosen,
        }
    }
}

/// Cloth, paper, sheet metal: a thin sheet.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClothMaterial {
    /// Mass per area \[kg/m²\].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub youngs_modulus: f64,
    /// Thickness \[m\].
    pub thickness: f64,
    /// Poisson ratio, 0 to below 1, for stretch in the plane and for the bending of plates. If it is above 0, an area
    /// energy is added.
    pub poisson_ratio: f64,
    /// How it resists bending.
    pub bend_model: BendModel,
    /// Bending stiffness \[N·m\]; that of a solid plate, E t³/(12(1−ν²)), if absent. Woven cloth is softer than that.
    pub bending_stiffness: Option<f64>,
    /// Stretch beyond which it becomes stiff.
    pub strain_limit: Option<StrainLimit<2>>,
    /// Lumped or consistent masses.
    pub mass: MassKind,
}

impl Default for ClothMaterial {
    /// A light cotton.
    fn default() -> Self {
        Self {
            density: 0.15,
            youngs_modulus: 4e6,
            thickness: 5e-4,
            poisson_ratio: 0.0,
            bend_model: BendModel::default(),
            bending_stiffness: Some(1e-5),
            strain_limit: None,
            mass: MassKind::Lumped,
        }
    }
}

impl ClothMaterial {
    /// Bending stiffness D \[N·m\].
    pub fn plate_stiffness(&self) -> f64 {
        self.bending_stiffness.unwrap_or_else(|| {
            self.youngs_modulus * self.thickness.powi(3) / (12.0 * (1.0 - self.poisson_ratio.powi(2)))
        })
    }

    /// Its bending as a plate.
    pub(crate) fn plate(&self) -> PlateBending {
        PlateBending { stiffness: self.plate_stiffness(), poisson_ratio: self.poisson_ratio }
    }

    /// The energies of a sheet of this material.
    pub fn energies(&self, mesh: &TriangleMesh) -> Result<Vec<Box<dyn Batch>>, EnergyError> {
        let corners = |element: usize, triangle: &[u32; 3]| {
            stencil_positions("triangle_strain", element, triangle, &mesh.positions)
        };
        let mut energies = self.in_plane(mesh, corners)?;
        energies.extend(self.bending(mesh)?);
        Ok(energies)
    }

    /// The energy that resists bending, the last of all.
    fn bending(&self, mesh: &TriangleMesh) -> Result<Option<Box<dyn Batch>>, EnergyError> {
        let stiffness = self.plate_stiffness();
        Ok(Some(match self.bend_model.on(|| is_flat(mesh)) {
            BendModel::Plate | BendModel::Auto => self.plate().build(mesh)?,
            BendModel::Hinge => {
                HingeBending::new(mesh.hinges()?, HingeStiffness::Plate(stiffness)).build(&mesh.positions)?
            }
            BendModel::MeanCurvature => MeanCurvatureBending { stiffness }.build(mesh)?,
            BendModel::None => return Ok(None),
        }))
    }

    /// Bending as a plate of a sheet that has been torn, and its place among the energies of the material; none where bending is not that of
    /// a plate. Unlike other energies it knows the rim, so that triangles beside a crack must be made anew.
    pub(crate) fn torn_plate(&self, mesh: &TriangleMesh) -> Result<Option<PlacedBatch>, EnergyError> {
        if self.bend_model.on(|| is_flat(mesh)) != BendModel::Plate {
            return Ok(None);
        }
        let place = 1 + usize::from(self.poisson_ratio > 0.0) + usize::from(self.strain_limit.is_some());
        Ok(Some((place, self.plate().build(mesh)?)))
    }

    /// The energies that keep triangles at their rest shapes.
    pub(crate) fn in_plane(
        &self,
        mesh: &TriangleMesh,
        rest: impl Fn(usize, &[u32; 3]) -> Result<[Vec3; 3], EnergyError> + Copy,
    ) -> Result<Vec<Box<dyn Batch>>, EnergyError> {
        let kind = "cloth material";
        check_positive(kind, "Young's modulus", self.youngs_modulus)?;
        check_positive(kind, "thickness", self.thickness)?;
        check_poisson(kind, self.poisson_ratio, 1.0)?;
        let (e, nu, t) = (self.youngs_modulus, self.poisson_ratio, self.thickness);
        let triangles = || mesh.triangles.clone();
        let membrane = e * t / (1.0 + nu);
        let strain = TriangleStrain { triangles: triangles(), stiffness: membrane, set: StrainSet::Rotation };
        let mut energies = vec![strain.build_from(rest)?];
        if nu > 0.0 {
            let lame = e * nu / (1.0 - nu * nu) * t;
            let area = TriangleArea { triangles: triangles(), stiffness: 2.0 * lame, bounds: [1.0, 1.0] };
            energies.push(area.build_from(rest)?);
        }
        if let Some(limit) = &self.strain_limit {
            let strong = TriangleStrain { triangles: triangles(), stiffness: limit.youngs_modulus * t, set: limit.set };
            energies.push(strong.build_from(rest)?);
        }
        Ok(energies)
    }
}

/// Rubber, jelly, wood: a solid.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolidMaterial {
    /// Mass per volume \[kg/m³\].
    pub density: f64,
    /// Young's modulus \[Pa\].
    pub youngs_modulus: f64,
    /// Poisson ratio, 0 to below 0.5. If it is above 0, a volume energy is added.
    pub poisson_ratio: f64,
    /// Stretch beyond which it becomes stiff.
    pub strain_limit: Option<StrainLimit<3>>,
    /// Lumped or consistent masses.
    pub mass: MassKind,
}

impl Default for SolidMaterial {
    /// A firm jelly.
    fn default() -> Self {
        Self { density: 1000.0, youngs_modulus: 1e5, poisson_ratio: 0.3, strain_limit: None, mass: MassKind::Lumped }
    }
}

impl SolidMaterial {
    /// The energies of a solid of this material.
    pub fn energies(&self, mesh: &TetMesh) -> Result<Vec<Box<dyn Batch>>, EnergyError> {
        let kind = "solid material";
        check_positive(kind, "Young's modulus", self.youngs_modulus)?;
        check_poisson(kind, self.poisson_ratio, 0.5)?;
        let (e, nu) = (self.youngs_modulus, self.poisson_ratio);
        let tets = || mesh.tets.clone();
        let strain = TetStrain { tets: tets(), stiffness: e / (1.0 + nu), set: StrainSet::Rotation };
        let mut energies = vec![strain.build(&mesh.positions)?];
        if nu > 0.0 {
            let lame = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
            let volume = TetVolume { tets: tets(), stiffness: 3.0 * lame, bounds: [1.0, 1.0] };
            energies.push(volume.build(&mesh.positions)?);
        }
        if let Some(limit) = &self.strain_limit {
            let strong = TetStrain { tets: tets(), stiffness: limit.youngs_modulus, set: limit.set };
            energies.push(strong.build(&mesh.positions)?);
        }
        Ok(energies)
    }
}

/// Rope, string, thread: strands that resist stretching.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StrandMaterial {
    /// Mass per length \[kg/m\].
    pub density: f64,
    /// Axial stiffness \[N\]: Young's modulus × cross-section.
    pub axial_stiffness: f64,
    /// Whether strands also resist compression; a slack rope does not.
    pub resists_compression: bool,
    /// Width that the wind acts on \[m\]; if absent, that of a round fibre of 1300 kg/m³, like hair, cotton and nylon.
    pub width: Option<f64>,
    /// Lumped or consistent masses.
    pub mass: MassKind,
}

/// Mass per volume of hair, cotton and nylon, about \[kg/m³\].
const FIBRE_DENSITY: f64 = 1300.0;

impl Default for StrandMaterial {
    /// A 6 mm cotton cord.
    fn default() -> Self {
        Self { density: 0.02, axial_stiffness: 2e3, resists_compression: true, width: None, mass: MassKind::Lumped }
    }
}

impl StrandMaterial {
    /// Width that the wind acts on \[m\].
    ///
    /// ```
    /// use pliant::StrandMaterial;
    /// let hair = StrandMaterial { density: 5e-6, ..StrandMaterial::default() };
    /// assert!((hair.width() - 70e-6).abs() < 1e-6);
    /// assert_eq!(StrandMaterial { width: Some(0.006), ..hair }.width(), 0.006);
    /// ```
    pub fn width(&self) -> f64 {
        self.width.unwrap_or_else(|| 2.0 * (self.density / (FIBRE_DENSITY * std::f64::consts::PI)).sqrt())
    }

    /// The energies of strands of this material.
    pub fn energies(&self, strands: &StrandSet) -> Result<Vec<Box<dyn Batch>>, EnergyError> {
        check_positive("strand material", "axial stiffness", self.axial_stiffness)?;
        check_positive("strand material", "width", self.width())?;
        let least = if self.resists_compression { 1.0 } else { 0.0 };
        let springs = EdgeSprings {
            limits: [least, 1.0],
            ..EdgeSprings::new(strands.segments().collect(), SpringStiffness::Axial(self.axial_stiffness))
        };
        Ok(vec![springs.build(&strands.positions)?])
    }
}

fn check_positive(kind: &'static str, name: &'static str, value: f64) -> Result<(), EnergyError> {
    let usable = value.is_finite() && value > 0.0;
    if usable { Ok(()) } else { Err(EnergyError::BadParameter { kind, name, value, need: "finite and positive" }) }
}

fn check_poisson(kind: &'static str, value: f64, limit: f64) -> Result<(), EnergyError> {
    let need = if limit == 1.0 { "at least 0 and below 1" } else { "at least 0 and below 0.5" };
    let usable = (0.0..limit).contains(&value);
    if usable { Ok(()) } else { Err(EnergyError::BadParameter { kind, name: "Poisson ratio", value, need }) }
}
