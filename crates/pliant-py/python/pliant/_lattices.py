"""Particles that fill solids: lattices and octrees for shape matching, and the surfaces that follow them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _pliant
from ._arrays import (
    ArrayLike,
    Floats,
    Indices,
    count,
    floats,
    indices,
    number,
    per_element,
    read_only,
    vector,
    vectors,
    within,
)
from ._body import Body
from ._collide import Collider
from ._matching import Matching, Regions
from ._meshes import Points, Strands, TriangleMesh
from ._strands import OrientedMaterial, OrientedParticles

Vector = tuple[float, float, float]
Cells = npt.NDArray[np.int32]

#: Shapes of colliders that have an inside to be filled.
_SOLIDS = ("sphere", "capsule", "box", "cylinder", "mesh", "distances")


def _solid(solid: Any) -> TriangleMesh | Collider:
    if isinstance(solid, TriangleMesh):
        return solid
    if not isinstance(solid, Collider):
        raise ValueError(f"solid is a {type(solid).__name__}, but must be a TriangleMesh or a Collider")
    if solid.shape not in _SOLIDS or solid.keys:
        raise ValueError(
            f"solid is a collider of the shape {solid.shape!r}{' that moves' if solid.keys else ''}, "
            f"but must be one of {', '.join(_SOLIDS)} that stands still"
        )
    return solid


class Lattice:
    """Particles in cells of a regular lattice, with links between neighbours [Rivers & James 2007]. The time of sums
    over its regions does not depend on their width.

    cells: whole numbers of shape (n, 3); a cell (i, j, k) has its centre at origin + spacing · (i + ½, j + ½, k + ½)
    [m]. Particles are in the order of their cells, along x first. cut: pairs of neighbours without a link, of shape
    (m, 2).
    """

    def __init__(
        self, cells: ArrayLike, spacing: float, origin: ArrayLike = (0.0, 0.0, 0.0), *, cut: ArrayLike = ()
    ) -> None:
        given = np.asarray(cells)
        if given.dtype.kind not in "iu" or given.ndim != 2 or given.shape[1] != 3 or len(given) == 0:
            raise ValueError(f"cells has the shape {given.shape} of {given.dtype}, but needs whole numbers (n, 3)")
        if np.abs(given).max() >= 2**31:
            raise ValueError(f"cells has {given.flat[np.abs(given).argmax()]}, but needs numbers below 2**31")
        sorted_cells = np.unique(given[:, ::-1], axis=0)[:, ::-1]
        self.cells: Cells = read_only(np.ascontiguousarray(sorted_cells, dtype=np.int32))
        self.spacing = number(spacing, "spacing", above=0)
        self.origin: Vector = vector(origin, "origin")
        self.cut: Indices = self._links(cut)

    def _links(self, pairs: ArrayLike) -> Indices:
        """Pairs as (lower end, axis)."""
        own = indices(pairs, "cut", 2)
        within(own, "cut", len(self.cells))
        low, high = own.min(axis=1, initial=2**32 - 1), own.max(axis=1, initial=0)
        steps = self.cells[high].astype(np.int64) - self.cells[low]
        wrong = (np.abs(steps).sum(axis=1) != 1) if len(own) else np.zeros(0, bool)
        if wrong.any():
            k = int(np.flatnonzero(wrong)[0])
            raise ValueError(f"cut[{k}] is {own[k].tolist()}, which are no neighbours")
        if not len(own):
            return own
        return read_only(np.stack([low, np.abs(steps).argmax(axis=1)], axis=1).astype(np.uint32))

    @classmethod
    def block(cls, counts: ArrayLike, spacing: float) -> Lattice:
        """A box with this many particles along each axis, starting at the origin, spacing [m] apart."""
        numbers = indices(counts, "counts")
        if numbers.shape != (3,) or (numbers == 0).any():
            raise ValueError(f"counts is {counts!r}, but must be three whole numbers, at least 1")
        if float(np.prod(numbers.astype(float))) > 1e8:
            raise ValueError(f"counts is {numbers.tolist()}, which are more than 1e8 cells")
        ranges = (np.arange(n, dtype=np.int32) for n in numbers)
        return cls(np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 3), spacing)

    @classmethod
    def fill(cls, solid: TriangleMesh | Collider, spacing: float, *, largest_piece: bool = False) -> Lattice:
        """The cells, spacing [m] wide, with a centre inside a closed surface, or inside a collider that stands still; if they form
        several pieces, all or the largest one. Cells are placed symmetrically in the solid's box."""
        made = _pliant.fill_lattice(_solid(solid), number(spacing, "spacing", above=0), bool(largest_piece))
        return cls(made[0], spacing, made[1])

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def positions(self) -> Floats:
        """Positions of its particles, (n, 3) [m]."""
        positions: Floats = np.asarray(self.origin) + (self.cells + 0.5) * self.spacing
        return read_only(positions)

    @property
    def points(self) -> Points:
        """Its particles as a mesh."""
        return Points(self.positions)

    def edges(self) -> Indices:
        """Pairs of linked neighbours, of shape (m, 2)."""
        return _pliant.lattice_edges(self)

    def without_links(self, pairs: ArrayLike) -> Lattice:
        """The lattice with a crack: these pairs of neighbours, of shape (m, 2), have no link."""
        cut = Lattice(self.cells, self.spacing, self.origin, cut=pairs)
        cut.cut = read_only(np.unique(np.concatenate([self.cut, cut.cut]), axis=0))
        return cut

    def regions(self, width: int) -> Regions:
        """A region around each particle: the particles at most this many steps away along each axis."""
        return Regions("lattice", width=count(width, "width", at_least=1), source=self)

    def body(self, density: float, matching: Matching, **options: Any) -> Body:
        """Its particles as a body, each with the mass of its cell at a density [kg/m³]; options as for Body."""
        mass = number(density, "density", above=0) * self.spacing**3
        return Body(self.points, masses=mass, matching=matching, **options)

    def skin(self, points: ArrayLike) -> MatchedSkin:
        """Lets points near its particles at rest, (k, 3) [m], follow them."""
        return MatchedSkin(self.positions, self.spacing, self.edges(), points)

    def __repr__(self) -> str:
        return f"<Lattice of {len(self)} particles, {self.spacing:g} m apart>"


