"""A running world."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import _pliant
from ._arrays import (
    ArrayLike,
    Floats,
    each,
    floats,
    instance,
    number,
    part_of_name,
    required,
    selection,
    vector,
    vectors,
)
from ._arrays import count as whole
from ._body import Body
from ._changes import Changes
from ._collide import Collider, ContactParams, SelfCollision
from ._gpu import GpuWorld
from ._interaction import Grab, Pick
from ._pliant import StepReport
from ._readings import Readings
from ._reports import Settled, Solution
from ._settings import Attachment, Auto, Damping, Newton, Solver, StrainLimiting, Turbulence, Wind
from ._topology import CutReport, _Blade

#: Most steps in a call: more is a slip of the keyboard.
MOST_STEPS = 1_000_000_000
#: Most substeps in a step, as in the engine.
MOST_SUBSTEPS = 10_000

Force = Callable[["Simulation"], ArrayLike]
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class _World:
    """What a simulation is built from."""

    bodies: tuple[Body, ...]
    time_step: float
    substeps: int | None
    gravity: Vector
    wind: Wind | None
    integrator: str | None
    solver: Solver
    damping: Damping
    attachments: tuple[Attachment, ...]
    colliders: tuple[Collider, ...]
    contact: ContactParams
    self_collision: SelfCollision | None
    strain_limiting: StrainLimiting | None
    threads: int | None
    runaway_limit: float


class Problem:
    """The implicit step that comes next: g(x) = ½(x − s)ᵀM(x − s)/τ² + E(x), as long as the simulation does not
    change. Constraints, fluids and rods are not part of E."""

    def __init__(self, simulation: Simulation) -> None:
        self._problem = _pliant.Problem(required(simulation, "simulation", Simulation)._core)
        self._count = len(simulation)

    def value(self, x: ArrayLike) -> float:
        """g at positions (n, 3) [J]."""
        return self._problem.value(vectors(x, "x", self._count))

    def gradient(self, x: ArrayLike) -> Floats:
        """∇g at positions (n, 3) [N]; zero at pinned vertices, which are not unknowns."""
        return self._problem.gradient(vectors(x, "x", self._count))

    def start(self, which: str = "predicted") -> Floats:
        """Positions to start from: "predicted" s, "inertial" y = q + h v, or "previous" q."""
        return self._problem.start(which)

    def solve(self, solver: Solver, x: ArrayLike | None = None) -> Solution:
        """Minimises g from x, or from the solver's own start; the simulation does not change."""
        start = self.start(solver.start) if x is None else vectors(x, "x", self._count)
        return Solution(*self._problem.solve(solver, start))


