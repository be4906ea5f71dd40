"""`screwgraph search`: look for an elimination order that makes cheaper code."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import progress
from screwgraph.ui.cli import options
from screwgraph.ui.cli.console import print_json, print_note
from screwgraph.ui.cli.options import BaseKind
from screwgraph.ui.cli.usage_errors import make_usage_error

if TYPE_CHECKING:
    from screwgraph.elimination import SearchResult

LARGEST_TIME = 7 * 24 * 3600.0
LARGEST_WORKERS = 256

Seconds = Annotated[
    float, typer.Option("--seconds", metavar="S", min=0.1, max=LARGEST_TIME, help="Time limit of the search.")
]
Rounds = Annotated[
    int | None,
    typer.Option("--rounds", metavar="N", min=0, help="Stop after N rounds; the same seed then gives the same result."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="S", min=0, help="Seed of the random choices.")]
Workers = Annotated[
    int, typer.Option("--workers", metavar="N", min=1, max=LARGEST_WORKERS, help="Processes that evaluate orderings.")
]
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Address of the scheduler of a Dask cluster, to evaluate there."),
]

HELP = """Search for an elimination ordering with cheaper code.

Starts from the named and greedy orderings and improves the best by random changes. The result is stored in the cache of
compiled code, where ordering "auto" finds it. Ctrl-C ends the search early and keeps the result so far.

\b
Example:
  screwgraph search panda --problem forward --seconds 60 --workers 2
"""


def search(
    context: typer.Context,
    robot: options.RobotName,
    problem: options.ProblemKind,
    seconds: Seconds = 60.0,
    rounds: Rounds = None,
    seed: Seed = 0,
    workers: Workers = 1,
    dask: Dask = None,
    accelerations: options.Accelerations = None,
    external_wrenches: options.ExternalWrenches = None,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    independent: options.Independent = None,
    gravity: options.Gravity = None,
    no_damping: options.NoDamping = False,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    xacro: options.XacroArgs = None,
    as_json: options.AsJson = False,
) -> None:
    """Search, and say what was found."""
    from screwgraph import Search
    from screwgraph.ui.cli.problem_functions import check_accelerations, compile_problem_function

    if dask is not None and workers != 1:
        raise make_usage_error(
            context, "--workers cannot be used with --dask", why="a Dask cluster has its own workers"
        )
    named = options.split_names(accelerations)
    check_accelerations(context, problem, named)
    model = options.load_robot(robot, base, lock, gravity, no_damping, strict, snap, model_name, xacro, independent)
    frames = options.split_names(external_wrenches)
    with _executor(workers, dask) as (executor, count), _watch_search(seconds) as watch:
        effort = Search(seconds, rounds, seed, executor, count, watch)
        function = compile_problem_function(model, problem, named, effort, frames)
    options.print_warnings(model)
    best: dict[str, Any] = {
        "robot": model.name,
        "problem": problem.value,
        "ordering": function.ordering,
        "operations": function.operations.total,
        "evaluated": watch.evaluated,
        "interrupted": watch.stopped,
    }
    if as_json:
        print_json(best)
        return
    if watch.stopped:
        print_note("interrupted: the results so far are kept")
    typer.echo(f"{function}: the best of {watch.evaluated} orderings")


@contextmanager
def _executor(workers: int, dask: str | None) -> Iterator[tuple[Executor | None, int]]:
    """Give what evaluates orders, and how many at a time."""
    if dask is not None:
        with _dask_client(dask) as client:
            yield client.get_executor(), max(1, sum(client.nthreads().values()))
    elif workers > 1:
        # Ctrl-C reaches every process of a terminal; it is for this one to end the search.
        with ProcessPoolExecutor(workers, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
            yield pool, workers
    else:
        yield None, 1


def _dask_client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError(
            "--dask needs the package distributed", fix="pip install 'screwgraph[distributed]', or use --workers"
        ) from error
    try:
        return Client(address, timeout="5s", set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"no Dask scheduler at {address!r}", why=reason, fix="start one: dask scheduler") from error


class _Watch:
    """Sees the search go by: shows it, and ends it after Ctrl-C."""

    def __init__(self, show: Any) -> None:
        self.evaluated, self.stopped, self._show = 0, False, show

    def __call__(self, found: SearchResult) -> bool:
        self.evaluated = found.evaluated
        self._show(found)
        return self.stopped

    def stop(self, *_: object) -> None:
        self.stopped = True


@contextmanager
def _watch_search(seconds: float) -> Iterator[_Watch]:
    """Show a bar on stderr while a search runs; the first Ctrl-C ends the search, not the program."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True, markup=False, emoji=False)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=seconds)

        def show(found: SearchResult) -> None:
            bar.update(task, completed=min(found.seconds, seconds))

        watch = _Watch(show)
        before = signal.signal(signal.SIGINT, watch.stop)
        try:
            with progress(lambda doing: bar.update(task, description=doing.what)):
                yield watch
        finally:
            signal.signal(signal.SIGINT, before)