class Octree:
    """Particles in cells of several sizes, with links between those that share a face [Steinemann 2008]; made by Octree.fill.

    centres: (n, 3) [m], sizes: (n,) [m], edges: (m, 2).
    """

    def __init__(self, centres: ArrayLike, sizes: ArrayLike, edges: ArrayLike) -> None:
        self.positions: Floats = vectors(centres, "centres")
        self.sizes: Floats = per_element(sizes, "sizes", len(self.positions))
        if len(self.sizes) == 0 or (self.sizes <= 0).any():
            raise ValueError("sizes must be above 0, and at least one")
        self._edges: Indices = indices(edges, "edges", 2)
        within(self._edges, "edges", len(self.positions))

    @classmethod
    def fill(
        cls,
        solid: TriangleMesh | Collider,
        size: float,
        levels: int,
        *,
        detail: float = 1.0,
        splits: Callable[[Vector, float, float], bool] | None = None,
        largest_piece: bool = False,
    ) -> Octree:
        """Fills a closed surface, or a collider that stands still: cells of a size [m] are split into eight, up to
        levels times, where they are closer to the surface than detail times their size; or where splits says so, a
        function of a cell's centre [m], its size [m], and the signed distance of its centre [m], negative inside."""
        numbers = (number(size, "size", above=0), number(detail, "detail", at_least=0))
        made = _pliant.fill_octree(
            _solid(solid), numbers, count(levels, "levels", at_most=16), splits, bool(largest_piece)
        )
        return cls(*made)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def points(self) -> Points:
        """Its particles as a mesh."""
        return Points(self.positions)

    def edges(self) -> Indices:
        """Pairs of cells that share a face or a part of one, of shape (m, 2)."""
        return self._edges

    def regions(self, width: ArrayLike) -> Regions:
        """A region around each particle: the particles within a width [m] along steps between neighbours; one width
        for all, or one for each."""
        return Regions("octree", source=self, widths=per_element(width, "width", len(self), at_least=0))

    def body(self, density: float, matching: Matching, **options: Any) -> Body:
        """Its particles as a body, each with the mass of its cell at a density [kg/m³]; options as for Body."""
        masses = number(density, "density", above=0) * self.sizes**3
        return Body(self.points, masses=masses, matching=matching, **options)

    def skin(self, points: ArrayLike) -> MatchedSkin:
        """Lets points near its particles at rest, (k, 3) [m], follow them."""
        return MatchedSkin(self.positions, self.sizes, self.edges(), points)

    def __repr__(self) -> str:
        return f"<Octree of {len(self)} particles, cells of {self.sizes.min():g} to {self.sizes.max():g} m>"


