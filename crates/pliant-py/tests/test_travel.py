"""Simulations go to other processes, and leave other threads alone."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pliant


def advance(sim: pliant.Simulation) -> tuple[pliant.Simulation, pliant.StepReport]:
    report = sim.step(5)
    return sim, report


def upwards(sim: pliant.Simulation) -> np.ndarray:
    return np.full((len(sim), 3), [0, 1e-3, 0])


@pytest.mark.parametrize("kind", ["bodies", "scene", "bdf2"])
def test_a_simulation_travels_through_processes_bit_for_bit(kind: str, curtain: pliant.Simulation) -> None:
    if kind == "scene":
        sim: pliant.Simulation = pliant.load_scene("flag", ["world.frames=20"]).run(4)
    elif kind == "bdf2":
        body = pliant.Body(pliant.box((1, 1, 1), (2, 2, 2)), pliant.SolidMaterial.preset("jelly"), pin=[0])
        sim = pliant.Simulation(body, integrator="bdf2", force=upwards, damping=pliant.Damping(stiffness=0.01))
        sim.step(4)
    else:
        sim = curtain
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (there, report) = pool.apply(advance, (sim,))
    here, _ = advance(sim)
    assert there.positions.tobytes() == here.positions.tobytes()
    assert there.checkpoint() == here.checkpoint()
    assert report.step == there.steps == here.steps
    assert type(there) is type(here)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_is_refused_instead_of_waiting_for_ever(curtain: pliant.Simulation) -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        with pytest.raises(RuntimeError, match='get_context\\("spawn"\\)'):
            pool.apply_async(advance, (curtain,)).get(timeout=60)


def test_pickling_keeps_what_a_scene_has_seen() -> None:
    scene = pliant.load_scene("curtain", {"world.frames": 6}).run(3)
    again = pickle.loads(pickle.dumps(scene))
    assert again.frame == 3 and again.frames == 6
    assert again.run().verdicts == scene.run().verdicts


def test_other_threads_run_while_a_simulation_steps() -> None:
    mesh = pliant.sheet(1, 1, 60, 60)
    sim = pliant.Simulation(pliant.Body(mesh, pliant.ClothMaterial(), pin=[0]), threads=1)
    sim.step()
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    # One call: if it held the lock, the other thread would get hardly a turn.
    begun = time.perf_counter()
    sim._core.step(20, pliant.Newton(iterations=2))
    seconds = time.perf_counter() - begun
    done.set()
    thread.join()
    assert ticks[0] > 20 * seconds, f"{ticks[0]} turns in {seconds:.2f} s"


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_ctrl_c_interrupts_between_steps() -> None:
    script = (
        "import pliant, signal\n"
        # A shell starts what runs in the background with SIGINT ignored, which children inherit: nohup ./test &
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sim = pliant.Simulation(pliant.Body(pliant.sheet(1, 1, 30, 30), pliant.ClothMaterial(), pin=[0]))\n"
        "sim.step()\nprint('ready', flush=True)\n"
        "try:\n    sim.step(10_000_000)\n"
        "except KeyboardInterrupt:\n    sim.step()\n    print('interrupted after', sim.steps)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    # Whatever goes wrong, no process is left that steps for ever.
    watch = threading.Timer(60, process.kill)
    watch.start()
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
    finally:
        watch.cancel()
        process.kill()
        process.wait()
    assert process.returncode == 0 and out.startswith("interrupted after")
    assert int(out.split()[-1]) > 2


def test_two_threads_cannot_step_one_simulation(curtain: pliant.Simulation) -> None:
    mesh = pliant.sheet(1, 1, 60, 60)
    sim = pliant.Simulation(pliant.Body(mesh, pliant.ClothMaterial(), pin=[0]))
    thread = threading.Thread(target=sim.step, args=(100,))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            _ = sim.time
        except RuntimeError as error:
            assert "is stepping" in str(error)
            refused += 1
        time.sleep(0.001)
    thread.join()
    assert refused > 0 and sim.steps == 100
