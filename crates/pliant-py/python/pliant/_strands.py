"""Hair that follows its leader, and rods with orientations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from . import _pliant
from ._arrays import count, floats, instance, number
from ._meshes import Strands


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
class RodMaterial:
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
