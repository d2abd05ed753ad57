"""A coarse cloth is simulated, a fine one wrinkles on it. Look at wrinkles.png.

python wrinkles.py [folder]
"""

import sys
from pathlib import Path

import numpy as np

import pliant


def main(folder: Path, *, small: bool = False) -> None:
    cells, finer, steps = (6, 3, 40) if small else (12, 6, 150)
    coarse = pliant.sheet(1, 1, cells, cells)
    fine = pliant.sheet(1, 1, finer * cells, finer * cells)
    top = [coarse.vertex(column, -1) for column in range(cells + 1)]
    sim = pliant.Simulation(
        pliant.Body(coarse, pliant.ClothMaterial(), name="cloth", pin=top), damping=pliant.Damping(drag=1.0)
    )
    wrinkles = pliant.WrinkleMesh(coarse, fine, reach=3.0 / (finer * cells))
    rest = coarse.positions[top]
    for step in range(steps):
        # The rod that it hangs on becomes shorter by a tenth.
        sim.move_pins(rest * [1 - 0.1 * min(1.0, 2 * step / steps), 1, 1])
        sim.step()
        wrinkles.follow(sim.positions[sim.vertices("cloth")])

    a, b = fine.edges().T
    lengths = lambda x: np.linalg.norm(x[b] - x[a], axis=1)  # noqa: E731
    strain = abs(lengths(wrinkles.positions) / lengths(fine.positions) - 1)
    print(f"{len(fine)} vertices wrinkle on {len(coarse)}: mean strain of edges {strain.mean():.4f}")
    picture = pliant.Simulation(pliant.Body(wrinkles.mesh(), masses=1.0, name="wrinkles"))
    size = (480, 300) if small else (720, 540)
    pliant.show(picture, size=size, ground=False).save(folder / "wrinkles.png", few_colors=True)
    assert strain.mean() < 0.02, "wrinkles take up what the coarse cloth has lost"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
