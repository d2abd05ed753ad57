"""Lattices and octrees: solids of particles, their regions, and surfaces that follow them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import pliant


def swing(body: pliant.Body, steps: int = 30) -> Any:
    """Positions after steps from a stretched start, without gravity."""
    sim = pliant.Simulation(body, solver=pliant.PositionBased(iterations=3), gravity=(0, 0, 0))
    sim.positions = sim.positions * [1.2, 0.9, 1.0]
    sim.step(steps)
    return sim.positions


def lists_of(lattice: pliant.Lattice, width: int) -> list[list[int]]:
    """Cubes around the particles of a block without a crack."""
    cells = lattice.cells
    return [np.flatnonzero((np.abs(cells - cell) <= width).all(axis=1)).tolist() for cell in cells]


def test_a_lattice_moves_as_lists_of_its_regions_do() -> None:
    lattice = pliant.Lattice.block((6, 3, 4), 0.1)
    assert len(lattice) == 72 and lattice.positions[0] == pytest.approx([0.05, 0.05, 0.05])
    for width in (1, 2):
        # With a limit, lists keep it in each region and lattices in the mean of goals.
        made = [lattice.regions(width), pliant.Regions.of(lists_of(lattice, width))]
        fast, listed = (swing(lattice.body(1000, pliant.Matching(regions, limit=None))) for regions in made)
        np.testing.assert_allclose(fast, listed, atol=1e-10)


def test_an_octree_moves_as_lists_of_its_regions_do() -> None:
    octree = pliant.Octree.fill(pliant.Collider.sphere(0.3), 0.15, 1)
    assert octree.sizes.min() == 0.075 and len(octree) > 50
    edges, x = octree.edges(), octree.positions
    distances = np.full((len(octree), len(octree)), np.inf)
    np.fill_diagonal(distances, 0)
    steps = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
    distances[edges[:, 0], edges[:, 1]] = distances[edges[:, 1], edges[:, 0]] = steps
    for k in range(len(octree)):
        distances = np.minimum(distances, distances[:, k : k + 1] + distances[k : k + 1])
    lists = [np.flatnonzero(row <= 0.2 * (1 + 1e-9)) for row in distances]
    made = [octree.regions(0.2), octree.regions(np.full(len(octree), 0.2)), pliant.Regions.of(lists)]
    fast, each, listed = (swing(octree.body(1000, pliant.Matching(regions, limit=None))) for regions in made)
    assert fast.tobytes() == each.tobytes()
    np.testing.assert_allclose(fast, listed, atol=1e-10)


def test_a_closed_mesh_and_a_collider_are_filled_alike() -> None:
    mesh = pliant.icosphere(radius=0.3, subdivisions=4)
    of_mesh = pliant.Lattice.fill(mesh.moved((1, 0, 0)), 0.1)
    of_ball = pliant.Lattice.fill(pliant.Collider.sphere(0.3).at((1, 0, 0)), 0.1)
    assert np.array_equal(of_mesh.cells, of_ball.cells)
    np.testing.assert_allclose(of_mesh.positions.mean(axis=0), (1, 0, 0), atol=1e-12)
    turned = pliant.Lattice.fill(pliant.Collider.box((0.4, 0.2, 0.2)).at((0, 0, 0)).turned((0, 0, 1), 90), 0.1)
    assert np.ptp(turned.positions, axis=0) == pytest.approx([0.1, 0.3, 0.1])
    axes = np.linspace(-0.5, 0.5, 41)
    grid = np.stack(np.meshgrid(axes, axes, axes, indexing="ij"), -1)
    sampled = pliant.Collider.distances(np.linalg.norm(grid, axis=-1) - 0.3, 0.025, (-0.5, -0.5, -0.5))
    assert len(pliant.Lattice.fill(sampled, 0.1)) == len(pliant.Lattice.fill(pliant.Collider.sphere(0.3), 0.1))
    for solid in (pliant.Collider.capsule(0.1, 0.4), pliant.Collider.cylinder(0.1, 0.4), pliant.Collider.mesh(mesh)):
        assert 0 < len(pliant.Octree.fill(solid, 0.1, 0)) < 1000


def test_cells_are_split_where_a_function_says_so() -> None:
    box = pliant.Collider.box((0.4, 0.2, 0.2))
    octree = pliant.Octree.fill(box, 0.1, 1, splits=lambda centre, size, distance: centre[0] > 0 and distance < 0)
    assert len(octree) == 8 + 8 * 8
    assert (octree.sizes[octree.positions[:, 0] > 0] == 0.05).all()
    assert octree.sizes @ octree.sizes**2 == pytest.approx(0.4 * 0.2 * 0.2)

    def fails(centre: Any, size: float, distance: float) -> bool:
        raise KeyError("what I did not think of")

    with pytest.raises(KeyError, match="did not think of"):
        pliant.Octree.fill(box, 0.1, 1, splits=fails)


def test_a_cracked_lattice_falls_into_two() -> None:
    bar = pliant.Lattice.block((8, 2, 2), 0.1)
    edges = bar.edges()
    across = (bar.cells[edges] == 3)[:, :, 0].any(axis=1) & (bar.cells[edges] == 4)[:, :, 0].any(axis=1)
    cracked = bar.without_links(edges[across][:, ::-1])
    assert len(edges) - len(cracked.edges()) == 4
    body = cracked.body(1000, pliant.Matching(cracked.regions(2), toughness=10.0), name="bar")
    sim = pliant.Simulation(body, solver=pliant.PositionBased(iterations=3), gravity=(0, 0, 0))
    assert np.array_equal(sim.pieces("bar"), cracked.cells[:, 0] > 3)
    again = bar.without_links(edges[across][:2]).without_links(edges[across][2:])
    assert np.array_equal(again.edges(), cracked.edges())


def test_the_largest_piece_is_kept() -> None:
    parted = np.concatenate([pliant.icosphere(0.2, 2).positions, pliant.icosphere(0.3, 2).moved((1, 0, 0)).positions])
    triangles = pliant.icosphere(0.2, 2).triangles
    twins = pliant.TriangleMesh(parted, np.concatenate([triangles, triangles + len(parted) // 2]))
    whole = pliant.Lattice.fill(twins, 0.1)
    kept = pliant.Lattice.fill(twins, 0.1, largest_piece=True)
    assert len(kept) < len(whole) and kept.positions[:, 0].min() > 0.5


def test_a_surface_goes_along_with_what_fills_it() -> None:
    mesh = pliant.icosphere(radius=0.3, subdivisions=3)
    shear = np.array([[1.2, 0.1, 0], [0, 0.9, 0.2], [0.3, 0, 1.1]])
    for filled in (pliant.Lattice.fill(mesh, 0.09), pliant.Octree.fill(mesh, 0.15, 1)):
        skin = pickle.loads(pickle.dumps(filled.skin(mesh.positions)))
        assert len(skin) == len(mesh)
        np.testing.assert_allclose(skin.follow(filled.positions @ shear + 1), mesh.positions @ shear + 1, atol=1e-12)
        spin = filled.positions @ shear
        np.testing.assert_allclose(skin.velocities(filled.positions, spin), mesh.positions @ shear, atol=1e-12)


def test_solids_of_particles_travel() -> None:
    octree = pliant.Octree.fill(pliant.Collider.sphere(0.3), 0.15, 1)
    lattice = pliant.Lattice.block((4, 4, 4), 0.1)
    lattice = lattice.without_links(lattice.edges()[:3])
    for filled, regions in ((octree, octree.regions(0.2)), (lattice, lattice.regions(1))):
        sim = pliant.Simulation(filled.body(1000, pliant.Matching(regions)), solver=pliant.PositionBased())
        sim.step(3)
        again = pickle.loads(pickle.dumps(sim))
        sim.step(3)
        again.step(3)
        assert sim.positions.tobytes() == again.positions.tobytes()


BALL = pliant.icosphere(0.3, 2)
LATTICE = pliant.Lattice.block((3, 3, 3), 0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pliant.Lattice.block((3, 3), 0.1), "three whole numbers"),
        (lambda: pliant.Lattice.block((3, 3, 0), 0.1), "three whole numbers"),
        (lambda: pliant.Lattice.block((10**4, 10**4, 10**4), 0.1), "more than 1e8 cells"),
        (lambda: pliant.Lattice.block((3, 3, 3), 0.0), "spacing is 0"),
        (lambda: pliant.Lattice([[0.5, 0, 0]], 0.1), "cells has the shape"),
        (lambda: pliant.Lattice([[2**40, 0, 0]], 0.1), "2\\*\\*31"),
        (lambda: pliant.Lattice.fill(BALL, float("nan")), "spacing is nan"),
        (lambda: pliant.Lattice.fill(BALL, 1e-6), "number of cells"),
        (lambda: pliant.Lattice.fill(pliant.torus(0.3, 0.01), 1.0), "no cell has its middle inside"),
        (lambda: pliant.Lattice.fill(pliant.cylinder(), 0.1), "the surface is open"),
        (lambda: pliant.Lattice.fill(pliant.box(), 0.1), "solid is a TetMesh"),  # type: ignore[arg-type]
        (lambda: pliant.Lattice.fill(pliant.Collider.plane(), 0.1), "shape 'plane'"),
        (lambda: pliant.Lattice.fill(pliant.Collider.sphere(-1.0), 0.1), "radius"),
        (lambda: LATTICE.regions(0), "width is 0"),
        (lambda: LATTICE.without_links([[0, 26]]), "cut\\[0\\] is \\[0, 26\\], which are no neighbours"),
        (lambda: LATTICE.without_links([[0, 99]]), "only 27 vertices"),
        (lambda: LATTICE.body(0, pliant.Matching(LATTICE.regions(1))), "density is 0"),
        (lambda: LATTICE.skin([[0, 0, float("inf")]]), "points\\[0, 2\\]"),
        (lambda: LATTICE.skin([[0, 0, 0]]).follow(np.zeros((3, 3))), "positions has the shape"),
        (lambda: pliant.Octree.fill(BALL, 0.1, 17), "levels is 17, but must be at most 16"),
        (lambda: pliant.Octree.fill(BALL, 0.1, 1, detail=-1), "detail is -1"),
        (lambda: pliant.Octree.fill(BALL, 0.1, 1).regions(-1), "must be at least 0"),
        (lambda: pliant.Octree([[0, 0, 0]], [0.1], [[0, 1]]), "only 1 vertices"),
        (
            lambda: pliant.Simulation(
                pliant.Body(pliant.Points([[0, 0, 0]]), masses=1, matching=pliant.Matching(LATTICE.regions(1))),
                solver=pliant.PositionBased(),
            ),
            "have 27 particles, but the body has 1",
        ),
    ],
)
def test_what_cannot_be_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
