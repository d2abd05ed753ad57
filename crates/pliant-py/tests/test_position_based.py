"""The position-based solver from Python."""

import numpy as np
import pytest

import pliant


def test_xpbd_ends_at_the_exact_step(curtain: pliant.Simulation) -> None:
    problem = curtain.next_problem()
    exact = problem.solve(pliant.Newton(tolerance=1e-13)).positions

    def error(solver: pliant.PositionBased) -> float:
        return float(np.abs(problem.solve(solver).positions - exact).max())

    assert error(pliant.PositionBased(20_000)) < 1e-6 < 1e-4 < error(pliant.PositionBased(2))


def test_a_scene_runs_by_it_with_every_option() -> None:
    for solver in (
        pliant.PositionBased(5, order="alternating"),
        pliant.PositionBased(5, jacobi=1.2),
        pliant.PositionBased(5, stiffness=0.9, stiffness_of={"triangle_strain": 0.5}),
    ):
        sim = pliant.load_scene("curtain", solver=solver).run(2)
        assert np.isfinite(sim.positions).all()


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        (pliant.PositionBased(stiffness=1.5), "stiffness is 1.5"),
        (pliant.PositionBased(jacobi=2.0), "jacobi is 2"),
        (pliant.PositionBased(order="random"), "order"),
    ],
)
def test_bad_settings_are_refused_by_name_and_value(solver: pliant.PositionBased, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pliant.load_scene("curtain", solver=solver)
