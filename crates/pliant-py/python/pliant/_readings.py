"""What can be read of a world beyond its state."""

from __future__ import annotations

from typing import Any

from . import _pliant
from ._arrays import Floats, Indices
from ._collide import Contacts
from ._reports import ElementStrains, Report, WorstElement


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

    def pin_forces(self) -> Floats:
        """Force with which each pin holds its vertex [N], in the order of pinned."""
        return _pliant.pin_forces(self._core)

    def contacts(self) -> Contacts:
        """Vertices that touched colliders in the last step, with their forces."""
        return Contacts(*_pliant.contacts(self._core))

    def element_strains(self, body: str | None = None) -> list[ElementStrains]:
        """Principal stretches of a body's springs, triangles or tets, one entry for each of its energies over other elements;
        of all bodies without a name."""
        names = self.bodies if body is None else [body]
        for name in names:
            self.vertices(name)
        return [ElementStrains(*strains) for name in names for strains in _pliant.element_strains(self._core, name)]

    def example_weights(self, body: str) -> Floats:
        """Weights of examples at the current state, (elements, examples)."""
        self.vertices(body)
        return _pliant.example_weights(self._core, body)
