"""Functions as other libraries and languages take them: quaternions are divided by their lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from screwgraph.compiler.backends import BACKENDS, Library, Listing
from screwgraph.compiler.backends.casadi import casadi_function
from screwgraph.compiler.cache import Made, pack_code, remembered
from screwgraph.compiler.coordinates import by_coordinates, plain_arguments
from screwgraph.compiler.plain import Plain
from screwgraph.compiler.unit import normalising, quaternion_places
from screwgraph.compiler.wide import for_batches
from screwgraph.tape.rolled import Code

if TYPE_CHECKING:
    from screwgraph.compiler.function import Function


def casadi_of(f: Function) -> Any:
    """Return a `casadi.Function` of column vectors."""
    arguments = [(a.name, a.names) for a in f.arguments]
    program = normalising(f.program, f.arguments, quaternion_places(f.arguments))
    return casadi_function(f.name, program, arguments, [(r.name, r.size) for r in f.results])


def listing_of(f: Function, name: str) -> Listing:
    """Return the function as back ends write it for other programs, under a name."""
    program = normalising(f.program, f.arguments, quaternion_places(f.arguments))
    return Listing(name, program, f.arguments, f.results, f.dtype, f.origin.examples)


def llvm_text(f: Function) -> str:
    """Return the LLVM assembly that machine code is made from here, which leaves quaternions as they are."""
    own = Listing(f.name, f.program, f.arguments, f.results, f.dtype)
    return BACKENDS["llvm"].files(Library("", (own,)))[f"{f.name}.ll"]


def plain_function(f: Function) -> Plain:
    """Return the function of plain numbers, and how to differentiate it by them."""
    places, sizes = quaternion_places(f.arguments), [r.size for r in f.results]

    def slopes(by: tuple[str, ...]) -> Code:
        tangent = f.jacobian(*by)
        code = for_batches(tangent.body)
        if not places:
            return code
        question = ("coordinates", pack_code(code), f.arguments, by, sizes)
        return remembered(
            question, lambda: Made(by_coordinates(tangent.program, sizes, f.arguments, by, places), f.ordering)
        ).body

    program = normalising(f.program, f.arguments, places) if places else for_batches(f.body)
    return Plain(f.name, plain_arguments(f.arguments), f.results, program, f.dtype, slopes)