class Simulation(Changes, Readings):
    """Bodies that advance in time.

    bodies: one or several. time_step [s]. substeps: number of equal parts of each step, 1 to 10000 (None: one, or
    what an Auto solver chooses); each costs as much as a step, and two to four resolve fast motion that one long step
    damps. gravity [m/s²]. integrator: "implicit-euler", "bdf2", "tr-bdf2", "implicit-midpoint" or "energy-keeping"
    (None: implicit Euler, or what an Auto solver chooses). colliders: obstacles for bodies. self_collision: keeps
    surfaces from passing through each other. strain_limiting: limits how far bodies stretch. force: a function of the
    simulation that returns the force on each vertex, (n, 3) [N], called before each step. threads: number in its own
    pool, 1 to 1024; the results are the same with any number, and more threads than cores do not make it faster.
    runaway_limit: a step fails if a vertex moves by more than this many diagonals of the world.

    Simulations pickle with their state, so you can send them to other processes.
    """

    def __init__(
        self,
        bodies: Body | Sequence[Body],
        *,
        time_step: float = 1 / 60,
        substeps: int | None = None,
        gravity: ArrayLike = (0.0, -9.81, 0.0),
        wind: Wind | None = None,
        integrator: str | None = None,
        solver: Solver = Auto(),
        damping: Damping = Damping(),
        attachments: Sequence[Attachment] = (),
        colliders: Collider | Sequence[Collider] = (),
        contact: ContactParams = ContactParams(),
        self_collision: SelfCollision | None = None,
        strain_limiting: StrainLimiting | None = None,
        force: Force | None = None,
        threads: int | None = None,
        runaway_limit: float = 100.0,
    ) -> None:
        world = _World(
            bodies=each(bodies, "bodies", Body),
            time_step=number(time_step, "time_step", above=0),
            substeps=None if substeps is None else whole(substeps, "substeps", at_least=1, at_most=MOST_SUBSTEPS),
            gravity=vector(gravity, "gravity"),
            wind=_checked(wind),
            integrator=integrator,
            solver=solver,
            damping=required(damping, "damping", Damping),
            attachments=each(attachments, "attachments", Attachment),
            colliders=each(colliders, "colliders", Collider),
            contact=required(contact, "contact", ContactParams),
            self_collision=instance(self_collision, "self_collision", SelfCollision),
            strain_limiting=instance(strain_limiting, "strain_limiting", StrainLimiting),
            threads=None if threads is None else whole(threads, "threads", at_least=1),
            runaway_limit=number(runaway_limit, "runaway_limit", above=0),
        )
        self._world: _World | None = world
        self._solver: Solver | None = solver
        self.force = force
        self._core = _pliant.Core.build(list(world.bodies), world)

    # Stepping

    def step(self, count: int = 1, *, solver: Solver | None = None) -> StepReport:
        """Advances by a number of time steps and returns the report of the last. Other threads run meanwhile; Ctrl-C
        interrupts between steps. A step that fails raises StepError and changes nothing. solver: for these steps
        only."""
        count = whole(count, "count", at_least=1, at_most=MOST_STEPS)
        if self.force is None:
            return self._core.step(count, solver)
        for _ in range(count):
            self._core.set_forces(vectors(self.force(self), "force", self._count))
            report = self._core.step(1, solver)
        return report

    def settle(self, tolerance: float = 1e-3, most_steps: int = 10_000) -> Settled:
        """Brings the world to rest at the current time: moves it to where all forces balance. tolerance: largest
        unbalanced force on a free vertex, relative to the largest force. If there is no equilibrium, it raises
        StepError and changes nothing."""
        tolerance = number(tolerance, "tolerance", above=0)
        return Settled(*self._core.settle(tolerance, whole(most_steps, "most_steps", at_least=1, at_most=MOST_STEPS)))

    def on_gpu(self, adapter: str | None = None) -> GpuWorld:
        """Brings the state to a graphics processor, where it stays until the GpuWorld is closed. The solver is Gpu, which
        names its adapter, or PositionBased or FollowLeader; then adapter is a part of a name. A world with something that
        is not done there is a ValueError that names it, and stays as it was."""
        if self.force is not None:
            raise ValueError(
                "a force that is a function is called before each step, which a world that stays on the GPU does not do"
            )
        return GpuWorld(self, part_of_name(adapter, "adapter"))

    def exact_step(self) -> StepReport:
        """Advances by one time step that is solved exactly, with Newton's method to convergence."""
        return self.step(solver=Newton(tolerance=1e-13))

    def next_problem(self) -> Problem:
        """The next step as a problem: its objective, its gradient, and its solution by any solver."""
        return Problem(self)

    # State

    @property
    def _count(self) -> int:
        # Scenes may tear, so it is not kept.
        return self._core.vertex_count()

    def __len__(self) -> int:
        """Number of vertices."""
        return self._count

    @property
    def positions(self) -> Floats:
        """Positions of all vertices [m], a new array of shape (n, 3): one copy, since the engine swaps its own from
        step to step. It is read-only, as all arrays that are read from a simulation. To set positions, assign all of
        them: x = sim.positions.copy(); x[0] = 0, 1, 0; sim.positions = x. Pins then stay at their new positions."""
        return self._core.positions()

    @positions.setter
    def positions(self, value: ArrayLike) -> None:
        self._core.set_positions(vectors(value, "positions", self._count))

    @property
    def velocities(self) -> Floats:
        """Velocities of all vertices [m/s]; read and set like positions."""
        return self._core.velocities()

    @velocities.setter
    def velocities(self, value: ArrayLike) -> None:
        self._core.set_velocities(vectors(value, "velocities", self._count))

    def read_positions(self, out: Floats) -> Floats:
        """Writes positions into your own array, without creating one."""
        self._core.read_into(_writable(out, self._count), False)
        return out

    def read_velocities(self, out: Floats) -> Floats:
        """Writes velocities into your own array, without creating one."""
        self._core.read_into(_writable(out, self._count), True)
        return out

    @property
    def time(self) -> float:
        """Time [s]."""
        return self._core.time

    @property
    def steps(self) -> int:
        """Steps taken."""
        return self._core.steps

    def checkpoint(self) -> bytes:
        """All state, from which a simulation continues bit for bit. It does not contain factors and the description:
        see pickle."""
        return self._core.checkpoint()

    def restore(self, checkpoint: bytes) -> None:
        """Returns to a checkpoint of the same world; after an error nothing has changed."""
        self._core.restore(checkpoint)

    # What the user moves

    @property
    def forces(self) -> Floats:
        """Forces on all vertices [N], (n, 3), read-only; assign an array to set them until they are set again."""
        return self._core.forces()

    @forces.setter
    def forces(self, value: ArrayLike) -> None:
        self._core.set_forces(vectors(value, "forces", self._count))

    def move_pins(self, targets: ArrayLike, vertices: ArrayLike | None = None, *, body: str | None = None) -> None:
        """Sets the positions of pinned vertices at the end of the next step, (m, 3) [m]: all of them, in the order of
        pinned, or some, numbered in the world or in a body."""
        pinned = self.pinned
        if body is not None:
            own = self.vertices(body)
            if vertices is None:
                chosen = pinned[(pinned >= own.start) & (pinned < own.stop)]
            else:
                chosen = selection(vertices, "vertices", own.stop - own.start) + np.uint32(own.start)
        else:
            chosen = pinned if vertices is None else selection(vertices, "vertices", self._count)
        loose = ~np.isin(chosen, pinned)
        if loose.any():
            at = int(np.argmax(loose))
            raise ValueError(f"vertices[{at}] is {chosen[at]}, which is not pinned; pin it when the body is made")
        self._core.move_pins(chosen, vectors(targets, "targets", len(chosen)))

    def goals(self, kind: str = "position") -> Floats:
        """Goals of all energies of a kind, (m, 3) [m], in the order in which they were given."""
        return self._core.goals(kind)

    def set_goals(self, goals: ArrayLike, *, kind: str = "position", first: int = 0) -> None:
        """Sets the positions of goals at the end of the next step, (m, 3) [m], starting at a number. For "half_space"
        each vertex has two, the point and the normal of its plane."""
        self._core.set_goals(kind, whole(first, "first"), vectors(goals, "goals"))

    def set_orientations(self, body: str, orientations: ArrayLike) -> None:
        """Replaces the orientations of oriented particles, (n, 4) as unit quaternions w x y z, and stops their
        rotation. Turning a pinned one also turns what is around it."""
        own = self.vertices(body)
        count = own.stop - own.start
        _pliant.set_orientations(self._core, body, floats(orientations, "orientations", (count, 4)).tolist())

    def twist_rod(self, body: str, segment: int, angle: float) -> None:
        """Turns a clamped segment of a rod, one between two pinned vertices, about its own axis by an angle [rad]."""
        self.vertices(body)
        _pliant.twist_rod(self._core, body, whole(segment, "segment"), number(angle, "angle"))

    def cut_plane(self, body: str, point: ArrayLike, normal: ArrayLike, *, at_rest: bool = False) -> CutReport:
        """Cuts a cloth along a plane through a point [m], in its current shape or in its rest shape. Triangles that
        the cut crosses are divided; new vertices come at the end of their body."""
        points = np.asarray([vector(point, "point")])
        return self._cut(body, _Blade(points, vector(normal, "normal"), True, at_rest))

    def cut_polyline(self, body: str, points: ArrayLike, direction: ArrayLike, *, at_rest: bool = False) -> CutReport:
        """Cuts a cloth along segments between points (k, 3) [m], with a blade in a given direction. A cut that ends
        inside the sheet leaves a slit."""
        return self._cut(body, _Blade(vectors(points, "points"), vector(direction, "direction"), False, at_rest))

    def _cut(self, body: str, blade: _Blade) -> CutReport:
        self.vertices(body)
        return CutReport(*_pliant.cut(self._core, body, blade))

    @property
    def time_step(self) -> float:
        """Length of a step [s]."""
        return self._core.time_step

    @time_step.setter
    def time_step(self, seconds: float) -> None:
        self._core.set_time_step(number(seconds, "time_step", above=0))

    @property
    def substeps(self) -> int:
        """Number of equal parts of each step. Pins and goals move evenly to their targets for the end of the step.
        (In a scene, the key world.substeps sets the number of steps per frame; these are parts of each of them.)"""
        return self._core.substeps

    @substeps.setter
    def substeps(self, count: int) -> None:
        self._core.set_substeps(whole(count, "substeps", at_least=1, at_most=MOST_SUBSTEPS))

    @property
    def gravity(self) -> Vector:
        """Acceleration of free fall [m/s²]."""
        return self._core.gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._core.set_gravity(vector(value, "gravity"))

    @property
    def wind(self) -> Wind | None:
        """The wind, or None."""
        wind = self._core.wind
        return None if wind is None else Wind(*wind[:5], Turbulence(*wind[5]))

    @wind.setter
    def wind(self, value: Wind | None) -> None:
        self._core.set_wind(_checked(value))

    @property
    def solver(self) -> Solver | None:
        """The solver; None if a scene file has chosen it."""
        return self._solver

    @solver.setter
    def solver(self, value: Solver) -> None:
        self._core.set_solver(value)
        self._solver = value

    @property
    def solver_in_use(self) -> str:
        """A description of the solver; for Auto, of its choice. With several solvers, that of the first body."""
        return self._core.solver_in_use

    def pick(self, origin: ArrayLike, direction: ArrayLike, radius: float = 0.01) -> Pick | None:
        """The vertex that a ray points at: of the first surface that it meets, the corner nearest to that point; of
        strands and particles, the first vertex within radius [m] of the ray. None if there is none."""
        found = self._core.pick(vector(origin, "origin"), vector(direction, "direction"), number(radius, "radius"))
        return None if found is None else Pick(*found)

    def grab(self, body: str, vertex: int, stiffness: float) -> Grab:
        """Holds a vertex softly where it is, by a spring with a stiffness [N/m], until Grab.release. A stiffness of
        400 /s² times the mass of the body drags it along within about a twentieth of a second."""
        vertex = whole(vertex, "vertex", at_most=2**32 - 1)
        return Grab(self, self._core.grab(body, vertex, number(stiffness, "stiffness")))

    @property
    def normals(self) -> Floats:
        """The unit normal at each vertex of surfaces (n, 3); zero elsewhere."""
        return self._core.normals(self.positions)

    def solver_of(self, body: str) -> str:
        """A description of the solver that moves a body."""
        return self._core.solver_of(body)

    @property
    def integrator_in_use(self) -> str:
        """The name of the time integrator; for an Auto solver, its choice."""
        return self._core.integrator_in_use

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name} at {self.time:.4g} s: {', '.join(self.bodies)}; {self._count} vertices>"

    # Travelling

    def _state(self) -> dict[str, Any]:
        return {
            "force": self.force,
            "solver": self._solver,
            "gravity": self.gravity,
            "wind": self.wind,
            "checkpoint": self.checkpoint(),
        }

    def _revive(self, state: Mapping[str, Any]) -> None:
        self.force = state["force"]
        if state["solver"] is not None and state["solver"] != self._solver:
            self.solver = state["solver"]
        self.gravity = state["gravity"]
        self.wind = state["wind"]
        self.restore(state["checkpoint"])

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive_world, (self._world, self._state())


def _revive_world(world: _World, state: Mapping[str, Any]) -> Simulation:
    fields = {name: getattr(world, name) for name in world.__dataclass_fields__}
    simulation = Simulation(**fields)
    simulation._revive(state)
    return simulation


def _checked(wind: Wind | None) -> Wind | None:
    own = instance(wind, "wind", Wind)
    if own is None:
        return None
    turbulence = required(own.turbulence, "wind.turbulence", Turbulence)
    return replace(own, velocity=vector(own.velocity, "wind.velocity"), turbulence=turbulence)


def _writable(out: Floats, count: int) -> Floats:
    if not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != (count, 3) or not out.flags.writeable:
        raise ValueError(f"out must be a writable float64 array of the shape ({count}, 3)")
    return out
