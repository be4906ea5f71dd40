"""A tape: a growing list of operations on scalars, where equal values are one.

On a tape that merges by value, every value carries its residue modulo a prime at a random point. Two values with equal
residues are one value, a difference without one is zero: so algebraic identities that a syntax tree hides
(sin^2 + cos^2 = 1, structural cancellation in elimination) are found for free. Values that differ by the rounding of
constants are one, too; what they are at random states tells which may be. On a tape that merges by form, equal
operations on equal operands are one value: for expressions with conditions, and where many derivatives are to be made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.tape import high_precision, scaled
from screwgraph.tape.high_precision import PreciseValues
from screwgraph.tape.operations import OPERATIONS
from screwgraph.tape.residues import Residue, Residues, of_number, unit_vector, unknown
from screwgraph.tape.scalar import Number, Scalar
from screwgraph.tape.scaled import ScaledValues

SAMPLES = 4
"""Random states at which every value is known while the tape is written; sums and products are written for four."""
WIDE = 64
"""Random states at which a value's sign is judged."""
SPLIT = 2.0**17 + 1.0
"""A number times this, less what that exceeds the number by, is the number rounded to 36 bits."""
SMALL = 1e-12
"""Constants up to this size, and from its inverse on, must not make values equal by their size."""
EQUAL = 1e-14
"""Values that agree this well, relatively and at every sample, may be one value but for the rounding of constants."""


class Mark(NamedTuple):
    """Mark of a tape: what it knew at some time."""

    __repr__ = one_line

    length: int
    by_form: dict[tuple[Any, ...], Scalar]
    by_value: dict[tuple[float, ...], tuple[Scalar, ...]]
    by_residue: dict[int, Scalar]


