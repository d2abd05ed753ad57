//! Features that a world asks of all its bodies. A body that has nothing for a feature to act on is refused, with a way out: it would silently do nothing.
//!
//! Some bodies need not have it, because nobody expects it of them: rigid bodies do not deform, fluids are damped by their viscosity, and single points
//! have nothing that could. Bodies of energies do, also where they have no mesh; but they feel wind and other bodies only by a surface or strands. Beside others that do have it, they are let pass; a world of nothing else is refused.

use crate::force::damping::Damping;
use crate::matter::Matter;
use crate::matter::kinds::{Fluid, Matching, Oriented};
use crate::solve::has_shape;
use crate::step::simulation::Simulation;
use crate::world::error::ModelError;
use crate::world::model::Model;

/// What a world uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uses {
    pub(crate) damping: Damping,
    pub(crate) strain_limiting: bool,
    pub(crate) wind: bool,
    pub(crate) self_collision: bool,
}

impl Simulation {
    /// What it uses now, with or without a wind.
    pub(crate) fn uses(&self, wind: bool) -> Uses {
        let (damping, strain_limiting) = (self.damping, self.strain_limiting.is_some());
        Uses { damping, strain_limiting, wind, self_collision: self.lineage.self_collision.is_some() }
    }
}

struct Feature {
    name: &'static str,
    needs: &'static str,
    instead: &'static str,
    acts_on: fn(&Model, usize) -> bool,
    /// Whether it concerns bodies that are held everywhere.
    acts_on_held: bool,
    /// Whether it acts on surfaces and strands: who gives a body energies and neither, as a washing line, wants it to meet nothing.
    meets_outside: bool,
}

const STIFFNESS: Feature = Feature {
    name: "stiffness damping",
    needs: "elastic energies",
    instead: "use deformation damping, or the damping of its material",
    acts_on: |model, body| model.energies().iter().any(|entry| entry.damping.is_some() && entry.body == Some(body)),
    acts_on_held: false,
    meets_outside: false,
};
const SPRING: Feature = Feature {
    name: "spring damping",
    needs: "edges",
    instead: "use deformation damping, or the damping of its material",
    acts_on: has_edges,
    acts_on_held: false,
    meets_outside: false,
};
const CLUSTERS: Feature = Feature {
    name: "radial damping of clusters",
    needs: "edges along which clusters could grow",
    instead: "set the size of clusters to 0, for whole bodies",
    acts_on: has_edges,
    acts_on_held: false,
    meets_outside: false,
};
const STRAIN: Feature = Feature {
    name: "strain limiting",
    needs: "edges",
    instead: "give it a mesh (cloth, solid and strand bodies have one), or limits by its material or energies",
    acts_on: has_edges,
    acts_on_held: false,
    meets_outside: false,
};
const WIND: Feature = Feature {
    name: "wind",
    needs: "surface, strands with a width or oriented particles",
    instead: "give it a surface (`with_surface`), or segments with a width",
    acts_on: |model, body| {
        let info = &model.bodies()[body];
        let has_strands = !info.segments.is_empty() && info.strand_width > 0.0;
        !info.surface.is_empty() || has_strands || model.matter_in::<Oriented>(body).is_some()
    },
    acts_on_held: false,
    meets_outside: true,
};
const FLUID: Feature = Feature {
    name: "fluid",
    needs: "surface",
    instead: "give it a surface (`with_surface`), or say that fluid flows through it (`permeable`)",
    acts_on: |model, body| {
        let info = &model.bodies()[body];
        info.permeable || !info.surface.is_empty() || model.matter_in::<Fluid>(body).is_some()
    },
    acts_on_held: true,
    meets_outside: false,
};
const SELF_COLLISION: Feature = Feature {
    name: "self-collision",
    needs: "surface or segments",
    instead: "give it a surface (`with_surface`); a lattice has one, an octree has none",
    acts_on: |model, body| {
        let info = &model.bodies()[body];
        !info.surface.is_empty() || !info.segments.is_empty() || model.matter_in::<Oriented>(body).is_some()
    },
    acts_on_held: true,
    meets_outside: true,
};

