"""Picking, dragging, arrays for drawing."""

from __future__ import annotations

import numpy as np
import pytest

import pliant


def flag() -> pliant.Simulation:
    mesh = pliant.sheet(width=1, height=1, columns=10, rows=10)
    return pliant.Simulation(pliant.Body(mesh, pliant.ClothMaterial(), name="flag"), gravity=(0, 0, 0))


def test_a_picked_vertex_is_dragged_until_it_is_let_go() -> None:
    sim = flag()
    picked = sim.pick((0.21, 0.02, 2.0), (0, 0, -1))
    assert picked is not None and picked.body == "flag" and picked.distance == pytest.approx(2.0)
    assert sim.positions[picked.vertex] == pytest.approx((0.2, 0.0, 0.0))
    assert sim.pick((5.0, 0.0, 2.0), (0, 0, -1)) is None
    with sim.grab(picked.body, picked.vertex, 50.0) as grab:
        for k in range(30):
            grab.move((0.2, 0.0, 0.01 * (k + 1)))
            sim.step()
        assert sim.positions[picked.vertex, 2] > 0.2
    with pytest.raises(ValueError, match="the grab of handle 0 is gone"):
        grab.move((0, 0, 0))
    with pytest.raises(ValueError, match="stiffness of a grab is -1"):
        sim.grab("flag", 3, -1.0)
    with pytest.raises(ValueError, match="has no vertex 500"):
        sim.grab("flag", 500, 1.0)


def test_render_buffers_lie_between_two_steps() -> None:
    sim = flag()
    buffers = pliant.RenderBuffers(sim)
    grab = sim.grab("flag", 60, 50.0)
    grab.move((0, 0, 0.3))
    before = sim.positions
    sim.step()
    buffers.advance()
    buffers.blend(0.25)
    expected = before + 0.25 * (sim.positions - before)
    assert buffers.positions.dtype == np.float32 and np.allclose(buffers.positions, expected, atol=1e-7)
    assert np.allclose(np.linalg.norm(buffers.normals, axis=1), 1, atol=1e-6)
    assert np.allclose(sim.normals[0], (0, 0, 1), atol=1e-2)
    with pytest.raises(ValueError, match="share is 2"):
        buffers.blend(2.0)
