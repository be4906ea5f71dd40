"""Trials of mutants: tests in forks of a process that has collected all, or in a new process where that must be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from tests.mutants import switch
from tests.mutants.record import ALONE
from tests.mutants.switch import ROOT

STARTED = 60.0
"""Seconds that Python and pytest may take before the first test."""
THREADED = ("jax", "torch")
"""Libraries that start threads."""
NONE = -1
"""The number of no mutant."""


class Runs(Protocol):
    """A way to run tests with a mutant."""

    def run(self, number: int, tests: Sequence[str], seconds: float) -> str:
        """Return the first of some tests that fails, "" where none does."""
        ...


class Forks:
    """Tests, collected once, that forks of this process run with one mutant each."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.config = pytest.Config.fromdictargs(
            {}, ["-m", "not suite", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:terminal"]
        )
        self.config._do_configure()
        self.session = pytest.Session.from_config(self.config)
        self.config.hook.pytest_sessionstart(session=self.session)
        self.session.perform_collect()
        self.items: Mapping[str, pytest.Item] = {item.nodeid: item for item in self.session.items}

    def can_run(self, test: str) -> bool:
        """Tell whether a fork can run a test: libraries with threads of their own do not live on in it."""
        item = self.items.get(test)
        return item is not None and not any(name in item.path.read_text(encoding="utf-8") for name in THREADED)

    def run(self, number: int, tests: Sequence[str], seconds: float) -> str:
        """Return the first of some tests that fails with a mutant, or does not end, in a fork; "" where none does."""
        self.log.write_text("", encoding="utf-8")
        child = os.fork()
        if not child:
            try:
                os._exit(self._run_here(number, tests))
            finally:
                os._exit(3)
        return self._wait(child, 30.0 + 10.0 * seconds, tests)

    def _wait(self, child: int, seconds: float, tests: Sequence[str]) -> str:
        end, status = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            time.sleep(0.02)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            status = 1
        begun = self.log.read_text(encoding="utf-8").split("\n")
        return "" if not status else begun[-2] if len(begun) > 1 else tests[0]

    def _run_here(self, number: int, tests: Sequence[str]) -> int:
        out = os.open(os.devnull, os.O_WRONLY)
        os.dup2(out, 1)
        os.dup2(out, 2)
        switch.active = number
        self.session.items[:] = [self.items[t] for t in tests]
        self.session.testsfailed, self.session.testscollected = 0, len(tests)
        self.config.pluginmanager.register(_Log(self.log))
        self.config.option.maxfail = 1
        try:
            self.config.hook.pytest_runtestloop(session=self.session)
        except (pytest.Session.Failed, pytest.Session.Interrupted):
            return 1
        return int(self.session.testsfailed > 0)


class _Log:
    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(nodeid + "\n")


@dataclass(frozen=True)
class ChangedFile:
    """Trials in a new process each, where the file of the mutant is imported with the changed text."""

    folder: Path

    def run(self, number: int, tests: Sequence[str], seconds: float) -> str:
        """Return the first of some tests that fails with a mutant, or does not end; "" where none does."""
        listed = self.folder / "tests.txt"
        listed.write_text("\n".join(tests), encoding="utf-8")
        call = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "tests.mutants.record"]
        environment = {**os.environ, ALONE: str(number)}
        try:
            done = subprocess.run(
                [*call, f"@{listed}"],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                timeout=STARTED + 10.0 * seconds,
                text=True,
            )
        except subprocess.TimeoutExpired:
            return tests[-1]
        words = [line.split() for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return "" if not done.returncode else words[0][1] if words else tests[0]


def find_failure(trials: Runs, number: int, tests: Sequence[str], seconds: float) -> str:
    """Return the first test that fails with a mutant and not without, "" where none does."""
    left = list(tests)
    while left:
        failed = trials.run(number, left, seconds)
        if not failed or not trials.run(NONE, [failed], seconds):
            return failed
        left = left[left.index(failed) + 1 :] if failed in left else []
    return ""
