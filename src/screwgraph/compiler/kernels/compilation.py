"""Kernels as machine code, from the cache where they were compiled before.

A kernel tells the kinds of its arguments by annotations: `int`, `float`, `Ints` and `Reals` (arrays of 64-bit entries),
a class of `Record`, `Table` of one, and a class of `Bundle`. Its arrays must not overlap. It may use `range`, `while`,
`if`, `break`, `continue`, `+ - * / // %`, comparisons, `and`, `or`, `not`, `int`, `float`, `sqrt`, `abs`,
NumPy's `maximum` and `minimum` of two numbers, fields of records and bundles, other kernels, `tail(array, k)`, an array
from entry k on, and `call_loop(loop, operands, counts, steps)`, the inner loop of a gufunc, whose operands may be
arrays of kernels that call it. `//` and `%` are for integers that are not negative. A kernel that is `assembled` brings
machine code of its own. Names have one kind within a kernel; integers and numbers of its module are constants. As
kernels are Python, they run without being compiled, too, which tests use.
"""

from __future__ import annotations

import ctypes
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.compiler.backends.llvm.machine_code import LOOPS, MachineCode, get_machine_code
from screwgraph.compiler.kernels.language import ASSEMBLY
from screwgraph.compiler.kernels.records import Layouts, find_layouts
from screwgraph.compiler.kernels.translation import (
    PREFIX,
    Constants,
    expand_kinds,
    is_pointer,
    parse_kernel,
    read_signature,
    translate_kernels,
)

_C = {"i64": ctypes.c_int64, "double": ctypes.c_double}


@dataclass(frozen=True, eq=False)
class Kernels:
    """Compiled kernels by name, called with integers, numbers, and addresses of arrays, tables and bundles."""

    functions: dict[str, Callable[..., Any]]
    code: MachineCode


def compile_kernels(kernels: Sequence[Callable[..., Any]], constants: Mapping[str, int] | None = None) -> Kernels:
    """Return kernels as machine code, from the cache if they were compiled before; callees come first.

    `constants` are used instead of those of the same names in the kernels' modules.

    Raises:
        SyntaxError: a kernel uses more than this part of Python.
    """
    sources = tuple(textwrap.dedent(inspect.getsource(f)) for f in kernels)
    trees = [parse_kernel(s) for s in sources]
    numbers = tuple(_constants(f, constants or {}) for f in kernels)
    layouts = find_layouts(kernels)
    last = f"{PREFIX}_{trees[-1].name}"
    names = [f"{PREFIX}_{tree.name}" for tree in trees]
    emitters = [vars(f).get(ASSEMBLY) for f in kernels]
    own = {name: emit(name) for name, emit in zip(names, emitters, strict=True) if emit is not None}
    question = ("kernels", sources, numbers, layouts.key, *sorted(own.items()))
    code = get_machine_code(question, lambda: translate_kernels(trees, numbers, layouts, own), last, LOOPS)
    functions = {tree.name: _function(tree.name, code, read_signature(tree, layouts), layouts) for tree in trees}
    return Kernels(functions, code)


def _function(name: str, code: MachineCode, signature: Any, layouts: Layouts) -> Callable[..., Any]:
    result, arguments = signature
    kinds = [kind for _, kind in expand_kinds(arguments, layouts)]
    types = (ctypes.c_void_p if is_pointer(kind) else _C[kind] for kind in kinds)
    function: Any = ctypes.CFUNCTYPE(None if result == "void" else _C[result], *types)(
        code.engine.get_function_address(f"{PREFIX}_{name}")
    )
    function.code = code  # which the address does not keep alive
    return function


def _constants(function: Callable[..., Any], others: Mapping[str, int]) -> Constants:
    """Return the numbers of its module that a kernel names, others in their place."""
    code = function.__code__
    known = {**function.__globals__, **others}
    found: dict[str, Any] = {name: known.get(name) for name in sorted(set(code.co_names))}
    return tuple((name, value) for name, value in found.items() if type(value) in (int, float))
