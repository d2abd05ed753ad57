"""Constraints C(x) = 0 or C(x) ≥ 0 on arrays of vertices [Bender 2014, §3]. They need the position-based solver.

Pass them to a Body; their rest values are measured on its rest positions. compliance is the inverse of a stiffness: 0
is rigid, 1/k has the energy ½ k C². damping is a time constant β [s]: the force is k (C + β dC/dt).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from . import _pliant
from ._arrays import ArrayLike, Floats, Indices, count, indices, number, per_element, required, within
from ._meshes import Mesh


class Constraints:
    """What all constraints have in common."""

    kind: ClassVar[str]
    #: Arrays of vertices.
    _stencils: ClassVar[tuple[str, ...]] = ()

    def check(self, vertices: int) -> None:
        """Raises an error for vertices that a body does not have."""
        for name in self._stencils:
            within(getattr(self, name), f"{type(self).__name__}: {name}", vertices)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(getattr(self, name))} {name}" for name in self._stencils)
        return f"<{type(self).__name__} of {counts}>"


class _Set(Constraints):
    """Constraints with a compliance for each, and damping."""

    def _soften(self, compliance: ArrayLike, damping: float) -> None:
        elements = len(getattr(self, self._stencils[0]))
        self.compliance: Floats = per_element(compliance, "compliance", elements, at_least=0)
        self.damping = number(damping, "damping", at_least=0)


class DistanceConstraints(_Set):
    """Keeps pairs of vertices at a distance.

    edges: (m, 2). rest_lengths [m]: one for all or one for each; those of the rest positions if absent. allowed:
    "exactly", "at-least" (and longer) or "at-most" (and shorter, like a thread). compliance [m/N], one or one for
    each. damping [s].
    """

    kind = "distance"
    _stencils = ("edges",)

    def __init__(
        self,
        edges: ArrayLike,
        *,
        rest_lengths: ArrayLike | None = None,
        allowed: str = "exactly",
        compliance: ArrayLike = 0.0,
        damping: float = 0.0,
    ) -> None:
        self.edges: Indices = indices(edges, "edges", 2)
        self.rest_lengths = _given(rest_lengths, "rest_lengths", len(self.edges))
        self.allowed = allowed
        self._soften(compliance, damping)


class DihedralConstraints(_Set):
    """Keeps hinges at an angle.

    hinges: (m, 4) as returned by TriangleMesh.hinges. rest_angles [rad]: one or one for each, 0 is flat; those of the rest
    positions if absent. compliance [rad²/J]. damping [s].
    """

    kind = "dihedral"
    _stencils = ("hinges",)

    def __init__(
        self,
        hinges: ArrayLike,
        *,
        rest_angles: ArrayLike | None = None,
        compliance: ArrayLike = 0.0,
        damping: float = 0.0,
    ) -> None:
        self.hinges: Indices = indices(hinges, "hinges", 4)
        angles = None if rest_angles is None else per_element(rest_angles, "rest_angles", len(self.hinges))
        self.rest_angles = angles
        self._soften(compliance, damping)


class IsometricBending(_Set):
    """Keeps hinges flat, in surfaces that hardly stretch [Bergou 2006].

    hinges: (m, 4). compliance [1/J]: C is the bending energy over the stiffness of the plate, so it goes to 0 by halves. damping [s].
    """

    kind = "isometric_bending"
    _stencils = ("hinges",)

    def __init__(self, hinges: ArrayLike, *, compliance: ArrayLike = 0.0, damping: float = 0.0) -> None:
        self.hinges: Indices = indices(hinges, "hinges", 4)
        self._soften(compliance, damping)


class AreaConstraints(_Set):
    """Keeps the areas of triangles.

    triangles: (m, 3). rest_areas [m²]: one or one for each; those of the rest positions if absent. compliance [m⁴/J]. damping [s].
    """

    kind = "area_constraint"
    _stencils = ("triangles",)

    def __init__(
        self,
        triangles: ArrayLike,
        *,
        rest_areas: ArrayLike | None = None,
        compliance: ArrayLike = 0.0,
        damping: float = 0.0,
    ) -> None:
        self.triangles: Indices = indices(triangles, "triangles", 3)
        self.rest_areas = _given(rest_areas, "rest_areas", len(self.triangles))
        self._soften(compliance, damping)


class VolumeConstraints(_Set):
    """Keeps the signed volumes of tets, and turns inverted ones back.

    tets: (m, 4). rest_volumes [m³]: one or one for each; those of the rest positions if absent. compliance [m⁶/J]. damping [s].
    """

    kind = "volume_constraint"
    _stencils = ("tets",)

    def __init__(
        self,
        tets: ArrayLike,
        *,
        rest_volumes: ArrayLike | None = None,
        compliance: ArrayLike = 0.0,
        damping: float = 0.0,
    ) -> None:
        self.tets: Indices = indices(tets, "tets", 4)
        self.rest_volumes = _given(rest_volumes, "rest_volumes", len(self.tets))
        self._soften(compliance, damping)


class Balloon(Constraints):
    """Keeps the volume inside a closed surface at pressure times its rest volume.

    triangles: (m, 3), counter-clockwise as seen from outside. pressure: 1 for the volume at rest. compliance [m⁶/J].
    """

    kind = "balloon"
    _stencils = ("triangles",)

    def __init__(self, triangles: ArrayLike, *, pressure: float = 1.0, compliance: float = 0.0) -> None:
        self.triangles: Indices = indices(triangles, "triangles", 3)
        self.pressure = number(pressure, "pressure", at_least=0)
        self.compliance = number(compliance, "compliance", at_least=0)


class TriangleStrainConstraints(_Set):
    """Stretch of triangles along their first edge at rest and across it, and the shear of both [Müller 2014].

    triangles: (m, 3). compliance [1/J]. damping [s].
    """

    kind = "strain_constraint_2d"
    _stencils = ("triangles",)

    def __init__(self, triangles: ArrayLike, *, compliance: ArrayLike = 0.0, damping: float = 0.0) -> None:
        self.triangles: Indices = indices(triangles, "triangles", 3)
        self._soften(compliance, damping)


class TetStrainConstraints(_Set):
    """Stretches and shears of tets along the axes of space at rest [Müller 2014].

    tets: (m, 4). compliance [1/J]. damping [s].
    """

    kind = "strain_constraint_3d"
    _stencils = ("tets",)

    def __init__(self, tets: ArrayLike, *, compliance: ArrayLike = 0.0, damping: float = 0.0) -> None:
        self.tets: Indices = indices(tets, "tets", 4)
        self._soften(compliance, damping)


class PointTriangleConstraints(_Set):
    """Keeps points on one side of a triangle, at a distance.

    stencils: (m, 4), a point and the three corners of its triangle. thickness [m]: one or one for each. side: "front"
    (where the triangle's normal points), "back", or "at-rest" (where the point is at rest). compliance [m/N]. damping
    [s].
    """

    kind = "point_triangle"
    _stencils = ("stencils",)

    def __init__(
        self,
        stencils: ArrayLike,
        thickness: ArrayLike,
        *,
        side: str = "at-rest",
        compliance: ArrayLike = 0.0,
        damping: float = 0.0,
    ) -> None:
        self.stencils: Indices = indices(stencils, "stencils", 4)
        self.thickness: Floats = per_element(thickness, "thickness", len(self.stencils), at_least=0)
        self.side = side
        self._soften(compliance, damping)


class ShapeMatching(Constraints):
    """Sets of vertices that keep their rest shape [Müller 2005].

    sets: a list of vertices for each, all vertices of the body if absent. compliance [s²]: 1/ω² for the angular
    frequency at which a set oscillates about its shape; 0 is rigid.
    """

    kind = "shape_matching"

    def __init__(self, sets: Sequence[ArrayLike] | None = None, *, compliance: float = 0.0) -> None:
        self.sets = None if sets is None else tuple(indices(own, f"sets[{k}]") for k, own in enumerate(sets))
        self.compliance = number(compliance, "compliance", at_least=0)
        self.lists = None if self.sets is None else [own.tolist() for own in self.sets]

    def check(self, vertices: int) -> None:
        """Raises an error for vertices that a body does not have."""
        for k, own in enumerate(self.sets or ()):
            within(own, f"ShapeMatching: sets[{k}]", vertices)

    def __repr__(self) -> str:
        return f"<ShapeMatching of {'all vertices' if self.sets is None else f'{len(self.sets)} sets'}>"


class LongRangeAttachments(Constraints):
    """Threads that hold every vertex within a distance of its attachment points [Kim 2012]: a long cloth then keeps
    its length with few iterations.

    points: attachment points; the body's pins if absent. lengths: "geodesic", along the mesh at rest, or "euclidean",
    straight. per_vertex: number of threads of each vertex, to its nearest points; None for all points. slack: share
    by which threads are longer.
    """

    kind = "long-range"
    _stencils = ()

    def __init__(
        self,
        points: ArrayLike | None = None,
        *,
        lengths: str = "geodesic",
        per_vertex: int | None = 1,
        slack: float = 0.0,
    ) -> None:
        self.points: Indices | None = None if points is None else indices(points, "points")
        self.lengths = lengths
        self.per_vertex = None if per_vertex is None else count(per_vertex, "per_vertex", at_least=1)
        self.slack = number(slack, "slack", at_least=0)

    def check(self, vertices: int) -> None:
        """Raises an error for vertices that a body does not have."""
        if self.points is not None:
            within(self.points, "LongRangeAttachments: points", vertices)

    def threads(self, mesh: Mesh) -> tuple[Indices, Floats]:
        """The threads over a mesh: (m, 2), a vertex and its attachment point, and their lengths (m,) [m]."""
        if self.points is None:
            raise ValueError("points is None: threads without a body need attachment points")
        self.check(len(required(mesh, "mesh", Mesh)))
        return _pliant.long_range_threads(self, mesh)

    def __repr__(self) -> str:
        return f"<LongRangeAttachments to {'the pins' if self.points is None else f'{len(self.points)} points'}>"


class CustomConstraints(_Set):
    """Your own constraints C(x) = 0, or C(x) ≥ 0.

    stencils: (m, k), the k vertices of each. function: takes the positions of some elements' corners, (j, k, 3) [m], and
    the numbers of these elements, (j,), and returns C of each, (j,), or a pair of C and its gradients at the corners,
    (j, k, 3). Without gradients they come from central differences: six more values for each corner. Elements must not
    depend on each other. It may be called from another thread, many times in a step: write it without side effects.
    at_least: C ≥ 0 instead of C = 0. compliance [unit of C squared, over J]: one, or one for each. damping [s]. name: in
    reports, and for PositionBased.stiffness_of.

    Beads on a wire y = x²::

        pliant.CustomConstraints([[0], [1]], lambda x, elements: x[:, 0, 1] - x[:, 0, 0] ** 2)
    """

    kind = "custom"
    _stencils = ("stencils",)

    def __init__(
        self,
        stencils: ArrayLike,
        function: Callable[[Floats, Indices], Any],
        *,
        at_least: bool = False,
        compliance: ArrayLike = 0.0,
        damping: float = 0.0,
        name: str = "custom",
    ) -> None:
        array = np.asarray(stencils)
        if array.ndim != 2 or array.shape[1] == 0:
            raise ValueError(f"stencils has the shape {array.shape}, but needs (elements, vertices)")
        self.stencils: Indices = indices(array, "stencils", array.shape[1])
        if not callable(function):
            raise ValueError(f"function is {function!r}, but must be a function")
        if not isinstance(name, str) or not name:
            raise ValueError(f"name is {name!r}, but must be a text")
        self.function = function
        self.at_least = bool(at_least)
        self.name = name
        self._soften(compliance, damping)


def _given(value: ArrayLike | None, name: str, length: int) -> Floats | None:
    return None if value is None else per_element(value, name, length, at_least=0)
