//! The material of a body in a running world: which it is, and another one in its place.

use std::sync::Arc;

use super::draft::Draft;
use super::{BodyId, ChangeError};
use crate::material::{ClothMaterial, SolidMaterial, StrandMaterial};
use crate::matter::hair::chained;
use crate::mesh::{Csr, Simplices, StrandSet, TetMesh, TriangleMesh};
use crate::step::simulation::Simulation;
use crate::world::body::in_body;
use crate::world::error::ModelError;
use crate::world::topology::Substance;

/// The material of a body that is made of one.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyMaterial {
    /// For cloth.
    Cloth(ClothMaterial),
    /// For solids.
    Solid(SolidMaterial),
    /// For strands.
    Strand(StrandMaterial),
}

impl From<ClothMaterial> for AnyMaterial {
    fn from(material: ClothMaterial) -> Self {
        Self::Cloth(material)
    }
}

impl From<SolidMaterial> for AnyMaterial {
    fn from(material: SolidMaterial) -> Self {
        Self::Solid(material)
    }
}

impl From<StrandMaterial> for AnyMaterial {
    fn from(material: StrandMaterial) -> Self {
        Self::Strand(material)
    }
}

impl AnyMaterial {
    /// The same material, a number of times as stiff: in stretching, and in bending where that has a stiffness of its own.
    #[must_use]
    pub fn stiffened(mut self, factor: f64) -> Self {
        match &mut self {
            Self::Cloth(cloth) => {
                cloth.youngs_modulus *= factor;
                cloth.bending_stiffness = cloth.bending_stiffness.map(|stiffness| stiffness * factor);
            }
            Self::Solid(solid) => solid.youngs_modulus *= factor,
            Self::Strand(strand) => strand.axial_stiffness *= factor,
        }
        self
    }
}

impl Simulation {
    /// The material of a body that is made of cloth, a solid or strands; none of other bodies.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let mesh = TetBox::default().mesh()?;
    /// let body = Body::solid(&mesh, &SolidMaterial::default())?.named("block");
    /// let mut sim = Simulation::builder().body(body).build()?;
    /// let block = sim.body_id("block").ok_or("it is there")?;
    /// let soft = sim.material(block)?.ok_or("it is made of a solid")?;
    /// sim.set_material(block, soft.stiffened(10.0))?;
    /// let pliant::AnyMaterial::Solid(stiff) = sim.material(block)?.ok_or("still")? else { panic!("still a solid") };
    /// assert_eq!(stiff.youngs_modulus, 10.0 * SolidMaterial::default().youngs_modulus);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn material(&self, body: BodyId) -> Result<Option<AnyMaterial>, ChangeError> {
        let substance = &self.model.fabrics()[self.number_of(body)?].substance;
        Ok(substance.as_ref().map(|substance| match substance {
            Substance::Cloth(material) => AnyMaterial::Cloth(material.clone()),
            Substance::Solid(material) => AnyMaterial::Solid(material.clone()),
            Substance::Strand(material) => AnyMaterial::Strand(material.clone()),
        }))
    }

    /// Replaces the material of a cloth, a solid or strands. Its shape at rest stays, and energies that were added
    /// one by one.
    pub fn set_material(&mut self, body: BodyId, material: impl Into<AnyMaterial>) -> Result<(), ChangeError> {
        self.may_change()?;
        let number = self.number_of(body)?;
        let (fabric, info) = (&self.model.fabrics()[number], &self.model.bodies()[number]);
        let rest = self.model.rest()[info.vertices.clone()].to_vec();
        let energy = |error| in_body(&info.name, error);
        let (count, energies, mass, substance, width) = match (material.into(), &fabric.substance) {
            (AnyMaterial::Cloth(next), Some(Substance::Cloth(last))) => {
                let mesh = TriangleMesh::new(rest, fabric.cells.arrays()).map_err(ModelError::from)?;
                let count = last.energies(&mesh).map_err(energy)?.len();
                let mass = mesh.mass_matrix(next.mass, next.density).map_err(ModelError::from)?;
                (count, next.energies(&mesh).map_err(energy)?, mass, Substance::Cloth(next), info.strand_width)
            }
            (AnyMaterial::Solid(next), Some(Substance::Solid(last))) => {
                let mesh = TetMesh::new(rest, fabric.cells.arrays()).map_err(ModelError::from)?;
                let count = last.energies(&mesh).map_err(energy)?.len();
                let mass = mesh.mass_matrix(next.mass, next.density).map_err(ModelError::from)?;
                (count, next.energies(&mesh).map_err(energy)?, mass, Substance::Solid(next), info.strand_width)
            }
            (AnyMaterial::Strand(next), Some(Substance::Strand(last))) => {
                let mesh =
                    StrandSet::new(rest, Csr::from_rows(chained(&fabric.cells.arrays()))).map_err(ModelError::from)?;
                let count = last.energies(&mesh).map_err(energy)?.len();
                let mass = mesh.mass_matrix(next.mass, next.density).map_err(ModelError::from)?;
                let width = next.width();
                (count, next.energies(&mesh).map_err(energy)?, mass, Substance::Strand(next), width)
            }
            (other, _) => {
                let wanted = match other {
                    AnyMaterial::Cloth(_) => "cloth",
                    AnyMaterial::Solid(_) => "a solid",
                    AnyMaterial::Strand(_) => "strands",
                };
                return Err(ChangeError::OtherSubstance { body: info.name.clone(), wanted });
            }
        };
        let mut draft = Draft::of(self);
        draft.replace_energies(number, count, energies, &mass);
        Arc::make_mut(&mut draft.world.parts.fabrics[number]).substance = Some(substance);
        draft.world.parts.bodies[number].strand_width = width;
        self.take(draft)
    }
}
