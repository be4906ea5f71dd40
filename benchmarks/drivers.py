"""Programs in C that call generated C of a controller many times, and read the clock."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import accumulate

from benchmarks.bench import Tools
from benchmarks.native import FLAGS, OURS, SHARED, build, find_compiler
from screwgraph.compiler import Function


def build_driver(
    f: Function, template: str, rows: int, widths: Sequence[int], tools: Tools
) -> tuple[ctypes.CDLL, list[int]]:
    """Build a function's C with a program around it; return it, and where each result begins, the last two left out.

    Args:
        f: the function; its last two results are not for callers.
        template: the program; it names `m`, the rows, `size`, how many numbers the results have, the function's `name`,
            and pointers of its `arguments` and `results`.
        rows: of the program that the function solves.
        widths: how many numbers each argument has, one after the other at x.
        tools: the compiler, its patience, and what is told of it.

    Raises:
        NotMeasuredError: there is no compiler.
    """
    starts = accumulate(widths[:-1], initial=0)
    ends = list(accumulate((r.size for r in f.results[:-2]), initial=0))
    driver = template.format(
        m=rows,
        size=ends[-1],
        name=f.name,
        arguments=", ".join(f"x + {start}" for start in starts),
        results=", ".join(f"results + {start}" for start in ends[:-1]),
    )
    flags = (*FLAGS, *OURS, "-std=gnu99", *SHARED)
    text = f.c_header() + "\n".join(x for x in f.c_source().splitlines() if not x.startswith('#include "')) + driver
    path = build(find_compiler(tools.compiler).c, flags, (), text, tools.say, (), tools.patience)
    return ctypes.CDLL(str(path)), ends
