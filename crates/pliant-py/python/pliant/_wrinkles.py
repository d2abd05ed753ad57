"""Fine meshes that wrinkle on coarse, simulated ones."""

from __future__ import annotations

from . import _pliant
from ._arrays import MOST_ITERATIONS, ArrayLike, Floats, count, number, vectors
from ._meshes import TriangleMesh


class WrinkleMesh:
    """A fine mesh that follows a coarse, simulated one and wrinkles where that is compressed [Müller 2010].

    coarse, fine: both at rest, in the same place. reach [m]: how far a fine vertex may move from the coarse surface,
    about three edges of the fine mesh. one_sided: fine vertices stay on the side that the coarse normals point to.
    bending: share, 0 to 1, of the bending error across an edge that each iteration corrects. iterations: minimum
    number per frame; they continue, up to most_iterations, while an edge is strained by more than tolerance.
    """

    def __init__(
        self,
        coarse: TriangleMesh,
        fine: TriangleMesh,
        *,
        reach: float,
        one_sided: bool = True,
        bending: float = 0.9,
        iterations: int = 100,
        tolerance: float = 0.008,
        most_iterations: int = 1000,
    ) -> None:
        for name, mesh in (("coarse", coarse), ("fine", fine)):
            if not isinstance(mesh, TriangleMesh):
                raise ValueError(f"{name} is a {type(mesh).__name__}, but must be a TriangleMesh")
        self.coarse = coarse
        self.fine = fine
        self.reach = number(reach, "reach", above=0)
        self.one_sided = bool(one_sided)
        self.bending = number(bending, "bending", at_least=0)
        self.iterations = count(iterations, "iterations", at_most=MOST_ITERATIONS)
        self.tolerance = number(tolerance, "tolerance", at_least=0)
        self.most_iterations = count(most_iterations, "most_iterations", at_most=MOST_ITERATIONS)
        self._wrinkles = _pliant.Wrinkles(self)

    def __len__(self) -> int:
        """Number of fine vertices."""
        return len(self.fine)

    @property
    def positions(self) -> Floats:
        """Fine positions of the last frame, (n, 3) [m]."""
        return self._wrinkles.positions()

    def follow(self, positions: ArrayLike) -> Floats:
        """Moves the fine mesh along with the coarse vertices, which are now at (k, 3) [m], such as
        sim.positions[sim.vertices("cloth")]; returns its positions. Call it once for each frame: it continues from
        the last."""
        return self._wrinkles.follow(vectors(positions, "positions", len(self.coarse)))

    def mesh(self) -> TriangleMesh:
        """The current fine mesh."""
        return TriangleMesh(self.positions, self.fine.triangles)

    def __repr__(self) -> str:
        return f"<WrinkleMesh of {len(self.fine)} vertices on {len(self.coarse)}>"
