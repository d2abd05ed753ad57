"""Bodies run into colliders, from Python as from Rust."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import pliant

FALL = 9.81


def cloth(height: float, name: str = "cloth") -> pliant.Body:
    mesh = pliant.sheet(0.4, 0.4, 8, 8, plane="xz").moved((0, height, 0))
    return pliant.Body(mesh, pliant.ClothMaterial(), name=name)


def grain(x: float, y: float, z: float = 0.0) -> pliant.Body:
    return pliant.Body(pliant.Points([[x, y, z]]), masses=0.1)


def test_contacts_carry_what_lies_on_a_floor() -> None:
    sim = pliant.Simulation(cloth(0.05), colliders=pliant.Collider.plane(friction=0.5, name="floor"))
    report = sim.step(60)
    contacts = sim.contacts()
    assert len(contacts) == report.solve.contacts == 81
    assert sorted(contacts.vertices) == list(range(81)) and (contacts.colliders == 0).all()
    assert np.allclose(contacts.normals, [0, 1, 0])
    assert contacts.forces.sum(axis=0) == pytest.approx([0, sim.masses.sum() * FALL, 0], rel=0.01, abs=1e-3)
    assert sim.positions[:, 1].min() > 0


def test_friction_holds_what_slides_without_it() -> None:
    def slid(friction: float) -> float:
        slope = pliant.Collider.plane(friction=friction).turned((0, 0, 1), 20)
        sim = pliant.Simulation(grain(0.0, 0.002), colliders=[slope])
        sim.step(30)
        return float(np.linalg.norm(sim.positions[0]))

    assert slid(0.5) < 0.01
    seconds = 0.5
    assert slid(0.0) == pytest.approx(0.5 * FALL * np.sin(np.radians(20)) * seconds**2, rel=0.1)


BALL = pliant.icosphere(0.2, 3)
GRID = np.linspace(-0.3, 0.3, 25)
DISTANCES = np.linalg.norm(np.stack(np.meshgrid(GRID, GRID, GRID, indexing="ij")), axis=0) - 0.2
SHAPES = {
    "sphere": pliant.Collider.sphere(0.2),
    "capsule": pliant.Collider.capsule(0.1, 0.2),
    "box": pliant.Collider.box((0.4, 0.4, 0.4)),
    "cylinder": pliant.Collider.cylinder(0.3, 0.4),
    "heightfield": pliant.Collider.heightfield(np.full((3, 4), 0.2), (1.0, 1.0)).at((-1.5, 0, -1)),
    "mesh": pliant.Collider.mesh(BALL),
    "animated": pliant.Collider.animated(BALL, [0, 1], np.stack([BALL.positions] * 2)),
    "distances": pliant.Collider.distances(DISTANCES, GRID[1] - GRID[0], (-0.3, -0.3, -0.3)),
}


@pytest.mark.parametrize("shape", list(SHAPES))
def test_every_shape_stops_a_grain_at_its_top(shape: str) -> None:
    # Without friction a grain rolls off the corner of a mesh.
    sim = pliant.Simulation(grain(0.0, 0.3), colliders=[replace(SHAPES[shape], friction=0.9)])
    sim.step(40)
    assert sim.positions[0] == pytest.approx([0, 0.2, 0], abs=4e-3)


def test_a_collider_moves_from_key_to_key() -> None:
    lift = pliant.Collider.box((1, 0.1, 1), friction=0.9).moving([0, 1], [[0, -0.05, 0], [0, 0.45, 0]])
    sim = pliant.Simulation(grain(0.0, 0.001), colliders=[lift])
    sim.step(60)
    assert sim.positions[0, 1] == pytest.approx(0.5, abs=3e-3)
    half = np.sqrt(0.5)
    door = pliant.Collider.box((1, 1, 0.02)).moving([0, 1], np.zeros((2, 3)), [[1, 0, 0, 0], [half, 0, half, 0]])
    sim = pliant.Simulation(grain(0.3, 0, -0.03), colliders=[door], gravity=(0, 0, 0))
    sim.step(30)
    assert sim.positions[0, 2] < -0.1, "the door pushes it away"


def test_a_world_in_contact_pickles_with_its_colliders() -> None:
    colliders = [pliant.Collider.sphere(0.15, friction=0.4), pliant.Collider.plane().at((0, -0.5, 0))]
    sim = pliant.Simulation(
        [cloth(0.16, "lower"), cloth(0.17, "upper")],
        colliders=colliders,
        self_collision=pliant.SelfCollision(thickness=4e-3),
    )
    sim.step(40)
    again = pickle.loads(pickle.dumps(sim))
    one, other = sim.step(5), again.step(5)
    assert again.positions.tobytes() == sim.positions.tobytes()
    assert one.self_collision is not None and one.self_collision["contacts"] > 0
    told = pickle.loads(pickle.dumps(one)).solve
    for name in ["contacts", "rank_one_updates", "refactorisations", "linear_iterations"]:
        assert getattr(told, name) == getattr(one.solve, name) == getattr(other.solve, name)
    assert told.contacts > 0


def test_surfaces_do_not_pass_through_each_other() -> None:
    apart = pliant.SelfCollision(thickness=4e-3, friction=0.2)
    mesh = pliant.sheet(0.4, 0.4, 8, 8, plane="xz")
    held = pliant.Body(mesh, pliant.ClothMaterial(), name="held", pin=np.abs(mesh.positions[:, 0]) > 0.19)
    sim = pliant.Simulation([held, cloth(0.05)], self_collision=apart)
    sim.step(60)
    free = pliant.Simulation([held, cloth(0.05)])
    free.step(60)
    assert sim.positions[sim.vertices("cloth"), 1].mean() > -0.2
    assert free.positions[free.vertices("cloth"), 1].mean() < -1.0


def test_displacement_is_a_mode_of_contact() -> None:
    sim = pliant.Simulation(
        cloth(0.02), colliders=pliant.Collider.plane(), contact=pliant.ContactParams(mode="displacement")
    )
    report = sim.step(40)
    assert sim.positions[:, 1].min() > -1e-3
    assert report.solve.rank_one_updates == report.solve.refactorisations == 0


def test_pictures_show_colliders() -> None:
    bare = pliant.show(pliant.Simulation(cloth(0.3)), size=(96, 60)).array()
    with_ball = pliant.show(pliant.Simulation(cloth(0.3), colliders=[SHAPES["sphere"]]), size=(96, 60)).array()
    assert (bare != with_ball).any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pliant.Collider.sphere(float("nan")), "radius is nan"),
        (lambda: pliant.Collider.sphere("large"), "radius is 'large'"),
        (lambda: pliant.Collider.sphere(-1.0), 'collider "0": radius is -1'),
        (lambda: pliant.Collider.plane(friction=-1.0, name="floor"), 'collider "floor": friction is -1'),
        (lambda: pliant.Collider.plane(restitution=2.0), "restitution is 2"),
        (lambda: pliant.Collider.box((1, 1)), r"size has the shape \(2,\)"),
        (lambda: pliant.Collider.heightfield([1.0, 2.0], (1, 1)), "heights has the shape"),
        (lambda: pliant.Collider.mesh(pliant.sheet(1, 1, 2, 2)), "must be closed"),
        (lambda: pliant.Collider.plane().moving([0, 0], np.zeros((2, 3))), "key 1 is at 0 s, not after"),
        (lambda: pliant.Collider.plane().moving([], np.zeros((0, 3))), "times is empty"),
        (
            lambda: pliant.Collider.plane().moving([0], np.zeros((1, 3)), [[1, 1, 0, 0]]),
            r"rotations\[0\] has the length",
        ),
        (lambda: pliant.Collider.plane().turned((0, 0, 0), 5), "axis has no length"),
    ],
)
def test_what_is_wrong_with_a_collider_is_named(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=message):
        pliant.Simulation(cloth(0.1), colliders=[make()])


def test_an_unknown_setting_of_a_collider_is_named() -> None:
    with pytest.raises(TypeError, match="no 'fricton'"):
        pliant.Collider.sphere(1.0, fricton=0.3)
    with pytest.raises(ValueError, match='mode is "soft"'):
        pliant.Simulation(cloth(0.1), contact=pliant.ContactParams("soft"))
