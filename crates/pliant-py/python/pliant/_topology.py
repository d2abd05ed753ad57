"""Tearing and cutting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ._arrays import ArrayLike, Floats, Indices, count, each, indices, number, within


class Seam:
    """A line along which a sheet is weaker or stronger. edges: (m, 2). strength: factor on the strength across it,
    such as 0.5."""

    def __init__(self, edges: ArrayLike, strength: float) -> None:
        self.edges: Indices = indices(edges, "edges", 2)
        self.strength = number(strength, "strength", above=0)


class Tearing:
    """How a body with a cloth, solid or strand material tears: a cell that is loaded beyond its strength separates
    from its neighbours, perpendicular to the largest stretch.

    stretch: the largest principal stretch that cells withstand, above 1; or force: the largest principal force, per
    length for cloth [N/m], per area for solids [Pa], in total for strands [N]. noise: random variation of the
    strength by up to this share, the same in every run. seed: of the variation. seams: lines along which a sheet is
    weaker or stronger. splits_per_step: maximum number of vertices that tear in a step.
    """

    def __init__(
        self,
        *,
        stretch: float | None = None,
        force: float | None = None,
        noise: float = 0.0,
        seed: int = 0,
        seams: Sequence[Seam] | Seam = (),
        splits_per_step: int = 8,
    ) -> None:
        if (stretch is None) == (force is None):
            raise ValueError(f"give one of stretch, force; stretch is {stretch}, force is {force}")
        self.stretch = None if stretch is None else number(stretch, "stretch", above=1)
        self.force = None if force is None else number(force, "force", above=0)
        self.noise = number(noise, "noise", at_least=0)
        if self.noise >= 1:
            raise ValueError(f"noise is {self.noise}, but must be below 1")
        self.seed = count(seed, "seed")
        self.seams: tuple[Seam, ...] = each(seams, "seams", Seam)
        self.splits_per_step = count(splits_per_step, "splits_per_step", at_least=1)

    def check(self, vertices: int) -> None:
        """Raises an error for vertices that a body does not have."""
        for k, seam in enumerate(self.seams):
            within(seam.edges, f"Tearing: seams[{k}].edges", vertices)


@dataclass(frozen=True)
class CutReport:
    """What a cut did: its length at rest [m], 0 if it hit nothing; the number of vertices that were made on the line,
    and of those that were split."""

    length: float
    inserted: int
    doubled: int


@dataclass(frozen=True, eq=False)
class _Blade:
    points: Floats
    direction: tuple[float, float, float]
    is_plane: bool
    at_rest: bool
