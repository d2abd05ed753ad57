"""Writes meshes with independent writers, for tests/suite/python_writers.rs to read.

Usage: write_meshes.py FOLDER [DATA]

manifest.json lists each file with what must be found in it: raw arrays of positions (<f8), triangles and tets (<i4), lines,
and how far positions may be off: 0 where the format holds doubles. With DATA, the folder of real meshes, these are written, too.
"""

import gzip
import json
import sys
import tempfile
from pathlib import Path

import meshio
import numpy as np
import pygltflib
import trimesh

folder = Path(sys.argv[1])
data = Path(sys.argv[2]) if len(sys.argv) > 2 else None
manifest = []
SINGLE = 2.0 ** -23  # relative to the size of the mesh, for formats and writers that hold floats


def array(path, values, kind):
    np.ascontiguousarray(values, dtype=kind).tofile(folder / path)
    return path


class Shape:
    """What must be found."""

    def __init__(self, name, points, triangles=(), tets=(), lines=()):
        self.name, self.points, self.triangles, self.tets = name, np.asarray(points, float), triangles, tets
        self.lines = [list(map(int, line)) for line in lines]
        self.size = float(np.ptp(self.points, axis=0).max())
        self.entry = {
            "positions": array(f"{name}.positions", self.points, "<f8"),
            "triangles": array(f"{name}.triangles", np.reshape(triangles, (-1, 3)), "<i4"),
            "tets": array(f"{name}.tets", np.reshape(tets, (-1, 4)), "<i4"),
            "lines": self.lines,
        }

    def wrote(self, path, tolerance=0.0, soup=False):
        """`soup`: the format repeats vertices, so only the corners of triangles can be compared."""
        manifest.append({"file": path, "tolerance": tolerance * self.size, "soup": soup, **self.entry})

    def cells(self):
        cells = []
        if len(self.triangles):
            cells.append(("triangle", np.asarray(self.triangles)))
        if len(self.tets):
            cells.append(("tetra", np.asarray(self.tets)))
        for line in self.lines:
            cells.append(("line", np.stack([line[:-1], line[1:]], axis=1)))
        return cells

    def meshio(self, path, tolerance=0.0, soup=False, **options):
        meshio.write(folder / path, meshio.Mesh(self.points, self.cells()), **options)
        self.wrote(path, tolerance, soup)

    def trimesh(self, path, tolerance=SINGLE, soup=False, **options):
        mesh = trimesh.Trimesh(self.points, self.triangles, process=False)
        mesh.export(folder / path, **options)
        self.wrote(path, tolerance, soup)


def surface_formats(shape, text=True):
    name = shape.name
    shape.meshio(f"{name}_meshio.obj")
    shape.trimesh(f"{name}_trimesh.obj", 1e-8, digits=12)
    shape.meshio(f"{name}_meshio_binary.ply", binary=True)
    shape.trimesh(f"{name}_trimesh_binary.ply")
    shape.meshio(f"{name}_meshio_binary.stl", SINGLE, soup=True, binary=True)
    shape.trimesh(f"{name}_trimesh_binary.stl", soup=True)
    shape.trimesh(f"{name}_trimesh.glb")
    gltf(shape, f"{name}_pygltflib.glb")
    if text:
        shape.meshio(f"{name}_meshio_text.ply", binary=False)
        shape.trimesh(f"{name}_trimesh_text.ply", 1e-7, encoding="ascii")
        shape.meshio(f"{name}_meshio_text.stl", SINGLE, soup=True, binary=False)
        shape.trimesh(f"{name}_trimesh_text.stl", soup=True, file_type="stl_ascii")
        gltf(shape, f"{name}_pygltflib.gltf")


def general_formats(shape, text=True):
    name = shape.name
    for binary in (False, True) if text else (True,):
        kind = "binary" if binary else "text"
        shape.meshio(f"{name}_2_{kind}.msh", file_format="gmsh22", binary=binary)
        shape.meshio(f"{name}_4_{kind}.msh", file_format="gmsh", binary=binary)
        for version in ("4.2", "5.1"):
            path = f"{name}_{version.replace('.', '')}_{kind}.vtk"
            mesh = meshio.Mesh(shape.points, shape.cells())
            meshio.vtk.write(folder / path, mesh, fmt_version=version, binary=binary)
            shape.wrote(path)
    if text:
        # It writes eleven decimals.
        shape.meshio(f"{name}_text.vtu", 1e-11, binary=False)
    shape.meshio(f"{name}_raw.vtu", compression=None)
    shape.meshio(f"{name}_zlib.vtu", compression="zlib")


