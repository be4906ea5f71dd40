"""Derivatives of functions by their arguments, as functions of the same arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from screwgraph.base.errors import InputError
from screwgraph.compiler.derivatives.analytic import find_second_order
from screwgraph.compiler.derivatives.derivative_code import batch_code, differentiate_code
from screwgraph.compiler.function.singular_fallback import DerivativeFallback
from screwgraph.compiler.signature import Result
from screwgraph.model.robot import make_unknown_name_error

if TYPE_CHECKING:
    from screwgraph.compiler.function.function import Function


def make_jacobian(f: Function, by: tuple[str, ...]) -> Function:
    """Return derivatives by arguments: see `Function.jacobian`. Raises InputError as it does."""
    arguments = {a.name: a for a in f.arguments}
    if not by:
        known = ", ".join(map(repr, arguments))
        raise InputError(f"{f.name}: derivatives by what", why="no argument is named", fix=f"jacobian({known})")
    for name in by:
        if name not in arguments:
            raise make_unknown_name_error("argument", name, tuple(arguments))
    if len(set(by)) < len(by):
        raise InputError(f"derivatives by {', '.join(by)}: one is named twice", fix="name it once")
    analytic = f.origin.analytic
    body = differentiate_code(batch_code(f.body), f.arguments, by, analytic)
    results = tuple(
        Result(r.name if len(by) == 1 else f"{r.name}_by_{name}", (*r.shape, arguments[name].tangent_size))
        for name in by
        for r in f.results
    )
    vanished = f.origin.vanished and DerivativeFallback(f.origin.vanished, by)
    origin = replace(f.origin, analytic=find_second_order(analytic, by), vanished=vanished)
    name = f"{f.name}_by_{'_'.join(by)}"
    return replace(f, name=name, results=results, body=body, origin=origin)
