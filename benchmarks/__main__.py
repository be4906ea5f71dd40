"""Measure, print tables, write RESULTS.md: `python -m benchmarks --help`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

import screwgraph as sg
from benchmarks.bench import Tools, entries
from benchmarks.questions import QUESTIONS
from benchmarks.results import FOLDER, described, write
from benchmarks.subjects import SUBJECTS, chosen
from benchmarks.tables import Sheet, rich_table
from benchmarks.themes import THEMES
from screwgraph.ui.bench import Budget, fast_code

FULL, QUICK = Budget(), Budget(0.03, 4, 128, 1024)
FULL_PATIENCE, QUICK_PATIENCE = 300.0, 60.0
"""Seconds that one step of making code may take, ours and the peers'."""
WIDTH = 170


@fast_code()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for."""
    options = _parser().parse_args(arguments)
    console = Console(width=WIDTH, highlight=False, markup=False, emoji=False)
    _stay_on_one_core()
    effort, patience = (QUICK, QUICK_PATIENCE) if options.quick else (FULL, FULL_PATIENCE)
    tools = Tools(effort, options.compiler, _progress(), patience)
    questions = [q for q in QUESTIONS if not options.questions or q.name in options.questions]
    found = entries(chosen(options.only), questions, tools)
    tools.say("roofline of one core")
    lines = described(options.compiler, tools.roofline)
    console.print("\n".join(lines), "")
    sheets: list[Sheet] = []
    for name in options.themes or THEMES:
        sheets.append(THEMES[name](found, tools))
        console.print(rich_table(sheets[-1]))
        console.print("\n".join(sheets[-1].notes), "", style="dim")
        if options.output:  # now: a theme that fails later loses none of these
            write(Path(options.output), lines, sheets, keep=bool(options.themes))
            console.print(f"written to {Path(options.output).name}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Figures beside other libraries.")
    add = parser.add_argument
    add("--only", type=_one_of([s.name for s in SUBJECTS]), default=(), metavar="ROBOT,...", help="these robots only")
    add("--questions", type=_one_of([q.name for q in QUESTIONS]), default=(), metavar="QUESTION,...", help="only these")
    kept = "tables of others stay"
    add("--themes", type=_one_of(list(THEMES)), default=(), metavar="THEME,...", help=f"{', '.join(THEMES)}; {kept}")
    add("--quick", action="store_true", help="short rounds, small batches, less patience: rough figures")
    add("--compiler", metavar="NAME", help="clang, clang-19, gcc ... (default: the newest clang, or else gcc)")
    add("--output", default=str(FOLDER / "RESULTS.md"), metavar="FILE", help='where to; "" writes nothing')
    return parser


def _one_of(known: Sequence[str]) -> Callable[[str], list[str]]:
    def names(text: str) -> list[str]:
        given = [name.strip() for name in text.split(",") if name.strip()]
        strange = [name for name in given if name not in known]
        if strange:
            raise argparse.ArgumentTypeError(f"{strange[0]!r} is none of {', '.join(known)}")
        return given

    return names


def _stay_on_one_core() -> None:
    """Keep this process and its children on one core, where the system lets us."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _progress() -> Callable[[str], None]:
    start = time.monotonic()
    return lambda line: print(f"[{time.monotonic() - start:4.0f} s] {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except sg.ScrewgraphError as error:
        sys.exit(str(error))
