"""Lists slow functions and long tables of cases anew, by their CPU seconds: a plugin, `pytest -p tests.durations`."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.sampling import SLOW, SLOW_SECONDS, TABLE_SECONDS, TABLES

CPU = "CPU seconds"
PAGES = "tests/docs/"
"""Folder whose cases are pages: each is a kind of its own."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Tell the CPU seconds of a test, with its fixtures, beside its result."""
    item.stash[BEGAN] = _read_clock()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Write the CPU seconds so far into a report; the last one has all."""
    report = yield
    report.user_properties.append((CPU, _read_clock() - item.stash[BEGAN]))  # pyright: ignore[reportAttributeAccessIssue]
    return report


def _read_clock() -> float:
    """Return the CPU seconds of this process and of those that it waited for, such as compilers."""
    return sum(os.times()[:4])


class SlowFunctions:
    """CPU seconds of the cases of each function."""

    def __init__(self) -> None:
        self.seconds = defaultdict[str, dict[str, float]](dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        function, _, case = report.nodeid.partition("[")
        took = max((float(str(seconds)) for name, seconds in report.user_properties if name == CPU), default=0.0)
        self.seconds[function][case] = took  # the last report of a case has all

    def pytest_sessionfinish(self) -> None:
        slowest = {function: max(cases.values()) for function, cases in self.seconds.items()}
        tables = {
            function: sum(cases.values())
            for function, cases in self.seconds.items()
            if len(cases) > 1 and not function.startswith(PAGES)
        }
        _write_list(SLOW, slowest, SLOW_SECONDS)
        _write_list(TABLES, tables, TABLE_SECONDS)


def _write_list(file: Path, seconds: Mapping[str, float], least: float) -> None:
    rows = sorted((function, took) for function, took in seconds.items() if took >= least)
    file.write_text("".join(f"{took:.2f} {function}\n" for function, took in rows), encoding="utf-8")


BEGAN = pytest.StashKey[float]()


def pytest_configure(config: pytest.Config) -> None:
    """Collect where results come together: in the process that has the workers."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SlowFunctions(), "slow-functions")
