"""Meshes: generators, files, other libraries, measures."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import pliant


def test_generators_have_the_sizes_they_say() -> None:
    sheet = pliant.sheet(2, 1, 8, 4)
    assert len(sheet) == 45 and sheet.area == pytest.approx(2)
    assert sheet.positions[sheet.vertex(-1, -1)].tolist() == [1, 0.5, 0]
    assert pliant.sheet(plane="xz").normals()[:, 1].min() == pytest.approx(1)
    assert len(pliant.sheet(diagonals="cross", columns=2, rows=2)) == 13
    assert pliant.disc(2.0, 20).area == pytest.approx(4 * np.pi, rel=1e-2)
    ball = pliant.icosphere(0.5, 4)
    assert ball.area == pytest.approx(np.pi, rel=1e-2) and len(ball.rim()) == 0
    assert pliant.cylinder(1, 2, 64).area == pytest.approx(4 * np.pi, rel=1e-2)
    assert len(pliant.cylinder(closed=True).rim()) == 0 and len(pliant.cylinder().rim()) == 64
    assert pliant.torus(1, 0.25, 64, 32).area == pytest.approx(np.pi**2, rel=1e-2)
    for pattern in ("kuhn", "five", "body-centred"):
        assert pliant.box((1, 2, 3), (2, 2, 2), pattern=pattern).volume == pytest.approx(6)
    rope = pliant.rope((0, 0, 0), (0, -2, 0), 4)
    assert len(rope) == 5 and rope.segments().tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert rope.lumped_masses(3.0).sum() == pytest.approx(6)
    hair = pliant.bundle(0.1, 7, 0.3, 5)
    assert len(hair.strands) == 7 and len(hair) == 42


def test_springs_of_the_curtain_are_those_of_the_paper() -> None:
    # [Liu 2013]: 32,158 springs on 6561 vertices.
    sheet = pliant.sheet(1, 1, 80, 80)
    assert len(sheet) == 6561 and len(sheet.springs()) == 32158
    assert len(sheet.springs(shear="none", skip_one=False)) == 2 * 80 * 81


def test_meshes_move_turn_grow_and_pickle() -> None:
    box = pliant.box((1, 2, 4), (1, 1, 1)).rotated((0, 0, 2), 90).scaled(2).moved((1, 0, 0))
    np.testing.assert_allclose(np.ptp(box.positions, axis=0), [4, 2, 8], atol=1e-12)
    np.testing.assert_allclose(box.positions.mean(axis=0), [1, 0, 0], atol=1e-12)
    again = pickle.loads(pickle.dumps(pliant.sheet().moved((0, 1, 0))))
    assert again.vertex(1, 1) == 12 and again.positions[0, 1] == 0.5


def test_a_solid_has_a_skin_and_a_surface_can_be_filled() -> None:
    box = pliant.box((1, 1, 1), (3, 3, 3))
    skin, vertices = box.surface()
    assert skin.area == pytest.approx(6) and (box.positions[vertices] == skin.positions).all()
    assert len(box.edges()) > len(skin.edges()) == len(skin.hinges())
    ball = pliant.icosphere(1, 3).fill(12)
    assert ball.volume == pytest.approx(4 / 3 * np.pi, rel=0.03) and ball.volumes().min() > 0
    stretched = box.positions * [1.5, 1, 0.5]
    np.testing.assert_allclose(box.principal_stretches(stretched)[0], [1.5, 1, 0.5])


def test_files_are_read_with_units_and_axes(tmp_path: Path) -> None:
    file = tmp_path / "panel.obj"
    file.write_text("v 0 0 0\nv 100 0 0\nv 100 200 0\nv 0 200 0\nv 9 9 9\nf 1 2 3 4\nl 1 2 3\n")
    imported = pliant.read_mesh(file, scale=0.01, up="z")
    assert imported.name == "panel" and len(imported.positions) == 4 and len(imported.notes) > 0
    mesh = pliant.TriangleMesh.read(file, scale=0.01)
    assert mesh.area == pytest.approx(2)
    assert imported.triangle_mesh().normals()[0].tolist() == [0, 1, 0]
    assert [strand.tolist() for strand in imported.strand_set().strands] == [[0, 1, 2]]
    with pytest.raises(ValueError, match="no tets"):
        imported.tet_mesh()
    bad = tmp_path / "bad.obj"
    bad.write_text("v 0 0 0\nf 1 2 3\n")
    with pytest.raises(ValueError, match="bad.obj"):
        pliant.read_mesh(bad)


def test_meshes_of_trimesh_are_taken() -> None:
    trimesh = pytest.importorskip("trimesh")
    mesh = pliant.as_mesh(trimesh.creation.icosphere(subdivisions=2))
    assert isinstance(mesh, pliant.TriangleMesh) and len(mesh) == 162
    pliant.Simulation(pliant.Body(mesh, pliant.ClothMaterial(), pressure=10.0)).step()


def test_meshes_of_meshio_are_taken(tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    box = pliant.box((1, 1, 1), (2, 2, 2))
    # A vertex that nothing uses would have no mass.
    points = np.vstack([box.positions, [[9, 9, 9]]])
    mesh = pliant.as_mesh(meshio.Mesh(points, [("tetra", box.tets), ("triangle", [[0, 1, 2]])]))
    assert isinstance(mesh, pliant.TetMesh) and len(mesh) == 27 and mesh.volume == pytest.approx(1)
    flat = pliant.as_mesh(meshio.Mesh(np.array([[0.0, 0], [1, 0], [0, 1]]), [("triangle", [[0, 1, 2]])]))
    assert isinstance(flat, pliant.TriangleMesh) and flat.area == pytest.approx(0.5)
    file = tmp_path / "box.vtu"
    meshio.write(file, meshio.Mesh(box.positions, [("tetra", box.tets)]))
    assert (pliant.TetMesh.read(file).tets == box.tets).all()
    with pytest.raises(ValueError, match="needs tetra or triangle"):
        pliant.as_mesh(meshio.Mesh(points, [("line", [[0, 1]])]))
    with pytest.raises(ValueError, match="not a mesh of trimesh or meshio"):
        pliant.as_mesh(7)


def test_materials_are_those_of_the_engine() -> None:
    assert pliant.ClothMaterial() == pliant.ClothMaterial(**pliant._pliant.cloth_material())
    assert pliant.SolidMaterial() == pliant.SolidMaterial(**pliant._pliant.solid_material())
    assert pliant.StrandMaterial() == pliant.StrandMaterial(**pliant._pliant.strand_material())
    assert pliant.SolidMaterial.preset("rubber").poisson_ratio == 0.45
    assert not pliant.StrandMaterial.preset("thread").resists_compression


def test_energies_one_by_one_make_the_same_body_as_a_material() -> None:
    mesh = pliant.sheet(1, 1, 6, 6)
    limit = pliant.StrainLimit(pliant.Limits(0.9, 1.1), 1e7)
    material = pliant.ClothMaterial(poisson_ratio=0.3, bend_model="hinge", strain_limit=limit)
    e, nu, t = material.youngs_modulus, material.poisson_ratio, material.thickness
    assert material.bending_stiffness is not None
    energies = [
        pliant.TriangleStrain(mesh.triangles, e * t / (1 + nu)),
        pliant.TriangleArea(mesh.triangles, 2 * e * nu / (1 - nu**2) * t),
        pliant.TriangleStrain(mesh.triangles, limit.youngs_modulus * t, limit.set),
        pliant.HingeBending(mesh.hinges(), material.bending_stiffness),
    ]
    a = pliant.Simulation(pliant.Body(mesh, material, pin=[42, 48]))
    b = pliant.Simulation(pliant.Body(mesh, density=material.density, energies=energies, pin=[42, 48]))
    a.step(10)
    b.step(10)
    np.testing.assert_allclose(a.positions, b.positions, atol=1e-9)


def test_consistent_masses_weigh_the_same() -> None:
    box = pliant.box((1, 1, 1), (2, 2, 2))
    sims = [pliant.Simulation(pliant.Body(box, pliant.SolidMaterial(mass=mass))) for mass in ("lumped", "consistent")]
    for sim in sims:
        sim.step(3)
        assert sim.masses.sum() == pytest.approx(1000)
    np.testing.assert_allclose(sims[0].report().momentum, sims[1].report().momentum, rtol=1e-6, atol=1e-3)


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert pliant.__version__ == version("pliant")
