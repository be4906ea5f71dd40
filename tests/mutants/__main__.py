"""Which of many small changes of the sources do the tests of `make test` notice? `make mutants ARGS=--help`.

Mutants are drawn by a seed, stratified by folder. One run of all tests records which of them reach which mutant. Each
mutant is then tried by these, the quickest first, until one fails that passes without it, or the time for a mutant is
used up: a change that only later tests would notice counts as not noticed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.mutant import MAP, MUTANTS, Mutant, draw_mutants, read_mutants, write_mutants
from tests.mutants.reach import Reach, read_reach
from tests.mutants.switch import ROOT

OUT = ROOT / "out" / "mutants"


def main() -> None:
    """Draw mutants, try each, and print those that no test noticed."""
    asked = _parse()
    folder = OUT / asked.seed
    folder.mkdir(parents=True, exist_ok=True)
    listed, reached = folder / "mutants.jsonl", folder / "map.jsonl"
    if not listed.exists():
        write_mutants(listed, draw_mutants(asked.seed, asked.count, asked.folder))
    os.environ.update({MUTANTS: str(listed), "CI": "true"})
    if not reached.exists():
        _record(reached, asked.tests)
    mutants, verdicts = read_mutants(listed), Counter[str]()
    print(f"{len(mutants)} mutants, seed {asked.seed}", flush=True)
    chosen = range(asked.start, len(mutants), asked.step)
    for number, verdict, test in try_mutants(mutants, read_reach(reached), chosen, asked.seconds):
        verdicts[verdict] += 1
        print(f"{verdict}: {number} {mutants[number]} {test}", flush=True)
    print(f"noticed {verdicts['noticed']} of {sum(verdicts.values())}; {dict(verdicts)}")


def try_mutants(
    mutants: Sequence[Mutant], reach: Reach, chosen: Sequence[int], seconds: float
) -> Iterator[tuple[int, str, str]]:
    """Yield the number, verdict, and the test that fails, of some mutants."""
    from tests.mutants.trial import ChangedFile, Forks, find_failure

    with TemporaryDirectory() as name:
        forks, alone = Forks(Path(name) / "log.txt"), ChangedFile(Path(name))
        for number in chosen:
            tests = reach.list_tests(number, mutants, seconds)
            in_forks = [] if reach.is_fixed(number) else [test for test in tests if forks.can_run(test)]
            others = [test for test in tests if test not in set(in_forks)]
            failed = find_failure(forks, number, in_forks, seconds) or find_failure(alone, number, others, seconds)
            yield number, "noticed" if failed else "not noticed" if tests else "not run", failed


def _record(path: Path, tests: Sequence[str]) -> None:
    """Run the tests of `make test` once, and write the map."""
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    environment = {**os.environ, MAP: str(part)}
    call = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-p", "tests.mutants.record", *tests]
    if subprocess.run(call, cwd=ROOT, env=environment, check=False).returncode > 1:
        sys.exit("mutants: tests do not run")
    part.rename(path)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", default="0", help="chooses the mutants; what is recorded for it is kept")
    parser.add_argument("--count", type=int, default=300, help="how many mutants, some more by rounding")
    parser.add_argument("--folder", default="", help="of src/screwgraph; all by default")
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU seconds of tests for a mutant")
    parser.add_argument("--tests", nargs="*", default=[], help="tests that are recorded; all of make test by default")
    parser.add_argument("--start", type=int, default=0, help="the first mutant that is tried")
    parser.add_argument("--step", type=int, default=1, help="try each of so many: some processes share the work")
    return parser.parse_args()


if __name__ == "__main__":
    main()
