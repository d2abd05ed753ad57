"""Fine surfaces from coarse ones, with detail that was learnt from examples."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _pliant
from ._arrays import ArrayLike, Floats, count, floats, number, read_only, vectors
from ._meshes import TriangleMesh

#: Larger files are not models.
_MOST_LEVELS = 6


@dataclass(frozen=True)
class UpsamplingMethod:
    """How detail follows from the coarse shape.

    name: "wpsd" (blends of example poses), "pdm" (a polynomial for each vertex) or "piu" (linear in the coarse positions).
    For "wpsd": poses, at most; tolerance [m] at which no more are added; rest_pose, whether the rest shape is one; convex
    weights; edges and decay of the local strain. For "pdm": directions, "all" or "normal". For "piu": neighbours, coarse
    vertices that a fine one depends on; modes, number of oscillations. regularisation: of "pdm" and "piu"; the engine's own
    if absent.
    """

    name: str = "wpsd"
    poses: int = 6
    tolerance: float = 0.0
    rest_pose: bool = True
    convex: bool = True
    edges: int = 16
    decay: float = 1.0
    directions: str = "all"
    neighbours: int = 12
    modes: int = 0
    regularisation: float | None = None

    def __post_init__(self) -> None:
        if self.name not in ("wpsd", "pdm", "piu"):
            raise ValueError(f"name is {self.name!r}, but must be wpsd, pdm or piu")
        for name in ("poses", "edges", "neighbours"):
            object.__setattr__(self, name, count(getattr(self, name), name, at_most=64))
        object.__setattr__(self, "modes", count(self.modes, "modes", at_most=32))
        object.__setattr__(self, "tolerance", number(self.tolerance, "tolerance", at_least=0))
        object.__setattr__(self, "decay", number(self.decay, "decay", above=0))
        if self.directions not in ("all", "normal"):
            raise ValueError(f"directions is {self.directions!r}, but must be all or normal")
        own = {"pdm": 1e-3, "piu": 1e-2}.get(self.name, 0.0)
        given = own if self.regularisation is None else self.regularisation
        object.__setattr__(self, "regularisation", number(given, "regularisation", at_least=0))
        object.__setattr__(self, "rest_pose", bool(self.rest_pose))
        object.__setattr__(self, "convex", bool(self.convex))

    @property
    def method(self) -> str:
        """The name, for the engine."""
        return self.name


@dataclass(frozen=True)
class UpsamplingFit:
    """How well a model fits what it was learnt from: number of frames, root mean square distance of the smooth surface and of
    the model from the fine one [m], and sequence and frame of each pose that was chosen (wpsd)."""

    frames: int
    smooth_l2: float
    l2: float
    poses: tuple[tuple[int, int], ...]


class Upsampler:
    """A fine surface over a coarse, simulated one [Bender 2014, §5]: smooth, or with detail that was learnt.

    coarse: the coarse mesh at rest. levels: how many times its triangles are divided into four, by Loop subdivision; or
    fine: any fine mesh that lies on it. gpu: True, or part of the name of an adapter (see gpu_adapters), to have it shown by a
    graphics processor, to the rounding of single precision. Without fit() or load() the surface is smooth::

        detail = pliant.Upsampler(coarse, levels=2)
        detail.load("wpsd.upsample")            # made by `pliant train`, or by fit() and save()
        for _ in range(100):
            sim.step()
            fine = detail.apply(sim.positions, seconds=1 / 60)
    """

    def __init__(
        self,
        coarse: TriangleMesh,
        *,
        levels: int | None = None,
        fine: TriangleMesh | None = None,
        gpu: bool | str = False,
    ) -> None:
        for name, mesh in (("coarse", coarse), ("fine", fine)):
            if not isinstance(mesh, TriangleMesh) and (name == "coarse" or mesh is not None):
                raise ValueError(f"{name} is a {type(mesh).__name__}, but must be a TriangleMesh")
        if (levels is None) == (fine is None):
            raise ValueError("give levels or fine")
        if levels is not None:
            levels = count(levels, "levels", at_least=1, at_most=_MOST_LEVELS)
        if not isinstance(gpu, (bool, str)):
            raise ValueError(f"gpu is {gpu!r}, but must be True, False or part of the name of an adapter")
        self.coarse = coarse
        adapter = gpu if isinstance(gpu, str) else "" if gpu else None
        self._core = _pliant.Upsampling(coarse, levels, fine, adapter)
        positions, triangles = self._core.fine()
        self._count = len(positions)
        self.fine = fine if fine is not None else TriangleMesh(positions, triangles)

    def __len__(self) -> int:
        """Number of fine vertices."""
        return self._count

    def fit(
        self,
        sequences: Iterable[tuple[ArrayLike, ArrayLike]],
        method: UpsamplingMethod | str = "wpsd",
        *,
        frame_seconds: float = 1 / 60,
        scene: str = "",
        date: str = "",
        notes: str = "",
    ) -> UpsamplingFit:
        """Learns detail from sequences: pairs of coarse positions (frames, k, 3) and fine ones (frames, n, 3) [m]. scene, date
        and notes say where the model comes from, and are saved with it. After an error the model is what it was."""
        if isinstance(method, str):
            method = UpsamplingMethod(method)
        if not isinstance(method, UpsamplingMethod):
            raise ValueError(f"method is {method!r}, but must be an UpsamplingMethod or its name")
        if isinstance(sequences, (str, bytes)) or not hasattr(sequences, "__iter__"):
            raise ValueError(f"sequences is {sequences!r}, but must be a list of pairs")
        pairs: list[tuple[str, Floats, Floats]] = []
        for k, pair in enumerate(sequences):
            try:
                coarse, fine = pair
            except (TypeError, ValueError):
                raise ValueError(f"sequences[{k}] must be a pair: coarse and fine positions") from None
            coarse = floats(coarse, f"sequences[{k}][0]", (None, len(self.coarse), 3))
            fine = floats(fine, f"sequences[{k}][1]", (len(coarse), self._count, 3))
            pairs.append((f"sequence {k}", np.ascontiguousarray(coarse), np.ascontiguousarray(fine)))
        seconds = number(frame_seconds, "frame_seconds", above=0)
        found: dict[str, Any] = self._core.fit(method, pairs, seconds, (str(scene), str(date), str(notes)))
        return UpsamplingFit(found["frames"], found["smooth_l2"], found["l2"], tuple(found["poses"]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, which is there as a whole or as it was."""
        path = Path(path)
        begun = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            begun.write_bytes(self._core.to_bytes())
            os.replace(begun, path)
        finally:
            begun.unlink(missing_ok=True)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Reads a model from a file; one for other meshes, or damaged, is refused, and the model is then what it was."""
        self._core.load(Path(path).read_bytes())

    @property
    def about(self) -> dict[str, str] | None:
        """Method, scene, date and notes of the model; None for a smooth surface."""
        found = self._core.about()
        return None if found is None else dict(zip(("method", "scene", "date", "notes"), found, strict=True))

    def apply(self, positions: ArrayLike, *, seconds: float = 1 / 60) -> Floats:
        """Fine positions (n, 3) [m] over coarse ones (k, 3) [m]; seconds is the time since the last call, which only
        oscillations look at."""
        coarse = vectors(positions, "positions", len(self.coarse))
        return read_only(self._core.apply(coarse, number(seconds, "seconds", above=0), False))

    def smooth(self, positions: ArrayLike) -> Floats:
        """The smooth surface over coarse positions (k, 3) [m], without the model."""
        return read_only(self._core.apply(vectors(positions, "positions", len(self.coarse)), 1.0, True))

    def reset(self) -> None:
        """Forgets the motion so far, as before the first frame."""
        self._core.reset()

    def __repr__(self) -> str:
        about = self.about
        what = "smooth" if about is None else about["method"]
        return f"<Upsampler of {self._count} vertices on {len(self.coarse)}, {what}>"
