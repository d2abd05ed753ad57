"""What a program in which someone plays needs: picking, dragging, arrays for drawing."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import _pliant
from ._arrays import ArrayLike, number, read_only, vector

if TYPE_CHECKING:
    from ._simulation import Simulation


@dataclass(frozen=True)
class Pick:
    """A vertex that a ray points at: its body, its number there, and the point of the ray on the surface, or nearest to
    the vertex [m], with its distance from the origin of the ray [m]."""

    body: str
    vertex: int
    point: tuple[float, float, float]
    distance: float


class Grab:
    """A vertex that is held softly, from Simulation.grab until release, or to the end of a with block."""

    def __init__(self, simulation: Simulation, handle: _pliant.GrabHandle) -> None:
        self._simulation = simulation
        self._handle = handle

    def move(self, target: ArrayLike) -> None:
        """Where the vertex is pulled at the end of the next step, and from then on [m]."""
        self._simulation._core.move_grab(self._handle, vector(target, "target"))

    def release(self) -> None:
        """Lets the vertex go."""
        self._simulation._core.release(self._handle)

    def __enter__(self) -> Grab:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class RenderBuffers:
    """Positions and normals (n, 3) in float32 as a renderer wants them, also between two steps; blend makes new arrays,
    which are read-only.

    Call advance after each step, and blend before you draw: share 0 is the state before the last step, 1 the last.
    """

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]

    def __init__(self, simulation: Simulation) -> None:
        from ._simulation import Simulation as Known

        if not isinstance(simulation, Known):
            raise ValueError(f"simulation is a {type(simulation).__name__}, but must be a Simulation")
        self._simulation = simulation
        self._previous = self._current = simulation.positions
        self.blend(1.0)

    def advance(self) -> None:
        """Takes the state after a step. Vertices that are new since, by tearing or cutting, have no state before."""
        self._previous, self._current = self._current, self._simulation.positions
        if len(self._previous) != len(self._current):
            self._previous = self._current

    def blend(self, share: float) -> None:
        """Sets positions and normals to those at a share of the way from the state before to the last, 0 to 1."""
        share = number(share, "share")
        if not 0 <= share <= 1:
            raise ValueError(f"share is {share}, but must be 0 to 1")
        between = self._previous + (self._current - self._previous) * share
        self.positions = read_only(between.astype(np.float32))
        self.normals = read_only(self._simulation._core.normals(between).astype(np.float32))


__all__ = ["Grab", "Pick", "RenderBuffers"]
