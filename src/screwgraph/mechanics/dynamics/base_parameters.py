"""Base parameters: the combinations of parameters that joint torques show, as few as there can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, Function, Result, compile_expression
from screwgraph.graph import refuse_payload
from screwgraph.mechanics.dynamics.closed_base_parameters import find_closed_combinations, find_independent_columns
from screwgraph.mechanics.dynamics.exact_arithmetic import Number as ExactNumber
from screwgraph.mechanics.dynamics.mechanism_regressor import DEPENDENT, list_parameters, sample_regressor
from screwgraph.mechanics.dynamics.rational_functions import Length, Ratio, format_number
from screwgraph.mechanics.dynamics.regressor import linear_parameters
from screwgraph.mechanics.dynamics.tree_base_parameters import Named, find_tree_combinations, has_unknown_motion
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot, make_unknown_name_error
from screwgraph.model.robot.parameters import KINDS, LINEAR, Parameter, checked_parameters
from screwgraph.model.robot.parameters.base import ROUNDING
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The combinations of parameters pi (k,) that joint torques depend on: pi_base = map @ pi, (rank,).

    `labels` names the numbers of pi, `independent` are the places of those that lead a combination, `coefficients` are
    the combinations by place: fractions where lengths and right angles of the file make them, floats otherwise,
    formulas (`Ratio`) where `lengths` are in them; `expressions` writes them out. tau = Y[:, independent] @ pi_base for
    all motions, with Y of `regressor` for the same parameters.
    """

    __repr__ = one_line

    labels: tuple[str, ...]
    independent: tuple[int, ...]
    coefficients: tuple[Mapping[int, Fraction | float | Ratio], ...]
    lengths: tuple[Length, ...] = ()

    @property
    def rank(self) -> int:
        """How many there are."""
        return len(self.independent)

    @cached_property
    def map(self) -> Float[np.ndarray, "rank k"]:
        """The combinations as a matrix, at the lengths of the file."""
        found = np.zeros((self.rank, len(self.labels)))
        for row, own in zip(found, self.coefficients, strict=True):
            row[list(own)] = [_nominal(x) for x in own.values()]
        return found

    @cached_property
    def map_of_lengths(self) -> Function:
        """The matrix (..., rank, k) as a compiled function of the named lengths (..., n) (m), in the order `lengths`.

        Raises:
            InputError: no lengths are named.
        """
        if not self.lengths:
            raise InputError("no lengths are named", fix='base_parameters(robot, lengths=["joint3.origin"])')
        names = [length.name for length in self.lengths]

        def expression(values: np.ndarray) -> list[Number]:
            at = dict(zip(names, values, strict=True))
            found = np.zeros((self.rank, len(self.labels)), dtype=object)
            for row, own in zip(found, self.coefficients, strict=True):
                for i, x in own.items():
                    row[i] = x.evaluate(lambda length: at[length.name]) if isinstance(x, Ratio) else float(x)
            return list(found.ravel())

        rows = tuple(f"{first} by {label}" for first in self._leading for label in self.labels)
        result = Result("map", (self.rank, len(self.labels)), rows)
        question = (tuple(names), self.labels, self.expressions, self.map.tobytes())
        arguments = (Argument("lengths", (len(names),), tuple(names)),)
        return compile_expression("map_of_lengths", question, arguments, expression, results=(result,))

    @property
    def _leading(self) -> tuple[str, ...]:
        return tuple(self.labels[i] for i in self.independent)

    @cached_property
    def expressions(self) -> tuple[str, ...]:
        """The combinations as text: "link1.Izz + link2.Iyy + 0.09 link2.m"."""
        return tuple(_sum(self.labels, own, i) for own, i in zip(self.coefficients, self.independent, strict=True))

    def __str__(self) -> str:
        return "\n".join(self.expressions)


def _find_of_mechanism(
    mechanism: Mechanism,
    *,
    parameters: Sequence[str] | None = None,
    payload: str | None = None,
    lengths: Sequence[str] | Mapping[str, str] = (),
) -> BaseParameters:
    refuse_payload(payload)
    if lengths:
        raise InputError("coefficients of mechanisms are no formulas of lengths", fix="leave lengths out")
    labels = tuple(list_parameters(mechanism, parameters))
    kept, rows = find_independent_columns(sample_regressor(mechanism, parameters), DEPENDENT)
    found = [{c: float(row[c]) for c in np.flatnonzero(np.abs(row) > ROUNDING).tolist()} for row in rows]
    return BaseParameters(labels, tuple(kept), tuple(found))


