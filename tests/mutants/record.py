"""Records which test runs which line, and how long each test takes: a plugin, `pytest -p tests.mutants.record`.

The map is a file of JSON lines, (test, CPU seconds, {file: lines}); tests that run in other processes are not seen.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

MAP = "SCREWGRAPH_MUTANTS_MAP"
"""The environment variable that names the file of the map."""
PACKAGE = Path(__file__).resolve().parents[2] / "src" / "screwgraph"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write a line for each test."""
    watch = coverage.Coverage(data_file=None, source=[str(PACKAGE)], config_file=False, messages=False)
    watch.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured"])
    began = time.process_time()
    watch.start()
    try:
        result = yield
    finally:
        watch.stop()
    seconds, data = time.process_time() - began, watch.get_data()
    lines = {str(Path(file).relative_to(PACKAGE)): data.lines(file) or [] for file in data.measured_files()}
    with Path(os.environ[MAP]).open("a", encoding="utf-8") as file:
        file.write(json.dumps([item.nodeid, round(seconds, 4), {f: at for f, at in lines.items() if at}]) + "\n")
    return result
