"""Functions whose results are vectors of the entries that are kept of arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from screwgraph.base.errors import InputError
from screwgraph.compiler.function.singular_fallback import PackedFallback
from screwgraph.compiler.function.sparsity import Sparsity, select_entries
from screwgraph.compiler.signature import format_arguments

if TYPE_CHECKING:
    from screwgraph.compiler.function.function import Function


def make_packed(f: Function, asked: tuple[Sparsity, ...]) -> Function:
    """Return the entries that are asked for of each result: see `Function.packed`. Raises InputError as it does."""
    if [s.shape for s in asked] != [r.shape for r in f.results]:
        given = ", ".join("x".join(map(str, s.shape)) or "1" for s in asked)
        raise InputError(
            f"{f.name} cannot be packed so", why=f"its results are {format_arguments(f.results)}, kept of {given}"
        )
    empty = next((r.name for r, s in zip(f.results, asked, strict=True) if r.size and not s.places), None)
    if empty:
        raise InputError(f"{f.name} cannot be packed so", why=f"no entry of {empty!r} is kept")
    program, results = select_entries(f.program, f.results, asked)
    origin = replace(f.origin, analytic=None, vanished=f.origin.vanished and PackedFallback(f.origin.vanished, asked))
    return replace(f, name=f"{f.name}_packed", results=results, body=program, origin=origin)
