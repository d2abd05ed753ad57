"""Materials, solvers, and other settings: plain descriptions with units, checked when a simulation is built."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from . import _pliant
from ._arrays import count, instance, number, part_of_name
from ._energies import Fibres, Limits
from ._material import Material
from ._meshes import Mesh, Strands, TetMesh, TriangleMesh
from ._strands import FollowLeader


@dataclass(frozen=True)
class StrainLimit:
    """The stretch beyond which a soft material becomes stiff.

    set: the stretches within which the limit does not act. youngs_modulus [Pa]: beyond it, usually 10 to 1000 times the
    material's.
    """

    set: Limits | Fibres
    youngs_modulus: float

    def __post_init__(self) -> None:
        if not isinstance(self.set, (Limits, Fibres)):
            raise ValueError(f"set is {self.set!r}, but must be Limits or Fibres")


@dataclass(frozen=True)
class ClothMaterial(Material):
    """Cloth, paper, sheet metal. The default is a light cotton; see ClothMaterial.preset for others.

    density: mass per area [kg/m²]. youngs_modulus [Pa]. thickness [m]. poisson_ratio: 0 to below 1. bend_model:
    "auto", a plate if the rest shape is flat, else hinges; "plate" (an error if it is not flat); "hinge";
    "mean-curvature" [Bouaziz 2014], in which saddles and the rim bend without resistance; or "none".
    bending_stiffness [N·m]: E t³/(12(1−ν²)) if None. mass: "lumped" or "consistent".
    """

    density: float = 0.15
    youngs_modulus: float = 4e6
    thickness: float = 5e-4
    poisson_ratio: float = 0.0
    bend_model: str = "auto"
    bending_stiffness: float | None = 1e-5
    strain_limit: StrainLimit | None = None
    mass: str = "lumped"

    kind: ClassVar[str] = "cloth"
    meshes: ClassVar[type[Mesh]] = TriangleMesh

    def __post_init__(self) -> None:
        instance(self.strain_limit, "strain_limit", StrainLimit)

    @classmethod
    def preset(cls, name: str) -> ClothMaterial:
        """A material by name: cotton, silk, denim, paper, rubber-sheet."""
        return cls(**_pliant.cloth_material(name))


@dataclass(frozen=True)
class SolidMaterial(Material):
    """Rubber, jelly, wood. The default is a firm jelly.

    density: mass per volume [kg/m³]. youngs_modulus [Pa]. poisson_ratio: 0 to below 0.5. mass: "lumped" or "consistent".
    """

    density: float = 1000.0
    youngs_modulus: float = 1e5
    poisson_ratio: float = 0.3
    strain_limit: StrainLimit | None = None
    mass: str = "lumped"

    kind: ClassVar[str] = "solid"
    meshes: ClassVar[type[Mesh]] = TetMesh

    def __post_init__(self) -> None:
        instance(self.strain_limit, "strain_limit", StrainLimit)

    @classmethod
    def preset(cls, name: str) -> SolidMaterial:
        """A material by name: jelly, rubber, foam, wood."""
        return cls(**_pliant.solid_material(name))


@dataclass(frozen=True)
class StrandMaterial(Material):
    """Rope, string, thread. The default is a 6 mm cotton cord.

    density: mass per length [kg/m]. axial_stiffness: Young's modulus × cross-section [N]. resists_compression: a
    slack rope does not. mass: "lumped" or "consistent". width [m] that wind acts on; that of a round fibre of 1300
    kg/m³ if None.
    """

    density: float = 0.02
    axial_stiffness: float = 2e3
    resists_compression: bool = True
    mass: str = "lumped"
    width: float | None = None

    kind: ClassVar[str] = "strand"
    meshes: ClassVar[type[Mesh]] = Strands

    @classmethod
    def preset(cls, name: str) -> StrandMaterial:
        """A material by name: cord, thread, cable."""
        return cls(**_pliant.strand_material(name))


@dataclass(frozen=True)
class RigidMaterial(Material):
    """A solid that does not deform. The default is wood.

    density: mass per volume [kg/m³]. frequency [rad/s]: its stiffness; a vertex through which the whole body gets an
    acceleration a yields by a/frequency².
    """

    density: float = 700.0
    frequency: float = 3000.0

    kind: ClassVar[str] = "rigid"
    meshes: ClassVar[type[Mesh]] = TriangleMesh


@dataclass(frozen=True)
class Anderson:
    """Anderson acceleration over the last iterates, 1 to 16; an iterate that raises g is replaced by the plain one."""

    window: int = 5

    kind: ClassVar[str] = "anderson"


@dataclass(frozen=True)
class Chebyshev:
    """Chebyshev semi-iteration [Wang 2015]. rho: spectral radius, below 1. delay: plain iterations before. relaxation: of the
    plain step."""

    rho: float
    delay: int = 5
    relaxation: float = 1.0

    kind: ClassVar[str] = "chebyshev"


@dataclass(frozen=True)
class Lbfgs:
    """L-BFGS over the constant matrix [Liu 2017], with a line search: g never rises. history: number of remembered
    changes of positions and forces, 1 to 16. Contacts must be constraints."""

    history: int = 5

    kind: ClassVar[str] = "lbfgs"


@dataclass(frozen=True)
class Projective:
    """Local/global iterations with a constant matrix [Bouaziz 2014; Liu 2013].

    iterations: maximum number per step. tolerance: stops when the largest unbalanced force on a vertex is at most
    this share of the largest force. acceleration: Anderson, Chebyshev, Lbfgs or None. start: "predicted", "inertial"
    or "previous". record: stores g at each iteration in the report's history (slower). precision: "single" or
    "double", of the factor; both converge to the same result.
    """

    iterations: int = 10
    tolerance: float = 1e-6
    acceleration: Anderson | Chebyshev | Lbfgs | None = Anderson()
    start: str = "predicted"
    record: bool = False
    precision: str = "single"

    kind: ClassVar[str] = "projective"

    def __post_init__(self) -> None:
        if self.acceleration is not None and not isinstance(self.acceleration, (Anderson, Chebyshev, Lbfgs)):
            raise ValueError(
                f"acceleration is {self.acceleration!r}, but must be an Anderson, a Chebyshev, an Lbfgs or None"
            )

    @classmethod
    def plain(cls, iterations: int, *, start: str = "predicted", record: bool = False) -> Projective:
        """A fixed number of plain iterations, as in the papers."""
        return cls(iterations, 0.0, None, start, record)

    @classmethod
    def converged(cls) -> Projective:
        """Parameters to iterate to convergence."""
        return cls(20_000, 1e-10, Anderson(10))


@dataclass(frozen=True)
class Auto:
    """Chooses a solver that suits what the world contains, and also the number of substeps and the integrator unless
    you set them.

    Simulation.solver_in_use and Simulation.integrator_in_use return the choice.
    """

    kind: ClassVar[str] = "auto"
    start: ClassVar[str] = "predicted"


@dataclass(frozen=True)
class TwoMetric:
    """Newton's method with few linear iterations and the projective factor: for stiff bodies, thin bodies and contact.

    iterations: maximum number per step. linear_iterations: maximum number in each, every one with a solve with the
    projective factor; they end at linear_tolerance of the residual. tolerance: as for Projective. energy_tolerance:
    another iteration is added only if g differs from what the last one predicted by more than this share of the
    energy of the bodies; with 0, all are made. least_iterations and contact_iterations: the minimum numbers, always
    and during contact. preconditioner: "product" or "sum" of factor and diagonal blocks, or "factor" alone, which is
    enough for solids. start: "predicted", "inertial" or "previous". record: stores g at each iteration.
    """

    iterations: int = 3
    linear_iterations: int = 16
    linear_tolerance: float = 0.05
    tolerance: float = 1e-6
    preconditioner: str = "product"
    start: str = "predicted"
    record: bool = False
    energy_tolerance: float = 0.0
    least_iterations: int = 1
    contact_iterations: int = 1

    kind: ClassVar[str] = "two-metric"

    @classmethod
    def converged(cls) -> TwoMetric:
        """Parameters to iterate to convergence."""
        return cls(500, 60, 1e-3, 1e-10)


@dataclass(frozen=True)
class ConjugateGradient:
    """Solves Newton's linear systems with conjugate gradients. tolerance: residual of the linear system relative to its
    right-hand side. max_iterations: of each solve."""

    tolerance: float = 1e-6
    max_iterations: int = 1000


@dataclass(frozen=True)
class Newton:
    """Newton's method: the exact implicit step.

    iterations, tolerance: as for Projective. linear_solver: "direct" or ConjugateGradient. line_search: off only for
    the semi-implicit step. curvature: if the matrix is not positive definite, "projected" removes the negative part
    of elements (robust), "shifted" adds to its diagonal [Liu 2013], "raw" is an error. warm_start: number of
    local/global iterations before the first one. start: "predicted", "inertial" or "previous". record: stores g at
    each iteration.
    """

    iterations: int = 200
    tolerance: float = 1e-9
    linear_solver: str | ConjugateGradient = "direct"
    line_search: bool = True
    curvature: str = "projected"
    warm_start: int = 0
    start: str = "predicted"
    record: bool = False

    kind: ClassVar[str] = "newton"

    def __post_init__(self) -> None:
        if not isinstance(self.linear_solver, (str, ConjugateGradient)):
            raise ValueError(f'linear_solver is {self.linear_solver!r}, but must be "direct" or a ConjugateGradient')

    @classmethod
    def semi_implicit(cls) -> Newton:
        """One linearised step from the last positions, without line search [Baraff 1998]."""
        return cls(iterations=1, line_search=False, start="previous")


@dataclass(frozen=True)
class StretchLevels:
    """Coarser sets of vertices that keep bodies with a material from stretching as a whole in the position-based solver,
    before each iteration [Müller 2008]: a long cloth then keeps its length with few iterations.

    levels: maximum number above the mesh, at most 64; vertices of each are about twice as far apart as those of the one below. rounds: on
    each level per iteration, 1 to 1000. most: stretch that they allow, as length over rest length, at least 1.
    """

    levels: int = 8
    rounds: int = 1
    most: float = 1.0

    def __post_init__(self) -> None:
        count(self.levels, "levels", at_most=64)
        count(self.rounds, "rounds", at_least=1, at_most=1000)
        number(self.most, "most", at_least=1)


@dataclass(frozen=True)
class PositionBased:
    """Position-based dynamics [Bender 2014]: cheap iterations; few of them make stiff bodies soft.

    iterations: number per step. stiffness: None for that of the materials (XPBD), or the share of an error, 0 to 1,
    that the iterations of a step correct (classic); stiffness_of: shares for some kinds of constraints, by name.
    jacobi: None for Gauss-Seidel over colours, or the relaxation (1 for none) of means over all constraints at once.
    order: "as-added", "reversed" or "alternating". tolerance: stops when an iteration moves no vertex by more than
    this share of the world's diagonal; with 0, all iterations are made. record: stores g at each iteration. levels:
    coarser sets of vertices that keep bodies from stretching.
    density_tolerance: None, or goes on after the iterations until the mean relative excess of fluids over their rest
    density is at most this, such as 0.001; density_iterations: the most iterations of a step then.
    """

    iterations: int = 10
    stiffness: float | None = None
    stiffness_of: dict[str, float] = field(default_factory=dict)
    jacobi: float | None = None
    order: str = "as-added"
    tolerance: float = 0.0
    record: bool = False
    levels: StretchLevels | None = None
    density_tolerance: float | None = None
    density_iterations: int = 200

    kind: ClassVar[str] = "position-based"
    start: ClassVar[str] = "predicted"

    def __post_init__(self) -> None:
        instance(self.levels, "levels", StretchLevels)

    @classmethod
    def classic(cls, iterations: int, stiffness: float = 1.0) -> PositionBased:
        """Classic position-based dynamics: stiffness is the share of an error, 0 to 1, that the iterations of a step correct."""
        return cls(iterations, stiffness)


@dataclass(frozen=True)
class Explicit:
    """Explicit integration of the energies, for short time steps: accurate and cheap [Fierz 2012].
    Simulation.stable_time_step returns a stable step.

    stabilise: elements that are unstable at the step use shape matching; without it, such a world explodes and the
    step fails. safety: an element is matched if the step is above this share of the longest step that it allows, up
    to 1.
    """

    stabilise: bool = True
    safety: float = 0.9

    kind: ClassVar[str] = "explicit"
    start: ClassVar[str] = "predicted"


@dataclass(frozen=True)
class Gpu:
    """A method on a graphics processor. Worlds that it does not support are refused, with what it has no kernel for.

    method: a Projective whose acceleration is not Lbfgs, a TwoMetric, or None for what Auto would choose, with
    its substeps and integrator. adapter: a part of the name of a graphics processor, in any case; by default the fastest
    kind that gpu_adapters lists. half_precision_factor: whether the factored matrix is stored with half the digits,
    which is faster in large worlds; a solve is then off by about a thousandth of itself, and iterations make it good.
    """

    method: Projective | TwoMetric | None = None
    adapter: str | None = None
    half_precision_factor: bool = False

    kind: ClassVar[str] = "gpu"

    def __post_init__(self) -> None:
        if self.method is not None and not isinstance(self.method, (Projective, TwoMetric)):
            stays = isinstance(self.method, (PositionBased, FollowLeader))
            advice = "; a world of that solver itself can stay on the GPU by Simulation.on_gpu" if stays else ""
            raise ValueError(f"method is {self.method!r}, but must be a Projective, a TwoMetric or None{advice}")
        part_of_name(self.adapter, "adapter")
        if not isinstance(self.half_precision_factor, bool):
            raise ValueError(f"half_precision_factor is {self.half_precision_factor!r}, but must be True or False")

    @property
    def start(self) -> str:
        """The start of its method."""
        return "predicted" if self.method is None else self.method.start


Solver = Auto | Projective | TwoMetric | Newton | PositionBased | FollowLeader | Explicit | Gpu


@dataclass(frozen=True)
class StrainLimiting:
    """Limits how far bodies with a material stretch relative to their rest positions, at the end of each step and
    after any solver [Bender 2014, §3.5].

    most: largest stretch, as length over rest length, at least 1. method: "global", all edges at once to a tolerance;
    "principal", principal stretches of one cell after the other; "edges", one edge after the other; "hierarchy",
    edges of coarse levels first. iterations: maximum number of linear solves for "global", rounds for the others.
    least: smallest stretch, for "principal" and "edges". levels: above the mesh, for "hierarchy". tolerance: stretch
    beyond the limit that "global" accepts.
    """

    most: float
    method: str = "global"
    iterations: int = 200
    least: float = 0.0
    levels: int = 8
    tolerance: float = 1e-4


@dataclass(frozen=True)
class Damping:
    """Decay rates. drag [1/s]: of all motion. deformation [1/s]: of motion relative to each body's rigid motion.
    stiffness [s]: inside the material, in proportion to its stiffness. spring [1/s]: along each edge. radial [1/s]:
    towards and away from the centre of mass of each cluster. cluster: approximate number of its vertices; 0 means
    whole bodies."""

    drag: float = 0.0
    deformation: float = 0.0
    stiffness: float = 0.0
    spring: float = 0.0
    radial: float = 0.0
    cluster: int = 0


@dataclass(frozen=True)
class Turbulence:
    """Eddies that the wind carries along, smooth and divergence-free. strength: root mean square of each component of
    their velocity, as a share of the wind's speed (0.1 over open water, 0.3 among houses). length [m]: size of the
    largest ones. seed: of the eddies."""

    strength: float = 0.0
    length: float = 1.0
    seed: int = 0


@dataclass(frozen=True)
class Wind:
    """Wind, which acts on surfaces, strands and oriented particles. velocity [m/s]; air_density [kg/m³]; drag:
    coefficient of a plate across the flow. strand_drag, strand_friction: coefficients of a strand for flow across and
    along it, relative to its width × length. turbulence: eddies."""

    velocity: tuple[float, float, float]
    air_density: float = 1.2
    drag: float = 1.0
    strand_drag: float = 1.1
    strand_friction: float = 0.05
    turbulence: Turbulence = Turbulence()


@dataclass(frozen=True)
class Attachment:
    """A spring between vertices of two bodies, (name, vertex) each. stiffness [N/m]. It pulls them together, or keeps
    their rest distance."""

    first: tuple[str, int]
    second: tuple[str, int]
    stiffness: float
    keep_distance: bool = False
