"""Graphics processors: which there are, and whether they compute what the CPU does."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from . import _pliant
from ._arrays import ArrayLike, Floats, part_of_name, vectors
from ._arrays import count as whole

if TYPE_CHECKING:
    from ._simulation import Simulation

#: Most steps in a call: more is a slip of the keyboard.
MOST_STEPS = 1_000_000_000


@dataclass(frozen=True)
class GpuAdapter:
    """A graphics processor that Gpu can use, from gpu_adapters.

    backend: the interface through which it is reached, such as Vulkan or Metal. driver: its name and version.
    is_software: whether it is a program that computes on the CPU. buffer_size, binding_size: the largest buffer, and
    the largest part of one that a kernel sees [bytes]. shared_memory: what threads of a workgroup share [bytes].
    workgroup_threads: how many these are.
    """

    name: str
    backend: str
    driver: str
    is_software: bool
    buffer_size: int
    binding_size: int
    shared_memory: int
    workgroup_threads: int


@dataclass(frozen=True)
class GpuCheck:
    """What gpu_self_test has found about one computation. problem: why it could not be made, or None; the numbers are
    None then. error: relative to the CPU's result, at most limit if it passes. seconds_gpu, seconds_cpu: of a solve or
    step; the latter is None if only the GPU computed."""

    name: str
    passes: bool
    problem: str | None
    error: float | None
    limit: float | None
    seconds_gpu: float | None
    seconds_cpu: float | None


def gpu_adapters() -> list[GpuAdapter]:
    """The graphics processors of this machine, the fastest kinds first, and programs in place of one last."""
    return [GpuAdapter(**values) for values in _pliant.gpu_adapters()]


def gpu_self_test(adapter: str | None = None) -> list[GpuCheck]:
    """Solves a linear system and steps a cloth and a solid on an adapter, whose name contains what is given, and
    compares them with the CPU. It takes seconds. ValueError if there is no such adapter."""
    return [GpuCheck(**values) for values in _pliant.gpu_self_test(part_of_name(adapter, "adapter"))]


class PendingPositions:
    """Positions on their way from a graphics processor, from GpuWorld.request_positions."""

    def __init__(self, arriving: _pliant.Arriving) -> None:
        self._arriving = arriving
        self._positions: Floats | None = None

    @property
    def ready(self) -> bool:
        """Whether they have arrived, or never will: wait does not wait then."""
        return self._positions is not None or self._arriving.is_ready()

    def wait(self) -> Floats:
        """Waits for them, but not for steps that were asked for later, and returns them [m], (n, 3). Other threads run
        meanwhile. StepError if the device was lost."""
        if self._positions is None:
            self._positions = self._arriving.wait()
        return self._positions

    def __repr__(self) -> str:
        return f"<PendingPositions: {'ready' if self.ready else 'on their way'}>"


class GpuWorld:
    """A simulation whose state stays on a graphics processor, from Simulation.on_gpu. Steps are asked for and done later.

    The simulation keeps the state that came back last: what reads it works as before, and what would change it is an
    error until close. Use it with `with`: at the end of the block the state comes back, and the simulation goes on
    with its solver. After an exception it goes on from what came back last.
    """

    def __init__(self, simulation: Simulation, adapter: str | None) -> None:
        self._simulation = simulation
        self._adapter = _pliant.gpu_enter(simulation._core, adapter)

    @property
    def adapter(self) -> str:
        """The name of the graphics processor."""
        return self._adapter

    @property
    def simulation(self) -> Simulation:
        """The simulation, with the state that came back last."""
        return self._simulation

    def step(self, count: int = 1) -> None:
        """Asks for a number of steps and returns before they are done, unless its method has to wait (Newton's does). What goes wrong in them is a
        StepError here or when the state comes back."""
        _pliant.gpu_step(self._simulation._core, whole(count, "count", at_least=1, at_most=MOST_STEPS))

    def positions(self) -> Floats:
        """Waits for all steps and returns the positions of all vertices [m], (n, 3). The simulation keeps its state."""
        return self.request_positions().wait()

    def request_positions(self) -> PendingPositions:
        """Asks for positions as they are after the steps so far. Ask for more steps before you wait for them: they are
        computed meanwhile."""
        return PendingPositions(_pliant.gpu_request(self._simulation._core))

    def move_pins(self, targets: ArrayLike) -> None:
        """Where all pinned vertices are at the end of the next step, and from then on [m], in the order of
        Simulation.pinned. Not all worlds have it."""
        _pliant.gpu_move_pins(self._simulation._core, vectors(targets, "targets", len(self._simulation.pinned)))

    def sync(self) -> Simulation:
        """Waits for all steps, brings the state back to the simulation, and returns it. A state that is not good is a
        StepError, and the simulation keeps the last good one."""
        _pliant.gpu_sync(self._simulation._core)
        return self._simulation

    def close(self) -> Simulation:
        """Brings the state back and leaves the graphics processor. If that fails, it raises StepError, and the
        simulation goes on from the last good state."""
        _pliant.gpu_leave(self._simulation._core, True)
        return self._simulation

    def __enter__(self) -> GpuWorld:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _pliant.gpu_leave(self._simulation._core, error is None)

    def __repr__(self) -> str:
        return f"<GpuWorld on {self._adapter}: {self._simulation!r}>"
