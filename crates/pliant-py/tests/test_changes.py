"""Bodies, pins, attachments and colliders that come and go."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pliant


def cloth(name: str, height: float, **options: object) -> pliant.Body:
    mesh = pliant.sheet(width=0.5, height=0.5, columns=5, rows=5).moved((0, height, 0))
    return pliant.Body(mesh, pliant.ClothMaterial(), name=name, **options)  # type: ignore[arg-type]


def test_a_changed_world_is_the_world_that_would_have_been_built() -> None:
    tie = pliant.Attachment(("a", 0), ("b", 30), 50.0)
    ground = pliant.Collider.plane().at((0, -1, 0))
    built = pliant.Simulation([cloth("a", 0, pin=[5]), cloth("b", 1)], attachments=[tie], colliders=ground)
    changed = pliant.Simulation([cloth("a", 0, pin=[0]), cloth("gone", 3)], colliders=pliant.Collider.sphere(0.1))
    changed.add(cloth("b", 1))
    changed.remove("gone")
    changed.unpin("a", [0])
    changed.pin("a", [5])
    changed.attach(tie)
    changed.replace_collider(0, ground)
    for sim in (built, changed):
        sim.step(10)
    assert np.array_equal(built.positions, changed.positions)
    again = pickle.loads(pickle.dumps(changed))
    for sim in (changed, again):
        sim.step(5)
    assert np.array_equal(again.positions, changed.positions)
    changed.set_material("b", pliant.ClothMaterial.preset("silk"))
    again = pickle.loads(pickle.dumps(changed))
    for sim in (changed, again):
        sim.step(2)
    assert np.array_equal(again.positions, changed.positions)
    changed.detach(tie)
    changed.set_body_solver("b", pliant.Newton())
    changed.remove_collider(0)
    changed.step()
    assert "Newton" in changed.solver_of("b")


def test_a_change_that_cannot_be_made_changes_nothing() -> None:
    sim = pliant.Simulation(cloth("a", 0, pin=[0]))
    sim.step(2)
    before = sim.checkpoint()
    for change, message in [
        (lambda: sim.remove("b"), "there is no body 'b'"),
        (lambda: sim.remove("a"), "is the only one"),
        (lambda: sim.add(cloth("a", 2)), "a"),
        (lambda: sim.unpin("a", [3]), 'vertex 3 of body "a" is not pinned'),
        (lambda: sim.pin("a", [99]), "99"),
        (lambda: sim.attach(pliant.Attachment(("a", 0), ("c", 0), 1.0)), "there is no body"),
        (lambda: sim.detach(pliant.Attachment(("a", 0), ("a", 3), 1.0)), "there is no attachment"),
        (lambda: sim.remove_collider(0), "there is no collider 0"),
        (lambda: sim.set_material("a", pliant.SolidMaterial()), "is not made of a solid"),
        (lambda: sim.set_material("a", pliant.RodMaterial()), "cannot be replaced while"),
    ]:
        with pytest.raises(ValueError, match=message):
            change()
    assert sim.checkpoint() == before
    with pytest.raises(ValueError, match="come from its file"):
        pliant.load_scene("curtain").remove("curtain")


def test_things_come_and_go_and_nothing_else_is_factored_again() -> None:
    sim = pliant.Simulation(cloth("thing 0", 0, pin=[0]), colliders=pliant.Collider.plane().at((0, -2, 0)))
    assert sim.step().solve.factored == 1
    for number in range(1, 30):
        sim.add(cloth(f"thing {number}", number, pin=[0]))
        assert sim.step().solve.factored == 1
    saved = pickle.dumps(sim)
    sim.step(2)
    again = pickle.loads(saved)
    again.step(2)
    assert np.array_equal(again.positions, sim.positions)
    for number in range(0, 29, 2):
        sim.remove(f"thing {number}")
    assert sim.step().solve.factored == 0
    assert sim.bodies == [f"thing {number}" for number in (*range(1, 29, 2), 29)]


def test_bodies_of_a_scene_come_and_go() -> None:
    run = pliant.load_scene("guests")
    seen = [run.bodies]
    while run.frame < 100:
        run.next_frame()
        if run.bodies != seen[-1]:
            seen.append(run.bodies)
    guests = ["first"], ["first", "second"], ["first", "second", "third"], ["second", "third"]
    assert seen == [["sheet", *names] for names in guests]
    assert len(run.positions) == sum(run.vertices(name).stop - run.vertices(name).start for name in run.bodies)
