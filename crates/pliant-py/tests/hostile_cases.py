"""Every public callable of the package with arguments that work, and what is done with its result: descriptions are checked when a world is
built and stepped, so that is done too."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import pliant

Action = Callable[[Any], Any]

SHEET = pliant.sheet(0.3, 0.3, 3, 3)
FINE = pliant.sheet(0.3, 0.3, 6, 6)
BALL = pliant.icosphere(0.2, 1)
BOX = pliant.box((0.3, 0.1, 0.1), (2, 1, 1))
ROPE = pliant.rope((0, 0, 0), (0.5, 0, 0), 4)
WATER = pliant.particle_block((0.08, 0.08, 0.08), 0.02)
LATTICE = pliant.Lattice.block((2, 2, 2), 0.1)
OCTREE = pliant.Octree.fill(pliant.Collider.sphere(0.2), 0.1, 0)
_TEMPORARY = tempfile.TemporaryDirectory(prefix="pliant-hostile-")
FOLDER = Path(_TEMPORARY.name)
SCENE = """
[world]
frames = 2
[[body]]
name = "cloth"
shape.sheet = { width = 0.3, height = 0.3, columns = 3, rows = 3 }
material.cloth = {}
pin = [{ select.vertices = [0] }]
"""
PBD = pliant.PositionBased(iterations=3)


def mesh_file() -> Path:
    path = FOLDER / "tetra.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nl 1 2\n")
    return path


def tet_file() -> Path:
    path = FOLDER / "tet.mesh"
    path.write_text(
        "MeshVersionFormatted 2 Dimension 3 Vertices 4 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 Tetrahedra 1 1 2 3 4 0 End"
    )
    return path


def scene_file() -> Path:
    path = FOLDER / "scene.toml"
    path.write_text(SCENE)
    return path


def new_run() -> pliant.Run:
    """A run that has begun, in a folder of its own."""
    return pliant.Run.create(Path(tempfile.mkdtemp(dir=FOLDER)) / "run", world())


def finished_run() -> Path:
    """The folder of a run that has ended."""
    with new_run() as run:
        return run.record(1).path


def run(body: Any, **options: Any) -> Any:
    """Builds a world of a body and takes two steps."""
    sim = pliant.Simulation(body, **options)
    sim.step(2)
    assert np.isfinite(sim.positions).all(), "positions are not finite"
    return sim


def cloth(**options: Any) -> pliant.Body:
    return pliant.Body(SHEET, pliant.ClothMaterial(), name="cloth", pin=[0], **options)


def world(**options: Any) -> pliant.Simulation:
    return pliant.Simulation(cloth(), **options)


def goals_world() -> pliant.Simulation:
    return pliant.Simulation(cloth(energies=pliant.PositionGoals([3, 4], 10.0)))


def examples_world() -> pliant.Simulation:
    energy = pliant.ExampleBased(BOX.tets, [BOX.positions * 1.1], 10.0)
    return pliant.Simulation(pliant.Body(BOX, pliant.SolidMaterial(), name="bar", energies=energy))


def water_world() -> pliant.Simulation:
    sim = pliant.Simulation(pliant.Body(WATER, pliant.FluidMaterial(), name="water"), solver=PBD)
    sim.step()
    return sim


def cloth_on_gpu() -> pliant.GpuWorld:
    return world(solver=pliant.Gpu(pliant.Projective.plain(3))).on_gpu()


def plant_world() -> pliant.Simulation:
    return pliant.Simulation(pliant.Body(ROPE, pliant.OrientedMaterial(), name="plant", pin=[0]), solver=PBD)


def rod_world() -> pliant.Simulation:
    return pliant.Simulation(pliant.Body(ROPE, pliant.RodMaterial(), name="rod", pin=[0, 1]), solver=PBD)


def matched_world() -> pliant.Simulation:
    body = LATTICE.body(1000.0, pliant.Matching(LATTICE.regions(1), toughness=1.0), name="jelly")
    return pliant.Simulation(body, solver=PBD)


def rigid_world() -> pliant.Simulation:
    return pliant.Simulation(pliant.Body.rigid(BALL, name="ball"))


def two_bodies() -> pliant.Simulation:
    rope = pliant.Body(ROPE, pliant.StrandMaterial(), name="rope")
    tie = pliant.Attachment(("cloth", 3), ("rope", 1), 10.0)
    return pliant.Simulation([cloth(), rope], attachments=[tie], colliders=pliant.Collider.plane().at((0, -5, 0)))


def wrinkles() -> pliant.WrinkleMesh:
    return pliant.WrinkleMesh(SHEET, FINE, reach=0.05, iterations=2, most_iterations=4)


def upsampler() -> pliant.Upsampler:
    return pliant.Upsampler(SHEET, levels=1)


#: Frames of the sheet that is pressed together, and of a fine one.
PRESSED = np.array([SHEET.positions * [1 - 0.02 * k, 1, 1] for k in range(8)])
FOLDED = np.array([upsampler().smooth(x) for x in PRESSED])


def fitted() -> pliant.Upsampler:
    own = upsampler()
    own.fit([(PRESSED, FOLDED)], "piu")
    return own


def model_file() -> Path:
    fitted().save(FOLDER / "model.upsample")
    return FOLDER / "model.upsample"


def with_method(method: Any) -> Any:
    own = upsampler()
    own.fit([(PRESSED, FOLDED)], method)
    return own.apply(PRESSED[3])


def with_solver(solver: Any) -> Any:
    return run(cloth(), solver=solver)


def with_energy(energy: Any) -> Any:
    return run(pliant.Body(BOX if "tets" in vars(energy) else SHEET, masses=0.1, energies=energy, pin=[0]))


def with_constraints(constraints: Any) -> Any:
    mesh = BOX if "tets" in vars(constraints) else SHEET
    return run(pliant.Body(mesh, masses=0.1, constraints=constraints, pin=[0]), solver=PBD)


def with_collider(collider: Any) -> Any:
    return run(cloth(), colliders=collider)


def with_matching(matching: Any) -> Any:
    return run(pliant.Body(BOX, masses=0.1, matching=matching), solver=PBD)


def with_regions(regions: Any) -> Any:
    return with_matching(pliant.Matching(regions))


def with_lattice(lattice: Any) -> Any:
    lattice.edges()
    return run(lattice.body(1000.0, pliant.Matching(lattice.regions(1))), solver=PBD)


def with_octree(octree: Any) -> Any:
    return run(octree.body(1000.0, pliant.Matching(octree.regions(0.2))), solver=PBD)


def with_surface(mesh: Any) -> Any:
    return run(pliant.Body(mesh, pliant.ClothMaterial()))


def with_tets(mesh: Any) -> Any:
    return run(pliant.Body(mesh, pliant.SolidMaterial()))


def with_strands(mesh: Any) -> Any:
    return run(pliant.Body(mesh, pliant.StrandMaterial()))


def with_any_mesh(mesh: Any) -> Any:
    return with_tets(mesh) if isinstance(mesh, pliant.TetMesh) else with_surface(mesh)


def with_points(mesh: Any) -> Any:
    return run(pliant.Body(mesh, pliant.FluidMaterial()), solver=PBD)


def bundle_hair() -> pliant.Strands:
    return pliant.bundle(0.1, 3, 0.2, 3)


def hair(solver: Any) -> Any:
    strands = bundle_hair()
    return run(pliant.Body(strands, pliant.StrandMaterial(), pin=[own[0] for own in strands.lists]), solver=solver)


def step_after(sim: Any) -> Any:
    sim.step(2)
    assert np.isfinite(sim.positions).all(), "positions are not finite"
    return sim


def read_only(_: Any) -> None:
    """Nothing more is done with the result."""


@dataclass
class Case:
    """A callable with arguments that work. make gives the object whose method it is, or a module's function or class."""

    make: Callable[[], Any]
    arguments: dict[str, Any]
    use: Action = read_only
    #: Arguments that name files, where a missing one is an OSError.
    paths: tuple[str, ...] = ()
    #: What is set, not called.
    attribute: str | None = None
    #: Uses the object of the method, not the result.
    use_owner: bool = False
    #: Arguments that are functions of the user's, which run whatever they run, or that say how long to run.
    free: tuple[str, ...] = field(default=())


