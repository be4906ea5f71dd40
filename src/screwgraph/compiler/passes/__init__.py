"""Passes from straight-line code to straight-line code that computes the same, each a pure function.

`CODE_PASSES` are those of all code that elimination writes, in their order, behind the passes of robots and graphs
(`graph/passes/`). Others depend on who reads the code: instructions in the order of results, results that are equal
once, products within sums, pieces and loops of long code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce

from screwgraph.tape import Program, factor_out

CODE_PASSES: Mapping[str, Callable[[Program], Program]] = {"common factors": factor_out}
"""What is done with code before it is kept, by the names that `f.passes()` shows."""


def run_code_passes(code: Program) -> Iterator[tuple[str, Program]]:
    """Yield code after each of `CODE_PASSES`."""
    for name, run in CODE_PASSES.items():
        code = run(code)
        yield name, code


def finish_code(code: Program) -> Program:
    """Return code after all `CODE_PASSES`."""
    return reduce(lambda made, run: run(made), CODE_PASSES.values(), code)
