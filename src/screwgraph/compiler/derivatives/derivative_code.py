"""Other code for one state than for batches: loops whose vectors hold columns, where samples would fill them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from screwgraph.compiler.cache import CachedCode, get_or_make_code, pack_code
from screwgraph.compiler.derivatives.analytic import TreeProblem
from screwgraph.compiler.derivatives.tape_derivatives import Analytic, differentiate_program
from screwgraph.compiler.signature import Argument
from screwgraph.tape import Code


@dataclass(frozen=True, eq=False)
class DerivativeCode:
    """Derivatives of a problem, whose own code is `source`, by some arguments; each code is made when asked for."""

    problem: TreeProblem
    source: Code
    arguments: tuple[Argument, ...]
    by: tuple[str, ...]

    @cached_property
    def alone(self) -> Code:
        """The code for one state, with loops, from the cache if it was made before; it takes a third of the time."""
        question = ("alone", self.arguments, self.by, self.problem)
        return get_or_make_code(question, lambda: CachedCode(self.problem.in_loops(self.arguments, self.by), "")).body

    @cached_property
    def together(self) -> Code:
        """The straight code for batches and other languages, from the cache if it was made before."""
        return _get_or_make_derivatives(self.source, self.arguments, self.by, self.problem)


def batch_code(body: Code | DerivativeCode) -> Code:
    """Return the code for batches and other languages."""
    return body.together if isinstance(body, DerivativeCode) else body


def differentiate_code(
    source: Code, arguments: tuple[Argument, ...], by: tuple[str, ...], analytic: Analytic | None
) -> Code | DerivativeCode:
    """Return the derivatives of code; those of many columns are `DerivativeCode`. See `differentiate_program`."""
    if isinstance(analytic, TreeProblem) and analytic.covers(by) and analytic.is_wide(by):
        return DerivativeCode(analytic, source, arguments, by)
    return _get_or_make_derivatives(source, arguments, by, analytic)


def _get_or_make_derivatives(
    source: Code, arguments: tuple[Argument, ...], by: tuple[str, ...], analytic: Analytic | None
) -> Code:
    """Return the derivatives of code, from the cache if they were made before."""
    question = ("jacobian", pack_code(source), arguments, by, analytic)
    return get_or_make_code(
        question, lambda: CachedCode(differentiate_program(source, arguments, by, analytic), "")
    ).body
