"""Fine surfaces from coarse ones, with detail that was learnt."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pliant

COARSE = pliant.sheet(1, 1, 4, 4)


def learnt(method: pliant.UpsamplingMethod | str = "piu") -> tuple[pliant.Upsampler, np.ndarray, np.ndarray]:
    """An upsampler that has learnt a bulge which grows as the sheet gets narrower, and the frames that it learnt."""
    upsampler = pliant.Upsampler(COARSE, levels=2)
    coarse, fine = [], []
    for k in range(20):
        by = 0.01 * k
        moved = COARSE.positions * [1 - by, 1, 1] + [0, 0, 0.02 * np.sin(k)]
        smooth = upsampler.smooth(moved)
        rest = upsampler.fine.positions
        bulge = by * np.cos(9 * rest[:, 0]) * np.cos(5 * rest[:, 1])
        coarse.append(moved)
        fine.append(smooth + bulge[:, None] * [0, 0, 1])
    frames = np.array(coarse), np.array(fine)
    fit = upsampler.fit([frames], method, scene="bulge", date="today")
    assert fit.frames == 20
    assert fit.l2 < 0.5 * fit.smooth_l2
    return upsampler, *frames


@pytest.mark.parametrize("method", ["wpsd", "pdm", "piu"])
def test_what_is_learnt_comes_back(method: str) -> None:
    upsampler, coarse, fine = learnt(method)
    shown = np.array([upsampler.apply(x, seconds=1 / 60) for x in coarse])
    smooth = np.array([upsampler.smooth(x) for x in coarse])
    error = lambda x: float(np.sqrt(((x - fine) ** 2).sum(axis=2).mean()))  # noqa: E731
    assert error(shown) < 0.5 * error(smooth)
    assert upsampler.about == {"method": method, "scene": "bulge", "date": "today", "notes": ""}
    assert repr(upsampler) == f"<Upsampler of 289 vertices on 25, {method}>"


def test_a_saved_model_shows_the_same(tmp_path: Path) -> None:
    upsampler, coarse, _ = learnt()
    upsampler.save(tmp_path / "model.upsample")
    other = pliant.Upsampler(COARSE, levels=2)
    assert other.about is None
    smooth = other.apply(coarse[5])
    other.load(tmp_path / "model.upsample")
    np.testing.assert_array_equal(other.apply(coarse[5]), upsampler.apply(coarse[5]))
    assert np.abs(other.apply(coarse[19]) - other.smooth(coarse[19])).max() > 0.01
    np.testing.assert_array_equal(other.smooth(coarse[5]), smooth)
    other.reset()


@pytest.mark.skipif(not pliant.gpu_adapters(), reason="there is no GPU, nor a program in place of one")
@pytest.mark.parametrize("method", ["wpsd", "pdm", "piu"])
def test_a_gpu_shows_the_same(method: str, tmp_path: Path) -> None:
    upsampler, coarse, _ = learnt(method)
    upsampler.save(tmp_path / "model.upsample")
    assert [path.name for path in tmp_path.iterdir()] == ["model.upsample"]
    other = pliant.Upsampler(COARSE, levels=2, gpu=True)
    np.testing.assert_allclose(other.apply(coarse[5]), upsampler.smooth(coarse[5]), atol=1e-6)
    other.load(tmp_path / "model.upsample")
    np.testing.assert_allclose(other.apply(coarse[19]), upsampler.apply(coarse[19]), atol=1e-6)
    with pytest.raises(ValueError, match="nobody's"):
        pliant.Upsampler(COARSE, levels=2, gpu="nobody's")
    with pytest.raises(ValueError, match="gpu is 3"):
        pliant.Upsampler(COARSE, levels=2, gpu=3)  # type: ignore[arg-type]


def test_without_a_model_the_surface_is_that_of_subdivision() -> None:
    upsampler = pliant.Upsampler(COARSE, levels=1)
    assert len(upsampler) == len(upsampler.fine) == 81
    np.testing.assert_allclose(upsampler.apply(COARSE.positions), upsampler.fine.positions, atol=1e-12)
    moved = upsampler.apply(COARSE.positions + [1, 2, 3])
    np.testing.assert_allclose(moved, upsampler.fine.positions + [1, 2, 3], atol=1e-12)
    embedded = pliant.Upsampler(COARSE, fine=pliant.sheet(1, 1, 8, 8))
    np.testing.assert_allclose(embedded.apply(COARSE.positions), embedded.fine.positions, atol=1e-9)


def test_models_for_other_meshes_and_damaged_ones_are_refused_and_nothing_has_changed(tmp_path: Path) -> None:
    upsampler, coarse, _ = learnt()
    file = tmp_path / "model.upsample"
    upsampler.save(file)
    with pytest.raises(ValueError, match="was made for another fine mesh"):
        pliant.Upsampler(COARSE, levels=1).load(file)
    with pytest.raises(ValueError, match="was made for another coarse mesh"):
        pliant.Upsampler(pliant.sheet(1, 1, 5, 4), levels=2).load(file)
    before = upsampler.apply(coarse[5])
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(ValueError, match="damaged"):
        upsampler.load(file)
    np.testing.assert_array_equal(upsampler.apply(coarse[5]), before)


FRAMES = np.zeros((3, 25, 3)), np.zeros((3, 81, 3))
NAN = np.full((3, 25, 3), np.nan)


def smooth() -> pliant.Upsampler:
    return pliant.Upsampler(COARSE, levels=1)


CASES: list[tuple[Callable[[], object], str]] = [
    (lambda: pliant.Upsampler(COARSE), "give levels or fine"),
    (lambda: pliant.Upsampler(COARSE, levels=0), "levels is 0, but must be at least 1"),
    (lambda: pliant.Upsampler(COARSE, levels=7), "levels is 7, but must be at most 6"),
    (lambda: pliant.Upsampler(pliant.box(), levels=1), "coarse is a TetMesh"),  # type: ignore[arg-type]
    (lambda: pliant.Upsampler(COARSE, fine=pliant.box()), "fine is a TetMesh"),  # type: ignore[arg-type]
    (lambda: smooth().apply(np.zeros((3, 3))), r"positions has the shape \(3, 3\)"),
    (lambda: smooth().apply(NAN[0]), r"positions\[0, 0\] is nan"),
    (lambda: smooth().save("nowhere"), "there is no model to save"),
    (lambda: smooth().fit([FRAMES], "none"), "name is 'none', but must be wpsd, pdm or piu"),
    (lambda: smooth().fit([(NAN, FRAMES[1])]), r"sequences\[0\]\[0\]\[0, 0, 0\] is nan"),
    (lambda: smooth().fit([(FRAMES[0][:2], FRAMES[1])]), r"sequences\[0\]\[1\] has the shape \(3, 81, 3\)"),
    (lambda: smooth().fit([FRAMES[0]]), r"sequences\[0\] must be a pair"),
    (lambda: smooth().fit([]), "the training data has 0 frames"),
    (lambda: smooth().fit([FRAMES], frame_seconds=0), "frame_seconds is 0.0, but must be more than 0"),
    (lambda: pliant.UpsamplingMethod(poses=65), "poses is 65, but must be at most 64"),
    (lambda: pliant.UpsamplingMethod("pdm", regularisation=-1), "regularisation is -1"),
    (lambda: pliant.UpsamplingMethod("pdm", directions="up"), "directions is 'up'"),
]


@pytest.mark.parametrize(("attempt", "message"), CASES, ids=range(len(CASES)))
def test_what_is_wrong_with_upsampling_is_refused_by_name_and_value(
    attempt: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        attempt()
