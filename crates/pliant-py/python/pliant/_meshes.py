"""Meshes: arrays of positions and elements, with generators, files, and other libraries' meshes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from . import _pliant
from ._arrays import ArrayLike, Floats, Indices, count, indices, number, pair, read_only, vector, vectors, within

AnyMesh = TypeVar("AnyMesh", bound="Mesh")


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Mesh:
    """Positions of vertices [m] of shape (n, 3). The y axis points up."""

    positions: Floats

    kind: ClassVar[str] = "points"

    def __init__(self, positions: ArrayLike) -> None:
        self._set(positions=vectors(positions, "positions"))

    def _set(self, **fields: Any) -> None:
        # Meshes are checked when they are made, and stay as they are.
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} vertices>"

    def __len__(self) -> int:
        return len(self.positions)

    def moved(self: AnyMesh, offset: ArrayLike) -> AnyMesh:
        """The mesh shifted by a vector [m]."""
        return replace(self, positions=self.positions + np.asarray(vector(offset, "offset")))

    def scaled(self: AnyMesh, factor: float) -> AnyMesh:
        """The mesh scaled about the origin by a factor."""
        return replace(self, positions=self.positions * number(factor, "factor", above=0))

    def rotated(self: AnyMesh, axis: ArrayLike, degrees: float) -> AnyMesh:
        """The mesh rotated about an axis through the origin, by an angle in degrees."""
        direction = np.asarray(vector(axis, "axis"))
        length = np.linalg.norm(direction)
        if length == 0:
            raise ValueError("axis has no length")
        x, y, z = direction / length
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        angle = np.radians(number(degrees, "degrees"))
        rotation = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        return replace(self, positions=self.positions @ rotation.T)


class Points(Mesh):
    """Loose points."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TriangleMesh(Mesh):
    """A surface: positions [m] of shape (n, 3) and the vertices of its triangles of shape (m, 3), counter-clockwise."""

    triangles: Indices

    kind: ClassVar[str] = "triangles"

    def __init__(self, positions: ArrayLike, triangles: ArrayLike) -> None:
        super().__init__(positions)
        self._set(triangles=indices(triangles, "triangles", 3))
        within(self.triangles, "triangles", len(self))
        _pliant.check_mesh(self)

    @classmethod
    def read(cls, path: str | os.PathLike[str], **options: Any) -> TriangleMesh:
        """The surface in a mesh file; options as for read_mesh."""
        return read_mesh(path, **options).triangle_mesh()

    @property
    def area(self) -> float:
        """Area [m²]."""
        return float(self.areas().sum())

    def areas(self) -> Floats:
        """Area of each triangle [m²]."""
        areas: Floats = _pliant.triangle_topology(self, "areas")
        return areas

    def edges(self) -> Indices:
        """All edges, sorted, of shape (e, 2)."""
        edges: Indices = _pliant.triangle_topology(self, "edges")
        return edges

    def hinges(self) -> Indices:
        """Edges with a triangle on each side, of shape (h, 4): start, end, left, right."""
        hinges: Indices = _pliant.triangle_topology(self, "hinges")
        return hinges

    def rim(self) -> Indices:
        """Vertices on the boundary."""
        return read_only(np.flatnonzero(_pliant.triangle_topology(self, "rim")).astype(np.uint32))

    def normals(self) -> Floats:
        """Unit normal at each vertex."""
        normals: Floats = _pliant.triangle_topology(self, "normals")
        return normals

    def lumped_masses(self, density: float) -> Floats:
        """Mass of each vertex [kg] for a mass per area [kg/m²]."""
        return _pliant.lumped_masses(self, number(density, "density", above=0))

    def principal_stretches(self, positions: ArrayLike) -> Floats:
        """Both principal stretches of each triangle, the larger first, when the vertices are at other positions [m]."""
        return _pliant.principal_stretches(self, vectors(positions, "positions", len(self)))

    def fill(self, cells: int = 20, *, keep_all: bool = False) -> TetMesh:
        """The solid inside, filled with tets, with this many cells along its longest side. Holes and
        self-intersections are allowed. If there are several pieces, the largest is kept, or all."""
        return TetMesh(*_pliant.fill(self.positions, self.triangles, count(cells, "cells", at_least=1), keep_all))


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Sheet(TriangleMesh):
    """A rectangular sheet with rows and columns. Made by pliant.sheet. size: width and height [m]. cells: columns and rows."""

    size: tuple[float, float]
    cells: tuple[int, int]
    diagonals: str

    def __init__(
        self,
        positions: ArrayLike,
        triangles: ArrayLike,
        size: tuple[float, float],
        cells: tuple[int, int],
        diagonals: str,
    ) -> None:
        super().__init__(positions, triangles)
        lengths = tuple(number(length, f"size[{k}]", above=0) for k, length in enumerate(pair(size, "size")))
        counts = tuple(count(cell, f"cells[{k}]", at_least=1) for k, cell in enumerate(pair(cells, "cells")))
        self._set(size=lengths, cells=counts, diagonals=diagonals)

    def vertex(self, column: int, row: int) -> int:
        """Number of the vertex in a column (along the width) and a row; negative ones count from the end."""
        columns, rows = self.cells
        if not (-columns - 1 <= column <= columns and -rows - 1 <= row <= rows):
            raise ValueError(f"there is no vertex in column {column}, row {row} of {columns + 1}×{rows + 1}")
        return (row % (rows + 1)) * (columns + 1) + column % (columns + 1)

    def springs(self, *, shear: str = "single", skip_one: bool = True) -> Indices:
        """Springs as in [Liu 2013]: structural ones, diagonals ("single", "both" or "none"), and skip-one ones against
        bending. Shape (s, 2)."""
        if shear not in ("single", "both", "none"):
            raise ValueError(f"shear is {shear!r}, but must be one of 'single', 'both', 'none'")
        kinds = ["structural"]
        if shear != "none":
            kinds.append("shear" if shear == "single" else "both-shears")
        if skip_one:
            kinds.append("skip-one")
        parts = [_pliant.sheet_edges(self.size, self.cells, self.diagonals, kind) for kind in kinds]
        return read_only(np.concatenate(parts))


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TetMesh(Mesh):
    """A solid: positions [m] of shape (n, 3) and the vertices of its tets of shape (m, 4), of positive volume."""

    tets: Indices

    kind: ClassVar[str] = "tets"

    def __init__(self, positions: ArrayLike, tets: ArrayLike) -> None:
        super().__init__(positions)
        self._set(tets=indices(tets, "tets", 4))
        within(self.tets, "tets", len(self))
        _pliant.check_mesh(self)

    @classmethod
    def read(cls, path: str | os.PathLike[str], **options: Any) -> TetMesh:
        """The solid in a mesh file; options as for read_mesh."""
        return read_mesh(path, **options).tet_mesh()

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return float(self.volumes().sum())

    def volumes(self) -> Floats:
        """Volume of each tet [m³]."""
        volumes: Floats = _pliant.tet_topology(self, "volumes")
        return volumes

    def edges(self) -> Indices:
        """All edges, sorted, of shape (e, 2)."""
        edges: Indices = _pliant.tet_topology(self, "edges")
        return edges

    def surface(self) -> tuple[TriangleMesh, Indices]:
        """Its skin, and which vertex of the solid each vertex of the skin is."""
        positions, triangles, vertices = _pliant.tet_topology(self, "surface")
        return TriangleMesh(positions, triangles), vertices

    def lumped_masses(self, density: float) -> Floats:
        """Mass of each vertex [kg] for a mass per volume [kg/m³]."""
        return _pliant.lumped_masses(self, number(density, "density", above=0))

    def principal_stretches(self, positions: ArrayLike) -> Floats:
        """The three principal stretches of each tet, the largest first, when the vertices are at other positions [m];
        the last is negative if a tet is inverted."""
        return _pliant.principal_stretches(self, vectors(positions, "positions", len(self)))


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Strands(Mesh):
    """Ropes, threads, hair: positions [m] of shape (n, 3) and a list of vertices for each strand."""

    strands: tuple[Indices, ...]

    kind: ClassVar[str] = "strands"

    def __init__(self, positions: ArrayLike, strands: Sequence[ArrayLike]) -> None:
        super().__init__(positions)
        self._set(strands=tuple(indices(strand, f"strands[{k}]") for k, strand in enumerate(strands)))
        for k, strand in enumerate(self.strands):
            within(strand, f"strands[{k}]", len(self))
        _pliant.check_mesh(self)

    @property
    def lists(self) -> list[list[int]]:
        """The vertices of each strand as plain lists."""
        return [strand.tolist() for strand in self.strands]

    @classmethod
    def read(cls, path: str | os.PathLike[str], **options: Any) -> Strands:
        """The polylines in a mesh file; options as for read_mesh."""
        return read_mesh(path, **options).strand_set()

    def segments(self) -> Indices:
        """Neighbouring vertices along strands, of shape (s, 2)."""
        return read_only(np.concatenate([np.stack([strand[:-1], strand[1:]], axis=1) for strand in self.strands]))

    def skip_one_edges(self) -> Indices:
        """Vertices that are two segments apart along strands, of shape (s, 2): springs between them resist bending, as
        in EdgeSprings(strands.skip_one_edges(), axial_stiffness=5.0)."""
        pairs = [np.stack([strand[:-2], strand[2:]], axis=1) for strand in self.strands]
        return read_only(np.concatenate(pairs) if pairs else np.zeros((0, 2), np.uint32))

    def lumped_masses(self, density: float) -> Floats:
        """Mass of each vertex [kg] for a mass per length [kg/m]."""
        return _pliant.lumped_masses(self, number(density, "density", above=0))


