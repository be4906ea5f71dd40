"""A program as a Python function that needs nothing but NumPy: arrays of states, no compiler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from keyword import iskeyword
from math import isfinite
from types import MappingProxyType

from screwgraph.compiler.backends.base import Backend, ExportedFunction, write_one_file_each
from screwgraph.compiler.backends.c import make_identifiers
from screwgraph.compiler.passes.angle_reduction import TURN, find_large_terms
from screwgraph.compiler.signature import Argument

NUMPY: Mapping[str, str] = MappingProxyType(
    {
        "add": "{0} + {1}",
        "sub": "{0} - {1}",
        "neg": "-{0}",
        "mul": "{0} * {1}",
        "div": "{0} / {1}",
        "inv": "1.0 / {0}",
        "abs": "np.abs({0})",
        "sign": "np.sign({0})",
        "min": "np.minimum({0}, {1})",
        "max": "np.maximum({0}, {1})",
        "lt": "({0} < {1}) * 1.0",
        "le": "({0} <= {1}) * 1.0",
        "eq": "({0} == {1}) * 1.0",
        "ne": "({0} != {1}) * 1.0",
        "not": "({0} == 0.0) * 1.0",
        "and": "(({0} != 0.0) & ({1} != 0.0)) * 1.0",
        "or": "(({0} != 0.0) | ({1} != 0.0)) * 1.0",
        "where": "np.where({0}, {1}, 0.0)",
        "guard": "np.where(np.abs({0}) > {1}, {0}, np.nan)",
        "pow": "np.power({0}, {1})",
        "fmod": "np.fmod({0}, {1})",
        "atan2": "np.arctan2({0}, {1})",
        "erf": "np.vectorize(math.erf, otypes=[{0}.dtype])({0})",
        **{f"a{name}": f"np.arc{name}({{0}})" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
        **{
            name: f"np.{name}({{0}})"
            for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor", "ceil")
        },
    }
)
"""How Python writes each operation on operands that are names or numbers."""


WRAPPED = """
def wrapped(x):
    \"\"\"Return angles less whole turns: rounding the sum of large ones would cost digits.\"\"\"
    rest = np.fmod(x, {turn})
    return rest - {more} * np.floor((x - rest) / {turn} + x.dtype.type(0.5))

"""


def emit_numpy_source(f: ExportedFunction) -> str:
    """Return the source of a function of arrays (..., *shape), which broadcast; several results come in a tuple."""
    name, *names = _identifiers([f.name, *(a.name for a in f.arguments), *(r.name for r in f.results)])
    arguments, results = names[: len(f.arguments)], names[len(f.arguments) :]
    turn, more = (f"np.{f.dtype}({part!r})" for part in TURN[f.dtype])
    takes = ", ".join(f"{n} {_shape(a.shape)}" for n, a in zip(arguments, f.arguments, strict=True))
    gives = ", ".join(f"{n} {_shape(r.shape)}" for n, r in zip(results, f.results, strict=True))
    lines = [
        "import math",
        "",
        "import numpy as np",
        "",
        *(WRAPPED.format(turn=turn, more=more).splitlines() if find_large_terms(f.program) else ()),
        "",
        f"def {name}({', '.join(arguments)}):",
        f'    """Return {gives} of {takes}: {f.program.operations.total} operations."""',
        *(f"    {n} = np.asarray({n}, np.{f.dtype})" for n in arguments),
        *_assignments(f, arguments),
        f"    shape = np.broadcast_shapes({', '.join(map(_leading, arguments, f.arguments))})",
    ]
    start = 0
    for n, r in zip(results, f.results, strict=True):
        values = (_value(f, o) for o in f.program.outputs[start : start + r.size])
        start += r.size
        lines.append(f"    {n} = np.empty((*shape, {r.size}), np.{f.dtype})")
        lines += [f"    {n}[..., {i}] = {value}" for i, value in enumerate(values)]
        lines.append(f"    {n} = {n}.reshape((*shape, {', '.join(map(str, r.shape))}))")
    return "\n".join([*lines, f"    return {', '.join(results)}", ""])


def _assignments(f: ExportedFunction, arguments: Sequence[str]) -> list[str]:
    places = [
        f"{n}[..., {', '.join(map(str, _place(i, a.shape)))}]"
        for n, a in zip(arguments, f.arguments, strict=True)
        for i in range(len(a.names))
    ]
    read = dict(zip((name for a in f.arguments for name in a.names), places, strict=True))
    lines, large = [], find_large_terms(f.program)
    for i, (operation, *operands) in enumerate(f.program.instructions):
        if operation == "input":
            lines.append(f"    v{i} = {read[f.program.input_names[operands[0]]]}")
        elif operation != "constant":
            terms = (f"wrapped(v{o})" if o in large.get(i, ()) else _value(f, o) for o in operands)
            lines.append(f"    v{i} = {NUMPY[operation].format(*terms)}")
    return lines


def _value(f: ExportedFunction, output: int | float) -> str:
    """Return a value's name, or a constant."""
    if isinstance(output, int) and f.program.instructions[output][0] != "constant":
        return f"v{output}"
    value = f.program.instructions[output][1] if isinstance(output, int) else output
    return f"np.{f.dtype}({str(float(value))!r})" if not isfinite(value) else f"np.{f.dtype}({float(value)!r})"


def _place(index: int, shape: Sequence[int]) -> list[int]:
    place = []
    for size in reversed(shape):
        index, i = divmod(index, size)
        place.insert(0, i)
    return place


def _leading(name: str, argument: Argument) -> str:
    return f"{name}.shape[:-{len(argument.shape)}]"


def _shape(shape: Sequence[int]) -> str:
    return f"(..., {', '.join(map(str, shape))})"


def _identifiers(names: Sequence[str]) -> list[str]:
    own = {"math", "np", "shape", "wrapped"}
    return make_identifiers(f"{name}_" if iskeyword(name) or name in own else name for name in names)


BACKEND = Backend(
    "Python functions of arrays; need nothing but NumPy",
    NUMPY.keys(),
    write_one_file_each(".py", emit_numpy_source),
    has_loops=False,
)
