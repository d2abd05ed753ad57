//! Hair as matter of a body.

use super::motion::HairMotion;
use super::{Chains, Comb, HairMaterial, HairStyle};
use crate::energy::position;
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::matter::{Matter, MatterInfo, Motion, MotionSetting, Place};
use crate::mesh::generate::{Bundle, Roots};
use crate::mesh::{MassKind, Simplices, StrandSet};
use crate::world::body::Body;
use crate::world::error::{FollowLeaderError, ModelError};
use crate::world::model::Model;
use crate::world::topology::Cells;

const KIND: &str = "hair";

pub(crate) const INFO: MatterInfo = MatterInfo {
    kind: KIND,
    summary: "inextensible strands that follow their roots",
    citation: "Müller et al. 2012",
    specimens: &[straight, styled],
    is_kind_of: crate::matter::is::<Hair>,
};

/// A tuft that is held at its roots and falls.
fn tuft(material: &HairMaterial) -> Result<Body, ModelError> {
    let roots = Roots::Disc { radius: 0.03, count: 5 };
    let strands = Bundle { roots, direction: Vec3::X, length: 0.3, segments: 6 }.strands()?;
    let roots: Vec<u32> = strands.strands.rows().map(|strand| strand[0]).collect();
    Ok(Body::hair(&strands, material)?.pin(roots))
}

fn straight() -> Result<Body, ModelError> {
    tuft(&HairMaterial::default())
}

fn styled() -> Result<Body, ModelError> {
    let style = HairStyle { local: 0.1, iterations: 2, global: 0.02, global_range: 0.5 };
    let grid = Some(super::HairGrid { cell: 0.05, friction: 2.0, repulsion: 0.01 });
    tuft(&HairMaterial { correction: 0.5, style: Some(style), grid, ..HairMaterial::default() })
}

/// The hair of a body.
#[derive(Debug, Clone)]
pub struct Hair {
    material: HairMaterial,
}

impl Hair {
    /// What it is like.
    pub fn material(&self) -> &HairMaterial {
        &self.material
    }

    /// The strands of a body behind those of their vertices that lead.
    fn chains(model: &Model, body: usize) -> Result<Chains, FollowLeaderError> {
        let leads = leaders(model, body);
        let first = model.bodies()[body].vertices.start;
        Chains::new(model, &[body], &|vertex| leads[vertex as usize - first])
    }

    /// The hair of a body in motion; none where it cannot be, which was refused when the world was built.
    pub(super) fn comb(&self, model: &Model, body: usize) -> Option<Comb> {
        Some(Comb::new(self.material.manner(), model, Self::chains(model, body).ok()?))
    }
}

impl Body {
    /// Hair or fur: strands of exact length. Each follows a vertex that is pinned, held by a handle or attached to another
    /// body. Needs the [position-based solver](crate::solve::pbd); a world of nothing but hair is faster with
    /// [`FollowLeaderParams`](crate::solve::FollowLeaderParams).
    /// Where [self-collision](crate::SelfCollision) keeps hair from moving on, lengths give way by some percent.
    ///
    /// ```
    /// use pliant::mesh::generate::{Bundle, Roots};
    /// use pliant::prelude::*;
    /// let fringe = Bundle { roots: Roots::Disc { radius: 0.05, count: 50 }, direction: Vec3::X, length: 0.3, segments: 15 };
    /// let strands = fringe.strands()?;
    /// let roots: Vec<u32> = strands.strands.rows().map(|strand| strand[0]).collect();
    /// let hair = Body::hair(&strands, &HairMaterial::default())?.pin(roots);
    /// let ball = Collider::new(Shape::Sphere { radius: 0.1 }).at(Vec3::new(0.1, -0.2, 0.0));
    /// let mut sim = Simulation::builder().body(hair).collider(ball).build()?;
    /// for _ in 0..30 {
    ///     sim.step()?;
    /// }
    /// let x = sim.positions();
    /// assert!(strands.segments().all(|[a, b]| (x[a as usize].distance(x[b as usize]) / 0.02 - 1.0).abs() < 1e-3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hair(strands: &StrandSet, material: &HairMaterial) -> Result<Self, ModelError> {
        strands.check_quality()?;
        material.check()?;
        let mass = strands.mass_matrix(MassKind::Lumped, material.density)?;
        let mut body = Self::new(strands.positions.clone(), mass);
        body.segments = strands.segments().collect();
        body.strand_width = material.width;
        body.made_of(Cells::segments(strands.segments()), None);
        Ok(body.with_matter(Hair { material: material.clone() }))
    }
}

/// For each vertex of a body whether it leads: it is pinned, or something other than its strand says where it goes.
fn leaders(model: &Model, body: usize) -> Vec<bool> {
    let vertices = model.bodies()[body].vertices.clone();
    let leads = |v: usize| model.free_index(v as u32).is_none() || model.is_tied(v as u32);
    let mut leads: Vec<bool> = vertices.clone().map(leads).collect();
    let corners = model.energies().iter().flat_map(|entry| entry.batch.operator().corner_vertices());
    corners.map(|&v| v as usize).filter(|v| vertices.contains(v)).for_each(|v| leads[v - vertices.start] = true);
    leads
}

impl Matter for Hair {
    fn kind(&self) -> &'static str {
        KIND
    }

    /// Refuses strands that follow nothing, and what hair would not feel.
    fn check_world(&self, at: &Place<'_>, integrator: TimeIntegrator) -> Result<(), ModelError> {
        let refuse = |problem: String| Err(ModelError::Matter { body: at.name().to_owned(), kind: KIND, problem });
        if integrator != TimeIntegrator::ImplicitEuler {
            return refuse(format!(
                "lengths are exact at the end of a step only with implicit Euler, not {integrator:?}"
            ));
        }
        let own = at.model.energies().iter().filter(|entry| entry.body == Some(at.body));
        if let Some(entry) = own.into_iter().find(|entry| entry.batch.kind() != position::KIND) {
            return refuse(format!("it does not feel the energy {:?}, only its lengths", entry.batch.kind()));
        }
        let is_own = |v: &u32| at.vertices().contains(&(*v as usize));
        let mut constraints = at.model.constraints().iter();
        if let Some(batch) = constraints.find(|batch| (0..batch.len()).any(|e| batch.stencil(e).iter().any(is_own))) {
            return refuse(format!("it does not feel the constraint {:?}, only its lengths", batch.kind()));
        }
        match Self::chains(at.model, at.body) {
            Ok(_) => Ok(()),
            Err(FollowLeaderError::NoLeader { strand, .. }) => refuse(format!(
                "strand {strand} follows nothing: pin a vertex of it, attach it to another body or hold it by a handle"
            )),
            Err(error) => refuse(error.to_string()),
        }
    }

    fn hides_velocities(&self) -> bool {
        true
    }

    fn motion(&self, setting: &MotionSetting<'_>) -> Box<dyn Motion> {
        Box::new(HairMotion::new(setting))
    }
}