@check_arguments
@answered_by({"mechanism": {"base_parameters": _find_of_mechanism}})
def base_parameters(
    robot: Robot,
    *,
    parameters: Sequence[str] | None = None,
    payload: str | None = None,
    lengths: Sequence[str] | Mapping[str, str] = (),
) -> BaseParameters:
    """Return the base parameters of a robot: what of its parameters joint torques can tell (SI units).

    They follow from axes and lengths, not from motions: Khalil & Kleinfinger (1987), Mayeda, Yoshida & Osuka (1990).
    Angles within 1e-5 rad of right ones count as these. Only what loops and couplings tie besides is found at
    closed positions, and all of robots with joints of new types at random ones: Gautier (1991). The leading parameters
    are the first ones, from the base to the tips.
    `parameters` as for `regressor`. Of planar mechanisms they are found at random motions.

    Coefficients are formulas in `lengths` of origins of joints and frames: "joint3.x", or "joint3.origin" for those of
    x, y and z that are not zero, with names of their own as {"a2": "joint3.x"}: "link2.hx + a2 link3.m".

    Raises:
        InputError: as `regressor`; no position closes the loops; lengths of closed chains, or whose values in the file
            are special: other values would show more.
    """
    names = linear_parameters(robot) if parameters is None else tuple(parameters)
    own = checked_parameters("torques are not linear in", LINEAR, robot, names, payload)
    labels = tuple(label for p in own for label in p.labels(robot))
    if lengths:
        return _with_lengths(robot, own, labels, find_named_lengths(robot, lengths))
    rows = find_tree_combinations(robot, own)
    rows = find_closed_combinations(robot, own, rows) if robot.is_closed or has_unknown_motion(robot) else rows
    found = [{c: x.value for c, x in sorted(row.items())} for row in rows.values()]
    return BaseParameters(labels, tuple(rows), tuple(found))


def _with_lengths(
    robot: Robot, parameters: Sequence[Parameter], labels: tuple[str, ...], named: Named
) -> BaseParameters:
    if robot.is_closed:
        raise InputError(
            f"coefficients of {robot.name!r} are no formulas of lengths",
            why="what its loops tie is found at closed positions",
            fix="leave lengths out, or open the loops",
        )
    unknown = next((joint for joint in robot.joints if joint.motion_groups is None), None)
    if unknown is not None:
        raise InputError(
            f"coefficients of {robot.name!r} are no formulas of lengths",
            why=f"the type {type(unknown.type).__name__} of joint {unknown.name!r} names no groups of motions",
            fix="leave lengths out, or give the type a method motion_groups",
        )
    rows = find_tree_combinations(robot, parameters, named)
    if set(rows) != set(find_tree_combinations(robot, parameters)):
        names = ", ".join(length.name for own in named.values() for length in own.values())
        raise InputError(
            f"the lengths {names} have special values in {robot.name!r}",
            why="torques would show other combinations if they had others",
            fix="name fewer of them; those that are zero or that cancel stay numbers",
        )
    found = tuple({c: _plain(x) for c, x in sorted(row.items())} for row in rows.values())
    own = tuple(length for part in named.values() for length in part.values())
    return BaseParameters(labels, tuple(rows), found, own)


def _plain(x: ExactNumber) -> Fraction | float | Ratio:
    """Return a formula without lengths as a number."""
    value = x.value
    return value.top.get((), Fraction(0)) if isinstance(value, Ratio) and value.is_constant else value


def _nominal(x: Fraction | float | Ratio) -> float:
    return float(x.evaluate(lambda length: length.nominal) if isinstance(x, Ratio) else x)


def _sum(labels: Sequence[str], row: Mapping[int, Fraction | float | Ratio], first: int) -> str:
    return " ".join([labels[first], *(_term(x, labels[i]) for i, x in row.items() if i != first)])


def _term(x: Fraction | float | Ratio, label: str) -> str:
    is_negative = x.is_negative if isinstance(x, Ratio) else x < 0
    size = -x if is_negative else x
    text = size.factor() if isinstance(size, Ratio) else format_number(size)
    return f"{'-' if is_negative else '+'} {'' if text == '1' else f'{text} '}{label}"


# Which lengths of a robot stay formulas in its base parameters.

AXES = ("x", "y", "z")
ORIGIN = "origin"
SEED = 7


def find_named_lengths(robot: Robot, lengths: Sequence[str] | Mapping[str, str]) -> Named:
    """Return the lengths that are asked for: "joint3.x", or "joint3.origin" for those of x, y, z that are not zero.

    A mapping has names of its own: {"a2": "joint3.x"}.

    Raises:
        InputError: no joint or frame is called so, or a name stands for two lengths.
    """
    pairs = list(lengths.items()) if isinstance(lengths, Mapping) else [(text, text) for text in lengths]
    rng, found, used = np.random.default_rng(SEED), dict[str, dict[int, Length]](), set[str]()
    parts = list(KINDS[ORIGIN].parts(robot))
    for name, text in pairs:
        if not (isinstance(name, str) and isinstance(text, str)):
            raise InputError(f"lengths: expected names, got {text!r} for {name!r}", fix='{"a2": "joint2.x"}')
        part, _, what = text.rpartition(".")
        if part not in parts:
            raise make_unknown_name_error("joint or frame", part or text, parts)
        if what not in (*AXES, ORIGIN):
            raise InputError(f"{text!r} is no length", fix=f"name {part}.x, {part}.y, {part}.z or {part}.origin")
        own = KINDS[ORIGIN].nominal(robot, part)[:3].tolist()
        axes = [i for i, x in enumerate(own) if abs(x) > ROUNDING] if what == ORIGIN else [AXES.index(what)]
        for axis in axes:
            alone = name if what != ORIGIN else f"{name.removesuffix('.' + ORIGIN)}.{AXES[axis]}"
            if alone in used or axis in found.get(part, {}):
                raise InputError(f"the length {alone!r} is named twice", fix="name it once")
            used.add(alone)
            typical = (own[axis] or 0.3) * rng.uniform(0.7, 1.3)
            found.setdefault(part, {})[axis] = Length(alone, own[axis], typical)
    return found
