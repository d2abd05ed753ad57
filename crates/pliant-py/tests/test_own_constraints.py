"""Constraints and sets that are functions of the user's: with gradients, or by differences."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pliant


def distances(x: np.ndarray, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """C and ∇C of pairs that are to be 0.1 m apart."""
    apart = x[:, 1] - x[:, 0]
    length = np.linalg.norm(apart, axis=1, keepdims=True)
    along = apart / length
    return length[:, 0] - 0.1, np.stack([-along, along], axis=1)


def lengths_only(x: np.ndarray, elements: np.ndarray) -> np.ndarray:
    return distances(x, elements)[0]


def broken(x: np.ndarray, elements: np.ndarray) -> np.ndarray:
    raise KeyError("mine")


ROPE = pliant.rope((0, 0, 0), (1, 0, 0), 10)


def hanging(constraints: pliant.Constraints, steps: int = 20) -> np.ndarray:
    body = pliant.Body(ROPE, density=0.1, pin=[0], constraints=constraints)
    sim = pliant.Simulation(body, solver=pliant.PositionBased(40))
    sim.step(steps)
    positions: np.ndarray = sim.positions
    return positions


@pytest.mark.parametrize("compliance, damping", [(0.0, 0.0), (1e-4, 0.0), (1e-4, 0.05)])
def test_a_function_of_distances_is_the_built_in_constraint(compliance: float, damping: float) -> None:
    options = {"compliance": compliance, "damping": damping}
    known = hanging(pliant.DistanceConstraints(ROPE.segments(), **options), 3)  # type: ignore[arg-type]
    given = hanging(pliant.CustomConstraints(ROPE.segments(), distances, **options), 3)  # type: ignore[arg-type]
    found = hanging(pliant.CustomConstraints(ROPE.segments(), lengths_only, **options), 3)  # type: ignore[arg-type]
    np.testing.assert_allclose(given, known, atol=1e-9)
    np.testing.assert_allclose(found, given, atol=1e-7)


def test_a_bead_slides_down_its_wire() -> None:
    def wire(x: np.ndarray, elements: np.ndarray) -> np.ndarray:
        return np.asarray(x[:, 0, 1] - x[:, 0, 0] ** 2)

    beads = pliant.Points([[0.5, 0.25, 0], [-1.0, 1.0, 0]])
    body = pliant.Body(beads, masses=0.01, constraints=pliant.CustomConstraints([[0], [1]], wire))
    sim = pliant.Simulation(body, solver=pliant.PositionBased(10))
    sim.step(10)
    x = sim.positions
    np.testing.assert_allclose(x[:, 1], x[:, 0] ** 2, atol=1e-9)
    assert 0 < x[0, 0] < 0.49 and -0.99 < x[1, 0] < 0


def test_elements_are_told_by_their_numbers_and_one_sided_ones_only_push() -> None:
    floors = np.array([0.0, -1.0, -2.0])

    def above(x: np.ndarray, elements: np.ndarray) -> np.ndarray:
        return np.asarray(x[:, 0, 1] - floors[elements])

    stones = pliant.Points([[0, 1, 0], [1, 1, 0], [2, 1, 0]])
    floor = pliant.CustomConstraints([[0], [1], [2]], above, at_least=True, name="floor")
    sim = pliant.Simulation(pliant.Body(stones, masses=1.0, constraints=floor), solver=pliant.PositionBased(5))
    sim.step()
    assert (sim.velocities[:, 1] < 0).all(), "above the floor nothing holds them"
    sim.step(120)
    np.testing.assert_allclose(sim.positions[:, 1], floors, atol=1e-9)


def test_what_a_function_does_wrong_is_said_and_changes_nothing() -> None:
    def two_many(x: np.ndarray, elements: np.ndarray) -> np.ndarray:
        return np.zeros(len(x) + 2)

    for function, error, message in [
        (broken, KeyError, "mine"),
        (two_many, ValueError, "returned 12 values for 10 elements"),
        (lambda x, elements: "no", ValueError, "must return a float64 array"),
        (lambda x, elements: np.full(len(x), np.nan), ValueError, "returned NaN"),
        (lambda x, elements: (np.zeros(len(x)), np.zeros((len(x), 1, 3))), ValueError, "gradients of shape"),
    ]:
        with pytest.raises(error, match=message):
            hanging(pliant.CustomConstraints(ROPE.segments(), function))
    calls = {"left": 5}

    def later(x: np.ndarray, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls["left"] -= 1
        if calls["left"] < 0:
            raise KeyError("mine")
        return distances(x, elements)

    body = pliant.Body(ROPE, density=0.1, pin=[0], constraints=pliant.CustomConstraints(ROPE.segments(), later))
    sim = pliant.Simulation(body, solver=pliant.PositionBased(40))
    before = sim.checkpoint()
    with pytest.raises(KeyError, match="mine"):
        sim.step()
    assert sim.checkpoint() == before
    calls["left"] = 10**9
    sim.step()
    for bad, message in [(pliant.Projective(), "position-based"), (pliant.Newton(), "position-based")]:
        with pytest.raises(ValueError, match=message):
            pliant.Simulation(body, solver=bad)


def test_own_constraints_travel() -> None:
    own = pliant.CustomConstraints(ROPE.segments(), distances, compliance=1e-5, name="mine")
    again = pickle.loads(pickle.dumps(own))
    np.testing.assert_array_equal(hanging(own, 2), hanging(again, 2))


def sphere(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """z of length 0.1, as a set {p : ‖p‖² = 0.01}."""
    return (p[:, 0] ** 2).sum(axis=1) - 0.01, 2 * p


def sphere_values(p: np.ndarray) -> np.ndarray:
    return sphere(p)[0]


@pytest.mark.parametrize("constraint", [sphere, sphere_values])
@pytest.mark.parametrize("solver", [pliant.Projective(20), pliant.Newton()])
def test_a_numerical_projection_gives_the_springs_of_the_formula(constraint: object, solver: object) -> None:
    def positions(energy: pliant.Energy) -> np.ndarray:
        body = pliant.Body(ROPE, density=0.1, pin=[0], energies=energy)
        sim = pliant.Simulation(body, solver=solver, time_step=0.005)  # type: ignore[arg-type]
        sim.step(8)
        found: np.ndarray = sim.positions
        return found

    own = pliant.CustomEnergy(ROPE.segments(), [[-1, 1]], 400.0, constraint=constraint)  # type: ignore[arg-type]
    known = positions(pliant.EdgeSprings(ROPE.segments(), 400.0))
    np.testing.assert_allclose(positions(own), known, atol=1e-6)
    assert np.abs(known - ROPE.positions).max() > 1e-3, "it moves"


def test_a_projection_that_does_not_settle_is_said() -> None:
    nowhere = pliant.CustomEnergy(ROPE.segments(), [[-1, 1]], 400.0, constraint=lambda p: (p**2).sum(axis=(1, 2)) + 1)
    sim = pliant.Simulation(pliant.Body(ROPE, density=0.1, pin=[0], energies=nowhere), solver=pliant.Projective())
    with pytest.raises(ValueError, match="element 0 of the energy .custom. onto its constraint does not converge"):
        sim.step()
    np.testing.assert_array_equal(sim.positions, ROPE.positions)
    for options in ({}, {"project": lambda z: z, "constraint": sphere}):
        with pytest.raises(ValueError, match="give one of project, constraint"):
            pliant.CustomEnergy([[0, 1]], [[-1, 1]], 1.0, **options)  # type: ignore[arg-type]
