"""Bodies that tear and are cut, and bodies that are rigid."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import pliant

SHEET = pliant.sheet(1, 1, 4, 4)
SIDES = abs(SHEET.positions[:, 0]) > 0.49


def pulled(tearing: pliant.Tearing | None, factor: float = 1.1) -> pliant.Simulation:
    """A sheet held at two sides that are too far apart."""
    positions = SHEET.positions * [factor, 1, 1]
    body = pliant.Body(SHEET, pliant.ClothMaterial(), name="paper", positions=positions, pin=SIDES, tearing=tearing)
    return pliant.Simulation(body)


def test_paper_tears_beyond_its_stretch_and_keeps_its_mass() -> None:
    sim = pulled(pliant.Tearing(stretch=1.05))
    mass, before = sim.masses.sum(), len(sim)
    torn = sum(sim.step().torn for _ in range(10))
    assert torn > 0 and len(sim) > before and sim.topology_changes > 0
    assert sim.masses.sum() == pytest.approx(mass)
    assert sim.positions.shape == sim.velocities.shape == sim.forces.shape == (len(sim), 3)
    assert sim.surface("paper").shape == (32, 3) and sim.surface("paper").max() == len(sim) - 1
    whole = pulled(pliant.Tearing(stretch=1.2))
    whole.step(10)
    assert len(whole) == before and whole.topology_changes == 0, "it bears less than that"


def test_paper_tears_at_a_force_and_along_its_seam() -> None:
    # E·t·strain, with 0.1 of strain, is 200 N/m.
    assert pulled(pliant.Tearing(force=100.0)).step().torn > 0
    assert pulled(pliant.Tearing(force=400.0)).step().torn == 0
    line = [SHEET.vertex(2, row) for row in range(5)]
    seam = pliant.Seam(np.stack([line[:-1], line[1:]], axis=1), strength=0.1)
    sim = pulled(pliant.Tearing(stretch=1.3, seams=seam))
    while sim.steps < 20:
        sim.step()
    fresh = sim.rest[len(SHEET) :]
    assert len(fresh) > 0
    np.testing.assert_allclose(fresh[:, 0], 0.0, atol=1e-12, err_msg="only the seam opens")


def test_a_torn_world_travels_and_continues_bit_for_bit() -> None:
    sim = pulled(pliant.Tearing(stretch=1.05, noise=0.3, seed=7))
    sim.step(4)
    again = pickle.loads(pickle.dumps(sim))
    assert len(again) == len(sim) > len(SHEET)
    sim.step(4)
    again.step(4)
    assert sim.positions.tobytes() == again.positions.tobytes()


def letter() -> pliant.Simulation:
    return pliant.Simulation(pliant.Body(SHEET, pliant.ClothMaterial(), name="letter", pin=[0]))


def test_a_plane_cuts_from_rim_to_rim() -> None:
    sim = letter()
    mass = sim.masses.sum()
    report = sim.cut_plane("letter", (0.01, 0, 0), (1, 0.3, 0))
    assert report.length == pytest.approx(1.09**0.5)
    assert report.inserted > 0 and report.doubled > 0 and len(sim) == len(SHEET) + report.inserted + report.doubled
    assert sim.masses.sum() == pytest.approx(mass)
    sim.step(20)
    separate = sim.positions[:, 1].max() - sim.positions[:, 1].min()
    assert separate > 0.3, "one part hangs on its pin, the other falls"
    nothing = sim.cut_plane("letter", (9, 0, 0), (1, 0, 0), at_rest=True)
    assert nothing == pliant.CutReport(0.0, 0, 0)
    again = pickle.loads(pickle.dumps(sim))
    assert again.positions.tobytes() == sim.positions.tobytes()


def test_a_line_that_ends_inside_leaves_a_slit() -> None:
    sim = letter()
    report = sim.cut_polyline("letter", [[-0.6, 0.1, 0], [0.1, 0.12, 0]], (0, 0, 1), at_rest=True)
    assert 0.55 < report.length < 0.65
    mesh = pliant.TriangleMesh(sim.rest, sim.surface("letter"))
    assert mesh.area == pytest.approx(1.0)


BALL = pliant.icosphere(0.1, 2)


def test_a_rigid_ball_falls_and_spins_as_a_solid() -> None:
    body = pliant.Body.rigid(BALL.moved((0, 1, 0)), name="ball", velocity=(1, 0, 0), spin=(0, 3, 0))
    sim = pliant.Simulation(body, time_step=1 / 240, integrator="implicit-midpoint")
    a, b, c = (BALL.positions[BALL.triangles[:, corner]] for corner in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert len(sim) == len(BALL) + 5 and sim.masses.sum() == pytest.approx(700 * volume)
    sim.step(60)
    pose = sim.rigid_pose("ball")
    np.testing.assert_allclose(pose.centre, [0.25, 1 - 0.5 * 9.81 * 0.25**2, 0], atol=1e-3)
    np.testing.assert_allclose(pose.velocity, [1, -9.81 * 0.25, 0], atol=1e-3)
    np.testing.assert_allclose(pose.spin, [0, 3, 0], atol=1e-2)
    angle = 2 * np.arctan2(pose.rotation[2], pose.rotation[0])
    assert angle == pytest.approx(3 * 0.25, abs=1e-2) and pose.deviation < 1e-4
    again = pickle.loads(pickle.dumps(sim))
    assert again.rigid_pose("ball").deviation == pose.deviation


def test_a_rigid_ball_comes_to_rest_on_the_ground() -> None:
    body = pliant.Body(BALL.moved((0, 0.15, 0)), pliant.RigidMaterial(density=500), name="ball")
    sim = pliant.Simulation(body, colliders=pliant.Collider.plane())
    sim.step(120)
    assert sim.rigid_pose("ball").centre[1] == pytest.approx(0.1, abs=3e-3)


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: pliant.Body(SHEET, pliant.ClothMaterial(), tearing=1.1), "tearing is 1.1, but must be a Tearing or None"),  # type: ignore[arg-type]
    (lambda: pliant.Tearing(), "give one of stretch, force"),
    (lambda: pliant.Tearing(stretch=1.0), "stretch is 1.0, but must be more than 1"),
    (lambda: pliant.Tearing(stretch=1.1, force=2.0), "give one of stretch, force; stretch is 1.1, force is 2.0"),
    (lambda: pliant.Tearing(force=-1.0), "force is -1.0"),
    (lambda: pliant.Tearing(stretch=1.1, noise=1.0), "noise is 1.0, but must be below 1"),
    (lambda: pliant.Tearing(stretch=1.1, splits_per_step=0), "splits_per_step is 0"),
    (lambda: pliant.Tearing(stretch=1.1, seed=-3), "seed is -3"),
    (lambda: pliant.Seam([[0, 1]], 0.0), "strength is 0.0"),
    (lambda: pulled(pliant.Tearing(stretch=1.1, seams=[pliant.Seam([[0, 99]], 0.5)])), r"seams\[0\].edges\[0, 1\] is 99"),
    (lambda: pulled(pliant.Tearing(stretch=1.1, seams=[pliant.Seam([[0, 24]], 0.5)])), "no edge of a triangle between vertices 0 and 24"),
    (
        lambda: pliant.Simulation(pliant.Body(SHEET, masses=1.0, name="loose", tearing=pliant.Tearing(stretch=1.1))),
        'body "loose" has no triangles',
    ),
    (lambda: letter().cut_plane("letter", (0, 0, 0), (0, 0, 0)), "the normal of a cut is 0"),
    (lambda: letter().cut_plane("note", (0, 0, 0), (1, 0, 0)), "there is no body 'note'"),
    (lambda: letter().cut_plane("letter", (0, float("inf"), 0), (1, 0, 0)), r"point\[1\] is inf"),
    (lambda: letter().cut_polyline("letter", [[0, 0, 0]], (0, 0, 1)), "number of points of a cut is 1"),
    (lambda: letter().cut_polyline("letter", np.zeros((0, 3)), (0, 0, 1)), "number of points of a cut is 0"),
    (lambda: letter().cut_polyline("letter", [[0, 0, 0], [0, 0, 1]], (0, 0, 1)), "angle between a segment"),
    (lambda: letter().rigid_pose("letter"), 'body "letter" is not rigid'),
    (lambda: pliant.Body.rigid(pliant.box()), "a RigidMaterial does not belong to TetMesh"),  # type: ignore[arg-type]
    (lambda: pliant.Simulation(pliant.Body.rigid(SHEET)), "the surface is open"),
    (lambda: pliant.Simulation(pliant.Body.rigid(BALL, pliant.RigidMaterial(density=-1))), "density is -1"),
    (lambda: pliant.Body.rigid(BALL, spin=(0, 1)), r"spin has the shape \(2,\)"),
    (lambda: pliant.Body(BALL, pliant.RigidMaterial(), velocities=BALL.positions), "rigid body has no positions or velocities"),
]  # fmt: skip


@pytest.mark.parametrize(("attempt", "message"), CASES, ids=range(len(CASES)))
def test_what_cannot_part_or_be_rigid_is_refused_by_name_and_value(attempt: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attempt()


@pytest.mark.parametrize(("scene", "frames"), [("letter", 28), ("sleeve", 3)])
def test_a_scene_taken_step_by_step_is_cut_and_wrinkles_as_it_does_frame_by_frame(scene: str, frames: int) -> None:
    stepped, framed = pliant.load_scene(scene), pliant.load_scene(scene)
    framed.run(frames)
    steps = framed.steps
    stepped.step(steps)
    assert stepped.positions.tobytes() == framed.positions.tobytes()
    for quantity in ("pieces", "max-wrinkle-strain"):
        assert stepped.measure(quantity) == framed.measure(quantity), quantity
    assert framed.measure("pieces") == 2.0 or framed.measure("max-wrinkle-strain") > 0.0, "there is something to miss"


def test_a_scene_stepped_by_another_solver_is_cut_too() -> None:
    sim = pliant.load_scene("letter", {"cut.0.time": 0.0})
    sim.step(2, solver=pliant.Newton())
    assert sim.measure("pieces") == 2.0 and sim.topology_changes > 0
