"""Reads colliders, texture coordinates and normals with independent readers.

Usage: check_extras.py FOLDER   (written by tests/suite/extras.rs)
"""

import sys
from pathlib import Path

import numpy as np
import trimesh
from pxr import Usd, UsdGeom

folder = Path(sys.argv[1])


def radial(normals, points):
    normals, points = np.asarray(normals, dtype=float), np.asarray(points, dtype=float)
    assert normals.shape == points.shape, (normals.shape, points.shape)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-6)
    away = points / np.linalg.norm(points, axis=1)[:, None]
    assert np.min(np.sum(normals * away, axis=1)) > 0.995


# Corners of the two triangles of the sheet, v up.
corners = [[0, 0], [0.25, 0], [0.25, 0.5], [0.5, 0], [0.75, 0.5], [0.5, 0.5]]

scene = trimesh.load(folder / "scene.glb", process=False)
assert set(scene.geometry) == {"ball", "sheet", "still", "moving"}, set(scene.geometry)
ball = scene.geometry["ball"]
assert "vertex_normals" in ball._cache.cache, "normals are those of the file"
radial(ball.vertex_normals, ball.vertices)
# It turns v up again.
assert np.allclose(scene.geometry["sheet"].visual.uv, corners)
assert np.allclose(scene.geometry["still"].vertices[0], [0, 1, 0])

stage = Usd.Stage.Open(str(folder / "scene.usda"))
names = [prim.GetName() for prim in stage.GetDefaultPrim().GetChildren()]
assert names == ["ball", "sheet", "still", "moving"], names
mesh = lambda name: UsdGeom.Mesh(stage.GetPrimAtPath(f"/World/{name}"))
for frame in range(3):
    radial(mesh("ball").GetNormalsAttr().Get(frame), mesh("ball").GetPointsAttr().Get(frame))
assert mesh("ball").GetNormalsInterpolation() == "vertex"
st = UsdGeom.PrimvarsAPI(mesh("sheet")).GetPrimvar("st")
assert st.GetInterpolation() == "faceVarying" and st.GetTypeName() == "texCoord2f[]"
assert np.allclose(st.Get(), corners)
assert not UsdGeom.PrimvarsAPI(mesh("ball")).HasPrimvar("st")
assert mesh("still").GetPointsAttr().GetNumTimeSamples() == 1
assert np.allclose(mesh("still").GetPointsAttr().Get(2)[0], [0, 1, 0])
assert np.allclose([mesh("moving").GetPointsAttr().Get(k)[0][0] for k in range(3)], [0, 1 / 60, 2 / 60])
assert mesh("ball").GetVelocitiesAttr().Get(1) and not mesh("moving").GetVelocitiesAttr().Get(1)
print("normals, texture coordinates and colliders are as they were written")
