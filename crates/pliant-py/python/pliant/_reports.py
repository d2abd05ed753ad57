"""Reports of a simulation."""

from __future__ import annotations

from dataclasses import dataclass

from ._arrays import Floats, Indices
from ._pliant import SolveReport


@dataclass(frozen=True)
class WorstElement:
    """The element with the largest energy [J]; body is None for attachments between bodies."""

    body: str | None
    kind: str
    element: int
    energy: float


@dataclass(frozen=True)
class Settled:
    """How well forces balance at rest. residual [N]: the largest unbalanced force, on this vertex of this body.
    largest_force [N]: the largest force of one kind on a vertex, from energies, gravity, pressure, wind, colliders or
    forces that were set."""

    steps: int
    residual: float
    largest_force: float
    body: str
    vertex: int

    @property
    def relative(self) -> float:
        """The residual relative to the largest force."""
        return self.residual / self.largest_force if self.largest_force > 0 else 0.0


@dataclass(frozen=True)
class Report:
    """Energies [J], momenta and extremes of a state. elastic: by kind of energy. momentum [kg·m/s]; angular_momentum about the
    origin [kg·m²/s]; centre_of_mass [m]; max_speed [m/s]."""

    time: float
    elastic: dict[str, float]
    kinetic: float
    gravitational: float
    momentum: Floats
    angular_momentum: Floats
    centre_of_mass: Floats
    max_speed: float
    worst: WorstElement | None

    @property
    def potential(self) -> float:
        """Elastic energies of all kinds [J]."""
        return sum(self.elastic.values())

    @property
    def total(self) -> float:
        """Kinetic, elastic and gravitational energy [J]."""
        return self.kinetic + self.potential + self.gravitational


@dataclass(frozen=True)
class ElementStrains:
    """Principal stretches (m, r) of the elements (m, k) of one energy, the largest first; 1 is unstretched."""

    kind: str
    elements: Indices
    stretches: Floats


@dataclass(frozen=True, eq=False)
class RigidPose:
    """Where a rigid body is and how it moves: its centre of mass (3,) [m], rotation from rest (4,) as a quaternion w x y z, velocity of the
    centre (3,) [m/s], spin (3,) [rad/s], and deviation, the largest distance of a vertex from its place in the pose over the
    farthest vertex's distance from the centre."""

    centre: Floats
    rotation: Floats
    velocity: Floats
    spin: Floats
    deviation: float


@dataclass(frozen=True)
class Solution:
    """The result of a solver: positions (n, 3) [m], and its report."""

    positions: Floats
    report: SolveReport
