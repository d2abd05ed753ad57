"""Fluids as particles: materials, blocks, pipes, and the surface around particles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from . import _pliant
from ._arrays import ArrayLike, Floats, Indices, number, vector, vectors
from ._material import Material
from ._meshes import Mesh, Points

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class FluidMaterial(Material):
    """A liquid that keeps its density, with a free surface [Macklin 2013]. Needs the position-based solver. The
    default is water in particles of 2 cm.

    density [kg/m³]. spacing [m]: distance between particles at rest, the same for all fluids of a world. viscosity:
    kinematic [m²/s]. vorticity [m/s]: confinement that keeps small vortices alive. separation: artificial pressure
    against clumps, 0 to 0.1.
    """

    density: float = 1000.0
    spacing: float = 0.02
    viscosity: float = 1e-3
    vorticity: float = 0.0
    separation: float = 1e-3

    kind: ClassVar[str] = "fluid"
    meshes: ClassVar[type[Mesh]] = Points


@dataclass(frozen=True, init=False)
class Emitter:
    """A round pipe, full of fluid that flows out over time: see Body.emitted. Keep the space behind its mouth free of
    colliders.

    mouth [m]: its centre. direction: of the jet, of any length. radius [m] of the jet. speed [m/s]. duration [s]: how
    long it flows.
    """

    mouth: Vector
    direction: Vector
    radius: float
    speed: float
    duration: float

    def __init__(self, mouth: ArrayLike, direction: ArrayLike, *, radius: float, speed: float, duration: float) -> None:
        values = {
            "mouth": vector(mouth, "mouth"),
            "direction": vector(direction, "direction"),
            "radius": number(radius, "radius", above=0),
            "speed": number(speed, "speed", above=0),
            "duration": number(duration, "duration", above=0),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if self.direction == (0.0, 0.0, 0.0):
            raise ValueError("direction is (0.0, 0.0, 0.0), but must have a length")

    def particles(self, spacing: float) -> Points:
        """The particles in the pipe, in the order in which they come out; spacing [m]."""
        return Points(_pliant.emitted_particles(self, number(spacing, "spacing", above=0)))


def particle_block(size: ArrayLike, spacing: float = 0.02) -> Points:
    """Particles at a spacing [m] on a lattice that fill a box of a size [m] about the origin, half a spacing away from its sides."""
    return Points(_pliant.block(vector(size, "size"), number(spacing, "spacing", above=0)))


def fluid_surface(
    particles: ArrayLike,
    spacing: float,
    *,
    cell: float | None = None,
    smoothing: float | None = None,
    radius: float | None = None,
) -> tuple[Floats, Indices]:
    """Vertices (n, 3) [m] and triangles (m, 3) of the surface around particles (k, 3) at a spacing [m], facing outwards.

    cell [m]: of the grid, by default 0.6 spacings. smoothing [m]: radius over which particles are averaged, 2 spacings. radius [m]: distance
    of the surface from particles, 0.55 spacings.
    """
    width = number(spacing, "spacing", above=0)
    sizes = (
        0.6 * width if cell is None else number(cell, "cell", above=0),
        2.0 * width if smoothing is None else number(smoothing, "smoothing", above=0),
        0.55 * width if radius is None else number(radius, "radius", above=0),
    )
    return _pliant.fluid_surface(vectors(particles, "particles"), sizes)
