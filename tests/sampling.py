"""Samples of test cases: `make test` takes some of long tables and of slow tests, others each day; `make suite` all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date
from math import ceil, isfinite
from pathlib import Path
from random import Random
from zlib import crc32

SLOW = Path(__file__).with_name("slow.txt")
"""Slow functions: a line each, CPU seconds of the slowest case and the function; `make durations` writes it.

A new function is not slow before it stands there, and runs always.
"""
TABLES = Path(__file__).with_name("tables.txt")
"""Functions with long tables of cases: a line each, CPU seconds of all cases and the function, as in `SLOW`."""
TABLE_SECONDS = 0.5
"""CPU seconds that the cases of a function share: of a longer table, one case of some runs, as `sampled` takes them."""
SLOW_SECONDS = 0.25
"""CPU seconds of its slowest case with which a function is slow: its cases take turns."""
SLOWEST_SECONDS = 2.5
"""CPU seconds with which a function's cases take turns even where one of them shows a kind that others do not."""
TURNS = ((SLOWEST_SECONDS, 10), (1.0, 5), (0.5, 3), (SLOW_SECONDS, 2))
"""CPU seconds, and of how many days the cases of a function with so many or more run one."""
ALL = "all"
"""The seed with which each slow case and all of a long table run."""

SEED = "SCREWGRAPH_TEST_SEED"
"""The environment variable that chooses the samples; without it, the day does."""
INSTANCES = frozenset({"name", "path", "file", "page", "robot", "seed", "case", "question"})
"""Parameters whose values are examples of one kind (robots, files, questions of benchmarks); others differ in kind."""
KIND = "kind"
"""The parameter that says, beside an instance, of which kind it is."""

Case = frozenset[tuple[str, int]]
"""Of each parameter whose values differ in kind: its name, and which of its values this case has."""


def seed_of_run() -> str:
    """Return what chooses the samples of this run, the same for all its processes: the year and its day."""
    if SEED not in os.environ:
        os.environ[SEED] = f"{date.today():%Y-%j}"
    return os.environ[SEED]


def read_slow_functions() -> dict[str, float]:
    """Return the CPU seconds of the slowest case of each slow function."""
    rows = (line.split(maxsplit=1) for line in SLOW.read_text(encoding="utf-8").splitlines())
    return {function: float(seconds) for seconds, function in rows}


def read_tables() -> dict[str, int]:
    """Return of how many cases one runs, of each function with a long table."""
    rows = (line.split(maxsplit=1) for line in TABLES.read_text(encoding="utf-8").splitlines())
    return {function: ceil(float(seconds) / TABLE_SECONDS) for seconds, function in rows}


def is_turn(test: str, seconds: float, seed: str) -> bool:
    """Whether a test of a slow function runs: one day of some, others on other days; `make suite` runs all."""
    last = seed.rpartition("-")[2]
    day = int(last) if last.isdigit() else crc32(seed.encode())
    days = next((days for least, days in TURNS if seconds >= least), 1)
    return seed == ALL or (day + crc32(test.encode())) % days == 0


def take_turns(tests: Sequence[str], cases: Sequence[Case], seconds: float, seed: str) -> set[int]:
    """Return the places of the tests of a slow function that run: those whose turn it is.

    Where the function takes less than `SLOWEST_SECONDS`, each value of what differs in kind is among them.
    """
    taken = {place for place, test in enumerate(tests) if is_turn(test, seconds, seed)}
    return taken if seconds >= SLOWEST_SECONDS else cover_kinds(cases, taken, range(len(cases)))


def kinds_of(values: Mapping[str, object], tables: Iterable[str | Sequence[str]]) -> Case:
    """Return what a case is of each kind; numbers with a point are amounts of one kind.

    Args:
        values: its value of each parameter.
        tables: names of the parameters of each `parametrize`; one with an instance in it lists instances, but `KIND`.
    """
    split = [table.replace(",", " ").split() if isinstance(table, str) else list(table) for table in tables]
    instances = INSTANCES.union(*(names for names in split if INSTANCES.intersection(names)))
    instances -= {KIND}
    return frozenset(
        (name, id(value)) for name, value in values.items() if name not in instances and not _is_amount(value)
    )


def _is_amount(value: object) -> bool:
    """Whether a value is one of many numbers: 0.0 and infinity are kinds (no friction, rigid)."""
    return isinstance(value, float) and value != 0.0 and isfinite(value)


def sample_cases(cases: Sequence[Case], k: int, seed: str) -> set[int]:
    """Return the places of the cases that a run takes: one of k, and each value of what differs in kind."""
    order = list(range(len(cases)))
    Random(seed).shuffle(order)
    taken = cover_kinds(cases, set(), order)
    rest = [place for place in order if place not in taken]
    return {*taken, *rest[: max(0, -(-len(cases) // k) - len(taken))]}


def cover_kinds(cases: Sequence[Case], taken: Set[int], order: Sequence[int]) -> set[int]:
    """Return the places of the cases that are taken, and of those that show each value of what differs in kind.

    Those that show most come first, then those first in `order`.
    """
    covered = set(taken)
    missing = frozenset[tuple[str, int]]().union(*cases).difference(*(cases[place] for place in taken))
    while missing:
        best = max(order, key=lambda place: len(missing & cases[place]))
        missing -= cases[best]
        covered.add(best)
    return covered
