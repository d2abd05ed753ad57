"""Fine meshes that wrinkle on coarse ones."""

from collections.abc import Callable

import numpy as np
import pytest

import pliant

COARSE = pliant.sheet(1, 1, 4, 4)
FINE = pliant.sheet(1, 1, 16, 16)


def stretches(x: np.ndarray) -> np.ndarray:
    edges = FINE.edges()
    lengths = lambda x: np.linalg.norm(x[edges[:, 1]] - x[edges[:, 0]], axis=1)  # noqa: E731
    return np.asarray(lengths(x) / lengths(FINE.positions))


def narrowed(wrinkles: pliant.WrinkleMesh, by: float) -> np.ndarray:
    """Where the fine mesh is after the coarse one has become narrower."""
    for frame in range(1, 21):
        wrinkles.follow(COARSE.positions * [1 - by * frame / 20, 1, 1])
    return wrinkles.positions


def test_a_compressed_cloth_wrinkles_and_keeps_its_lengths() -> None:
    wrinkles = pliant.WrinkleMesh(COARSE, FINE, reach=0.15)
    x = narrowed(wrinkles, 0.1)
    assert len(wrinkles) == len(x) == 17 * 17
    assert abs(stretches(x) - 1).mean() < 0.01, "where the coarse cloth has lost a tenth"
    assert x[:, 2].max() > 0.01, "it gives way out of its plane"
    assert x[:, 2].min() > -1e-9, "to the side of the normals"
    near = COARSE.positions * [0.9, 1, 1]
    assert x[:, :2].max() <= near.max() + 0.15
    np.testing.assert_array_equal(wrinkles.mesh().positions, x)


def test_both_sides_and_no_iterations_are_as_asked_for() -> None:
    both = narrowed(pliant.WrinkleMesh(COARSE, FINE, reach=0.15, one_sided=False, bending=0.0), 0.1)
    assert both[:, 2].max() - both[:, 2].min() > 0.01
    stiff = narrowed(pliant.WrinkleMesh(COARSE, FINE, reach=0.15, iterations=0, most_iterations=0), 0.1)
    assert abs(stretches(stiff) - 1).mean() > 0.03


def test_it_follows_a_simulation() -> None:
    pins = [COARSE.vertex(0, -1), COARSE.vertex(-1, -1)]
    sim = pliant.Simulation(pliant.Body(COARSE, pliant.ClothMaterial(), name="cloth", pin=pins))
    wrinkles = pliant.WrinkleMesh(COARSE, FINE, reach=0.15)
    for _ in range(20):
        sim.move_pins(0.98 * sim.positions[pins])
        sim.step()
        x = wrinkles.follow(sim.positions[sim.vertices("cloth")])
    assert np.isfinite(x).all() and abs(stretches(x) - 1).mean() < 0.03


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: pliant.WrinkleMesh(COARSE, FINE, reach=0.0), "reach is 0.0, but must be more than 0"),
    (lambda: pliant.WrinkleMesh(COARSE, FINE, reach=0.1, bending=1.5), "bending is 1.5, but must be 0 to 1"),
    (lambda: pliant.WrinkleMesh(COARSE, FINE, reach=0.1, iterations=-1), "iterations is -1"),
    (lambda: pliant.WrinkleMesh(COARSE, pliant.box(), reach=0.1), "fine is a TetMesh"),  # type: ignore[arg-type]
    (lambda: pliant.WrinkleMesh(COARSE, FINE, reach=0.1).follow(np.zeros((3, 3))), r"positions has the shape \(3, 3\)"),
    (
        lambda: pliant.WrinkleMesh(COARSE, FINE, reach=0.1).follow(np.full((25, 3), np.nan)),
        r"positions\[0, 0\] is nan, but must be finite",
    ),
]


@pytest.mark.parametrize(("attempt", "message"), CASES, ids=range(len(CASES)))
def test_what_is_wrong_with_wrinkles_is_refused_by_name_and_value(attempt: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attempt()
