"""What scripts on Chignoli et al. (2023) share: counting instructions of many orders, tables, looks of pictures.

The programs of the paper were run for the figures beside ours: constraint embedding of generalized_rbda, sparse KKT of
Pinocchio, both on CasADi scalars, "instructions" being all operations, inputs and outputs. Ours are counted likewise.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("SCREWGRAPH_SEARCH_SECONDS", "0")  # counts of orders as they are, the same on every machine

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib import ticker
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

import screwgraph as sg

OUT = Path("out")
ORDERS = ("embedding", "kkt", "auto")
COLOURS = {"embedding": "#0072B2", "kkt": "#D55E00", "auto": "#009E73", "tree": "#888888"}
NAMES = {"embedding": "constraint embedding", "kkt": "sparse KKT", "auto": '"auto"', "tree": "approximate tree"}
WIDTHS = {"embedding": 4.0, "kkt": 1.4, "auto": 1.4}
"""Of lines: where "auto" takes embedding's order, both are to be seen."""
LOOK: Any = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 10.0,
    "savefig.dpi": 150,
}

console = Console(highlight=False, markup=False, width=118)


@dataclass(frozen=True)
class Question:
    """A robot, made by `make(*arguments)`, and the orders that its forward dynamics are eliminated in."""

    make: Callable[..., sg.Robot]
    arguments: tuple[Any, ...]
    orders: tuple[str, ...] = ORDERS


@dataclass(frozen=True)
class Count:
    """Instructions of the code, and the name of the order that was taken."""

    instructions: int
    order: str


ByOrder = dict[str, Count]


def counts(questions: Sequence[Question], what: str) -> list[ByOrder]:
    """Count the instructions of many functions, those of two robots at a time."""
    with ProcessPoolExecutor(2) as pool:
        found = pool.map(counted, questions)
        return list(track(found, what, len(questions), console=console, transient=True))


def counted(question: Question) -> ByOrder:
    """Make the functions of one robot, and count their operations, inputs and outputs."""
    robot = question.make(*question.arguments)
    found = {}
    for order in question.orders:
        f = sg.forward_dynamics(robot, ordering=order)
        sizes = [len(argument.names) for argument in f.arguments]
        found[order] = Count(f.operations.total + sum(sizes) + f.result_shape[0], f.ordering)
    return found


def options(about: str | None) -> argparse.Namespace:
    """Read how much is to be computed."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    much = parser.add_mutually_exclusive_group()
    much.add_argument("--quick", action="store_true", help="a few small robots only: some seconds")
    much.add_argument("--full", action="store_true", help="every robot of the paper's figure: some minutes")
    return parser.parse_args()


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]], named: int = 1) -> None:
    """Print a table whose first `named` columns are words."""
    drawn = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False)
    for i, head in enumerate(heads):
        drawn.add_column(head, justify="left" if i < named else "right", no_wrap=i < named)
    for row in rows:
        drawn.add_row(*("" if cell is None else str(cell) for cell in row))
    console.print(drawn, "")


def look(order: str) -> dict[str, Any]:
    """Return colour, width and label of an order's lines."""
    return {"color": COLOURS[order], "linewidth": WIDTHS[order], "label": NAMES[order]}


def figure(rows: int, columns: int, size: tuple[float, float], **more: Any) -> tuple[Any, Any]:
    """Start a picture of several axes."""
    plt.rcParams.update(LOOK)
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **more)


def log_ticks(axis: Any) -> None:
    """Make the y axis logarithmic, with ticks in plain numbers."""
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    axis.yaxis.set_minor_formatter(ticker.NullFormatter())


def save(picture: Any, name: str) -> None:
    """Write a picture into `out/`."""
    OUT.mkdir(exist_ok=True)
    for suffix in ("svg", "png"):
        # Neither dates nor random names in the file: the same picture is the same file.
        with plt.rc_context({"svg.hashsalt": name}):
            picture.savefig(OUT / f"{name}.{suffix}", metadata={"Date": None} if suffix == "svg" else None)
    plt.close(picture)
    console.print(f"  {OUT / name}.svg, .png")


def ratio(ours: int, theirs: int | None) -> str | None:
    """Return ours as a part of theirs."""
    return None if theirs is None else f"{ours / theirs:.2f}"
