"""Two banners unroll from their poles with few position-based iterations: long-range attachments keep the length of
one. Look at banner.png.

python banner.py [folder]
"""

import sys
from pathlib import Path

import numpy as np

import pliant


def main(folder: Path, *, small: bool = False) -> None:
    columns, rows, steps = (4, 24, 60) if small else (12, 80, 300)
    cloth = pliant.ClothMaterial(density=0.3, bending_stiffness=1e-4)
    bodies, lengths = [], {}
    for name, x, constraints in [("threads", -0.5, [pliant.LongRangeAttachments()]), ("no threads", 0.5, [])]:
        mesh = pliant.sheet(0.6, 4.0, columns, rows).moved((x, 0, 0))
        top = [mesh.vertex(column, -1) for column in range(columns + 1)]
        bodies.append(pliant.Body(mesh, cloth, name=name, pin=top, constraints=constraints))
        lengths[name] = pliant.LongRangeAttachments(top).threads(mesh)
    solver = pliant.PositionBased(iterations=8)
    sim = pliant.Simulation(bodies, solver=solver, wind=pliant.Wind((0.3, 0, 1.5)), damping=pliant.Damping(drag=0.3))
    sim.step(steps)

    stretch = {}
    for name, (pairs, threads) in lengths.items():
        x = sim.positions[sim.vertices(name)]
        stretch[name] = float((np.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1) / threads).max())
        print(f"{name}: no vertex is farther from the pole than {stretch[name]:.6f} times the way over the cloth")
    size = (480, 300) if small else (720, 600)
    pliant.show(sim, color="strain", size=size, ground=False).save(folder / "banner.png", few_colors=True)
    assert stretch["threads"] <= 1 + 1e-6, "threads hold"
    assert stretch["no threads"] > 1.02, "eight iterations do not reach the end"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
