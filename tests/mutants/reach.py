"""Tests by the mutants that they reach: what `tests.mutants.record` has written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutant import Mutant
from tests.mutants.switch import number_visit


@dataclass(frozen=True)
class Reach:
    """CPU seconds of each test, tests of each mutant and of each file, mutants that the import of modules reaches."""

    seconds: Mapping[str, float]
    tests: Mapping[int, Sequence[str]]
    imported: frozenset[int]

    def is_fixed(self, number: int) -> bool:
        """Tell whether a mutant cannot be switched: it runs at the import, or no test is seen to reach it."""
        return number in self.imported or number not in self.tests

    def list_tests(self, number: int, mutants: Sequence[Mutant], seconds: float) -> list[str]:
        """Return tests that may notice a mutant, the quickest first, as many as take some seconds.

        Those come first that reach it; then those of the same files of tests, for what one test computes another may
        find computed; where none is seen, those that run any function of its file, or stand in the folder that
        mirrors its own.
        """
        file = mutants[number].file
        visit = number_visit(k for k, m in enumerate(mutants) if m.file == file)
        near = self.tests.get(number, ()) or self.tests.get(visit, ()) or self._list_mirror(file)
        places = {test.partition("::")[0] for test in near}
        beside = [test for test in self.seconds if test.partition("::")[0] in places and test not in set(near)]
        chosen, left = [], seconds
        for test in (*sorted(near, key=self.seconds.__getitem__), *sorted(beside, key=self.seconds.__getitem__)):
            left -= self.seconds[test]
            if left < 0.0 and chosen:
                break
            chosen.append(test)
        return chosen

    def _list_mirror(self, file: str) -> list[str]:
        """Return the tests of the folder that mirrors that of a file, or the next one above it that has some."""
        for folder in Path("tests", file).parents[:-1]:
            if found := [test for test in self.seconds if test.startswith(f"{folder.as_posix()}/")]:
                return found
        return []


def read_reach(path: Path) -> Reach:
    """Read the map of tests and mutants."""
    seconds, tests, imported = dict[str, float](), defaultdict[int, list[str]](list), set[int]()
    for text in path.read_text(encoding="utf-8").splitlines():
        test, took, numbers = json.loads(text)
        if not test:
            imported.update(numbers)
            continue
        seconds[test] = took
        for number in numbers:
            tests[number].append(test)
    return Reach(seconds, tests, frozenset(imported))
