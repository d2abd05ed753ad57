"""Bodies with solvers of their own."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pliant


def pool() -> pliant.Simulation:
    mesh = pliant.sheet(width=0.6, height=0.6, columns=8, rows=8, plane="xz")
    rim = np.abs(mesh.positions[:, [0, 2]]).max(axis=1) > 0.299
    cloth = pliant.Body(mesh, pliant.ClothMaterial.preset("denim"), name="cloth", pin=rim)
    block = pliant.particle_block((0.2, 0.1, 0.2), 0.05).moved((0, 0.1, 0))
    water = pliant.Body(block, pliant.FluidMaterial(spacing=0.05), name="water")
    return pliant.Simulation([cloth, water])


def test_water_does_not_decide_how_the_cloth_beside_it_is_solved() -> None:
    sim = pool()
    assert "two-metric" in sim.solver_of("cloth") and "position-based" in sim.solver_of("water")
    sim.step(20)
    lowest = {name: sim.positions[sim.vertices(name), 1].min() for name in sim.bodies}
    assert lowest["water"] > lowest["cloth"]
    again = pickle.loads(pickle.dumps(sim))
    sim.step(2)
    again.step(2)
    assert np.array_equal(sim.positions, again.positions)


def test_a_body_names_its_solver() -> None:
    mesh = pliant.sheet(columns=4, rows=4)
    first = pliant.Body(mesh, pliant.ClothMaterial(), name="first", solver=pliant.Newton())
    second = pliant.Body(mesh, pliant.ClothMaterial(), name="second")
    sim = pliant.Simulation([first, second], solver=pliant.Projective(7))
    assert "Newton" in sim.solver_of("first") and "7" in sim.solver_of("second")
    sim.step()
    with pytest.raises(ValueError, match="there is no body"):
        sim.solver_of("third")
    with pytest.raises(ValueError, match="solver is 3"):
        pliant.Simulation(pliant.Body(mesh, pliant.ClothMaterial(), solver=3))  # type: ignore[arg-type]
    points = pliant.Body(pliant.particle_block((0.2, 0.2, 0.2), 0.1), pliant.FluidMaterial(), solver=pliant.Newton())
    with pytest.raises(ValueError, match="only the position-based solver"):
        pliant.Simulation(points)
