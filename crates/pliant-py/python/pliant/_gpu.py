"""Graphics processors: which there are, and whether they compute what the CPU does."""

from __future__ import annotations

from dataclasses import dataclass

from . import _pliant
from ._arrays import part_of_name


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
