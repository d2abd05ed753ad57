"""Checks arrays from the user; errors give the name of the argument and the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.uint32]
ArrayLike = npt.ArrayLike
Kind = TypeVar("Kind")
Number = TypeVar("Number", bound=np.generic)

#: Sizes that a number other than 0 may have, whatever it stands for: powers and quotients of others would not be numbers any more.
#: What rounding leaves of 0 is above the least.
LEAST, MOST = 1e-40, 1e20
#: Most iterations of a step.
MOST_ITERATIONS = 1_000_000


def _place(index: tuple[int, ...]) -> str:
    return "[" + ", ".join(str(i) for i in index) + "]" if index else ""


def _first(where: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(where)[0])


def read_only(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """A new array that nobody can write: into a copy it would change nothing, into a description nothing that is built."""
    array.flags.writeable = False
    return array


def _kept(array: npt.NDArray[Number], given: Any) -> npt.NDArray[Number]:
    """A checked array that stays as it was checked: a copy where the user can still write it."""
    if not array.flags.writeable:
        return array
    is_new = isinstance(given, (list, tuple, int, float)) or not np.may_share_memory(array, np.asarray(given))
    return read_only(array if is_new else array.copy())


def floats(value: ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
    """A contiguous float64 array of a shape (None: any length), all finite and read-only; a copy of one that is
    writable."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} is not an array: {error}") from None
    if array.dtype.kind not in "fiu":
        raise ValueError(f"{name} has the dtype {array.dtype}, but needs real numbers")
    if array.ndim != len(shape) or any(want not in (None, has) for want, has in zip(shape, array.shape)):
        raise ValueError(f"{name} has the shape {array.shape}, but needs {_shape_text(shape)}")
    array = np.ascontiguousarray(array, dtype=np.float64)
    finite = np.isfinite(array)
    if not finite.all():
        index = _first(~finite)
        raise ValueError(f"{name}{_place(index)} is {array[index]}, but must be finite")
    large = np.abs(array) > MOST
    if large.any():
        index = _first(large)
        raise ValueError(f"{name}{_place(index)} is {array[index]}, but its size must be at most {MOST:g}")
    return _kept(array, value)


def _shape_text(shape: tuple[int | None, ...]) -> str:
    lengths = ["n" if length is None else str(length) for length in shape]
    return f"({lengths[0]},)" if len(lengths) == 1 else f"({', '.join(lengths)})"


def vectors(value: ArrayLike, name: str, count: int | None = None) -> Floats:
    """Vectors of three components."""
    return floats(value, name, (count, 3))


def vector(value: ArrayLike, name: str) -> tuple[float, float, float]:
    """One vector."""
    x, y, z = floats(value, name, (3,))
    return float(x), float(y), float(z)


def number(value: Any, name: str, *, at_least: float | None = None, above: float | None = None) -> float:
    """One finite number, maybe with a bound."""
    if isinstance(value, (bool, str, bytes)):
        raise ValueError(f"{name} is {value!r}, but must be a number")
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}, but must be a number") from None
    if not np.isfinite(result):
        raise ValueError(f"{name} is {result}, but must be finite")
    if result != 0 and not LEAST <= abs(result) <= MOST:
        raise ValueError(f"{name} is {result}, but must be 0 or of a size from {LEAST:g} to {MOST:g}")
    if at_least is not None and result < at_least:
        raise ValueError(f"{name} is {result}, but must be at least {at_least:g}")
    if above is not None and result <= above:
        raise ValueError(f"{name} is {result}, but must be more than {above:g}")
    return result


def count(value: Any, name: str, *, at_least: int = 0, at_most: int | None = None) -> int:
    """One whole number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name} is {value!r}, but must be a whole number")
    if value < at_least:
        raise ValueError(f"{name} is {value}, but must be at least {at_least}")
    if at_most is not None and value > at_most:
        raise ValueError(f"{name} is {value}, but must be at most {at_most}")
    if value >= 2**63:
        raise ValueError(f"{name} is {value}, but must be below 2**63")
    return int(value)


def instance(value: Kind | None, name: str, kind: type[Kind]) -> Kind | None:
    """A description of a kind, or None."""
    if value is not None and not isinstance(value, kind):
        raise ValueError(f"{name} is {value!r}, but must be a {kind.__name__} or None")
    return value


def required(value: Any, name: str, kind: type[Kind]) -> Kind:
    """A description of a kind."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {value!r}, but must be a {kind.__name__}")
    return value


def each(value: Any, name: str, kind: type[Kind]) -> tuple[Kind, ...]:
    """One description of a kind, or several."""
    if isinstance(value, kind):
        return (value,)
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ValueError(f"{name} is {value!r}, but must be a {kind.__name__} or several")
    return tuple(required(item, f"{name}[{k}]", kind) for k, item in enumerate(value))


def part_of_name(value: Any, name: str) -> str | None:
    """A part of a name, or None for any."""
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise ValueError(f"{name} is {value!r}, but must be a part of a name, or None")
    return value


def pair(value: Any, name: str) -> tuple[Any, Any]:
    """Two values."""
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)) or len(value) != 2:
        raise ValueError(f"{name} is {value!r}, but must be two numbers")
    return value[0], value[1]


def per_element(value: ArrayLike, name: str, length: int, *, at_least: float | None = None) -> Floats:
    """A number for each of several elements; a single number applies to all."""
    if np.ndim(value) == 0:
        return read_only(np.full(length, number(value, name, at_least=at_least)))
    array = floats(value, name, (length,))
    if at_least is not None and (array < at_least).any():
        index = _first(array < at_least)
        raise ValueError(f"{name}{_place(index)} is {array[index]}, but must be at least {at_least:g}")
    return array


def indices(value: ArrayLike, name: str, columns: int | None = None) -> Indices:
    """Numbers of vertices: a list, or elements of several vertices each."""
    array = np.asarray(value)
    if array.size == 0:
        return read_only(np.zeros((0,) if columns is None else (0, columns), np.uint32))
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} has the dtype {array.dtype}, but needs whole numbers")
    if array.ndim != (1 if columns is None else 2) or (columns is not None and array.shape[1] != columns):
        needed = "(n,)" if columns is None else f"(n, {columns})"
        raise ValueError(f"{name} has the shape {array.shape}, but needs {needed}")
    bad = (array < 0) | (array > np.iinfo(np.uint32).max)
    if bad.any():
        index = _first(bad)
        raise ValueError(f"{name}{_place(index)} is {array[index]}, but must be the number of a vertex")
    return _kept(np.ascontiguousarray(array, dtype=np.uint32), value)


def within(array: Indices, name: str, vertices: int) -> None:
    """Raises an error for vertices that do not exist."""
    vertices = count(vertices, "vertices")
    bad = array >= vertices
    if bad.any():
        index = _first(bad)
        raise ValueError(f"{name}{_place(index)} is {array[index]}, but there are only {vertices} vertices")


def selection(value: ArrayLike, name: str, vertices: int) -> Indices:
    """Vertices by their numbers, or by a mask with a bool for each."""
    array = np.asarray(value)
    if array.dtype == np.bool_:
        if array.shape != (vertices,):
            raise ValueError(f"{name} is a mask of the shape {array.shape}, but needs ({vertices},)")
        return read_only(np.flatnonzero(array).astype(np.uint32))
    chosen = indices(np.atleast_1d(array), name)
    within(chosen, name, vertices)
    return chosen
