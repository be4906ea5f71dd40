"""Exact derivatives of a program: CasADi differentiates, the tape simplifies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screwgraph.compiler.casadi_backend import casadi_function
from screwgraph.robot import JointType
from screwgraph.tape import SAMPLES, WIDE, Number, Program, Tape, factor_out, program, reciprocal

SEED = 7


def jacobian(
    source: Program, arguments: Sequence[tuple[str, Sequence[str]]], place: int, spaces: Sequence[JointType]
) -> Program:
    """Return the derivative of all outputs by one argument, row by row.

    Args:
        source: the program.
        arguments: (name, names of its numbers) of each argument.
        place: which argument.
        spaces: for positions, the joint types in order: the derivative then is by tangent coordinates, the joints'
            velocity coordinates (a floating base moves by a twist in its own frame). Empty for plain vectors.
    """
    import casadi as ca

    function = casadi_function("source", source, arguments)
    symbols = [ca.SX.sym(name, len(names)) for name, names in arguments]
    derivative = ca.jacobian(function(*symbols), symbols[place])
    if spaces:
        derivative = derivative @ _tangent_map(symbols[place], spaces)
    # Transposed, because CasADi's matrices stand column by column.
    flat = ca.densify(ca.vec(derivative.T))
    return _program(ca.Function("jacobian", symbols, [flat]), arguments, place, spaces)


def _tangent_map(q: Any, spaces: Sequence[JointType]) -> Any:
    """Return the matrix N of dq/dt = N(q) qd for all joints."""
    import casadi as ca

    blocks, start = [], 0
    for joint in spaces:
        rate = ca.SX.sym("rate", joint.nv)
        blocks.append(ca.jacobian(joint.position_rate(q[start : start + joint.nq], rate), rate))
        start += joint.nq
    return ca.diagcat(*blocks)


def _program(
    function: Any, arguments: Sequence[tuple[str, Sequence[str]]], place: int, spaces: Sequence[JointType]
) -> Program:
    """Write a CasADi function on a tape, where equal values are one value."""
    import casadi as ca

    tape, rng = Tape(), np.random.default_rng(SEED)
    inputs = [_inputs(tape, names, spaces if i == place else (), rng) for i, (_, names) in enumerate(arguments)]
    operations = {getattr(ca, name): apply for name, apply in _OPERATIONS.items()}
    work: list[Number] = [0.0] * function.sz_w()
    outputs: list[Number] = [0.0] * function.nnz_out(0)
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        source, target = function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_CONST:
            work[target[0]] = function.instruction_constant(k)
        elif code == ca.OP_INPUT:
            work[target[0]] = inputs[source[0]][source[1]]
        elif code == ca.OP_OUTPUT:
            outputs[target[1]] = work[source[0]]
        else:
            work[target[0]] = operations[code](*(work[i] for i in source))
    return factor_out(program(tape, outputs, [n for _, names in arguments for n in names]))


def _inputs(tape: Tape, names: Sequence[str], spaces: Sequence[JointType], rng: np.random.Generator) -> list[Number]:
    count = SAMPLES + WIDE
    if spaces:
        samples = np.array([np.concatenate([space.random(rng) for space in spaces]) for _ in range(count)])
    else:
        samples = rng.standard_normal((count, len(names)))
    return [tape.input(name, samples[:, i].tolist()) for i, name in enumerate(names)]


_OPERATIONS: dict[str, Any] = {
    "OP_ADD": lambda a, b: a + b,
    "OP_SUB": lambda a, b: a - b,
    "OP_MUL": lambda a, b: a * b,
    "OP_DIV": lambda a, b: a * reciprocal(b),
    "OP_NEG": lambda a: -a,
    "OP_SQ": lambda a: a * a,
    "OP_TWICE": lambda a: a + a,
    "OP_INV": reciprocal,
    "OP_SIN": lambda a: a.sin(),
    "OP_COS": lambda a: a.cos(),
    "OP_ASSIGN": lambda a: a,
}
"""What programs and their derivatives are made of, by CasADi's names."""
