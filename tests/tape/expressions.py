"""Random expression trees, their plain values, and how far rounding may move these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from screwgraph.spatial import cos, sin
from screwgraph.tape import SAMPLES, WIDE, Scalar, Tape

INPUTS = ("x", "y", "z")
CONSTANTS = (-2.0, -1.0, -0.5, 0.0, 0.3, 1.0, 2.0)

Tree = Any
"""An input's number, a constant, or (operation, tree, ...)."""

trees: st.SearchStrategy[Tree] = st.recursive(
    st.integers(0, len(INPUTS) - 1) | st.sampled_from(CONSTANTS),
    lambda sub: (
        st.tuples(st.sampled_from(["+", "-", "*", "/"]), sub, sub)
        | st.tuples(st.sampled_from(["neg", "sin", "cos"]), sub)
    ),
    max_leaves=12,
)

values = st.lists(st.floats(-2.0, 2.0), min_size=len(INPUTS), max_size=len(INPUTS))


def inputs(*names: str) -> tuple[Scalar, ...]:
    """Return inputs of a new tape."""
    tape, rng = Tape(), np.random.default_rng(7)
    return tuple(tape.input(name, rng.standard_normal(SAMPLES + WIDE).tolist()) for name in names)


def evaluate(tree: Tree, x: Sequence[Any]) -> Any:
    """Compute a tree with numbers of any kind."""
    if isinstance(tree, int):
        return x[tree]
    if isinstance(tree, float):
        return tree
    operation, *operands = tree
    a, *rest = (evaluate(operand, x) for operand in operands)
    match operation:
        case "+":
            return a + rest[0]
        case "-":
            return a - rest[0]
        case "*":
            return a * rest[0]
        case "/":
            return a / rest[0]
        case "neg":
            return -a
        case "sin":
            return sin(a)
    return cos(a)


@dataclass(frozen=True)
class Bounded:
    """A value, and to first order how far relative errors of one unit in each operation may move it."""

    value: float
    error: float

    def __add__(self, other: Any) -> Bounded:
        other = bounded(other)
        return Bounded(self.value + other.value, self.error + other.error)

    __radd__ = __add__

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error)

    def __sub__(self, other: Any) -> Bounded:
        return self + -bounded(other)

    def __rsub__(self, other: Any) -> Bounded:
        return bounded(other) - self

    def __mul__(self, other: Any) -> Bounded:
        other = bounded(other)
        return Bounded(self.value * other.value, self.error * abs(other.value) + abs(self.value) * other.error)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Bounded:
        other = bounded(other)
        if other.error > 1e10 * abs(other.value):
            raise ArithmeticError("rounding leaves few digits of a divisor")
        inverse = 1.0 / other.value
        return self * Bounded(inverse, other.error * inverse * inverse)

    def __rtruediv__(self, other: Any) -> Bounded:
        return bounded(other) / self

    def sin(self) -> Bounded:
        return Bounded(np.sin(self.value), self.error + 1.0)

    def cos(self) -> Bounded:
        return Bounded(np.cos(self.value), self.error + 1.0)


def bounded(x: Any) -> Bounded:
    return x if isinstance(x, Bounded) else Bounded(float(x), abs(float(x)))


def known_well(tree: Tree, x: Sequence[float]) -> Bounded | None:
    """Return the value of a tree and its bound; None where rounding leaves few digits of it."""
    try:
        with np.errstate(all="raise"):
            result = bounded(evaluate(tree, [bounded(entry) for entry in x]))
    except ArithmeticError:
        return None
    return result if result.error < 1e3 else None
