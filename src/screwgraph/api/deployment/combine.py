"""One function of several, which does once what they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler import PARAMETERS, Argument, Function, Result, compile_expression
from screwgraph.compiler.cache import pack_program
from screwgraph.tape import Number

CONDITIONS = frozenset({"lt", "le", "eq", "ne", "not", "and", "or", "where"})
"""Operations by which code chooses: values at random states tell nothing about the other branch."""


@check_arguments
def together(name: str, functions: Mapping[str, Function]) -> Function:
    """Return one function with the results of several, by the names given; arguments of one name are one.

    It does once what they have in common: sines, poses, whole matrices that another one contains.

    Raises:
        InputError: there are none, they compute with different numbers, or arguments of one name differ.
    """
    listed = list(functions.values())
    if not listed:
        raise InputError("no functions are given", fix="give some by name")
    arguments = _arguments(name, listed)
    results = tuple(r for own, f in functions.items() for r in _results(own, f))

    def expression(*vectors: np.ndarray) -> list[Number]:
        given = {n: x for a, v in zip(arguments, vectors, strict=True) for n, x in zip(a.names, v, strict=True)}
        return [x for f in listed for x in f.program.on([given[n] for n in f.program.input_names])]

    question = tuple((pack_program(f.program), f.arguments) for f in listed)
    operations = {instruction[0] for f in listed for instruction in f.program.instructions}
    branches = bool(CONDITIONS & operations)
    made = compile_expression(name, ("together", question), arguments, expression, results=results, branches=branches)
    return made.astype(listed[0].dtype)


def _results(name: str, f: Function) -> list[Result]:
    if len(f.results) == 1:
        return [replace(f.results[0], name=name)]
    return [replace(r, name=f"{name}_{r.name.removeprefix('result_')}") for r in f.results]


def _arguments(name: str, functions: Sequence[Function]) -> tuple[Argument, ...]:
    """Return the arguments of all, each once; live parameters, of which each may take others, come last."""
    found: dict[str, Argument] = {}
    for f in functions:
        if f.dtype != functions[0].dtype:
            raise InputError(f"{name}: {f.name} computes with {f.dtype}", fix="use astype to make all the same")
        for a in f.arguments:
            held = found.setdefault(a.name, a)
            if a.name == PARAMETERS:
                found[a.name] = _join_arguments(held, a)
            elif held.names != a.names:
                raise InputError(f"{name}: arguments {a.name!r} of its functions differ", why=f"{f.name} has another")
    return (*(a for a in found.values() if a.name != PARAMETERS), *(a for a in found.values() if a.name == PARAMETERS))


def _join_arguments(one: Argument, other: Argument) -> Argument:
    values = dict(zip(one.names, one.nominal, strict=False)) | dict(zip(other.names, other.nominal, strict=False))
    names = tuple(dict.fromkeys((*one.names, *other.names)))
    return replace(one, shape=(len(names),), names=names, nominal=tuple(values[n] for n in names if n in values))
