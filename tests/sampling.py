"""Samples of long tables of test cases: `make test` takes one of k, others each week; `make suite` takes all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from math import ceil
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
SLOW_SECONDS = 2.5
"""Cases of more CPU seconds are slow: they run one week of two."""
SLOWEST_SECONDS = 10.0
"""Cases of more CPU seconds run one week of three."""
ALL = "all"
"""The seed with which each slow case and all of a long table run."""

SEED = "SCREWGRAPH_TEST_SEED"
"""The environment variable that chooses the samples; without it, the week does."""
INSTANCES = frozenset({"name", "path", "file", "page", "robot", "seed", "case"})
"""Parameters whose values are examples of one kind (robots, files); values of others differ in kind."""
KIND = "kind"
"""The parameter that says, beside an instance, of which kind it is."""

Case = frozenset[tuple[str, int]]
"""Of each parameter whose values differ in kind: its name, and which of its values this case has."""


def seed_of_run() -> str:
    """Return what chooses the samples of this run, the same for all its processes: the year and the week."""
    if SEED not in os.environ:
        year, week, _ = date.today().isocalendar()
        os.environ[SEED] = f"{year}-{week}"
    return os.environ[SEED]


def read_slow_functions() -> dict[str, int]:
    """Return how many weeks there are of which a slow function's cases run one."""
    rows = (line.split(maxsplit=1) for line in SLOW.read_text(encoding="utf-8").splitlines())
    return {function: 2 if float(seconds) < SLOWEST_SECONDS else 3 for seconds, function in rows}


def read_tables() -> dict[str, int]:
    """Return of how many cases one runs, of each function with a long table."""
    rows = (line.split(maxsplit=1) for line in TABLES.read_text(encoding="utf-8").splitlines())
    return {function: ceil(float(seconds) / TABLE_SECONDS) for seconds, function in rows}


def is_turn(function: str, case: str, weeks: int, seed: str) -> bool:
    """Whether a slow case runs: in one week of some, others in others; `make suite` runs all."""
    last = seed.rpartition("-")[2]
    week = int(last) if last.isdigit() else crc32(seed.encode())
    return seed == ALL or (week + crc32(f"{function}[{case}".encode())) % weeks == 0


def kinds_of(values: Mapping[str, object], tables: Iterable[str | Sequence[str]]) -> Case:
    """Return what a case is of each kind.

    Args:
        values: its value of each parameter.
        tables: names of the parameters of each `parametrize`; one with an instance in it lists instances, but `KIND`.
    """
    split = [table.replace(",", " ").split() if isinstance(table, str) else list(table) for table in tables]
    instances = INSTANCES.union(*(names for names in split if INSTANCES.intersection(names)))
    return frozenset((name, id(value)) for name, value in values.items() if name not in instances - {KIND})


def sample_cases(cases: Sequence[Case], k: int, seed: str) -> set[int]:
    """Return the places of the cases that a run takes: one of k, and each value of what differs in kind."""
    order = list(range(len(cases)))
    Random(seed).shuffle(order)
    missing = frozenset[tuple[str, int]]().union(*cases)
    taken: list[int] = []
    while missing:
        best = max(order, key=lambda place: len(missing & cases[place]))
        missing -= cases[best]
        taken.append(best)
    rest = [place for place in order if place not in taken]
    return {*taken, *rest[: max(0, -(-len(cases) // k) - len(taken))]}
