"""A cable between two clamps is twisted and brought together until it loops: a rod that resists bending and torsion. Look at cable.png.

python cable.py [folder]
"""

import sys
from pathlib import Path

import numpy as np

import pliant


def main(folder: Path, *, small: bool = False) -> None:
    segments, steps = (30, 60) if small else (100, 400)
    cable = pliant.rope((-0.5, 0, 0), (0.5, 0, 0), segments)
    clamps = [0, 1, segments - 1, segments]
    material = pliant.RodMaterial(radius=4e-3, youngs_modulus=2e7, shear_modulus=7e6)
    body = pliant.Body(cable, material, name="cable", pin=clamps)
    sim = pliant.Simulation(
        body, solver=pliant.PositionBased(20), time_step=1 / 120, damping=pliant.Damping(drag=4.0), gravity=(0, -2, 0)
    )
    rest = cable.positions[clamps]
    for step in range(steps):
        share = min(1.0, 1.2 * (step + 1) / steps)
        # Five turns, and a third of the way towards each other.
        if share < 1:
            sim.twist_rod("cable", segments - 1, 1.2 * 10 * np.pi / steps)
        sim.move_pins(rest - 0.17 * share * np.sign(rest) * [1, 0, 0])
        sim.step()

    length = np.linalg.norm(np.diff(sim.positions, axis=0), axis=1).sum()
    q = sim.orientations("cable")
    turns = 2 * np.arccos(abs((q[1:] * q[:-1]).sum(axis=1)).clip(max=1)).sum()
    print(f"after {sim.time:.1f} s: {length:.5f} m long, its frame turns by {turns:.1f} rad from clamp to clamp")
    out_of_plane = float(np.ptp(sim.positions[:, 2]))
    size = (480, 300) if small else (720, 450)
    pliant.show(sim, size=size, ground=False).save(folder / "cable.png", few_colors=True)
    assert abs(length - 1) < 0.01, "it keeps its length"
    assert out_of_plane > 0.02, "torsion drives it out of its plane"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
