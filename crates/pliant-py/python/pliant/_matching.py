"""Shape matching: bodies that keep their shape in regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._arrays import ArrayLike, Floats, Indices, count, indices, instance, number, within


class Regions:
    """Which vertices of a body are matched together; made by its class methods, or by those of a Lattice or an
    Octree, which document the arguments; radius is in [m]. Larger regions make the body stiffer."""

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
        """One region with all vertices."""
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
        """Spheres of a radius [m] of about equal masses; with levels above 1, also of larger sizes, each twice as
        large as the one before."""
        return cls("balanced", radius=radius, levels=levels)

    @classmethod
    def rings(cls, width: int) -> Regions:
        """For each vertex, the vertices at most this many edges away."""
        return cls("rings", width=width)

    def check(self, vertices: int) -> None:
        """Raises an error for vertices that a body does not have."""
        for k, own in enumerate(self.lists):
            within(own, f"Regions: lists[{k}]", vertices)

    def __repr__(self) -> str:
        return f"<Regions: {self.kind}>"


@dataclass(frozen=True)
class Plasticity:
    """Plastic deformation of regions. Strains are Frobenius norms of logarithmic stretches at constant volume: a bar
    that is stretched by 10 % has 0.117.

    yield_strain: the elastic strain above which a region flows. creep [1/s]: the rate at which it flows. maximum: the
    largest plastic strain.
    """

    yield_strain: float
    creep: float
    maximum: float = float("inf")


@dataclass(frozen=True)
class VolumeConservation:
    """Volume conservation for a body with shape matching and a closed surface.

    local: how much vertices near a dent compensate for it, 0 to 1. distances: share of these local weights that
    depends on distances through the body, 0 to 1. smoothing: number of times that weights and movements are smoothed
    along edges.
    """

    local: float = 0.0
    distances: float = 0.5
    smoothing: int = 4


class Matching:
    """Shape matching of a body [Müller 2005; Bargteil & Jones 2014]. Needs the position-based solver.

    regions: which vertices are matched together. frequency [Hz]: at which a deformation oscillates; or share: of the
    distance to its goal that a vertex is pulled per step, 0.3 if neither is given. damping [1/s] of all motion except
    that of whole regions. limit: how far a vertex may be from its goal, as a share of a region's half-width; None for
    no limit. relaxation: factor on movements towards the limit. linear, quadratic: share of the deformation that
    regions do not resist; give one of them. plasticity: plastic deformation of regions. toughness: the strain beyond
    which they break; Simulation.pieces returns the connected pieces. volume: conservation of the volume inside a
    closed surface.
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
