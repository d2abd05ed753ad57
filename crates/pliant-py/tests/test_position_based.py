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


def test_a_scene_runs_by_it_and_every_option_makes_a_difference() -> None:
    ends: list[np.ndarray] = []
    for solver in (
        pliant.PositionBased(5),
        pliant.PositionBased(5, order="alternating"),
        pliant.PositionBased(5, jacobi=1.2),
        pliant.PositionBased(5, stiffness=0.9),
        pliant.PositionBased(5, stiffness=0.9, stiffness_of={"triangle_strain": 0.5}),
    ):
        ends.append(pliant.load_scene("curtain", solver=solver).run(10).positions)
        # Freely it would fall by 9.81/2 · (1/6 s)² = 0.136 m; its pins stay.
        assert -0.2 < ends[-1][:, 1].min() < -0.1 and ends[-1][:, 1].max() > -1e-2, solver
    for number, one in enumerate(ends):
        for other in ends[:number]:
            assert np.abs(one - other).max() > 1e-6


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
