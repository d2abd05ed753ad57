"""What the pages show runs."""

import re
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_of_a_page_runs_in_under_a_minute(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks, "the page has Python"
    monkeypatch.chdir(tmp_path)
    begun = time.perf_counter()
    names: dict[str, object] = {"__name__": "page"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page}, block {number + 1}", "exec"), names)
    assert time.perf_counter() - begun < 60
    if page == "README.md":
        assert (tmp_path / "cloth.png").stat().st_size > 10_000
        assert "J of elastic energy" in capsys.readouterr().out
