"""Which of many small changes of the sources do the tests of `make test` notice? `make mutants ARGS=--help`.

Mutants are drawn by a seed, stratified by folder. Each is tried in a copy of the package by the tests that run its
line, those that are nearest to it first, until one fails or the time for a mutant is used up: a change that only far
tests would notice counts as not noticed.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import py_compile
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.mutants.changes import Change, list_body_lines, list_changes
from tests.mutants.record import MAP, PACKAGE

ROOT = PACKAGE.parents[1]
OUT = ROOT / "out" / "mutants"
STARTED = 60.0
"""Seconds that Python and pytest may take before the first test."""


@dataclass(frozen=True)
class Mutant:
    """A change of one file of the package."""

    file: str
    change: Change

    def __str__(self) -> str:
        return f"src/screwgraph/{self.file}:{self.change.line}: {self.change}"


@dataclass(frozen=True)
class Covered:
    """Tests by the lines that they run: CPU seconds of a test, lines that it runs, tests of each line."""

    seconds: Mapping[str, float]
    reach: Mapping[str, int]
    tests: Mapping[tuple[str, int], Sequence[str]]
    of_files: Mapping[str, Sequence[str]]

    def nearest(self, mutant: Mutant, source: str, seconds: float) -> list[str]:
        """Return the tests that run a mutant's line, those that run least else first, as many as take some seconds.

        Lines that run when their module is imported are those of all tests that run something of the file, or of its
        folder. So are those of kernels, whose sources are translated.
        """
        found = self.tests.get((mutant.file, mutant.change.line), ())
        is_unseen = mutant.file not in self.of_files or mutant.change.line not in list_body_lines(source)
        if not found and is_unseen:
            folder = mutant.file.rpartition("/")[0]
            beside = (t for file, t in self.of_files.items() if file.rpartition("/")[0] == folder)
            found = self.of_files.get(mutant.file) or [*dict.fromkeys(chain.from_iterable(beside))]
        chosen, left = [], seconds
        for test in sorted(found, key=lambda t: self.seconds[t] * self.reach[t]):
            left -= self.seconds[test]
            if left < 0 and chosen:
                break
            chosen.append(test)
        return chosen


def main() -> None:
    """Draw mutants, try each, and print those that no test noticed."""
    asked = _parse()
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / "map.jsonl"
    if asked.record or not path.exists():
        _record(path, asked.tests)
    covered = read_map(path)
    mutants = draw(asked.seed, asked.count, asked.folder)
    print(f"{len(mutants)} mutants, seed {asked.seed}", flush=True)
    verdicts = Counter[str]()
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "screwgraph"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        # Bytecode with hashes of sources: Python compiles the one file anew that a mutant changes.
        compileall.compile_dir(copy, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
        for mutant in mutants:
            verdict = try_mutant(mutant, covered, copy, asked.seconds)
            verdicts[verdict] += 1
            print(f"{verdict}: {mutant}", flush=True)
    print(f"noticed {verdicts['noticed']} of {sum(verdicts.values())}; {dict(verdicts)}")


def draw(seed: str, count: int, within: str) -> list[Mutant]:
    """Return mutants at random: each folder has a share by its number of possible changes, at least one."""
    rng, folders = Random(seed), defaultdict[str, list[Mutant]](list)
    for path in sorted((PACKAGE / within).rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        folders[file.partition("/")[0]] += [Mutant(file, c) for c in list_changes(path.read_text(encoding="utf-8"))]
    total = sum(map(len, folders.values()))
    shares = {name: max(1, round(count * len(found) / total)) for name, found in folders.items() if found}
    return [m for name, share in shares.items() for m in rng.sample(folders[name], min(share, len(folders[name])))]


def try_mutant(mutant: Mutant, covered: Covered, copy: Path, seconds: float) -> str:
    """Return "noticed" where a test fails or never ends, "not noticed", or "not run" where no test runs the line."""
    path = copy / mutant.file
    source = path.read_text(encoding="utf-8")
    tests = covered.nearest(mutant, source, seconds)
    if not tests:
        return "not run"
    path.write_text(mutant.change.apply(source), encoding="utf-8")
    listed = copy.parent / "tests.txt"
    listed.write_text("\n".join(tests), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
    call = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "suite or not suite"]
    try:
        done = subprocess.run(
            [*call, f"@{listed}"], cwd=ROOT, env=environment, capture_output=True, timeout=STARTED + 10.0 * seconds
        )
    except subprocess.TimeoutExpired:
        return "noticed"
    finally:
        path.write_text(source, encoding="utf-8")
    return "not noticed" if done.returncode == 0 else "noticed"


def read_map(path: Path) -> Covered:
    """Read which tests run which lines."""
    seconds, reach, tests = dict[str, float](), dict[str, int](), defaultdict[tuple[str, int], list[str]](list)
    of_files = defaultdict[str, list[str]](list)
    for text in path.read_text(encoding="utf-8").splitlines():
        test, took, files = json.loads(text)
        seconds[test], reach[test] = took, sum(map(len, files.values()))
        for file, lines in files.items():
            of_files[file].append(test)
            for line in lines:
                tests[file, line].append(test)
    return Covered(seconds, reach, tests, of_files)


def _record(path: Path, tests: Sequence[str]) -> None:
    """Run the tests of `make test` once, and write the map."""
    path.unlink(missing_ok=True)
    environment = {**os.environ, MAP: str(path), "CI": "true"}
    call = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-p", "tests.mutants.record", *tests]
    if subprocess.run(call, cwd=ROOT, env=environment, check=False).returncode:
        sys.exit("mutants: tests fail without a mutant: mend them first")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", default="0", help="chooses the mutants")
    parser.add_argument("--count", type=int, default=300, help="how many mutants, some more by rounding")
    parser.add_argument("--folder", default="", help="of src/screwgraph; all by default")
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU seconds of tests for a mutant")
    parser.add_argument("--record", action="store_true", help="make the map of tests and lines anew")
    parser.add_argument("--tests", nargs="*", default=[], help="tests that are recorded; all of make test by default")
    return parser.parse_args()


if __name__ == "__main__":
    main()
