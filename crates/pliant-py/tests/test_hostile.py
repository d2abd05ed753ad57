"""Every argument of every public callable with values that no one should give: a result, or one clear error, within seconds. What hangs, dies or
takes memory without bound is named."""

from __future__ import annotations

import inspect
import json
import os
import queue
import resource
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hostile_cases import CASES, RECEIVED
from hostile_worker import attempt, trials

import pliant

HERE = Path(__file__).parent
#: Many times what the slowest takes on a machine that does nothing else [s].
LONGEST = 60.0
#: Memory that a worker may have [bytes].
MEMORY = 6 << 30


def public() -> dict[str, Any]:
    """Names of all public callables: functions, classes that users make, methods with arguments, and what can be set."""
    found: dict[str, Any] = {}
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        if inspect.isclass(thing):
            if name not in RECEIVED:
                found[name] = thing
            for method, raw in vars(thing).items():
                own = getattr(thing, method)
                if method.startswith("_"):
                    continue
                if isinstance(raw, property):
                    if raw.fset is not None:
                        found[f"{name}.{method}"] = None
                elif callable(own) and not inspect.isclass(own) and takes_any(own):
                    found[f"{name}.{method}"] = own
        elif callable(thing) and takes_any(thing):
            found[name] = thing
    for part in pliant.Simulation.__mro__[1:-1]:
        for method, own in vars(part).items():
            if not method.startswith("_") and inspect.isfunction(own) and takes_any(own):
                found[f"Simulation.{method}"] = own
    return found


def takes_any(thing: Any) -> bool:
    """Whether it takes arguments, by name or any."""
    try:
        parameters = inspect.signature(thing).parameters
    except ValueError:
        return False
    return any(name not in ("self", "cls") for name in parameters)


def arguments_of(thing: Any) -> list[str]:
    """Names of arguments, without those that stand for any."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except ValueError:
        return []
    named = (p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
    return [p.name for p in named if p.name not in ("self", "cls")]


def test_every_public_callable_is_in_the_table_with_every_argument() -> None:
    callables = public()
    assert set(callables) - set(CASES) == set(), "give them arguments in hostile_cases.py"
    assert set(CASES) - set(callables) == set(), "these are not public"
    for name, thing in callables.items():
        if thing is not None:
            missing = set(arguments_of(thing)) - set(CASES[name].arguments)
            assert not missing, f"{name} has the arguments {sorted(missing)}, which hostile_cases.py does not give"


def test_the_arguments_of_the_table_work() -> None:
    for name, case in CASES.items():
        for argument, working in list(case.arguments.items())[:1]:
            outcome, message = attempt(case, argument, working)
            assert outcome == "accepted", f"{name}: {message}"


def test_an_energy_of_no_elements_does_nothing() -> None:
    box = pliant.box((0.3, 0.1, 0.1), (2, 1, 1))
    positions = []
    for energies in ((), pliant.ExampleBased([], [box.positions], 10.0), pliant.TetStrain([], 10.0)):
        body = pliant.Body(box, pliant.SolidMaterial(), energies=energies, pin=[0])
        sim = pliant.Simulation(body, solver=pliant.Projective())
        sim.step(2)
        positions.append(sim.positions)
    assert (positions[0] == positions[1]).all() and (positions[0] == positions[2]).all()


class Worker:
    """A process that tries a case, with a bound on its memory; a new one where it hangs or dies."""

    def __init__(self, folder: Path) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
            "RAYON_NUM_THREADS": "2",
            "RUST_BACKTRACE": "0",
            "TMPDIR": str(folder),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", str(HERE / "hostile_worker.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )  # fmt: skip
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.errors: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._listen_to_errors, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _listen_to_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors = [*self.errors[-20:], line]

    def ask(self, request: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any] | str:
        """The next line, or why there is none."""
        try:
            line = self.lines.get(timeout=LONGEST)
        except queue.Empty:
            return f"hangs for {LONGEST} s"
        if line is None:
            return f"the process died ({self.process.wait()}): {''.join(self.errors)}"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def try_cases(chosen: dict[str, list[int]], folder: Path) -> tuple[Counter[str], list[str]]:
    """Tries the chosen trials of cases, by their numbers: counts of outcomes, and what must not be."""
    counts: Counter[str] = Counter()
    bugs: list[str] = []
    worker = Worker(folder)
    for name, numbers in chosen.items():
        left = list(numbers)
        while left:
            worker.ask([name, left])
            begun: dict[str, Any] = {"begins": left[0], "argument": "?", "value": "?"}
            while True:
                answer = worker.answer()
                if isinstance(answer, str):
                    counts["bug"] += 1
                    bugs.append(f"{name}({begun['argument']} = {begun['value']}): {answer}")
                    worker.end()
                    worker = Worker(folder)
                    left = left[left.index(begun["begins"]) + 1 :]
                    break
                if "begins" in answer:
                    begun = answer
                elif "outcome" in answer:
                    counts[answer["outcome"]] += 1
                    said = f"{name}({begun['argument']} = {begun['value']}): {answer['message']}"
                    if answer["outcome"] == "bug":
                        bugs.append(said)
                    if os.environ.get("PLIANT_HOSTILE_LIST"):
                        print(answer["outcome"], f"{answer['seconds']:.2f} s", said)
                else:
                    left = []
                    break
    worker.end()
    return counts, bugs


def some_of_each_argument() -> dict[str, list[int]]:
    """Two values of each argument, others for the next one."""
    chosen: dict[str, list[int]] = {}
    turn = 0
    for name in CASES:
        of_argument: dict[str, list[int]] = {}
        for number, (argument, _, _) in enumerate(trials(name)):
            of_argument.setdefault(argument, []).append(number)
        chosen[name] = []
        for own in of_argument.values():
            chosen[name] += sorted({own[(2 * turn + k * 7) % len(own)] for k in range(2)})
            turn += 1
    return chosen


def check(chosen: dict[str, list[int]], folder: Path) -> str:
    """Tries them and says how many there were."""
    counts, bugs = try_cases(chosen, folder)
    assert not bugs, f"{len(bugs)} bugs:\n" + "\n".join(bugs)
    arguments = sum(len(set(case.arguments) - set(case.free)) for case in CASES.values())
    return f"{len(CASES)} callables, {arguments} arguments, {sum(map(len, chosen.values()))} trials: {dict(counts)}"


needs_unix = pytest.mark.skipif(sys.platform == "win32", reason="memory is bounded by a limit of Unix")


@needs_unix
def test_every_argument_with_some_hostile_values_gives_a_result_or_a_clear_error(tmp_path: Path) -> None:
    check(some_of_each_argument(), tmp_path)


@needs_unix
@pytest.mark.long
def test_every_argument_with_every_hostile_value_gives_a_result_or_a_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = check({name: list(range(sum(1 for _ in trials(name)))) for name in CASES}, tmp_path)
    with capsys.disabled():
        print(f"\n{said}")
