"""Reads exported files with independent readers and compares them with expected.json.

Usage: check_exports.py FOLDER   (written by tests/suite/python_readers.rs)

With `bpy` installed, Blender reads what the others read, too; with `vtk`, ParaView's reader.
"""

import importlib.util
import json
import struct
import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text())
positions = np.array(expected["positions"])
velocities = np.array(expected["velocities"])
times = np.array(expected["times"])
triangles = np.array(expected["triangles"])
tets = np.array(expected["tets"])
bodies = {name: (start, end) for name, start, end in expected["bodies"]}
frames, vertices, _ = positions.shape


def boundary():
    """Faces of one tet only, outwards."""
    faces = np.concatenate([tets[:, f] for f in ([0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3])])
    keys, where, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[where[count == 1]]


skin = boundary()
inside = np.setdiff1d(np.unique(tets), np.unique(skin))
seen = np.setdiff1d(np.arange(vertices), inside)
new = np.full(vertices, -1)
new[seen] = np.arange(len(seen))
surface = np.concatenate([triangles, skin])


def body(name):
    start, end = bodies[name]
    return seen[(seen >= start) & (seen < end)]


def same_faces(found, wanted):
    """The same triangles with the same winding, in any order and from any corner."""
    turn = lambda face: tuple(np.roll(face, -int(np.argmin(face))))
    assert sorted(map(turn, np.asarray(found))) == sorted(map(turn, np.asarray(wanted)))


def close(found, wanted, tolerance):
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    worst = np.max(np.abs(found - wanted))
    assert worst <= tolerance, worst
    return worst


SINGLE = 4e-7  # a few units in the last place at the size of the scene


def numpy_npy():
    array = np.load(folder / "npy/scene.npy", mmap_mode="r")
    assert array.dtype == np.float64
    return close(array, positions, 0)


def numpy_caches():
    data = (folder / "pc2/scene.pc2").read_bytes()
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", data[:32])
    assert (magic, version, points, start, rate, samples) == (b"POINTCACHE2\0", 1, len(seen), 0, 1, frames)
    pc2 = np.frombuffer(data, "<f4", offset=32).reshape(frames, -1, 3)
    data = (folder / "mdd/scene.mdd").read_bytes()
    assert struct.unpack(">ii", data[:8]) == (frames, len(seen))
    close(np.frombuffer(data, ">f4", frames, 8), times, SINGLE)
    mdd = np.frombuffer(data, ">f4", offset=8 + 4 * frames).reshape(frames, -1, 3)
    assert np.array_equal(pc2, mdd)
    return close(pc2, positions[:, seen], SINGLE)


def trimesh_obj_ply():
    import trimesh

    for number in range(frames):
        for path in (f"obj/scene_{number:06}.obj", f"ply/scene_{number:06}.ply"):
            mesh = trimesh.load(folder / path, process=False, force="mesh", maintain_order=True)
            if path.endswith("ply"):
                close(mesh.vertices, positions[number, seen], 0)
                same_faces(mesh.faces, new[surface])
            else:
                # It joins objects in its own order and drops vertices without faces: compare the corners of the faces.
                corners = lambda points, faces: np.array(sorted(map(tuple, np.asarray(points)[faces].reshape(-1, 9))))
                close(corners(mesh.vertices, mesh.faces), corners(positions[number], surface), 0)
    return 0


def meshio_obj_ply_vtu():
    import meshio

    mesh = meshio.read(folder / "obj/scene_000004.obj")
    close(mesh.points, positions[4, seen], 0)
    same_faces(np.concatenate([c.data for c in mesh.cells if c.type == "triangle"]), new[surface])
    # It refuses PLY with edges, so it gets the cloth alone.
    mesh = meshio.read(folder / "ply/cloth_000004.ply")
    cloth = body("cloth")
    close(mesh.points, positions[4, cloth], 0)
    close(mesh.point_data["heat"], np.array(expected["channels"]["heat"])[cloth], 0)
    same_faces(mesh.cells_dict["triangle"], triangles)
    for number in range(frames):
        mesh = meshio.read(folder / f"vtu/scene/scene_{number:06}.vtu")
        close(mesh.points, positions[number], 0)
        close(mesh.point_data["velocity"], velocities[number], 0)
        assert np.array_equal(np.concatenate([c.data for c in mesh.cells if c.type == "tetra"]), tets)
        same_faces(np.concatenate([c.data for c in mesh.cells if c.type == "triangle"]), triangles)
    kinds = [c.type for c in mesh.cells]
    close(np.concatenate([d for k, d in zip(kinds, mesh.cell_data["strain"]) if k == "tetra"]),
          expected["channels"]["strain"], 0)
    close(np.concatenate([d for k, d in zip(kinds, mesh.cell_data["stretch"]) if k == "triangle"]),
          expected["channels"]["stretch"], 0)
    return 0


