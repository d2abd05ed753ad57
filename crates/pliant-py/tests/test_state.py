"""State: positions and velocities in and out, forces, pins, goals, reports, checkpoints."""

import pickle

import numpy as np
import pytest

import pliant


def test_positions_are_float64_snapshots(curtain: pliant.Simulation) -> None:
    x = curtain.positions
    assert x.dtype == np.float64 and x.shape == (81, 3) and x.flags.c_contiguous and not x.flags.writeable
    kept = x.copy()
    curtain.step()
    assert (x == kept).all(), "a snapshot stays as it was"
    assert not (curtain.positions == x).all()
    out = np.empty((81, 3))
    assert curtain.read_positions(out) is out and (out == curtain.positions).all()
    curtain.read_velocities(out)
    assert (out == curtain.velocities).all()


def test_state_can_be_set_from_any_real_array(curtain: pliant.Simulation) -> None:
    x = curtain.positions
    curtain.positions = (2 * x.astype(np.float32))[::1]
    np.testing.assert_allclose(curtain.positions, 2 * x, rtol=1e-6)
    velocities = np.asfortranarray(np.ones_like(x))
    curtain.velocities = velocities
    assert (curtain.velocities == 1).all()
    np.testing.assert_allclose(curtain.positions, 2 * x, rtol=1e-6)


def test_setting_velocities_leaves_the_targets_of_pins(curtain: pliant.Simulation) -> None:
    target = curtain.positions[curtain.pinned] + [0, 0.1, 0]
    curtain.move_pins(target)
    curtain.velocities = 0 * curtain.velocities
    curtain.step()
    assert (curtain.positions[curtain.pinned] == target).all()


def test_a_free_body_falls_as_gravity_and_forces_say() -> None:
    body = pliant.Body(pliant.box((1, 1, 1), (1, 1, 1)), pliant.SolidMaterial(density=8.0), name="box")
    sim = pliant.Simulation(body, time_step=0.01, substeps=1, integrator="implicit-euler")
    mass = sim.masses.sum()
    assert mass == pytest.approx(8.0)
    sim.step(10)
    report = sim.report()
    np.testing.assert_allclose(report.momentum, [0, -9.81 * 0.1 * mass, 0], atol=1e-9)
    np.testing.assert_allclose(report.centre_of_mass, [0, -9.81 * 0.01**2 * 55, 0], atol=1e-9)
    assert report.kinetic == pytest.approx(0.5 * mass * (9.81 * 0.1) ** 2)
    assert report.total == pytest.approx(report.kinetic + report.potential + report.gravitational)
    # A force against the weight, by array and by function, keeps the momentum.
    up = np.zeros((len(sim), 3))
    up[:, 1] = 9.81 * sim.masses
    sim.forces = up
    sim.step(5)
    np.testing.assert_allclose(sim.report().momentum, report.momentum, atol=1e-9)
    sim.forces = 0 * up
    sim.force = lambda sim: up * (2 if sim.time > 0 else 0)
    sim.step(10)
    np.testing.assert_allclose(sim.report().momentum, 0, atol=1e-9)
    assert (sim.forces == 2 * up).all()


def test_pins_and_handles_go_where_they_are_told() -> None:
    rope = pliant.rope((0, 0, 0), (1, 0, 0), 10)
    body = pliant.Body(
        rope, pliant.StrandMaterial(), name="rope", pin=np.arange(11) == 0, energies=pliant.PositionGoals([10], 1e6)
    )
    other = pliant.Body(pliant.rope((0, 5, 0), (1, 5, 0), 2), pliant.StrandMaterial(), name="other", pin=[0, 2])
    sim = pliant.Simulation([other, body], gravity=(0, 0, 0), solver=pliant.Newton())
    assert sim.vertices("rope") == slice(3, 14) and sim.pinned.tolist() == [0, 2, 3]
    for step in range(20):
        sim.move_pins([[0, 0.05 * step, 0]], [0], body="rope")
        sim.set_goals([[1, 0.05 * step, 0]])
        sim.step()
    own = sim.positions[sim.vertices("rope")]
    np.testing.assert_allclose(own[0], [0, 0.95, 0], atol=0)
    np.testing.assert_allclose(own[10], [1, 0.95, 0], atol=1e-3)
    np.testing.assert_allclose(sim.goals(), [[1, 0.95, 0]], rtol=1e-15)
    assert np.abs(sim.positions[0] - [0, 5, 0]).max() == 0
    assert sim.pin_forces().shape == (3, 3)


