"""Solvers on a graphics processor, or on a program in place of one."""

from __future__ import annotations

import os
import pickle

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
