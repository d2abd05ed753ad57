"""A sheet of cotton hangs from two corners in a light breeze. Look at hanging_cloth.png, coloured by strain, and the GIF.

python hanging_cloth.py [folder]
"""

import sys
from pathlib import Path

import numpy as np

import pliant


def main(folder: Path) -> None:
    mesh = pliant.sheet(width=1.2, height=1.2, columns=24, rows=24).rotated((1, 0, 0), -75)
    corners = [mesh.vertex(0, -1), mesh.vertex(-1, -1)]
    cotton = pliant.ClothMaterial(bending_stiffness=1e-4)
    cloth = pliant.Body(mesh, cotton, name="cloth", pin=corners)
    sim = pliant.Simulation(cloth, wind=pliant.Wind((0.3, 0, 0.8)), damping=pliant.Damping(drag=0.5), time_step=1 / 100)

    # The corners come closer in the first second, which leaves slack to fold.
    rest, frames = mesh.positions[corners], []
    for step in range(300):
        closer = 0.15 * min(sim.time, 1.0)
        sim.move_pins(rest - closer * np.sign(rest) * [1, 0, 0])
        sim.step()
        if step % 10 == 0:
            frames.append(sim.positions)

    report = sim.report()
    print(f"after {sim.time:.1f} s: " + ", ".join(f"{kind} {joule:.4f} J" for kind, joule in report.elastic.items()))
    weight = 9.81 * sim.masses.sum()
    print(f"the pins hold {sim.pin_forces()[:, 1].sum():.2f} N of {weight:.2f} N")
    print(f"largest stretch {sim.element_strains('cloth')[0].stretches.max():.3f}")
    aside = (0.45, -0.28, -1)
    picture = pliant.show(sim, color="strain", size=(720, 450), direction=aside)
    picture.save(folder / "hanging_cloth.png", few_colors=True)
    pliant.save_gif(sim, folder / "hanging_cloth.gif", frames=frames, frames_per_second=10, direction=aside)
    assert sim.positions[:, 1].min() < -0.5, "it hangs"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
