"""What tests share: a cache of compiled code of their own."""

from __future__ import annotations

import gc
import math
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import hypothesis
import llvmlite.binding as llvm
import numpy as np
import pytest

from screwgraph.base import progress_report
from screwgraph.compiler.backends.llvm import gufunc, machine_code, sample_block, tiering
from screwgraph.compiler.backends.llvm.assembly import emit_module
from screwgraph.compiler.backends.llvm.machine_code import Processor
from screwgraph.compiler.cache import source_digest
from screwgraph.compiler.problem import ordering_search
from screwgraph.compiler.problem.plan_costs import PlanTrials
from screwgraph.elimination import orderings
from tests.known_analyses import share_analyses
from tests.sampling import (
    ALL,
    SEED,
    Case,
    kinds_of,
    read_slow_functions,
    read_tables,
    sample_cases,
    seed_of_run,
    take_turns,
)

hypothesis.settings.register_profile("any machine", deadline=None)
hypothesis.settings.register_profile("CI", deadline=None, derandomize=True)
hypothesis.settings.load_profile("CI" if os.environ.get("CI") else "any machine")

OPTIMISED = ("benchmarks", "compiler", "faults")
"""Folders whose tests are about code: there, it is optimised, as users have it; elsewhere modules have a mark."""


STATISTICS = "motion/estimation"
"""The folder whose suites draw many models, each with code of its own: it is never optimised: that would take hours."""

FIRST_ORDER = ("api", "mechanics", "model", "motion")
"""Folders whose tests are about answers, which are those of any order."""
TRY_NAMED_ORDERS = ordering_search._try_named_orders

ENDLESS = 10**9
"""Instructions of a program that stays in one piece: pieces save time where code is optimised."""

GARBAGE = 400_000
"""New objects after which the collector of cycles looks for some."""


def pytest_report_header() -> str:
    """Say which samples of long tables are taken: the same seed takes the same ones."""
    return f"samples: {SEED}={seed_of_run()}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to `make suite` cases of functions with long tables or with `sampled(k)`, and slow tests out of turn.

    Folders and files that are named run all their slow tests. Files whose slow tests take longest come first: workers
    end at the same time.
    """
    seed = seed_of_run()
    long = {} if seed == ALL else read_tables()
    is_whole = all(Path(name).resolve() == Path(__file__).parent for name in config.args)
    slow = read_slow_functions() if is_whole and seed != ALL else {}
    tables: defaultdict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("suite") is None:
            tables[item.nodeid.partition("[")[0]].append(item)
    costs = defaultdict[Path, float](float)
    for function, table in tables.items():
        seconds, mark = slow.get(function, 0.0), table[0].get_closest_marker("sampled")
        parameters = [mark.args[0] for mark in table[0].iter_markers("parametrize")]
        cases = [_find_kinds(item, parameters) for item in table]
        k = (mark.args[0] if mark is not None else 1) * long.get(function, 1)
        sample = sorted(sample_cases(cases, k, f"{seed} {table[0].path.name} {table[0].originalname}"))
        tests = [table[place].nodeid for place in sample]
        turn = take_turns(tests, [cases[place] for place in sample], seconds, seed)
        taken = {sample[place] for place in turn}
        for place, item in enumerate(table):
            if place not in taken:
                item.add_marker("suite")
            elif seconds:
                costs[item.path] += seconds
    items.sort(key=lambda item: -costs[item.path])  # stable: tests of a file stay side by side


def _find_kinds(item: pytest.Function, parameters: Sequence[str | Sequence[str]]) -> Case:
    return kinds_of(item.callspec.params, parameters) if hasattr(item, "callspec") else frozenset()


def pytest_collection_finish() -> None:
    """Let the collector of cycles look seldom, and at what tests make: not at thousands of tests each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, *gc.get_threshold()[1:])


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
        patch.setattr(
            source_digest, "_state_of_sources", cache(source_digest._state_of_sources)
        )  # nobody edits them meanwhile
        patch.setattr(progress_report, "PIPED_SECONDS", math.inf)  # on slow machines, too, commands say nothing
        share_analyses(patch)
        yield


@pytest.fixture(scope="module", autouse=True)
def soon_compiled(request: pytest.FixtureRequest, own_cache: None) -> Iterator[None]:
    """Compile without drafts and without LLVM's optimisation where tests are not about code: the same answers, sooner.

    Batches are computed state by state, not in vectors, limbs one by one, programs in one piece; products round before
    they are added, for LLVM selects instructions that do both in twice the time of others. In `FIRST_ORDER`, the first
    order that is possible is taken, not the cheapest. These kinds of code have caches of their own. `make suite`
    optimises all but `STATISTICS`.
    """
    with pytest.MonkeyPatch.context() as patch:
        path = request.path.relative_to(Path(__file__).parent)
        is_statistical = path.is_relative_to(STATISTICS)
        about_code = (
            any(map(path.is_relative_to, OPTIMISED)) or request.node.get_closest_marker("optimised") is not None
        )
        is_short = request.config.option.markexpr in ("not suite", "extra and not suite")
        if (is_short and not about_code) or is_statistical:
            patch.setenv("SCREWGRAPH_CACHE_DIR", os.environ["SCREWGRAPH_CACHE_DIR"] + "_soon")
            patch.setenv(tiering.VARIABLE, "0")
            patch.setattr(machine_code, "_object", _object_soon)
            patch.setattr(gufunc, "emit_module", _state_by_state)
            patch.setattr(gufunc, "emit_packed_block", lambda *_: None)  # limbs side by side
            patch.setattr(sample_block, "fuse_multiply_add", lambda program: program)
            if any(map(path.is_relative_to, FIRST_ORDER)) and not request.node.get_closest_marker("cheapest"):
                patch.setenv("SCREWGRAPH_CACHE_DIR", os.environ["SCREWGRAPH_CACHE_DIR"] + "_first_order")
                patch.setattr(ordering_search, "_try_named_orders", _try_until_one_is_possible)
        yield


@pytest.fixture(autouse=True)
def own_numbers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin a module's random numbers, `RNG`, anew in each test: which tests run before it changes nothing."""
    if hasattr(request.module, "RNG"):
        monkeypatch.setattr(request.module, "RNG", np.random.default_rng(crc32(request.node.name.encode())))


@pytest.fixture(scope="module", autouse=True)
def denormal_numbers(own_cache: None) -> Iterator[None]:
    """Fail where a library was loaded that rounds denormal numbers to zero in the whole process."""
    yield
    assert np.nextafter(0.0, 1.0) * np.float64(1.0) > 0.0


def _state_by_state(
    program: Any, arguments: Any, results: Any, dtype: str, batches: bool, quaternions: Any, whole: int, alone: Any
) -> str:
    return emit_module(program, arguments, results, dtype, False, quaternions, ENDLESS, None)


def _try_until_one_is_possible(trials: PlanTrials, names: Sequence[str], inputs: Sequence[str]) -> list[Any]:
    if orderings.is_assembled(trials.graph):
        return TRY_NAMED_ORDERS(trials, names, inputs)
    return next(filter(None, (TRY_NAMED_ORDERS(trials, [name], inputs) for name in names)), [])


def _object_soon(assembly: str, processor: Processor, level: int = 0) -> bytes:
    return _target_soon(processor).emit_object(llvm.parse_assembly(assembly))


@cache
def _target_soon(processor: Processor) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=processor.model, features=processor.features, opt=0
    )
