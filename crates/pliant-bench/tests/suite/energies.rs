//! Every energy of the engine's list is measured, and C++ projects to the same places. Speed is asserted nowhere.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use pliant::energy::{EnergyInfo, LIST};
use pliant::math::{Mat3, Vec3};
use pliant_bench::energies::{self, Case, EnergyResults, EnergyRow, State};
use pliant_bench::timing::Effort;

/// Enough for all variants of an element, few enough for a quick test.
const ELEMENTS: usize = 400;

fn all() -> Vec<Case> {
    energies::cases(LIST, ELEMENTS).unwrap().cases
}

/// An energy of the list under another key, as if it were new.
fn renamed(key: &str) -> EnergyInfo {
    EnergyInfo { key: "new", ..*LIST.iter().find(|info| info.key == key).unwrap() }
}

#[test]
fn every_energy_of_the_list_has_a_row() {
    let found = energies::cases(LIST, ELEMENTS).unwrap();
    assert!(found.missing.is_empty(), "energies/cases.rs has no body for {:?}", found.missing);
    for info in LIST {
        assert!(found.cases.iter().any(|case| case.key == info.key), "{}", info.key);
    }
    for case in &found.cases {
        let batches = case.batches().unwrap();
        assert!(batches.iter().any(|batch| batch.kind() == case.key), "{}", case.name());
        let count = batches[0].operator().len();
        assert!((ELEMENTS / 2..2 * ELEMENTS).contains(&count), "{}: {count} elements", case.name());
    }
}

#[test]
fn a_new_energy_is_measured_on_copies_of_its_specimens_or_shown_as_not_measured() {
    let found = energies::cases(&[renamed("hinge"), renamed("rigid")], ELEMENTS).unwrap();
    assert_eq!(found.cases.len(), 2, "two specimens of a hinge");
    assert_eq!(found.cases[0].name(), "new, copies of specimen 1");
    assert_eq!(found.cases[0].batches().unwrap()[0].operator().len(), ELEMENTS);
    assert_eq!(found.missing, ["new"], "the vertices of a rigid set cannot be taken apart");
    let row = EnergyRow { name: "new".to_owned(), elements: 0, one_by_one: 0, states: None };
    let results = EnergyResults { processor: String::new(), load: None, compiler: None, energies: vec![row] };
    let text = energies::table(&results).to_text();
    assert_eq!(text.lines().next().map(|heading| heading.matches("[ns]").count()), Some(4), "{text}");
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("new") && line.contains("not measured")), "{text}");
}

#[test]
fn a_strong_deformation_inverts_some_tets_and_a_mild_one_none() {
    let case = all().into_iter().find(|case| case.name() == "tet_strain").unwrap();
    let batches = case.batches().unwrap();
    let operator = batches[0].operator();
    let inverted = State::ALL.map(|state| {
        let x = case.positions(state);
        let determinant = |e: usize| {
            let mut z = [Vec3::ZERO; 3];
            operator.apply(e, &x, &mut z);
            Mat3::from_cols(z[0], z[1], z[2]).determinant()
        };
        (0..operator.len()).filter(|&e| determinant(e) < 0.0).count() as f64 / operator.len() as f64
    });
    assert!(inverted[0] == 0.0 && (0.01..0.3).contains(&inverted[1]), "{inverted:?} of all tets");
}

/// Every kind that bodies are made of runs, none of its elements one by one, and nothing comes to rest (which would be an error): what is called f32 was in f32.
#[test]
fn every_row_is_measured_in_lanes() {
    let effort = Effort { rounds: 1, at_least: Duration::ZERO, turn: Duration::ZERO };
    for case in all() {
        let row = energies::measure_case(&case, effort).unwrap();
        // Only training pulls averages to goals; each has as many vertices as its patch.
        if !row.name.starts_with("average") {
            assert_eq!(row.one_by_one, 0, "{}", row.name);
        }
        let states = row.states.unwrap();
        assert!(states.iter().all(|state| state.single.min > 0.0 && state.double.min > 0.0), "{}", row.name);
        let is_compared = states.iter().all(|state| state.reference.is_some());
        let is_new = row.name.contains("copies of");
        assert!(is_new || is_compared == cfg!(feature = "reference"), "{}", row.name);
    }
}

#[cfg(feature = "reference")]
mod agreement {
    use pliant::energy::{Batch, Memory};
    use pliant::math::{svd_3x2, svd_3x3};
    use pliant_bench::reference::EigenProjection;

    use super::*;