def _method(make: Callable[[], Any], name: str, arguments: dict[str, Any], **options: Any) -> Case:
    return Case(lambda: getattr(make(), name), arguments, **options)


def _setter(make: Callable[[], Any], name: str, value: Any) -> Case:
    return Case(make, {"value": value}, use=step_after, attribute=name, use_owner=True)


X = SHEET.positions
SETTINGS: dict[str, Any] = {"friction": 0.3, "restitution": 0.1, "thickness": 1e-3, "name": "wall"}

CASES: dict[str, Case] = {
    # Meshes.
    "Mesh": Case(lambda: pliant.Mesh, {"positions": X}),
    "Mesh.moved": _method(lambda: SHEET, "moved", {"offset": (0, 1, 0)}, use=with_surface),
    "Mesh.scaled": _method(lambda: SHEET, "scaled", {"factor": 2.0}, use=with_surface),
    "Mesh.rotated": _method(lambda: SHEET, "rotated", {"axis": (0, 1, 0), "degrees": 10.0}, use=with_surface),
    "Points": Case(lambda: pliant.Points, {"positions": WATER.positions}, use=with_points),
    "TriangleMesh": Case(
        lambda: pliant.TriangleMesh, {"positions": X, "triangles": SHEET.triangles}, use=with_surface
    ),
    "TriangleMesh.read": Case(lambda: pliant.TriangleMesh.read, {"path": mesh_file()}, paths=("path",)),
    "TriangleMesh.lumped_masses": _method(lambda: SHEET, "lumped_masses", {"density": 0.1}),
    "TriangleMesh.principal_stretches": _method(lambda: SHEET, "principal_stretches", {"positions": X}),
    "TriangleMesh.fill": _method(lambda: BALL, "fill", {"cells": 4, "keep_all": False}, use=with_tets),
    "Sheet": Case(
        lambda: pliant.Sheet,
        {"positions": X, "triangles": SHEET.triangles, "size": (0.3, 0.3), "cells": (3, 3), "diagonals": "forward"},
        use=lambda sheet: (sheet.vertex(1, 1), sheet.springs()),
    ),
    "Sheet.vertex": _method(lambda: SHEET, "vertex", {"column": 1, "row": 1}),
    "Sheet.springs": _method(lambda: SHEET, "springs", {"shear": "single", "skip_one": True}),
    "TetMesh": Case(lambda: pliant.TetMesh, {"positions": BOX.positions, "tets": BOX.tets}, use=with_tets),
    "TetMesh.read": Case(lambda: pliant.TetMesh.read, {"path": tet_file()}, paths=("path",)),
    "TetMesh.lumped_masses": _method(lambda: BOX, "lumped_masses", {"density": 1000.0}),
    "TetMesh.principal_stretches": _method(lambda: BOX, "principal_stretches", {"positions": BOX.positions}),
    "Strands": Case(
        lambda: pliant.Strands, {"positions": ROPE.positions, "strands": [[0, 1, 2], [3, 4]]}, use=with_strands
    ),
    "Strands.read": Case(lambda: pliant.Strands.read, {"path": mesh_file()}, paths=("path",)),
    "Strands.lumped_masses": _method(lambda: ROPE, "lumped_masses", {"density": 0.01}),
    "read_mesh": Case(
        lambda: pliant.read_mesh, {"path": mesh_file(), "scale": 1.0, "up": "y", "weld": False}, paths=("path",)
    ),
    "as_mesh": Case(lambda: pliant.as_mesh, {"other": SimpleNamespace(vertices=X, faces=SHEET.triangles)}),
    "sheet": Case(
        lambda: pliant.sheet,
        {"width": 0.3, "height": 0.3, "columns": 3, "rows": 3, "diagonals": "forward", "plane": "xy"},
        use=with_surface,
    ),
    "disc": Case(lambda: pliant.disc, {"radius": 0.2, "rings": 2, "sectors": 6, "plane": "xy"}, use=with_surface),
    "icosphere": Case(lambda: pliant.icosphere, {"radius": 0.2, "subdivisions": 1}, use=with_surface),
    "cylinder": Case(
        lambda: pliant.cylinder,
        {"radius": 0.1, "height": 0.2, "segments": 6, "rings": 2, "closed": False, "staggered": False},
        use=with_surface,
    ),
    "torus": Case(
        lambda: pliant.torus,
        {"major_radius": 0.2, "minor_radius": 0.05, "major_segments": 6, "minor_segments": 4},
        use=with_surface,
    ),
    "box": Case(lambda: pliant.box, {"size": (0.3, 0.1, 0.1), "cells": (2, 1, 1), "pattern": "kuhn"}, use=with_tets),
    "rope": Case(lambda: pliant.rope, {"start": (0, 0, 0), "end": (1, 0, 0), "segments": 4}, use=with_strands),
    "bundle": Case(
        lambda: pliant.bundle,
        {"radius": 0.1, "strands": 3, "length": 0.2, "segments": 3, "direction": (0, -1, 0)},
        use=with_strands,
    ),
    "scalp": Case(
        lambda: pliant.scalp,
        {"radius": 0.1, "strands": 5, "length": 0.2, "segments": 4, "cover": 0.5, "curl": (0.01, 0.05)},
        use=with_strands,
    ),
    "particle_block": Case(
        lambda: pliant.particle_block, {"size": (0.08, 0.08, 0.08), "spacing": 0.02}, use=with_points
    ),
    "fluid_surface": Case(
        lambda: pliant.fluid_surface,
        {"particles": WATER.positions, "spacing": 0.02, "cell": 0.012, "smoothing": 0.04, "radius": 0.011},
    ),
    # Materials.
    "ClothMaterial": Case(
        lambda: pliant.ClothMaterial,
        {
            "density": 0.15, "youngs_modulus": 4e6, "thickness": 5e-4, "poisson_ratio": 0.1,
            "bend_model": "mean-curvature", "bending_stiffness": 1e-5,
            "strain_limit": pliant.StrainLimit(pliant.Limits(0.9, 1.1), 1e7), "mass": "lumped",
        },
        use=lambda material: run(pliant.Body(SHEET, material, pin=[0])),
    ),
    "ClothMaterial.preset": Case(lambda: pliant.ClothMaterial.preset, {"name": "silk"}),
    "SolidMaterial": Case(
        lambda: pliant.SolidMaterial,
        {
            "density": 1000.0, "youngs_modulus": 1e5, "poisson_ratio": 0.3,
            "strain_limit": pliant.StrainLimit(pliant.Limits(0.9, 1.1), 1e7), "mass": "lumped",
        },
        use=lambda material: run(pliant.Body(BOX, material, pin=[0])),
    ),
    "SolidMaterial.preset": Case(lambda: pliant.SolidMaterial.preset, {"name": "rubber"}),
    "StrandMaterial": Case(
        lambda: pliant.StrandMaterial,
        {"density": 0.02, "axial_stiffness": 2e3, "resists_compression": True, "mass": "lumped", "width": 4e-3},
        use=lambda material: run(pliant.Body(ROPE, material, pin=[0])),
    ),
    "StrandMaterial.preset": Case(lambda: pliant.StrandMaterial.preset, {"name": "thread"}),
    "HairMaterial": Case(
        lambda: pliant.HairMaterial,
        {
            "density": 5e-4,
            "width": 1e-3,
            "correction": 0.5,
            "grid": pliant.HairGrid(0.05),
            "style": pliant.HairStyle(0.5),
        },
        use=lambda material: run(pliant.Body(ROPE, material, pin=[0]), solver=PBD),
    ),
    "RodMaterial": Case(
        lambda: pliant.RodMaterial,
        {"radius": 3e-3, "density": 1200.0, "youngs_modulus": 5e6, "shear_modulus": 1.7e6, "keeps_shape": True},
        use=lambda material: run(pliant.Body(ROPE, material, pin=[0]), solver=PBD),
    ),
    "OrientedMaterial": Case(
        lambda: pliant.OrientedMaterial,
        {
            "radius": 0.02, "tip_radius": 0.01, "density": 800.0, "width": 1, "share": 0.1, "frequency": None,
            "damping": 0.1, "limit": 0.1, "relaxation": 1.0,
        },
        use=lambda material: run(pliant.Body(ROPE, material, pin=[0]), solver=PBD),
    ),
    "OrientedParticles": Case(
        lambda: pliant.OrientedParticles,
        {
            "positions": ROPE.positions, "edges": ROPE.segments(), "radii": np.full((5, 3), 0.02),
            "orientations": np.tile([1.0, 0.0, 0.0, 0.0], (5, 1)),
        },
        use=lambda mesh: run(pliant.Body(mesh, pliant.OrientedMaterial(), pin=[0]), solver=PBD),
    ),
    "ChainMaterial": Case(
        lambda: pliant.ChainMaterial,
        {
            "width": 1, "density": 0.01, "share": 0.3, "frequency": None, "damping": 0.1, "limit": 0.3,
            "relaxation": 1.0,
        },
        use=lambda material: run(pliant.Body(ROPE, material, pin=[0]), solver=PBD),
    ),
    "RigidMaterial": Case(
        lambda: pliant.RigidMaterial,
        {"density": 700.0, "frequency": 3000.0},
        use=lambda material: run(pliant.Body(BALL, material)),
    ),
    "FluidMaterial": Case(
        lambda: pliant.FluidMaterial,
        {"density": 1000.0, "spacing": 0.02, "viscosity": 1e-3, "vorticity": 0.1, "separation": 1e-3},
        use=lambda material: run(pliant.Body(WATER, material), solver=PBD),
    ),
    "Emitter": Case(
        lambda: pliant.Emitter,
        {"mouth": (0, 0, 0), "direction": (1, 0, 0), "radius": 0.05, "speed": 1.0, "duration": 0.1},
        use=lambda emitter: run(pliant.Body.emitted(emitter), solver=PBD),
    ),
    "Emitter.particles": _method(
        lambda: pliant.Emitter((0, 0, 0), (1, 0, 0), radius=0.05, speed=1.0, duration=0.1), "particles", {"spacing": 0.02}
    ),
    "StrainLimit": Case(
        lambda: pliant.StrainLimit,
        {"set": pliant.Limits(0.9, 1.1), "youngs_modulus": 1e7},
        use=lambda limit: run(pliant.Body(SHEET, pliant.ClothMaterial(strain_limit=limit))),
    ),
    "Limits": Case(
        lambda: pliant.Limits,
        {"min": 0.9, "max": 1.1},
        use=lambda limits: with_energy(pliant.TriangleStrain(SHEET.triangles, 10.0, limits)),
    ),
    "Fibres": Case(
        lambda: pliant.Fibres,
        {"direction": (1.0, 0.0, 0.0), "limits": ((0.9, 1.1), (0.9, 1.1))},
        use=lambda fibres: with_energy(pliant.TriangleStrain(SHEET.triangles, 10.0, fibres)),
    ),
    # Bodies.
    "Body": Case(
        lambda: pliant.Body,
        {
            "mesh": SHEET, "material": pliant.ClothMaterial(), "name": "cloth", "density": None, "masses": None,
            "energies": (), "constraints": (), "pin": [0], "positions": X, "velocities": 0 * X, "pressure": 1.0, "permeable": False,
            "tearing": None, "matching": None, "cloth_matching": None, "solver": None,
        },
        use=run,
    ),
    "Body.rigid": Case(
        lambda: pliant.Body.rigid,
        {
            "mesh": BALL, "material": pliant.RigidMaterial(), "name": "ball", "pin": (), "velocity": (0, 1, 0),
            "spin": (0, 1, 0), "solver": None,
        },
        use=run,
    ),
    "Body.garment": Case(
        lambda: pliant.Body.garment,
        {"mesh": SHEET, "pieces": X[SHEET.triangles][:, :, :2], "material": pliant.ClothMaterial()},
        use=run,
    ),
    "Body.emitted": Case(
        lambda: pliant.Body.emitted,
        {
            "emitter": pliant.Emitter((0, 0, 0), (1, 0, 0), radius=0.05, speed=1.0, duration=0.1),
            "material": pliant.FluidMaterial(), "name": "jet", "solver": None,
        },
        use=lambda body: run(body, solver=PBD),
    ),
    "Tearing": Case(
        lambda: pliant.Tearing,
        {
            "stretch": 1.5, "force": None, "noise": 0.1, "seed": 1, "seams": (pliant.Seam([[0, 1]], 0.5),),
            "splits_per_step": 4,
        },
        use=lambda tearing: run(cloth(tearing=tearing)),
    ),
    "Tearing.check": _method(lambda: pliant.Tearing(stretch=1.5), "check", {"vertices": 16}),
    "Seam": Case(
        lambda: pliant.Seam,
        {"edges": [[0, 1]], "strength": 0.5},
        use=lambda seam: run(cloth(tearing=pliant.Tearing(stretch=1.5, seams=seam))),
    ),
    # Energies.
    "Energy.check": _method(lambda: pliant.EdgeSprings([[0, 1]], 1.0), "check", {"vertices": 16}),
    "EdgeSprings": Case(
        lambda: pliant.EdgeSprings,
        {"edges": SHEET.edges(), "stiffness": 10.0, "axial_stiffness": None, "rest_lengths": None, "limits": (0.9, 1.1), "metric": "vertex"},
        use=with_energy,
    ),
    "TriangleStrain": Case(
        lambda: pliant.TriangleStrain, {"triangles": SHEET.triangles, "stiffness": 10.0, "set": None}, use=with_energy
    ),
    "TetStrain": Case(lambda: pliant.TetStrain, {"tets": BOX.tets, "stiffness": 10.0, "set": None}, use=with_energy),
    "TriangleArea": Case(
        lambda: pliant.TriangleArea,
        {"triangles": SHEET.triangles, "stiffness": 10.0, "bounds": (0.9, 1.1)},
        use=with_energy,
    ),
    "TetVolume": Case(
        lambda: pliant.TetVolume, {"tets": BOX.tets, "stiffness": 10.0, "bounds": (0.9, 1.1)}, use=with_energy
    ),
    "MeanCurvatureBending": Case(
        lambda: pliant.MeanCurvatureBending, {"triangles": SHEET.triangles, "stiffness": 1e-4}, use=with_energy
    ),
    "PlateBending": Case(
        lambda: pliant.PlateBending,
        {"triangles": SHEET.triangles, "stiffness": 1e-4, "poisson_ratio": 0.3},
        use=with_energy,
    ),
    "HingeBending": Case(
        lambda: pliant.HingeBending,
        {"hinges": SHEET.hinges(), "stiffness": 1e-4, "rest_angle": 0.1, "of_plate": True, "metric": "mean"},
        use=with_energy,
    ),
    "ExampleBased": Case(
        lambda: pliant.ExampleBased,
        {"tets": BOX.tets, "examples": [BOX.positions * 1.1], "stiffness": 10.0, "weights": "local"},
        use=with_energy,
    ),
    "ExampleBased.check": _method(
        lambda: pliant.ExampleBased(BOX.tets, [BOX.positions], 1.0), "check", {"vertices": len(BOX)}
    ),
    "PositionGoals": Case(
        lambda: pliant.PositionGoals, {"vertices": [1, 2], "stiffness": 10.0, "goals": X[1:3]}, use=with_energy
    ),
    "AverageGoals": Case(
        lambda: pliant.AverageGoals,
        {"sets": [[1, 2], [3]], "stiffness": 10.0, "weights": [[0.5, 0.5], [1.0]], "goals": X[1:3]},
        use=with_energy,
    ),
    "HalfSpace": Case(
        lambda: pliant.HalfSpace,
        {"vertices": [1, 2], "point": (0, -1, 0), "normal": (0, 1, 0), "stiffness": 10.0},
        use=with_energy,
    ),
    "RigidSet": Case(
        lambda: pliant.RigidSet, {"hub": 0, "vertices": [1, 4, 5], "stiffness": 10.0}, use=with_energy
    ),
    "CustomEnergy": Case(
        lambda: pliant.CustomEnergy,
        {
            "stencils": [[0, 1]], "coefficients": [[1.0, -1.0]], "weights": 1.0, "project": lambda z: z,
            "constraint": None, "name": "own",
        },
        use=with_energy,
        free=("project", "constraint"),
    ),
    # Constraints.
    "Constraints.check": _method(lambda: pliant.DistanceConstraints([[0, 1]]), "check", {"vertices": 16}),
    "DistanceConstraints": Case(
        lambda: pliant.DistanceConstraints,
        {"edges": SHEET.edges(), "rest_lengths": 0.1, "allowed": "exactly", "compliance": 1e-6, "damping": 0.1},
        use=with_constraints,
    ),
    "DihedralConstraints": Case(
        lambda: pliant.DihedralConstraints,
        {"hinges": SHEET.hinges(), "rest_angles": 0.0, "compliance": 1e-6, "damping": 0.1},
        use=with_constraints,
    ),
    "IsometricBending": Case(
        lambda: pliant.IsometricBending,
        {"hinges": SHEET.hinges(), "compliance": 1e-6, "damping": 0.1},
        use=with_constraints,
    ),
    "AreaConstraints": Case(
        lambda: pliant.AreaConstraints,
        {"triangles": SHEET.triangles, "rest_areas": 0.005, "compliance": 1e-6, "damping": 0.1},
        use=with_constraints,
    ),
    "VolumeConstraints": Case(
        lambda: pliant.VolumeConstraints,
        {"tets": BOX.tets, "rest_volumes": 1e-4, "compliance": 1e-6, "damping": 0.1},
        use=with_constraints,
    ),
    "Balloon": Case(
        lambda: pliant.Balloon,
        {"triangles": BALL.triangles, "pressure": 1.0, "compliance": 1e-6},
        use=lambda own: run(pliant.Body(BALL, masses=0.1, constraints=own), solver=PBD),
    ),
    "TriangleStrainConstraints": Case(
        lambda: pliant.TriangleStrainConstraints,
        {"triangles": SHEET.triangles, "compliance": 1e-6, "damping": 0.1},
        use=with_constraints,
    ),
    "TetStrainConstraints": Case(
        lambda: pliant.TetStrainConstraints,
        {"tets": BOX.tets, "compliance": 1e-6, "damping": 0.1},
        use=with_constraints,
    ),
    "PointTriangleConstraints": Case(
        lambda: pliant.PointTriangleConstraints,
        {"stencils": [[15, 0, 1, 4]], "thickness": 0.01, "side": "front", "compliance": 1e-6, "damping": 0.1},
        use=with_constraints,
    ),
    "ShapeMatching": Case(
        lambda: pliant.ShapeMatching, {"sets": [[0, 1, 4, 5]], "compliance": 1e-6}, use=with_constraints
    ),
    "CustomConstraints": Case(
        lambda: pliant.CustomConstraints,
        {
            "stencils": [[0, 1], [2, 3]], "function": lambda x, elements: x[:, 1, 0] - x[:, 0, 0] - 0.1, "at_least": False,
            "compliance": 1e-6, "damping": 0.1, "name": "own",
        },
        use=with_constraints,
        free=("function",),
    ),
    "ShapeMatching.check": _method(lambda: pliant.ShapeMatching(), "check", {"vertices": 16}),
    "LongRangeAttachments": Case(
        lambda: pliant.LongRangeAttachments,
        {"points": [0], "lengths": "geodesic", "per_vertex": 1, "slack": 0.01},
        use=with_constraints,
    ),
    "LongRangeAttachments.check": _method(lambda: pliant.LongRangeAttachments([0]), "check", {"vertices": 16}),
    "LongRangeAttachments.threads": _method(lambda: pliant.LongRangeAttachments([0]), "threads", {"mesh": SHEET}),
    # Matching.
    "Regions": Case(
        lambda: pliant.Regions,
        {
            "kind": "balanced", "radius": 0.2, "seed": 0, "levels": 1, "width": 1, "lists": (), "source": None,
            "widths": None,
        },
        use=with_regions,
    ),
    "Regions.of": Case(lambda: pliant.Regions.of, {"lists": [list(range(len(BOX)))]}, use=with_regions),
    "Regions.random": Case(lambda: pliant.Regions.random, {"radius": 0.2, "seed": 1}, use=with_regions),
    "Regions.balanced": Case(lambda: pliant.Regions.balanced, {"radius": 0.2, "levels": 2}, use=with_regions),
    "Regions.rings": Case(lambda: pliant.Regions.rings, {"width": 1}, use=with_regions),
    "Regions.check": _method(pliant.Regions.whole, "check", {"vertices": 16}),
    "Plasticity": Case(
        lambda: pliant.Plasticity,
        {"yield_strain": 0.1, "creep": 1.0, "maximum": 1.0},
        use=lambda own: with_matching(pliant.Matching(pliant.Regions.balanced(0.2), plasticity=own)),
    ),
    "VolumeConservation": Case(
        lambda: pliant.VolumeConservation,
        {"local": 0.5, "distances": 0.5, "smoothing": 2},
        use=lambda own: run(
            pliant.Body(BALL, masses=0.1, matching=pliant.Matching(pliant.Regions.whole(), volume=own)), solver=PBD
        ),
    ),
    "Matching": Case(
        lambda: pliant.Matching,
        {
            "regions": pliant.Regions.balanced(0.2), "frequency": None, "share": 0.3, "damping": 0.1, "limit": 0.3,
            "relaxation": 1.0, "linear": 0.5, "quadratic": None, "plasticity": None, "toughness": 1.0, "volume": None,
        },
        use=with_matching,
    ),
    "ClothMatching": Case(
        lambda: pliant.ClothMatching,
        {
            "stretch": 1.0, "shear": 1.0, "bend": 0.1, "fibres": 0.1, "fibre_length": 4, "levels": 1, "rounds": 1,
            "warp": (1, 0, 0),
        },
        use=lambda own: run(pliant.Body(SHEET, masses=0.1, cloth_matching=own, pin=[0]), solver=PBD),
    ),
    "Lattice": Case(
        lambda: pliant.Lattice,
        {"cells": LATTICE.cells, "spacing": 0.1, "origin": (0, 0, 0), "cut": [[0, 1]]},
        use=with_lattice,
    ),
    "Lattice.block": Case(lambda: pliant.Lattice.block, {"counts": (2, 2, 2), "spacing": 0.1}, use=with_lattice),
    "Lattice.fill": Case(
        lambda: pliant.Lattice.fill, {"solid": BALL, "spacing": 0.1, "largest_piece": False}, use=with_lattice
    ),
    "Lattice.without_links": _method(lambda: LATTICE, "without_links", {"pairs": [[0, 1]]}, use=with_lattice),
    "Lattice.regions": _method(
        lambda: LATTICE, "regions", {"width": 1}, use=lambda own: run(LATTICE.body(1e3, pliant.Matching(own)), solver=PBD)
    ),
    "Lattice.body": _method(
        lambda: LATTICE, "body", {"density": 1e3, "matching": pliant.Matching(LATTICE.regions(1)), "name": "jelly"},
        use=lambda body: run(body, solver=PBD),
    ),
    "Lattice.skin": _method(lambda: LATTICE, "skin", {"points": BALL.positions}),
    "Octree": Case(
        lambda: pliant.Octree,
        {"centres": OCTREE.positions, "sizes": OCTREE.sizes, "edges": OCTREE.edges()},
        use=with_octree,
    ),
    "Octree.fill": Case(
        lambda: pliant.Octree.fill,
        {"solid": BALL, "size": 0.1, "levels": 1, "detail": 1.0, "splits": None, "largest_piece": False},
        use=with_octree,
    ),
    "Octree.regions": _method(
        lambda: OCTREE, "regions", {"width": 0.2}, use=lambda own: run(OCTREE.body(1e3, pliant.Matching(own)), solver=PBD)
    ),
    "Octree.body": _method(
        lambda: OCTREE, "body", {"density": 1e3, "matching": pliant.Matching(OCTREE.regions(0.2)), "name": "jelly"},
        use=lambda body: run(body, solver=PBD),
    ),
    "Octree.skin": _method(lambda: OCTREE, "skin", {"points": BALL.positions}),
    "MatchedSkin": Case(
        lambda: pliant.MatchedSkin,
        {"rest": LATTICE.positions, "sizes": 0.1, "edges": LATTICE.edges(), "points": BALL.positions},
        use=lambda skin: skin.follow(LATTICE.positions),
    ),
    "MatchedSkin.follow": _method(lambda: LATTICE.skin(BALL.positions), "follow", {"positions": LATTICE.positions}),
    "MatchedSkin.velocities": _method(
        lambda: LATTICE.skin(BALL.positions), "velocities",
        {"positions": LATTICE.positions, "velocities": LATTICE.positions},
    ),
    "Skin": Case(
        lambda: pliant.Skin,
        {"strands": ROPE, "material": pliant.OrientedMaterial(), "points": ROPE.positions + 0.01},
        use=lambda skin: skin.follow(ROPE.positions, np.tile([1.0, 0, 0, 0], (5, 1))),
    ),
    "Skin.follow": _method(
        lambda: pliant.Skin(ROPE, pliant.OrientedMaterial(), ROPE.positions + 0.01), "follow",
        {"positions": ROPE.positions, "orientations": np.tile([1.0, 0, 0, 0], (5, 1))},
    ),
    "WrinkleMesh": Case(
        lambda: pliant.WrinkleMesh,
        {
            "coarse": SHEET, "fine": FINE, "reach": 0.05, "one_sided": True, "bending": 0.5, "iterations": 2,
            "tolerance": 0.01, "most_iterations": 4,
        },
        use=lambda wrinkled: wrinkled.follow(0.9 * X),
    ),
    "Upsampler": Case(
        lambda: pliant.Upsampler,
        {"coarse": SHEET, "levels": 1, "fine": None, "gpu": False},
        use=lambda own: own.apply(0.9 * X),
    ),
    "Upsampler.fit": _method(
        upsampler,
        "fit",
        {
            "sequences": [(PRESSED, FOLDED)], "method": "piu", "frame_seconds": 0.02, "scene": "s", "date": "d",
            "notes": "n",
        },
    ),
    "Upsampler.save": _method(fitted, "save", {"path": FOLDER / "a.upsample"}, paths=("path",)),
    "Upsampler.load": _method(upsampler, "load", {"path": model_file()}, paths=("path",)),
    "Upsampler.apply": _method(upsampler, "apply", {"positions": 0.9 * X, "seconds": 0.1}),
    "Upsampler.smooth": _method(upsampler, "smooth", {"positions": 0.9 * X}),
    "UpsamplingMethod": Case(
        lambda: pliant.UpsamplingMethod,
        {
            "name": "wpsd", "poses": 2, "tolerance": 0.0, "rest_pose": True, "convex": True, "edges": 8, "decay": 1.0,
            "directions": "all", "neighbours": 6, "modes": 0, "regularisation": 0.01,
        },
        use=with_method,
    ),
    "WrinkleMesh.follow": _method(wrinkles, "follow", {"positions": 0.9 * X}),
    # Solvers and settings.
    "Anderson": Case(
        lambda: pliant.Anderson, {"window": 5}, use=lambda own: with_solver(pliant.Projective(acceleration=own))
    ),
    "Chebyshev": Case(
        lambda: pliant.Chebyshev,
        {"rho": 0.9, "delay": 2, "relaxation": 1.0},
        use=lambda own: with_solver(pliant.Projective(acceleration=own)),
    ),
    "Lbfgs": Case(
        lambda: pliant.Lbfgs, {"history": 5}, use=lambda own: with_solver(pliant.Projective(acceleration=own))
    ),
    "Projective": Case(
        lambda: pliant.Projective,
        {
            "iterations": 3, "tolerance": 1e-6, "acceleration": None, "start": "predicted", "record": False,
            "precision": "single",
        },
        use=with_solver,
    ),
    "Projective.plain": Case(
        lambda: pliant.Projective.plain, {"iterations": 3, "start": "predicted", "record": False}, use=with_solver
    ),
    "ConjugateGradient": Case(
        lambda: pliant.ConjugateGradient,
        {"tolerance": 1e-6, "max_iterations": 10},
        use=lambda own: with_solver(pliant.Newton(iterations=2, linear_solver=own)),
    ),
    "Auto": Case(lambda: pliant.Auto, {}, use=with_solver),
    "TwoMetric": Case(
        lambda: pliant.TwoMetric,
        {
            "iterations": 2, "linear_iterations": 3, "linear_tolerance": 0.1, "tolerance": 1e-6, "energy_tolerance": 0.01,
            "least_iterations": 1, "contact_iterations": 2,
            "preconditioner": "product", "start": "predicted", "record": False,
        },
        use=with_solver,
    ),
    # Where there is no adapter, only the descriptions can be tried.
    "Gpu": Case(
        lambda: pliant.Gpu,
        {"method": pliant.Projective.plain(3), "adapter": None, "half_precision_factor": True},
        use=lambda own: with_solver(own) if pliant.gpu_adapters() else None,
    ),
    "gpu_self_test": Case(
        lambda: pliant.gpu_self_test if pliant.gpu_adapters() else pliant.Gpu,
        {"adapter": None},
    ),
    "Simulation.on_gpu": Case(
        lambda: water_world().on_gpu if pliant.gpu_adapters() else pliant.Gpu,
        {"adapter": None},
        use=lambda world: world.close() if pliant.gpu_adapters() else None,
    ),
    "GpuWorld.step": Case(lambda: cloth_on_gpu().step if pliant.gpu_adapters() else world().step, {"count": 1}),
    "GpuWorld.move_pins": Case(
        lambda: cloth_on_gpu().move_pins if pliant.gpu_adapters() else world().move_pins, {"targets": X[:1]}
    ),
    "Newton": Case(
        lambda: pliant.Newton,
        {
            "iterations": 2, "tolerance": 1e-6, "linear_solver": "direct", "line_search": True,
            "curvature": "projected", "warm_start": 1, "start": "predicted", "record": False,
        },
        use=with_solver,
    ),
    "PositionBased": Case(
        lambda: pliant.PositionBased,
        {
            "iterations": 3, "stiffness": 0.5, "stiffness_of": {"plate": 0.1}, "jacobi": 1.0, "order": "as-added",
            "tolerance": 0.0, "record": False, "levels": pliant.StretchLevels(2),
            "density_tolerance": None, "density_iterations": 200,
        },
        use=with_solver,
    ),
    "StretchLevels": Case(
        lambda: pliant.StretchLevels,
        {"levels": 2, "rounds": 1, "most": 1.1},
        use=lambda levels: with_solver(pliant.PositionBased(3, levels=levels)),
    ),
    "PositionBased.classic": Case(
        lambda: pliant.PositionBased.classic, {"iterations": 3, "stiffness": 1.0}, use=with_solver
    ),
    "Explicit": Case(lambda: pliant.Explicit, {"stabilise": True, "safety": 0.9}, use=with_solver),
    "FollowLeader": Case(
        lambda: pliant.FollowLeader,
        {"correction": 0.5, "grid": pliant.HairGrid(0.05), "style": pliant.HairStyle(0.5)},
        use=hair,
    ),
    "HairGrid": Case(
        lambda: pliant.HairGrid,
        {"cell": 0.05, "friction": 1.0, "repulsion": 1.0},
        use=lambda grid: hair(pliant.FollowLeader(grid=grid)),
    ),
    "HairStyle": Case(
        lambda: pliant.HairStyle,
        {"local_share": 0.5, "iterations": 2, "global_share": 0.5, "global_range": 0.5},
        use=lambda style: hair(pliant.FollowLeader(style=style)),
    ),
    "StrainLimiting": Case(
        lambda: pliant.StrainLimiting,
        {"most": 1.1, "method": "global", "iterations": 10, "least": 0.0, "levels": 2, "tolerance": 1e-3},
        use=lambda own: run(cloth(), strain_limiting=own),
    ),
    "Damping": Case(
        lambda: pliant.Damping,
        {"drag": 0.1, "deformation": 0.1, "stiffness": 1e-3, "spring": 0.1, "radial": 0.1, "cluster": 4},
        use=lambda own: run(cloth(), damping=own),
    ),
    "Wind": Case(
        lambda: pliant.Wind,
        {
            "velocity": (1.0, 0.0, 0.0),
            "air_density": 1.2,
            "drag": 1.0,
            "strand_drag": 1.1,
            "strand_friction": 0.05,
            "turbulence": pliant.Turbulence(0.2),
        },
        use=lambda own: run(cloth(), wind=own),
    ),
    "Turbulence": Case(
        lambda: pliant.Turbulence,
        {"strength": 0.2, "length": 0.5, "seed": 3},
        use=lambda own: run(cloth(), wind=pliant.Wind((1.0, 0.0, 0.0), turbulence=own)),
    ),
    "Attachment": Case(
        lambda: pliant.Attachment,
        {"first": ("cloth", 1), "second": ("cloth", 2), "stiffness": 10.0, "keep_distance": True},
        use=lambda own: run(cloth(), attachments=[own]),
    ),
    "ContactParams": Case(
        lambda: pliant.ContactParams,
        {"mode": "constraint", "weight": 1.0},
        use=lambda own: run(cloth(), colliders=pliant.Collider.sphere(0.1), contact=own),
    ),
    "SelfCollision": Case(
        lambda: pliant.SelfCollision,
        {"thickness": 2e-3, "friction": 0.3, "stiffness": 50.0, "rounds": 3, "untangle": False},
        use=lambda own: run(cloth(), self_collision=own),
    ),
    # Colliders.
    "Collider": Case(
        lambda: pliant.Collider,
        {
            "shape": "sphere", "values": {"radius": 0.1}, "position": (0.0, -0.2, 0.0), "rotation": (1.0, 0.0, 0.0, 0.0),
            "keys": (), "friction": 0.1, "restitution": 0.1, "thickness": 1e-3, "name": "ball",
        },
        use=with_collider,
    ),
    "Collider.plane": Case(lambda: pliant.Collider.plane, dict(SETTINGS), use=with_collider),
    "Collider.sphere": Case(lambda: pliant.Collider.sphere, {"radius": 0.1, **SETTINGS}, use=with_collider),
    "Collider.capsule": Case(
        lambda: pliant.Collider.capsule, {"radius": 0.1, "length": 0.1, **SETTINGS}, use=with_collider
    ),
    "Collider.box": Case(lambda: pliant.Collider.box, {"size": (0.1, 0.1, 0.1), **SETTINGS}, use=with_collider),
    "Collider.cylinder": Case(
        lambda: pliant.Collider.cylinder, {"radius": 0.1, "length": 0.1, **SETTINGS}, use=with_collider
    ),
    "Collider.heightfield": Case(
        lambda: pliant.Collider.heightfield,
        {"heights": np.zeros((3, 3)), "spacing": (0.5, 0.5), **SETTINGS},
        use=with_collider,
    ),
    "Collider.mesh": Case(lambda: pliant.Collider.mesh, {"mesh": BALL, **SETTINGS}, use=with_collider),
    "Collider.animated": Case(
        lambda: pliant.Collider.animated,
        {"mesh": BALL, "times": [0.0, 1.0], "positions": np.stack([BALL.positions] * 2), **SETTINGS},
        use=with_collider,
    ),
    "Collider.distances": Case(
        lambda: pliant.Collider.distances,
        {"distances": np.ones((3, 3, 3)), "spacing": 0.1, "origin": (0, -1, 0), **SETTINGS},
        use=with_collider,
    ),
    "Collider.at": _method(lambda: pliant.Collider.sphere(0.1), "at", {"position": (0, 0, 0)}, use=with_collider),
    "Collider.turned": _method(
        lambda: pliant.Collider.box((0.1, 0.1, 0.1)), "turned", {"axis": (0, 1, 0), "degrees": 10.0}, use=with_collider
    ),
    "Collider.moving": _method(
        lambda: pliant.Collider.sphere(0.1), "moving",
        {"times": [0.0, 1.0], "positions": [[0, 0, 0], [0, 1, 0]], "rotations": [[1, 0, 0, 0], [1, 0, 0, 0]]},
        use=with_collider,
    ),
    # Worlds.
    "Simulation": Case(
        lambda: pliant.Simulation,
        {
            "bodies": cloth(), "time_step": 1 / 60, "substeps": 1, "gravity": (0, -9.81, 0),
            "wind": pliant.Wind((1.0, 0.0, 0.0)),
            "integrator": "implicit-euler", "solver": pliant.Projective(3), "damping": pliant.Damping(),
            "attachments": (), "colliders": pliant.Collider.plane(), "contact": pliant.ContactParams(),
            "self_collision": None, "strain_limiting": None, "force": None, "threads": None, "runaway_limit": 100.0,
        },
        use=step_after,
        free=("force",),
    ),
    "Simulation.step": _method(world, "step", {"count": 1, "solver": None}),
    "Simulation.settle": _method(world, "settle", {"tolerance": 0.5, "most_steps": 400}),
    "Simulation.read_positions": _method(world, "read_positions", {"out": X.copy()}),
    "Simulation.read_velocities": _method(world, "read_velocities", {"out": X.copy()}),
    "Simulation.restore": _method(world, "restore", {"checkpoint": world().checkpoint()}),
    "Simulation.add": _method(world, "add", {"body": pliant.Body(ROPE, pliant.StrandMaterial(), name="rope")}),
    "Simulation.remove": _method(two_bodies, "remove", {"body": "rope"}),
    "Simulation.pin": _method(world, "pin", {"body": "cloth", "vertices": [3, 4]}),
    "Simulation.unpin": _method(world, "unpin", {"body": "cloth", "vertices": [0]}),
    "Simulation.attach": _method(
        two_bodies, "attach", {"attachment": pliant.Attachment(("cloth", 1), ("rope", 2), 10.0)}
    ),
    "Simulation.detach": _method(
        two_bodies, "detach", {"attachment": pliant.Attachment(("cloth", 3), ("rope", 1), 10.0)}
    ),
    "Simulation.set_material": _method(world, "set_material", {"body": "cloth", "material": pliant.ClothMaterial()}),
    "Simulation.set_body_solver": _method(world, "set_body_solver", {"body": "cloth", "solver": pliant.Newton()}),
    "Simulation.add_collider": _method(world, "add_collider", {"collider": pliant.Collider.sphere(0.1)}),
    "Simulation.replace_collider": _method(
        two_bodies, "replace_collider", {"number": 0, "collider": pliant.Collider.sphere(0.1)}
    ),
    "Simulation.remove_collider": _method(two_bodies, "remove_collider", {"number": 0}),
    "Simulation.pick": _method(world, "pick", {"origin": (0, 0, 3), "direction": (0, 0, -1), "radius": 0.1}),
    "Simulation.grab": _method(world, "grab", {"body": "cloth", "vertex": 3, "stiffness": 10.0}),
    "Simulation.solver_of": _method(world, "solver_of", {"body": "cloth"}),
    "Grab": Case(lambda: pliant.Grab, {"simulation": world(), "handle": world().grab("cloth", 3, 10.0)._handle}),
    "Pick": Case(lambda: pliant.Pick, {"body": "cloth", "vertex": 3, "point": (0, 0, 0), "distance": 1.0}),
    "RenderBuffers": Case(lambda: pliant.RenderBuffers, {"simulation": world()}),
    "Grab.move": _method(lambda: world().grab("cloth", 3, 10.0), "move", {"target": (0.1, 0.2, 0.3)}),
    "RenderBuffers.blend": _method(lambda: pliant.RenderBuffers(world()), "blend", {"share": 0.5}),
    "Simulation.move_pins": _method(world, "move_pins", {"targets": X[:1], "vertices": [0], "body": "cloth"}),
    "Simulation.goals": _method(goals_world, "goals", {"kind": "position"}),
    "Simulation.set_goals": _method(
        goals_world, "set_goals", {"goals": X[3:5], "kind": "position", "first": 0}
    ),
    "Simulation.set_orientations": _method(
        plant_world, "set_orientations", {"body": "plant", "orientations": np.tile([1.0, 0, 0, 0], (5, 1))}
    ),
    "Simulation.twist_rod": _method(rod_world, "twist_rod", {"body": "rod", "segment": 0, "angle": 1.0}),
    "Simulation.cut_plane": _method(
        world, "cut_plane", {"body": "cloth", "point": (0.01, 0, 0), "normal": (1, 0.1, 0), "at_rest": False}
    ),
    "Simulation.cut_polyline": _method(
        world, "cut_polyline",
        {"body": "cloth", "points": [[-0.1, 0.01, 0], [0.1, 0.02, 0]], "direction": (0, 0, 1), "at_rest": True},
    ),
    "Simulation.positions": _setter(world, "positions", X),
    "Simulation.velocities": _setter(world, "velocities", X),
    "Simulation.forces": _setter(world, "forces", X),
    "Simulation.time_step": _setter(world, "time_step", 0.01),
    "Simulation.substeps": _setter(world, "substeps", 2),
    "Simulation.gravity": _setter(world, "gravity", (0, -1, 0)),
    "Simulation.wind": _setter(world, "wind", pliant.Wind((1.0, 0.0, 0.0))),
    "Simulation.solver": _setter(world, "solver", pliant.Projective(3)),
    "Simulation.vertices": _method(world, "vertices", {"body": "cloth"}),
    "Simulation.surface": _method(world, "surface", {"body": "cloth"}),
    "Simulation.element_strains": _method(world, "element_strains", {"body": "cloth"}),
    "Simulation.example_weights": _method(examples_world, "example_weights", {"body": "bar"}),
    "Simulation.channels": _method(plant_world, "channels", {"body": "plant"}),
    "Simulation.orientations": _method(plant_world, "orientations", {"body": "plant"}),
    "Simulation.angular_velocities": _method(plant_world, "angular_velocities", {"body": "plant"}),
    "Simulation.pieces": _method(matched_world, "pieces", {"body": "jelly"}),
    "Simulation.rigid_pose": _method(rigid_world, "rigid_pose", {"body": "ball"}),
    "Simulation.fluid_surface": _method(
        water_world, "fluid_surface", {"body": "water", "cell": 0.012, "smoothing": 0.04, "radius": 0.011}
    ),
    "Simulation.fluid_densities": _method(water_world, "fluid_densities", {"body": "water"}),
    "Simulation.fluid_pressures": _method(water_world, "fluid_pressures", {"body": "water"}),
    "Problem": Case(lambda: pliant.Problem, {"simulation": world()}),
    "Problem.value": _method(lambda: world().next_problem(), "value", {"x": X}),
    "Problem.gradient": _method(lambda: world().next_problem(), "gradient", {"x": X}),
    "Problem.start": _method(lambda: world().next_problem(), "start", {"which": "predicted"}),
    "Problem.solve": _method(lambda: world().next_problem(), "solve", {"solver": pliant.Projective(3), "x": X}),
    # Scenes.
    "SceneSimulation": Case(
        lambda: pliant.SceneSimulation,
        {"name": "scene.toml", "text": SCENE, "set": ["world.frames=1"], "solver": None, "threads": None},
        use=lambda sim: sim.next_frame(),
    ),
    "SceneSimulation.run": _method(lambda: pliant.parse_scene(SCENE), "run", {"frames": 1, "each": None}, free=("each",)),
    "SceneSimulation.measure": _method(
        lambda: pliant.parse_scene(SCENE), "measure", {"quantity": "max-stretch", "body": "cloth"}
    ),
    "load_scene": Case(
        lambda: pliant.load_scene,
        {"name": scene_file(), "set": {"world.frames": 1}, "solver": None, "threads": None},
        use=lambda sim: sim.next_frame(),
    ),
    "parse_scene": Case(
        lambda: pliant.parse_scene,
        {"text": SCENE, "name": "scene.toml", "solver": None},
        use=lambda sim: sim.next_frame(),
    ),
    # Sweeps and pictures.
    "grid": Case(lambda: pliant.grid, {"parameters": {"x": [1, 2]}}),
    "sweep": Case(
        lambda: pliant.sweep,
        {
            "run": lambda x: {"y": x}, "parameters": {"x": [1, 2]}, "workers": 1, "backend": "serial",
            "measure": ("max-stretch",), "progress": False,
        },
        free=("run", "progress"),
    ),
    "Sweep": Case(lambda: pliant.Sweep, {"rows": [{"x": 1}]}, use=lambda rows: (rows.columns, rows.failed)),
    "Sweep.to_csv": _method(
        lambda: pliant.Sweep([{"x": 1}]), "to_csv", {"path": FOLDER / "sweep.csv"}, paths=("path",)
    ),
    "show": Case(
        lambda: pliant.show,
        {
            "sim": world(), "color": "speed", "label": "speed", "size": (32, 24), "direction": (0, 0, -1),
            "ground": True, "caption": "cloth", "interactive": False,
        },
        # True needs pyvista.
        free=("interactive",),
    ),
    "save_gif": Case(
        lambda: pliant.save_gif,
        {
            "sim": world(), "path": FOLDER / "motion.gif", "seconds": 0.1, "frames": None, "frames_per_second": 25.0,
            "color": "speed", "size": (32, 24), "direction": (0, 0, -1), "ground": True,
        },
        paths=("path",),
    ),
    "vertex_strains": Case(lambda: pliant.vertex_strains, {"sim": world()}),
    "Run.create": Case(
        lambda: pliant.Run.create,
        {
            "path": FOLDER / "run", "simulation": world(), "steps_per_frame": 2, "checkpoint_every": 30,
            "overwrite": True,
        },
        use=lambda run: run.record(1).close(),
        # Without overwrite there is a run already.
        paths=("path", "overwrite"),
    ),
    "Run.resume": Case(
        lambda: pliant.Run.resume,
        {"path": finished_run(), "simulation": world(), "checkpoint_every": 30},
        use=lambda run: run.close(),
        paths=("path",),
    ),
    "Run.open": Case(
        lambda: pliant.Run.open, {"path": finished_run()}, use=lambda run: run.read(-1), paths=("path",)
    ),
    "Run.add_frame": _method(new_run, "add_frame", {"reports": (), "channels": {"mine": np.arange(16.0)}}),
    "Run.record": _method(new_run, "record", {"frames": 2, "each": None}, free=("each",)),
    "Run.read": _method(new_run, "read", {"frame": 0}),
    "Run.topology": _method(new_run, "topology", {"frame": 0}),
    "Run.export": _method(
        new_run,
        "export",
        {
            "path": FOLDER / "cloth.npy", "format": "npy", "frames": (0, 0), "every": 1, "bodies": ["cloth"],
            "scale": 1.0, "up": "y", "fluid": "particles", "interpolation": "linear",
        },
        paths=("path",),
    ),
    "Image.save": _method(
        lambda: pliant.show(world(), size=(16, 12)), "save", {"path": FOLDER / "a.png", "few_colors": True}, paths=("path",)
    ),
}  # fmt: skip

#: What users only receive: reports, and bases of classes.
RECEIVED = {
    "Constraints", "Contacts", "CutReport", "ElementStrains", "Energy", "GpuAdapter", "GpuCheck", "GpuWorld", "Image", "ImportedMesh", "PendingPositions", "Report",
    "RigidPose", "Run", "Settled", "Solution", "SolveReport", "StepError", "StepReport", "StoredFrame", "StoredTopology", "UpsamplingFit", "Verdict",
    "WorstElement", "__version__",
}  # fmt: skip
