"""What comes, goes and changes while a simulation runs."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _pliant
from ._arrays import ArrayLike, read_only, required, selection
from ._arrays import count as whole
from ._body import Body
from ._collide import Collider
from ._material import Material
from ._settings import Attachment, Solver

if TYPE_CHECKING:
    from ._simulation import _World


class Changes:
    """The part of a simulation that changes it between steps. A change that cannot be made raises ValueError, and
    nothing has changed."""

    _core: _pliant.Core
    _world: _World | None

    def _changing(self) -> _World:
        if self._world is None:
            raise ValueError(
                "the bodies of a scene come from its file; build a Simulation to add, remove or change them"
            )
        return self._world

    def _numbered(self, body: str) -> tuple[_World, int]:
        world = self._changing()
        names = [name for name, _, _ in self._core.bodies()]
        if body not in names:
            raise ValueError(f"there is no body {body!r}; there are {', '.join(names)}")
        return world, names.index(body)

    def add(self, body: Body) -> None:
        """Adds a body to the running world."""
        world = self._changing()
        _pliant.add_body(self._core, required(body, "body", Body))
        name = self._core.bodies()[-1][0]
        if body.name is None:
            body = copy(body)
            body.name = name
        self._world = replace(world, bodies=(*self._named_bodies(world), body))

    def _named_bodies(self, world: _World) -> tuple[Body, ...]:
        """The bodies with the names that they have: those by their number stay when others leave."""
        named = []
        for body, (name, _, _) in zip(world.bodies, self._core.bodies(), strict=False):
            if body.name is None:
                body = copy(body)
                body.name = name
            named.append(body)
        return tuple(named)

    def remove(self, body: str) -> None:
        """Takes a body out of the world, with what is attached to it."""
        world, number = self._numbered(body)
        bodies = self._named_bodies(world)
        _pliant.remove_body(self._core, body)
        kept = tuple(tie for tie in world.attachments if body not in (tie.first[0], tie.second[0]))
        self._world = replace(world, bodies=bodies[:number] + bodies[number + 1 :], attachments=kept)

    def pin(self, body: str, vertices: ArrayLike) -> None:
        """Pins vertices of a body where they are; a list of numbers or a mask."""
        self._set_pins(body, vertices, True)

    def unpin(self, body: str, vertices: ArrayLike) -> None:
        """Lets pinned vertices of a body go."""
        self._set_pins(body, vertices, False)

    def _set_pins(self, body: str, vertices: ArrayLike, pinned: bool) -> None:
        world, number = self._numbered(body)
        bodies = list(self._named_bodies(world))
        chosen = selection(np.asarray(vertices), "vertices", len(bodies[number].mesh))
        _pliant.set_pins(self._core, body, chosen, pinned)
        changed = copy(bodies[number])
        before = changed.pinned
        changed.pinned = np.union1d(before, chosen) if pinned else np.setdiff1d(before, chosen)
        changed.pinned = read_only(changed.pinned.astype(np.uint32))
        bodies[number] = changed
        self._world = replace(world, bodies=tuple(bodies))

    def attach(self, attachment: Attachment) -> None:
        """Ties two vertices by a spring."""
        world = self._changing()
        _pliant.attach(self._core, required(attachment, "attachment", Attachment))
        self._world = replace(world, attachments=(*world.attachments, attachment))

    def detach(self, attachment: Attachment) -> None:
        """Takes an attachment off: one that the simulation was built with, or that attach has added."""
        world = self._changing()
        if attachment not in world.attachments:
            raise ValueError(f"there is no attachment {attachment!r}")
        number = world.attachments.index(attachment)
        _pliant.detach(self._core, number)
        self._world = replace(world, attachments=world.attachments[:number] + world.attachments[number + 1 :])

    def set_material(self, body: str, material: Material) -> None:
        """Replaces the material of a cloth, a solid or strands; the shape at rest stays."""
        world, number = self._numbered(body)
        bodies = list(self._named_bodies(world))
        _pliant.set_material(self._core, body, required(material, "material", Material))
        bodies[number] = copy(bodies[number])
        bodies[number].material = material
        self._world = replace(world, bodies=tuple(bodies))

    def set_body_solver(self, body: str, solver: Solver | None) -> None:
        """Names another solver for a body; None: that of the simulation."""
        world, number = self._numbered(body)
        bodies = list(self._named_bodies(world))
        _pliant.set_body_solver(self._core, body, solver)
        bodies[number] = copy(bodies[number])
        bodies[number].solver = solver
        self._world = replace(world, bodies=tuple(bodies))

    def add_collider(self, collider: Collider) -> int:
        """Adds a collider to the running world; returns its number."""
        world = self._changing()
        _pliant.add_collider(self._core, required(collider, "collider", Collider))
        self._world = replace(world, colliders=(*world.colliders, collider))
        return len(world.colliders)

    def replace_collider(self, number: int, collider: Collider) -> None:
        """Puts another collider in the place of one, such as the same shape elsewhere."""
        world, colliders = self._collider(number)
        _pliant.replace_collider(self._core, number, required(collider, "collider", Collider))
        colliders[number] = collider
        self._world = replace(world, colliders=tuple(colliders))

    def remove_collider(self, number: int) -> None:
        """Takes a collider out of the world; those after it have one number less."""
        world, colliders = self._collider(number)
        _pliant.remove_collider(self._core, number)
        del colliders[number]
        self._world = replace(world, colliders=tuple(colliders))

    def _collider(self, number: int) -> tuple[_World, list[Any]]:
        world = self._changing()
        if whole(number, "number") >= len(world.colliders):
            raise ValueError(f"there is no collider {number}; there are {len(world.colliders)}")
        return world, list(world.colliders)


__all__ = ["Changes"]