def vtk_vtu():
    if importlib.util.find_spec("vtk") is None:
        return "skipped, not installed"
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    for number in range(frames):
        reader = vtk.vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(folder / f"vtu/scene/scene_{number:06}.vtu"))
        reader.Update()
        grid = reader.GetOutput()
        close(vtk_to_numpy(grid.GetPoints().GetData()), positions[number], 0)
        kinds = [grid.GetCellType(c) for c in range(grid.GetNumberOfCells())]
        counts = {k: kinds.count(k) for k in set(kinds)}
        assert counts == {10: len(tets), 5: len(triangles), 3: 9, 1: 7}, counts
        close(vtk_to_numpy(grid.GetFieldData().GetArray("TimeValue")), times[number : number + 1], 0)
        volume = sum(vtk.vtkTetra.ComputeVolume(*(grid.GetPoint(v) for v in tet)) for tet in tets)
        assert volume > 0
    return 0


def xml_pvd():
    import xml.etree.ElementTree as xml

    sets = xml.parse(folder / "vtu/scene.pvd").getroot().findall("Collection/DataSet")
    assert all((folder / "vtu" / s.get("file")).exists() for s in sets)
    return close([float(s.get("timestep")) for s in sets], times, 0)


def pygltflib_glb():
    from pygltflib import GLTF2

    gltf = GLTF2().load(str(folder / "glb/scene.glb"))
    blob = gltf.binary_blob()

    def read(index, kind="<f4"):
        accessor = gltf.accessors[index]
        view = gltf.bufferViews[accessor.bufferView]
        width = {"SCALAR": 1, "VEC3": 3}[accessor.type]
        offset = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        array = np.frombuffer(blob, kind, accessor.count * width, offset).reshape(-1, width)
        if accessor.min:
            assert np.array_equal(array.min(0), np.float32(accessor.min))
            assert np.array_equal(array.max(0), np.float32(accessor.max))
        return array

    sampler = gltf.animations[0].samplers[0]
    close(read(sampler.input)[:, 0], times, SINGLE)
    weights = read(sampler.output).reshape(frames, frames - 1)
    worst = 0
    for node in gltf.nodes:
        mesh = gltf.meshes[node.mesh]
        primitive = mesh.primitives[0]
        base = read(primitive.attributes.POSITION)
        moved = np.array([read(t["POSITION"] if isinstance(t, dict) else t.POSITION) for t in primitive.targets])
        for number in range(frames):
            shape = base + np.einsum("t,tvc->vc", weights[number], moved)
            worst = max(worst, close(shape, positions[number, body(node.name)], SINGLE))
        if primitive.mode == 4:
            wanted = {"cloth": triangles, "2 jelly & co": skin}[node.name]
            same_faces(read(primitive.indices, "<u4").reshape(-1, 3), new[wanted] - new[body(node.name)[0]])
    return worst


def trimesh_glb():
    import trimesh

    scene = trimesh.load(folder / "glb/scene.glb", process=False)
    assert set(scene.geometry) >= {"cloth", "2 jelly & co"}, scene.geometry
    assert scene.geometry["2 jelly & co"].is_watertight
    return close(scene.geometry["cloth"].vertices, positions[0, body("cloth")], SINGLE)


