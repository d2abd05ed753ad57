use super::*;
use crate::constraint::{Allowed, Dihedral, Distance, IsometricBending, TetVolumeConstraint};
use crate::energy::PlateBending;
use crate::material::{BendModel, ClothMaterial, SolidMaterial};
use crate::mesh::generate::{Sheet, TetBox};
use crate::solve::PositionBasedParams;
use crate::step::simulation::Simulation;
use crate::world::body::Body;

/// A cloth and a bar with all that has kernels, one vertex of each pinned.
fn world() -> Simulation {
    let sheet = Sheet { columns: 14, rows: 11, ..Sheet::default() }.mesh().expect("a sheet");
    let hinges = sheet.hinges().expect("hinges");
    let distances = Distance::at_rest(&sheet.edges(), &sheet.positions, Allowed::Exactly, 1e-4).expect("edges");
    let flat = IsometricBending::at_rest(&hinges, &sheet.positions, 1e-3).expect("hinges");
    let bent = Dihedral::at_rest(&hinges, &sheet.positions, 1e-2).expect("hinges");
    let material = ClothMaterial { bend_model: BendModel::MeanCurvature, ..ClothMaterial::default() };
    let cloth = Body::cloth(&sheet, &material).expect("a cloth").pin([0]).with_constraints(distances.boxed());
    let cloth = cloth.with_energy(PlateBending { stiffness: 1e-2, poisson_ratio: 0.3 }.build(&sheet).expect("a plate"));
    let cloth = cloth.with_constraints(flat.boxed()).with_constraints(bent.boxed());
    let bar = TetBox { cells: [6, 3, 3], ..TetBox::default() }.mesh().expect("a bar");
    let volumes = TetVolumeConstraint::at_rest(&bar.tets, &bar.positions, 1e-7).expect("tets");
    let springs = crate::energy::EdgeSprings::new(bar.edges(), crate::energy::SpringStiffness::Uniform(50.0));
    let springs = springs.build(&bar.positions).expect("springs");
    let bar = Body::solid(&bar, &SolidMaterial::default()).expect("a bar").pin([0]);
    let bar = bar.with_energy(springs).with_constraints(volumes.boxed());
    Simulation::builder().body(cloth).body(bar).solver(PositionBasedParams::default()).build().expect("a world")
}

#[test]
fn every_instruction_set_moves_vertices_to_the_same_places() {
    let sim = world();
    let model = sim.model();
    let energies = (0..model.energies().len()).map(|batch| Source::Energy { batch, one_by_one: true });
    let sources: Vec<Source> = energies.chain((0..model.constraints().len()).map(Source::Constraints)).collect();
    let mass = model.mass().lumped();
    let inverse = |v: usize| if model.free_index(v as u32).is_some() { 1.0 / mass[v] } else { 0.0 };
    let inverse_masses: Vec<f64> = (0..mass.len()).map(inverse).collect();
    let wave = |k: usize| 0.01 * (12.9898 * k as f64).sin();
    let displaced = |(v, p): (usize, &Vec3)| *p + Vec3::new(wave(3 * v), wave(3 * v + 1), wave(3 * v + 2));
    let start: Vec<Vec3> = model.rest().iter().enumerate().map(displaced).collect();
    let mut forms = Vec::new();
    for &source in &sources {
        for rule in [Rule::Share(0.7), Rule::Compliance { inertia: 3600.0 }] {
            let run = |set: InstructionSet, backwards: bool| {
                let mut points = Points::new(&inverse_masses);
                let mut pass = LanePass::new(model, source, &mut points)?;
                let warm = match source {
                    Source::Energy { batch, .. } => model.energies()[batch].batch.initial_warm(),
                    Source::Constraints(_) => Vec::new(),
                };
                pass.begin(&warm);
                let mut x = start.clone();
                for _ in 0..3 {
                    pass.run(set, &Team::alone(), &rule, 1.0, backwards, &x, &mut points);
                }
                points.store(&mut x);
                Some((x, pass.form))
            };
            for backwards in [false, true] {
                let Some((best, form)) = run(InstructionSet::detect(), backwards) else { continue };
                let (plain, _) = run(InstructionSet::Portable, backwards).expect("kernels");
                forms.push(std::mem::discriminant(&form));
                let apart = best.iter().zip(&plain).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
                let moved = best.iter().zip(&start).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
                assert!(apart < 1e-12 && moved > 1e-5, "{form:?} {rule:?}: moved by {moved}, apart by {apart}");
                for (v, (after, before)) in
                    best.iter().zip(&start).enumerate().filter(|(v, _)| inverse_masses[*v] == 0.0)
                {
                    assert_eq!(after, before, "pinned vertex {v} of {form:?}");
                }
            }
        }
    }
    forms.dedup();
    // Limits of springs are checked in tests/position_based.
    assert_eq!(forms.len(), 9, "a form was left out: {forms:?}");
}
