"""Shape matching: bodies that keep their shape, flow, break and keep their volume."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import pliant


def bar() -> pliant.Points:
    """20 × 4 × 4 points, 0.1 m apart, notched in the middle."""
    cells = np.stack(np.meshgrid(np.arange(20), np.arange(4), np.arange(4), indexing="ij"), -1).reshape(-1, 3)
    notch = (cells[:, 0] >= 9) & (cells[:, 0] <= 10) & (cells[:, 1] == 3)
    return pliant.Points(cells[~notch] * 0.1)


def enclosed(positions: Any, triangles: Any) -> float:
    a, b, c = positions[triangles.T]
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6


def world(body: pliant.Body, **settings: Any) -> pliant.Simulation:
    return pliant.Simulation(body, solver=pliant.PositionBased(iterations=4), gravity=(0, 0, 0), **settings)


def test_a_stretched_body_comes_back_to_its_shape() -> None:
    points = bar()
    matching = pliant.Matching(pliant.Regions.whole(), frequency=6, damping=6, limit=None)
    body = pliant.Body(points, masses=0.1, matching=matching, positions=points.positions * [1.2, 1, 1], name="bar")
    sim = world(body)
    sim.step(180)
    assert np.ptp(sim.positions[:, 0]) == pytest.approx(1.9, abs=1e-3)


def test_what_flows_does_not_come_back() -> None:
    points = bar()
    soft = pliant.Plasticity(yield_strain=0.05, creep=20)
    matching = pliant.Matching(pliant.Regions.whole(), frequency=2, damping=6, limit=None, plasticity=soft)
    body = pliant.Body(points, masses=0.1, matching=matching, positions=points.positions * [1.4, 0.85, 0.85])
    sim = world(body)
    sim.step(240)
    assert np.ptp(sim.positions[:, 0]) > 1.1 * 1.9
    carried = sim.channels("body 0")
    assert carried["stretches"].shape == (1, 3, 3) and carried["breaks"].size == 0
    # Longer along x, by as much as it has flowed, and of the same volume.
    assert carried["stretches"][0, 0, 0] > 1.1
    np.testing.assert_allclose(np.linalg.det(carried["stretches"][0]), 1.0)


def test_a_pulled_bar_breaks_in_two() -> None:
    points = bar()
    matching = pliant.Matching(pliant.Regions.balanced(0.25), share=0.5, damping=4, limit=None, toughness=0.15)
    sim = world(pliant.Body(points, masses=0.1, matching=matching, name="bar"))
    ends = np.where(points.positions[:, 0] < 0.05, -1.0, np.where(points.positions[:, 0] > 1.85, 1.0, 0.0))
    for step in range(200):
        forces = np.zeros((len(points), 3))
        forces[:, 0] = ends * 0.03 * step
        sim.forces = forces
        sim.step()
        if sim.pieces("bar").max() > 0:
            break
    assert np.array_equal(sim.pieces("bar") == sim.pieces("bar")[-1], points.positions[:, 0] > 0.95)


def test_a_closed_surface_keeps_its_volume() -> None:
    ball = pliant.icosphere(radius=0.5, subdivisions=2)
    squeezed = ball.positions * [1.2, 0.7, 1.1]
    volume = pliant.VolumeConservation(local=0.5)
    matching = pliant.Matching(pliant.Regions.balanced(0.5), frequency=2, limit=None, volume=volume)
    sim = world(pliant.Body(ball, density=1.0, matching=pickle.loads(pickle.dumps(matching)), positions=squeezed))
    sim.step(30)
    at_rest = enclosed(ball.positions, ball.triangles)
    assert enclosed(sim.positions, ball.triangles) == pytest.approx(at_rest, rel=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pliant.Matching(pliant.Regions.balanced(-1)), "radius is -1"),
        (lambda: pliant.Matching(pliant.Regions.whole(), frequency=1, share=1), "one of frequency, share"),
        (lambda: world(pliant.Body(bar(), masses=1, matching=pliant.Matching(pliant.Regions.of([[0, 999]])))), "999"),
        (
            lambda: world(pliant.Body(bar(), masses=1, matching=pliant.Matching(pliant.Regions.rings(2)))),
            "points do not have",
        ),
        (
            lambda: world(
                pliant.Body(
                    bar(),
                    masses=1,
                    matching=pliant.Matching(pliant.Regions.whole(), volume=pliant.VolumeConservation()),
                )
            ),
            "no surface",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
