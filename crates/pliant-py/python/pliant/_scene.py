"""Runs scene files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _pliant
from ._arrays import count as whole
from ._pliant import StepReport
from ._settings import Solver
from ._simulation import Simulation

#: Most frames of a scene: more is a slip of the keyboard.
MOST_FRAMES = 10_000_000


@dataclass(frozen=True)
class Verdict:
    """Whether an expectation of a scene holds: the deciding value, and its bounds."""

    quantity: str
    body: str | None
    below: float | None
    above: float | None
    value: float
    holds: bool


class SceneSimulation(Simulation):
    """A running scene: pins, handles, forces and wind follow their keyframes. Made by load_scene."""

    def __init__(
        self,
        name: str,
        text: str | None,
        set: Sequence[str],
        solver: Solver | None = None,
        threads: int | None = None,
    ) -> None:
        self._threads = None if threads is None else whole(threads, "threads", at_least=1)
        self._core = _pliant.Core.load(name, text, list(set), solver, self._threads)
        self._world = None
        self._solver = solver
        self.force = None

    def _frames(self) -> tuple[int, int, int, float]:
        frames = _pliant.scene_frames(self._core)
        assert frames is not None, "a scene has frames"
        return frames

    @property
    def frames(self) -> int:
        """Number of frames of the scene."""
        return self._frames()[0]

    @property
    def frame(self) -> int:
        """Number of finished frames."""
        return self._frames()[1]

    @property
    def frame_rate(self) -> float:
        """Frames per second [1/s]."""
        return self._frames()[3]

    def next_frame(self) -> list[StepReport]:
        """Advances by one frame and returns the reports of its steps. (step advances by one time step and counts no frame.)"""
        return self._core.next_frame()

    def run(
        self, frames: int | None = None, *, each: Callable[[SceneSimulation], None] | None = None
    ) -> SceneSimulation:
        """Advances to a frame, by default the last, calling a function after each."""
        last = self.frames if frames is None else whole(frames, "frames", at_most=MOST_FRAMES)
        while self.frame < last:
            self.next_frame()
            if each is not None:
                each(self)
        return self

    def measure(self, quantity: str, body: str | None = None) -> float:
        """A quantity of scene files, such as "max-stretch" or "lowest", of a body or of the world."""
        if body is not None:
            self.vertices(body)
        return _pliant.measure(self._core, quantity, body)

    @property
    def verdicts(self) -> list[Verdict]:
        """Results of the scene's expectations so far."""
        return [Verdict(**verdict) for verdict in _pliant.verdicts(self._core)]

    def __reduce__(self) -> tuple[Any, ...]:
        source = _pliant.scene_source(self._core)
        assert source is not None, "a scene has a source"
        path, text = source
        return _revive_scene, ((str(path), text, (), None, self._threads), self._state())


def _revive_scene(arguments: tuple[Any, ...], state: Mapping[str, Any]) -> SceneSimulation:
    simulation = SceneSimulation(*arguments)
    simulation._revive(state)
    return simulation


def _override(path: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{path}={'true' if value else 'false'}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"{path}=[{', '.join(_override('', item)[1:] for item in value)}]"
    if isinstance(value, (int, np.integer)):
        return f"{path}={int(value)}"
    if isinstance(value, (float, np.floating)):
        return f"{path}={float(value)!r}"
    return f"{path}={value}"


def load_scene(
    name: str | os.PathLike[str],
    set: Sequence[str] | Mapping[str, Any] = (),
    *,
    solver: Solver | None = None,
    threads: int | None = None,
) -> SceneSimulation:
    """A scene file, or a built-in scene by name (see builtin_scenes). set: changes such as ["world.frames=10"] or
    {"world.frames": 10}. solver: instead of the scene's. Errors point at line and column."""
    if isinstance(set, str):
        raise ValueError(f"set is {set!r}, but must be a list of such texts, or a dict")
    changes = [_override(path, value) for path, value in set.items()] if isinstance(set, Mapping) else list(set)
    return SceneSimulation(os.fspath(name), None, changes, solver, threads)


def parse_scene(text: str, *, name: str = "scene.toml", solver: Solver | None = None) -> SceneSimulation:
    """A scene from its text; name is used as the file name in errors, and meshes are looked up in its folder."""
    return SceneSimulation(name, text, (), solver)


def builtin_scenes() -> list[str]:
    """Names of the scenes that come with Pliant."""
    return _pliant.builtin_scenes()
