"""Pictures."""

from pathlib import Path

import numpy as np
import pytest

import pliant


def test_a_picture_shows_the_cloth_before_the_sky(curtain: pliant.Simulation, tmp_path: Path) -> None:
    image = pliant.show(curtain, size=(160, 100))
    pixels = image.array()
    assert pixels.shape == (100, 160, 3) and pixels.dtype == np.uint8
    assert image._repr_png_()[:8] == b"\x89PNG\r\n\x1a\n"
    empty = pliant.show(curtain, size=(160, 100), ground=False, caption="x").array()
    corner, middle = pixels[2, 2].astype(int), pixels[50, 80].astype(int)
    assert np.abs(corner - middle).max() > 40, "the middle is not sky"
    assert not (empty == pixels).all()
    image.save(tmp_path / "new" / "picture.png")
    assert (tmp_path / "new" / "picture.png").read_bytes() == image.png()


def test_colours_show_what_was_asked_for(curtain: pliant.Simulation) -> None:
    pictures = [
        pliant.show(curtain, size=(200, 120), color=color).png()
        for color in (None, "speed", "strain", curtain.positions[:, 0])
    ]
    assert len(set(pictures)) == 4


def test_a_surface_that_rides_along_is_shown() -> None:
    scene = pliant.load_scene("gummy")
    assert pliant.show(scene, size=(120, 80), color="speed").array().std() > 5


def test_a_gif_has_the_frames_of_the_motion(curtain: pliant.Simulation, tmp_path: Path) -> None:
    before = curtain.steps
    path = pliant.save_gif(curtain, tmp_path / "a.gif", seconds=0.5, frames_per_second=20, size=(96, 60), color="speed")
    assert path.read_bytes()[:6] == b"GIF89a"
    # 20 frames in a second of 60 steps: 10 frames, 9 times 3 steps between them.
    assert curtain.steps == before + 27
    kept = [curtain.positions + [0, 0.1 * k, 0] for k in range(3)]
    other = pliant.save_gif(curtain, tmp_path / "b.gif", frames=kept, size=(96, 60))
    assert other.read_bytes().count(b"\x21\xf9\x04") == 3, "a control block for each frame"


def test_interactive_views_say_what_they_need(curtain: pliant.Simulation) -> None:
    try:
        import pyvista
    except ImportError:
        with pytest.raises(ImportError, match="pip install pyvista"):
            pliant.show(curtain, interactive=True)
    else:
        pyvista.OFF_SCREEN = True
        plotter = pliant.show(curtain, interactive=True, color="strain")
        assert len(plotter.meshes) == 1 and plotter.meshes[0].n_points == len(curtain)