class Tape:
    """A growing list of operations; `nodes[i]` is (operation, operand ids), operands before results.

    Values are merged by "value", which residues and random samples of the inputs tell, or by "form" only. `written` are
    all operations that were asked for, and the values that they are.
    """

    def __init__(self, merge: Literal["value", "form"] = "value") -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self.input_names: list[str] = []
        self.by_value = merge == "value"
        self.written: dict[tuple[Any, ...], Scalar] = {}
        self._by_value: dict[tuple[float, ...], tuple[Scalar, ...]] = {}
        self._wide_inputs: list[np.ndarray] = []
        self._wide: list[Any] = []
        self._extremes: dict[int, tuple[float, float]] = {}
        self._residues = Residues(self.nodes)
        self._by_residue: dict[int, Scalar] = {}
        self._fine_inputs: list[float] = []
        self._scaled_inputs: list[tuple[tuple[float, ...], bool]] = []
        self._scaled = ScaledValues(self.nodes, self._scaled_inputs)
        self._fine = [PreciseValues(self.nodes, self._fine_inputs, small) for small in (0.0, SMALL)]

    def input(self, name: str, samples: Sequence[float] = ()) -> Scalar:
        """Add an input; `samples` are `SAMPLES + WIDE` values that it may take, where values are merged by value."""
        return self._input(name, samples, unknown("input", len(self.input_names)), scalable=True)

    def _input(self, name: str, samples: Sequence[float], residue: int, scalable: bool) -> Scalar:
        form = ("input", len(self.input_names))
        self.input_names.append(name)
        known = tuple(float(s) for s in samples[:SAMPLES]) if self.by_value else ()
        self._fine_inputs.append(known[0] if known else math.nan)
        self._scaled_inputs.append((known, scalable))
        self._wide_inputs.append(np.asarray(samples[SAMPLES:], dtype=float))
        return self.record(form, residue if known else None, known, bool(known))

    def inputs(self, name: str, shape: tuple[int, ...]) -> Any:
        """Return an array of inputs of a tape that merges by form: `name[0]`, or `name[0, 1]`; a Scalar if it is ()."""
        found = np.empty(shape, dtype=object)
        for place in np.ndindex(shape):
            found[place] = self.input(f"{name}{list(place)}")
        return found[()]

    def vector(self, names: Sequence[str], samples: np.ndarray, quaternions: Sequence[int] = ()) -> np.ndarray:
        """Return a vector of inputs; `samples` (SAMPLES + WIDE, names) are values that they may take together.

        `quaternions` are the places at which four numbers begin that are a unit quaternion.
        """
        found, first = np.empty(len(names), dtype=object), len(self.input_names)
        residues = [unknown("input", first + i) for i in range(len(names))]
        tied = set[int]()
        for at in quaternions:
            residues[at : at + 4] = unit_vector(residues[at : at + 3])
            tied.update(range(at, at + 4))
        for i, name in enumerate(names):
            found[i] = self._input(name, samples[:, i].tolist(), residues[i], scalable=i not in tied)
        return found

    def constant(self, value: float) -> Scalar:
        """Return the node of a constant."""
        value = float(value)
        known = self.written.get(("constant", value))
        if known is not None:
            return known
        if not self.by_value:
            return self.record(("constant", value), None, (), False)
        return self.record(("constant", value), of_number(value), (value,) * SAMPLES, True)

    def distrust(self, small: float) -> None:
        """From here on, let values count as equal only if they stay so where constants up to `small` are larger."""
        self._fine = [*self._fine[:2], PreciseValues(self.nodes, self._fine_inputs, small)]

    def function(self, operation: str, *operands: Number) -> Scalar:
        """Return the node of an operation of the table on operands one of which, at least, is a Scalar."""
        scalars = [o if isinstance(o, Scalar) else self.constant(o) for o in operands]
        known = OPERATIONS[operation]
        form = (operation, *(s.id for s in scalars))
        if not self.by_value:
            return self.record(form, None, (), False)
        with np.errstate(all="ignore"):
            samples = tuple(float(known.values(*at)) for at in zip(*(s.samples for s in scalars), strict=True))
        certain = known.entire and all(s.certain for s in scalars)
        residue = self._residues.of_function(form, [s.residue for s in scalars])
        return self.record(form, residue, samples, certain)

    def mark(self) -> Mark:
        """Return what `restore` needs to forget all that is written from here on."""
        return Mark(len(self.nodes), dict(self.written), dict(self._by_value), dict(self._by_residue))

    def restore(self, mark: Mark) -> None:
        """Forget all operations that were written since a mark; their scalars must not be used any more."""
        del self.nodes[mark.length :], self._wide[mark.length :]
        self._extremes = {id: sizes for id, sizes in self._extremes.items() if id < mark.length}
        for values in (*self._fine, self._scaled, self._residues):
            values.forget(mark.length)
        self.written, self._by_value = dict(mark.by_form), dict(mark.by_value)
        self._by_residue = dict(mark.by_residue)

    def wide_samples(self, value: Scalar) -> np.ndarray:
        """Return the values of a node at `WIDE` random states."""
        if value.id >= len(self._wide):
            with np.errstate(all="ignore"):  # at some random state, anything may vanish
                for node in self.nodes[len(self._wide) : value.id + 1]:
                    self._wide.append(self._evaluate(node))
        found = self._wide[value.id]
        return found if np.shape(found) else np.full(WIDE, found)

    def extremes(self, value: Scalar) -> tuple[float, float]:
        """Return the smallest and largest size at the states where there is a value; 0 first where the sign changes.

        Where another value of which it is made has vanished as a divisor, there is none.
        """
        found = self._extremes.get(value.id)
        if found is None:
            found = self._extremes[value.id] = _sizes(self.wide_samples(value))
        return found

    def _evaluate(self, node: tuple[Any, ...]) -> Any:
        operation, *operands = node
        if operation == "constant":
            return operands[0]
        if operation == "input":
            return self._wide_inputs[operands[0]]
        return OPERATIONS[operation].values(*(self._wide[i] for i in operands))

    def at(self, id: int) -> Scalar:
        """Return a node as a Scalar."""
        return self.written[self.nodes[id]]

    def record(
        self, form: tuple[Any, ...], residue: Residue, samples: tuple[float, ...], certain: bool, apart: bool = False
    ) -> Scalar:
        """Return the node of an operation on nodes, an old one where an equal one is known; `apart`, of that form."""
        known = self.written.get(form)
        if known is not None:
            return known
        apart = apart or not samples
        if not apart and form[0] != "input":
            equal = self._by_residue.get(residue) if residue is not None and form[0] != "constant" else None
            if equal is None and certain:
                equal = self._equal_but_for_rounding(form, samples)
            if equal is not None:
                self.written[form] = equal
                return equal
        scalar = self.written[form] = Scalar(self, len(self.nodes), residue, samples, certain)
        self.nodes.append(form)
        if not apart:
            if residue is not None:
                self._by_residue.setdefault(residue, scalar)
            key = _value_key(samples) if certain else None
            if key is not None:
                self._by_value[key] = (*self._by_value.get(key, ()), scalar)
        return scalar

    def _equal_but_for_rounding(self, form: tuple[Any, ...], samples: tuple[float, ...]) -> Scalar | None:
        """Return a node whose value is that of an operation but for the rounding of constants."""
        key = _value_key(samples)
        for node in self._by_value.get(key, ()) if key is not None else ():
            if form[0] == "constant" and self.nodes[node.id][0] != "constant":
                continue
            if _agree(node.samples, samples) and self._is_same(form, node):
                return node
        return None

    def guard(self, a: Scalar, bound: float) -> Scalar:
        """Return the node that is a where |a| > bound, else NaN; one made with a larger bound serves as well."""
        known = self.written.get(("guarded", a.id))
        if known is not None and self.nodes[self.nodes[known.id][2]][1] >= bound:
            return known
        form = ("guard", a.id, self.constant(bound).id)
        self.written["guarded", a.id] = found = self.record(form, a.residue, a.samples, a.certain, apart=True)
        return found

    def _is_same(self, form: tuple[Any, ...], node: Scalar) -> bool:
        """Whether an operation's value is a node's but for the rounding of constants, whatever the size of inputs."""
        values = ((own.of_form(form), own.value_of(node.id)) for own in self._fine)
        with np.errstate(all="ignore"):
            return all(
                high_precision.are_nearly_equal(found, value, value) for found, value in values
            ) and scaled.are_near(self._scaled.of_form(form), self._scaled.value_of(node.id))

    def settles(self, form: tuple[Any, ...], value: float) -> bool:
        """Whether a sum or difference is a constant but for the rounding of constants, whatever the size of inputs."""
        sums = ((own.of_form(form), own.value_of(form[1]), own.value_of(form[2])) for own in self._fine)
        with np.errstate(all="ignore"):
            return all(
                high_precision.are_nearly_equal(total, high_precision.constant(value), a, b) for total, a, b in sums
            ) and scaled.are_near(self._scaled.of_form(form), scaled.constant(value))


