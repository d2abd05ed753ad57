"""Python steps to the same bits as Rust: checkpoints of the command, byte for byte."""

import dataclasses
import os
import subprocess
from pathlib import Path

import pytest

import pliant

COMMAND = os.environ.get("PLIANT_COMMAND")
FRAMES = 12


def checkpoint_of_the_command(scene: str, folder: Path, *more: str) -> bytes:
    assert COMMAND is not None
    arguments = ["run", scene, "--frames", str(FRAMES), "--out", str(folder), "--no-preview", "--quiet", *more]
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
    # 1: after so few frames expectations need not hold.
    assert done.returncode in (0, 1), done.stderr
    return max((folder / "checkpoints").iterdir()).read_bytes()


@pytest.mark.skipif(COMMAND is None, reason="PLIANT_COMMAND names no pliant command; ./test sets it")
@pytest.mark.parametrize(
    "scene",
    ["cable", "curls", "curtain", "flag", "jelly-cubes", "rope-bridge", "torn-flag", "twisted-bar", "watered-ball"],
)
def test_a_scene_has_the_same_bits_as_from_the_command(scene: str, tmp_path: Path) -> None:
    sim = pliant.load_scene(scene).run(FRAMES)
    ours, theirs = sim.checkpoint(), checkpoint_of_the_command(scene, tmp_path / "run")
    # Positions, velocities, warm starts, goals and expectations, within the file's seal.
    assert len(ours) > 48 * len(sim)
    assert ours in theirs
    assert sim.positions.tobytes() in theirs


@pytest.mark.skipif(COMMAND is None, reason="PLIANT_COMMAND names no pliant command; ./test sets it")
def test_newton_and_other_threads_have_the_same_bits_too(tmp_path: Path) -> None:
    sim = pliant.load_scene("curtain", solver=pliant.Newton(), threads=1).run(FRAMES)
    assert sim.checkpoint() in checkpoint_of_the_command(
        "curtain", tmp_path / "run", "--solver", "newton", "--threads", "2"
    )


def test_bodies_from_arrays_have_the_same_bits_as_a_scene() -> None:
    scene = pliant.load_scene("curtain")
    mesh = pliant.sheet(1.2, 1.2, 24, 24, plane="xz")
    silk = dataclasses.replace(pliant.ClothMaterial.preset("silk"), youngs_modulus=4e6)
    body = pliant.Body(mesh, silk, name="curtain", pin=scene.pinned)
    sim = pliant.Simulation(body)
    sim.step(20)
    scene.step(20)
    assert sim.positions.tobytes() == scene.positions.tobytes()
    assert sim.velocities.tobytes() == scene.velocities.tobytes()
