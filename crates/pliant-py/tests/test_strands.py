"""Hair that follows its leader, and rods with orientations."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import pliant


def lengths(x: np.ndarray, segments: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(x[segments[:, 1]] - x[segments[:, 0]], axis=1))


def roots(hair: pliant.Strands) -> list[int]:
    return [int(strand[0]) for strand in hair.strands]


def hair(solver: pliant.FollowLeader, **world: object) -> tuple[pliant.Simulation, pliant.Strands]:
    strands = pliant.bundle(0.05, 30, 0.3, 12, direction=(1, 0, 0))
    body = pliant.Body(strands, pliant.StrandMaterial(), name="hair", pin=roots(strands))
    return pliant.Simulation(body, solver=solver, **world), strands  # type: ignore[arg-type]


def test_hair_keeps_its_lengths_exactly_in_one_pass() -> None:
    grid = pliant.HairGrid(cell=0.02, friction=5.0, repulsion=0.01)
    sim, strands = hair(pliant.FollowLeader(grid=grid), colliders=pliant.Collider.sphere(0.1).at((0.05, -0.15, 0)))
    report = sim.step(60)
    assert report.solve.contacts > 0, "it lies on the ball"
    np.testing.assert_allclose(lengths(sim.positions, strands.segments()), 0.3 / 12, rtol=1e-9)
    assert sim.positions[:, 1].min() < -0.15, "and hangs"


def time_to_swing_down(solver: pliant.FollowLeader | pliant.Newton) -> float:
    """Until the tip of a strand that is let go is below its root [s]."""
    strands = pliant.bundle(0.05, 1, 0.3, 12, direction=(1, 0, 0))
    body = pliant.Body(strands, pliant.StrandMaterial(), pin=roots(strands))
    sim = pliant.Simulation(body, solver=solver, time_step=1 / 240)
    while sim.positions[-1, 0] > 0 and sim.time < 1:
        sim.step()
    return sim.time


def test_hair_swings_as_stiff_springs_do_but_for_plain_following() -> None:
    exact = time_to_swing_down(pliant.Newton())
    assert time_to_swing_down(pliant.FollowLeader(0.9)) == pytest.approx(exact, rel=0.05)
    assert time_to_swing_down(pliant.FollowLeader(0.0)) < 0.7 * exact, "as if vertices dragged nothing"


def test_styled_curls_stay_and_others_do_not() -> None:
    curls = pliant.scalp(0.1, 12, 0.2, 24, curl=(0.01, 0.04))
    assert np.allclose(lengths(curls.positions, curls.segments()), 0.2 / 24, rtol=0.05)

    def reach(style: pliant.HairStyle | None) -> float:
        """From root to tip, over the length of the strands."""
        body = pliant.Body(curls, pliant.StrandMaterial(), pin=roots(curls))
        sim = pliant.Simulation(body, solver=pliant.FollowLeader(0.5, style=style))
        sim.step(60)
        ends = np.array([[strand[0], strand[-1]] for strand in curls.strands])
        return float(lengths(sim.positions, ends).mean() / 0.2)

    assert reach(pliant.HairStyle(local_share=0.9, iterations=10)) < 0.95 < reach(None)


def test_hair_goes_with_the_soft_body_that_it_is_attached_to() -> None:
    jelly = pliant.box((0.2, 0.2, 0.2), (2, 2, 2))
    top = np.flatnonzero(jelly.positions[:, 1] > 0.099)[:3]
    strands = pliant.Strands(
        np.concatenate([jelly.positions[v] + np.outer(np.arange(6), (0.02, 0.0, 0.0)) for v in top]),
        [list(range(6 * k, 6 * k + 6)) for k in range(3)],
    )
    bottom = np.flatnonzero(jelly.positions[:, 1] < -0.099)
    head = pliant.Body(jelly, pliant.SolidMaterial.preset("jelly"), name="head", pin=bottom)
    fur = pliant.Body(strands, pliant.HairMaterial(), name="fur")
    ties = [pliant.Attachment(("fur", 6 * k), ("head", int(v)), 500.0) for k, v in enumerate(top)]
    sim = pliant.Simulation([head, fur], attachments=ties)
    first = len(jelly)
    for step in range(30):
        pins = jelly.positions[bottom] + (0.05 * np.sin(0.2 * step), 0.0, 0.0)
        sim.move_pins(pins, body="head")
        sim.step()
        x = sim.positions[first:]
        np.testing.assert_allclose(lengths(x, strands.segments()), 0.02, rtol=1e-9)
        np.testing.assert_allclose(x[::6], sim.positions[top], atol=2e-3)
    assert x[5::6, 1].max() < 0.1 - 0.05, "it hangs down"


def rod(angle: float = 0.0, segments: int = 20) -> tuple[pliant.Simulation, pliant.Strands]:
    """A wire of 0.5 m with its first segment clamped, and its last where it is twisted."""
    wire = pliant.rope((0, 0, 0), (0.5, 0, 0), segments)
    pins = [0, 1] if angle == 0 else [0, 1, segments - 1, segments]
    material = pliant.RodMaterial(radius=1e-3, youngs_modulus=2e11, shear_modulus=8e10)
    body = pliant.Body(wire, material, name="wire", pin=pins)
    sim = pliant.Simulation(body, solver=pliant.PositionBased(10), damping=pliant.Damping(drag=5.0))
    if angle:
        sim.twist_rod("wire", segments - 1, angle)
    return sim, wire


def test_a_rod_bends_under_its_weight_and_keeps_its_length() -> None:
    sim, wire = rod(segments=40)
    sim.step(400)
    np.testing.assert_allclose(lengths(sim.positions, wire.segments()).sum(), 0.5, rtol=1e-4)
    free, weight = 0.5 * 39 / 40, 1200 * np.pi * 1e-6 * 9.81
    sag = weight * free**4 / (8 * 2e11 * np.pi / 4 * 1e-12)
    assert -sim.positions[-1, 1] == pytest.approx(sag, rel=0.02), "w L⁴/8EI"


def test_orientations_are_unit_quaternions_along_their_segments() -> None:
    sim, wire = rod()
    sim.step(30)
    q = sim.orientations("wire")
    assert q.shape == (20, 4) and sim.angular_velocities("wire").shape == (20, 3)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0)
    w, x, y, z = q.T
    along = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    edges = np.diff(sim.positions, axis=0)
    np.testing.assert_allclose(along, edges / np.linalg.norm(edges, axis=1, keepdims=True), atol=1e-3)


def test_a_twisted_rod_turns_evenly_from_end_to_end() -> None:
    sim, _ = rod(angle=1.2)
    sim.gravity = (0, 0, 0)
    sim.step(600)
    q = sim.orientations("wire")
    between = np.abs((q[1:] * q[:-1]).sum(axis=1)).clip(max=1)
    turns = 2 * np.arccos(between)
    # Of the joints beside a clamped segment only half bends.
    assert turns.sum() == pytest.approx(1.2, abs=1e-3)
    np.testing.assert_allclose(turns[1:-1], turns[1:-1].mean(), rtol=0.02)


def test_rods_and_hair_travel_with_their_state() -> None:
    for sim in (rod(1.2)[0], hair(pliant.FollowLeader())[0]):
        sim.step(5)
        again = pickle.loads(pickle.dumps(sim))
        sim.step(3)
        again.step(3)
        assert sim.positions.tobytes() == again.positions.tobytes()


def rods(**change: float) -> pliant.Simulation:
    wire = pliant.rope((0, 0, 0), (1, 0, 0), 4)
    return pliant.Simulation(pliant.Body(wire, pliant.RodMaterial(**change)), solver=pliant.PositionBased())  # type: ignore[arg-type]


CLOTH = pliant.sheet(1, 1, 2, 2)
CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: pliant.FollowLeader(grid=0.1), "grid is 0.1, but must be a HairGrid or None"),  # type: ignore[arg-type]
    (lambda: pliant.scalp(strands=10**30), "strands is 1000000000000000000000000000000, but must be below"),
    (lambda: pliant.scalp(curl=(0.1,)), r"curl has the shape \(1,\), but needs \(2,\)"),  # type: ignore[arg-type]
    (lambda: hair(pliant.FollowLeader(correction=1.0)), "correction is 1, but must be at least 0 and below 1"),
    (lambda: hair(pliant.FollowLeader(grid=pliant.HairGrid(0.0))), "cell is 0, but must be more than 0"),
    (lambda: hair(pliant.FollowLeader(grid=pliant.HairGrid(0.1, friction=-1))), "friction is -1"),
    (lambda: hair(pliant.FollowLeader(style=pliant.HairStyle(1.5))), "local_share is 1.5, but must be 0 to 1"),
    (lambda: hair(pliant.FollowLeader(style=pliant.HairStyle(iterations=-1))), "iterations is -1"),
    (lambda: hair(pliant.FollowLeader(), integrator="bdf2"), "only with implicit Euler"),
    (
        lambda: pliant.Simulation(pliant.Body(CLOTH, pliant.ClothMaterial()), solver=pliant.FollowLeader()),
        'has the energy "triangle_strain"; follow-the-leader',
    ),
    (
        lambda: pliant.Simulation(
            pliant.Body(pliant.rope((0, 0, 0), (1, 0, 0), 3), pliant.StrandMaterial()), solver=pliant.FollowLeader()
        ),
        "strand 0 .* has no pinned vertex",
    ),
    (lambda: pliant.scalp(cover=2.0), "cover is 2"),
    (lambda: pliant.scalp(curl=(0.1, 0.0)), r"curl\[1\] is 0.0"),
    (lambda: rods(radius=0.0), "radius is 0"),
    (lambda: rods(youngs_modulus=float("nan")), "Young's modulus is NaN"),
    (lambda: rods().twist_rod("body 0", 0, 1.0), "no clamped segment 0"),
    (lambda: rods().twist_rod("body 0", 2**62, 1.0), "no clamped segment"),
    (lambda: rods().twist_rod("body 0", -1, 1.0), "segment is -1"),
    (lambda: rods().twist_rod("body 0", 0, float("inf")), "angle is inf"),
    (lambda: hair(pliant.FollowLeader())[0].orientations("hair"), "it is no rod"),
    (lambda: rods().orientations("rope"), "there is no body 'rope'"),
    (lambda: pliant.Body(CLOTH, pliant.RodMaterial()), "a RodMaterial does not belong to Sheet"),
    (
        lambda: pliant.Simulation(
            pliant.Body(pliant.rope((0, 0, 0), (1, 0, 0), 3), pliant.RodMaterial()), solver=pliant.Newton()
        ),
        'constraints of kind "rod"',
    ),
]


@pytest.mark.parametrize(("attempt", "message"), CASES, ids=range(len(CASES)))
def test_what_is_wrong_with_strands_is_refused_by_name_and_value(attempt: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attempt()


def test_a_solver_that_knows_no_rods_refuses_the_step() -> None:
    sim = rods()
    with pytest.raises(ValueError, match='kind "rod"'):
        sim.step(solver=pliant.Projective())
