"""Lists slow functions anew, in `SLOW`, by their CPU seconds: a plugin, `pytest -p tests.durations`."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.sampling import SLOW, SLOW_SECONDS

CPU = "CPU seconds"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Tell the CPU seconds of a test, with its fixtures, beside its result."""
    began = time.process_time()
    item.stash[BEGAN] = began
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Write the CPU seconds so far into a report; the last one has all."""
    report = yield
    report.user_properties.append((CPU, time.process_time() - item.stash[BEGAN]))  # pyright: ignore[reportAttributeAccessIssue]
    return report


class SlowFunctions:
    """CPU seconds of the slowest case of each function."""

    def __init__(self) -> None:
        self.seconds = defaultdict[str, float](float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        function = report.nodeid.partition("[")[0]
        took = max((float(str(seconds)) for name, seconds in report.user_properties if name == CPU), default=0.0)
        self.seconds[function] = max(self.seconds[function], took)

    def pytest_sessionfinish(self) -> None:
        rows = sorted(row for row in self.seconds.items() if row[1] >= SLOW_SECONDS)
        SLOW.write_text("".join(f"{seconds:.1f} {function}\n" for function, seconds in rows), encoding="utf-8")


BEGAN = pytest.StashKey[float]()


def pytest_configure(config: pytest.Config) -> None:
    """Collect where results come together: in the process that has the workers."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SlowFunctions(), "slow-functions")
