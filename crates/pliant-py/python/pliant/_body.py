"""A body: a mesh with a material, or with your own masses and energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import (
    ArrayLike,
    Floats,
    Indices,
    each,
    floats,
    indices,
    instance,
    number,
    per_element,
    selection,
    vector,
    vectors,
)
from ._cloth_matching import ClothMatching
from ._constraints import Constraints
from ._energies import Energy
from ._fluids import Emitter, FluidMaterial
from ._matching import Matching
from ._material import Material
from ._meshes import Mesh, Points, Strands, TetMesh, TriangleMesh
from ._settings import ClothMaterial, RigidMaterial, Solver
from ._topology import Tearing


class Body:
    """A body to add to a simulation. Vertices are numbered from 0 in each body.

    mesh: TriangleMesh, TetMesh, Strands or Points; its positions are the rest shape. material: cloth for triangles,
    solid for tets, strand, hair, rod, oriented or chain for strands, fluid for points, rigid for a closed surface. Without
    a material give density (mass per area, volume or length) or masses [kg] (one for all, or one for each vertex),
    and energies. energies: additional ones, on this body's vertices. constraints: they need the position-based
    solver. pin: vertices, or a mask, that stay where they are or follow Simulation.move_pins. positions, velocities:
    (n, 3) at the start, if not at rest. pressure: inside its surface [Pa]. tearing: how it tears, if it does.
    matching: shape matching in regions, with density or masses. cloth_matching: shape matching of its triangles,
    alone or in addition to a material. solver: the one that moves this body, if it is not that of the simulation;
    bodies that are attached to each other share a solver, unless each names its own. permeable: fluid flows through it,
    as a world with a fluid needs to know of strands, hair and other bodies without a surface.
    """

    def __init__(
        self,
        mesh: Mesh,
        material: Material | None = None,
        *,
        name: str | None = None,
        density: float | None = None,
        masses: ArrayLike | None = None,
        energies: Sequence[Energy] | Energy = (),
        constraints: Sequence[Constraints] | Constraints = (),
        pin: ArrayLike = (),
        positions: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        pressure: float = 0.0,
        tearing: Tearing | None = None,
        matching: Matching | None = None,
        cloth_matching: ClothMatching | None = None,
        solver: Solver | None = None,
        permeable: bool = False,
    ) -> None:
        if not isinstance(mesh, Mesh):
            raise ValueError(f"mesh is a {type(mesh).__name__}; pliant.as_mesh takes those of other libraries")
        if sum(given is not None for given in (material, density, masses)) != 1:
            raise ValueError("give one of material, density, masses")
        instance(material, "material", Material)
        if material is not None and not isinstance(mesh, material.meshes):
            raise ValueError(f"a {type(material).__name__} does not belong to {type(mesh).__name__}")
        if material is not None:
            material._check_mesh(mesh)
        count = len(mesh)
        self.mesh = mesh
        self.material = material
        self.name = name
        self.masses: Floats | None = None
        if masses is not None:
            self.masses = per_element(masses, "masses", count)
        elif density is not None:
            if isinstance(mesh, (TriangleMesh, TetMesh, Strands)):
                self.masses = mesh.lumped_masses(density)
            else:
                raise ValueError("points have no density; give masses")
        self.energies: tuple[Energy, ...] = each(energies, "energies", Energy)
        for energy in self.energies:
            energy.check(count)
        self.constraints = each(constraints, "constraints", Constraints)
        for constraint in self.constraints:
            constraint.check(count)
        self.pinned: Indices = selection(np.asarray(pin), "pin", count) if np.size(pin) else indices((), "pin")
        if isinstance(material, RigidMaterial) and (positions is not None or velocities is not None):
            raise ValueError("a rigid body has no positions or velocities of its own; move its mesh, or see Body.rigid")
        self.positions = None if positions is None else vectors(positions, "positions", count)
        self.velocities = None if velocities is None else vectors(velocities, "velocities", count)
        self.pressure = number(pressure, "pressure")
        self.permeable = bool(permeable)
        self.tearing = instance(tearing, "tearing", Tearing)
        if tearing is not None:
            tearing.check(count)
        self.matching = instance(matching, "matching", Matching)
        if matching is not None:
            matching.regions.check(count)
        self.cloth_matching = instance(cloth_matching, "cloth_matching", ClothMatching)
        if cloth_matching is not None and not isinstance(mesh, TriangleMesh):
            raise ValueError(f"cloth_matching belongs to a TriangleMesh, not to {type(mesh).__name__}")
        self.solver = solver
        self.velocity = (0.0, 0.0, 0.0)
        self.spin = (0.0, 0.0, 0.0)
        self.emitter: Emitter | None = None
        self.pieces: Floats | None = None

    @classmethod
    def garment(
        cls, mesh: TriangleMesh, pieces: ArrayLike, material: ClothMaterial = ClothMaterial(), **options: Any
    ) -> Body:
        """Cloth that was cut flat and sewn: each triangle has its rest shape in the plane of the piece that it was cut
        from, so that cloth is free of strain as it was cut, not as it is worn.

        mesh: as it is worn at the start. pieces: corners of its triangles in the plane, (m, 3, 2) [m], wound as in the mesh:
        the texture coordinates of garment files, which read_mesh returns as pieces. options: as for Body, without
        density and masses, tearing and cloth_matching.
        """
        if not isinstance(mesh, TriangleMesh):
            raise ValueError(f"mesh is a {type(mesh).__name__}, but must be a TriangleMesh")
        if not isinstance(material, ClothMaterial):
            raise ValueError(f"material is a {type(material).__name__}, but must be a ClothMaterial")
        for name in ("density", "masses", "tearing", "cloth_matching"):
            if options.get(name) is not None:
                raise ValueError(f"{name} is {options[name]!r}, but a garment has none")
        body = cls(mesh, material, **options)
        body.pieces = floats(pieces, "pieces", (len(mesh.triangles), 3, 2))
        return body

    @classmethod
    def rigid(
        cls,
        mesh: TriangleMesh,
        material: RigidMaterial = RigidMaterial(),
        *,
        name: str | None = None,
        pin: ArrayLike = (),
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        spin: ArrayLike = (0.0, 0.0, 0.0),
        solver: Solver | None = None,
    ) -> Body:
        """The solid inside a closed surface, which does not deform. It starts with a velocity [m/s] and a spin about
        its centre of mass [rad/s]; Simulation.rigid_pose returns its pose. In the world it has five more vertices
        inside, which carry mass."""
        if not isinstance(material, RigidMaterial):
            raise ValueError(f"material is a {type(material).__name__}, but must be a RigidMaterial")
        body = cls(mesh, material, name=name, pin=pin, solver=solver)
        body.velocity = vector(velocity, "velocity")
        body.spin = vector(spin, "spin")
        return body

    @classmethod
    def emitted(
        cls,
        emitter: Emitter,
        material: FluidMaterial = FluidMaterial(),
        *,
        name: str | None = None,
        solver: Solver | None = None,
    ) -> Body:
        """A fluid that flows out of a pipe. All its particles exist from the start: in the pipe they move with the
        jet, and nothing acts on them."""
        if not isinstance(emitter, Emitter):
            raise ValueError(f"emitter is a {type(emitter).__name__}, but must be an Emitter")
        if not isinstance(material, FluidMaterial):
            raise ValueError(f"material is a {type(material).__name__}, but must be a FluidMaterial")
        body = cls(emitter.particles(material.spacing), material, name=name, solver=solver)
        body.emitter = emitter
        return body

    def __repr__(self) -> str:
        of = type(self.material).__name__ if self.material is not None else f"{len(self.energies)} energies"
        return f"<Body {self.name or ''}: {len(self.mesh)} vertices, {of}, {len(self.pinned)} pinned>"


__all__ = ["Body", "Material", "Points"]
