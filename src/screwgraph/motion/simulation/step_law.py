"""The accelerations with which a step goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function
from screwgraph.compiler.cache import pack_program
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class StepLaw:
    """Accelerations of q, qd, forces, the step (s) and parameters, on a tape; `question` is all that they depend on."""

    __repr__ = one_line

    question: object
    accelerations: Callable[[Any, Any, Any, Number, Any], Any]


def make_explicit_law(code: Function) -> StepLaw:
    """Return accelerations as `code` computes them, of q, qd and forces, at the state that a method asks about."""

    def accelerations(q: Any, qd: Any, force: Any, dt: Number, values: Any) -> Any:
        return code(q, qd, force, *as_arguments(values))

    return StepLaw(pack_program(code.program), accelerations)


def as_arguments(values: Any) -> tuple[Any, ...]:
    """Return parameters as arguments: one vector, none where there are none."""
    return (values,) if len(values) else ()
