"""`screwgraph search`: look for an elimination order that makes cheaper code."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from screwgraph import Search
from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import progress
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import make_usage_error, print_json, print_note
from screwgraph.ui.cli.model_source import ROBOT, ModelSource, print_warnings
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.problem_functions import check_accelerations, compile_problem_function

if TYPE_CHECKING:
    from screwgraph.elimination import SearchResult

FLAGS = {
    "seconds": Flag("Time limit of the search.", "S", min=0.1, max=7 * 24 * 3600.0),
    "rounds": Flag("Stop after N rounds; the same seed then gives the same result.", "N", min=0),
    "seed": Flag("Seed of the random choices.", "S", min=0),
    "workers": Flag("Processes that evaluate orderings.", "N", min=1, max=256),
    "dask": Flag("Address of the scheduler of a Dask cluster, to evaluate there.", "ADDRESS"),
}

HELP = """\
Starts from the named and greedy orderings and improves the best by random changes. The result is stored in the cache of
compiled code, where ordering "auto" finds it. Ctrl-C ends the search early and keeps the result so far.

\b
Example:
  screwgraph search panda --problem forward --seconds 60 --workers 2
"""


def search(
    source: ModelSource,
    asked: Mapping[str, Any],
    problem: str,
    dask: str | None = None,
    accelerations: tuple[str, ...] = (),
    external_wrenches: tuple[str, ...] = (),
    json: bool = False,
) -> None:
    """Search, and say what was found."""
    if dask is not None and asked["workers"] != 1:
        raise make_usage_error("--workers cannot be used with --dask", why="a Dask cluster has its own workers")
    check_accelerations(problem, accelerations)
    model = source.load_robot()
    with _executor(asked["workers"], dask) as (executor, workers), _watch_search(asked["seconds"]) as watch:
        effort = Search(**{**asked, "workers": workers}, executor=executor, progress=watch)
        function = compile_problem_function(model, problem, accelerations, effort, external_wrenches)
    print_warnings(model)
    best: dict[str, Any] = {
        "robot": model.name,
        "problem": problem,
        "ordering": function.ordering,
        "operations": function.operations.total,
        "evaluated": watch.evaluated,
        "interrupted": watch.stopped,
    }
    if json:
        return print_json(best)
    if watch.stopped:
        print_note("interrupted: the results so far are kept")
    return typer.echo(f"{function}: the best of {watch.evaluated} orderings")


COMMAND = Command(search, HELP, FLAGS, model=ROBOT, query=Search, takes="seconds rounds seed workers")


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
