"""The same simulation over a grid of parameters: in local processes, or on a Ray cluster."""

from __future__ import annotations

import csv
import itertools
import multiprocessing
import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from ._arrays import count, each
from ._scene import load_scene

Row = dict[str, Any]
Run = Callable[..., Mapping[str, Any]]
Progress = bool | Callable[[int, int, Row], None]

#: Measured of a scene, if nothing else is asked for.
QUANTITIES = ("max-stretch", "lowest", "max-speed", "kinetic-energy", "elastic-energy")


class Sweep(Sequence[Row]):
    """The rows of a sweep in the order of the grid: the parameters, what the run returned, the "seconds" it took, and
    "error", which is None or the error message."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(each(rows, "rows", dict))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def failed(self) -> list[Row]:
        """Rows of runs that failed."""
        return [row for row in self.rows if row.get("error") is not None]

    @property
    def columns(self) -> list[str]:
        """Names of all values."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame (pip install pandas)."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas: pip install pandas") from None
        return pandas.DataFrame(self.rows, columns=self.columns)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the rows as a CSV file."""
        # A number would be taken for a file that is open already.
        with open(os.fspath(path), "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.columns)
            writer.writeheader()
            writer.writerows(self.rows)

    def __repr__(self) -> str:
        table = [self.columns] + [[_short(row.get(name)) for name in self.columns] for row in self.rows]
        widths = [max(len(line[k]) for line in table) for k in range(len(table[0]))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in table)


def _short(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.5g}"
    text = str(value).strip().splitlines()
    return (text[-1] if text else "")[:60]


class SceneRun:
    """Runs a scene with overrides and measures it at the end; also reports whether its expectations hold."""

    def __init__(self, scene: str, measure: Sequence[str]) -> None:
        self.scene = scene
        self.measure = tuple(measure)

    def __call__(self, **overrides: Any) -> Row:
        sim = load_scene(self.scene, overrides).run()
        values: Row = {quantity: sim.measure(quantity) for quantity in self.measure}
        verdicts = sim.verdicts
        return {**values, "holds": all(verdict.holds for verdict in verdicts)} if verdicts else values


def grid(parameters: Mapping[str, Iterable[Any]]) -> list[Row]:
    """All combinations of parameters, the last one changing fastest."""
    if not isinstance(parameters, Mapping):
        raise ValueError(f"parameters is {parameters!r}, but must be a dict of lists")
    values = [list(choices) for choices in parameters.values()]
    for name, choices in zip(parameters, values):
        if not choices:
            raise ValueError(f"parameters[{name!r}] is empty")
    return [dict(zip(parameters, combination)) for combination in itertools.product(*values)]


def sweep(
    run: Run | str | os.PathLike[str],
    parameters: Mapping[str, Iterable[Any]] | Sequence[Row],
    *,
    workers: int | None = None,
    backend: str = "processes",
    measure: Sequence[str] = QUANTITIES,
    progress: Progress = True,
) -> Sweep:
    """Runs the same simulation for each combination of parameters.

    run: a function of the parameters that returns a dict of results; or a scene; then parameters are overrides such
    as "body.0.material.cloth.youngs_modulus", and quantities are measured at the end. parameters: a list of values
    for each name, to run all combinations; or a list of dicts. backend: "processes" (local; in scripts, put the call
    under `if __name__ == "__main__":`), "ray" (the cluster that ray.init() joined, or a local one; pip install ray)
    or "serial". workers: number of runs at once; by default one for each processor, or as many as Ray has. progress:
    True for a line on stderr, or a function of (done, total, row).

    If a run fails or its process dies, it becomes a row with an "error"; the others are kept.
    """
    if isinstance(parameters, Sequence) and not isinstance(parameters, (str, bytes)):
        for k, row in enumerate(parameters):
            if not isinstance(row, Mapping):
                raise ValueError(f"parameters[{k}] is {row!r}, but must be a dict")
        rows = [dict(row) for row in parameters]
    else:
        rows = grid(parameters)
    function: Run = SceneRun(os.fspath(run), measure) if isinstance(run, (str, os.PathLike)) else run
    if workers is not None:
        workers = count(workers, "workers", at_least=1)
    board = _Board(rows, progress)
    if backend == "serial":
        for k, row in enumerate(rows):
            board.put(k, _attempt(function, row))
    elif backend == "processes":
        _in_processes(function, rows, board, workers or os.cpu_count() or 1)
    elif backend == "ray":
        _on_ray(function, rows, board, workers)
    else:
        raise ValueError(f"backend is {backend!r}, but must be 'processes', 'ray' or 'serial'")
    return Sweep(board.results())


class _Board:
    """Collects outcomes and tells how far it is."""

    def __init__(self, rows: list[Row], progress: Progress) -> None:
        self.rows = rows
        self.outcomes: dict[int, Row] = {}
        self.failures = 0
        self.progress = progress

    def put(self, index: int, outcome: Row) -> None:
        self.outcomes[index] = outcome
        self.failures += outcome["error"] is not None
        done, total = len(self.outcomes), len(self.rows)
        if callable(self.progress):
            self.progress(done, total, {**self.rows[index], **outcome})
        elif self.progress:
            failed = f", {self.failures} failed" if self.failures else ""
            live = sys.stderr.isatty()
            print(
                f"sweep: {done}/{total}{failed}",
                end="\r" if live and done < total else "\n",
                file=sys.stderr,
                flush=True,
            )

    def results(self) -> list[Row]:
        return [{**row, **self.outcomes[k]} for k, row in enumerate(self.rows)]


def _attempt(run: Run, row: Row) -> Row:
    begun = time.perf_counter()
    try:
        values = dict(run(**row))
        return {**values, "seconds": time.perf_counter() - begun, "error": None}
    except Exception:
        return {"seconds": time.perf_counter() - begun, "error": traceback.format_exc()}


def _died(error: BaseException) -> Row:
    return {"seconds": float("nan"), "error": f"the process died: {error}"}


def _packed(run: Run) -> bytes:
    """The function as bytes: functions of notebooks and scripts by value, where cloudpickle is installed."""
    try:
        import cloudpickle

        packed: bytes = cloudpickle.dumps(run)
        return packed
    except ImportError:
        return pickle.dumps(run)


def _attempt_packed(packed: bytes, row: Row) -> Row:
    try:
        run = pickle.loads(packed)
    except Exception:
        return {"seconds": 0.0, "error": traceback.format_exc()}
    return _attempt(run, row)


def _share_processors(threads: int) -> None:
    # Read when a process takes its first step: processes side by side must not each use all processors.
    os.environ.setdefault("RAYON_NUM_THREADS", str(threads))


def _in_processes(run: Run, rows: list[Row], board: _Board, workers: int) -> None:
    workers = min(workers, len(rows)) or 1
    threads = max(1, (os.cpu_count() or 1) // workers)
    packed = _packed(run)

    def pool(size: int) -> ProcessPoolExecutor:
        # A forked process would inherit the engine's threads in the middle of their work.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(size, mp_context=context, initializer=_share_processors, initargs=(threads,))

    lost: list[int] = []
    with pool(workers) as executor:
        futures: dict[Future[Row], int] = {}
        for k, row in enumerate(rows):
            try:
                futures[executor.submit(_attempt_packed, packed, row)] = k
            except BrokenProcessPool:
                lost.append(k)
        waiting = set(futures)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    board.put(futures[future], future.result())
                except BrokenProcessPool:
                    lost.append(futures[future])
    # When a process dies, all that were still to run are lost with it. Each again alone shows which it was.
    for k in sorted(lost):
        with pool(1) as executor:
            try:
                board.put(k, executor.submit(_attempt_packed, packed, rows[k]).result())
            except BrokenProcessPool as error:
                board.put(k, _died(error))


def _attempt_remotely(run: Run, row: Row) -> Row:
    _share_processors(1)
    return _attempt(run, row)


def _on_ray(run: Run, rows: list[Row], board: _Board, workers: int | None) -> None:
    try:
        import ray
    except ImportError:
        raise ImportError("the ray backend needs Ray: pip install ray") from None
    if not ray.is_initialized():
        ray.init(num_cpus=workers, log_to_driver=False)
    remote = ray.remote(num_cpus=1)(_attempt_remotely)
    shared = ray.put(run)
    left = list(enumerate(rows))[::-1]
    running: dict[Any, int] = {}
    while left or running:
        while left and (workers is None or len(running) < workers):
            k, row = left.pop()
            running[remote.remote(shared, row)] = k
        done, _ = ray.wait(list(running), num_returns=1)
        for reference in done:
            k = running.pop(reference)
            try:
                board.put(k, ray.get(reference))
            except Exception as error:
                board.put(k, _died(error))
