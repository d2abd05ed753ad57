"""Every angle says whether it is in degrees or radians, and every number says what it is, where a user looks: in help()."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
from test_hostile import public

import pliant

#: Words in names of angles, rotations and what turns.
ANGLES = re.compile(r"(?<![a-z])(angle|degree|radian|twist|turn|rotat|spin|orientation|angular|quaternion|frequenc)")
#: Units of those, as docstrings name them.
UNITS = re.compile(r"\[rad|\[°|\[Hz\]|radians|degrees|quaternion", re.IGNORECASE)


def docs(name: str) -> str:
    """What help() says of a public name."""
    thing: Any = pliant
    for part in name.split("."):
        thing = inspect.getattr_static(thing, part) if inspect.isclass(thing) else getattr(thing, part)
    if isinstance(thing, (classmethod, staticmethod)):
        thing = thing.__func__
    return inspect.getdoc(thing) or ""


def parameters() -> Iterator[tuple[str, inspect.Parameter]]:
    """All parameters of public callables, with the names of the callables."""
    for name, thing in public().items():
        if thing is None:
            continue
        for parameter in inspect.signature(thing).parameters.values():
            if parameter.name not in ("self", "cls") and parameter.kind not in (
                parameter.VAR_POSITIONAL,
                parameter.VAR_KEYWORD,
            ):
                yield name, parameter


def said_of(parameter: str, text: str) -> str:
    """What a text says of a parameter: from its name on, as far as one looks for a unit."""
    found = re.search(rf"(?<![.\w]){re.escape(parameter)}\b", text)
    return "" if found is None else text[found.start() : found.start() + 200]


def readable() -> Iterator[tuple[str, str]]:
    """Public properties and methods of all public classes."""
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        if inspect.isclass(thing):
            for kind in thing.__mro__:
                if kind.__module__.startswith("pliant"):
                    for member, raw in vars(kind).items():
                        if not member.startswith("_") and (isinstance(raw, property) or inspect.isfunction(raw)):
                            yield f"{name}.{member}", member


def test_every_angle_among_parameters_names_its_unit() -> None:
    checked = 0
    for name, parameter in parameters():
        if ANGLES.search(parameter.name):
            text = docs(name)
            # A method's own text is about few parameters; that of a class about many.
            said = said_of(parameter.name, text) if inspect.isclass(public()[name]) else text
            assert UNITS.search(said), f"{name}: the docstring does not name the unit of {parameter.name}: {said!r}"
            checked += 1
    assert checked >= 14, f"there are only {checked} angles: has the search changed?"


def test_every_angle_that_is_read_names_its_unit() -> None:
    checked = 0
    for name, member in readable():
        if ANGLES.search(member):
            assert UNITS.search(docs(name)), f"{name}: the docstring names no unit"
            checked += 1
    assert checked >= 5, f"there are only {checked}: has the search changed?"


def test_every_number_is_explained_by_name_or_by_its_unit() -> None:
    silent = []
    for name, parameter in parameters():
        if "float" not in str(parameter.annotation):
            continue
        text = docs(name)
        is_method = not inspect.isclass(public()[name])
        if not said_of(parameter.name, text) and not (is_method and re.search(r"\[[^\]]+\]", text)):
            silent.append(f"{name}({parameter.name})")
    assert not silent, f"no word about {silent}"


def test_degrees_and_radians_are_what_they_say() -> None:
    mesh = pliant.TriangleMesh([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2]])
    assert mesh.rotated((0, 0, 1), 90).positions[0] == pytest.approx([0, 1, 0])
    collider = pliant.Collider.box((1, 1, 1)).turned((0, 0, 1), 180)
    assert collider.rotation == pytest.approx((0, 0, 0, 1))
    wire = pliant.rope((0, 0, 0), (1, 0, 0), 4)
    rod = pliant.Body(wire, pliant.RodMaterial(), name="rod", pin=[0, 1])
    sim = pliant.Simulation(rod, solver=pliant.PositionBased(2), gravity=(0, 0, 0))
    before = sim.orientations("rod")[0]
    sim.twist_rod("rod", 0, 1.0)
    turn = 2 * math.acos(abs(float(before @ sim.orientations("rod")[0])))
    assert turn == pytest.approx(1.0), "one radian"
