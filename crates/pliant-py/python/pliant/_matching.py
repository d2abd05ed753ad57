"""Shape matching: bodies that keep their shape by regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._arrays import ArrayLike, Floats, Indices, count, indices, instance, number, within


class Regions:
    """Which vertices of a body belong together; made by its class methods, or by those of a Lattice or an Octree. The larger regions are, the stiffer the body."""

    def __init__(
        self,
        kind: str,
        *,
        radius: float = 1.0,
        seed: int = 0,
        levels: int = 1,
        width: int = 1,
        lists: Sequence[Indices] = (),
        source: object = None,
        widths: Floats | None = None,
    ) -> None:
        self.kind = kind
        self.radius = number(radius, "radius", above=0)
        self.seed = count(seed, "seed")
        self.levels = count(levels, "levels", at_least=1)
        self.width = count(width, "width")
        self.lists = tuple(lists)
        self.source = source
        self.widths = widths

    @classmethod
    def whole(cls) -> Regions:
        """One region of all vertices."""
        return cls("whole")

    @classmethod
    def of(cls, lists: Sequence[ArrayLike]) -> Regions:
        """Lists of vertices, which may overlap; each vertex must be in one of them."""
        return cls("lists", lists=[indices(np.atleast_1d(own), f"lists[{k}]") for k, own in enumerate(lists)])

    @classmethod
    def random(cls, radius: float, seed: int = 0) -> Regions:
        """Spheres of a radius [m] around vertices picked at random, the same for the same seed."""
        return cls("random", radius=radius, seed=seed)

    @classmethod
    def balanced(cls, radius: float, levels: int = 1) -> Regions:
        """Spheres of a radius [m] of about equal masses; of several sizes, each twice as large as the one before, where levels are more than
        one."""
        return cls("balanced", radius=radius, levels=levels)

    @classmethod
    def rings(cls, width: int) -> Regions:
        """For each vertex those that are at most so many edges away."""
        return cls("rings", width=width)

    def check(self, vertices: int) -> None:
        """Refuses numbers of vertices that a body does not have."""
        for k, own in enumerate(self.lists):
            within(own, f"Regions: lists[{k}]", vertices)

    def __repr__(self) -> str:
        return f"<Regions: {self.kind}>"


@dataclass(frozen=True)
class Plasticity:
    """How matched regions keep a deformation. Strains are Frobenius norms of logarithms of stretches, without change of volume: a bar drawn
    longer by 10 % has 0.117.

    yield_strain: the elastic strain above which a region flows. creep [1/s]: how fast it does. maximum: the largest plastic strain.
    """

    yield_strain: float
    creep: float
    maximum: float = float("inf")


@dataclass(frozen=True)
class VolumeConservation:
    """How a matched body with a closed surface keeps its volume.

    local: how much vertices near a dent make up for it, 0 to 1. distances: how much of that goes by distances through the body, 0 to 1.
    smoothing: how often weights and movements are smoothed along edges.
    """

    local: float = 0.0
    distances: float = 0.5
    smoothing: int = 4


class Matching:
    """How a body keeps its shape by matching [Müller 2005; Bargteil & Jones 2014], which only the position-based solver knows.

    regions: which vertices belong together. frequency [Hz]: how often a deformation swings; or share: how much of the way to its goal a vertex
    is pulled in a step, 0.3 where neither is given. damping [1/s] of what is not the movement of whole regions. limit: how far a vertex
    may be from its goal, as a share of a region's half-width; None for no limit. relaxation: factor on movements to the limit. linear,
    quadratic: share of the deformation that regions take without resistance, one of them. plasticity: how regions keep a
    deformation. toughness: the strain beyond which they part; Simulation.pieces says what hangs together. volume: how the
    volume in a closed surface is kept.
    """

    def __init__(
        self,
        regions: Regions,
        *,
        frequency: float | None = None,
        share: float | None = None,
        damping: float = 0.0,
        limit: float | None = 0.3,
        relaxation: float = 1.0,
        linear: float | None = None,
        quadratic: float | None = None,
        plasticity: Plasticity | None = None,
        toughness: float | None = None,
        volume: VolumeConservation | None = None,
    ) -> None:
        if not isinstance(regions, Regions):
            raise ValueError(f"regions is a {type(regions).__name__}, but must be Regions")
        if frequency is not None and share is not None:
            raise ValueError(f"give one of frequency, share; frequency is {frequency}, share is {share}")
        if linear is not None and quadratic is not None:
            raise ValueError(f"give one of linear, quadratic; linear is {linear}, quadratic is {quadratic}")
        self.regions = regions
        self.frequency = None if frequency is None else number(frequency, "frequency", at_least=0)
        self.share = None if share is None else number(share, "share", at_least=0)
        self.damping = number(damping, "damping", at_least=0)
        self.limit = None if limit is None else number(limit, "limit", at_least=0)
        self.relaxation = number(relaxation, "relaxation", above=0)
        self.linear = None if linear is None else number(linear, "linear", at_least=0)
        self.quadratic = None if quadratic is None else number(quadratic, "quadratic", at_least=0)
        self.plasticity = instance(plasticity, "plasticity", Plasticity)
        self.toughness = None if toughness is None else number(toughness, "toughness", above=0)
        self.volume = instance(volume, "volume", VolumeConservation)

    def __repr__(self) -> str:
        return f"<Matching of {self.regions!r}>"