    /// Projections that end where weights of examples or frames settle are repeated until they have.
    const CALLS: usize = 40;
    /// Areas and volumes up to this have one nearest point of area or volume 1.
    const LARGEST_CONTENT: f64 = 3.0;

    /// Largest difference of projections over the largest projection, of elements for which it is unique.
    fn difference(case: &Case, state: State, unique: impl Fn(&dyn Batch, usize, &[Vec3]) -> bool) -> f64 {
        let (batches, x) = (case.batches().unwrap(), case.positions(state));
        let mut loops = EigenProjection::new(&batches, &x).unwrap();
        (0..CALLS).for_each(|_| loops.project());
        let mut largest = 0.0_f64;
        for (batch, theirs) in batches.iter().zip(loops.projections()) {
            let mut memory = Memory::of(batch.as_ref());
            (0..CALLS).for_each(|_| batch.project(&x, batch.initial_goals(), &mut memory));
            let (ours, rows) = (&memory.projections, batch.operator().rows());
            let size = ours.iter().fold(f64::MIN_POSITIVE, |most, p| most.max(p.length()));
            for (k, (a, b)) in ours.iter().zip(&theirs).enumerate() {
                assert!(b.is_finite(), "{}: element {}", case.name(), k / rows);
                if unique(batch.as_ref(), k / rows, &x) {
                    largest = largest.max(a.distance(*b) / size);
                }
            }
        }
        largest
    }

    /// w Aᵀ p, from the engine's projections.
    #[test]
    fn the_local_step_in_cpp_sums_what_projections_pull_at_the_vertices() {
        for case in all().iter().filter(|case| !case.variant.starts_with("copies of")) {
            let (batches, x) = (case.batches().unwrap(), case.positions(State::Mild));
            let mut loops = EigenProjection::new(&batches, &x).unwrap();
            (0..CALLS).for_each(|_| loops.local_step());
            let mut forces = vec![Vec3::ZERO; x.len()];
            for batch in &batches {
                let mut memory = Memory::of(batch.as_ref());
                (0..CALLS).for_each(|_| batch.project(&x, batch.initial_goals(), &mut memory));
                let (operator, rows) = (batch.operator(), batch.operator().rows());
                for e in 0..operator.len() {
                    let (stencil, a) = (operator.stencil(e), operator.coefficients(e));
                    for (k, a) in a.iter().enumerate() {
                        let (row, vertex) = (k / stencil.len(), stencil[k % stencil.len()] as usize);
                        forces[vertex] += memory.projections[rows * e + row] * (operator.weight(e) * a);
                    }
                }
            }
            let size = forces.iter().fold(f64::MIN_POSITIVE, |most, f| most.max(f.length()));
            let off = forces.iter().zip(loops.forces()).fold(0.0_f64, |most, (a, b)| most.max(a.distance(b) / size));
            assert!(off < 1e-8, "{}: {off:.1e}", case.name());
        }
    }

    #[test]
    fn projections_in_cpp_are_those_of_the_engine_when_mildly_deformed() {
        for case in all().iter().filter(|case| !case.variant.starts_with("copies of")) {
            let off = difference(case, State::Mild, |_, _, _| true);
            assert!(off < 1e-8, "{}: {off:.1e}", case.name());
        }
    }

    /// Hinges and blends of examples that are far from their sets have several stationary points, and so have areas and volumes that are several
    /// times too large; a tet whose last stretches cancel has no nearest rotation.
    #[test]
    fn projections_in_cpp_are_those_of_the_engine_when_strongly_deformed_and_unique() {
        let several = ["hinge", "example_local", "example_global"];
        let known = |case: &&Case| !several.contains(&case.key) && !case.variant.starts_with("copies of");
        let unique = |batch: &dyn Batch, element: usize, x: &[Vec3]| {
            let mut z = [Vec3::ZERO; 4];
            batch.operator().apply(element, x, &mut z[..batch.operator().rows()]);
            match batch.operator().rows() {
                2 => svd_3x2(z[0], z[1]).sigma.iter().product::<f64>() < LARGEST_CONTENT,
                3 => {
                    let sigma = svd_3x3(Mat3::from_cols(z[0], z[1], z[2])).sigma;
                    sigma.y + sigma.z > 1e-3 && sigma.element_product() < LARGEST_CONTENT
                }
                _ => true,
            }
        };
        for case in all().iter().filter(known) {
            let off = difference(case, State::Strong, unique);
            assert!(off < 1e-8, "{}: {off:.1e}", case.name());
        }
    }
}
