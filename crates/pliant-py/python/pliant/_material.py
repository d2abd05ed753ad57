"""What all materials have in common."""

from __future__ import annotations

from typing import ClassVar

from ._meshes import Mesh


class Material:
    """What a body is made of, besides energies of its own."""

    kind: ClassVar[str]
    meshes: ClassVar[type[Mesh]]
    """The kind of mesh that it belongs to."""
