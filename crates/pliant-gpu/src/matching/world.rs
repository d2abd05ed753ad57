//! Which worlds of shape matching can stay on a device.

use pliant::collide::Shape;
use pliant::math::Vec3;
use pliant::solve::{PositionBasedParams, SolverChoice};
use pliant::{Damping, Lattice, Matching, Modes, Simulation, TimeIntegrator};

use super::lattice::{Neighbours, Region};
use crate::error::GpuError;

/// Colliders that a world may have: contacts of a particle are kept in the bits of one number.
const MOST_COLLIDERS: usize = 8;

const ON_CPU: &str = "step this world on the CPU";

fn unsupported(what: impl Into<String>, feature: impl Into<String>, instead: &'static str) -> GpuError {
    GpuError::Unsupported { what: what.into(), feature: feature.into(), instead }
}

/// A matched body, as kernels have it.
#[derive(Debug)]
pub(super) struct Matched {
    pub(super) matching: Matching,
    pub(super) solver: PositionBasedParams,
    pub(super) neighbours: Neighbours,
    pub(super) regions: Vec<Region>,
    /// Masses in the unit of the heaviest particle.
    pub(super) masses: Vec<f64>,
    pub(super) spacing: f64,
}

/// The matched body of a world. Refuses by name what would be left out.
pub(super) fn check(sim: &Simulation) -> Result<Matched, GpuError> {
    let of_world = |feature: &str, instead| Err(unsupported("the world", feature, instead));
    if sim.solver_count() > 1 {
        return of_world("several solvers", "give all bodies the position-based solver");
    }
    let SolverChoice::PositionBased(solver) = sim.solver_choice() else {
        return of_world("another solver", "choose the position-based solver by its parameters");
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
        return of_world("damping other than drag", "damp by drag");
    }
    let of_solver = |feature: &str, instead| Err(unsupported("the position-based solver", feature, instead));
    if solver.tolerance > 0.0 {
        return of_solver("a tolerance", "set it to 0: all iterations are made");
    }
    if solver.record {
        return of_solver("a record of each iteration", "set `record` to false");
    }
    if solver.iterations == 0 {
        return of_solver("no iterations", "make one at least");
    }
    let model = sim.model();
    let [body] = model.bodies() else {
        return of_world("several bodies", "make a world of each");
    };
    let of_body = |feature: &str, instead| Err(unsupported(format!("body {:?}", body.name), feature, instead));
    let Some(matching) = model.matter_in::<Matching>(0) else {
        return of_body("no shape matching", ON_CPU);
    };
    if model.matter().len() > 1 || !model.energies().is_empty() || !model.constraints().is_empty() {
        return of_body("energies, constraints or other matter beside its shape matching", ON_CPU);
    }
    let Some((lattice, width)) = matching.regions.lattice() else {
        return of_body("regions that are not cubes of a lattice", "match it by `Lattice::regions`");
    };
    if matching.plasticity.is_some() {
        return of_body("plasticity", ON_CPU);
    }
    if matching.toughness.is_some() {
        return of_body("a toughness, beyond which it breaks", ON_CPU);
    }
    if matching.volume.is_some() {
        return of_body("volume conservation", ON_CPU);
    }
    if matching.modes != Modes::Rigid {
        return of_body("modes that regions do not resist", "use `Modes::Rigid`");
    }
    if pieces(lattice) > 1 {
        return of_body("several pieces", "make a world of each");
    }
    check_colliders(sim)?;
    let heaviest = model.mass().lumped().iter().fold(0.0_f64, |most, mass| most.max(*mass));
    let masses: Vec<f64> = model.mass().lumped().iter().map(|mass| mass / heaviest).collect();
    let neighbours = Neighbours::new(lattice, width.min(usize::from(u16::MAX)));
    let regions = neighbours.regions(&masses);
    if regions.iter().any(Region::is_line) {
        return of_body("regions that are points or lines", "make it two cells thick, or its regions wider");
    }
    let (matching, solver, spacing) = (matching.clone(), solver.clone(), lattice.spacing());
    Ok(Matched { matching, solver, neighbours, regions, masses, spacing })
}

/// How many parts of a lattice hang together.
fn pieces(lattice: &Lattice) -> usize {
    let mut parents: Vec<u32> = (0..lattice.cells().len() as u32).collect();
    let root = |parents: &mut Vec<u32>, mut v: u32| {
        while parents[v as usize] != v {
            parents[v as usize] = parents[parents[v as usize] as usize];
            v = parents[v as usize];
        }
        v
    };
    for [low, high] in lattice.edges() {
        let [low, high] = [low, high].map(|v| root(&mut parents, v));
        parents[high.max(low) as usize] = low.min(high);
    }
    (0u32..).zip(&parents).filter(|(v, parent)| v == *parent).count()
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
        if !collider.is_still() {
            return Err(unsupported(name, "a motion", "let it stand still"));
        }
        if collider.surface().restitution > 0.0 {
            return Err(unsupported(name, "restitution", "set it to 0"));
        }
    }
    Ok(())
}
