"""The example scripts, in small form: their own assertions hold, and they leave a picture."""

import importlib.util
from pathlib import Path

import pytest

import pliant

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("name", ["banner", "cable", "dam_break", "gpu_world", "hair", "tearing", "wrinkles"])
def test_an_example_runs_small_and_leaves_a_picture(name: str, tmp_path: Path) -> None:
    if name == "gpu_world" and not pliant.gpu_adapters():
        pytest.skip("there is no GPU here, nor a program in place of one (on Debian: mesa-vulkan-drivers)")
    path = EXAMPLES / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(tmp_path, small=True)
    assert (tmp_path / f"{name}.png").read_bytes()[1:4] == b"PNG"
