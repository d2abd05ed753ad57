"""Runs in folders: frames, checkpoints, log, and files for other programs; the command reads them too."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import pliant

COMMAND = os.environ.get("PLIANT_COMMAND", "")
needs_command = pytest.mark.skipif(not COMMAND, reason="PLIANT_COMMAND does not name the command")
FORMATS = ["obj", "ply", "vtu", "npy", "glb", "pc2", "mdd", "usda"]


def falling() -> pliant.Simulation:
    """A cloth that swings on two corners."""
    mesh = pliant.sheet(1, 1, 6, 6, plane="xz")
    body = pliant.Body(mesh, pliant.ClothMaterial.preset("silk"), name="cloth", pin=[0, 6])
    return pliant.Simulation(body, time_step=0.01, solver=pliant.Projective())


def command(*words: str) -> str:
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
    # 1 says that an expectation of a scene does not hold, as in one that is cut short.
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_frames_are_read_as_they_were_written(tmp_path: Path) -> None:
    sim, seen = falling(), []
    with pliant.Run.create(tmp_path / "run", sim, steps_per_frame=2) as run:
        seen.append((sim.time, sim.positions, sim.velocities))
        run.record(5, each=lambda sim: seen.append((sim.time, sim.positions, sim.velocities)))
        assert run.frames == [0, 1, 2, 3, 4, 5] and len(run) == 6 and run.frame_rate == pytest.approx(50)
    again = pliant.Run.open(tmp_path / "run")
    assert again.frames == [0, 1, 2, 3, 4, 5] and again.checkpoints == [0, 5] and again.verify() == {}
    for frame, (seconds, positions, velocities) in zip(again, seen, strict=True):
        assert frame.time == seconds
        np.testing.assert_array_equal(frame.positions, positions)
        np.testing.assert_array_equal(frame.velocities, velocities)
        assert not frame.positions.flags.writeable
    assert again.read(-1).number == 5 and again.read(-1).time == pytest.approx(0.1)
    topology = again.topology()
    assert topology.bodies == {"cloth": slice(0, 49)} and topology.triangles.shape == (72, 3)
    np.testing.assert_array_equal(topology.rest, sim.rest)


def test_the_log_says_what_reports_say(tmp_path: Path) -> None:
    sim = falling()
    with pliant.Run.create(tmp_path / "run", sim) as run:
        first = sim.step()
        last = sim.step()
        assert run.add_frame([first, last], channels={"height": sim.positions[:, 1]}) == 1
        (entry,) = run.log
        report = sim.report()
        assert entry["frame"] == 1 and entry["time"] == sim.time
        assert entry["kinetic"] == report.kinetic and entry["elastic"] == pytest.approx(report.potential)
        assert entry["iterations"] == first.solve.iterations + last.solve.iterations
        assert entry["seconds"] == pytest.approx(first.seconds_total + last.seconds_total)
        edges = np.asarray(pliant.sheet(1, 1, 6, 6, plane="xz").edges())
        rest, now = (np.linalg.norm(x[edges[:, 1]] - x[edges[:, 0]], axis=1) for x in (sim.rest, sim.positions))
        assert entry["max_stretch"] == pytest.approx((now / rest).max(), rel=1e-12)
        assert entry["mean_stretch"] == pytest.approx((now / rest).mean(), rel=1e-12)
        np.testing.assert_array_equal(run.read(1).channels["height"], sim.positions[:, 1])
        with pytest.raises(ValueError, match="height.*3.*49|49.*3"):
            run.add_frame(channels={"height": [0.0, 1.0, 2.0]})
        assert run.frames == [0, 1], "a frame that is refused is not written"


def test_a_resumed_run_continues_bit_for_bit(tmp_path: Path) -> None:
    whole = pliant.Run.create(tmp_path / "whole", falling(), checkpoint_every=4)
    whole.record(10)
    broken = pliant.Run.create(tmp_path / "broken", falling(), checkpoint_every=4)
    broken.record(6)
    # Without close, as after a crash: the last checkpoint is that of frame 4.
    del broken
    sim = falling()
    resumed = pliant.Run.resume(tmp_path / "broken", sim, checkpoint_every=4)
    assert resumed.frames == [0, 1, 2, 3, 4] and sim.time == pytest.approx(0.04)
    resumed.record(6)
    for one, other in zip(whole, resumed, strict=True):
        np.testing.assert_array_equal(one.positions, other.positions)
        np.testing.assert_array_equal(one.velocities, other.velocities)
    assert [entry["elastic"] for entry in whole.log] == [entry["elastic"] for entry in resumed.log]


def test_a_run_of_another_world_is_not_resumed_and_loses_nothing(tmp_path: Path) -> None:
    with pliant.Run.create(tmp_path / "run", falling()) as run:
        run.record(3)
    other = pliant.Simulation(pliant.Body(pliant.sheet(), pliant.ClothMaterial()))
    before = other.positions
    with pytest.raises(ValueError, match="cannot resume from .*another model"):
        pliant.Run.resume(tmp_path / "run", other)
    assert pliant.Run.open(tmp_path / "run").frames == [0, 1, 2, 3]
    np.testing.assert_array_equal(other.positions, before)


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    sim = falling()
    run = pliant.Run.create(tmp_path / "run", sim)
    with pytest.raises(FileNotFoundError, match="holds no run"):
        pliant.Run.open(tmp_path / "nothing")
    # One process writes; in it, one object.
    with pytest.raises(OSError, match="is in use"):
        pliant.Run.resume(tmp_path / "run", sim)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(run)
    run.record(1).close()
    with pytest.raises(ValueError, match="closed"):
        run.add_frame()
    with pytest.raises(FileExistsError, match="overwrite=True"):
        pliant.Run.create(tmp_path / "run", sim)
    reader = pickle.loads(pickle.dumps(pliant.Run.open(tmp_path / "run")))
    assert reader.frames == [0, 1]
    with pytest.raises(ValueError, match="opened for reading"):
        reader.add_frame()
    with pytest.raises(ValueError, match="no frame 7; it has 0 to 1"):
        reader.read(7)
    with pytest.raises(ValueError, match="only a scene"):
        pliant.Run.create(tmp_path / "other", sim).record()
    assert pliant.Run.create(tmp_path / "run", sim, overwrite=True).frames == [0]


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_written(tmp_path: Path, format: str) -> None:
    sim = falling()
    with pliant.Run.create(tmp_path / "run", sim) as run:
        run.record(4)
        files = run.export(format=format)
        chosen = run.export(tmp_path / f"some.{files[0].suffix[1:]}", frames=(1, 3), every=2)
    assert files and all(file.stat().st_size > 0 for file in [*files, *chosen])
    assert files[0].is_relative_to(tmp_path / "run" / "export" / format)
    assert chosen[0].parent == tmp_path
    if format == "npy":
        stored = np.load(files[0])
        assert stored.shape == (5, 49, 3)
        np.testing.assert_array_equal(stored[-1], sim.positions)
        assert np.load(chosen[0]).shape == (2, 49, 3)


def test_exports_scale_turn_and_choose(tmp_path: Path) -> None:
    rope = pliant.Body(pliant.rope((0, 0, 0), (1, 0, 0), 4), pliant.StrandMaterial(), name="rope", pin=[0])
    mesh = pliant.sheet(1, 1, 2, 2)
    sim = pliant.Simulation([pliant.Body(mesh, pliant.ClothMaterial(), name="cloth"), rope])
    with pliant.Run.create(tmp_path / "run", sim) as run:
        (file,) = run.export(tmp_path / "rope.npy", bodies=["rope"], scale=100, up="z")
        x = sim.positions[sim.vertices("rope")]
        np.testing.assert_allclose(np.load(file)[0], 100 * x[:, [0, 2, 1]] * [1, -1, 1], atol=1e-12)
        with pytest.raises(ValueError, match='no body "sail"'):
            run.export(tmp_path / "a.npy", bodies=["sail"])
        with pytest.raises(ValueError, match="format is 'stl'|format is \"stl\""):
            run.export(tmp_path / "a.npy", format="stl")
        with pytest.raises(ValueError, match="whose ending is no format"):
            run.export(tmp_path / "a.stl")


def test_bodies_that_come_and_go_and_tear_are_stored_as_they_are(tmp_path: Path) -> None:
    mesh = pliant.sheet(1, 1, 4, 4)
    cloth = pliant.Body(mesh, pliant.ClothMaterial(), name="cloth", pin=[20, 24])
    ball = pliant.Body.rigid(pliant.icosphere(0.1, 1).moved((2, 0, 0)), name="ball")
    rope = pliant.Body(pliant.rope((0, 2, 0), (1, 2, 0), 4), pliant.StrandMaterial(), name="rope", pin=[0])
    sim = pliant.Simulation([cloth, ball])
    with pliant.Run.create(tmp_path / "run", sim) as run:
        run.record(1)
        sim.add(rope)
        run.record(1)
        sim.remove("ball")
        run.record(1)
        sim.add(ball)
        run.record(1)
        assert sim.cut_plane("cloth", (0, 0, 0), (1, 0, 0), at_rest=True).doubled > 0
        run.record(1)
    run = pliant.Run.open(tmp_path / "run")
    counts = [{name: s.stop - s.start for name, s in run.topology(frame).bodies.items()} for frame in run.frames]
    whole, torn = 25, sim.vertices("cloth").stop - sim.vertices("cloth").start
    inside = 42 + 5
    assert counts[0] == counts[1] == {"cloth": whole, "ball": inside}
    assert counts[2] == {"cloth": whole, "ball": inside, "rope": 5}
    assert counts[3] == {"cloth": whole, "ball": 0, "rope": 5}
    assert counts[4] == counts[2]
    assert counts[5] == {"cloth": torn, "ball": inside, "rope": 5} and torn > whole
    # In the simulation the ball is now the last body; in the run it keeps its place.
    assert sim.bodies == ["cloth", "rope", "ball"]
    last, bodies = run.read(-1), run.topology(-1).bodies
    for name in sim.bodies:
        np.testing.assert_array_equal(last.positions[bodies[name]], sim.positions[sim.vertices(name)])
    assert len(run.topology(-1).polylines) == 1 and len(run.topology(0).tets) == 4
    assert len(run.export(tmp_path / "parts.obj")) == 6
    with pytest.raises(ValueError, match="come or go at frame 2"):
        run.export(tmp_path / "parts.npy")


def test_what_fluids_are_is_known_to_the_export(tmp_path: Path) -> None:
    water = pliant.FluidMaterial(spacing=0.04)
    drop = pliant.Body(pliant.particle_block((0.2, 0.2, 0.2), 0.04), water, name="water")
    sim = pliant.Simulation(drop, solver=pliant.PositionBased(3))
    with pliant.Run.create(tmp_path / "run", sim) as run:
        points = run.export(tmp_path / "points.obj", fluid="particles")[0].read_text()
        surface = run.export(tmp_path / "surface.obj", fluid="surface")[0].read_text()
        with pytest.raises(ValueError, match="different mesh in every frame"):
            run.export(tmp_path / "water.glb", fluid="surface")
    lines = [sum(line.startswith("f ") for line in text.splitlines()) for text in (points, surface)]
    vertices, triangles = sim.fluid_surface("water")
    assert lines == [0, len(triangles)] and len(vertices) > 0


def test_a_scene_is_stored_as_by_the_command(tmp_path: Path) -> None:
    scene = pliant.load_scene("curtain", {"world.frames": 4})
    with pliant.Run.create(tmp_path / "mine", scene) as run:
        assert run.record().frames == [0, 1, 2, 3, 4]
        with pytest.raises(ValueError, match="has its own"):
            pliant.Run.create(tmp_path / "x", scene, steps_per_frame=2)
    if not COMMAND:
        pytest.skip("PLIANT_COMMAND does not name the command")
    command("run", "curtain", "--set", "world.frames=4", "--out", str(tmp_path / "theirs"), "--no-preview", "--quiet")
    mine, theirs = pliant.Run.open(tmp_path / "mine"), pliant.Run.open(tmp_path / "theirs")
    for one, other in zip(mine, theirs, strict=True):
        np.testing.assert_array_equal(one.positions, other.positions)
    assert [set(entry) for entry in mine.log] == [set(entry) for entry in theirs.log]
    # Each continues what the other has begun.
    folder = str(tmp_path / "mine")
    command("run", "curtain", "--set", "world.frames=6", "--out", folder, "--resume", "--no-preview", "--quiet")
    longer = pliant.load_scene("curtain", {"world.frames": 8})
    with pliant.Run.resume(tmp_path / "mine", longer) as resumed:
        assert resumed.frames[-1] == 6 and longer.frame == 6
        resumed.record()
        assert resumed.frames[-1] == 8


@needs_command
def test_the_command_reads_a_run_of_python(tmp_path: Path) -> None:
    sim = falling()
    with pliant.Run.create(tmp_path / "cloth", sim) as run:
        run.record(5)
    info = json.loads(command("info", str(tmp_path / "cloth"), "--json"))
    assert info["frames"] == 6 and info["bodies"] == [{"name": "cloth", "vertices": 49}] and info["damaged"] == []
    command("export", str(tmp_path / "cloth"), "--format", "npy,glb,usda")
    stored = np.load(tmp_path / "cloth" / "export" / "npy" / "cloth.npy")
    np.testing.assert_array_equal(stored[-1], sim.positions)
    command("plot", str(tmp_path / "cloth"))
    assert "<svg" in (tmp_path / "cloth" / "plot.svg").read_text()


WRITER = """
    import sys
    import pliant
    mesh = pliant.sheet(1, 1, 6, 6, plane="xz")
    body = pliant.Body(mesh, pliant.ClothMaterial.preset("silk"), name="cloth", pin=[0, 6])
    sim = pliant.Simulation(body, time_step=0.01, solver=pliant.Projective())
    run = pliant.Run.create(sys.argv[1], sim, checkpoint_every=3)
    while True:
        run.record(1)
        print(run.frames[-1], flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_writer_loses_no_finished_frame(tmp_path: Path) -> None:
    script = tmp_path / "writer.py"
    script.write_text(textwrap.dedent(WRITER))
    writer = subprocess.Popen([sys.executable, str(script), str(tmp_path / "run")], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    finished = 0
    while finished < 7:
        finished = int(writer.stdout.readline())
        time.sleep(0.003)
    writer.send_signal(signal.SIGKILL)
    finished = max([finished, *(int(line) for line in writer.stdout)])
    writer.wait()
    run = pliant.Run.open(tmp_path / "run")
    assert run.frames[: finished + 1] == list(range(finished + 1)) and run.verify() == {}
    sim = falling()
    resumed = pliant.Run.resume(tmp_path / "run", sim)
    assert resumed.frames[-1] == run.checkpoints[-1] == 3 * (run.checkpoints[-1] // 3)
    np.testing.assert_array_equal(sim.positions, run.read(resumed.frames[-1]).positions)
