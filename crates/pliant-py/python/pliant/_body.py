"""A body: a mesh with a material, or with masses and energies of your own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._arrays import ArrayLike, Floats, Indices, number, per_element, selection, vectors
from ._energies import Energy
from ._meshes import Mesh, Points, Strands, TetMesh, TriangleMesh
from ._settings import ClothMaterial, SolidMaterial, StrandMaterial

Material = ClothMaterial | SolidMaterial | StrandMaterial

_BELONGS: list[tuple[type[Mesh], type]] = [
    (TriangleMesh, ClothMaterial),
    (TetMesh, SolidMaterial),
    (Strands, StrandMaterial),
]


class Body:
    """A mesh on its way into a simulation. Vertices are numbered from 0 in each body.

    mesh: TriangleMesh, TetMesh, Strands or Points; its positions are the rest shape. material: cloth for triangles, solid
    for tets, strand for strands. Without a material give density (mass per area, volume or length) or masses [kg] (one for
    all, or one for each vertex), and energies. energies: more of them, over this body's vertices. pin: vertices, or a
    mask, that stay where they are or follow Simulation.move_pins. positions, velocities: (n, 3) at the start, if not at
    rest. pressure: inside its surface [Pa].
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
        pin: ArrayLike = (),
        positions: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        pressure: float = 0.0,
    ) -> None:
        if not isinstance(mesh, Mesh):
            raise ValueError(f"mesh is a {type(mesh).__name__}; pliant.as_mesh takes those of other libraries")
        if sum(given is not None for given in (material, density, masses)) != 1:
            raise ValueError("give one of material, density, masses")
        if material is not None and not any(isinstance(mesh, m) and isinstance(material, k) for m, k in _BELONGS):
            raise ValueError(f"a {type(material).__name__} does not belong to {type(mesh).__name__}")
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
        self.energies: tuple[Energy, ...] = (energies,) if isinstance(energies, Energy) else tuple(energies)
        for energy in self.energies:
            energy.check(count)
        self.pinned: Indices = selection(np.asarray(pin), "pin", count) if np.size(pin) else np.zeros(0, np.uint32)
        self.positions = None if positions is None else vectors(positions, "positions", count)
        self.velocities = None if velocities is None else vectors(velocities, "velocities", count)
        self.pressure = number(pressure, "pressure")

    def __repr__(self) -> str:
        of = type(self.material).__name__ if self.material is not None else f"{len(self.energies)} energies"
        return f"<Body {self.name or ''}: {len(self.mesh)} vertices, {of}, {len(self.pinned)} pinned>"


__all__ = ["Body", "Material", "Points"]
