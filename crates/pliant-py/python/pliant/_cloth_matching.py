"""Cloth with shape matching of its triangles."""

from __future__ import annotations

from dataclasses import dataclass

from ._arrays import ArrayLike, count, number, vector

Vector = tuple[float, float, float]


def _share(value: float, name: str) -> float:
    share = number(value, name, at_least=0)
    if share > 1:
        raise ValueError(f"{name} is {share}, but must be 0 to 1")
    return share


@dataclass(frozen=True, init=False)
class ClothMatching:
    """Shape matching of small regions for a body of triangles [Bender 2014, §4.6]. Needs the position-based solver.

    Shares are 0 to 1: how far all iterations of a step together would move a single region back to its rest shape.
    stretch along warp and weft, shear between them, bend, fibres (straight chains of edges, at most fibre_length
    edges long). levels: maximum number of coarser levels of vertices that resist stretch, each matched rounds times
    on the way up and on the way down. warp: its direction at rest, of any length.
    """

    stretch: float
    shear: float
    bend: float
    fibres: float
    fibre_length: int
    levels: int
    rounds: int
    warp: Vector

    def __init__(
        self,
        *,
        stretch: float = 1.0,
        shear: float = 1.0,
        bend: float = 0.1,
        fibres: float = 0.0,
        fibre_length: int = 16,
        levels: int = 0,
        rounds: int = 1,
        warp: ArrayLike = (1.0, 0.0, 0.0),
    ) -> None:
        values = {
            "stretch": _share(stretch, "stretch"),
            "shear": _share(shear, "shear"),
            "bend": _share(bend, "bend"),
            "fibres": _share(fibres, "fibres"),
            "fibre_length": count(fibre_length, "fibre_length", at_least=2),
            "levels": count(levels, "levels", at_most=64),
            "rounds": count(rounds, "rounds", at_least=1, at_most=1000),
            "warp": vector(warp, "warp"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if self.warp == (0.0, 0.0, 0.0):
            raise ValueError("warp is (0.0, 0.0, 0.0), but must have a length")