def test_settings_change_between_steps(curtain: pliant.Simulation) -> None:
    curtain.gravity = (0, 0, 0)
    curtain.wind = pliant.Wind((0, 5, 0))
    curtain.time_step = 0.01
    curtain.solver = pliant.Newton()
    before = curtain.time
    still, heavy = (pickle.loads(pickle.dumps(curtain)) for _ in range(2))
    still.wind = pliant.Wind((0, 0, 0))
    heavy.gravity = (0, -9.81, 0)
    for sim in (curtain, still, heavy):
        sim.step(5)
    assert curtain.time == pytest.approx(before + 0.05)
    height, becalmed, loaded = (sim.report().centre_of_mass[1] for sim in (curtain, still, heavy))
    assert height > becalmed + 1e-3, "the wind lifts it"
    assert height > loaded + 1e-3, "its weight would pull it down"
    assert curtain.gravity == (0, 0, 0) and curtain.wind == pliant.Wind((0, 5, 0))
    again = pickle.loads(pickle.dumps(curtain))
    assert again.solver == pliant.Newton() and again.wind == curtain.wind and again.time_step == 0.01


def test_substeps_are_equal_parts_of_a_step() -> None:
    mesh = pliant.sheet(1, 1, 6, 6, plane="xz")
    body = pliant.Body(mesh, pliant.ClothMaterial(), pin=[0, 6])
    one, many = pliant.Simulation(body, substeps=3), pliant.Simulation(body, time_step=1 / 60 / 3, substeps=1)
    assert one.substeps == 3 and many.substeps == 1
    for _ in range(4):
        report = one.step()
        iterations = [many.step().solve.iterations for _ in range(3)]
        assert report.solve.iterations == sum(iterations)
    assert one.positions.tobytes() == many.positions.tobytes()
    assert one.steps == 4 and one.time == pytest.approx(many.time, rel=1e-15)
    again = pickle.loads(pickle.dumps(one))
    assert again.substeps == 3
    one.move_pins(one.positions[one.pinned] + [0, 0.1, 0])
    one.step()
    np.testing.assert_allclose(one.velocities[one.pinned], [[0, 6, 0]] * 2, rtol=1e-12, atol=1e-12)
    again.substeps = 1
    again.step()
    assert again.substeps == 1 and again.steps == 5


def test_strains_are_those_of_the_elements(curtain: pliant.Simulation) -> None:
    mesh = pliant.sheet(1, 1, 8, 8, plane="xz")
    curtain.positions = mesh.positions * [1.1, 1.0, 0.8]
    (strains,) = curtain.element_strains("curtain")
    assert strains.kind == "triangle_strain" and (strains.elements == mesh.triangles).all()
    np.testing.assert_allclose(strains.stretches, np.tile([1.1, 0.8], (128, 1)), atol=1e-12)
    np.testing.assert_allclose(strains.stretches, mesh.principal_stretches(curtain.positions), atol=1e-14)
    np.testing.assert_allclose(pliant.vertex_strains(curtain), 0.2, atol=1e-12)


def test_checkpoints_continue_bit_for_bit(curtain: pliant.Simulation) -> None:
    saved = curtain.checkpoint()
    curtain.step(5)
    later = curtain.positions
    curtain.restore(saved)
    curtain.step(5)
    assert curtain.positions.tobytes() == later.tobytes()
    with pytest.raises(ValueError, match="damaged"):
        curtain.restore(saved[:-1])
    other = pliant.Simulation(pliant.Body(pliant.sheet(), pliant.ClothMaterial()))
    with pytest.raises(ValueError, match="another model"):
        other.restore(saved)


def test_a_refused_step_leaves_the_state(curtain: pliant.Simulation) -> None:
    curtain.velocities = np.full((81, 3), 1e9)
    before = curtain.checkpoint()
    with pytest.raises(pliant.StepError, match="vertex .* of body 'curtain'|body \"curtain\""):
        curtain.step()
    assert curtain.checkpoint() == before


