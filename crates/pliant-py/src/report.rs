//! Reports as objects to read, print and pickle.

use std::collections::BTreeMap;

use pliant::solve::{ForceBalance, SetupSeconds};
use pliant::{EnergyReport, FluidReport, SelfCollisionReport, Works};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The residual in words of Python.
fn residual_text(report: &pliant::solve::SolveReport) -> String {
    report.residual().map_or_else(|| "None".to_owned(), |residual| format!("{residual:.3e}"))
}

/// What a solver says of one step.
#[pyclass(frozen, module = "pliant._pliant")]
#[derive(Debug, Clone)]
pub(crate) struct SolveReport(pub(crate) pliant::solve::SolveReport);

type SolveState = (
    usize,
    (f64, Option<[f64; 2]>),
    bool,
    f64,
    Vec<f64>,
    [usize; 8],
    (f64, f64, f64, [f64; 4]),
    Option<(usize, [f64; 3])>,
);

#[pymethods]
impl SolveReport {
    /// Iterations taken.
    #[getter]
    fn iterations(&self) -> usize {
        self.0.iterations
    }

    /// Largest movement of a vertex in the last iteration, relative to the diagonal of the world.
    #[getter]
    fn movement(&self) -> f64 {
        self.0.movement
    }

    /// Largest unbalanced force on a vertex at the result [N]; None of methods that know no forces.
    #[getter]
    fn unbalanced_force(&self) -> Option<f64> {
        self.0.forces.map(|forces| forces.unbalanced)
    }

    /// Largest force on a vertex, of energies and contacts together, or external [N]; None of methods that know no forces.
    #[getter]
    fn largest_force(&self) -> Option<f64> {
        self.0.forces.map(|forces| forces.largest)
    }

    /// unbalanced_force relative to largest_force; None of methods that know no forces.
    #[getter]
    fn residual(&self) -> Option<f64> {
        self.0.residual()
    }

    /// Whether the residual, or where there is none the movement, fell below the tolerance.
    #[getter]
    fn converged(&self) -> bool {
        self.0.converged
    }

    /// The objective g at the result [J].
    #[getter]
    fn objective(&self) -> f64 {
        self.0.objective
    }

    /// Values of g [J] on the way, if recorded: at the start, then after each half-step (plain local/global) or iteration.
    #[getter]
    fn history(&self) -> Vec<f64> {
        self.0.history.clone()
    }

    /// Accelerated iterates that were refused because g rose.
    #[getter]
    fn rejected(&self) -> usize {
        self.0.rejected
    }

    /// Iterations of inner linear solves, where they are iterative.
    #[getter]
    fn linear_iterations(&self) -> usize {
        self.0.linear_iterations
    }

    /// Contacts with colliders that press at the end.
    #[getter]
    fn contacts(&self) -> usize {
        self.0.contacts
    }

    /// Rank-one updates of the factor because contacts came to stick or ceased to.
    #[getter]
    fn rank_one_updates(&self) -> usize {
        self.0.rank_one_updates
    }

    /// Numeric factorisations because of such changes.
    #[getter]
    fn refactorisations(&self) -> usize {
        self.0.refactorisations
    }

    /// Elements that the local step projected one by one, which is slow: those of energies written in Python.
    #[getter]
    fn one_by_one(&self) -> usize {
        self.0.one_by_one
    }

    /// Matrices that were factored before the iterations: one for each body, or for bodies that are attached to each
    /// other. Those of bodies that have not changed are kept.
    #[getter]
    fn factored(&self) -> usize {
        self.0.factored
    }

    /// Elements that explicit integration has left to matching.
    #[getter]
    fn stabilised(&self) -> usize {
        self.0.stabilised
    }

