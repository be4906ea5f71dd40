"""Records which test reaches which mutant, and how long each test takes: a plugin, `pytest -p tests.mutants.record`.

The map is a file of JSON lines, (test, CPU seconds, numbers); the line of no test is what collecting them reaches.
Tests that run in other processes are not seen. Another variable names the one changed file of a process.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mutants.mutant import MAP, MUTANTS, read_mutants
from tests.mutants.switch import SEEN, install_switches, install_text

ALONE = "SCREWGRAPH_MUTANT"
"""The environment variable that says which one of the mutants is imported as text, the others are not there."""

if ALONE in os.environ:
    _mutants, _number = read_mutants(Path(os.environ[MUTANTS])), int(os.environ[ALONE])
    for _mutant in _mutants[_number : _number + 1] if _number >= 0 else ():
        install_text(_mutant.file, _mutant.change.apply(_mutant.source()))
else:
    install_switches({k: (m.file, m.change) for k, m in enumerate(read_mutants(Path(os.environ[MUTANTS])))})


def pytest_collection_finish() -> None:
    """Write what importing modules and collecting tests reaches."""
    _write("", 0.0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write a line for each test."""
    SEEN.clear()
    began = time.process_time()
    try:
        return (yield)
    finally:
        _write(item.nodeid, time.process_time() - began)


def _write(test: str, seconds: float) -> None:
    if MAP in os.environ:
        with Path(os.environ[MAP]).open("a", encoding="utf-8") as file:
            file.write(json.dumps([test, round(seconds, 4), sorted(SEEN)]) + "\n")
