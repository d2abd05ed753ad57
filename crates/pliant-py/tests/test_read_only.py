"""Arrays that are read cannot be written: what went into a copy would be lost without a word."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import hostile_cases
import numpy as np
import pytest
from hostile_cases import CASES

import pliant

#: Results that are the caller's own array.
OWN = ("Simulation.read_positions", "Simulation.read_velocities")
WORLDS = (
    "world",
    "goals_world",
    "examples_world",
    "water_world",
    "plant_world",
    "rod_world",
    "matched_world",
    "rigid_world",
    "two_bodies",
)


def arrays(thing: Any, place: str, depth: int = 0) -> Iterator[tuple[str, np.ndarray]]:
    """All arrays that a user can get from a result: itself, in lists, in attributes and properties."""
    if isinstance(thing, np.ndarray):
        yield place, thing
    elif depth > 4 or isinstance(thing, (str, bytes)):
        return
    elif isinstance(thing, (list, tuple)):
        for k, item in enumerate(thing):
            yield from arrays(item, f"{place}[{k}]", depth + 1)
    elif isinstance(thing, dict):
        for key, item in thing.items():
            yield from arrays(item, f"{place}[{key!r}]", depth + 1)
    elif type(thing).__module__.startswith("pliant"):
        names = {name for name in vars(type(thing)) if isinstance(getattr(type(thing), name), property)}
        names |= set(getattr(thing, "__dict__", ()))
        if dataclasses.is_dataclass(thing):
            names |= {field.name for field in dataclasses.fields(thing)}
        for name in sorted(names):
            if name.startswith("_"):
                continue
            try:
                value = getattr(thing, name)
            except ValueError:  # a reading that this world does not have
                continue
            yield from arrays(value, f"{place}.{name}", depth + 1)


def readings(sim: pliant.Simulation) -> Iterator[tuple[str, Any]]:
    """All that a world says by methods without arguments or with the name of a body."""
    names = (
        "report",
        "elastic_forces",
        "pin_forces",
        "contacts",
        "element_strains",
        "goals",
    )
    for name in names:
        yield name, getattr(sim, name)()
    of_bodies = (
        "surface",
        "example_weights",
        "orientations",
        "angular_velocities",
        "channels",
        "pieces",
        "rigid_pose",
        "fluid_surface",
        "fluid_densities",
        "fluid_pressures",
    )
    for body in sim.bodies:
        for name in of_bodies:
            try:
                yield f"{name}({body!r})", getattr(sim, name)(body)
            except ValueError:  # a reading that this body does not have
                continue


@pytest.mark.parametrize("name", ["positions", "velocities", "forces", "normals", "rest", "masses", "pinned"])
def test_writing_into_what_was_read_raises_and_changes_nothing(curtain: pliant.Simulation, name: str) -> None:
    before = curtain.checkpoint()
    with pytest.raises(ValueError, match="read-only"):
        getattr(curtain, name)[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        getattr(curtain, name)[curtain.vertices("curtain")] *= 2
    assert curtain.checkpoint() == before


def test_the_way_to_set_positions_is_to_assign_all_of_them(curtain: pliant.Simulation) -> None:
    x = curtain.positions.copy()
    x[40] += [0, 0.25, 0]
    moved = x[40].copy()
    curtain.positions = x
    x[40] = 7
    np.testing.assert_array_equal(curtain.positions[40], moved)


def test_no_world_returns_an_array_that_can_be_written() -> None:
    found = 0
    for name in WORLDS:
        sim = getattr(hostile_cases, name)()
        sim.step()
        for place, value in [("sim", sim), *readings(sim)]:
            for at, array in arrays(value, place):
                found += 1
                assert not array.flags.writeable, f"{at} of {name} can be written"
    assert found > 150, "worlds have these many arrays"


def test_no_public_callable_returns_or_keeps_an_array_that_can_be_written() -> None:
    found = 0
    for name, case in CASES.items():
        if name in OWN or case.attribute is not None:
            continue
        result = case.make()(**case.arguments)
        for at, array in arrays(result, name):
            found += 1
            assert not array.flags.writeable, f"{at} can be written"
    assert found > 150, "callables return these many arrays"


def test_a_description_keeps_what_was_checked() -> None:
    own = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    triangles = np.array([[0, 1, 2]], np.uint32)
    mesh = pliant.TriangleMesh(own, triangles)
    own[0] = np.nan
    triangles[0] = 9
    np.testing.assert_array_equal(mesh.positions[0], 0)
    np.testing.assert_array_equal(mesh.triangles, [[0, 1, 2]])
    assert own.flags.writeable, "the user's own array stays writable"
    read = pliant.Simulation(pliant.Body(mesh, pliant.ClothMaterial())).positions
    assert pliant.Points(read).positions is read, "what nobody can write is not copied"


def test_buffers_and_pictures_are_read_only(curtain: pliant.Simulation) -> None:
    buffers = pliant.RenderBuffers(curtain)
    picture = pliant.show(curtain, size=(16, 16)).array()
    for array in (buffers.positions, buffers.normals, picture):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    skin = pliant.WrinkleMesh(pliant.sheet(1, 1, 8, 8, plane="xz"), pliant.sheet(1, 1, 16, 16, plane="xz"), reach=0.05)
    with pytest.raises(ValueError, match="read-only"):
        skin.follow(curtain.positions)[0] = 0
