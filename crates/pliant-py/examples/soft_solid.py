"""A surface from an OBJ file becomes a jelly that falls on the floor. Look at soft_solid.png and the GIF.

The file, a ring with knobs, is written by the script; put your own in its place.

python soft_solid.py [folder]
"""

import sys
from pathlib import Path

import numpy as np

import pliant


def write_ring(path: Path, along: int = 120, around: int = 24) -> None:
    """A ring with seven knobs."""
    t, angle = np.meshgrid(*(2 * np.pi * np.arange(n) / n for n in (along, around)), indexing="ij")
    tube = 0.5 + 0.18 * np.cos(7 * t)
    radius = 1.6 + tube * np.cos(angle)
    vertices = np.stack([radius * np.cos(t), tube * np.sin(angle), -radius * np.sin(t)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(along), np.arange(around), indexing="ij")
    place = lambda i, j: i % along * around + j % around + 1  # noqa: E731
    faces = np.stack([place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)], axis=-1).reshape(-1, 4)
    lines = ["v {:.6f} {:.6f} {:.6f}".format(*v) for v in vertices] + ["f {} {} {} {}".format(*f) for f in faces]
    path.write_text("\n".join(lines) + "\n")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_ring(folder / "ring.obj")
    surface = pliant.TriangleMesh.read(folder / "ring.obj", scale=0.1)
    solid = surface.fill(cells=18).rotated((1, 0, 0.3), 70).moved((0, 0.3, 0))
    print(f"{len(surface)} vertices of the surface, filled with {len(solid.tets)} tets")

    floor = pliant.HalfSpace(np.arange(len(solid)), stiffness=20.0)
    ring = pliant.Body(solid, pliant.SolidMaterial.preset("jelly"), name="ring", energies=floor)
    sim = pliant.Simulation(ring, damping=pliant.Damping(deformation=3.0), time_step=1 / 75)
    frames = []
    for _ in range(25):
        frames.append(sim.positions)
        sim.step(3)

    volume = pliant.TetMesh(sim.positions, solid.tets).volume / solid.volume
    print(f"after {sim.time:.1f} s: lowest at {sim.positions[:, 1].min():.4f} m, {volume:.3f} of its volume")
    pliant.show(sim, color="strain", size=(720, 450), ground=0.0).save(folder / "soft_solid.png", few_colors=True)
    pliant.save_gif(sim, folder / "soft_solid.gif", frames=frames, frames_per_second=25, ground=0.0)
    assert sim.positions[:, 1].min() > -0.05, "the floor holds it"
    assert abs(volume - 1) < 0.05, "jelly keeps its volume"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