fn has_edges(model: &Model, body: usize) -> bool {
    !model.cells(body).is_empty()
}

/// Refuses a world in which a feature would do nothing to a body.
pub(crate) fn check(model: &Model, uses: &Uses) -> Result<(), ModelError> {
    let Damping { stiffness, spring, radial, cluster, .. } = uses.damping;
    let features = [
        (stiffness > 0.0, STIFFNESS),
        (spring > 0.0, SPRING),
        (radial > 0.0 && cluster > 0, CLUSTERS),
        (uses.strain_limiting, STRAIN),
        (uses.wind, WIND),
        (uses.self_collision, SELF_COLLISION),
        (model.matter_of::<Fluid>().next().is_some(), FLUID),
    ];
    features.iter().filter(|(is_used, _)| *is_used).try_for_each(|(_, feature)| feature.check(model))?;
    check_breaking(model, uses)?;
    model.bodies().iter().enumerate().filter(|(_, info)| info.pressure != 0.0).try_for_each(|(body, info)| {
        let problem = match () {
            () if info.surface.is_empty() => ("surface", "pressure acts on the triangles of a surface"),
            () if is_rigid(model, body) => ("skin that could give way", "make it of cloth or of a solid material"),
            () => return Ok(()),
        };
        let (feature, (needs, instead)) = ("pressure", problem);
        Err(ModelError::NothingToActOn { body: info.name.clone(), feature, needs, instead })
    })
}

/// Refuses bodies that break where their surface would have to break with them: it stays whole, and would be stretched between the fragments.
fn check_breaking(model: &Model, uses: &Uses) -> Result<(), ModelError> {
    let has_fluid = model.matter_of::<Fluid>().next().is_some();
    for own in model.matter_of::<Matching>().filter(|own| own.matter.toughness.is_some()) {
        let info = &model.bodies()[own.body];
        let feature = match () {
            () if uses.self_collision => "self-collision",
            () if has_fluid && !info.permeable => "fluid",
            () => continue,
        };
        let problem = format!(
            "it breaks (`toughness`), but its surface does not, so {feature} would meet what is stretched between its fragments: leave toughness out, or make it a solid with tearing"
        );
        return Err(ModelError::Matter { body: info.name.clone(), kind: own.matter.kind(), problem });
    }
    Ok(())
}

impl Feature {
    fn check(&self, model: &Model) -> Result<(), ModelError> {
        let moves = |body: &usize| {
            let mut vertices = model.bodies()[*body].vertices.clone();
            vertices.any(|v| model.free_index(v as u32).is_some())
        };
        // What is held can be in the way of others all the same.
        let counts = |body: &usize| self.acts_on_held || moves(body);
        let bodies: Vec<usize> = (0..model.bodies().len()).filter(counts).collect();
        let lacks = |body: &usize| !(self.acts_on)(model, *body);
        let is_alone = bodies.iter().all(lacks);
        let is_bare =
            |body: usize| model.matter().iter().all(|entry| entry.body != body) && model.cells(body).is_empty();
        let is_expected = |body: usize| has_shape(model, body) && !(self.meets_outside && is_bare(body));
        match bodies.iter().find(|body| lacks(body) && (is_alone || is_expected(**body))) {
            None => Ok(()),
            Some(&body) => Err(ModelError::NothingToActOn {
                body: model.bodies()[body].name.clone(),
                feature: self.name,
                needs: self.needs,
                instead: self.instead,
            }),
        }
    }
}

fn is_rigid(model: &Model, body: usize) -> bool {
    let own = &model.bodies()[body].vertices;
    model.rigid_sets().iter().any(|set| set.vertices.first().is_some_and(|&v| own.contains(&(v as usize))))
}