def test_reports_can_be_read_printed_and_pickled(curtain: pliant.Simulation) -> None:
    report = curtain.step(2)
    assert report.step == 12 and report.time == pytest.approx(0.2) and report.solve.iterations == 10
    parts = report.seconds_predict + report.seconds_solve
    assert 0 < parts <= report.seconds_total
    again = pickle.loads(pickle.dumps(report))
    assert repr(again) == repr(report) and again.solve.residual == report.solve.residual
    assert "iterations=10" in repr(report) and "residual" in repr(report.solve)
    assert curtain.report().worst is not None


def test_example_weights_are_those_of_the_pose() -> None:
    box = pliant.box((1, 1, 1), (1, 1, 1))
    energy = pliant.ExampleBased(box.tets, [box.positions * [2, 1, 1]], 1.0, weights="global")
    body = pliant.Body(box, density=1.0, energies=energy, name="car", positions=box.positions * [1.25, 1, 1])
    np.testing.assert_allclose(pliant.Simulation(body).example_weights("car"), [[0.25]], atol=1e-6)


def test_eddies_come_from_their_seed_and_travel_with_the_simulation() -> None:
    def tip(wind: pliant.Wind, width: float | None = None) -> np.ndarray:
        rope = pliant.Body(pliant.rope((0, 0, 0), (0, -1, 0), 6), pliant.StrandMaterial(width=width), pin=[0])
        sim = pliant.Simulation(rope, wind=wind)
        sim.step(10)
        assert sim.wind == wind
        again = pickle.loads(pickle.dumps(sim))
        sim.step(5)
        again.step(5)
        np.testing.assert_array_equal(again.positions, sim.positions)
        last: np.ndarray = sim.positions[6]
        return last

    def gusty(seed: int) -> pliant.Wind:
        return pliant.Wind((0, 0, 4), turbulence=pliant.Turbulence(0.4, length=0.8, seed=seed))

    np.testing.assert_array_equal(tip(gusty(1)), tip(gusty(1)))
    assert np.abs(tip(gusty(1)) - tip(gusty(2))).max() > 1e-5
    assert tip(pliant.Wind((0, 0, 4)), 0.02)[2] > 2 * tip(pliant.Wind((0, 0, 4)))[2] > 0
    with pytest.raises(ValueError, match="length of turbulence is 0"):
        tip(pliant.Wind((0, 0, 4), turbulence=pliant.Turbulence(0.4, length=0)))
    with pytest.raises(ValueError, match="turbulence"):
        tip(pliant.Wind((0, 0, 4), turbulence=0.4))  # type: ignore[arg-type]


def test_a_world_settles_where_its_forces_balance() -> None:
    mesh = pliant.rope((0, 0, 0), (0, -1, 0), 8)
    material = pliant.StrandMaterial(density=0.5, axial_stiffness=20.0)
    sim = pliant.Simulation(pliant.Body(mesh, material, name="rope", pin=[0]), solver=pliant.Newton())
    found = sim.settle(1e-5)
    assert found.relative <= 1e-5 and found.body == "rope" and found.residual < 1e-4
    assert -sim.positions[8, 1] == pytest.approx(1 + 0.5 * 9.81 / 40, rel=1e-4)
    assert sim.time == 0 and not sim.velocities.any()
    free = pliant.Simulation(pliant.Body(mesh, material, name="stone"))
    with pytest.raises(pliant.StepError, match='"stone" has no equilibrium'):
        free.settle()
    np.testing.assert_array_equal(free.positions, mesh.positions)


def test_a_step_tells_where_its_energy_came_from() -> None:
    sheet = pliant.sheet(columns=6, rows=6)
    body = pliant.Body(sheet, pliant.ClothMaterial(), pin=[0, 6])
    sim = pliant.Simulation(body, integrator="tr-bdf2")
    sim.step(5)
    sim.move_pins(sim.positions[[0, 6]] + [0.0, 0.02, 0.0])
    energy = pickle.loads(pickle.dumps(sim.step())).energy
    assert energy["pins"] > 0.0
    assert energy["kinetic"] > 0.0
    assert energy["redone"] == energy["slowed"] == 0
    assert set(energy) >= {
        "elastic",
        "released",
        "colliders",
        "handles",
        "forces",
        "pressure",
        "wind",
        "emitters",
        "gained",
    }
