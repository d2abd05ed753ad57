//! Which worlds of hair can stay on a device.

use pliant::collide::Shape;
use pliant::math::Vec3;
use pliant::solve::{FollowLeaderParams, HairChains, SolverChoice};
use pliant::{Damping, Simulation, TimeIntegrator};

use crate::error::GpuError;

/// Colliders that a world of hair may have: contacts of a vertex are kept in the bits of one number.
pub(super) const MOST_COLLIDERS: usize = 8;

const ON_CPU: &str = "step this world on the CPU";

fn unsupported(what: impl Into<String>, feature: impl Into<String>, instead: &'static str) -> GpuError {
    GpuError::Unsupported { what: what.into(), feature: feature.into(), instead }
}

/// The parameters and the strands of a world. Refuses by name what would be left out.
pub(super) fn check(sim: &Simulation) -> Result<(FollowLeaderParams, HairChains), GpuError> {
    let of_world = |feature: &str, instead| Err(unsupported("the world", feature, instead));
    if sim.solver_count() > 1 {
        return of_world("several solvers", "give all bodies the solver follow-the-leader");
    }
    let SolverChoice::FollowLeader(params) = sim.solver_choice() else {
        return of_world("another solver", "choose follow-the-leader by its parameters");
    };
    if sim.integrator() != TimeIntegrator::ImplicitEuler {
        let feature = format!("{} as integrator", sim.integrator());
        return Err(unsupported("the world", feature, "integrate by implicit Euler"));
    }
    if let Some(feature) = sim.features().into_iter().find(|feature| *feature != "colliders") {
        return of_world(feature, ON_CPU);
    }
    if sim.forces().iter().any(|force| *force != Vec3::ZERO) {
        return of_world("forces on vertices", ON_CPU);
    }
    let damping = sim.damping();
    if damping != (Damping { drag: damping.drag, ..Damping::default() }) {
        return of_world("damping other than drag", "damp by drag, or by the friction of a grid");
    }
    check_colliders(sim)?;
    let chains = match HairChains::of(sim.model()) {
        Ok(chains) => chains,
        Err(error) => return Err(unsupported("the world", format!("what is no hair ({error})"), ON_CPU)),
    };
    if let Some(chain) = chains.held.iter().position(|is_held| *is_held) {
        let body = &sim.model().bodies()[chains.bodies[chain] as usize];
        let feature = "a strand that is held at both ends";
        return Err(unsupported(format!("body {:?}", body.name), feature, "pin one vertex of each strand"));
    }
    Ok((params.clone(), chains))
}

fn check_colliders(sim: &Simulation) -> Result<(), GpuError> {
    let count = sim.colliders().len();
    if count > MOST_COLLIDERS {
        let feature = format!("{count} colliders, more than {MOST_COLLIDERS}");
        return Err(unsupported("the world", feature, "use fewer colliders"));
    }
    for (number, collider) in sim.colliders().iter().enumerate() {
        let name = collider.name().map_or_else(|| format!("collider {number}"), |name| format!("collider {name:?}"));
        if matches!(collider.shape(), Shape::Heightfield(_) | Shape::Mesh(_) | Shape::Grid(_)) {
            let instead = "use planes, balls, boxes, capsules and cylinders";
            return Err(unsupported(name, "triangles, heights or a grid for its shape", instead));
        }
        if collider.surface().restitution > 0.0 {
            return Err(unsupported(name, "restitution", "set it to 0"));
        }
    }
    Ok(())
}
