"""Single energies, on arrays of vertices. Each is E = w/2 ‖A x − p‖², where p is the projection of A x onto a set
[Bouaziz 2014].

Pass them to a Body; their rest values are measured on its rest positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ._arrays import (
    ArrayLike,
    Floats,
    Indices,
    floats,
    indices,
    number,
    pair,
    per_element,
    read_only,
    vector,
    vectors,
    within,
)
from ._arrays import count as whole


@dataclass(frozen=True)
class Limits:
    """Principal stretches between min and max cost no energy (1 is unstretched)."""

    min: float
    max: float

    kind: ClassVar[str] = "limits"


@dataclass(frozen=True)
class Fibres:
    """Stretch along each fibre direction within limits costs no energy, nor does shear between them: woven cloth.

    direction: the first direction in the rest shape (warp). limits: (smallest, largest) stretch of each direction,
    two for triangles, three for tets.
    """

    direction: tuple[float, float, float]
    limits: tuple[tuple[float, float], ...]

    kind: ClassVar[str] = "fibres"


StrainSet = Limits | Fibres | None


class Energy:
    """What all energies have in common."""

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


def _set(value: Any) -> StrainSet:
    if value is not None and not isinstance(value, (Limits, Fibres)):
        raise ValueError(f"set is {value!r}, but must be Limits, Fibres or None")
    return value


def _bounds(value: ArrayLike, name: str) -> tuple[float, float]:
    both = pair(value, name)
    try:
        low, high = float(both[0]), float(both[1])
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}, but must be two numbers") from None
    # An upper bound may be infinite; the engine says what is wrong with others.
    return low, high


def _listed(value: Any, name: str) -> list[Any]:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise ValueError(f"{name} is {value!r}, but must be a list")
    return list(value)


class EdgeSprings(Energy):
    """Springs along edges [Liu 2013, eq. 9–10].

    edges: (m, 2). stiffness [N/m]: one for all, or one for each. axial_stiffness [N]: E·A of a material instead, so
    that k = E·A/l. rest_lengths [m]: those of the rest positions if absent. limits: smallest and largest stretch
    without energy, as factors of the rest length. metric: "vertex", "mean", "identity" or masses of all vertices; the
    energy is the same, convergence differs.
    """

    kind = "edge_spring"
    _stencils = ("edges",)

    def __init__(
        self,
        edges: ArrayLike,
        stiffness: ArrayLike | None = None,
        *,
        axial_stiffness: float | None = None,
        rest_lengths: ArrayLike | None = None,
        limits: tuple[float, float] = (1.0, 1.0),
        metric: str | ArrayLike = "vertex",
    ) -> None:
        if (stiffness is None) == (axial_stiffness is None):
            raise ValueError("give stiffness or axial_stiffness")
        self.edges: Indices = indices(edges, "edges", 2)
        count = len(self.edges)
        self.stiffness = None if stiffness is None else per_element(stiffness, "stiffness", count)
        self.axial_stiffness = None if axial_stiffness is None else number(axial_stiffness, "axial_stiffness")
        self.rest_lengths = None if rest_lengths is None else per_element(rest_lengths, "rest_lengths", count)
        self.limits = _bounds(limits, "limits")
        self.metric = metric if isinstance(metric, str) else floats(metric, "metric", (None,))


class TriangleStrain(Energy):
    """In-plane strain of triangles [Bouaziz 2014, eq. 16].

    triangles: (m, 3). stiffness: Young's modulus × thickness [N/m]. set: deformations without energy; rotations if absent.
    """

    kind = "triangle_strain"
    _stencils = ("triangles",)

    def __init__(self, triangles: ArrayLike, stiffness: float, set: StrainSet = None) -> None:
        self.triangles: Indices = indices(triangles, "triangles", 3)
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.set = _set(set)


class TetStrain(Energy):
    """Strain of tets [Bouaziz 2014, §5.1].

    tets: (m, 4). stiffness [Pa]. set: deformations without energy; rotations if absent.
    """

    kind = "tet_strain"
    _stencils = ("tets",)

    def __init__(self, tets: ArrayLike, stiffness: float, set: StrainSet = None) -> None:
        self.tets: Indices = indices(tets, "tets", 4)
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.set = _set(set)


class TriangleArea(Energy):
    """Keeps the area of triangles within bounds, as factors of the rest area. stiffness [N/m]."""

    kind = "triangle_area"
    _stencils = ("triangles",)

    def __init__(self, triangles: ArrayLike, stiffness: float, bounds: tuple[float, float] = (1.0, 1.0)) -> None:
        self.triangles: Indices = indices(triangles, "triangles", 3)
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.bounds = _bounds(bounds, "bounds")


class TetVolume(Energy):
    """Keeps the volume of tets within bounds, as factors of the rest volume [Bouaziz 2014, §5.2]. stiffness [Pa]."""

    kind = "tet_volume"
    _stencils = ("tets",)

    def __init__(self, tets: ArrayLike, stiffness: float, bounds: tuple[float, float] = (1.0, 1.0)) -> None:
        self.tets: Indices = indices(tets, "tets", 4)
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.bounds = _bounds(bounds, "bounds")


class PlateBending(Energy):
    """Bending of a surface that is flat at rest, as a thin plate [Morley 1968]: the stiffness is the same on every
    mesh.

    triangles: (m, 3), all of the surface. stiffness: of the plate [N·m]. poisson_ratio: above −1 and below 1.
    """

    kind = "plate"
    _stencils = ("triangles",)

    def __init__(self, triangles: ArrayLike, stiffness: float, poisson_ratio: float = 0.0) -> None:
        self.triangles: Indices = indices(triangles, "triangles", 3)
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.poisson_ratio = number(poisson_ratio, "poisson_ratio")


class MeanCurvatureBending(Energy):
    """Bending of a surface by mean curvature at interior vertices [Bouaziz 2014, eq. 20–21].

    triangles: (m, 3), all of the surface. stiffness: of the plate [N·m].
    """

    kind = "bending"
    _stencils = ("triangles",)

    def __init__(self, triangles: ArrayLike, stiffness: float) -> None:
        self.triangles: Indices = indices(triangles, "triangles", 3)
        self.stiffness = number(stiffness, "stiffness", at_least=0)


class HingeBending(Energy):
    """Bending by the signed angles between triangles [Bouaziz 2014, §6].

    hinges: (m, 4) as returned by TriangleMesh.hinges. stiffness [N·m]: of the plate, or with of_plate=False of each hinge in
    ½ k (θ − θ₀)². rest_angle [rad]: of all hinges; those of the rest positions if absent. metric: as for EdgeSprings.
    """

    kind = "hinge"
    _stencils = ("hinges",)

    def __init__(
        self,
        hinges: ArrayLike,
        stiffness: float,
        *,
        of_plate: bool = True,
        rest_angle: float | None = None,
        metric: str | ArrayLike = "mean",
    ) -> None:
        self.hinges: Indices = indices(hinges, "hinges", 4)
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.of_plate = of_plate
        self.rest_angle = None if rest_angle is None else number(rest_angle, "rest_angle")
        self.metric = metric if isinstance(metric, str) else floats(metric, "metric", (None,))


class ExampleBased(Energy):
    """Pulls tets towards blends of example poses [Bouaziz 2014, eq. 17–18].

    tets: (m, 4). examples: positions (n, 3) [m] of all vertices in each of 1 to 16 poses. stiffness [Pa]. weights:
    "local", for each tet, or "global", for the whole body.
    """

    kind = "example"
    _stencils = ("tets",)

    def __init__(
        self, tets: ArrayLike, examples: Sequence[ArrayLike], stiffness: float, *, weights: str = "local"
    ) -> None:
        self.tets: Indices = indices(tets, "tets", 4)
        self.examples = [vectors(pose, f"examples[{k}]") for k, pose in enumerate(examples)]
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.weights = weights

    def check(self, vertices: int) -> None:
        super().check(vertices)
        for k, pose in enumerate(self.examples):
            if len(pose) != vertices:
                raise ValueError(f"ExampleBased: examples[{k}] has {len(pose)} rows, but there are {vertices} vertices")


class PositionGoals(Energy):
    """Soft handles that pull vertices to goals; Simulation.set_goals moves them.

    vertices: (m,). stiffness [N/m]. goals: (m, 3) [m]; the rest positions if absent.
    """

    kind = "position"
    _stencils = ("vertices",)

    def __init__(self, vertices: ArrayLike, stiffness: float, goals: ArrayLike | None = None) -> None:
        self.vertices: Indices = indices(vertices, "vertices")
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.goals = None if goals is None else vectors(goals, "goals", len(self.vertices))


class AverageGoals(Energy):
    """Pulls weighted averages of vertices to goals, and leaves free what they do about their averages [Bergou 2007, §3];
    Simulation.set_goals(kind="average") moves the goals.

    sets: for each average its vertices. stiffness [N/m] of each. weights: for each average those of its vertices, which add
    up to 1; equal ones if absent. goals: (m, 3) [m]; the averages of the rest positions if absent.
    """

    kind = "average"
    _stencils = ("vertices",)

    def __init__(
        self,
        sets: Sequence[ArrayLike],
        stiffness: float,
        *,
        weights: Sequence[ArrayLike] | None = None,
        goals: ArrayLike | None = None,
    ) -> None:
        own = [indices(one, f"sets[{k}]") for k, one in enumerate(_listed(sets, "sets"))]
        shares = [np.full(len(one), 1.0 / max(len(one), 1)) for one in own]
        if weights is not None:
            given = _listed(weights, "weights")
            if len(given) != len(own):
                raise ValueError(f"weights has {len(given)} entries, but there are {len(own)} sets")
            shares = [floats(w, f"weights[{k}]", (len(own[k]),)) for k, w in enumerate(given)]
        lengths = np.cumsum([0] + [len(one) for one in own])
        self.vertices: Indices = indices(np.concatenate([np.empty(0, np.uint32), *own]), "vertices")
        self.starts: Indices = indices(lengths, "starts")
        self.weights: Floats = read_only(np.concatenate([np.empty(0), *shares]))
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.goals = None if goals is None else vectors(goals, "goals", len(own))


class HalfSpace(Energy):
    """A plane that pushes vertices to the side of its normal: a soft floor.

    vertices: (m,). point [m] of the plane. stiffness [N/m] of each vertex's contact.
    """

    kind = "half_space"
    _stencils = ("vertices",)

    def __init__(
        self,
        vertices: ArrayLike,
        stiffness: float,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        normal: ArrayLike = (0.0, 1.0, 0.0),
    ) -> None:
        self.vertices: Indices = indices(vertices, "vertices")
        self.stiffness = number(stiffness, "stiffness", at_least=0)
        self.point = vector(point, "point")
        self.normal = vector(normal, "normal")


class RigidSet(Energy):
    """Vertices that keep their positions relative to a hub, up to one rotation: a rigid part.

    vertices: (m,), without the hub. stiffness [N/m] of each: a vertex under a load f yields by f/stiffness.
    """

    kind = "rigid"
    _stencils = ("vertices",)

    def __init__(self, hub: int, vertices: ArrayLike, stiffness: float) -> None:
        self.hub = whole(hub, "hub")
        self.vertices: Indices = indices(vertices, "vertices")
        self.stiffness = number(stiffness, "stiffness", at_least=0)


class CustomEnergy(Energy):
    """Your own energy: E = Σ w/2 ‖z − p‖² with z = A x of each element and p = project(z).

    stencils: (m, k), the k vertices of each element. coefficients: A of shape (r, k) for all elements or (m, r, k),
    with 1 to 4 rows. weights: w, one for all or (m,) [N/m for rows in metres]. project: takes all z of shape (m, r,
    3) at once and returns the nearest points of your set in the same shape; elements must not depend on each other.
    Every solver can then use the energy. It may be called from another thread, many times in a step: write it without
    side effects.

    Without a formula for the nearest point give constraint instead of project: a function of all p of shape (m, r, 3) that
    returns C of each element, (m,), or a pair of C and its gradients (m, r, 3); the set is C(p) = 0. The nearest point is
    then found by sequential quadratic programming [Bouaziz 2014, §6], which needs z to be near the set compared with its
    radius of curvature; where it does not converge, the step raises ValueError. Without gradients they come from central
    differences.

    A spring of 1 m::

        pliant.CustomEnergy([[0, 1]], [[-1, 1]], 100.0, lambda z: z / np.linalg.norm(z, axis=2, keepdims=True))
    """

    kind = "custom"
    _stencils = ("stencils",)

    def __init__(
        self,
        stencils: ArrayLike,
        coefficients: ArrayLike,
        weights: ArrayLike,
        project: Callable[[Floats], Floats] | None = None,
        *,
        constraint: Callable[[Floats], Any] | None = None,
        name: str = "custom",
    ) -> None:
        array = np.asarray(stencils)
        if array.ndim != 2:
            raise ValueError(f"stencils has the shape {array.shape}, but needs (elements, vertices)")
        self.stencils: Indices = indices(array, "stencils", array.shape[1])
        count, corners = array.shape
        if np.ndim(coefficients) == 2:
            one = floats(coefficients, "coefficients", (None, corners))
            self.coefficients: Floats = read_only(np.array(np.broadcast_to(one, (count, *one.shape)), order="C"))
        else:
            self.coefficients = floats(coefficients, "coefficients", (count, None, corners))
        self.weights = per_element(weights, "weights", count)
        if (self.weights < 0).any():
            at = int(np.argmax(self.weights < 0))
            raise ValueError(f"weights[{at}] is {self.weights[at]}, but must be at least 0")
        if (project is None) == (constraint is None):
            raise ValueError("give one of project, constraint")
        for what, function in (("project", project), ("constraint", constraint)):
            if function is not None and not callable(function):
                raise ValueError(f"{what} is {function!r}, but must be a function")
        self.project = project
        self.constraint = constraint
        self.name = name
