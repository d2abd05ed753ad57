"""Energies written in Python."""

import pickle

import numpy as np
import pytest

import pliant


def net(energy: pliant.Energy, **settings: object) -> pliant.Simulation:
    mesh = pliant.sheet(1, 1, 6, 6)
    body = pliant.Body(mesh, masses=0.01, energies=energy, pin=[mesh.vertex(0, -1), mesh.vertex(-1, -1)])
    return pliant.Simulation(body, **settings)  # type: ignore[arg-type]


def springs(calls: list[tuple[int, ...]] | None = None) -> tuple[pliant.EdgeSprings, pliant.CustomEnergy]:
    mesh = pliant.sheet(1, 1, 6, 6)
    edges = mesh.edges()
    lengths = np.linalg.norm(mesh.positions[edges[:, 1]] - mesh.positions[edges[:, 0]], axis=1)

    def project(z: np.ndarray) -> np.ndarray:
        if calls is not None:
            calls.append(z.shape)
        return z * (lengths[:, None, None] / np.linalg.norm(z, axis=2, keepdims=True))

    custom = pliant.CustomEnergy(edges, [[-1, 1]], 50.0, project, name="my springs")
    return pliant.EdgeSprings(edges, 50.0), custom


@pytest.mark.parametrize(
    ("solver", "tolerance"),
    [(pliant.Projective(20, 0.0, None, precision="double"), 1e-12), (pliant.Newton(), 1e-8)],
)
def test_a_custom_spring_equals_the_built_in_one(solver: object, tolerance: float) -> None:
    calls: list[tuple[int, ...]] = []
    built_in, custom = springs(calls)
    theirs, ours = net(built_in, solver=solver), net(custom, solver=solver)
    theirs.step(20)
    ours.step(20)
    assert theirs.positions[:, 1].min() < -0.6, "it has fallen"
    assert np.abs(ours.positions - theirs.positions).max() < tolerance
    energies = ours.report().elastic
    assert energies["my springs"] == pytest.approx(theirs.report().elastic["edge_spring"], rel=1e-6)
    # One call serves all elements.
    assert set(calls) == {(len(built_in.edges), 1, 3)}


def test_objective_and_gradient_know_a_custom_energy() -> None:
    built_in, custom = springs()
    theirs, ours = net(built_in), net(custom)
    x = theirs.positions + 0.05 * np.random.default_rng(3).standard_normal((len(theirs), 3))
    assert ours.next_problem().value(x) == pytest.approx(theirs.next_problem().value(x), rel=1e-12)
    np.testing.assert_allclose(ours.next_problem().gradient(x), theirs.next_problem().gradient(x), atol=1e-10)


def test_a_report_counts_elements_without_a_kernel() -> None:
    built_in, custom = springs()
    reports = [net(energy).step() for energy in (built_in, custom)]
    assert [report.solve.one_by_one for report in reports] == [0, len(built_in.edges)]
    assert pickle.loads(pickle.dumps(reports[1])).solve.one_by_one == len(built_in.edges)


def test_an_exception_in_a_projection_comes_out_and_leaves_the_state() -> None:
    _, custom = springs()
    good, broken = custom.project, [False]

    def project(z: np.ndarray) -> np.ndarray:
        if broken[0]:
            raise KeyError("no such projection")
        return good(z)

    custom.project = project
    for solver in (pliant.Projective(), pliant.Newton()):
        sim = net(custom, solver=solver)
        sim.step(3)
        before = sim.checkpoint()
        broken[0] = True
        with pytest.raises(KeyError, match="no such projection"):
            sim.step()
        broken[0] = False
        assert sim.checkpoint() == before
        sim.step()
        assert sim.steps == 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda z: z[:, 0], "shape"),
        (lambda z: z.tolist(), "float64 array"),
        (lambda z: z * np.nan, "row 0 of element 0"),
    ],
)
def test_what_a_projection_returns_is_checked(wrong: object, message: str) -> None:
    _, custom = springs()
    custom.project = wrong  # type: ignore[assignment]
    with pytest.raises(ValueError, match=message):
        net(custom).step()


def test_a_projection_cannot_use_the_simulation_that_calls_it() -> None:
    _, custom = springs()
    world: list[pliant.Simulation] = []
    custom.project = lambda z: world[0].positions  # type: ignore[assignment]
    world.append(net(custom))
    with pytest.raises(RuntimeError, match="is stepping"):
        world[0].step()
