"""Things that several tests look at."""

from __future__ import annotations

import numpy as np
import pytest

import pliant


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        for item in items:
            if "long" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes: run with --long"))


@pytest.fixture
def curtain() -> pliant.Simulation:
    """A silk sheet on two corners, after a few steps."""
    mesh = pliant.sheet(1, 1, 8, 8, plane="xz")
    pins = [mesh.vertex(0, 0), mesh.vertex(-1, 0)]
    body = pliant.Body(mesh, pliant.ClothMaterial.preset("silk"), name="curtain", pin=pins)
    sim = pliant.Simulation(body, solver=pliant.Projective())
    sim.step(10)
    return sim


def crumpled(rest: np.ndarray, amount: float) -> np.ndarray:
    """Positions away from rest, the same in every run."""
    return rest + amount * np.random.default_rng(1).standard_normal(rest.shape)
