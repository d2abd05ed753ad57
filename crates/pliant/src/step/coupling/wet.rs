//! Contacts of fluid with surfaces of other groups.
//!
//! A particle keeps half a spacing from triangles, without friction. Within one group fluid feels surfaces by samples among its neighbours (`matter/fluid`).

use crate::contact::{Layers, PairForce, Place, READY};
use crate::math::Vec3;
use crate::matter::fluid::Fluid;
use crate::proximity::{Neighbourhood, Pair, Part, Primitives};
use crate::world::model::Model;

/// Distance that particles keep, over their spacing.
const CLEARANCE: f64 = 0.5;
/// Share of it that is never given up at the end of a stage: a particle that is beyond a surface would be pushed on.
const LEAST: f64 = 0.1;
/// Weight of a contact relative to the inertia of what touches.
const STIFFNESS: f64 = 50.0;

/// What finds them.
#[derive(Debug)]
pub(crate) struct Wetting {
    primitives: Primitives,
    neighbourhood: Neighbourhood,
    clearance: f64,
}

impl Wetting {
    /// None where no fluid can meet the surface of another group; `groups` are those of bodies.
    pub(crate) fn new(model: &Model, groups: &[usize]) -> Option<Self> {
        let fluids: Vec<usize> = model.matter_of::<Fluid>().map(|portion| portion.body).collect();
        let clearance = CLEARANCE * model.matter_of::<Fluid>().next()?.matter.material().spacing;
        let meets = |body: usize| fluids.iter().any(|&fluid| groups[fluid] != groups[body]);
        let parts = model.bodies().iter().enumerate().map(|(number, body)| {
            let part = Part::from(body);
            let (surface, has_particles) = (part.surface, fluids.contains(&number));
            let surface = if meets(number) { surface } else { &[] };
            Part { surface, segments: &[], collides_with_itself: false, has_particles, ..part }
        });
        let primitives = Primitives::new(parts);
        let neighbourhood = Neighbourhood::default();
        (!primitives.triangles().is_empty()).then_some(Self { primitives, neighbourhood, clearance })
    }

    /// Contacts of particles on their way from `before` to `wanted`, which go on from the forces that have lasted. `inertia` is 1/τ² \[1/s²\].
    pub(crate) fn contacts(
        &mut self,
        model: &Model,
        inertia: f64,
        [before, wanted]: [&[Vec3]; 2],
        lasted: &[PairForce],
    ) -> Layers {
        let Self { primitives, neighbourhood, clearance: thickness } = self;
        neighbourhood.begin_step(before);
        let mut pairs = neighbourhood.find_meeting(primitives, before, wanted, READY * *thickness);
        let is_fluid = |v: u32| model.matter_in::<Fluid>(primitives.body(v) as usize).is_some();
        pairs.retain(|pair| matches!(pair, Pair::VertexTriangle(v, _) if is_fluid(*v)));
        let place = Place {
            model,
            primitives,
            before,
            safe: before,
            wanted,
            inertia,
            radii: &[],
            thickness: *thickness,
            friction: 0.0,
            stiffness: STIFFNESS,
        };
        Layers::new(&place, &pairs, lasted)
    }

    /// How far particles that would be beyond a surface are moved back \[m\].
    pub(crate) fn back(contacts: &Layers, x: &[Vec3]) -> Vec<(u32, Vec3)> {
        contacts.too_near(LEAST, x).collect()
    }
}
