"""A cloth whose state stays on a graphics processor: positions come back while the next steps are computed. Look at gpu_world.png.

python gpu_world.py [folder]
"""

import sys
from pathlib import Path

import pliant


def main(folder: Path, *, small: bool = False) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not pliant.gpu_adapters():
        print("there is no graphics processor here, nor a program in place of one")
        return
    cells, frames = (16, 20) if small else (100, 120)
    mesh = pliant.sheet(1, 1, cells, cells, plane="xz")
    corners = [0, cells]
    cloth = pliant.Body(mesh, pliant.ClothMaterial.preset("cotton"), name="cloth", pin=corners)
    sim = pliant.Simulation(cloth, solver=pliant.Gpu(pliant.Projective.plain(10)))
    lowest = 0.0
    with sim.on_gpu() as world:
        world.step()
        for _ in range(frames - 1):
            arriving = world.request_positions()
            world.step()  # It is computed while we look at the last one.
            lowest = min(lowest, float(arriving.wait()[:, 1].min()))
    # Here the state is back, and the simulation is one like any other.
    print(f"{len(sim)} vertices on {world.adapter}: lowest at {lowest:.3f} m, {sim.time:.2f} s simulated")
    pliant.show(sim).save(folder / "gpu_world.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
