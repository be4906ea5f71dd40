"""Samples of test cases: each value that differs in kind, another choice for another seed, all in the end."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from tests.sampling import (
    ALL,
    SLOW_SECONDS,
    TURNS,
    is_turn,
    kinds_of,
    read_slow_functions,
    read_tables,
    sample_cases,
    take_turns,
)

EXTRAS = ("gtsam", "exudyn", "torch", "zig", "toppra", "gymnasium")
"""Packages that `make extras` installs."""
METHODS, ROBOTS = range(18), range(4)
TABLE = [kinds_of({"method": m, "name": r, "base": r}, ["method", "name, base"]) for m, r in product(METHODS, ROBOTS)]


def test_every_kind_is_taken_and_no_more_than_that():
    taken = sample_cases(TABLE, 72, "seed")
    assert len(taken) == len(METHODS)
    assert set().union(*(TABLE[i] for i in taken)) == {("method", id(m)) for m in METHODS}


def test_as_few_cases_as_can_be_show_all_kinds_of_several_parameters():
    table = [kinds_of({"rule": i, "order": j}, ["rule", ("order",)]) for i, j in product(range(6), range(6))]
    taken = sample_cases(table, 36, "seed")
    assert set().union(*(table[i] for i in taken)) == set().union(*table)
    assert len(taken) <= 8


def test_instances_may_say_of_which_kind_they_are():
    table = [kinds_of({"kind": k, "case": (k, i)}, [("kind", "case")]) for k, i in product((int, str, list), range(3))]
    taken = sample_cases(table, 9, "seed")
    assert {next(iter(table[i])) for i in taken} == {("kind", id(k)) for k in (int, str, list)}
    assert len(taken) == 3


def test_numbers_with_a_point_are_amounts_of_one_kind_but_nothing_and_infinity():
    kinds = [
        kinds_of({"stiffness": value, "bits": 32}, ["stiffness", "bits"]) for value in (0.0, 1e4, 1e6, float("inf"))
    ]
    assert [len(case) for case in kinds] == [2, 1, 1, 2]


def test_one_of_k_is_taken():
    assert len(sample_cases(100 * [frozenset()], 3, "seed")) == 34
    assert len(sample_cases(2 * [frozenset()], 6, "seed")) == 1
    assert sample_cases([frozenset()], 6, "seed") == {0}


def test_the_same_seed_takes_the_same_cases_and_other_seeds_take_all_in_turn():
    assert sample_cases(TABLE, 12, "a") == sample_cases(TABLE, 12, "a")
    assert set.union(*(sample_cases(TABLE, 72, str(seed)) for seed in range(60))) == set(range(len(TABLE)))


def test_tests_that_skip_without_extras_are_marked():
    needs = re.compile(rf'importorskip\("({"|".join(EXTRAS)})"|\*zig\(\)')
    files = {path: path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("test_*.py")}
    assert [path.name for path, text in files.items() if needs.search(text) and "mark.extra" not in text] == []


@pytest.mark.parametrize(("least", "days"), TURNS)
def test_a_slow_test_runs_one_day_of_some_and_tests_differ_in_which(least, days):
    runs = [[is_turn(f"test_slow[{case}]", least, f"2026-{day:03}") for day in range(1, 61)] for case in range(200)]
    assert all(sum(turn) == 60 // days for turn in runs)
    assert {tuple(turn[:days]) for turn in runs} == {tuple(i == j for i in range(days)) for j in range(days)}
    assert all(is_turn(f"test_slow[{case}]", least, ALL) for case in range(60))


def test_quick_tests_run_each_day():
    assert all(is_turn(f"test_quick[{case}]", 0.9 * SLOW_SECONDS, "2026-001") for case in range(60))


@pytest.mark.parametrize("day", range(12))
def test_each_kind_has_its_turn_each_day(day):
    tests = [f"test_slow[{case}]" for case in range(len(TABLE))]
    taken = take_turns(tests, TABLE, 1.0, f"2026-{day}")
    assert set().union(*(TABLE[i] for i in taken)) == {("method", id(m)) for m in METHODS}
    assert len(taken) < len(TABLE) / 2


def test_slow_functions_and_long_tables_exist():
    texts = {path: path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("test_*.py")}
    root = Path(__file__).parents[1]
    for name in (*read_slow_functions(), *read_tables()):
        file, _, function = name.partition("::")
        assert f"def {function}(" in texts[root / file], f"{name} is no more: make durations"
