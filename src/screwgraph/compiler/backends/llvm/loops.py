"""Functions on arrays, written in a part of Python, as machine code: loops and branches, integers, numbers, arrays.

Functions tell the kinds of their arguments by annotations: `int`, `float`, `Ints` and `Reals` (arrays of 64 bits, which
must not overlap). They may use `range`, `while`, `if`, `break`, `continue`, `+ - * / // %`, comparisons, `and`, `or`,
`not`, `int`, `float`, `sqrt`, `abs`, functions of their own kind, `behind(array, k)`, an array from entry k on, and
`called(loop, operands, counts, steps)`, the loop of a gufunc, whose operands may be arrays of functions that call it.
`//` and `%` are for integers that are not negative. Names have one kind within a function; integers and numbers of
their module are constants. As they are Python, they run without being compiled, too, which tests use.
"""

from __future__ import annotations

import ctypes
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.compiler.backends.llvm.loops_text import PREFIX, Constants, assembly_of, parsed, signature
from screwgraph.compiler.backends.llvm.machine import LOOPS, MachineCode, remembered_code

Ints = Any
Reals = Any
"""Arrays of integers, and of doubles; entries of NumPy's arrays are arrays to type checkers, hence no more is said."""

_C = {"i64": ctypes.c_int64, "double": ctypes.c_double, "ptr.i64": ctypes.c_void_p, "ptr.double": ctypes.c_void_p}


def behind(array: np.ndarray, k: int) -> np.ndarray:
    """Return an array from its entry k on."""
    return array[k:]


def called(loop: Ints, operands: Ints, counts: Ints, steps: Ints) -> None:
    """Call the loop of a gufunc, whose address stands in `loop` (see `loop_of`), on operands by their addresses."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
    kind(int(loop[0]))(operands.ctypes.data, counts.ctypes.data, steps.ctypes.data, None)


@dataclass(frozen=True, eq=False)
class Loops:
    """Compiled functions by name, called with addresses of arrays, integers and numbers."""

    functions: dict[str, Callable[..., Any]]
    code: MachineCode


def compiled_loops(functions: Sequence[Callable[..., Any]], constants: Mapping[str, int] | None = None) -> Loops:
    """Return functions as machine code, from the cache if they were compiled before; callees come first.

    `constants` are used instead of those of the same names in the functions' modules.

    Raises:
        SyntaxError: a function uses more than this part of Python.
    """
    sources = tuple(textwrap.dedent(inspect.getsource(f)) for f in functions)
    trees = [parsed(s) for s in sources]
    numbers = tuple(_constants(f, constants or {}) for f in functions)
    last = trees[-1].name
    code = remembered_code(("loops", sources, numbers), lambda: assembly_of(trees, numbers), f"{PREFIX}_{last}", LOOPS)
    found = {}
    for tree in trees:
        result, kinds = signature(tree)
        kind = ctypes.CFUNCTYPE(None if result == "void" else _C[result], *(_C[k] for _, k in kinds))
        found[tree.name] = kind(code.engine.get_function_address(f"{PREFIX}_{tree.name}"))
        found[tree.name].code = code  # which the address does not keep alive
    return Loops(found, code)


def _constants(function: Callable[..., Any], others: Mapping[str, int]) -> Constants:
    """Return the numbers of its module that a function names, others in their place."""
    code = function.__code__
    known = {**function.__globals__, **others}
    found: dict[str, Any] = {name: known.get(name) for name in sorted(set(code.co_names))}
    return tuple((name, value) for name, value in found.items() if type(value) in (int, float))
