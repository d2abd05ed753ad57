"""The two-metric Newton, and the choice by what a world contains."""

import numpy as np

import pliant


def cloth(**settings: object) -> pliant.Simulation:
    body = pliant.Body(pliant.sheet(columns=8, rows=8), pliant.ClothMaterial(youngs_modulus=1e7), pin=[0, 8])
    return pliant.Simulation(body, **settings)  # type: ignore[arg-type]


def test_it_ends_at_the_exact_step() -> None:
    sim = cloth()
    sim.step(3)
    problem = sim.next_problem()
    exact = problem.solve(pliant.Newton(tolerance=1e-13)).positions
    found = problem.solve(pliant.TwoMetric.converged()).positions
    assert np.abs(found - exact).max() < 1e-8
    for preconditioner in ("factor", "sum", "product"):
        few = problem.solve(pliant.TwoMetric(6, 60, 1e-3, preconditioner=preconditioner)).positions
        assert np.abs(few - exact).max() < 1e-4


def test_auto_says_what_it_chose() -> None:
    sim = cloth(solver=pliant.Auto())
    assert sim.substeps == 4 and sim.solver_in_use == "two-metric Newton, at most 6 × 8 iterations"
    sim.step(2)
    asked = cloth(solver=pliant.Auto(), substeps=1)
    assert asked.substeps == 1 and "6 × 8" in asked.solver_in_use
    assert cloth().solver_in_use == sim.solver_in_use
    chosen = cloth(solver=pliant.Projective())
    assert chosen.substeps == 1 and chosen.solver_in_use == "projective, Anderson, at most 10 iterations"
