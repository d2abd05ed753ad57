"""Tries hostile values, one after the other, and says what became of each: a line of JSON before a trial and one after it, so that whoever
listens knows which one did not come back."""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
from hostile_cases import CASES, Case

import pliant

#: Numbers that break what does not look out for them, and values of other types.
VALUES: dict[str, Any] = {
    "0": 0, "-1": -1, "nan": float("nan"), "inf": float("inf"), "1e308": 1e308, "-1e308": -1e308, "1e-308": 1e-308,
    "1e12": 1e12, "10**12": 10**12, "empty text": "", "empty list": [], "empty dict": {}, "None": None,
    "text": "no such word", "object": object(), "True": True,
}  # fmt: skip
#: Words of Rust that have no place in what a user reads.
RUST_WORDS = (
    "f64",
    "usize",
    "u32",
    "u64",
    "i64",
    "Some(",
    "Vec<",
    "panicked",
    "unwrap",
    "index out of bounds",
    "PyErr",
)


def trials(name: str) -> Iterator[tuple[str, str, Any]]:
    """For each argument of a case each value, and arrays full of it where an array works."""
    for argument, working in CASES[name].arguments.items():
        if argument in CASES[name].free:
            continue
        for label, value in VALUES.items():
            yield argument, label, value
        try:
            array = np.asarray(working if isinstance(working, (list, tuple, np.ndarray)) else [])
        except ValueError:  # lists of several lengths
            array = np.zeros(0)
        if array.size and array.dtype.kind in "iuf":
            for label in ("0", "-1", "nan", "1e308", "-1e308", "1e-308", "1e12", "10**12"):
                yield argument, f"array of {label}", np.full(array.shape, VALUES[label])


def attempt(case: Case, argument: str, value: Any) -> tuple[str, str]:
    """What became of a trial: "accepted", "refused", or "bug" with the reason."""
    arguments = {**case.arguments, argument: value}
    try:
        owner = case.make()
        if case.attribute is not None:
            setattr(owner, case.attribute, arguments["value"])
            result = owner
        else:
            result = owner(**arguments)
        case.use(result)
    except (ValueError, TypeError, pliant.StepError) as error:
        return judged(error)
    except OSError as error:
        return judged(error) if argument in case.paths else ("bug", f"{type(error).__name__}: {error}")
    except BaseException as error:  # noqa: BLE001 - a panic of the engine is no Exception
        return "bug", f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"
    return "accepted", ""


def judged(error: Exception) -> tuple[str, str]:
    message = str(error)
    if not message:
        return "bug", f"{type(error).__name__} says nothing\n{traceback.format_exc(limit=-3)}"
    for word in RUST_WORDS:
        if word in message:
            return "bug", f"{type(error).__name__} says {word!r}: {message}"
    return "refused", f"{type(error).__name__}: {message}"


def main() -> None:
    np.seterr(all="ignore")
    for request in sys.stdin:
        name, numbers = json.loads(request)
        own = list(trials(name))
        for number in numbers:
            argument, label, value = own[number]
            print(json.dumps({"begins": number, "argument": argument, "value": label}), flush=True)
            begun = time.perf_counter()
            outcome, message = attempt(CASES[name], argument, value)
            said = {"outcome": outcome, "message": message, "seconds": time.perf_counter() - begun}
            print(json.dumps(said), flush=True)
        print(json.dumps({"done": name}), flush=True)


if __name__ == "__main__":
    main()
