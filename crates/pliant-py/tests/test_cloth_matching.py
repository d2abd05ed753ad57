"""Cloth by shape matching from Python."""

import pickle

import numpy as np
import pytest

import pliant


def hung(matching: pliant.ClothMatching) -> float:
    """How far down a strip of 60 rows reaches after a second, over that at rest."""
    strip = pliant.sheet(0.05, 1.5, 2, 60)
    top = strip.positions[:, 1] > 0.749
    body = pliant.Body(strip, density=0.2, cloth_matching=matching, pin=top)
    sim = pliant.Simulation(body, solver=pliant.PositionBased(4))
    sim.step(60)
    np.testing.assert_array_equal(sim.positions[top], strip.positions[top])
    return float(0.75 - sim.positions[:, 1].min()) / 1.5


def test_levels_and_fibres_keep_a_strip_from_stretching() -> None:
    plain = hung(pliant.ClothMatching(bend=0))
    assert plain > 1.2
    assert hung(pliant.ClothMatching(bend=0, levels=5)) < 1.05
    assert hung(pliant.ClothMatching(bend=0, fibres=1, fibre_length=100)) < 1.1


def test_a_description_pickles() -> None:
    matching = pliant.ClothMatching(shear=0.5, levels=3, warp=(0, 1, 0))
    assert pickle.loads(pickle.dumps(matching)) == matching


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stretch": 1.5}, "stretch is 1.5, but must be 0 to 1"),
        ({"fibre_length": 1}, "fibre_length"),
        ({"rounds": 0}, "rounds"),
        ({"warp": (0, 0, 0)}, "warp"),
    ],
)
def test_values_out_of_range_are_named(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pliant.ClothMatching(**given)  # type: ignore[arg-type]


def test_only_triangles_and_the_position_based_solver_are_served() -> None:
    matching = pliant.ClothMatching()
    with pytest.raises(ValueError, match="TriangleMesh"):
        pliant.Body(pliant.rope((0, 0, 0), (1, 0, 0), 4), density=0.1, cloth_matching=matching)
    body = pliant.Body(pliant.sheet(columns=2, rows=2), density=0.1, cloth_matching=matching)
    with pytest.raises(ValueError, match="only the position-based solver"):
        pliant.Simulation(body, solver=pliant.Projective())
