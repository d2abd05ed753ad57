"""What stepping from Python costs over stepping from Rust: both take turns in one run, and the fastest turns are compared.

python overhead.py PROGRAM [rounds]

PROGRAM is what `cargo build --release -p pliant-scene --example step_time` makes, from the same sources as the package, which
`pip install` builds in the release profile too.
"""

import subprocess
import sys
import time

import pliant

FRAMES = 200
SCENES: dict[str, dict[str, int]] = {
    "curtain": {},
    "curtain of 6561 vertices": {"body.0.shape.sheet.columns": 80, "body.0.shape.sheet.rows": 80},
}


def rust(program: str, overrides: dict[str, int], frames: int) -> float:
    changes = [f"{path}={value}" for path, value in overrides.items()]
    done = subprocess.run([program, "curtain", str(frames), "1", *changes], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[0])


def python(overrides: dict[str, int], frames: int, read: bool) -> float:
    sim = pliant.load_scene("curtain", overrides)
    sim.next_frame()
    begun = time.perf_counter()
    for _ in range(frames):
        sim.next_frame()
        if read:
            _ = sim.positions
    return 1e3 * (time.perf_counter() - begun) / frames


def main(program: str, rounds: int) -> None:
    for name, overrides in SCENES.items():
        frames = FRAMES if not overrides else FRAMES // 4
        turns = [
            (rust(program, overrides, frames), python(overrides, frames, False), python(overrides, frames, True))
            for _ in range(rounds)
        ]
        ours, theirs, reading = (min(column) for column in zip(*turns))
        print(
            f"{name}: Rust {ours:.4f} ms, Python {theirs:.4f} ms ({100 * (theirs / ours - 1):+.1f} %), "
            f"reading positions of each frame {reading:.4f} ms ({100 * (reading / ours - 1):+.1f} %)"
        )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8)
