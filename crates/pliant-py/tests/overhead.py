"""What stepping from Python costs over stepping from Rust. Both take turns in one run; of each ten frames, which are the same work to
the bit, the fastest turn counts.

python overhead.py PROGRAM [turns]

PROGRAM is what `cargo build --release -p pliant-scene --example step_time` makes, from the same sources as the package, which
`pip install` builds in the release profile too.
"""

import subprocess
import sys
import time

import numpy as np

import pliant

SCENES: dict[str, tuple[int, dict[str, int]]] = {
    "curtain (625 vertices)": (20, {}),
    "curtain of 6561 vertices": (5, {"body.0.shape.sheet.columns": 80, "body.0.shape.sheet.rows": 80}),
}


def rust(program: str, tens: int, overrides: dict[str, int]) -> list[float]:
    changes = [f"{path}={value}" for path, value in overrides.items()]
    done = subprocess.run([program, "curtain", str(tens), *changes], check=True, capture_output=True, text=True)
    return [float(line) for line in done.stdout.split()]


def python(tens: int, overrides: dict[str, int], read: bool) -> list[float]:
    sim = pliant.load_scene("curtain", overrides)
    sim.next_frame()
    milliseconds = []
    for _ in range(tens):
        begun = time.perf_counter()
        for _ in range(10):
            sim.next_frame()
            if read:
                _ = sim.positions
        milliseconds.append(1e3 * (time.perf_counter() - begun))
    return milliseconds


def main(program: str, turns: int) -> None:
    for name, (tens, overrides) in SCENES.items():
        taken = [
            (rust(program, tens, overrides), python(tens, overrides, False), python(tens, overrides, True))
            for _ in range(turns)
        ]
        # Of each ten frames the fastest turn; then the mean of a frame.
        ours, theirs, reading = np.min(taken, axis=0).mean(axis=1) / 10
        print(
            f"{name}: a frame takes {ours:.4f} ms from Rust, {theirs:.4f} ms from Python ({100 * (theirs / ours - 1):+.1f} %), "
            f"{reading:.4f} ms with its positions read ({100 * (reading / ours - 1):+.1f} %)"
        )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12)
