"""Hair that follows its leader, rods with orientations, strands that are matched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from . import _pliant
from ._arrays import count, floats, instance, number
from ._material import Material
from ._meshes import Mesh, Strands


@dataclass(frozen=True)
class HairGrid:
    """Hair against hair, through a grid [Müller 2012].

    cell [m]: a few distances between neighbouring hairs. friction [1/s]: rate at which velocities become those of the hair around.
    repulsion [m²/s²]: how strongly dense hair spreads.
    """

    cell: float
    friction: float = 0.0
    repulsion: float = 0.0


@dataclass(frozen=True)
class HairStyle:
    """What hair keeps of its rest shape [Han 2012]. Shares are per step, as in position-based dynamics, and no material's stiffness.

    local_share: of the way to the locally right direction in an iteration, 0 to 1; keeps curls. iterations: of that in a step.
    global_share: of the way to the place at rest, carried along by the pins, 0 to 1. global_range: share of each strand, from
    the root, that is drawn there.
    """

    local_share: float = 0.0
    iterations: int = 3
    global_share: float = 0.0
    global_range: float = 1.0


@dataclass(frozen=True)
class FollowLeader:
    """Inextensible hair, each strand in one pass from its pinned root [Müller 2012]: a solver for worlds of strands with a
    StrandMaterial, each with a pinned vertex, and nothing else.

    correction: how much of a follower's correction slows its leader, 0 (as if each vertex were infinitely heavier than the
    next) to below 1. Velocities then hold what the next step starts from, not what is seen. grid: hair against hair. style: what hair
    keeps of its rest shape.
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
    """Hair and fur: strands of exact length, each behind a vertex that is pinned, held by a handle or attached to another body [Müller 2012],
    which only the position-based solver moves. A world of hair alone is faster by FollowLeader.

    density: mass per length [kg/m]; what hair is attached to does not feel it. width [m], by which the wind acts on it. correction, grid, style:
    as of FollowLeader; hair of other bodies is not around it.
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
    """Cables, threads, wires: strands of round cross-section that resist bending and torsion [Kugelstadt 2016], which only the
    position-based solver moves. The default is a soft cable of 6 mm.

    radius [m]. density: mass per volume [kg/m³]. youngs_modulus [Pa]. shear_modulus [Pa]. keeps_shape: curved at rest as its
    mesh is, like a spring; otherwise straight. A segment between two pinned vertices is clamped.
    """

    radius: float = 3e-3
    density: float = 1200.0
    youngs_modulus: float = 5e6
    shear_modulus: float = 1.7e6
    keeps_shape: bool = True

    kind: ClassVar[str] = "rod"
    meshes: ClassVar[type[Mesh]] = Strands


@dataclass(frozen=True)
class OrientedMaterial(Material):
    """Plants, fins, ribs: ellipsoids with orientations along strands, matched in groups [Müller & Chentanez 2011], which only the
    position-based solver moves. A strand that begins at a vertex of another is a branch of it. A pinned vertex keeps its orientation.

    radius: at the root [m]. tip_radius: at tips, between which cross-sections add up; as at the root without. density: mass per volume
    [kg/m³]. width: edges that vertices of a group are apart. share: how much of the way to its goal a vertex is pulled and turned in a
    step, 0 to 1; or frequency: how often it swings [Hz]. damping [1/s]. limit: how far a vertex may be from its goal, as a share of a
    group's half-width, and turned from it [rad]; 0 brings it there as far as iterations go, None lets only the spring act. relaxation:
    factor on that, below 2.
    """

    radius: float = 0.02
    tip_radius: float | None = None
    density: float = 800.0
    width: int = 1
    share: float = 0.0
    frequency: float | None = None
    damping: float = 0.0
    limit: float | None = 0.0
    relaxation: float = 1.0

    kind: ClassVar[str] = "oriented"
    meshes: ClassVar[type[Mesh]] = Strands

    def __post_init__(self) -> None:
        count(self.width, "width")


@dataclass(frozen=True)
class ChainMaterial(Material):
    """Strands whose runs of vertices are pulled back to their shape at rest [Rungjiratananon 2010], which only the position-based solver
    moves. The wider runs are, the stiffer strands are, at the same cost.

    width: vertices to each side. density: mass per length [kg/m]. share, frequency, damping, limit, relaxation: as of
    OrientedMaterial, without turns.
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
    """Hair on a ball of a radius [m] around the origin, straight out of it; length [m] of each strand along its curls. Strands have
    segments + 1 vertices each, root first.

    cover: share of the ball's surface with hair, from the top. curl: radius and pitch of helices [m].
    """
    curls = None
    if curl is not None:
        coil = floats(curl, "curl", (2,))
        curls = (number(coil[0], "curl[0]", above=0), number(coil[1], "curl[1]", above=0))
    size = (number(radius, "radius"), number(length, "length"))
    counts = (count(strands, "strands"), count(segments, "segments"))
    return Strands(*_pliant.scalp(size, number(cover, "cover"), counts, curls))
