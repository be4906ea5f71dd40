"""A line each ten seconds that says which tests run, in the place of dots: a plugin, `pytest -p tests.running`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Event, Lock, Thread

import pytest

SECONDS = 10.0
"""Time between two lines."""


class RunningTests:
    """The tests that run now, on all workers, and how many have run."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.session, self.began = config, None, time.monotonic()
        self.running, self.done = dict[str, None](), 0
        self.end, self.lock = Event(), Lock()
        self.clock = Thread(target=self._write_lines, daemon=True)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.session = session
        self.clock.start()

    def pytest_unconfigure(self) -> None:
        self.end.set()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.running[nodeid] = None

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.running.pop(nodeid, None)
        self.done += 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._write(f"{report.outcome.upper()} {report.nodeid}")

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Iterator[None]:
        """Leave out letters; counts stay."""
        category, letter, word = yield  # pyright: ignore[reportGeneralTypeIssues]
        if self.config.option.verbose > 0:
            return category, letter, word  # pyright: ignore[reportReturnType]
        return category, "", word if category in ("failed", "error") else ""  # pyright: ignore[reportReturnType]

    def describe(self) -> str:
        """Return the line: the share of tests that have run, the time, and what runs."""
        count = self.session.testscollected if self.session is not None else 0
        share = f"{100 * self.done // count:3d} % of {count} tests" if count else "collecting tests"
        return f"{share}, {time.monotonic() - self.began:.0f} s: {', '.join(self.running) or '...'}"

    def _write(self, line: str) -> None:
        with self.lock:
            terminal = self.config.get_terminal_writer()
            terminal.line(line)
            terminal.flush()

    def _write_lines(self) -> None:
        while not self.end.wait(SECONDS):
            self._write(self.describe())


def pytest_configure(config: pytest.Config) -> None:
    """Watch where results come together: in the process that has the workers."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunningTests(config), "running-tests")
