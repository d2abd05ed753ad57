"""Every kind of body that docs/support.md has in its table, from Python: built, stepped, and with the number that is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pliant

PAGE = Path(__file__).parents[3] / "docs" / "support.md"
LINE = pliant.rope((-0.15, 0, 0), (0.15, 0, 0), 6)
FLAT = pliant.sheet(0.3, 0.3, 6, 6, plane="xz")


def _lattice() -> pliant.Body:
    lattice = pliant.Lattice.block((3, 3, 3), 0.1)
    return lattice.body(500, pliant.Matching(lattice.regions(1)))


def _octree() -> pliant.Body:
    octree = pliant.Octree.fill(pliant.Collider.sphere(0.14), 0.1, 1)
    return octree.body(500, pliant.Matching(octree.regions(0.2)))


KINDS: dict[str, Callable[[], pliant.Body]] = {
    "cloth": lambda: pliant.Body(FLAT, pliant.ClothMaterial.preset("cotton")),
    "solid": lambda: pliant.Body(pliant.box((0.2, 0.2, 0.2), (3, 3, 3)), pliant.SolidMaterial.preset("rubber")),
    "strand": lambda: pliant.Body(LINE, pliant.StrandMaterial()),
    "rigid body": lambda: pliant.Body.rigid(pliant.icosphere(0.1, 2)),
    "matched regions": lambda: pliant.Body(
        pliant.particle_block((0.2, 0.2, 0.2), 0.1),
        masses=0.05,
        matching=pliant.Matching(pliant.Regions.balanced(0.2)),
    ),
    "matched lattice": _lattice,
    "matched octree": _octree,
    "matched chain": lambda: pliant.Body(LINE, pliant.ChainMaterial(width=2)),
    "matched cloth": lambda: pliant.Body(FLAT, density=0.2, cloth_matching=pliant.ClothMatching()),
    "oriented particles": lambda: pliant.Body(LINE, pliant.OrientedMaterial(radius=0.01)),
    "fluid": lambda: pliant.Body(pliant.particle_block((0.2, 0.2, 0.2), 0.05), pliant.FluidMaterial(spacing=0.05)),
    "rod": lambda: pliant.Body(LINE, pliant.RodMaterial()),
    "hair": lambda: pliant.Body(LINE, pliant.HairMaterial(), pin=[0]),
}


def _row(name: str) -> list[str]:
    line = next(line for line in PAGE.read_text().splitlines() if line.startswith(f"| {name} |"))
    return [cell.strip() for cell in line.strip("|\n ").split("|")][1:]


def test_the_table_has_the_kinds_that_are_here() -> None:
    assert _row("feature") == list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_lies_on_the_ground_as_deep_as_the_table_says(kind: str) -> None:
    body = KINDS[kind]()
    ground = float(np.asarray(body.mesh.positions)[:, 1].min()) - 0.1
    sim = pliant.Simulation(body, colliders=[pliant.Collider.plane(friction=0.3).at((0, ground, 0))])
    sim.step(150)
    depth = 1e3 * (ground - float(sim.positions[:, 1].min()))
    told = _row("collider")[list(KINDS).index(kind)]
    assert re.fullmatch(r"-?\d+\.\d", told), f"{kind}: {told}"
    assert depth == pytest.approx(float(told), abs=0.6), f"{depth} mm deep"
