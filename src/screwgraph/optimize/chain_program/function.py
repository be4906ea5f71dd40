"""A function that solves chain-structured quadratic programs, whose matrices are its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.compiler import (
    CachedCode,
    Function,
    Result,
    make_direct_provenance,
    make_function,
    make_numbered_argument,
)
from screwgraph.optimize.chain_program.chain_program import SOLUTION, ChainProgram
from screwgraph.optimize.dense_factors import ENDLESS
from screwgraph.tape import Memory, Routine

STAGED = ("J", "c", "h", "H", "g", "C", "F", "f", "bound")
CARRIED = ("multipliers", "numbers")
ONCE = ("x0", "terminal_H", "terminal_g", "penalty", "warm", "barrier")


def compile_chain_program(stages: int, nx: int, nu: int, **options: Any) -> Function:
    """Return (J, c, h, H, g, C, F, f, bound, x, u, multipliers, numbers, x0, terminal_H, ...) -> (x, u, gain, ...).

    The other results are multipliers, numbers, barrier, solution.

    `ChainProgram` describes them and the options; vectors of stages are rows, x are those of stages 1 to N.

    Raises:
        InputError: there are no stages, states, or inputs, or an entry of `integrated` or a bound is out of range.
    """
    plan = ChainProgram(Memory(), stages, nx, nu, **options)
    _check(plan)
    plan.allocate()
    iterate = {name: (stages, len(plan.stage(name, 0))) for name in ("x'", "u", *CARRIED)}
    given: Mapping[str, tuple[int, ...]] = {
        **{name: (stages, len(plan.entries(name, 0))) for name in (*STAGED, *["scale"] * plan.scales_penalties)},
        **iterate,
        **{name: (len(plan.memory.places(plan.prefix + name)),) for name in ONCE},
    }
    found = {name: iterate[name] for name in ("x'", "u")} | {"gain": (nu, nx)}
    found |= {name: iterate[name] for name in CARRIED}
    found |= {"barrier": (1,), "solution": (len(SOLUTION),)}
    names = {"x'": "x"}
    arguments = tuple(
        replace(make_numbered_argument(names.get(name, name), prod(shape)), shape=shape, size=1.0)
        for name, shape in given.items()
    )
    results = tuple(Result(names.get(name, name), shape) for name, shape in found.items())

    def make(_: Any) -> CachedCode:
        own = replace(plan, memory=Memory())
        own.allocate()
        inputs, outputs = (tuple(p for name in side for p in _places(own, name)) for side in (given, found))
        every = tuple(name for argument in arguments for name in argument.names)
        return CachedCode(Routine(every, inputs, outputs, own.memory.size, own.parts()), "none")

    asked = (plan.code, plan.iterations, plan.tolerance)
    question = ("chain program", stages, nx, nu, asked)
    return make_function(
        "chain_program",
        question,
        arguments,
        make,
        lambda _: make_direct_provenance("it is the code of a chain program"),
        results,
        quietly=True,
    )


def _places(own: ChainProgram, name: str) -> list[int]:
    """Return the places of a vector, of all stages if it belongs to these."""
    if own.prefix + name in own.memory.names:
        return list(own.memory.places(own.prefix + name))
    return [place for k in range(own.stages) for place in own.entries(name, k)]


def _check(plan: ChainProgram) -> None:
    if min(plan.stages, plan.nx, plan.nu, plan.iterations) < 1:
        sizes = f"{plan.stages} stages, {plan.nx} states, {plan.nu} inputs, {plan.iterations} iterations"
        raise InputError(f"a chain program of {sizes}", fix="there is one of each at least")
    indices = {"inputs": (plan.inputs, plan.nu), "states": (plan.states, plan.nx), "rows": (plan.rows, len(plan.C))}
    for name, (bounds, count) in indices.items():
        for bound in bounds:
            if not 0 <= bound.index < count:
                raise InputError(f"{name}: a bound of number {bound.index}", why=f"there are {count}")
    for name, pattern in (("C", plan.C), ("F", plan.F)):
        if any(len(row) != plan.nx + plan.nu for row in pattern):
            why = f"(x, u) has {plan.nx + plan.nu} numbers"
            raise InputError(f"{name}: rows of {sorted({len(row) for row in pattern})} entries", why=why)
    if not 0.0 < plan.stiffness < ENDLESS:
        raise InputError(f"stiffness is {plan.stiffness!r}", why="it must be finite and positive")
    sources = {j for _, j in plan.integrated}
    for i, j in plan.integrated:
        if not (0 <= i < plan.nx and 0 <= j < plan.nx) or i in sources:
            why = f"both are of {plan.nx} states, and what others follow from is not integrated itself"
            raise InputError(f"integrated: ({i}, {j})", why=why)
