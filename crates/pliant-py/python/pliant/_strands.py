"""Hair with follow-the-leader, rods with orientations, strands with shape matching."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from . import _pliant
from ._arrays import ArrayLike, Floats, Indices, count, floats, indices, instance, number, per_element, within
from ._material import Material
from ._meshes import Mesh, Strands


@dataclass(frozen=True)
class HairGrid:
    """Interaction of hair with hair, through a grid [Müller 2012].

    cell [m]: a few distances between neighbouring hairs. friction [1/s]: rate at which velocities approach those of
    the surrounding hair. repulsion [m²/s²]: how strongly dense hair spreads out.
    """

    cell: float
    friction: float = 0.0
    repulsion: float = 0.0


@dataclass(frozen=True)
class HairStyle:
    """How hair keeps its rest shape [Han 2012]. Shares are per step, as in position-based dynamics, not stiffnesses
    of a material.

    local_share: by which an iteration turns a segment towards its rest direction relative to the one before it, 0 to
    1; keeps curls. iterations: number of these per step. global_share: by which vertices are pulled towards their
    rest positions, which follow the pins, 0 to 1. global_range: share of each strand, from the root, that is pulled.
    """

    local_share: float = 0.0
    iterations: int = 3
    global_share: float = 0.0
    global_range: float = 1.0


@dataclass(frozen=True)
class FollowLeader:
    """Inextensible hair: each strand is solved in one pass from its pinned root [Müller 2012]. It supports only
    worlds of strands with a StrandMaterial, each with a pinned vertex.

    correction: how much of a follower's correction slows its leader, 0 (as if each vertex were infinitely heavier
    than the next) to below 1. Velocities then hold what the next step starts from, not the visible speed. grid:
    interaction of hair with hair. style: how hair keeps its rest shape.
    """

    correction: float = 0.9
    grid: HairGrid | None = None
    style: HairStyle | None = None

    kind: ClassVar[str] = "follow-leader"
    start: ClassVar[str] = "predicted"

    def __post_init__(self) -> None:
        instance(self.grid, "grid", HairGrid)
        instance(self.style, "style", HairStyle)


@dataclass(frozen=True)
class HairMaterial(Material):
    """Hair and fur: strands of exact length. Each follows a vertex that is pinned, held by a handle or attached to
    another body [Müller 2012]. Needs the position-based solver. A world of nothing but hair is faster with
    FollowLeader.

    density: mass per length [kg/m]; a body that hair is attached to does not feel it. width [m]: the wind acts on it.
    correction, grid, style: as for FollowLeader; the grid holds the hair of this body only.
    """

    density: float = 5e-4
    width: float = 1e-3
    correction: float = 0.9
    grid: HairGrid | None = None
    style: HairStyle | None = None

    kind: ClassVar[str] = "hair"
    meshes: ClassVar[type[Mesh]] = Strands

    def __post_init__(self) -> None:
        instance(self.grid, "grid", HairGrid)
        instance(self.style, "style", HairStyle)


@dataclass(frozen=True)
class RodMaterial(Material):
    """Cables, threads, wires: strands of round cross-section that resist bending and torsion [Kugelstadt 2016]. Needs
    the position-based solver. The default is a soft cable of 6 mm.

    radius [m]. density: mass per volume [kg/m³]. youngs_modulus [Pa]. shear_modulus [Pa]. keeps_shape: whether the
    rest shape is that of the mesh, such as a coil; otherwise it is straight. A segment between two pinned vertices is
    clamped.
    """

    radius: float = 3e-3
    density: float = 1200.0
    youngs_modulus: float = 5e6
    shear_modulus: float = 1.7e6
    keeps_shape: bool = True

    kind: ClassVar[str] = "rod"
    meshes: ClassVar[type[Mesh]] = Strands


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OrientedParticles(Mesh):
    """Ellipsoids and the edges between them, which may be any graph: nets, fins, leaves. For an OrientedMaterial, and for
    bodies that are one particle wide; strands need none of this.

    positions (n, 3) [m]. edges (m, 2): pairs of neighbours; groups follow them. radii [m]: half-axes, one for all, (n,), or
    (n, 3) along each particle's own axes. orientations (n, 4): unit quaternions w x y z; that of the axes of the world if
    None.
    """

    edges: Indices
    radii: Floats
    orientations: Floats

    kind: ClassVar[str] = "oriented"

    def __init__(
        self,
        positions: ArrayLike,
        edges: ArrayLike,
        radii: ArrayLike = 0.02,
        orientations: ArrayLike | None = None,
    ) -> None:
        super().__init__(positions)
        pairs = indices(edges, "edges", 2)
        within(pairs, "edges", len(self))
        if np.ndim(radii) < 2:
            radii = np.repeat(per_element(radii, "radii", len(self))[:, None], 3, axis=1)
        turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(self), 1)) if orientations is None else orientations
        axes, turns = floats(radii, "radii", (len(self), 3)), floats(turns, "orientations", (len(self), 4))
        self._set(edges=pairs, radii=axes, orientations=turns)
        _pliant.check_mesh(self)


@dataclass(frozen=True)
class OrientedMaterial(Material):
    """Plants, fins, ribs: ellipsoids with orientations along strands, with shape matching in groups [Müller &
    Chentanez 2011]. Needs the position-based solver. A strand that begins at a vertex of another is a branch of it. A
    pinned vertex keeps its orientation.

    On Strands there is an ellipsoid at each vertex. radius: at the root [m], 0.02 if None. tip_radius: at the tips; that
    of the root if None. Cross-sections add up where branches join. OrientedParticles, which may be any graph, have radii
    of their own, so they take neither. density: mass per volume [kg/m³]. width: a group contains the vertices within this number of edges. share:
    of the distance to its goal that a vertex is pulled and turned per step, 0 to 1; or frequency: at which it
    oscillates [Hz]. damping [1/s]. limit: how far a vertex may be from its goal, as a share of a group's half-width,
    and how far it may be rotated from it [rad]; with 0, iterations bring it as close as they can; with None, only the
    spring acts. relaxation: factor on movements towards the limit, below 2.
    """

    radius: float | None = None
    tip_radius: float | None = None
    density: float = 800.0
    width: int = 1
    share: float = 0.0
    frequency: float | None = None
    damping: float = 0.0
    limit: float | None = 0.0
    relaxation: float = 1.0

    kind: ClassVar[str] = "oriented"
    meshes: ClassVar[type[Mesh] | tuple[type[Mesh], ...]] = (Strands, OrientedParticles)

    def __post_init__(self) -> None:
        count(self.width, "width")

    def _check_mesh(self, mesh: Mesh) -> None:
        """Raises an error for radii that a mesh has itself."""
        if isinstance(mesh, OrientedParticles):
            for name in ("radius", "tip_radius"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} is {getattr(self, name)}, but OrientedParticles have radii of their own")


@dataclass(frozen=True)
class ChainMaterial(Material):
    """Strands with shape matching: runs of vertices are pulled back to their rest shape [Rungjiratananon 2010]. Needs
    the position-based solver. Wider runs make strands stiffer, at the same cost.

    width: number of vertices to each side. density: mass per length [kg/m]. share, frequency [Hz], damping [1/s], limit,
    relaxation: as for OrientedMaterial, without rotations.
    """

    width: int
    density: float = 0.01
    share: float = 0.3
    frequency: float | None = None
    damping: float = 0.0
    limit: float | None = 0.3
    relaxation: float = 1.0

    kind: ClassVar[str] = "chains"
    meshes: ClassVar[type[Mesh]] = Strands

    def __post_init__(self) -> None:
        count(self.width, "width")


def scalp(
    radius: float = 0.1,
    strands: int = 200,
    length: float = 0.2,
    segments: int = 15,
    *,
    cover: float = 0.5,
    curl: tuple[float, float] | None = None,
) -> Strands:
    """Hair on a ball of a radius [m] around the origin, perpendicular to its surface; length [m] of each strand along
    its curls. Strands have segments + 1 vertices each, root first.

    cover: share of the ball's surface with hair, from the top. curl: radius and pitch of helices [m].
    """
    curls = None
    if curl is not None:
        coil = floats(curl, "curl", (2,))
        curls = (number(coil[0], "curl[0]", above=0), number(coil[1], "curl[1]", above=0))
    size = (number(radius, "radius"), number(length, "length"))
    counts = (count(strands, "strands"), count(segments, "segments"))
    return Strands(*_pliant.scalp(size, number(cover, "cover"), counts, curls))
