"""Fluids from Python: particles, pipes, density, and surfaces as arrays."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import pliant

SOLVER = pliant.PositionBased(4)
WATER = pliant.FluidMaterial(spacing=0.04)


def basin(fluid: pliant.Body, solver: pliant.PositionBased = SOLVER) -> pliant.Simulation:
    """A fluid between four walls of a square of 0.4 m, on the ground."""
    wall = pliant.Collider.box((0.2, 1, 0.8))
    walls = [wall.at((-0.3, 0.5, 0)), wall.at((0.3, 0.5, 0))]
    walls += [wall.turned((0, 1, 0), 90).at((0, 0.5, z)) for z in (-0.3, 0.3)]
    return pliant.Simulation(fluid, solver=solver, time_step=1 / 150, colliders=[pliant.Collider.plane(), *walls])


def still_water() -> pliant.Simulation:
    block = pliant.particle_block((0.4, 0.2, 0.4), WATER.spacing).moved((0, 0.1, 0))
    assert len(block) == 10 * 5 * 10
    return basin(pliant.Body(block, WATER, name="water"))


def test_a_particle_weighs_what_it_stands_for() -> None:
    sim = still_water()
    np.testing.assert_allclose(sim.masses, 1000 * 0.04**3)


def test_iterations_go_on_until_the_density_is_within_its_tolerance() -> None:
    block = pliant.particle_block((0.4, 0.4, 0.4), WATER.spacing).moved((0, 0.2, 0))
    solver = pliant.PositionBased(4, density_tolerance=1e-3)
    sim = basin(pliant.Body(block, WATER, name="water"), solver)
    solves = [sim.step().solve for _ in range(40)]
    assert max(solve.fluid["mean_excess"] for solve in solves if solve.fluid is not None) <= 1e-3
    assert 4 < max(solve.iterations for solve in solves) < 200


def test_still_water_keeps_its_density_and_depth() -> None:
    sim = still_water()
    report = sim.step(150).solve.fluid
    assert report is not None and report["particles"] == 500
    assert abs(report["mean_excess"]) < 0.02, report
    # g ρ H at the bottom; docs/fluids.md says how far off pressures are.
    assert report["largest_pressure"] == pytest.approx(9.81 * 1000 * 0.2, rel=0.6)
    assert np.isfinite(sim.positions).all() and len(sim) == 500
    mean = sim.positions[:, 1].mean()
    assert mean == pytest.approx(0.1, rel=0.1), "half of its depth"
    assert pickle.loads(pickle.dumps(sim.step())).solve.fluid["particles"] == 500


def test_pressures_grow_with_the_depth_as_the_weight_of_the_water_above() -> None:
    sim = still_water()
    with pytest.raises(ValueError, match="of 'water' are known after a step"):
        sim.fluid_pressures("water")
    dry = pliant.Simulation(pliant.Body(pliant.sheet(), pliant.ClothMaterial(), name="cloth"))
    with pytest.raises(ValueError, match='"cloth" is not a fluid'):
        dry.fluid_densities("cloth")
    sim.step(150)
    pressures, depths = np.zeros(500), np.zeros(500)
    for _ in range(50):
        sim.step()
        pressures += sim.fluid_pressures("water") / 50
        depths += (0.2 - sim.positions[:, 1]) / 50
    slope = (pressures @ depths) / (depths @ depths)
    assert slope == pytest.approx(9.81 * 1000, rel=0.1)
    densities = sim.fluid_densities("water")
    assert densities.shape == (500,) and np.median(densities) == pytest.approx(1000, rel=0.03)


def test_the_surface_of_a_block_encloses_its_volume_and_faces_outwards() -> None:
    block = pliant.particle_block((0.4, 0.2, 0.4), 0.04)
    vertices, triangles = pliant.fluid_surface(block.positions, 0.04)
    assert vertices.dtype == np.float64 and triangles.dtype == np.uint32 and triangles.shape[1] == 3
    mesh = pliant.TriangleMesh(vertices, triangles)
    assert len(mesh.rim()) == 0, "it is closed"
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    assert volume == pytest.approx(0.4 * 0.2 * 0.4, rel=0.1)
    sim = still_water()
    own, same = sim.fluid_surface("water"), pliant.fluid_surface(sim.positions, 0.04)
    np.testing.assert_array_equal(own[0], same[0])
    finer, _ = sim.fluid_surface("water", cell=0.012)
    assert len(finer) > 2 * len(own[0])


def test_a_dam_breaks_and_no_water_is_lost() -> None:
    column = pliant.particle_block((0.2, 0.4, 0.4), WATER.spacing).moved((-0.1, 0.2, 0))
    sim = basin(pliant.Body(column, WATER, name="water"))
    sim.step(150)
    x = sim.positions
    assert len(sim) == len(column) == 5 * 10 * 10 and np.isfinite(x).all()
    assert (x > [-0.2, 0, -0.2]).all() and (x[:, [0, 2]] < 0.2).all(), "it stays in the basin"
    assert 0.05 < x[:, 1].mean() < 0.16 and x[:, 0].max() > 0.15, "and has run out to the far wall"


def test_fluid_comes_out_of_a_pipe_at_the_speed_of_the_jet() -> None:
    pipe = pliant.Emitter((0, 1, 0), (0, -2, 0), radius=0.08, speed=2.0, duration=0.5)
    particles = pipe.particles(WATER.spacing)
    assert (particles.positions[:, 1] > 1).all()
    sim = pliant.Simulation(
        pliant.Body.emitted(pipe, WATER, name="jet"), solver=SOLVER, time_step=1 / 100, gravity=(0, 0, 0)
    )
    assert len(sim) == len(particles) and len(sim.fluid_surface("jet")[0]) == 0, "all is in the pipe yet"
    sim.step(25)
    out = sim.positions[:, 1] < 1
    assert out.mean() == pytest.approx(0.5, abs=0.1), "half of the time, half of the fluid"
    assert sim.velocities[:, 1] == pytest.approx(-2.0, abs=0.2)
    lowest = sim.positions[:, 1].min()
    vertices, _ = sim.fluid_surface("jet")
    assert vertices[:, 1].min() == pytest.approx(lowest, abs=0.04) and vertices[:, 1].max() < 1.06
    again = pickle.loads(pickle.dumps(sim))
    sim.step(5)
    again.step(5)
    assert sim.positions.tobytes() == again.positions.tobytes()


BLOCK = pliant.particle_block((0.1, 0.1, 0.1))


def sim_of(**change: float) -> pliant.Simulation:
    return pliant.Simulation(pliant.Body(BLOCK, pliant.FluidMaterial(**change), name="water"), solver=SOLVER)


def dense(tolerance: float, most: int = 200) -> pliant.Simulation:
    """Water that is solved until its density is within a tolerance."""
    solver = pliant.PositionBased(4, density_tolerance=tolerance, density_iterations=most)
    return pliant.Simulation(pliant.Body(BLOCK, WATER), solver=solver)


PIPE = {"radius": 0.1, "speed": 1.0, "duration": 1.0}
CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: pliant.particle_block((0.1, 0, 0.1)), "size is 0, but must be positive"),
    (lambda: pliant.particle_block((0.1, 0.1, 0.1), 0.0), "spacing is 0.0, but must be more than 0"),
    (lambda: pliant.particle_block((1e9, 1e9, 1e9)), "particles are too many"),
    (lambda: sim_of(spacing=-1.0), "spacing of the fluid is -1"),
    (lambda: sim_of(viscosity=float("nan")), "viscosity of the fluid is NaN"),
    (lambda: sim_of(separation=0.5), "separation of the fluid is 0.5"),
    (lambda: pliant.Simulation(pliant.Body(BLOCK, WATER), solver=pliant.Newton()), 'constraints of kind "fluid"'),
    (lambda: dense(0.0), "density_tolerance is 0, but must be above 0"),
    (lambda: dense(float("nan")), "density_tolerance is NaN, but must be above 0"),
    (lambda: dense(1e-3, 3), "density_iterations is 3, but must be at least the iterations, 4"),
    (
        lambda: sim_of().step(solver=pliant.Newton()),
        'constraints of kind "fluid", which only the position-based solver supports',
    ),
    (lambda: pliant.Emitter((0, 0, 0), (0, 0, 0), **PIPE), "direction is"),
    (lambda: pliant.Emitter((0, 0, 0), (0, 1, 0), **{**PIPE, "speed": 0.0}), "speed is 0.0, but must be more than 0"),
    (lambda: pliant.Emitter((0, float("nan"), 0), (0, 1, 0), **PIPE), r"mouth\[1\] is nan"),
    (
        lambda: pliant.Emitter((0, 0, 0), (0, 1, 0), **{**PIPE, "duration": 1e12}).particles(0.02),
        "particles are too many",
    ),
    (lambda: pliant.Body.emitted("pipe"), "emitter is a str"),  # type: ignore[arg-type]
    (lambda: pliant.fluid_surface(np.zeros((4, 2)), 0.1), r"particles has the shape \(4, 2\)"),
    (lambda: pliant.fluid_surface(np.zeros((4, 3)), 0.1, cell=1e-9), "cell is 1e-9, but must be at least"),
    (lambda: pliant.fluid_surface(np.full((1, 3), 1e19), 0.1), r"particles\[0\] is .* too far"),
    (lambda: pliant.fluid_surface(np.zeros((4, 3)), 0.1, radius=-1), "radius is -1.0"),
    (lambda: sim_of().fluid_surface("wine"), "there is no body 'wine'"),
    (
        lambda: pliant.Simulation(pliant.Body(BLOCK, masses=1.0, name="dust")).fluid_surface("dust"),
        "body 'dust' is not a fluid",
    ),
    (lambda: pliant.Body(pliant.sheet(), WATER), "a FluidMaterial does not belong to Sheet"),
]


@pytest.mark.parametrize(("attempt", "message"), CASES, ids=range(len(CASES)))
def test_what_is_wrong_with_fluids_is_refused_by_name_and_value(attempt: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attempt()


def test_a_rope_in_water_says_that_water_flows_through_it() -> None:
    water = pliant.Body(pliant.particle_block((0.2, 0.2, 0.2), WATER.spacing), WATER, name="water")
    rope = pliant.rope((-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), segments=6)
    with pytest.raises(ValueError, match='"rope" has no surface, so fluid would do nothing to it'):
        pliant.Simulation([water, pliant.Body(rope, pliant.StrandMaterial(), name="rope")])
    passed = pliant.Body(rope, pliant.StrandMaterial(), name="rope", permeable=True)
    pliant.Simulation([water, passed]).step()
