"""Deformable bodies by projective dynamics: cloth, shells, solids and strands, with NumPy arrays in and out.

    import pliant

    mesh = pliant.sheet(width=1, height=1, columns=20, rows=20, plane="xz")
    corners = [mesh.vertex(0, 0), mesh.vertex(-1, 0)]
    cloth = pliant.Body(mesh, pliant.ClothMaterial.preset("denim"), name="cloth", pin=corners)
    sim = pliant.Simulation(cloth, wind=pliant.Wind((0, 0, 2)))
    sim.step(120)
    pliant.show(sim).save("cloth.png")

Units are SI throughout; the y axis points up.
"""

from ._body import Body
from ._collide import Collider, ContactParams, Contacts, SelfCollision
from ._energies import (
    CustomEnergy,
    EdgeSprings,
    Energy,
    ExampleBased,
    Fibres,
    HalfSpace,
    HingeBending,
    Limits,
    MeanCurvatureBending,
    PositionGoals,
    RigidSet,
    TetStrain,
    TetVolume,
    TriangleArea,
    TriangleStrain,
)
from ._meshes import (
    ImportedMesh,
    Mesh,
    Points,
    Sheet,
    Strands,
    TetMesh,
    TriangleMesh,
    as_mesh,
    box,
    bundle,
    cylinder,
    disc,
    icosphere,
    read_mesh,
    rope,
    sheet,
    torus,
)
from ._pliant import Image, SolveReport, StepError, StepReport, __version__
from ._reports import ElementStrains, Report, Solution, WorstElement
from ._scene import SceneSimulation, Verdict, builtin_scenes, load_scene, parse_scene
from ._settings import (
    Anderson,
    Attachment,
    Chebyshev,
    ClothMaterial,
    ConjugateGradient,
    Damping,
    Newton,
    PositionBased,
    Projective,
    SolidMaterial,
    StrainLimit,
    StrandMaterial,
    Wind,
)
from ._simulation import Problem, Simulation
from ._sweep import Sweep, grid, sweep
from ._view import save_gif, show, vertex_strains

__all__ = [
    "Anderson", "Attachment", "Body", "Chebyshev", "ClothMaterial", "Collider", "ConjugateGradient", "ContactParams",
    "Contacts", "CustomEnergy", "Damping",
    "EdgeSprings", "ElementStrains", "Energy", "ExampleBased", "Fibres", "HalfSpace", "HingeBending", "Image",
    "ImportedMesh", "Limits", "MeanCurvatureBending", "Mesh", "Newton", "Points", "PositionBased", "PositionGoals",
    "Problem", "Projective", "Report", "RigidSet", "SceneSimulation", "SelfCollision", "Sheet", "Simulation", "SolidMaterial", "Solution", "SolveReport", "StepError",
    "StepReport", "StrainLimit", "StrandMaterial", "Strands", "Sweep", "TetMesh", "TetStrain", "TetVolume",
    "TriangleArea", "TriangleMesh", "TriangleStrain", "Verdict", "Wind", "WorstElement", "__version__", "as_mesh", "box",
    "builtin_scenes", "bundle", "cylinder", "disc", "grid", "icosphere", "load_scene", "parse_scene", "read_mesh", "rope",
    "save_gif", "sheet", "show", "sweep", "torus", "vertex_strains",
]  # fmt: skip
