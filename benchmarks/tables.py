"""Tables: as rich draws them, and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table

from screwgraph.ui.bench import group_by_reason

NOTHING = ""


@dataclass(frozen=True)
class Sheet:
    """A table of texts with what there is to say about it; the first `named` columns name the row."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    named: int = 2


def rich_table(sheet: Sheet) -> Table:
    """Return the sheet for a terminal."""
    table = Table(title=sheet.title, title_justify="left", box=box.SIMPLE_HEAD, caption_justify="left")
    for i, column in enumerate(sheet.columns):
        table.add_column(column, justify="left" if i < sheet.named else "right", overflow="fold")
    for row in sheet.rows:
        table.add_row(*row)
    return table


def markdown(sheet: Sheet) -> str:
    """Return the sheet as Markdown, its notes below it."""
    lines = [f"## {sheet.title}", "", _line(sheet.columns)]
    lines.append(_line("---" if i < sheet.named else "--:" for i in range(len(sheet.columns))))
    lines += [_line(row) for row in sheet.rows]
    return "\n".join([*lines, "", *(f"{note}\n" for note in sheet.notes)])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


class Remarks:
    """Reasons why something was not measured: each once, below the table, by the places where it was not."""

    def __init__(self) -> None:
        self._found: list[tuple[str, str]] = []

    def cell(self, what: str, where: str, reason: str) -> str:
        """Take note, and return what the cell shows."""
        self._found.append((f"{what} not measured: {reason}", where))
        return "-"

    def notes(self) -> list[str]:
        """Return one line a reason."""
        return group_by_reason(self._found)


def nanoseconds(value: float) -> str:
    """Return a time in ns with as many digits as it is worth."""
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def times(ratio: float) -> str:
    """Return how many times faster."""
    return f"{ratio:.2f} x" if ratio < 9.95 else f"{ratio:.0f} x"


def verdict(reached: bool) -> str:
    """Say whether what is asked for is reached."""
    return "yes" if reached else "NO"
