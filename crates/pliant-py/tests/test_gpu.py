"""Solvers on a graphics processor, or on a program in place of one."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import pliant

ADAPTER = os.environ.get("PLIANT_GPU")
needs_adapter = pytest.mark.skipif(
    not pliant.gpu_adapters(),
    reason="there is no GPU here, nor a program in place of one (on Debian: mesa-vulkan-drivers)",
)


def cloth(solver: pliant.Gpu | pliant.Projective | pliant.Auto, **settings: object) -> pliant.Simulation:
    mesh = pliant.sheet(1, 1, 10, 10, plane="xz")
    body = pliant.Body(mesh, pliant.ClothMaterial.preset("cotton"), name="cloth", pin=[0, 10])
    return pliant.Simulation(body, solver=solver, **settings)  # type: ignore[arg-type]


@needs_adapter
def test_it_moves_cloth_as_the_cpu_does() -> None:
    plain = pliant.Projective.plain(10)
    cpu, gpu = cloth(plain), cloth(pliant.Gpu(plain, ADAPTER))
    cpu.step(20)
    gpu.step(20)
    assert gpu.solver_in_use == "GPU"
    assert cpu.positions[:, 1].min() < -0.1
    assert np.abs(cpu.positions - gpu.positions).max() < 1e-4


@needs_adapter
def test_it_travels_and_gives_the_same_bits() -> None:
    description = pliant.Gpu(pliant.Projective.plain(5), ADAPTER)
    assert pickle.loads(pickle.dumps(description)) == description
    here = cloth(description)
    here.step(3)
    there = pickle.loads(pickle.dumps(here))
    here.step(3)
    there.step(3)
    assert here.positions.tobytes() == there.positions.tobytes()


@needs_adapter
def test_without_a_method_it_has_the_substeps_of_auto() -> None:
    assert cloth(pliant.Gpu(adapter=ADAPTER)).substeps == cloth(pliant.Auto()).substeps == 4


@needs_adapter
def test_adapters_are_described_and_tested() -> None:
    first = pliant.gpu_adapters()[0]
    assert first.name and first.buffer_size >= first.binding_size > 0
    checks = pliant.gpu_self_test(ADAPTER)
    assert [check.name for check in checks] == ["linear system", "cloth", "solid", "same bits again"]
    assert all(check.passes and check.problem is None for check in checks), checks


@needs_adapter
def test_what_it_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="Lbfgs"):
        cloth(pliant.Gpu(pliant.Projective(acceleration=pliant.Lbfgs())))
    cloth(pliant.Gpu(pliant.Projective()))


def test_an_adapter_that_is_not_there_is_named() -> None:
    for use in (lambda: cloth(pliant.Gpu(adapter="Voodoo 2")), lambda: pliant.gpu_self_test("Voodoo 2")):
        with pytest.raises(ValueError, match='looked for an adapter whose name contains "Voodoo 2", found'):
            use()


def test_descriptions_are_checked() -> None:
    with pytest.raises(ValueError, match="method is Newton"):
        pliant.Gpu(pliant.Newton())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must be a part of a name"):
        pliant.Gpu(adapter="")
    assert pliant.Gpu(pliant.TwoMetric(start="previous")).start == "previous" and pliant.Gpu().start == "predicted"


def water() -> pliant.Simulation:
    drop = pliant.Body(pliant.particle_block((0.2, 0.2, 0.2), 0.05), pliant.FluidMaterial(spacing=0.05), name="water")
    ground = pliant.Collider.plane().at((0, -0.2, 0))
    return pliant.Simulation(drop, solver=pliant.PositionBased(4), time_step=0.01, colliders=[ground])


@needs_adapter
def test_a_world_stays_there_and_comes_back() -> None:
    for build, allowed in (
        (lambda: cloth(pliant.Gpu(pliant.Projective.plain(10), ADAPTER), integrator="implicit-euler"), 1e-5),
        (water, 1e-4),
    ):
        here, sim = build(), build()
        here.step(20)
        with sim.on_gpu() as world:
            assert world.adapter in {adapter.name for adapter in pliant.gpu_adapters()}
            world.step(10)
            early = world.request_positions()
            world.step(9)
            assert early.wait().shape == (len(sim), 3) and early.ready
            assert early.wait() is early.wait()
            # The simulation waits where it was.
            assert sim.steps == 0 and world.simulation is sim
            assert world.sync().steps == 19
            world.step()
            assert np.abs(world.positions() - here.positions).max() < allowed
        assert sim.steps == 20 and np.abs(sim.positions - here.positions).max() < allowed
        assert np.abs(sim.positions - early.wait()).max() > 1e-2
        sim.step()
        pliant.Simulation.restore(here, sim.checkpoint())


@needs_adapter
def test_pins_move_there_too() -> None:
    solver = pliant.Gpu(pliant.Projective.plain(10), ADAPTER)
    here, there = cloth(solver), cloth(solver)
    places = here.positions[here.pinned]
    with there.on_gpu() as world:
        for k in range(1, 11):
            world.move_pins(places + (0.02 * k, 0, 0.01 * k))
            here.move_pins(places + (0.02 * k, 0, 0.01 * k))
            world.step()
            here.step()
        with pytest.raises(ValueError, match=r"targets .*shape"):
            world.move_pins(places[:1])
    assert np.abs(here.positions - there.positions).max() < 1e-5
    assert here.positions[here.pinned][0, 0] > places[0, 0] + 0.19


def hanging(springs: pliant.Solver) -> pliant.Simulation:
    mesh = pliant.sheet(1, 1, 8, 8, plane="xz")
    body = pliant.Body(
        mesh, density=0.2, name="net", pin=[0, 8], energies=pliant.EdgeSprings(mesh.edges(), stiffness=500.0)
    )
    return pliant.Simulation(body, solver=springs, colliders=pliant.Collider.sphere(0.2).at((0, -0.4, 0)))


def wig() -> pliant.Simulation:
    strands = pliant.scalp(0.1, 12, 0.2, 8, curl=(0.006, 0.03))
    body = pliant.Body(strands, pliant.StrandMaterial(), name="hair", pin=[own[0] for own in strands.strands])
    solver = pliant.FollowLeader(style=pliant.HairStyle(local_share=0.8), grid=pliant.HairGrid(0.02, friction=5))
    return pliant.Simulation(body, solver=solver, colliders=pliant.Collider.sphere(0.098))


def jelly() -> pliant.Simulation:
    lattice = pliant.Lattice.block((5, 3, 3), 0.1)
    body = lattice.body(1000, pliant.Matching(lattice.regions(1)), name="jelly", pin=range(9))
    return pliant.Simulation(body, solver=pliant.PositionBased(2))


KINDS: dict[str, Callable[[], pliant.Simulation]] = {
    "elastic": lambda: hanging(pliant.Gpu(pliant.Projective.plain(10), ADAPTER)),
    "position-based": lambda: hanging(pliant.PositionBased(5)),
    "shape matching": jelly,
    "hair": wig,
}


@needs_adapter
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_stays_there_with_its_pins(kind: str) -> None:
    still, here, there = KINDS[kind](), KINDS[kind](), KINDS[kind]()
    places = here.positions[here.pinned]
    # What was set before it goes there goes along.
    here.move_pins(places + (0, 0, 0.01))
    there.move_pins(places + (0, 0, 0.01))
    with there.on_gpu() as world:
        for k in range(2, 12):
            world.step()
            here.step()
            still.step()
            world.move_pins(places + (0, 0, 0.01 * k))
            here.move_pins(places + (0, 0, 0.01 * k))
            if k == 2:
                assert np.abs(world.positions()[there.pinned] - places - (0, 0, 0.01)).max() < 1e-6
    gap = np.abs(here.positions - there.positions).max()
    assert gap < 1e-4 and gap < 1e-2 * np.abs(here.positions - still.positions).max(), f"{kind}: {gap} m"


@needs_adapter
def test_what_would_change_it_there_is_an_error() -> None:
    sim = cloth(pliant.Gpu(pliant.Projective.plain(5), ADAPTER))
    world = sim.on_gpu()
    world.step(2)
    for change in (sim.step, lambda: setattr(sim, "gravity", (0, 0, 0)), sim.on_gpu):
        with pytest.raises(RuntimeError, match="is on the GPU: use the GpuWorld, or close it first"):
            change()
    assert world.close() is sim and sim.steps == 2
    with pytest.raises(RuntimeError, match="not on the GPU any more"):
        world.step()
    sim.step()


@needs_adapter
def test_an_exception_leaves_what_came_back_last() -> None:
    sim = cloth(pliant.Gpu(pliant.Projective.plain(5), ADAPTER))
    with pytest.raises(KeyError), sim.on_gpu() as world:
        world.step(3)
        world.sync()
        world.step(3)
        raise KeyError
    assert sim.steps == 3
    sim.step()


@needs_adapter
def test_a_world_that_cannot_stay_there_stays_as_it_was() -> None:
    solver = pliant.Gpu(pliant.Projective.plain(5), ADAPTER)
    windy = cloth(solver, wind=pliant.Wind((1, 0, 0), turbulence=pliant.Turbulence(0.2)))
    with pytest.raises(ValueError, match="has no turbulence of the wind: step it as any other world"):
        windy.on_gpu()
    windy.step()
    with pytest.raises(ValueError, match="no world of the solver .* can stay on a GPU"):
        cloth(pliant.Newton()).on_gpu()  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a force that is a function"):
        cloth(solver, force=lambda sim: np.zeros((len(sim), 3))).on_gpu()
    with pytest.raises(ValueError, match="goes on by whole frames"):
        pliant.load_scene("curtain", solver=solver).on_gpu()
    with pytest.raises(ValueError, match=r"Voodoo 2"):
        water().on_gpu("Voodoo 2")


@needs_adapter
def test_scenes_stay_there_by_themselves() -> None:
    scene = pliant.load_scene("curtain", set=["solver.gpu.projective.iterations=5"])
    assert scene.next_frame() == []
    assert scene.positions[:, 1].min() < 0 and scene.frame == 1


def test_methods_that_only_stay_there_are_named() -> None:
    with pytest.raises(ValueError, match=r"Simulation\.on_gpu"):
        pliant.Gpu(pliant.PositionBased())  # type: ignore[arg-type]
