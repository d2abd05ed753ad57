"""Simulates deformable bodies with projective and position-based dynamics: cloth, shells, solids, strands, rods and
fluids. It takes and returns NumPy arrays.

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
from ._cloth_matching import ClothMatching
from ._collide import Collider, ContactParams, Contacts, SelfCollision
from ._constraints import (
    AreaConstraints,
    Balloon,
    Constraints,
    CustomConstraints,
    DihedralConstraints,
    DistanceConstraints,
    IsometricBending,
    LongRangeAttachments,
    PointTriangleConstraints,
    ShapeMatching,
    TetStrainConstraints,
    TriangleStrainConstraints,
    VolumeConstraints,
)
from ._energies import (
    AverageGoals,
    CustomEnergy,
    EdgeSprings,
    Energy,
    ExampleBased,
    Fibres,
    HalfSpace,
    HingeBending,
    Limits,
    MeanCurvatureBending,
    PlateBending,
    PositionGoals,
    RigidSet,
    TetStrain,
    TetVolume,
    TriangleArea,
    TriangleStrain,
)
from ._fluids import Emitter, FluidMaterial, fluid_surface, particle_block
from ._gpu import GpuAdapter, GpuCheck, GpuWorld, PendingPositions, gpu_adapters, gpu_self_test
from ._interaction import Grab, Pick, RenderBuffers
from ._lattices import Lattice, MatchedSkin, Octree, Skin
from ._matching import Matching, Plasticity, Regions, VolumeConservation
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
from ._reports import ElementStrains, Report, RigidPose, Settled, Solution, WorstElement
from ._runs import Run, StoredFrame, StoredTopology
from ._scene import SceneSimulation, Verdict, builtin_scenes, load_scene, parse_scene
from ._settings import (
    Anderson,
    Attachment,
    Auto,
    Chebyshev,
    ClothMaterial,
    ConjugateGradient,
    Damping,
    Explicit,
    Gpu,
    Lbfgs,
    Newton,
    PositionBased,
    Projective,
    RigidMaterial,
    SolidMaterial,
    StrainLimit,
    StrainLimiting,
    StrandMaterial,
    StretchLevels,
    Turbulence,
    TwoMetric,
    Wind,
)
from ._simulation import Problem, Simulation
from ._strands import (
    ChainMaterial,
    FollowLeader,
    HairGrid,
    HairMaterial,
    HairStyle,
    OrientedMaterial,
    OrientedParticles,
    RodMaterial,
    scalp,
)
from ._sweep import Sweep, grid, sweep
from ._topology import CutReport, Seam, Tearing
from ._upsampling import Upsampler, UpsamplingFit, UpsamplingMethod
from ._view import save_gif, show, vertex_strains
from ._wrinkles import WrinkleMesh

__all__ = [
    "Anderson", "AreaConstraints", "Attachment", "Auto", "AverageGoals", "Balloon", "Body", "ChainMaterial", "Chebyshev", "ClothMatching",
    "ClothMaterial", "Collider", "ConjugateGradient", "Constraints", "ContactParams", "Contacts", "CustomConstraints", "CustomEnergy",
    "CutReport", "Damping", "DihedralConstraints", "DistanceConstraints", "EdgeSprings", "ElementStrains", "Emitter",
    "Energy", "ExampleBased", "Explicit", "Fibres", "FluidMaterial", "FollowLeader", "Gpu", "GpuAdapter", "GpuCheck", "GpuWorld", "Grab",
    "HairGrid", "HairMaterial", "HairStyle", "HalfSpace",
    "HingeBending", "Image", "ImportedMesh", "IsometricBending", "Lattice", "Lbfgs", "Limits", "LongRangeAttachments", "MatchedSkin", "Matching",
    "MeanCurvatureBending", "Mesh", "Newton", "Octree", "OrientedMaterial", "OrientedParticles", "PendingPositions", "Pick",
    "Plasticity", "PlateBending", "PointTriangleConstraints", "Points",
    "PositionBased", "PositionGoals", "Problem", "Projective", "Regions", "RenderBuffers",
    "Report",
    "RigidMaterial", "RigidPose", "RigidSet", "RodMaterial", "Run", "SceneSimulation", "Seam", "SelfCollision", "Settled",
    "ShapeMatching", "Sheet", "Simulation", "Skin", "SolidMaterial", "Solution", "SolveReport", "StepError", "StepReport",
    "StoredFrame", "StoredTopology", "StrainLimit", "StrainLimiting", "StrandMaterial", "Strands", "StretchLevels", "Sweep", "Tearing", "TetMesh", "TetStrain",
    "TetStrainConstraints", "TetVolume", "TriangleArea", "TriangleMesh", "TriangleStrain", "TriangleStrainConstraints",
    "Turbulence", "TwoMetric", "Upsampler", "UpsamplingFit", "UpsamplingMethod",
    "Verdict", "VolumeConservation", "VolumeConstraints", "Wind", "WorstElement", "WrinkleMesh", "__version__", "as_mesh", "box",
    "builtin_scenes", "bundle", "cylinder", "disc", "fluid_surface", "gpu_adapters", "gpu_self_test", "grid", "icosphere", "load_scene", "parse_scene",
    "particle_block", "read_mesh", "rope", "save_gif", "scalp", "sheet", "show", "sweep", "torus", "vertex_strains",
]  # fmt: skip
