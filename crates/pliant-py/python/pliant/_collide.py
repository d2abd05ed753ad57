"""Colliders, which are obstacles for bodies, and how contact with them and between surfaces is handled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ._arrays import ArrayLike, Floats, Indices, floats, number, pair, read_only, vector, vectors
from ._meshes import TriangleMesh

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False, repr=False)
class Collider:
    """An obstacle for bodies. Make one from its shape, then place it:

        pliant.Collider.sphere(0.3, friction=0.4).at((0, 1, 0))

    friction: Coulomb's coefficient. restitution: speed after an impact over speed before it, 0 to 1. thickness: distance at which
    contact begins [m]. at sets position [m], turned rotation, a quaternion w x y z, and moving keys: times [s], positions [m]
    and rotations.
    """

    shape: str
    values: Mapping[str, Any] = field(default_factory=dict)
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    keys: tuple[tuple[float, Vector, Quaternion], ...] = ()
    friction: float = 0.0
    restitution: float = 0.0
    thickness: float = 1e-3
    name: str | None = None

    @classmethod
    def _make(cls, shape: str, values: Mapping[str, Any], settings: Mapping[str, Any]) -> Collider:
        unknown = set(settings) - {"friction", "restitution", "thickness", "name"}
        if unknown:
            raise TypeError(
                f"a collider has no {sorted(unknown)[0]!r}; it has friction, restitution, thickness and name"
            )
        checked: dict[str, Any] = {
            key: value if key == "name" else number(value, key) for key, value in settings.items()
        }
        return cls(shape, values, **checked)

    @classmethod
    def plane(cls, **settings: Any) -> Collider:
        """Everything below y = 0."""
        return cls._make("plane", {}, settings)

    @classmethod
    def sphere(cls, radius: float, **settings: Any) -> Collider:
        """A ball about the origin; radius [m]."""
        return cls._make("sphere", {"radius": number(radius, "radius")}, settings)

    @classmethod
    def capsule(cls, radius: float, length: float, **settings: Any) -> Collider:
        """All points within a radius [m] of a segment of a length [m] along y."""
        return cls._make("capsule", {"radius": number(radius, "radius"), "length": number(length, "length")}, settings)

    @classmethod
    def box(cls, size: ArrayLike, **settings: Any) -> Collider:
        """A box about the origin; lengths of its sides [m]."""
        return cls._make("box", {"size": vector(size, "size")}, settings)

    @classmethod
    def cylinder(cls, radius: float, length: float, **settings: Any) -> Collider:
        """A cylinder along y; radius and length [m]."""
        return cls._make("cylinder", {"radius": number(radius, "radius"), "length": number(length, "length")}, settings)

    @classmethod
    def heightfield(cls, heights: ArrayLike, spacing: tuple[float, float], **settings: Any) -> Collider:
        """The ground below heights [m] of shape (nz, nx), at distances [m] along x and z, that begins at the origin."""
        array = floats(heights, "heights", (None, None))
        along, across = pair(spacing, "spacing")
        distances = (number(along, "spacing[0]"), number(across, "spacing[1]"))
        counts = (array.shape[1], array.shape[0])
        return cls._make(
            "heightfield",
            {"counts": counts, "spacing": distances, "heights": read_only(array.ravel().copy())},
            settings,
        )

    @classmethod
    def mesh(cls, mesh: TriangleMesh, **settings: Any) -> Collider:
        """The inside of a closed surface."""
        return cls._make("mesh", {"mesh": _surface(mesh)}, settings)

    @classmethod
    def animated(cls, mesh: TriangleMesh, times: ArrayLike, positions: ArrayLike, **settings: Any) -> Collider:
        """A closed surface with vertices at positions (frames, n, 3) [m] at times (frames,) [s]; they move in
        straight lines in between."""
        moments = floats(times, "times", (None,))
        frames = floats(positions, "positions", (len(moments), len(_surface(mesh)), 3))
        values = {"mesh": mesh, "times": moments, "frames": frames.reshape(-1, 3)}
        return cls._make("animated", values, settings)

    @classmethod
    def distances(cls, distances: ArrayLike, spacing: float, origin: ArrayLike, **settings: Any) -> Collider:
        """Signed distances [m], negative inside, of shape (nx, ny, nz), at the corners of cubic cells of a side [m],
        starting at an origin."""
        array = floats(distances, "distances", (None, None, None))
        values = {
            "counts": array.shape,
            "distances": read_only(array.ravel(order="F").copy()),
            "spacing": number(spacing, "spacing"),
            "origin": vector(origin, "origin"),
        }
        return cls._make("distances", values, settings)

    def at(self, position: ArrayLike) -> Collider:
        """The collider with its origin at a position [m]."""
        return replace(self, position=vector(position, "position"))

    def turned(self, axis: ArrayLike, degrees: float) -> Collider:
        """The collider rotated about an axis through its origin, by an angle in degrees."""
        direction = np.asarray(vector(axis, "axis"))
        length = np.linalg.norm(direction)
        if length == 0:
            raise ValueError("axis has no length")
        half = 0.5 * np.radians(number(degrees, "degrees"))
        x, y, z = np.sin(half) * direction / length
        return replace(self, rotation=_times((float(np.cos(half)), float(x), float(y), float(z)), self.rotation))

    def moving(self, times: ArrayLike, positions: ArrayLike, rotations: ArrayLike | None = None) -> Collider:
        """The collider moving in straight lines and rotating at a constant rate from key to key: times (k,) [s],
        positions (k, 3) [m], rotations (k, 4) as quaternions w x y z, or its own rotation if None. Before the first
        key and after the last it stands still."""
        moments = floats(times, "times", (None,))
        if len(moments) == 0:
            raise ValueError("times is empty, but a motion needs at least one key")
        places = vectors(positions, "positions", len(moments))
        if rotations is None:
            turns = np.tile(self.rotation, (len(moments), 1))
        else:
            turns = floats(rotations, "rotations", (len(moments), 4))
            lengths = np.linalg.norm(turns, axis=1)
            if (abs(lengths - 1) > 1e-6).any():
                at = int(np.argmax(abs(lengths - 1)))
                raise ValueError(f"rotations[{at}] has the length {lengths[at]:g}, but must have 1")
        return replace(self, keys=tuple((float(t), _three(p), _four(q)) for t, p, q in zip(moments, places, turns)))

    def __repr__(self) -> str:
        motion = f"{len(self.keys)} keys" if self.keys else f"at {self.position}"
        return f"<Collider {self.name or ''}: {self.shape} {motion}, friction {self.friction:g}>"


@dataclass(frozen=True)
class ContactParams:
    """How contacts with colliders act. mode: "constraint" in the solve, "displacement" after each iteration (cheaper,
    softer), or "constant-matrix": forces on the right-hand side, for soft cloth. weight: of a contact, relative to
    the diagonal of the system matrix."""

    mode: str = "constraint"
    weight: float = 1.0


@dataclass(frozen=True)
class SelfCollision:
    """Keeps surfaces and strands from passing through each other and themselves.

    thickness: distance that layers keep [m]. friction: Coulomb's coefficient between layers. stiffness: weight of a
    contact relative to the inertia of the touching vertices. rounds: maximum number of rounds of solving and
    truncating in a step. untangle: whether to remove intersections at the start; otherwise they are an error.
    """

    thickness: float = 2e-3
    friction: float = 0.3
    stiffness: float = 50.0
    rounds: int = 3
    untangle: bool = False


@dataclass(frozen=True, eq=False)
class Contacts:
    """Vertices that touched colliders in the last step: numbers of the vertices and colliders (m,), normals of the surfaces
    towards the vertices (m, 3), and the forces on the vertices (m, 3) [N], friction included."""

    vertices: Indices
    colliders: Indices
    normals: Floats
    forces: Floats

    def __len__(self) -> int:
        return len(self.vertices)


def _surface(mesh: TriangleMesh) -> TriangleMesh:
    if not isinstance(mesh, TriangleMesh):
        raise ValueError(f"mesh is a {type(mesh).__name__}, but must be a TriangleMesh")
    return mesh


def _three(p: Floats) -> Vector:
    return float(p[0]), float(p[1]), float(p[2])


def _four(q: Floats) -> Quaternion:
    return float(q[0]), float(q[1]), float(q[2]), float(q[3])


def _times(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation b, then a."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )
