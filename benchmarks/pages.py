"""The figures that pages show, from RESULTS.md: `python -m benchmarks.pages` writes them anew after `make bench`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchmarks.results import FOLDER

ROOT = FOLDER.parent
PAGES: Mapping[str, Sequence[str]] = {"README.md": ("inverse", "forward"), "docs/why.md": ("forward",)}
"""Pages, and the questions that the rows of their tables answer in turn."""
ROW = re.compile(r"^\| (?P<robot>\w+ \(\d+\)) \|.*$", re.MULTILINE)
Cells = Mapping[str, str]


class _Group(NamedTuple):
    """What is told of a robot and a question: operations, calls in C and from Python, a sample of a batch."""

    operations: str
    c: str
    python: str
    sample: str
    sample_ratio: str


def main() -> None:
    """Write the rows of all pages anew."""
    for name in PAGES:
        path = ROOT / name
        path.write_text(written(name, path.read_text(encoding="utf-8")), encoding="utf-8")


def written(name: str, page: str) -> str:
    """Return a page with the figures of RESULTS.md in the rows of its table."""
    results = tables((FOLDER / "RESULTS.md").read_text(encoding="utf-8"))

    def row(found: re.Match[str]) -> str:
        groups = [_group(results, found["robot"], question) for question in PAGES[name]]
        if name == "README.md":
            cells = [group.c for group in groups] + [group.sample_ratio for group in groups]
        else:
            cells = [
                x for g in groups for x in (g.operations, f"{g.c} faster", g.python, f"{g.sample}, {g.sample_ratio}")
            ]
        return "| " + " | ".join([found["robot"], *cells]) + " |"

    return ROW.sub(row, page)


def tables(text: str) -> dict[str, dict[tuple[str, str], Cells]]:
    """Return the tables of RESULTS.md by title: rows by their first two cells, cells by column."""
    found: dict[str, dict[tuple[str, str], Cells]] = {}
    for section in re.split(r"(?m)^## ", text)[1:]:
        title, *lines = section.splitlines()
        rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
        if rows:
            head, _, *body = rows
            names = [name if name not in head[:i] else f"{name} {i}" for i, name in enumerate(head)]
            found[title] = {(row[0], row[1]): dict(zip(names, row, strict=False)) for row in body}
    return found


def _group(results: Mapping[str, Mapping[tuple[str, str], Cells]], robot: str, question: str) -> _Group:
    key = (robot, question)
    counts, c, python, batch = (
        results[title][key]
        for title in ("Operations", "One call in C", "One call from Python", "One sample in a batch")
    )
    faster = max(_number(cell) for name, cell in c.items() if name.startswith("faster"))
    least = min(_number(batch["rows, ns"]), _number(batch["columns, ns"]))
    sample = max(_number(batch["rows: faster"]), _number(batch["columns: faster"]))
    return _Group(
        f"{counts['operations']}, {counts['ratio']}",
        _times(faster),
        _times(_number(python["pin / ours"])),
        f"{least:.0f} ns",
        _times(sample),
    )


def _number(cell: str) -> float:
    return float(cell.removesuffix(" x"))


def _times(ratio: float) -> str:
    return f"{ratio:.1f}x" if ratio < 9.95 else f"{ratio:.0f}x"


if __name__ == "__main__":
    main()