@dataclass(frozen=True, eq=False)
class ImportedMesh:
    """The content of a mesh file. Vertices that no element uses are omitted; notes lists other changes. pieces: plane
    coordinates of the triangles' corners, (m, 3, 2), as the file has them (neither scaled nor rotated), or None: the flat
    pieces of a garment, for Body.garment, or texture coordinates."""

    name: str
    positions: Floats
    triangles: Indices
    tets: Indices
    polylines: list[Indices]
    notes: list[str]
    pieces: Floats | None = None

    def triangle_mesh(self) -> TriangleMesh:
        """Its triangles; polygons were cut."""
        return TriangleMesh(self.positions, self.triangles)

    def tet_mesh(self) -> TetMesh:
        """Its tets; hexes, prisms and pyramids were cut."""
        return TetMesh(self.positions, self.tets)

    def strand_set(self) -> Strands:
        """Its polylines."""
        return Strands(self.positions, self.polylines)


def read_mesh(path: str | os.PathLike[str], *, scale: float = 1.0, up: str = "y", weld: bool = False) -> ImportedMesh:
    """Reads a mesh file: OBJ, PLY, STL, glTF, Gmsh, Medit, TetGen, VTK, VTU, Vega, TressFX, also gzipped.

    scale: metres per unit of the file (0.01 for centimetres). up: the axis of the file that points up. weld: whether
    to join vertices in exactly the same place, as glTF needs.
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no mesh file {path!r}")
    return ImportedMesh(**_pliant.read(path, number(scale, "scale", above=0), up, weld))


def as_mesh(other: Any) -> TriangleMesh | TetMesh:
    """A mesh of another library: a trimesh.Trimesh, or a meshio.Mesh with tets or triangles (tets win)."""
    if isinstance(other, (TriangleMesh, TetMesh)):
        return other
    if hasattr(other, "vertices") and hasattr(other, "faces"):
        return TriangleMesh(np.asarray(other.vertices), np.asarray(other.faces))
    if hasattr(other, "points") and hasattr(other, "cells_dict"):
        points = np.asarray(other.points)
        if points.ndim == 2 and points.shape[1] == 2:
            points = np.pad(points, ((0, 0), (0, 1)))
        for key, make in (("tetra", TetMesh), ("triangle", TriangleMesh)):
            if key in other.cells_dict:
                cells = np.asarray(other.cells_dict[key])
                # Vertices that no element uses would have no mass.
                used, renumbered = np.unique(cells, return_inverse=True)
                return make(points[used], renumbered.reshape(cells.shape))
        raise ValueError(f"the meshio mesh has cells of {sorted(other.cells_dict)}, but needs tetra or triangle")
    raise ValueError(f"a {type(other).__name__} is not a mesh of trimesh or meshio")


def sheet(
    width: float = 1.0,
    height: float = 1.0,
    columns: int = 10,
    rows: int = 10,
    *,
    diagonals: str = "forward",
    plane: str = "xy",
) -> Sheet:
    """A rectangular sheet [m] around the origin, of columns × rows cells.

    diagonals: how cells are cut, "forward", "backward", "alternating" or "cross". plane: "xy" is upright, "xz" is flat.
    """
    size = (number(width, "width"), number(height, "height"))
    cells = (count(columns, "columns"), count(rows, "rows"))
    positions, triangles = _pliant.sheet(size, cells, diagonals, plane)
    return Sheet(positions, triangles, size, cells, diagonals)


def disc(radius: float = 1.0, rings: int = 8, sectors: int = 6, *, plane: str = "xy") -> TriangleMesh:
    """A disc of a radius [m] around the origin."""
    args = (number(radius, "radius"), count(rings, "rings"), count(sectors, "sectors"), plane)
    return TriangleMesh(*_pliant.disc(*args))


def icosphere(radius: float = 1.0, subdivisions: int = 3) -> TriangleMesh:
    """A sphere of a radius [m] around the origin: an icosahedron with triangles that are repeatedly divided into
    four."""
    return TriangleMesh(*_pliant.icosphere(number(radius, "radius"), count(subdivisions, "subdivisions", at_most=30)))


def cylinder(
    radius: float = 0.5,
    height: float = 1.0,
    segments: int = 32,
    rings: int = 10,
    *,
    closed: bool = False,
    staggered: bool = False,
) -> TriangleMesh:
    """A tube [m] around the y axis, closed by fans or open; staggered rings have no twist."""
    size = (number(radius, "radius"), number(height, "height"))
    cells = (count(segments, "segments"), count(rings, "rings"))
    return TriangleMesh(*_pliant.cylinder(size, cells, closed, staggered))


def torus(
    major_radius: float = 1.0, minor_radius: float = 0.3, major_segments: int = 48, minor_segments: int = 16
) -> TriangleMesh:
    """A ring [m] around the y axis."""
    radii = (number(major_radius, "major_radius"), number(minor_radius, "minor_radius"))
    segments = (count(major_segments, "major_segments"), count(minor_segments, "minor_segments"))
    return TriangleMesh(*_pliant.torus(radii, segments))


def box(size: ArrayLike = (1.0, 1.0, 1.0), cells: Sequence[int] = (4, 4, 4), *, pattern: str = "kuhn") -> TetMesh:
    """A box of tets around the origin. size [m]; cells along x, y, z; pattern: "kuhn", "five" or "body-centred"."""
    if len(cells) != 3:
        raise ValueError(f"cells has {len(cells)} entries, but needs 3")
    x, y, z = (count(n, f"cells[{k}]") for k, n in enumerate(cells))
    return TetMesh(*_pliant.tet_box(vector(size, "size"), (x, y, z), pattern))


def rope(start: ArrayLike, end: ArrayLike, segments: int) -> Strands:
    """A straight strand from one point [m] to another."""
    return Strands(*_pliant.rope(vector(start, "start"), vector(end, "end"), count(segments, "segments")))


def bundle(
    radius: float, strands: int, length: float, segments: int, *, direction: ArrayLike = (0.0, -1.0, 0.0)
) -> Strands:
    """Parallel straight strands, rooted evenly over a disc of a radius [m] around the origin; length [m]."""
    size = (number(radius, "radius"), count(strands, "strands"), vector(direction, "direction"))
    return Strands(*_pliant.bundle(*size, number(length, "length"), count(segments, "segments")))
