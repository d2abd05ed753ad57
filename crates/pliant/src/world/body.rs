//! A body to add to a world: vertices with masses, the energies between them, pins.

use std::any::Any;

use crate::constraint::ConstraintBatch;
use crate::energy::{Batch, EdgeSprings, EnergyError, SpringStiffness};
use crate::material::{ClothMaterial, SolidMaterial, StrandMaterial};
use crate::math::Vec3;
use crate::matter::Matter;
use crate::mesh::{Edge, MassEntry, MeshError, PointSet, Simplices, StrandSet, TetMesh, TriangleMesh};
use crate::world::error::ModelError;
use crate::world::topology::{Cells, Fabric, Substance, Tearing};

/// A body. Vertices are numbered from 0; the world renumbers them.
#[derive(Debug)]
pub struct Body {
    pub(crate) name: Option<String>,
    pub(crate) rest: Vec<Vec3>,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) velocities: Vec<Vec3>,
    pub(crate) mass: Vec<MassEntry>,
    pub(crate) energies: Vec<Box<dyn Batch>>,
    pub(crate) constraints: Vec<Box<dyn ConstraintBatch>>,
    pub(crate) matter: Vec<Box<dyn Matter>>,
    pub(crate) surface: Vec<[u32; 3]>,
    pub(crate) segments: Vec<[u32; 2]>,
    pub(crate) strand_width: f64,
    pub(crate) collides_with_itself: bool,
    pub(crate) permeable: bool,
    pub(crate) pinned: Vec<u32>,
    pub(crate) pressure: f64,
    pub(crate) fabric: Fabric,
    /// The solver that it names. The world only carries it: solvers know the world, not the other way round.
    pub(crate) solver: Option<Box<dyn Any + Send + Sync>>,
}

impl Body {
    /// A body of loose vertices with the entries (i ≤ j) of its mass matrix \[kg\]; add energies to hold it together.
    pub fn new(rest: Vec<Vec3>, mass: Vec<MassEntry>) -> Self {
        Self {
            name: None,
            positions: rest.clone(),
            velocities: vec![Vec3::ZERO; rest.len()],
            rest,
            mass,
            energies: Vec::new(),
            constraints: Vec::new(),
            matter: Vec::new(),
            surface: Vec::new(),
            segments: Vec::new(),
            strand_width: 0.0,
            collides_with_itself: true,
            permeable: false,
            pinned: Vec::new(),
            pressure: 0.0,
            fabric: Fabric::default(),
            solver: None,
        }
    }

    /// A sheet.
    ///
    /// ```
    /// use pliant::{Body, ClothMaterial, mesh::generate::Sheet};
    /// let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.named("cloth").pin([0, 4]);
    /// # Ok::<(), pliant::ModelError>(())
    /// ```
    pub fn cloth(mesh: &TriangleMesh, material: &ClothMaterial) -> Result<Self, ModelError> {
        mesh.check_quality()?;
        let mass = mesh.mass_matrix(material.mass, material.density)?;
        let mut body = Self::new(mesh.positions.clone(), mass);
        body.energies = material.energies(mesh).map_err(|error| in_body("cloth", error))?;
        body.surface.clone_from(&mesh.triangles);
        body.made_of(Cells::triangles(&mesh.triangles), Some(Substance::Cloth(material.clone())));
        Ok(body)
    }

    /// A solid.
    pub fn solid(mesh: &TetMesh, material: &SolidMaterial) -> Result<Self, ModelError> {
        mesh.check_quality()?;
        let mass = mesh.mass_matrix(material.mass, material.density)?;
        let mut body = Self::new(mesh.positions.clone(), mass);
        body.energies = material.energies(mesh).map_err(|error| in_body("solid", error))?;
        body.surface = skin(mesh)?;
        body.made_of(Cells::tets(&mesh.tets), Some(Substance::Solid(material.clone())));
        Ok(body)
    }

    /// Ropes or hair.
    pub fn strands(strands: &StrandSet, material: &StrandMaterial) -> Result<Self, ModelError> {
        strands.check_quality()?;
        let mass = strands.mass_matrix(material.mass, material.density)?;
        let mut body = Self::new(strands.positions.clone(), mass);
        body.energies = material.energies(strands).map_err(|error| in_body("strands", error))?;
        body.segments = strands.segments().collect();
        body.strand_width = material.width();
        body.made_of(Cells::segments(strands.segments()), Some(Substance::Strand(material.clone())));
        Ok(body)
    }

    /// A mass-spring surface [Liu 2013]: triangles define the masses and the surface, edges are springs of stiffness k
    /// \[N/m\].
    pub fn mass_spring(
        mesh: &TriangleMesh,
        density: f64,
        edges: Vec<Edge>,
        stiffness: f64,
    ) -> Result<Self, ModelError> {
        let mass = mesh.lumped_masses(density)?;
        let mass = (0u32..).zip(mass).map(|(v, m)| (v, v, m)).collect();
        let mut body = Self::new(mesh.positions.clone(), mass);
        let springs = EdgeSprings::new(edges, SpringStiffness::Uniform(stiffness));
        body.energies.push(springs.build(&mesh.positions).map_err(|error| in_body("mass-spring", error))?);
        body.surface.clone_from(&mesh.triangles);
        body.made_of(Cells::triangles(&mesh.triangles), None);
        Ok(body)
    }

