"""What can be read from a world besides its state."""

from __future__ import annotations

from typing import Any

from . import _pliant
from ._arrays import Floats, Indices
from ._collide import Contacts
from ._fluids import fluid_surface
from ._reports import ElementStrains, Report, RigidPose, WorstElement


class Readings:
    """Bodies, energies, forces, contacts and strains of a simulation."""

    _core: _pliant.Core

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return [name for name, _, _ in self._core.bodies()]

    def vertices(self, body: str) -> slice:
        """A body's vertices: sim.positions[sim.vertices("cloth")]."""
        for name, start, stop in self._core.bodies():
            if name == body:
                return slice(start, stop)
        raise ValueError(f"there is no body {body!r}; there are {self.bodies}")

    def surface(self, body: str) -> Indices:
        """Triangles of a body's surface, (m, 3), in vertices of the world."""
        self.vertices(body)
        return self._core.surface(body)

    @property
    def rest(self) -> Floats:
        """Rest positions [m]."""
        return self._core.rest()

    @property
    def masses(self) -> Floats:
        """Mass of each vertex [kg]."""
        return self._core.masses()

    @property
    def pinned(self) -> Indices:
        """Pinned vertices, ascending."""
        return self._core.pinned()

    def report(self) -> Report:
        """Energies by kind, momenta and extremes of the current state."""
        values: dict[str, Any] = _pliant.report(self._core)
        worst = values.pop("worst")
        return Report(**values, worst=None if worst is None else WorstElement(*worst))

    def elastic_forces(self) -> Floats:
        """Elastic forces on all vertices [N]."""
        return _pliant.elastic_forces(self._core)

    @property
    def stable_time_step(self) -> float:
        """A time step [s] at which the Explicit solver is stable for all elements; infinite without energies."""
        return _pliant.stable_time_step(self._core)

    def pin_forces(self) -> Floats:
        """Force of each pin on its vertex [N], in the order of pinned."""
        return _pliant.pin_forces(self._core)

    def contacts(self) -> Contacts:
        """Vertices that touched colliders in the last step, with their forces."""
        return Contacts(*_pliant.contacts(self._core))

    def element_strains(self, body: str | None = None) -> list[ElementStrains]:
        """Principal stretches of a body's springs, triangles or tets, one entry for each of its energies on different
        elements; for all bodies if no name is given."""
        names = self.bodies if body is None else [body]
        for name in names:
            self.vertices(name)
        return [ElementStrains(*strains) for name in names for strains in _pliant.element_strains(self._core, name)]

    def example_weights(self, body: str) -> Floats:
        """Weights of examples at the current state, (elements, examples)."""
        self.vertices(body)
        return _pliant.example_weights(self._core, body)

    # Rods, rigid bodies, fluids, bodies that come apart

    def orientations(self, body: str) -> Floats:
        """Orientations of a rod's segments, or of oriented particles, (n, 4) as unit quaternions w x y z; the third axis is along the
        segment."""
        self.vertices(body)
        return _pliant.orientations(self._core, body)[0]

    def angular_velocities(self, body: str) -> Floats:
        """Angular velocities of a rod's segments, or of oriented particles, in their own axes, (n, 3) [rad/s]."""
        self.vertices(body)
        return _pliant.orientations(self._core, body)[1]

    def channels(self, body: str) -> dict[str, Floats]:
        """What a body's matter keeps from step to step besides positions and velocities, by name: `orientations` (n,
        4) and `spins` (n, 3) [rad/s] of rods and oriented particles, `rotations` (n, 4), `stretches` (n, 3, 3) and
        `breaks` of bodies with shape matching. Empty for bodies that only have energies."""
        self.vertices(body)
        return _pliant.channels(self._core, body)

    def pieces(self, body: str) -> Indices:
        """The pieces into which a body with shape matching has broken: for each vertex the number of its piece; all
        are 0 as long as it is whole."""
        self.vertices(body)
        return _pliant.pieces(self._core, body)

    def rigid_pose(self, body: str) -> RigidPose:
        """Where a rigid body is and how it moves."""
        self.vertices(body)
        return RigidPose(*_pliant.rigid_pose(self._core, body))

    def fluid_surface(
        self, body: str, *, cell: float | None = None, smoothing: float | None = None, radius: float | None = None
    ) -> tuple[Floats, Indices]:
        """Vertices (n, 3) [m] and triangles (m, 3) of the surface around a fluid, without particles that are still in
        its pipe; arguments as for pliant.fluid_surface."""
        self.vertices(body)
        found = _pliant.fluid_particles(self._core, body)
        if found is None:
            raise ValueError(f"body {body!r} is not a fluid")
        return fluid_surface(*found, cell=cell, smoothing=smoothing, radius=radius)

    def fluid_densities(self, body: str) -> Floats:
        """Density of each particle of a fluid in the last step [kg/m³]."""
        return self._fluid(body)[0]

    def fluid_pressures(self, body: str) -> Floats:
        """Pressure of each particle of a fluid in the last step [Pa]."""
        return self._fluid(body)[1]

    def _fluid(self, body: str) -> tuple[Floats, Floats]:
        self.vertices(body)
        found = _pliant.fluid_readings(self._core, body)
        if found is None:
            raise ValueError(f"densities and pressures of {body!r} are known after a step, but there was none yet")
        return found

    @property
    def topology_changes(self) -> int:
        """Number of changes by tearing or cutting; after each one, surfaces and vertex numbers are different."""
        return _pliant.topology_changes(self._core)