def solid_formats(shape):
    shape.meshio(f"{shape.name}.mesh", file_format="medit")
    # It writes both halves of the pair.
    shape.meshio(f"{shape.name}.node", file_format="tetgen")


def gltf(shape, path):
    """Positions and indices, assembled by hand from pygltflib's parts."""
    points = np.asarray(shape.points, "<f4").tobytes()
    indices = np.asarray(shape.triangles, "<u4").tobytes()
    part = pygltflib.Primitive(attributes=pygltflib.Attributes(POSITION=1), indices=0)
    low, high = (f(np.float32(shape.points), axis=0).tolist() for f in (np.min, np.max))
    file = pygltflib.GLTF2(
        scene=0,
        scenes=[pygltflib.Scene(nodes=[0])],
        nodes=[pygltflib.Node(mesh=0)],
        meshes=[pygltflib.Mesh(primitives=[part])],
        accessors=[
            pygltflib.Accessor(bufferView=0, componentType=pygltflib.UNSIGNED_INT, count=len(indices) // 4, type="SCALAR"),
            pygltflib.Accessor(bufferView=1, componentType=pygltflib.FLOAT, count=len(shape.points), type="VEC3",
                               min=low, max=high),
        ],
        bufferViews=[
            pygltflib.BufferView(buffer=0, byteOffset=0, byteLength=len(indices)),
            pygltflib.BufferView(buffer=0, byteOffset=len(indices), byteLength=len(points)),
        ],
        buffers=[pygltflib.Buffer(byteLength=len(indices) + len(points))],
    )
    file.set_binary_blob(indices + points)
    if path.endswith(".gltf"):
        file.convert_buffers(pygltflib.BufferFormat.DATAURI)
        file.save_json(folder / path)
    else:
        file.save_binary(folder / path)
    shape.wrote(path, SINGLE)


def tet_grid(n):
    """A unit cube of n³ cells of six tets each, bent so that no coordinate is round."""
    grid = np.stack(np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    number = lambda c: (c[0] * (n + 1) + c[1]) * (n + 1) + c[2]
    tets = []
    for cell in np.ndindex(n, n, n):
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
            path = [np.array(cell)]
            for axis in order:
                path.append(path[-1] + np.eye(3, dtype=int)[axis])
            tet = [number(corner) for corner in path]
            even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
            tets.append(tet if even else [tet[0], tet[2], tet[1], tet[3]])
    points = grid / n
    return points + 0.03 * np.sin(7.3 * points[:, [1, 2, 0]]), np.array(tets)


ball = trimesh.creation.icosphere(subdivisions=2)
bent = np.asarray(ball.vertices) * [1.0, 0.7, 1.3] + [0.1, 1 / 3, -2.0]
ball = Shape("ball", bent, np.asarray(ball.faces))
surface_formats(ball)
general_formats(ball)
solid = Shape("solid", *(lambda p, t: (p, (), t))(*tet_grid(3)))
general_formats(solid)
solid_formats(solid)
steps = np.linspace(0, 3, 12)
rope = Shape("rope", np.stack([steps, np.sin(steps), np.cos(steps)], axis=1), lines=[range(12)])
general_formats(rope)

if data is not None:
    with tempfile.TemporaryDirectory() as unpacked:
        plain = Path(unpacked) / "spot.mesh"
        plain.write_bytes(gzip.decompress((data / "tet/spot_tet_66k.mesh.gz").read_bytes()))
        mesh = meshio.read(plain)
    spot = Shape("spot66k", mesh.points, (), mesh.cells_dict["tetra"])
    general_formats(spot, text=False)
    solid_formats(spot)
    for garment in ("tshirt_coarse_330", "tshirt_iso_3.5k", "dress_victor_coarse_130", "dress_victor_draped_4.6k"):
        points, faces = [], []
        # Seams have one vertex but several texture coordinates; other readers split or reorder it, so the lines are read as they are.
        for line in (data / f"garment/{garment}.obj").read_text().splitlines():
            words = line.split()
            if words[:1] == ["v"]:
                points.append([float(x) for x in words[1:4]])
            elif words[:1] == ["f"]:
                faces.append([int(corner.split("/")[0]) - 1 for corner in words[1:4]])
        surface_formats(Shape(garment.replace(".", "_"), points, np.array(faces)), text=False)

(folder / "manifest.json").write_text(json.dumps(manifest))