    /// Loose points of equal mass \[kg\].
    pub fn points(points: &PointSet, mass: f64) -> Self {
        let entries = (0..points.positions.len() as u32).map(|v| (v, v, mass)).collect();
        Self::new(points.positions.clone(), entries)
    }

    pub(crate) fn made_of(&mut self, cells: Cells, substance: Option<Substance>) {
        self.fabric = Fabric { substance, ..Fabric::new(cells, self.rest.len()) };
    }

    /// Lets the body tear where it is overstretched.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// let paper = Body::cloth(&mesh, &ClothMaterial::default())?.with_tearing(Tearing::at_stretch(1.05));
    /// let pulled = paper.with_positions(mesh.positions.iter().map(|p| Vec3::new(1.1 * p.x, p.y, p.z)).collect());
    /// let mut sim = Simulation::builder().body(pulled.pin_where(|p| p.x.abs() > 0.49)).build()?;
    /// let before = sim.positions().len();
    /// assert!(sim.step()?.torn > 0);
    /// assert!(sim.positions().len() > before, "vertices were doubled");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_tearing(mut self, tearing: Tearing) -> Self {
        let seams = tearing.seams.iter();
        let seams = seams.flat_map(|seam| seam.edges.iter().map(|&[a, b]| ([a.min(b), a.max(b)], seam.strength)));
        self.fabric.seams = seams.collect();
        self.fabric.seams.sort_by_key(|(edge, _)| *edge);
        self.fabric.tearing = Some(tearing);
        self
    }

    /// Names the body; by default its name is derived from its number.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Pins vertices: they stay where they are, or follow the targets that you set for them.
    pub fn pin(mut self, vertices: impl IntoIterator<Item = u32>) -> Self {
        self.pinned.extend(vertices);
        self
    }

    /// Pins all vertices with a rest position that satisfies a condition.
    pub fn pin_where(mut self, condition: impl Fn(Vec3) -> bool) -> Self {
        let chosen = (0u32..).zip(&self.rest).filter(|(_, p)| condition(**p)).map(|(v, _)| v);
        self.pinned.extend(chosen);
        self
    }

    /// Adds an energy on this body's vertices.
    pub fn with_energy(mut self, energy: Box<dyn Batch>) -> Self {
        self.energies.push(energy);
        self
    }

    /// Adds constraints on this body's vertices. They need the [position-based solver](crate::solve::pbd).
    pub fn with_constraints(mut self, constraints: Box<dyn ConstraintBatch>) -> Self {
        if !constraints.is_empty() {
            self.constraints.push(constraints);
        }
        self
    }

    /// Adds matter of any kind to the body; it replaces matter of the same type. Needs the [position-based
    /// solver](crate::solve::pbd).
    pub fn with_matter<M: Matter>(mut self, matter: M) -> Self {
        self.matter.retain(|other| !crate::matter::is::<M>(other.as_ref()));
        self.matter.push(Box::new(matter));
        self
    }

    /// Triangles that wind and pressure act on, for a body made of loose vertices.
    pub fn with_surface(mut self, triangles: Vec<[u32; 3]>) -> Self {
        self.surface = triangles;
        self
    }

    /// Segments of strands that are drawn and collide, for a body made of loose vertices.
    pub fn with_segments(mut self, segments: Vec<[u32; 2]>) -> Self {
        self.segments = segments;
        self
    }

    /// Width of strands that the wind acts on \[m\]. Strands and rods have one from their material; segments of loose
    /// vertices have none, so the wind does not act on them.
    pub fn with_strand_width(mut self, width: f64) -> Self {
        self.strand_width = width;
        self
    }

    /// Lets the body pass through itself in a world with [self-collision](crate::SelfCollision); it still collides with others.
    pub fn without_self_collision(mut self) -> Self {
        self.collides_with_itself = false;
        self
    }

    /// Says that fluid flows through the body as if it were not there. Strands, rods, hair and other bodies without a surface are too thin for fluid to
    /// see, and a world that has both is refused unless they are permeable.
    pub fn permeable(mut self) -> Self {
        self.permeable = true;
        self
    }

    /// Sets the positions at the start, if they differ from those at rest \[m\].
    pub fn with_positions(mut self, positions: Vec<Vec3>) -> Self {
        self.positions = positions;
        self
    }

    /// Sets the velocity of each vertex at the start \[m/s\].
    pub fn with_velocities(mut self, velocities: Vec<Vec3>) -> Self {
        self.velocities = velocities;
        self
    }

    /// Overpressure on the inner side of its surface \[Pa\]: it pushes along the triangles' normals.
    pub fn with_pressure(mut self, pressure: f64) -> Self {
        self.pressure = pressure;
        self
    }

    /// Rest positions \[m\].
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }
}

pub(crate) fn in_body(body: &str, error: EnergyError) -> ModelError {
    ModelError::Energy { body: body.to_owned(), error }
}

/// Surface triangles of a solid, in its own vertices.
fn skin(mesh: &TetMesh) -> Result<Vec<[u32; 3]>, MeshError> {
    let surface = mesh.surface()?;
    Ok(surface.mesh.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize])).collect())
}
