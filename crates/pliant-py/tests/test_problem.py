"""The next step as a problem: its objective, its gradient, its solutions."""

import numpy as np
import pytest

import pliant
from conftest import crumpled


def all_energies() -> pliant.Simulation:
    """A world with every kind of energy, away from rest."""
    box = pliant.box((1, 1, 1), (2, 2, 2))
    pose = box.positions * [1.3, 0.9, 1.0]
    tets = box.tets
    solid = pliant.Body(
        box,
        density=100.0,
        name="solid",
        energies=[
            pliant.TetStrain(tets, 2e3),
            pliant.TetStrain(tets, 1e3, pliant.Limits(0.9, 1.1)),
            pliant.TetVolume(tets, 3e3),
            pliant.ExampleBased(tets, [pose], 1e3),
            pliant.ExampleBased(tets, [pose], 1e3, weights="global"),
            pliant.PositionGoals([0, 3], 50.0),
            pliant.AverageGoals([[5, 6, 7], [10, 11]], 40.0),
            pliant.HalfSpace(np.arange(len(box)), 100.0, point=(0, -0.2, 0)),
            pliant.RigidSet(0, [1, 2, 3, 4], 80.0),
        ],
        positions=crumpled(box.positions, 0.05),
    )
    sheet = pliant.sheet(1, 1, 4, 4)
    triangles = sheet.triangles
    shell = pliant.Body(
        sheet,
        masses=0.02,
        name="shell",
        pin=[0, 4],
        energies=[
            pliant.EdgeSprings(sheet.edges(), 30.0),
            pliant.EdgeSprings(sheet.edges(), axial_stiffness=5.0, limits=(0.8, 1.05), metric="mean"),
            pliant.TriangleStrain(triangles, 40.0),
            pliant.TriangleStrain(triangles, 40.0, pliant.Fibres((1, 0, 0), ((0.9, 1.1), (0.95, 1.2)))),
            pliant.TriangleArea(triangles, 20.0),
            pliant.PlateBending(triangles, 1e-2, poisson_ratio=0.3),
            pliant.MeanCurvatureBending(triangles, 1e-2),
            pliant.HingeBending(sheet.hinges(), 1e-2),
        ],
        positions=crumpled(sheet.positions, 0.02),
    )
    attached = pliant.Attachment(("solid", 0), ("shell", 0), 20.0)
    return pliant.Simulation([solid, shell], attachments=[attached], damping=pliant.Damping(stiffness=0.01))


def test_the_gradient_is_the_derivative_of_the_objective() -> None:
    sim = all_energies()
    problem = sim.next_problem()
    x = sim.positions
    gradient = problem.gradient(x)
    scale = np.abs(gradient).max()
    rng = np.random.default_rng(2)
    for _ in range(20):
        direction = rng.standard_normal(x.shape)
        direction[sim.pinned] = 0
        h = 1e-6
        slope = (problem.value(x + h * direction) - problem.value(x - h * direction)) / (2 * h)
        assert abs(slope - (gradient * direction).sum()) < 2e-6 * scale * np.abs(direction).sum()
    # And coordinate by coordinate, where a wrong entry cannot hide.
    free = np.setdiff1d(np.arange(len(sim)), sim.pinned)
    for vertex in free[:: max(1, len(free) // 12)]:
        for axis in range(3):
            step = np.zeros_like(x)
            step[vertex, axis] = 1e-6
            slope = (problem.value(x + step) - problem.value(x - step)) / 2e-6
            assert slope == pytest.approx(gradient[vertex, axis], abs=1e-5 * scale)
    assert (gradient[sim.pinned] == 0).all()


def test_every_kind_of_energy_is_reported() -> None:
    kinds = set(pliant._pliant.energy_kinds())
    assert set(all_energies().report().elastic) == kinds


def test_the_exact_step_is_where_the_gradient_vanishes(curtain: pliant.Simulation) -> None:
    problem = curtain.next_problem()
    exact = problem.solve(pliant.Newton(tolerance=1e-13))
    start = problem.start("inertial")
    before, after = np.abs(problem.gradient(start)).max(), np.abs(problem.gradient(exact.positions)).max()
    assert exact.report.converged and after < 1e-9 * before
    report = curtain.exact_step()
    assert report.solve.converged
    np.testing.assert_allclose(curtain.positions, exact.positions, atol=1e-10)


def test_all_solvers_lower_the_objective_to_the_same_minimum(curtain: pliant.Simulation) -> None:
    problem = curtain.next_problem()
    start = problem.start()
    least = problem.solve(pliant.Newton(tolerance=1e-13)).report.objective
    first = problem.value(start)
    for solver in [
        pliant.Projective.converged(),
        pliant.Projective.plain(3000),
        pliant.Projective(4000, 1e-13, pliant.Chebyshev(0.9), precision="double"),
        pliant.Projective(2000, 1e-10, pliant.Lbfgs()),
        pliant.Newton(linear_solver=pliant.ConjugateGradient(1e-10, 2000)),
        pliant.Newton(warm_start=5, start="inertial"),
        pliant.Newton(curvature="shifted"),
    ]:
        solution = problem.solve(solver, start)
        assert solution.report.objective - least < 1e-4 * (first - least), solver
        assert problem.value(solution.positions) == pytest.approx(solution.report.objective, rel=1e-9)
    history = problem.solve(pliant.Projective.plain(10, record=True)).report.history
    assert len(history) == 21 and all(b <= a + 1e-12 * abs(first) for a, b in zip(history, history[1:]))


def test_a_problem_of_the_past_is_refused(curtain: pliant.Simulation) -> None:
    problem = curtain.next_problem()
    curtain.step()
    with pytest.raises(RuntimeError, match="has changed since"):
        problem.value(curtain.positions)


@pytest.mark.parametrize("integrator", ["implicit-euler", "bdf2", "tr-bdf2", "implicit-midpoint", "energy-keeping"])
def test_a_pendulum_keeps_energy_as_its_integrator_says(integrator: str) -> None:
    # A stone of 1 kg on a spring of 1 N/m: ωh = 0.1. Shares of the amplitude left after ten radians, from theory.
    stone = pliant.Body(
        pliant.Points([[0, 0, 0], [0, -1, 0]]),
        masses=[1.0, 1.0],
        energies=pliant.EdgeSprings([[0, 1]], 1.0),
        pin=[0],
        positions=[[0, 0, 0], [0, -1.5, 0]],
    )
    sim = pliant.Simulation(stone, gravity=(0, 0, 0), time_step=0.1, integrator=integrator, solver=pliant.Newton())
    sim.step(100)
    amplitude = np.sqrt(2 * sim.report().total) / 0.5
    least, most = {
        "implicit-euler": (0.60, 0.62),
        "bdf2": (0.96, 0.995),
        "tr-bdf2": (0.995, 1.0),
        "implicit-midpoint": (0.9999, 1.0001),
        "energy-keeping": (0.999, 1.001),
    }[integrator]
    assert least < amplitude < most