    /// How well fluids keep their density: particles, mean and largest excess over the rest density (relative), largest
    /// pressure [Pa]; None where there is no fluid.
    #[getter]
    fn fluid(&self) -> Option<BTreeMap<&'static str, f64>> {
        let fluid = self.0.fluid?;
        let entries = [
            ("particles", fluid.particles as f64),
            ("mean_excess", fluid.mean_excess),
            ("largest_excess", fluid.largest_excess),
            ("largest_pressure", fluid.largest_pressure),
        ];
        Some(entries.into())
    }

    /// Seconds in projections.
    #[getter]
    fn seconds_local(&self) -> f64 {
        self.0.seconds_local
    }

    /// Seconds in right-hand sides and linear solves.
    #[getter]
    fn seconds_global(&self) -> f64 {
        self.0.seconds_global
    }

    /// Seconds in factorisations.
    #[getter]
    fn seconds_factor(&self) -> f64 {
        self.0.seconds_factor
    }

    /// Seconds of the setup by phase: assemble, analyse, factor, pack; all 0 where an earlier one could be used.
    #[getter]
    fn setup_seconds(&self) -> BTreeMap<&'static str, f64> {
        let setup = &self.0.setup;
        [("assemble", setup.assemble), ("analyse", setup.analyse), ("factor", setup.factor), ("pack", setup.pack)]
            .into()
    }

    fn __repr__(&self) -> String {
        let report = &self.0;
        let converged = if report.converged { "True" } else { "False" };
        format!(
            "SolveReport(iterations={}, residual={}, converged={converged}, objective={:.6e})",
            report.iterations,
            residual_text(report),
            report.objective
        )
    }

    #[classmethod]
    fn _from_state(_class: &Bound<'_, PyType>, state: SolveState) -> Self {
        let (iterations, (movement, forces), converged, objective, history, counts, seconds, fluid) = state;
        let [
            rejected,
            linear_iterations,
            contacts,
            rank_one_updates,
            refactorisations,
            one_by_one,
            stabilised,
            factored,
        ] = counts;
        let (seconds_local, seconds_global, seconds_factor, [assemble, analyse, factor, pack]) = seconds;
        Self(pliant::solve::SolveReport {
            iterations,
            movement,
            forces: forces.map(|[unbalanced, largest]| ForceBalance { unbalanced, largest }),
            converged,
            objective,
            history,
            rejected,
            linear_iterations,
            contacts,
            rank_one_updates,
            refactorisations,
            one_by_one,
            stabilised,
            fluid: fluid.map(|(particles, [mean_excess, largest_excess, largest_pressure])| FluidReport {
                particles,
                mean_excess,
                largest_excess,
                largest_pressure,
            }),
            seconds_local,
            seconds_global,
            seconds_factor,
            setup: SetupSeconds { assemble, analyse, factor, pack },
            factored,
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (SolveState,))> {
        let report = &slf.get().0;
        let SetupSeconds { assemble, analyse, factor, pack } = report.setup;
        let setup = [assemble, analyse, factor, pack];
        let seconds = (report.seconds_local, report.seconds_global, report.seconds_factor, setup);
        let state = (
            report.iterations,
            (report.movement, report.forces.map(|forces| [forces.unbalanced, forces.largest])),
            report.converged,
            report.objective,
            report.history.clone(),
            [
                report.rejected,
                report.linear_iterations,
                report.contacts,
                report.rank_one_updates,
                report.refactorisations,
                report.one_by_one,
                report.stabilised,
                report.factored,
            ],
            seconds,
            report
                .fluid
                .map(|fluid| (fluid.particles, [fluid.mean_excess, fluid.largest_excess, fluid.largest_pressure])),
        );
        Ok((slf.get_type().getattr("_from_state")?, (state,)))
    }
}

/// How a step went.
#[pyclass(frozen, module = "pliant._pliant")]
#[derive(Debug, Clone)]
pub(crate) struct StepReport(pub(crate) pliant::StepReport);

type StepState =
    (u64, f64, Py<SolveReport>, (f64, f64, f64), Option<([usize; 5], [f64; 2])>, usize, Option<Limited>, Energy);
/// What limiting strain took: stretches before and after, the farthest movement, iterations.
type Limited = ([f64; 3], usize);
/// What became of the energy: kinetic, elastic, released and gained; works; substeps redone and slowed.
type Energy = ([f64; 4], [f64; 7], [usize; 2]);

#[pymethods]
impl StepReport {
    /// Number of the step, from 1.
    #[getter]
    fn step(&self) -> u64 {
        self.0.step
    }

    /// Time at its end [s].
    #[getter]
    fn time(&self) -> f64 {
        self.0.time
    }

    /// Vertices that were doubled after the step, where bodies tear.
    #[getter]
    fn torn(&self) -> usize {
        self.0.torn
    }

    /// What the solver says.
    #[getter]
    fn solve(&self) -> SolveReport {
        SolveReport(self.0.solve.clone())
    }

    /// What keeping surfaces apart took: pairs, contacts, vertices cut short and seconds; None where nothing keeps them apart.
    #[getter]
    fn self_collision(&self) -> Option<BTreeMap<&'static str, f64>> {
        let apart = self.0.self_collision.as_ref()?;
        let entries = [
            ("candidates", apart.candidates as f64),
            ("contacts", apart.contacts as f64),
            ("truncated", apart.truncated as f64),
            ("held", apart.held as f64),
            ("rounds", apart.rounds as f64),
            ("seconds_broad", apart.seconds_broad),
            ("seconds_narrow", apart.seconds_narrow),
        ];
        Some(entries.into())
    }

    /// What limiting strain took: largest stretch of an edge before and after, rounds or linear solves, the farthest that a vertex was
    /// moved [m]; None where strain is not limited.
    #[getter]
    fn strain_limiting(&self) -> Option<BTreeMap<&'static str, f64>> {
        let limited = self.0.strain_limiting?;
        let entries = [
            ("stretch_before", limited.stretch_before),
            ("stretch_after", limited.stretch_after),
            ("iterations", limited.iterations as f64),
            ("moved", limited.moved),
        ];
        Some(entries.into())
    }

    /// What became of the energy in the step [J]: kinetic and elastic at its end, released by gravity, the work of pins, colliders, handles, forces, pressure,
    /// wind and emitters, and what was gained beside that (lost where it is negative); and how many substeps were redone or slowed because they had gained.
    #[getter]
    fn energy(&self) -> BTreeMap<&'static str, f64> {
        let EnergyReport { kinetic, elastic, released, works, gained, redone, slowed } = self.0.energy;
        let Works { pins, colliders, handles, forces, pressure, wind, emitters } = works;
        let entries = [
            ("kinetic", kinetic),
            ("elastic", elastic),
            ("released", released),
            ("pins", pins),
            ("colliders", colliders),
            ("handles", handles),
            ("forces", forces),
            ("pressure", pressure),
            ("wind", wind),
            ("emitters", emitters),
            ("gained", gained),
            ("redone", redone as f64),
            ("slowed", slowed as f64),
        ];
        entries.into()
    }

    /// Seconds in prediction and external forces.
    #[getter]
    fn seconds_predict(&self) -> f64 {
        self.0.seconds_predict
    }

    /// Seconds in the solver.
    #[getter]
    fn seconds_solve(&self) -> f64 {
        self.0.seconds_solve
    }

    /// Seconds in all.
    #[getter]
    fn seconds_total(&self) -> f64 {
        self.0.seconds_total
    }

    fn __repr__(&self) -> String {
        let report = &self.0;
        format!(
            "StepReport(step={}, time={:.6}, iterations={}, residual={}, seconds_total={:.3e})",
            report.step,
            report.time,
            report.solve.iterations,
            residual_text(&report.solve),
            report.seconds_total
        )
    }

    #[classmethod]
    fn _from_state(_class: &Bound<'_, PyType>, state: StepState) -> Self {
        let (step, time, solve, (seconds_predict, seconds_solve, seconds_total), apart, torn, limited, energy) = state;
        let ([kinetic, elastic, released, gained], works, [redone, slowed]) = energy;
        let [pins, colliders, handles, forces, pressure, wind, emitters] = works;
        let works = Works { pins, colliders, handles, forces, pressure, wind, emitters };
        let energy = EnergyReport { kinetic, elastic, released, works, gained, redone, slowed };
        let solve = solve.get().0.clone();
        let self_collision =
            apart.map(|([candidates, contacts, truncated, held, rounds], [seconds_broad, seconds_narrow])| {
                SelfCollisionReport { candidates, contacts, truncated, held, rounds, seconds_broad, seconds_narrow }
            });
        let strain_limiting = limited.map(|([stretch_before, stretch_after, moved], iterations)| {
            pliant::StrainLimitReport { stretch_before, stretch_after, iterations, moved }
        });
        Self(pliant::StepReport {
            step,
            time,
            solve,
            self_collision,
            strain_limiting,
            energy,
            torn,
            seconds_predict,
            seconds_solve,
            seconds_total,
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (StepState,))> {
        let report = &slf.get().0;
        let solve = Py::new(slf.py(), SolveReport(report.solve.clone()))?;
        let seconds = (report.seconds_predict, report.seconds_solve, report.seconds_total);
        let apart = report.self_collision.as_ref().map(|apart| {
            let counts = [apart.candidates, apart.contacts, apart.truncated, apart.held, apart.rounds];
            (counts, [apart.seconds_broad, apart.seconds_narrow])
        });
        let limited = report.strain_limiting.map(|l| ([l.stretch_before, l.stretch_after, l.moved], l.iterations));
        let EnergyReport { kinetic, elastic, released, works, gained, redone, slowed } = report.energy;
        let Works { pins, colliders, handles, forces, pressure, wind, emitters } = works;
        let works = [pins, colliders, handles, forces, pressure, wind, emitters];
        let energy = ([kinetic, elastic, released, gained], works, [redone, slowed]);
        let state = (report.step, report.time, solve, seconds, apart, report.torn, limited, energy);
        Ok((slf.get_type().getattr("_from_state")?, (state,)))
    }
}
