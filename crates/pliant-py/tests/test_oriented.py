"""Oriented particles and strands that are matched by runs."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import pliant


def fin(material: pliant.OrientedMaterial = pliant.OrientedMaterial(), **options: object) -> pliant.Simulation:
    """A chain of half a metre that stands out from its clamped first particle."""
    chain = pliant.rope((0, 0, 0), (0.5, 0, 0), 5)
    body = pliant.Body(chain, material, name="fin", pin=[0])
    return pliant.Simulation(body, solver=pliant.PositionBased(40), time_step=1 / 120, **options)  # type: ignore[arg-type]


def test_a_chain_one_particle_wide_stands_out_from_its_clamp() -> None:
    sim = fin(damping=pliant.Damping(drag=1.0))
    sim.step(600)
    assert -0.05 < sim.positions[-1, 1] < 0.0
    q = sim.orientations("fin")
    assert q.shape == (6, 4) and sim.angular_velocities("fin").shape == (6, 3)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0)
    carried = sim.channels("fin")
    assert set(carried) == {"orientations", "spins"}
    np.testing.assert_array_equal(carried["orientations"], q)
    np.testing.assert_array_equal(carried["spins"], sim.angular_velocities("fin"))


def test_a_turned_clamp_turns_what_it_holds() -> None:
    sim = fin(gravity=(0, 0, 0), damping=pliant.Damping(drag=2.0))
    q = sim.orientations("fin").copy()
    half = np.cos(0.25), np.sin(0.25)
    w, x, y, z = q[0]
    q[0] = half[0] * w - half[1] * z, half[0] * x - half[1] * y, half[0] * y + half[1] * x, half[0] * z + half[1] * w
    sim.set_orientations("fin", q)
    sim.step(600)
    np.testing.assert_allclose(sim.positions[-1], (0.5 * np.cos(0.5), 0.5 * np.sin(0.5), 0), atol=5e-3)


def test_a_surface_goes_along_with_oriented_particles() -> None:
    chain, material = pliant.rope((0, 0, 0), (0.5, 0, 0), 5), pliant.OrientedMaterial()
    points = np.array([[0.1, 0.05, 0], [0.25, 0, 0.05], [0.55, 0, 0]])
    skin = pickle.loads(pickle.dumps(pliant.Skin(chain, material, points)))
    sim = fin(damping=pliant.Damping(drag=1.0))
    np.testing.assert_allclose(skin.follow(sim.positions, sim.orientations("fin")), points, atol=1e-12)
    sim.step(300)
    gone = skin.follow(sim.positions, sim.orientations("fin")) - points
    ends = sim.positions - chain.positions
    # The first point is at the second particle; the last goes on beyond the tip, which hangs.
    assert gone[2, 1] < ends[-1, 1] < 0
    assert np.linalg.norm(gone[0] - ends[1]) < 0.3 * np.linalg.norm(ends[-1])
    with pytest.raises(ValueError, match="follows Strands with an OrientedMaterial"):
        pliant.Skin(pliant.sheet(1, 1, 2, 2), material, points)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="orientations has the shape"):
        skin.follow(sim.positions, np.zeros((6, 3)))


def test_oriented_particles_travel_with_their_state() -> None:
    sim = fin()
    sim.step(5)
    again = pickle.loads(pickle.dumps(sim))
    sim.step(3)
    again.step(3)
    assert sim.positions.tobytes() == again.positions.tobytes()
    assert sim.orientations("fin").tobytes() == again.orientations("fin").tobytes()


def test_wider_runs_make_strands_stiffer() -> None:
    def sag(width: int) -> float:
        hair = pliant.rope((0, 0, 0), (0.6, 0, 0), 20)
        material = pliant.ChainMaterial(width, share=0.8, limit=None, damping=4.0)
        body = pliant.Body(hair, material, pin=[0, 1])
        sim = pliant.Simulation(body, solver=pliant.PositionBased(1), time_step=1 / 240)
        sim.step(3000)
        return float(-sim.positions[-1, 1])

    assert sag(8) < 0.7 * sag(4) < 0.7 * 0.7 * sag(2)


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: fin(pliant.OrientedMaterial(radius=0.0)), "half-axes"),
    (lambda: fin(pliant.OrientedMaterial(density=-1)), "density is -1"),
    (lambda: pliant.OrientedMaterial(width=-1), "width is -1"),
    (lambda: fin(pliant.OrientedMaterial(width=0)), "width of groups is 0"),
    (lambda: fin(integrator="bdf2"), "oriented particles need implicit Euler"),
    (lambda: fin().set_orientations("fin", np.zeros((6, 4))), "length of a quaternion is 0"),
    (lambda: fin().set_orientations("fin", np.zeros((5, 4))), "orientations has the shape"),
    (lambda: pliant.Body(pliant.sheet(1, 1, 2, 2), pliant.OrientedMaterial()), "does not belong to Sheet"),
    (
        lambda: pliant.Simulation(
            pliant.Body(pliant.rope((0, 0, 0), (1, 0, 0), 3), pliant.OrientedMaterial()), solver=pliant.Newton()
        ),
        'constraints of kind "oriented particles"',
    ),
    (
        lambda: pliant.Simulation(
            pliant.Body(pliant.rope((0, 0, 0), (1, 0, 0), 3), pliant.ChainMaterial(0)), solver=pliant.PositionBased()
        ),
        "width of regions is 0",
    ),
]


@pytest.mark.parametrize(("make", "message"), CASES)
def test_what_cannot_be_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
