"""Pictures by Pliant's own renderer, which needs nothing else, or interactive ones with pyvista."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _pliant
from ._arrays import ArrayLike, Floats, count, floats, number, pair, read_only, required, vector, vectors
from ._pliant import Image
from ._simulation import Simulation

#: From the front, a little from the side and above.
FRONT = (-0.45, -0.3, -1.0)
#: Most frames of an animation, and steps between them.
MOST_FRAMES, MOST_STEPS = 10_000, 1_000_000
_LABELS = {"speed": "speed [m/s]", "strain": "largest strain [%]"}


def vertex_strains(sim: Simulation) -> Floats:
    """The largest principal strain |λ − 1| at each vertex, the mean over the elements around it; 0 if there are
    none."""
    required(sim, "sim", Simulation)
    sums, counts = np.zeros(len(sim)), np.zeros(len(sim))
    for strains in sim.element_strains():
        largest = np.abs(strains.stretches - 1).max(axis=1)
        for corner in strains.elements.T:
            np.add.at(sums, corner, largest)
            np.add.at(counts, corner, 1)
    return read_only(sums / np.maximum(counts, 1))


def _values(sim: Simulation, color: str | ArrayLike | None) -> Floats | None:
    if color is None:
        return None
    if isinstance(color, str):
        if color == "speed":
            return np.asarray(np.linalg.norm(sim.velocities, axis=1))
        if color == "strain":
            return 100 * vertex_strains(sim)
        raise ValueError(f"color is {color!r}, but must be 'speed', 'strain' or a value for each vertex")
    return floats(color, "color", (len(sim),))


def _label(color: str | ArrayLike | None, label: str | None) -> str:
    if label is not None:
        return label
    return _LABELS.get(color, color) if isinstance(color, str) else ""


def _ground(ground: bool | float, low: Floats, high: Floats) -> float | None:
    if ground is False:
        return None
    if ground is True:
        return float(low[1] - 0.02 * np.linalg.norm(high - low))
    return number(ground, "ground")


def _render(
    sim: Simulation,
    positions: Floats,
    values: Floats | None,
    *,
    size: tuple[int, int],
    direction: ArrayLike,
    ground: bool | float,
    bounds: tuple[Floats, Floats] | None,
    draft: bool,
    caption: str | None,
    legend: tuple[str, tuple[float, float]] | None,
) -> Image:
    low, high = (positions.min(axis=0), positions.max(axis=0)) if bounds is None else bounds
    seen = [low.copy(), high.copy()]
    if legend is not None:
        seen[1][1] += 0.14 * np.linalg.norm(high - low)
    request: dict[str, Any] = {
        "size": [count(length, f"size[{k}]", at_least=1) for k, length in enumerate(pair(size, "size"))],
        "direction": list(vector(direction, "direction")),
        "bounds": [corner.tolist() for corner in seen],
        "ground": _ground(ground, low, high),
        "draft": draft,
        "caption": caption,
        "legend": legend,
    }
    return _pliant.render_picture(sim._core, positions, values, request)


def _range(values: Sequence[Floats]) -> tuple[float, float]:
    top = max(float(np.quantile(value, 0.96)) for value in values)
    return min(0.0, min(float(value.min()) for value in values)), top if top > 0 else 1.0


def show(
    sim: Simulation,
    *,
    color: str | ArrayLike | None = None,
    label: str | None = None,
    size: tuple[int, int] = (960, 600),
    direction: ArrayLike = FRONT,
    ground: bool | float = True,
    caption: str | None = None,
    interactive: bool = False,
) -> Any:
    """A picture of a simulation in its current state; notebooks display it, and save(path) writes it as PNG.

    color: None for a colour for each body, "speed", "strain", or a value for each vertex, with a label. size [px].
    direction: of the camera's view. ground: below everything, at a height [m], or False. interactive: a pyvista
    plotter instead, to turn with the mouse (pip install pyvista).
    """
    required(sim, "sim", Simulation)
    values = _values(sim, color)
    if interactive:
        return _plotter(sim, values, _label(color, label))
    legend = None if values is None else (_label(color, label), _range([values]))
    return _render(
        sim,
        sim.positions,
        values,
        size=size,
        direction=direction,
        ground=ground,
        bounds=None,
        draft=False,
        caption=caption,
        legend=legend,
    )


def save_gif(
    sim: Simulation,
    path: str | os.PathLike[str],
    *,
    seconds: float = 2.0,
    frames: Iterable[ArrayLike] | None = None,
    frames_per_second: float = 25.0,
    color: str | None = None,
    size: tuple[int, int] = (384, 240),
    direction: ArrayLike = FRONT,
    ground: bool | float = True,
) -> Path:
    """Advances a simulation by some seconds and writes the motion as a GIF; or writes frames, which are stored
    positions (n, 3) [m], without advancing. The camera stands still and sees everything. frames_per_second [1/s]. color:
    None, "speed" or "strain". size [px]. direction, ground: as for show."""
    required(sim, "sim", Simulation)
    rate = number(frames_per_second, "frames_per_second", above=0)
    kept: list[Floats] = []
    shown: list[Floats] = []
    if frames is not None:
        if color is not None:
            raise ValueError("color needs the simulation to advance; frames hold positions only")
        kept = [vectors(frame, f"frames[{k}]", len(sim)) for k, frame in enumerate(frames)]
    else:
        steps = max(1, round(1 / (rate * sim.time_step)))
        rate = 1 / (steps * sim.time_step)
        count_of_frames = max(1, round(number(seconds, "seconds", above=0) * rate))
        if count_of_frames > MOST_FRAMES or steps > MOST_STEPS:
            raise ValueError(
                f"seconds is {seconds}, which are {count_of_frames} frames of {steps} steps; the most are {MOST_FRAMES} of {MOST_STEPS}"
            )
        for k in range(count_of_frames):
            if k > 0:
                sim.step(steps)
            kept.append(sim.positions)
            values = _values(sim, color)
            if values is not None:
                shown.append(values)
    if not kept:
        raise ValueError("frames is empty")
    low = np.min([frame.min(axis=0) for frame in kept], axis=0)
    high = np.max([frame.max(axis=0) for frame in kept], axis=0)
    legend = (_label(color, None), _range(shown)) if shown else None
    pictures = [
        _render(
            sim,
            frame,
            shown[k] if shown else None,
            size=size,
            direction=direction,
            ground=ground,
            bounds=(low, high),
            draft=True,
            caption=None,
            legend=legend,
        )
        for k, frame in enumerate(kept)
    ]
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(_pliant.encode_gif(pictures, rate))
    return target


def _plotter(sim: Simulation, values: Floats | None, label: str) -> Any:
    try:
        import pyvista
    except ImportError:
        raise ImportError("interactive views need pyvista: pip install pyvista") from None
    plotter: Any = pyvista.Plotter()
    # It may keep them, and write into what it keeps.
    positions = sim.positions.copy()
    for name in sim.bodies:
        triangles = sim.surface(name).astype(np.int64)
        if len(triangles):
            thing = pyvista.PolyData(positions, faces=np.insert(triangles, 0, 3, axis=1).ravel())
        else:
            lines = [s.elements.astype(np.int64) for s in sim.element_strains(name) if s.elements.shape[1] == 2]
            thing = pyvista.PolyData(positions[sim.vertices(name)])
            if lines:
                segments = np.insert(np.concatenate(lines), 0, 2, axis=1).ravel()
                thing = pyvista.PolyData(positions, lines=segments)
        if values is not None and thing.n_points == len(sim):
            thing[label or "value"] = values
        plotter.add_mesh(thing, smooth_shading=len(triangles) > 0, line_width=3, point_size=8)
    plotter.add_axes()
    # From where show takes its pictures, with y up.
    plotter.view_vector([-component for component in FRONT], viewup=(0, 1, 0))
    return plotter
