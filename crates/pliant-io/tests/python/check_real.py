"""Reads exports of real meshes with independent readers and compares them with the exported .npy frames.

Usage: check_real.py FOLDER...   (each written by tests/suite/python_readers.rs: triangles and tets as <i4, exports by format)
"""

import struct
import sys
from pathlib import Path

import meshio
import numpy as np
import trimesh
from pxr import Usd, UsdGeom
from pygltflib import GLTF2


def skin(tets):
    """Faces of one tet only, outwards."""
    faces = np.concatenate([tets[:, f] for f in ([0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3])])
    keys, where, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[where[count == 1]]


def canonical(faces):
    """Each triangle from its least corner on, in order: equal for the same triangles with the same winding."""
    faces = np.asarray(faces, dtype=np.int64).reshape(-1, 3)
    first = np.argmin(faces, axis=1)
    faces = np.take_along_axis(faces, (first[:, None] + np.arange(3)) % 3, axis=1)
    return faces[np.lexsort(faces.T[::-1])]


class Run:
    def __init__(self, folder):
        self.folder = folder
        self.positions = np.load(folder / "npy/real.npy", mmap_mode="r")
        self.frames, vertices, _ = self.positions.shape
        read = lambda name, n: np.fromfile(folder / name, "<i4").reshape(-1, n)
        self.triangles, self.tets = read("triangles", 3), read("tets", 4)
        surface = np.concatenate([self.triangles, skin(self.tets)]) if len(self.tets) else self.triangles
        self.seen = np.unique(surface)
        new = np.full(vertices, -1)
        new[self.seen] = np.arange(len(self.seen))
        self.surface = new[surface]
        # Formats of floats: half a unit in the last place, twice where a difference is added.
        self.single = 2.0**-23 * float(np.abs(self.positions).max())
        self.worst = {}

    def shown(self, number):
        return self.positions[number][self.seen]

    def points(self, name, found, number, tolerance, all_vertices=False):
        wanted = self.positions[number] if all_vertices else self.shown(number)
        found = np.asarray(found, dtype=float)
        assert found.shape == wanted.shape, f"{name}: {found.shape}, not {wanted.shape}"
        worst = float(np.max(np.abs(found - wanted)))
        assert worst <= tolerance, f"{name}: off by {worst}"
        self.worst[name] = max(self.worst.get(name, 0.0), worst)

    def faces(self, name, found, wanted):
        assert np.array_equal(canonical(found), canonical(wanted)), f"{name}: other triangles"

    def check(self):
        for number in range(self.frames):
            mesh = meshio.read(self.folder / f"obj/real_{number:06}.obj")
            self.points("obj", mesh.points, number, 0)
            self.faces("obj", mesh.cells_dict["triangle"], self.surface)
            mesh = trimesh.load(self.folder / f"ply/real_{number:06}.ply", process=False)
            self.points("ply", mesh.vertices, number, 0)
            self.faces("ply", mesh.faces, self.surface)
            mesh = meshio.read(self.folder / f"vtu/real/real_{number:06}.vtu")
            self.points("vtu", mesh.points, number, 0, all_vertices=True)
            if len(self.tets):
                assert np.array_equal(mesh.cells_dict["tetra"], self.tets), "vtu: other tets"
            if len(self.triangles):
                self.faces("vtu", mesh.cells_dict["triangle"], self.triangles)
        self.caches()
        self.glb()
        self.usd()
        return self.worst

    def caches(self):
        data = (self.folder / "pc2/real.pc2").read_bytes()
        _, _, points, _, _, samples = struct.unpack("<12siiffi", data[:32])
        assert (points, samples) == (len(self.seen), self.frames)
        pc2 = np.frombuffer(data, "<f4", offset=32).reshape(self.frames, -1, 3)
        data = (self.folder / "mdd/real.mdd").read_bytes()
        assert struct.unpack(">ii", data[:8]) == (self.frames, len(self.seen))
        mdd = np.frombuffer(data, ">f4", offset=8 + 4 * self.frames).reshape(self.frames, -1, 3)
        for number in range(self.frames):
            self.points("pc2", pc2[number], number, self.single)
            self.points("mdd", mdd[number], number, self.single)

    def glb(self):
        gltf = GLTF2().load(str(self.folder / "glb/real.glb"))
        blob = gltf.binary_blob()

        def read(index, kind="<f4"):
            accessor = gltf.accessors[index]
            view = gltf.bufferViews[accessor.bufferView]
            width = {"SCALAR": 1, "VEC3": 3}[accessor.type]
            offset = (view.byteOffset or 0) + (accessor.byteOffset or 0)
            return np.frombuffer(blob, kind, accessor.count * width, offset).reshape(-1, width)

        primitive = gltf.meshes[gltf.nodes[0].mesh].primitives[0]
        base = read(primitive.attributes.POSITION).astype(float)
        target = lambda t: t["POSITION"] if isinstance(t, dict) else t.POSITION
        moved = np.array([read(target(t)) for t in primitive.targets], dtype=float)
        weights = read(gltf.animations[0].samplers[0].output).reshape(self.frames, self.frames - 1)
        for number in range(self.frames):
            self.points("glb", base + np.einsum("t,tvc->vc", weights[number], moved), number, 2 * self.single)
        self.faces("glb", read(primitive.indices, "<u4"), self.surface)

    def usd(self):
        stage = Usd.Stage.Open(str(self.folder / "usda/real.usda"))
        mesh = UsdGeom.Mesh(stage.GetDefaultPrim().GetChildren()[0])
        for number in range(self.frames):
            self.points("usda", mesh.GetPointsAttr().Get(number), number, self.single)
        self.faces("usda", mesh.GetFaceVertexIndicesAttr().Get(), self.surface)


failed = False
for folder in map(Path, sys.argv[1:]):
    try:
        run = Run(folder)
        text = ", ".join(f"{name} {worst:.1e}" for name, worst in run.check().items())
        print(f"{folder.name}: {run.positions.shape[1]} vertices, largest differences {text}", flush=True)
    except Exception as error:
        failed = True
        print(f"{folder.name}: FAILED {type(error).__name__}: {error}", flush=True)
sys.exit(failed)