def usd():
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(folder / "usda/scene.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, frames - 1)
    assert stage.GetTimeCodesPerSecond() == expected["frame_rate"]
    worst = 0
    names = {"cloth": "cloth", "_2_jelly___co": "2 jelly & co", "ropes": "ropes", "dust": "dust"}
    types = {p.GetName(): p.GetTypeName() for p in stage.GetDefaultPrim().GetChildren()}
    assert types == {"cloth": "Mesh", "_2_jelly___co": "Mesh", "ropes": "BasisCurves", "dust": "Points"}, types
    for prim, name in names.items():
        prim = stage.GetPrimAtPath(f"/World/{prim}")
        geometry = UsdGeom.PointBased(prim)
        for number in range(frames):
            worst = max(worst, close(geometry.GetPointsAttr().Get(number), positions[number, body(name)], SINGLE))
            close(geometry.GetVelocitiesAttr().Get(number), velocities[number, body(name)], SINGLE)
            extent = UsdGeom.PointBased.ComputeExtent(geometry.GetPointsAttr().Get(number))
            close(geometry.GetExtentAttr().Get(number), extent, 0)
        if prim.GetTypeName() == "Mesh":
            mesh = UsdGeom.Mesh(prim)
            counts = list(mesh.GetFaceVertexCountsAttr().Get())
            indices = list(mesh.GetFaceVertexIndicesAttr().Get())
            assert UsdGeom.Mesh.ValidateTopology(indices, counts, len(body(name)))[0]
            wanted = {"cloth": triangles, "2 jelly & co": skin}[name]
            same_faces(np.reshape(indices, (-1, 3)), new[wanted] - new[body(name)[0]])
    assert list(UsdGeom.BasisCurves(stage.GetPrimAtPath("/World/ropes")).GetCurveVertexCountsAttr().Get()) == [7, 4]
    return worst


def blender():
    if importlib.util.find_spec("bpy") is None:
        return "skipped, not installed"
    import bpy

    def fresh():
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.render.fps = int(expected["frame_rate"])

    def points(object_, number, local):
        bpy.context.scene.frame_set(number)
        evaluated = object_.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = evaluated.to_mesh()
        transform = np.eye(4) if local else np.array(evaluated.matrix_world)
        return np.array([v.co[:] for v in mesh.vertices]) @ transform[:3, :3].T + transform[:3, 3]

    turned = lambda p: np.stack([p[:, 0], -p[:, 2], p[:, 1]], axis=1)
    worst = {}
    for kind, name, start in (("glb", "cloth", 0), ("glb", "2 jelly & co", 0), ("usda", "cloth", 0)):
        fresh()
        path = str(folder / f"{kind}/scene.{kind}")
        if kind == "glb":
            bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)
        else:
            bpy.ops.wm.usd_import(filepath=path)
        object_ = bpy.data.objects[name]
        for number in range(frames):
            wanted = turned(positions[number, body(name)])
            found = points(object_, number + start, local=False)
            worst[f"{kind} {name}"] = max(worst.get(f"{kind} {name}", 0), close(found, wanted, 4 * SINGLE))
    for kind in ("pc2", "mdd"):
        fresh()
        # Blender drops loose vertices of an OBJ that has faces, and with them the order: so without the dust.
        bpy.ops.wm.obj_import(filepath=str(folder / f"{kind}/meshes.obj"))
        object_ = bpy.context.selected_objects[0]
        meshes = np.concatenate([body("cloth"), body("2 jelly & co"), body("ropes")])
        assert len(object_.data.vertices) == len(meshes)
        modifier = object_.modifiers.new("cache", "MESH_CACHE")
        modifier.cache_format, modifier.filepath = kind.upper(), str(folder / f"{kind}/meshes.{kind}")
        modifier.frame_start = 0
        for number in range(frames):
            found = points(object_, number, local=True)
            worst[kind] = max(worst.get(kind, 0), close(found, positions[number, meshes], SINGLE))
    fresh()
    bpy.ops.wm.ply_import(filepath=str(folder / "ply/scene_000004.ply"))
    worst["ply"] = close(points(bpy.context.selected_objects[0], 0, local=True), positions[4, seen], SINGLE)
    # The route to Alembic: USD in, Alembic out, and back.
    fresh()
    bpy.ops.wm.usd_import(filepath=str(folder / "usda/scene.usda"))
    abc = str(folder / "scene.abc")
    bpy.ops.wm.alembic_export(filepath=abc, start=0, end=frames - 1)
    fresh()
    bpy.ops.wm.alembic_import(filepath=abc, as_background_job=False)
    for number in range(frames):
        found = points(bpy.data.objects["cloth"], number, local=False)
        worst["abc"] = max(worst.get("abc", 0), close(found, turned(positions[number, body("cloth")]), 4 * SINGLE))
    return worst


checks = [numpy_npy, numpy_caches, trimesh_obj_ply, meshio_obj_ply_vtu, vtk_vtu, xml_pvd, pygltflib_glb, trimesh_glb, usd,
          blender]
only = sys.argv[2:]
failed = []
for check in [check for check in checks if not only or check.__name__ in only]:
    try:
        print(f"{check.__name__}: largest difference {check()}", flush=True)
    except (Exception, SystemExit) as error:
        failed.append(check.__name__)
        print(f"{check.__name__}: FAILED {type(error).__name__}: {error}", flush=True)
sys.exit(1 if failed else 0)
