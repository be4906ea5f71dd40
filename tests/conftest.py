"""What tests share: a cache of compiled code of their own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import llvmlite.binding as llvm
import numpy as np
import pytest

from screwgraph.compiler.backends.llvm import machine
from screwgraph.compiler.backends.llvm.machine import Processor

hypothesis.settings.register_profile("any machine", deadline=None)
hypothesis.settings.load_profile("any machine")

OPTIMISED = ("bench", "benchmarks", "compiler", "faults", "simulation")
"""Packages whose tests are about code: there, it is optimised, as users have it; elsewhere modules have a mark."""


STATISTICS = ("estimation",)
"""Packages whose suites draw many models, each with code of its own: it is never optimised, which would take hours."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to `make suite` what `sampled(k)` leaves out: of k cases of a function one stays, each time the next."""
    seen: Counter[tuple[Path, str]] = Counter()
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is not None and isinstance(item, pytest.Function):
            function = (item.path, item.originalname)
            turn, place = divmod(seen[function], mark.args[0])
            if place != turn % mark.args[0]:
                item.add_marker("suite")
            seen[function] += 1


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's cache of compiled code out of tests; the workers of a run share one that begins empty."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCREWGRAPH_CACHE_DIR", str(folder / "compiled"))
        patch.delenv("SCREWGRAPH_CACHE", raising=False)
        patch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")
        yield


@pytest.fixture(scope="module", autouse=True)
def soon_compiled(request: pytest.FixtureRequest, own_cache: None) -> Iterator[None]:
    """Compile without LLVM's optimisation where tests are not about code: a third of the time, the same answers.

    That code has a cache of its own. `make suite` optimises all code but that of `STATISTICS`.
    """
    with pytest.MonkeyPatch.context() as patch:
        package = request.path.relative_to(Path(__file__).parent).parts[0]
        about_code = package in OPTIMISED or request.node.get_closest_marker("optimised") is not None
        is_short = request.config.option.markexpr == "not suite"
        if (is_short and not about_code) or package in STATISTICS:
            patch.setenv("SCREWGRAPH_CACHE_DIR", os.environ["SCREWGRAPH_CACHE_DIR"] + "_soon")
            patch.setattr(machine, "_object", _object_soon)
        yield


@pytest.fixture(scope="module", autouse=True)
def denormal_numbers(own_cache: None) -> Iterator[None]:
    """Fail where a library was loaded that rounds denormal numbers to zero in the whole process."""
    yield
    assert np.nextafter(0.0, 1.0) * np.float64(1.0) > 0.0


def _object_soon(assembly: str, processor: Processor, level: int = 0) -> bytes:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple().create_target_machine(
        cpu=processor.model, features=processor.features, opt=0
    )
    return target.emit_object(llvm.parse_assembly(assembly))
