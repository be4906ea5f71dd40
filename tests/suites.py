"""Tables of the long suites: `make suite` records a row for each case, `python -m tests.suites` writes them into pages.

A suite's page is docs/suites/NAME.md: its text is written by hand; its table, the last thing on it, is made here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.mechanics.dynamics.benchmark_files import sum_by_kind
from tests.motion.planning.collection.summary import by_kind

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "suites"
ROWS = ROOT / "out" / "suites"
FOLDER = "SCREWGRAPH_SUITE_ROWS"
"""The environment variable that names the folder of rows; without it, nothing is recorded."""
SUMMED = {"plan": by_kind, "chains": sum_by_kind}
"""How rows of single tasks become those of a table, where these are not the same."""


def record(suite: str, **row: object) -> None:
    """Keep a row of a suite's table, cells by column: a line of its own, so that workers may write at once."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    with (Path(folder) / f"{suite}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({name: _cell(value) for name, value in row.items()}) + "\n")


def is_recorded(suite: str, **row: object) -> bool:
    """Whether a row with these cells is kept: a suite that was stopped goes on where it was."""
    file = Path(os.environ.get(FOLDER, "")) / f"{suite}.jsonl"
    if not os.environ.get(FOLDER) or not file.exists():
        return False
    cells = {name: _cell(value) for name, value in row.items()}.items()
    return any(cells <= json.loads(line).items() for line in file.read_text(encoding="utf-8").splitlines())


def in_suites(*values: object) -> object:
    """Return a test parameter that `make suite` alone tests, as it takes long."""
    return pytest.param(*values, marks=pytest.mark.suite)


def main() -> None:
    """Write the tables of all suites that have rows, and forget the rows."""
    for rows in sorted(ROWS.glob("*.jsonl")):
        listed = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
        listed = SUMMED.get(rows.stem, list)(listed)
        page = PAGES / f"{rows.stem}.md"
        page.write_text(with_table(page.read_text(encoding="utf-8"), listed), encoding="utf-8")
        rows.unlink()


def with_table(page: str, rows: Sequence[dict[str, str]]) -> str:
    """Return a page with the table at its end replaced by rows, sorted by their cells."""
    kept = page.rstrip().splitlines()
    while kept and kept[-1].startswith("|"):
        kept.pop()
    text = "\n".join(kept).rstrip()
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = sorted([row.get(name, "") for name in names] for row in rows)
    table = [names, ["---"] * len(names), *lines]
    return "\n".join([text, "", *("| " + " | ".join(cells) + " |" for cells in table), ""])


def _cell(value: object) -> str:
    return f"{value:.2g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
