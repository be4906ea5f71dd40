"""Other code for one state than for batches: loops whose vectors hold columns, where samples would fill them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.compiler.analytic import TreeProblem
from screwgraph.compiler.cache import Made, remembered
from screwgraph.compiler.signature import Argument
from screwgraph.tape.rolled import Code


@dataclass(frozen=True, eq=False)
class Alone:
    """Derivatives of a problem by some arguments, as code for one state; made when one is asked for."""

    problem: TreeProblem
    arguments: tuple[Argument, ...]
    by: tuple[str, ...]

    def code(self) -> Code:
        """Return the code, from the cache if it was made before."""
        question = ("alone", self.arguments, self.by, self.problem)
        return remembered(question, lambda: Made(self.problem.in_loops(self.arguments, self.by), "")).body


def alone(analytic: object, arguments: Sequence[Argument], by: Sequence[str], body: Code) -> Alone | None:
    """Return what makes code for one state, where that is worth while beside the straight code `body`."""
    if not isinstance(analytic, TreeProblem) or not analytic.is_wide(body) or not analytic.covers(by):
        return None
    return Alone(analytic, tuple(arguments), tuple(by))
