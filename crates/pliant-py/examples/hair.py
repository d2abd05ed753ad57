"""Curly hair on a head that turns: follow the leader keeps every length in one pass. Look at hair.png and the GIF.

python hair.py [folder]
"""

import sys
from pathlib import Path

import numpy as np

import pliant


def turned(points: np.ndarray, angle: float) -> np.ndarray:
    """Points turned about the y axis."""
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])


def main(folder: Path, *, small: bool = False) -> None:
    strands, segments, steps = (60, 12, 30) if small else (600, 30, 150)
    hair = pliant.scalp(0.1, strands, 0.22, segments, cover=0.45, curl=(0.006, 0.03))
    roots = np.array([strand[0] for strand in hair.strands])
    body = pliant.Body(hair, pliant.StrandMaterial(density=1e-4), name="hair", pin=roots)
    solver = pliant.FollowLeader(
        correction=0.6,
        grid=pliant.HairGrid(cell=0.01, friction=4.0, repulsion=0.01),
        style=pliant.HairStyle(local_share=0.8, iterations=6, global_share=0.05, global_range=0.3),
    )
    head = pliant.Collider.sphere(0.098, friction=0.3, name="head")
    sim = pliant.Simulation(body, solver=solver, colliders=head, damping=pliant.Damping(drag=1.0))

    rest, frames = hair.positions[roots], []
    for step in range(steps):
        sim.move_pins(turned(rest, 0.7 * np.sin(2.5 * sim.time)))
        sim.step()
        if step % 10 == 0:
            frames.append(sim.positions)

    a, b = hair.segments().T
    before = np.linalg.norm(hair.positions[b] - hair.positions[a], axis=1)
    change = abs(np.linalg.norm(sim.positions[b] - sim.positions[a], axis=1) / before - 1).max()
    print(f"{strands} strands after {sim.time:.1f} s: no length has changed by more than {change:.1e}")
    size = (480, 300) if small else (720, 540)
    pliant.show(sim, size=size, ground=False).save(folder / "hair.png", few_colors=True)
    pliant.save_gif(sim, folder / "hair.gif", frames=frames, frames_per_second=6, ground=False)
    assert change < 1e-9, "lengths are exact"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
