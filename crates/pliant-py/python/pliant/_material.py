"""What all materials have in common."""

from __future__ import annotations

from typing import ClassVar

from ._meshes import Mesh


class Material:
    """What a body is made of, besides energies of its own."""

    kind: ClassVar[str]
    meshes: ClassVar[type[Mesh] | tuple[type[Mesh], ...]]
    """The kinds of meshes that it belongs to."""

    def _check_mesh(self, mesh: Mesh) -> None:
        """Raises an error for values that do not apply to a mesh of one of these kinds."""