class MatchedSkin:
    """Points that follow the particles of a lattice or an octree; made by their skin. Affine maps of the particles move the points by the same map."""

    def __init__(self, rest: ArrayLike, sizes: ArrayLike, edges: ArrayLike, points: ArrayLike) -> None:
        particles = vectors(rest, "rest")
        links = indices(edges, "edges", 2)
        self._made = (particles, per_element(sizes, "sizes", len(particles)), links, vectors(points, "points"))
        self._skin = _pliant.MatchedSkin(*self._made)

    def __len__(self) -> int:
        """Number of points."""
        return len(self._made[3])

    def follow(self, positions: ArrayLike) -> Floats:
        """The positions of the points, (k, 3) [m], for these positions of the particles, (n, 3) [m]."""
        return self._skin.follow(vectors(positions, "positions", len(self._made[0])))

    def velocities(self, positions: ArrayLike, velocities: ArrayLike) -> Floats:
        """The velocities of the points, (k, 3) [m/s], for these positions [m] and velocities [m/s] of the particles."""
        particles = len(self._made[0])
        x, v = vectors(positions, "positions", particles), vectors(velocities, "velocities", particles)
        return self._skin.velocities(x, v)

    def __reduce__(self) -> Any:
        return MatchedSkin, self._made

    def __repr__(self) -> str:
        return f"<MatchedSkin of {len(self)} points on {len(self._made[0])} particles>"


class Skin:
    """Points that follow oriented particles: linear blend skinning between the two ends of the nearest edge.

    strands, material: those of the body, which may also be OrientedParticles. points: (k, 3) [m], near the strands at rest.
    """

    def __init__(self, strands: Strands | OrientedParticles, material: OrientedMaterial, points: ArrayLike) -> None:
        if not isinstance(strands, (Strands, OrientedParticles)) or not isinstance(material, OrientedMaterial):
            raise ValueError(
                f"a skin follows Strands with an OrientedMaterial, not {type(strands).__name__} with {type(material).__name__}"
            )
        material._check_mesh(strands)
        self.strands = strands
        self.material = material
        self.points: Floats = vectors(points, "points")
        self._skin = _pliant.Skin(self)

    def __len__(self) -> int:
        """Number of points."""
        return len(self.points)

    def follow(self, positions: ArrayLike, orientations: ArrayLike) -> Floats:
        """The positions of the points, (k, 3) [m], for positions (n, 3) [m] and orientations (n, 4), quaternions w x y z, of
        the particles, such as sim.positions[sim.vertices("plant")] and sim.orientations("plant")."""
        particles = len(self.strands)
        turns = floats(orientations, "orientations", (particles, 4))
        return self._skin.follow(vectors(positions, "positions", particles), turns)

    def __reduce__(self) -> Any:
        return Skin, (self.strands, self.material, self.points)

    def __repr__(self) -> str:
        return f"<Skin of {len(self)} points on {len(self.strands)} particles>"
