"""A column of water breaks over a wooden ball, which floats. Look at dam_break.png; dam_break.obj holds the surface.

python dam_break.py [folder]
"""

import sys
from pathlib import Path

import pliant


def main(folder: Path, *, small: bool = False) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    spacing, steps = (0.05, 60) if small else (0.025, 450)
    water = pliant.FluidMaterial(spacing=spacing, viscosity=2e-3)
    column = pliant.particle_block((0.4, 0.6, 0.5), spacing).moved((-0.4, 0.3, 0))
    fluid = pliant.Body(column, water, name="water")
    ball = pliant.Body.rigid(
        pliant.icosphere(0.09, 2).moved((0.3, 0.1, 0)), pliant.RigidMaterial(density=400), name="ball"
    )
    # An open basin of 1.2 × 0.5 m, with walls of 0.3 m.
    across, along = pliant.Collider.box((0.3, 2, 1.4)), pliant.Collider.box((2, 2, 0.3))
    walls = [across.at((x, 1, 0)) for x in (-0.75, 0.75)] + [along.at((0, 1, z)) for z in (-0.4, 0.4)]
    sim = pliant.Simulation(
        [fluid, ball],
        solver=pliant.PositionBased(5),
        time_step=1 / 150,
        colliders=[pliant.Collider.plane(friction=0.2), *walls],
    )
    report = sim.step(steps).solve.fluid
    assert report is not None
    vertices, triangles = sim.fluid_surface("water")
    lines = ["v {:.5f} {:.5f} {:.5f}".format(*v) for v in vertices] + ["f {} {} {}".format(*(t + 1)) for t in triangles]
    (folder / "dam_break.obj").write_text("\n".join(lines) + "\n")
    height = sim.rigid_pose("ball").centre[1]
    print(
        f"{len(column)} particles after {sim.time:.1f} s: mean excess of density {report['mean_excess']:.4f}, ball at {height:.3f} m"
    )

    # The surface as a body of its own, to look at without the walls.
    seen = pliant.Simulation(
        [
            pliant.Body(pliant.TriangleMesh(vertices, triangles), masses=1.0, name="surface"),
            pliant.Body(
                pliant.TriangleMesh(
                    sim.positions[sim.vertices("ball")], sim.surface("ball") - sim.vertices("ball").start
                ),
                masses=1.0,
            ),
        ]
    )
    size = (480, 300) if small else (720, 450)
    pliant.show(seen, size=size, direction=(0.4, -0.5, -1), ground=0.0).save(folder / "dam_break.png", few_colors=True)
    water_x = sim.positions[sim.vertices("water"), 0]
    assert len(water_x) == len(column) and abs(water_x).max() < 0.6, "no water is lost"
    assert water_x.max() > 0.4, "it has run through the basin"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
