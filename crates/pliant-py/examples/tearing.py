"""A sheet of paper gets a slit and is pulled apart: the crack grows from the slit's end. Look at tearing.png.

python tearing.py [folder]
"""

import sys
from pathlib import Path

import numpy as np

import pliant


def main(folder: Path, *, small: bool = False) -> None:
    cells, steps = (16, 60) if small else (36, 200)
    mesh = pliant.sheet(1.0, 1.0, cells, cells, diagonals="alternating")
    left, right = (np.flatnonzero(np.isclose(mesh.positions[:, 0], side)) for side in (-0.5, 0.5))
    body = pliant.Body(
        mesh,
        pliant.ClothMaterial(youngs_modulus=1e6),
        name="paper",
        pin=np.concatenate([left, right]),
        tearing=pliant.Tearing(stretch=1.12, noise=0.2, seed=1),
    )
    sim = pliant.Simulation(body, gravity=(0, 0, 0), damping=pliant.Damping(drag=2.0))
    slit = sim.cut_polyline("paper", [[0.02, -0.6, 0], [0.03, -0.2, 0]], (0, 0, 1))
    print(f"the slit is {slit.length:.3f} m long, {slit.doubled} vertices are doubled")
    count, torn, tip = len(sim), 0, -0.2
    for step in range(steps):
        # The sides go apart, and copies of pinned vertices with them.
        rest = sim.rest[sim.pinned]
        sim.move_pins(rest + 0.18 * step / steps * np.sign(rest) * [1, 0, 0])
        torn += sim.step().torn
        if len(sim) > count:
            tip = float(sim.rest[count:, 1].max())
        if tip > 0.1:
            break

    print(f"after {sim.time:.2f} s: {torn} vertices were torn open, and the crack has come to {tip:.2f} m")
    size = (480, 300) if small else (720, 540)
    pliant.show(sim, color="strain", size=size, direction=(0, 0, -1), ground=False).save(
        folder / "tearing.png", few_colors=True
    )
    assert torn > 0 and tip > 0.1, "the crack has grown"
    assert abs(sim.rest[count:, 0]).max() < 0.25, "from the slit on, not from the sides"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
