"""Sweeps in processes of this machine, and on Ray."""

import csv
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant


def sag(k: float, g: float = 9.81) -> dict[str, float]:
    """How far a stone of 1 kg stretches a spring: mg/k."""
    if k <= 0:
        raise ValueError(f"k is {k}")
    stone = pliant.Body(
        pliant.Points([[0, 0, 0], [0, -1, 0]]), masses=1.0, energies=pliant.EdgeSprings([[0, 1]], k), pin=[0]
    )
    sim = pliant.Simulation(stone, gravity=(0, -g, 0), time_step=10.0, solver=pliant.Newton())
    sim.step(50)
    return {"sag": -1 - float(sim.positions[1, 1]), "process": os.getpid()}


def sag_or_die(k: float) -> dict[str, float]:
    if k == 50.0:
        os._exit(3)
    return sag(k)


GRID = {"k": [50.0, 100.0, -1.0, 200.0], "g": [9.81, 1.62]}


def check(rows: pliant.Sweep, processes: int) -> None:
    assert len(rows) == 8 and [row["k"] for row in rows] == [50, 50, 100, 100, -1, -1, 200, 200]
    for row in rows:
        if row["k"] > 0:
            assert row["error"] is None and row["sag"] == pytest.approx(row["g"] / row["k"], rel=1e-6)
        else:
            assert "k is -1.0" in row["error"] and "sag" not in row
    assert len(rows.failed) == 2
    assert len({row["process"] for row in rows if row["error"] is None}) <= processes


def test_local_processes_run_the_grid_and_keep_the_rest_of_a_failure(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    rows = pliant.sweep(sag, GRID, workers=2, progress=lambda done, total, row: seen.append((done, total)))
    check(rows, 2)
    assert seen == [(k + 1, 8) for k in range(8)]
    assert os.getpid() not in {row.get("process") for row in rows}
    rows.to_csv(tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", newline="") as file:
        assert [float(row["k"]) for row in csv.DictReader(file)] == [row["k"] for row in rows]
    table = repr(rows).splitlines()
    assert len(table) == 9 and table[0].split()[:2] == ["k", "g"] and "k is -1.0" in table[5]


def test_a_process_that_dies_takes_no_other_run_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    rows = pliant.sweep(sag_or_die, {"k": [100.0, 50.0, 200.0, 400.0]}, workers=2)
    assert [row["error"] is None for row in rows] == [True, False, True, True]
    assert "died" in rows[1]["error"] and rows[3]["sag"] == pytest.approx(9.81 / 400, rel=1e-6)
    assert "sweep: 4/4, 1 failed" in capsys.readouterr().err


def test_scenes_are_swept_by_overrides() -> None:
    key = "body.0.material.cloth.youngs_modulus"
    rows = pliant.sweep("curtain", {key: [2e4, 4e6], "world.frames": [15]}, backend="serial", progress=False)
    soft, stiff = (row["max-stretch"] for row in rows)
    assert soft > stiff > 1.0 and all("holds" in row for row in rows)


def test_rows_become_a_data_frame() -> None:
    pytest.importorskip("pandas")
    frame = pliant.sweep(sag, [{"k": 10.0}, {"k": 20.0}], backend="serial", progress=False).to_pandas()
    assert list(frame.columns) == ["k", "sag", "process", "seconds", "error"]
    np.testing.assert_allclose(frame["sag"] * frame["k"], 9.81, rtol=1e-6)


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(ValueError, match="backend is 'gpu'"):
        pliant.sweep(sag, {"k": [1.0]}, backend="gpu")


@pytest.fixture(scope="module")
def ray() -> Any:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    # Workers import this file by its name.
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
    yield ray
    ray.shutdown()


def test_ray_runs_the_grid_on_two_workers(ray: Any) -> None:
    assert ray.cluster_resources()["CPU"] == 2
    rows = pliant.sweep(sag, GRID, backend="ray", workers=2, progress=False)
    check(rows, 2)
    here = pliant.sweep(sag, GRID, backend="serial", progress=False)
    assert [row.get("sag") for row in rows] == [row.get("sag") for row in here], "the same bits"


def test_ray_takes_simulations_as_they_are(ray: Any, curtain: pliant.Simulation) -> None:
    @ray.remote
    def advance(sim: pliant.Simulation) -> pliant.Simulation:
        sim.step(5)
        return sim

    there = ray.get(advance.remote(curtain))
    curtain.step(5)
    assert there.positions.tobytes() == curtain.positions.tobytes()


def test_without_ray_the_backend_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match="pip install ray"):
        pliant.sweep(sag, {"k": [1.0]}, backend="ray")