def tape_of(values: np.ndarray) -> Tape:
    """Return the tape of an array of scalars and floats."""
    return next(x.tape for x in values.flat if isinstance(x, Scalar))


def _sizes(wide: np.ndarray) -> tuple[float, float]:
    """Return the smallest and largest size of samples of one sign; zeros where it changes, or too few are numbers."""
    least, most = float(wide.min()), float(wide.max())
    if not (math.isfinite(least) and math.isfinite(most)):
        finite = wide[np.isfinite(wide)]
        if 2 * finite.size < WIDE:
            return 0.0, 0.0
        least, most = float(finite.min()), float(finite.max())
    return (0.0, 0.0) if least <= 0.0 <= most else (least, most) if least > 0.0 else (-most, -least)


def _value_key(samples: tuple[float, ...]) -> tuple[float, ...] | None:
    """Round two samples to 36 bits; values with the same key are candidates for being equal (Veltkamp, 1968)."""
    a, b = samples[0], samples[1]
    split_a, split_b = SPLIT * a, SPLIT * b
    key = (split_a - (split_a - a), split_b - (split_b - b))
    return (
        key if key[0] == key[0] and key[1] == key[1] else None
    )  # NaN is no key: a sample, or its multiple, is infinite


def _agree(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return all(abs(x - y) <= EQUAL * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))
