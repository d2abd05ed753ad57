"""Runs in folders: frames, checkpoints and a log that survive interruption, and files for other programs."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from . import _pliant
from ._arrays import ArrayLike, Floats, Indices, count, each, floats, number, pair, required
from ._pliant import StepReport
from ._scene import MOST_FRAMES, SceneSimulation
from ._simulation import MOST_STEPS, Simulation

FolderPath = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class StoredFrame:
    """A frame of a run: its number, time [s], positions (n, 3) [m], velocities (n, 3) [m/s], and further numbers at the
    vertices by name."""

    number: int
    time: float
    positions: Floats
    velocities: Floats | None
    channels: dict[str, Floats]


@dataclass(frozen=True, eq=False)
class StoredTopology:
    """What the vertices of a frame belong to: rest positions (n, 3) [m], triangles (m, 3), tets (k, 4), a list of vertices
    for each polyline, and the vertices of each body. The surface of a body that rides on it, as scenes may have, comes
    after its own vertices."""

    rest: Floats
    triangles: Indices
    tets: Indices
    polylines: list[Indices]
    bodies: dict[str, slice]


class Run:
    """The folder of a run: made by Run.create, continued by Run.resume, read by Run.open. It is the same folder that
    `pliant run` writes, so `pliant export`, `pliant plot` and `pliant info` read it.

    Each frame is complete on the disk when add_frame returns: a process that dies loses no finished frame. One process
    writes; others may read at the same time. As a context manager, a run closes at the end of its block.

        with pliant.Run.create("out/cloth", sim) as run:
            run.record(120)
            run.export(format="glb")
    """

    def __init__(
        self, path: FolderPath, store: _pliant.Store, simulation: Simulation | None, checkpoint_every: int
    ) -> None:
        self._path = Path(path)
        self._store = store
        self._simulation = simulation
        self._checkpoint_every = checkpoint_every

    @classmethod
    def create(
        cls,
        path: FolderPath,
        simulation: Simulation,
        *,
        steps_per_frame: int | None = None,
        checkpoint_every: int = 30,
        overwrite: bool = False,
    ) -> Run:
        """Begins a run in a folder, which is made if it does not exist, and writes the current state as frame 0.

        steps_per_frame: time steps from frame to frame, 1 if None; a scene has its own. checkpoint_every: frames
        between checkpoints; there is always one at frame 0, and one at the end if the run is closed. overwrite: removes
        an earlier run in the folder; without it that raises FileExistsError.
        """
        sim = required(simulation, "simulation", Simulation)
        if isinstance(sim, SceneSimulation):
            if steps_per_frame is not None:
                raise ValueError(f"steps_per_frame is {steps_per_frame}, but a scene has its own")
            rate = sim.frame_rate
        else:
            steps = 1 if steps_per_frame is None else steps_per_frame
            steps = count(steps, "steps_per_frame", at_least=1, at_most=MOST_STEPS)
            rate = 1 / (steps * sim.time_step)
        every = _checkpoint_every(checkpoint_every)
        store = _pliant.Store.create(sim._core, os.fspath(path), rate, bool(overwrite))
        return cls(path, store, sim, every)

    @classmethod
    def resume(cls, path: FolderPath, simulation: Simulation, *, checkpoint_every: int = 30) -> Run:
        """Continues a run from its last usable checkpoint: sets the state of the simulation, which must have the same
        bodies and settings, and removes frames that were written after the checkpoint. From there it continues bit for
        bit. A damaged checkpoint is passed over with a warning."""
        sim = required(simulation, "simulation", Simulation)
        every = _checkpoint_every(checkpoint_every)
        store, notes = _pliant.Store.resume(sim._core, os.fspath(path))
        for note in notes:
            warnings.warn(note, stacklevel=2)
        return cls(path, store, sim, every)

    @classmethod
    def open(cls, path: FolderPath) -> Run:
        """Opens a run for reading, also while another process writes to it: it has the frames that are finished at this
        moment."""
        return cls(path, _pliant.Store.open(os.fspath(path)), None, 1)

    # Writing

    def _writing(self) -> Simulation:
        if self._simulation is None:
            raise ValueError(f"the run in {self._path} was opened for reading; Run.resume continues it")
        return self._simulation

    def add_frame(
        self, reports: StepReport | Sequence[StepReport] = (), *, channels: Mapping[str, ArrayLike] | None = None
    ) -> int:
        """Writes the current state of the simulation as the next frame and returns its number.

        reports: of the steps since the last frame, for the log (iterations, residuals, seconds); energies and stretches
        are logged in any case. channels: a number for each vertex by name, which ply and vtu files carry.
        """
        sim = self._writing()
        given = each(reports, "reports", StepReport)
        if channels is not None and not isinstance(channels, Mapping):
            raise ValueError(f"channels is {channels!r}, but must be a dict of arrays")
        named = [(str(name), floats(own, f"channels[{name!r}]", (None,))) for name, own in (channels or {}).items()]
        return self._store.add_frame(sim._core, list(given), named, self._checkpoint_every)

    def record(self, frames: int | None = None, *, each: Callable[[Simulation], Any] | None = None) -> Run:
        """Advances the simulation by a number of frames and writes each; each is called after each with the simulation.
        A scene may omit the number: it advances to its last frame."""
        sim = self._writing()
        if frames is None:
            if not isinstance(sim, SceneSimulation):
                raise ValueError("frames is None, but only a scene has a last frame")
            frames = max(0, sim.frames - sim.frame)
        steps = max(1, round(1 / (self.frame_rate * sim.time_step)))
        for _ in range(count(frames, "frames", at_most=MOST_FRAMES)):
            if isinstance(sim, SceneSimulation):
                reports = sim.next_frame()
            else:
                reports = [sim.step() for _ in range(steps)]
            self.add_frame(reports)
            if each is not None:
                each(sim)
        return self

    def close(self) -> None:
        """Ends writing, with a checkpoint at the last frame if the simulation is still there, and releases the folder.
        A closed run cannot be used any more."""
        self._store.close(None if self._simulation is None else self._simulation._core)

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Reading

    @property
    def path(self) -> Path:
        """The folder."""
        return self._path

    @property
    def frames(self) -> list[int]:
        """Numbers of the finished frames."""
        return self._store.frames()

    @property
    def checkpoints(self) -> list[int]:
        """Numbers of the frames from which the run can be resumed."""
        return self._store.checkpoints()

    @property
    def frame_rate(self) -> float:
        """Frames per second [1/s]."""
        return self._store.frame_rate()

    @property
    def log(self) -> list[dict[str, Any]]:
        """An entry for each frame after the first: time [s], kinetic, elastic and gravitational energy [J], max_speed
        [m/s], max_stretch, iterations, seconds and others."""
        return [json.loads(entry) for entry in self._store.log()]

    def read(self, frame: int) -> StoredFrame:
        """A frame by its number, or, if that is negative, from the end. Every byte of it is checked."""
        chosen = self._chosen(frame)
        return StoredFrame(chosen, *self._store.read(chosen))

    def topology(self, frame: int = 0) -> StoredTopology:
        """The elements of a frame, which are those of frame 0 unless bodies tear, are cut, come or go."""
        rest, triangles, tets, polylines, bodies = self._store.topology(self._chosen(frame))
        return StoredTopology(rest, triangles, tets, polylines, {name: slice(a, b) for name, a, b in bodies})

    def verify(self) -> dict[int, str]:
        """Reads every byte of all frames: the numbers of those that are damaged, with the reason."""
        return dict(self._store.verify())

    def _chosen(self, frame: int) -> int:
        if isinstance(frame, int) and not isinstance(frame, bool) and frame < 0:
            frames = self.frames
            if -frame > len(frames):
                raise ValueError(f"frame is {frame}, but there are only {len(frames)} frames")
            return frames[frame]
        return count(frame, "frame")

    def __len__(self) -> int:
        """Number of finished frames."""
        return len(self.frames)

    def __iter__(self) -> Iterator[StoredFrame]:
        return (self.read(frame) for frame in self.frames)

    def export(
        self,
        path: FolderPath | None = None,
        format: str | None = None,
        *,
        frames: tuple[int, int] | None = None,
        every: int = 1,
        bodies: Sequence[str] | None = None,
        scale: float = 1.0,
        up: str | None = None,
        fluid: str | None = None,
        interpolation: str = "linear",
    ) -> list[Path]:
        """Writes frames for other programs and returns the files, the one to open first.

        path: of the file; export/FORMAT/NAME in the folder of the run if None, as for `pliant export`. format: "obj",
        "ply", "vtu", "npy", "glb", "pc2", "mdd" or "usda"; by the extension of the path if None. frames: the first and
        the last number; all if None. every: writes the first and then every n-th of them. bodies: their names; all if
        None. scale: factor on lengths. up: the axis that points up in the file, "x", "y" or "z". fluid: "particles",
        "surface" or "both"; if None, both if the format supports changing meshes, else particles. interpolation:
        between frames, "linear" or "step", which only glb stores.
        """
        name, target = self._target(path, format)
        request: dict[str, Any] = {
            "bodies": None if bodies is None else _names(bodies),
            "frames": None
            if frames is None
            else [count(n, f"frames[{k}]") for k, n in enumerate(pair(frames, "frames"))],
            "every": count(every, "every", at_least=1),
            "scale": number(scale, "scale", above=0),
            "up": up,
            "interpolation": interpolation,
            "fluid": fluid,
        }
        return [Path(file) for file in self._store.export(target, name, request)]

    def _target(self, path: FolderPath | None, format: str | None) -> tuple[str, str]:
        extensions = dict(_pliant.export_formats())
        if format is None:
            if path is None:
                raise ValueError("give path or format")
            ending = Path(path).suffix.removeprefix(".").lower()
            found = [name for name, extension in extensions.items() if ending in (name, extension)]
            if not found:
                known = ", ".join(extensions)
                raise ValueError(f"path is {os.fspath(path)!r}, whose ending is no format; there are {known}")
            format = found[0]
        if path is None:
            if format not in extensions:
                raise ValueError(f"format is {format!r}, but must be one of {', '.join(extensions)}")
            name = self._path.resolve().name
            path = self._path / "export" / format / f"{name}.{extensions[format]}"
        return format, os.fspath(path)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._simulation is not None:
            raise TypeError(
                "a run that is being written cannot be pickled: one process writes; Run.open reads in others"
            )
        return Run.open, (str(self._path),)

    def __repr__(self) -> str:
        return f"<Run in {self._path}>"


def _checkpoint_every(value: int) -> int:
    return count(value, "checkpoint_every", at_least=1)


def _names(bodies: Sequence[str]) -> list[str]:
    if isinstance(bodies, str) or not isinstance(bodies, Sequence) or not all(isinstance(own, str) for own in bodies):
        raise ValueError(f"bodies is {bodies!r}, but must be a list of names")
    return list(bodies)


__all__ = ["Run", "StoredFrame", "StoredTopology"]
