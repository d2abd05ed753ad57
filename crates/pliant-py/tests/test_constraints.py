"""Constraints, long-range attachments and strain limits from Python: each reaches what it asks for."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import pliant

SHEET = pliant.sheet(1, 1, 3, 3)
BOX = pliant.box((1, 1, 1), (2, 2, 2))
WEIGHTLESS = (0.0, 0.0, 0.0)


def settled(body: pliant.Body, *, iterations: int = 100, steps: int = 60) -> pliant.Simulation:
    """A weightless world after a second, without its velocities of the way there."""
    solver = pliant.PositionBased(iterations)
    sim = pliant.Simulation(body, gravity=WEIGHTLESS, solver=solver, damping=pliant.Damping(drag=20.0))
    sim.step(steps)
    return sim


def edge_lengths(x: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(x[edges[:, 1]] - x[edges[:, 0]], axis=1))


def test_distances_come_to_the_lengths_that_are_given_for_each() -> None:
    rope = pliant.rope((0, 0, 0), (1, 0, 0), 5)
    lengths = np.linspace(0.1, 0.3, 5)
    constraints = pliant.DistanceConstraints(rope.segments(), rest_lengths=lengths)
    sim = settled(pliant.Body(rope, masses=0.1, constraints=constraints, pin=[0]))
    np.testing.assert_allclose(edge_lengths(sim.positions, rope.segments()), lengths, rtol=1e-6)


def test_a_thread_may_be_slack_but_not_longer() -> None:
    rope = pliant.rope((0, 0, 0), (1, 0, 0), 5)
    thread = pliant.DistanceConstraints(rope.segments(), allowed="at-most")
    body = pliant.Body(rope, masses=0.1, constraints=thread, pin=[0])
    sim = pliant.Simulation(body, solver=pliant.PositionBased(200))
    sim.step(30)
    assert edge_lengths(sim.positions, rope.segments()).max() < 0.2 * 1.001
    squeezed = settled(pliant.Body(rope, masses=0.1, constraints=thread, positions=0.5 * rope.positions))
    np.testing.assert_allclose(squeezed.positions, 0.5 * rope.positions)


def test_a_compliance_is_the_inverse_of_a_stiffness() -> None:
    mass, stiffness = 2.0, 400.0
    spring = pliant.DistanceConstraints([[0, 1]], compliance=1 / stiffness)
    body = pliant.Body(pliant.rope((0, 0, 0), (0, -1, 0), 1), masses=mass, constraints=spring, pin=[0])
    sim = pliant.Simulation(body, solver=pliant.PositionBased(50), damping=pliant.Damping(drag=10.0))
    sim.step(400)
    assert -sim.positions[1, 1] - 1 == pytest.approx(mass * 9.81 / stiffness, rel=1e-4)


def fold(x: np.ndarray) -> float:
    """The angle between the two triangles of a hinge."""
    a, b, c, d = x
    first, second = np.cross(b - a, c - a), np.cross(d - a, b - a)
    return float(np.arccos(first @ second / np.linalg.norm(first) / np.linalg.norm(second)))


HINGE = pliant.TriangleMesh([[0, 0, 0], [1, 0, 0], [0.5, 1, 0], [0.5, -1, 0]], [[0, 1, 2], [1, 0, 3]])


def test_hinges_fold_to_the_angle_that_is_given() -> None:
    hinges = HINGE.hinges()
    constraints = [
        pliant.DistanceConstraints(HINGE.edges()),
        pliant.DihedralConstraints(hinges, rest_angles=1.0),
    ]
    sim = settled(pliant.Body(HINGE, masses=0.1, constraints=constraints))
    assert fold(sim.positions[hinges[0]]) == pytest.approx(1.0, abs=1e-4)
    np.testing.assert_allclose(
        edge_lengths(sim.positions, HINGE.edges()), edge_lengths(HINGE.positions, HINGE.edges()), 1e-4
    )


def test_isometric_bending_flattens_a_fold() -> None:
    hinges = HINGE.hinges()
    bent = HINGE.positions + [[0, 0, 0], [0, 0, 0], [0, -0.2, 0.5], [0, 0.2, 0.5]]
    constraints = [pliant.DistanceConstraints(HINGE.edges()), pliant.IsometricBending(hinges)]
    sim = settled(pliant.Body(HINGE, masses=0.1, constraints=constraints, positions=bent))
    assert fold(bent[hinges[0]]) > 0.5 and fold(sim.positions[hinges[0]]) < 0.01


def test_areas_and_volumes_come_to_what_is_given() -> None:
    areas = pliant.AreaConstraints(SHEET.triangles, rest_areas=1.5 * SHEET.areas())
    grown = settled(pliant.Body(SHEET, masses=0.1, constraints=areas))
    np.testing.assert_allclose(pliant.TriangleMesh(grown.positions, SHEET.triangles).areas(), 1.5 * SHEET.areas(), 1e-3)
    kept = pliant.Body(
        BOX, masses=0.1, constraints=pliant.VolumeConstraints(BOX.tets), positions=BOX.positions * [1, 0.7, 1]
    )
    volumes = pliant.TetMesh(settled(kept).positions, BOX.tets).volumes()
    np.testing.assert_allclose(volumes, BOX.volumes(), 1e-3)


def enclosed(x: np.ndarray, triangles: np.ndarray) -> float:
    """The volume inside a closed surface: a sixth of the sum of a·(b × c)."""
    a, b, c = (x[triangles[:, corner]] for corner in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def test_a_balloon_holds_its_volume_whatever_squeezes_it() -> None:
    ball = pliant.icosphere(0.2, 2)
    balloon = pliant.Balloon(ball.triangles, pressure=1.3)
    edges = pliant.DistanceConstraints(ball.edges(), compliance=1e-3)
    body = pliant.Body(ball, masses=0.01, constraints=[edges, balloon], name="ball")
    sim = pliant.Simulation(body, solver=pliant.PositionBased(20), colliders=pliant.Collider.plane().at((0, -0.2, 0)))
    sim.step(60)
    inside = enclosed(sim.positions, ball.triangles)
    assert inside == pytest.approx(1.3 * enclosed(ball.positions, ball.triangles), rel=0.01)


def test_strains_go_away() -> None:
    triangles = pliant.TriangleStrainConstraints(SHEET.triangles)
    sheet = settled(pliant.Body(SHEET, masses=0.1, constraints=triangles, positions=SHEET.positions * [1.2, 0.9, 1]))
    np.testing.assert_allclose(SHEET.principal_stretches(sheet.positions), 1.0, atol=1e-4)
    tets = pliant.TetStrainConstraints(BOX.tets)
    box = settled(pliant.Body(BOX, masses=0.1, constraints=tets, positions=BOX.positions * [1.2, 0.9, 1]))
    np.testing.assert_allclose(BOX.principal_stretches(box.positions), 1.0, atol=1e-4)


def test_a_point_stays_on_its_side_of_a_triangle() -> None:
    points = pliant.Points([[0.2, 0.3, 0.2], [0, 0, 0], [0, 0, 1], [1, 0, 0]])
    apart = pliant.PointTriangleConstraints([[0, 1, 2, 3]], 0.05)
    sim = pliant.Simulation(
        pliant.Body(points, masses=1.0, constraints=apart, pin=[1, 2, 3]), solver=pliant.PositionBased()
    )
    sim.step(60)
    assert sim.positions[0, 1] == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("sets", [None, [[0, 1, 2, 3, 4, 5, 6, 7]]])
def test_matched_shapes_are_those_at_rest(sets: list[list[int]] | None) -> None:
    cube = pliant.Points(np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, 8).T)
    shifted = cube.positions + np.random.default_rng(3).normal(0, 0.2, (8, 3))
    body = pliant.Body(cube, masses=1.0, constraints=pliant.ShapeMatching(sets), positions=shifted)
    x = settled(body).positions
    pairs = np.array([[a, b] for a in range(8) for b in range(a)])
    np.testing.assert_allclose(edge_lengths(x, pairs), edge_lengths(cube.positions, pairs), rtol=1e-9)


def banner(constraints: list[pliant.Constraints]) -> tuple[pliant.Simulation, pliant.Sheet, list[int]]:
    sheet = pliant.sheet(0.2, 2, 4, 40)
    top = [sheet.vertex(column, -1) for column in range(5)]
    body = pliant.Body(sheet, pliant.ClothMaterial(), name="banner", pin=top, constraints=constraints)
    sim = pliant.Simulation(body, solver=pliant.PositionBased(5), wind=pliant.Wind((0, 0, 2)))
    sim.step(60)
    return sim, sheet, top


def test_long_range_attachments_keep_a_banner_as_long_as_it_is() -> None:
    sim, sheet, top = banner([pliant.LongRangeAttachments()])
    pairs, lengths = pliant.LongRangeAttachments(top).threads(sheet)
    assert len(pairs) == len(sheet) - len(top) and set(pairs[:, 1]) == set(top)
    assert (edge_lengths(sim.positions, pairs) / lengths).max() <= 1 + 1e-6
    loose, _, _ = banner([])
    assert (edge_lengths(loose.positions, pairs) / lengths).max() > 1.05, "five iterations alone do not"


def test_threads_can_be_several_straight_and_slack() -> None:
    top = [SHEET.vertex(0, -1), SHEET.vertex(-1, -1)]
    pairs, lengths = pliant.LongRangeAttachments(top, per_vertex=None, lengths="euclidean", slack=0.1).threads(SHEET)
    assert len(pairs) == 2 * (len(SHEET) - 2)
    np.testing.assert_allclose(lengths, 1.1 * edge_lengths(SHEET.positions, pairs))


def hung(limit: pliant.StrainLimiting | None) -> tuple[float, list[dict[str, float] | None]]:
    """The largest stretch of an edge of soft cloth on two corners, and what limiting took in each step."""
    sheet = pliant.sheet(1, 1, 8, 8)
    soft = pliant.ClothMaterial(youngs_modulus=1e3)
    body = pliant.Body(sheet, soft, pin=[sheet.vertex(0, -1), sheet.vertex(-1, -1)])
    sim = pliant.Simulation(body, strain_limiting=limit)
    reports = [pickle.loads(pickle.dumps(sim.step())).strain_limiting for _ in range(30)]
    edges = sheet.edges()
    return float((edge_lengths(sim.positions, edges) / edge_lengths(sheet.positions, edges)).max()), reports


def test_all_edges_at_once_keep_to_the_limit_and_passes_come_nearer_to_it() -> None:
    free, nothing = hung(None)
    assert free > 1.5 and nothing == [None] * 30
    stretch, reports = hung(pliant.StrainLimiting(1.05))
    assert all(report is not None and report["stretch_after"] < 1.0501 for report in reports)
    assert reports[-1] is not None and reports[-1]["stretch_after"] == pytest.approx(stretch)
    assert reports[-1]["stretch_before"] > 1.06 and reports[-1]["moved"] > 0
    for method in ("principal", "edges", "hierarchy"):
        stretch, _ = hung(pliant.StrainLimiting(1.05, method, iterations=20))
        assert stretch - 1 < 0.5 * (free - 1), (method, stretch, free)


def test_worlds_with_constraints_travel_and_continue_bit_for_bit() -> None:
    sim, _, _ = banner([pliant.LongRangeAttachments()])
    again = pickle.loads(pickle.dumps(sim))
    assert sim.step(5).time == again.step(5).time
    assert sim.positions.tobytes() == again.positions.tobytes()


def sim_of(
    *constraints: pliant.Constraints, solver: pliant.PositionBased | pliant.Projective = pliant.PositionBased()
) -> pliant.Simulation:
    return pliant.Simulation(pliant.Body(SHEET, masses=1.0, constraints=constraints, name="cloth"), solver=solver)


DISTANCE = pliant.DistanceConstraints([[0, 1]])
CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: sim_of(DISTANCE, solver="fast"), "solver is 'fast', but must be an Auto, Projective"),  # type: ignore[arg-type]
    (lambda: pliant.Simulation(pliant.Body(SHEET, masses=1.0), strain_limiting=1.1), "strain_limiting is 1.1, but must be a StrainLimiting"),  # type: ignore[arg-type]
    (lambda: pliant.DistanceConstraints([[0, 1]], rest_lengths=-1.0), "rest_lengths is -1.0, but must be at least 0"),
    (lambda: pliant.DistanceConstraints([[0, 1], [1, 2]], rest_lengths=[1, -2]), r"rest_lengths\[1\] is -2.0"),
    (lambda: pliant.DistanceConstraints([[0, 1]], compliance=[1, 2]), r"compliance has the shape \(2,\)"),
    (lambda: pliant.DistanceConstraints([[0, 1]], compliance=-1), "compliance is -1.0, but must be at least 0"),
    (lambda: pliant.DistanceConstraints([[0, 1]], damping=float("nan")), "damping is nan"),
    (lambda: pliant.DistanceConstraints([[0, 1, 2]]), r"edges has the shape \(1, 3\), but needs \(n, 2\)"),
    (lambda: sim_of(pliant.DistanceConstraints([[0, 1]], allowed="maybe")), 'allowed is "maybe", but must be one of'),
    (lambda: sim_of(pliant.DistanceConstraints([[0, 16]])), r"DistanceConstraints: edges\[0, 1\] is 16, but there are only 16"),
    (lambda: sim_of(pliant.DistanceConstraints([[3, 3]])), "distance 0 uses vertex 3 twice"),
    (lambda: sim_of(pliant.DihedralConstraints([[0, 1, 2, 3]])), "dihedral 0 is degenerate"),
    (lambda: sim_of(pliant.VolumeConstraints([[0, 1, 2, 77]])), r"tets\[0, 3\] is 77"),
    (lambda: sim_of(pliant.TetStrainConstraints([[0, 1, 2, 4]])), "degenerate at rest"),
    (lambda: sim_of(pliant.Balloon(SHEET.triangles)), "balloon 0 is degenerate"),
    (lambda: pliant.Balloon(SHEET.triangles, pressure=-1), "pressure is -1.0"),
    (lambda: pliant.PointTriangleConstraints([[0, 1, 2, 4]], -0.1), "thickness is -0.1"),
    (lambda: sim_of(pliant.PointTriangleConstraints([[0, 1, 2, 4]], 0.1, side="up")), 'side is "up"'),
    (lambda: sim_of(pliant.ShapeMatching([[0, 1, 1]])), "uses vertex 1 twice"),
    (lambda: sim_of(pliant.ShapeMatching([[0, 1], [2, 99]])), r"sets\[1\]\[1\] is 99"),
    (lambda: sim_of(pliant.LongRangeAttachments()), "points is empty, and nothing is pinned"),
    (lambda: sim_of(pliant.LongRangeAttachments([99])), r"LongRangeAttachments: points\[0\] is 99"),
    (lambda: sim_of(pliant.LongRangeAttachments([0], lengths="short")), 'lengths is "short"'),
    (lambda: pliant.LongRangeAttachments([0], per_vertex=0), "per_vertex is 0, but must be at least 1"),
    (lambda: pliant.LongRangeAttachments().threads(SHEET), "points is None"),
    (lambda: sim_of(DISTANCE, solver=pliant.Projective()), 'constraints of kind "distance"'),
    (lambda: sim_of(DISTANCE).exact_step(), 'constraints of kind "distance", which only the position-based solver supports'),
    (lambda: setattr(sim_of(DISTANCE), "solver", pliant.Newton()), "which only the position-based solver supports"),
    (lambda: pliant.Body(SHEET, masses=1.0, constraints=[SHEET]), r"constraints\[0\] is <Sheet of 16 vertices>, but must be a Constraints"),  # type: ignore[list-item]
    (lambda: pliant.Simulation(pliant.Body(SHEET, masses=1.0), strain_limiting=pliant.StrainLimiting(0.9)), "most is 0.9, but must be at least 1"),
    (lambda: pliant.Simulation(pliant.Body(SHEET, masses=1.0), strain_limiting=pliant.StrainLimiting(1.1, "hard")), 'method is "hard"'),
]  # fmt: skip


@pytest.mark.parametrize(("attempt", "message"), CASES, ids=range(len(CASES)))
def test_bad_constraints_are_refused_by_name_and_value(attempt: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attempt()
