"""Explicit integration."""

from __future__ import annotations

import numpy as np
import pytest

import pliant


def bar(solver: pliant.Explicit, time_step: float, mesh: pliant.TetMesh | None = None) -> pliant.Simulation:
    mesh = pliant.box((1, 0.2, 0.2), (10, 2, 2)) if mesh is None else mesh
    material = pliant.SolidMaterial(youngs_modulus=1e5, poisson_ratio=0.0)
    body = pliant.Body(mesh, material, positions=mesh.positions * [1.05, 1, 1])
    return pliant.Simulation(body, solver=solver, time_step=time_step, gravity=(0, 0, 0), runaway_limit=1e3)


def test_a_bar_swings_with_its_period_and_keeps_its_energy() -> None:
    """Half a period of the free bar takes L √(ρ/E), after which what was stretched is shortened."""
    longest = bar(pliant.Explicit(), 1e-4).stable_time_step
    assert 1e-4 < longest < 0.1
    half = 1.0 * np.sqrt(1000 / 1e5)
    steps = int(np.ceil(half / (0.5 * longest)))
    sim = bar(pliant.Explicit(), half / steps)
    before = sim.report().total
    report = sim.step(steps)
    assert report.solve.stabilised == 0
    assert np.ptp(sim.positions[:, 0]) == pytest.approx(0.95, abs=0.01)
    assert sim.report().total == pytest.approx(before, rel=0.1)


def test_elements_that_allow_no_step_as_long_are_matched_or_the_step_is_refused() -> None:
    mesh = pliant.box((1, 0.2, 0.2), (10, 2, 2))
    moved = mesh.positions.copy()
    inner = int(np.flatnonzero((np.abs(moved - [0, 0, 0]) < 1e-9).all(axis=1))[0])
    moved[inner] += [0.0999, 0, 0]
    bad = pliant.TetMesh(moved, mesh.tets)
    step = 0.5 * bar(pliant.Explicit(), 1e-4).stable_time_step
    assert bar(pliant.Explicit(), 1e-4, bad).stable_time_step < 0.1 * step
    sim = bar(pliant.Explicit(), step, bad)
    assert sim.step(100).solve.stabilised > 0
    assert np.abs(sim.positions).max() < 0.6
    with pytest.raises(pliant.StepError):
        bar(pliant.Explicit(stabilise=False), step, bad).step(1000)


def test_safety_out_of_range_is_refused() -> None:
    for safety in (0.0, 1.5, float("nan")):
        with pytest.raises(ValueError, match="safety is"):
            bar(pliant.Explicit(safety=safety), 1e-4)
