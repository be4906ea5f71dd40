"""Programs as `casadi.Function`s, and CasADi's expressions as scalars of a tape."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.base import Backend, ExportedFunction, write_one_file_each
from screwgraph.compiler.backends.c import make_identifiers
from screwgraph.compiler.passes.angle_reduction import TURN, find_large_terms
from screwgraph.tape import Number, Program, Scalar, Tape, apply, program


def casadi_module() -> Any:
    """Return CasADi.

    Raises:
        InputError: it is not installed.
    """
    try:
        import casadi
    except ImportError:
        raise InputError("CasADi is not installed", fix="pip install 'screwgraph[casadi]'") from None
    return casadi


def _function(name: str) -> Callable[..., Any]:
    return lambda *operands: getattr(casadi_module(), name)(*operands)


CASADI: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "neg": lambda a: -a,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "inv": lambda a: 1.0 / a,
        "pow": lambda a, b: a**b,
        "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b,
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
        "where": lambda condition, a: _function("if_else")(condition, a, 0.0),
        "guard": lambda a, b: _function("if_else")(_function("fabs")(a) > b, a, math.nan),
        **{name: _function(f"f{name}") for name in ("abs", "min", "max")},
        **{name: _function(f"logic_{name}") for name in ("and", "or", "not")},
        **{
            name: _function(name)
            for name in (
                *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh"),
                *("atanh", "exp", "log", "sqrt", "floor", "ceil", "fmod", "erf", "sign"),
            )
        },
    }
)
"""How CasADi writes each operation; its `fmin` and `fmax` leave NaN out, where all other back ends let it through."""


def casadi_function(
    name: str,
    program: Program,
    arguments: Sequence[tuple[str, Sequence[str]]],
    results: Sequence[tuple[str, int]] = (),
) -> Any:
    """Return a CasADi function of one column vector for each argument, given as (name, its inputs' names).

    There is one column for each of `results`, (name, size), else one column "result". Derivatives are exact.
    Inputs that no result needs may be left out of `arguments`.
    """
    ca = casadi_module()
    names = [name, *(a for a, _ in arguments), *([r for r, _ in results] or ["result"])]
    function, *ports = make_identifiers(re.sub(r"[\W_]+", "_", n, flags=re.ASCII) for n in names)  # no __ in its names
    vectors = [ca.SX.sym(argument, len(names)) for argument, names in arguments]
    listed = zip(vectors, arguments, strict=True)
    scalars = {n: x for vector, (_, names) in listed for n, x in zip(names, ca.vertsplit(vector), strict=True)}
    values: list[Any] = []
    large = find_large_terms(program)
    for i, (operation, *operands) in enumerate(program.instructions):
        if operation == "constant":
            values.append(ca.SX(operands[0]))
        elif operation == "input":
            values.append(scalars[program.input_names[operands[0]]])
        else:
            terms = (_wrap_angle(values[o]) if o in large.get(i, ()) else values[o] for o in operands)
            values.append(CASADI[operation](*terms))
    outputs = [values[o] if isinstance(o, int) else ca.SX(o) for o in program.outputs]
    columns = []
    for size in [size for _, size in results] or [len(outputs)]:
        columns.append(ca.densify(ca.vertcat(*outputs[:size])))
        outputs = outputs[size:]
    return ca.Function(function, vectors, columns, ports[: len(vectors)], ports[len(vectors) :])


def _wrap_angle(x: Any) -> Any:
    """Return an angle less whole turns."""
    ca, (turn, more) = casadi_module(), TURN["float64"]
    rest = ca.fmod(x, turn)
    return rest - more * ca.floor((x - rest) / turn + 0.5)


def casadi_of(function: Callable[..., Any], *shapes: tuple[int, ...], name: str = "function") -> Any:
    """Return a function of arrays of scalars as a CasADi function of columns, row by row, to the column of its result.

    `shapes` are those of its arguments; it is written with NumPy's operators and functions of `screwgraph.spatial`.
    """
    tape, listed = Tape(merge="form"), []
    for i, shape in enumerate(shapes):
        first = len(tape.input_names)
        listed.append((tape.inputs(f"x{i}", shape), (f"x{i}", tuple(tape.input_names[first:]))))
    result = np.ravel(np.asarray(function(*(x for x, _ in listed)), dtype=object))
    return casadi_function(name, program(tape, result.tolist()), [argument for _, argument in listed])


def from_casadi(function: Any, inputs: Sequence[Sequence[Number]]) -> list[list[Number]]:
    """Evaluate a `casadi.Function` of SX expressions on numbers of any kind, scalars of a tape among them.

    `inputs` has the nonzero entries of each argument, column by column; so do results.

    Raises:
        ValueError: the function holds an operation that there is no code for; its text names it.
    """
    ca = casadi_module()
    codes = {getattr(ca, name): operation for name, operation in _CODES.items() if hasattr(ca, name)}
    work: list[Number] = [0.0] * function.sz_w()
    outputs: list[list[Number]] = [[0.0] * function.nnz_out(i) for i in range(function.n_out())]
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        if code == ca.OP_OUTPUT:
            i, j = function.instruction_output(k)
            outputs[i][j] = work[function.instruction_input(k)[0]]
            continue
        if code == ca.OP_CONST:
            value = function.instruction_constant(k) + 0.0  # -0.0 is 0.0
        elif code == ca.OP_INPUT:
            i, j = function.instruction_input(k)
            value = inputs[i][j]
        elif code in codes:
            value = codes[code](*(work[i] for i in function.instruction_input(k)))
        else:
            raise ValueError(f"CasADi's operation {code} has no code")
        work[function.instruction_output(k)[0]] = value
    return outputs


def casadi_program(function: Any, names: tuple[str, ...]) -> Program:
    """Return a `casadi.Function` of dense SX inputs as a program.

    What holds only where a condition is true stays as it is: values are merged by form. `names` are those of the
    inputs' numbers, one input after the other, column by column; results are read likewise.

    Raises:
        ValueError: the function holds an operation that there is no code for; its text names it.
    """
    tape = Tape(merge="form")
    scalars = iter([tape.input(name) for name in names])
    inputs = [[next(scalars) for _ in range(function.nnz_in(i))] for i in range(function.n_in())]
    return program(tape, [value for column in from_casadi(function, inputs) for value in column])


def casadi_template(template: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is written with CasADi as one of arrays of scalars on a tape.

    Arrays become columns or matrices of CasADi; what it returns, an expression or a sequence of them, becomes arrays
    again: columns are vectors. Arguments that hold no scalars of a tape go through as they are.
    """

    @wraps(template)
    def call(*arguments: Any, **parameters: Any) -> Any:
        if not any(_on_tape(x) for x in (*arguments, *parameters.values())):
            return template(*arguments, **parameters)
        ca, symbols, given = casadi_module(), [], []

        def symbol(x: Any) -> Any:
            if not isinstance(x, np.ndarray | Scalar):
                return x
            values = np.asarray(x, dtype=object)
            symbols.append(ca.SX.sym("x", *(*values.shape, 1, 1)[:2]))
            given.append(values.ravel(order="F").tolist())
            return symbols[-1]

        found = template(*map(symbol, arguments), **{name: symbol(x) for name, x in parameters.items()})
        several = isinstance(found, list | tuple)
        results = [ca.densify(ca.SX(r)) for r in (found if several else [found])]
        values = from_casadi(ca.Function("template", symbols, results), given)
        pairs = zip(values, results, strict=True)
        arrays = [np.array(v, dtype=object).reshape(r.shape, order="F") for v, r in pairs]
        arrays = [a[:, 0] if a.shape[1] == 1 else a for a in arrays]
        return arrays if several else arrays[0]

    return call


def _on_tape(x: Any) -> bool:
    return isinstance(x, Scalar) or (isinstance(x, np.ndarray) and x.dtype == object)


def _operation(name: str) -> Callable[..., Number]:
    return lambda *operands: apply(name, *operands)


OTHERWISE = ("abs", "min", "max", "where", "guard")
"""Operations that CasADi names in another way, or has none of."""
_CODES: Mapping[str, Callable[..., Number]] = MappingProxyType(
    {
        "OP_ASSIGN": lambda a: a,
        "OP_SQ": lambda a: a * a,
        "OP_TWICE": lambda a: a + a,
        "OP_CONSTPOW": _operation("pow"),
        "OP_IF_ELSE_ZERO": _operation("where"),
        **{f"OP_F{name.upper()}": _operation(name) for name in ("abs", "min", "max")},
        **{f"OP_{name.upper()}": _operation(name) for name in CASADI if name not in OTHERWISE},
    }
)
"""CasADi's operations by their names."""


def casadi_text(f: ExportedFunction) -> str:
    """Return a function as `casadi.Function.load` reads it from a file."""
    arguments = [(a.name, a.names) for a in f.arguments]
    serializer = casadi_module().StringSerializer()
    serializer.pack(casadi_function(f.name, f.program, arguments, [(r.name, r.size) for r in f.results]))
    return serializer.encode()


BACKEND = Backend(
    "a casadi.Function each, for casadi.Function.load",
    CASADI.keys(),
    write_one_file_each(".casadi", casadi_text),
    ("float64",),
    has_loops=False,
)
