"""Garments, stretch levels, skip-one springs, and oriented particles that are graphs."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import pliant


def flat(mesh: pliant.TriangleMesh) -> np.ndarray:
    """Triangles of a sheet in the plane xy as pieces."""
    corners: np.ndarray = mesh.positions[mesh.triangles][:, :, :2]
    return corners


def test_a_garment_that_is_worn_as_it_was_cut_is_plain_cloth() -> None:
    mesh = pliant.sheet(1, 1, 6, 6)
    material = pliant.ClothMaterial.preset("silk")
    top = [mesh.vertex(0, -1), mesh.vertex(-1, -1)]
    cloth = pliant.Simulation(pliant.Body(mesh, material, pin=top), solver=pliant.Newton())
    worn = pliant.Simulation(pliant.Body.garment(mesh, flat(mesh), material, pin=top), solver=pliant.Newton())
    for sim in (cloth, worn):
        sim.step(10)
    np.testing.assert_allclose(worn.positions, cloth.positions, atol=1e-8)
    np.testing.assert_allclose(worn.masses, cloth.masses, rtol=1e-12)


def test_a_garment_remembers_how_it_was_cut() -> None:
    mesh = pliant.sheet(1, 1, 4, 4)
    material = pliant.ClothMaterial(youngs_modulus=1e4, thickness=1e-3, poisson_ratio=0.0, bend_model="none")
    body = pliant.Body.garment(mesh, 0.5 * flat(mesh), material, name="tight", pin=np.ones(25, bool))
    sim = pliant.Simulation(pickle.loads(pickle.dumps(body)))
    (strains,) = sim.element_strains("tight")
    np.testing.assert_allclose(strains.stretches, 2.0, rtol=1e-12)
    assert sim.masses.sum() == pytest.approx(0.25 * material.density)
    # ½ E t A ‖F − R‖² for stretches of 2, with A the area as it was cut.
    assert sim.report().potential == pytest.approx(0.5 * 1e4 * 1e-3 * 0.25 * 2, rel=1e-9)


def test_pieces_come_from_files_and_must_fit(tmp_path: Path) -> None:
    file = tmp_path / "cuff.obj"
    file.write_text(
        "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n"
    )
    content = pliant.read_mesh(file)
    assert content.pieces is not None and content.pieces.shape == (2, 3, 2) and not content.pieces.flags.writeable
    np.testing.assert_array_equal(content.pieces[0], [[0, 0], [1, 0], [1, 1]])
    mesh = content.triangle_mesh()
    sim = pliant.Simulation(pliant.Body.garment(mesh, content.pieces, name="cuff"))
    np.testing.assert_allclose(sim.element_strains("cuff")[0].stretches, [[2, 1], [2, 1]], rtol=1e-12)
    assert pliant.TriangleMesh.read(file).triangles.shape == (2, 3)
    with pytest.raises(ValueError, match=r"pieces has the shape \(1, 3, 2\), but needs \(2, 3, 2\)"):
        pliant.Body.garment(mesh, content.pieces[:1])
    with pytest.raises(ValueError, match="flat area is"):
        pliant.Simulation(pliant.Body.garment(mesh, content.pieces[:, ::-1]))
    with pytest.raises(ValueError, match="a garment has none"):
        pliant.Body.garment(mesh, content.pieces, tearing=pliant.Tearing(stretch=1.1))


def test_levels_keep_a_long_cloth_from_stretching() -> None:
    mesh = pliant.sheet(0.05, 1.5, 2, 60)
    top = [mesh.vertex(0, -1), mesh.vertex(-1, -1)]

    def lowest(levels: pliant.StretchLevels | None) -> float:
        body = pliant.Body(mesh, pliant.ClothMaterial(density=0.2), pin=top)
        sim = pliant.Simulation(body, solver=pliant.PositionBased(5, stiffness=1.0, levels=levels))
        sim.step(60)
        assert pickle.loads(pickle.dumps(sim)).solver == sim.solver
        return float(sim.positions[:, 1].min())

    plain, coarse = lowest(None), lowest(pliant.StretchLevels())
    assert plain < -1.0 and coarse > -0.8, f"its lower edge hangs at {plain} m, with levels at {coarse} m of -0.75"
    assert lowest(pliant.StretchLevels(most=1.2)) < coarse - 0.05, "what may stretch by a fifth does"
    loose = pliant.Body(mesh, density=0.2, pin=top, energies=pliant.EdgeSprings(mesh.edges(), 1e4))
    leveled = pliant.PositionBased(5, levels=pliant.StretchLevels())
    for build in (
        lambda: pliant.Simulation(loose, solver=leveled),
        lambda: pliant.Simulation(loose, solver=pliant.PositionBased(5)).step(solver=leveled),
        lambda: setattr(pliant.Simulation(loose, solver=pliant.PositionBased(5)), "solver", leveled),
        lambda: pliant.Simulation(pliant.Body(mesh, density=0.2, solver=leveled)),
    ):
        with pytest.raises(ValueError, match="has no edges, so stretch levels would do nothing to it"):
            build()
    for wrong in ({"levels": 65}, {"rounds": 0}, {"most": 0.9}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            pliant.StretchLevels(**wrong)  # type: ignore[arg-type]


def test_skip_one_springs_of_strands_are_those_of_scenes() -> None:
    strands = pliant.Strands(np.random.default_rng(1).random((7, 3)), [[0, 1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(strands.skip_one_edges(), [[0, 2], [1, 3], [4, 6]])
    assert pliant.rope((0, 0, 0), (1, 0, 0), 1).skip_one_edges().shape == (0, 2)
    scene = pliant.parse_scene(
        """
        [world]
        frames = 5
        [solver.newton]
        [[body]]
        name = "rope"
        shape.rope = { from = [0.0, 0.0, 0.0], to = [1.0, 0.0, 0.0], segments = 6 }
        material.strand = { skip_one = 5.0 }
        pin = [{ select.vertices = [0, 1] }]
        """
    )
    rope = pliant.rope((0, 0, 0), (1, 0, 0), 6)
    stiff = pliant.EdgeSprings(rope.skip_one_edges(), axial_stiffness=5.0)
    body = pliant.Body(rope, pliant.StrandMaterial(), name="rope", pin=[0, 1], energies=stiff)
    sim = pliant.Simulation(body, time_step=scene.time_step, solver=pliant.Newton())
    scene.step(5)
    sim.step(5)
    np.testing.assert_allclose(sim.positions, scene.positions, atol=1e-12)


def test_oriented_particles_along_a_line_are_those_of_strands() -> None:
    stem = pliant.rope((0, 0, 0), (0, 0, 1), 5)
    half = 0.1
    radii = np.tile([0.02, 0.02, half], (6, 1))
    graph = pliant.OrientedParticles(stem.positions, stem.segments(), radii)
    found = []
    for mesh, material in ((stem, pliant.OrientedMaterial(radius=0.02)), (graph, pliant.OrientedMaterial())):
        body = pliant.Body(mesh, material, name="stem", pin=[0])
        sim = pliant.Simulation(body, solver=pliant.PositionBased(10))
        sim.step(10)
        again = pickle.loads(pickle.dumps(sim))
        np.testing.assert_array_equal(again.orientations("stem"), sim.orientations("stem"))
        skin = pliant.Skin(mesh, material, [[0.02, 0, 0.5]])
        found.append((sim.positions, sim.orientations("stem"), skin.follow(sim.positions, sim.orientations("stem"))))
    for one, other in zip(*found):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_a_net_of_oriented_particles_keeps_its_shape() -> None:
    across, along = np.meshgrid(np.arange(4), np.arange(4), indexing="ij")
    positions = 0.1 * np.stack([across.ravel(), 0 * across.ravel(), along.ravel()], axis=1)
    number = np.arange(16).reshape(4, 4)
    edges = np.concatenate(
        [
            np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1),
            np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1),
        ]
    )
    net = pliant.OrientedParticles(positions, edges, 0.05)
    assert net.radii.shape == (16, 3) and net.orientations[0].tolist() == [1, 0, 0, 0]
    body = pliant.Body(net, pliant.OrientedMaterial(density=800.0), name="net")
    sim = pliant.Simulation(body, gravity=(0, 0, 0), solver=pliant.PositionBased(20))
    assert sim.masses.sum() == pytest.approx(16 * 800.0 * 4 / 3 * np.pi * 0.05**3)
    bent = sim.positions.copy()
    bent[:, 1] += bent[:, 0] ** 2
    sim.positions = bent
    before = np.ptp(sim.positions[:, 1])
    sim.step(30)
    apart = np.linalg.norm(sim.positions[edges[:, 1]] - sim.positions[edges[:, 0]], axis=1)
    np.testing.assert_allclose(apart, 0.1, rtol=0.02)
    centred = sim.positions - sim.positions.mean(axis=0)
    thickness = np.linalg.svd(centred, compute_uv=False)[2]
    assert thickness < 0.1 * before, "it is flat again"


def test_oriented_particles_that_make_no_sense_are_refused() -> None:
    x, edges = [[0, 0, 0], [1, 0, 0]], [[0, 1]]
    for arguments, message in [
        ({"edges": [[0, 2]]}, "edges"),
        ({"radii": 0.0}, "half-axes"),
        ({"radii": [[1, 1]]}, "radii"),
        ({"orientations": [[2, 0, 0, 0], [1, 0, 0, 0]]}, "unit quaternion"),
    ]:
        with pytest.raises(ValueError, match=message):
            pliant.OrientedParticles(**{"positions": x, "edges": edges, **arguments})  # type: ignore[arg-type]
    net = pliant.OrientedParticles(x, edges)
    with pytest.raises(ValueError, match="radii of their own"):
        pliant.Body(net, pliant.OrientedMaterial(radius=0.1))
    with pytest.raises(ValueError, match="does not belong"):
        pliant.Body(net, pliant.RodMaterial())
