"""Functions of closed chains that take the positions of the independent joints alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import (
    PARAMETERS,
    Argument,
    CachedCode,
    Function,
    Provenance,
    Result,
    inputs_by_form,
    make_direct_provenance,
    make_function,
    parameter_arguments,
    robot_arguments,
    without_metadata,
)
from screwgraph.compiler.cache import pack_program, unpack_program
from screwgraph.compiler.derivatives.tape_derivatives import Analytic, differentiate_program
from screwgraph.compiler.function.singular_fallback import Fallback, FallbackFunction
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, SPANNING, find_driving_joints
from screwgraph.mechanics.dynamics.completion import Completion
from screwgraph.mechanics.dynamics.mechanism_positions import ANSWERS
from screwgraph.mechanics.dynamics.query import joint_variables
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot, share_analysis
from screwgraph.model.robot.parameters import CLOSURE, Parameter, checked_parameters, parameter_key
from screwgraph.spatial import Array
from screwgraph.tape import Code, Number, Program, Scalar, factor_out, program

GUESS = "guess"


@check_arguments
@answered_by(ANSWERS)
def closed_positions(robot: Robot, *, parameters: Sequence[str] = (), dtype: str = "float64") -> Function:
    """Return q(y, guess): all positions (..., nq) of a closed chain from those of its independent joints (..., n).

    Loops are in the assembly mode of `guess` (..., nq), positions nearby, whose independent ones are not read; where
    couplings determine all others at once, there is no such argument. Joints follow by closed forms where loops have
    them (linear couplings, rows with one sine, planar dyads), else by six steps of Newton's method; where
    these do not converge, or the loops cannot close, the answer is NaN. Chignoli et al. (2023), Algorithm 1.

    Of mechanisms y are the independent coordinates; the others follow by six steps of Newton's method. Their parameters
    are lengths and places of the file on which constraints depend.

    With `parameters`, where frames stand ("joint3.origin") is an input, before the guess; Newton's method closes loops
    then. Derivatives by them are at given positions of the independent joints.

    Raises:
        EliminationError: only a part of a joint is independent.
        InputError: its loops cannot be closed, or they do not depend on a parameter.
    """
    live = checked_parameters("closed_positions does not depend on", CLOSURE, robot, parameters)
    completion = _completion(robot, live)
    for parameter in live:
        if parameter not in completion.lengths:
            raise InputError(
                f"closed_positions does not depend on {parameter.name!r}",
                why="no joint hangs on that frame",
                fix="leave it out",
            )
    given = (*robot_arguments(robot, [("q", joint_variables(robot, "q"))]), *parameter_arguments(robot, live))
    arguments = _arguments(completion, given)

    def make(inputs: Sequence[str]) -> CachedCode:
        tape, values = inputs_by_form(arguments)
        q = _complete_positions(completion, values, _lengths(completion, values))
        return CachedCode(factor_out(program(tape, list(q), inputs)), "none")

    def origin(_: CachedCode) -> Provenance:
        return make_direct_provenance(
            "it solves loops for their positions", _Slopes(completion), UnclosedFallback(completion)
        )

    names = tuple(f"{key}[{i}]" for key in joint_variables(robot, "q") for i in range(robot.joint(key.name).type.nq))
    results = (Result("q", (robot.nq,), names),)
    made = make_function("closed_positions", ("closed positions", completion), arguments, make, origin, results)
    return made.astype(dtype)


def check_positions(positions: str) -> None:
    """Raise InputError where there are no such positions."""
    if positions not in (SPANNING, INDEPENDENT):
        raise InputError(f"there are no positions {positions!r}", fix=f"choose {SPANNING!r} or {INDEPENDENT!r}")


def convert_positions(function: Function, robot: Robot, positions: str, live: Sequence[Parameter] = ()) -> Function:
    """Return a function that takes independent positions for "q" if asked to, and a guess where it needs one.

    See `closed_positions`. Derivatives by "q" are then those by the independent joints' velocity coordinates; those by
    "parameters", of which `live` are inputs, are taken while the independent joints stay, and the others follow.
    """
    if positions == SPANNING or not robot.is_closed:
        return function
    completion = _completion(robot, live)
    arguments = _arguments(completion, function.arguments)
    base = pack_program(function.program)

    def make(inputs: Sequence[str]) -> CachedCode:
        tape, values = inputs_by_form(arguments)
        q = _complete_positions(completion, values, _lengths(completion, values))
        outputs = _answers(q, function.program, values)
        return CachedCode(factor_out(program(tape, outputs, inputs)), function.ordering)

    def origin(_: CachedCode) -> Provenance:
        chain = _Chain(completion, base, function.arguments, function.results, function.origin.analytic)
        return replace(function.origin, analytic=chain, vanished=UnclosedFallback(completion, function.origin.vanished))

    question = ("independent positions", completion, base)
    made = make_function(function.name, question, arguments, make, origin, function.results)
    return made.astype(function.dtype)


@dataclass(frozen=True, eq=False)
class _Chain:
    """Derivatives of a function in independent positions: those of the function in all positions, times dq/dy.

    `base` is the packed code of that function.
    """

    __repr__ = one_line

    completion: Completion
    base: bytes
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    analytic: Analytic | None

    def covers(self, by: Sequence[str]) -> bool:
        return GUESS not in by

    def jacobian(self, source: Code, arguments: Sequence[Argument], by: Sequence[str]) -> Program:
        tape, values = inputs_by_form(arguments)
        lengths = _lengths(self.completion, values)
        moves = PARAMETERS in by and bool(lengths)  # where the dependent joints stand, too
        asked = (*by, "q") if moves and "q" not in by else tuple(by)
        of_all = differentiate_program(unpack_program(self.base), self.arguments, asked, self.analytic)
        q = _complete_positions(self.completion, values, lengths)
        entries = iter(_answers(q, of_all, values))
        sizes = {a.name: a.tangent_size for a in self.arguments}
        blocks: dict[tuple[str, int], Array] = {}
        for name in asked:
            for i, result in enumerate(self.results):
                numbers = [next(entries) for _ in range(result.size * sizes[name])]
                blocks[name, i] = np.array(numbers, dtype=object).reshape(result.size, sizes[name])
        outputs: list[Number] = []
        for name in by:
            for i in range(len(self.results)):
                block = blocks[name, i]
                if name == "q":
                    block = block @ self.completion.slopes(q, lengths)
                elif name == PARAMETERS and moves:
                    block = block.copy()
                    names = next(a.names for a in self.arguments if a.name == PARAMETERS)
                    columns = [names.index(n) for n in _names_of_lengths(self.completion)]
                    block[:, columns] += blocks["q", i] @ self.completion.slopes_by_lengths(q, lengths)
                outputs += list(block.ravel())
        return factor_out(program(tape, outputs, [n for a in arguments for n in a.names]))


@dataclass(frozen=True, eq=False)
class _Slopes:
    """Derivatives of closed positions by independent ones."""

    __repr__ = one_line

    completion: Completion

    def covers(self, by: Sequence[str]) -> bool:
        return GUESS not in by

    def jacobian(self, source: Code, arguments: Sequence[Argument], by: Sequence[str]) -> Program:
        tape, values = inputs_by_form(arguments)
        lengths = _lengths(self.completion, values)
        q, outputs = _complete_positions(self.completion, values, lengths), list[Number]()
        for name in by:
            slopes = self.completion.slopes if name == "q" else self.completion.slopes_by_lengths
            rates = [self.completion.robot.manifold.rate(q, column) for column in slopes(q, lengths).T]
            outputs += list(np.array(rates, dtype=object).T.ravel())
        return factor_out(program(tape, outputs, [n for a in arguments for n in a.names]))


@dataclass(frozen=True, eq=False)
class UnclosedFallback:
    """Fallback of a function in independent positions where it gives no number.

    `base` is what is done where the function in all positions gives none; None where loops are all that can fail.
    """

    __repr__ = one_line

    completion: Completion
    base: Fallback | None = None

    @cached_property
    def answering(self) -> FallbackFunction | None:
        """The function that answers where a pivot vanishes; where loops do not close, none does."""
        other = self.base and self.base.answering
        if not isinstance(other, Function):
            return None
        return convert_positions(other, self.completion.robot, INDEPENDENT, self.completion.lengths)

    def admits(self, states: Mapping[str, np.ndarray]) -> np.ndarray:
        """Tell at which states that function answers."""
        count = len(next(iter(states.values())))
        return (
            np.ones(count, dtype=bool)
            if self.base is None
            else self.base.admits({**states, **self._complete_positions(states)})
        )

    def why(self, values: Mapping[str, float]) -> str:
        """Say whether it is the loops that do not close there."""
        state = self._complete_positions({name: np.array([value]) for name, value in values.items()})
        if not all(np.isfinite(column).all() for column in state.values()):
            return (
                "no closed position was found at these positions of the independent joints (give a guess that is "
                "nearer; if there is none, robot.complete(y, guess) says what is left open)"
            )
        at = {**values, **{name: float(column[0]) for name, column in state.items()}}
        return self.base.why(at) if self.base else _SINGULAR

    def _complete_positions(self, states: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the positions of all joints, columns by name."""
        q = closed_positions(self.completion.robot, parameters=[p.name for p in self.completion.lengths])
        given = [np.stack([states[name] for name in argument.names], axis=1) for argument in q.arguments]
        with np.errstate(all="ignore"):
            found = np.asarray(q(*given))
        return dict(zip(q.results[0].names, found.T, strict=True))


_SINGULAR = "the mechanism is singular there"


def _completion(robot: Robot, live: Sequence[Parameter]) -> Completion:
    """Return how a robot's positions are completed. Raises EliminationError, InputError as `find_driving_joints`."""
    find_driving_joints(robot)
    lengths = tuple(p for p in live if p.moves_loops(robot))
    return Completion(share_analysis(robot, without_metadata(robot)), lengths)


def _arguments(completion: Completion, given: Sequence[Argument]) -> tuple[Argument, ...]:
    """Return arguments with independent positions for q, and a guess of all positions where one is needed."""
    robot = completion.robot
    driving = set(find_driving_joints(robot))
    keys = [("q", tuple(key for key in joint_variables(robot, "q") if key.name in driving))]
    (y,), (q,) = robot_arguments(robot, keys), robot_arguments(robot, [("q", joint_variables(robot, "q"))])
    guess = replace(q, name=GUESS, names=tuple(f"{GUESS}{name.removeprefix('q')}" for name in q.names))
    return (*(y if a.name == "q" else a for a in given), *([guess] if completion.takes_guess else []))


def _names_of_lengths(completion: Completion) -> list[str]:
    """Return the names of the inputs that say where frames stand."""
    robot = completion.robot
    return [parameter_key(p, i) for p in completion.lengths for i in range(len(p.nominal(robot)))]


def _lengths(completion: Completion, values: Mapping[str, Scalar]) -> list[Number]:
    return [values[name] for name in _names_of_lengths(completion)]


def _complete_positions(completion: Completion, values: Mapping[str, Scalar], lengths: Sequence[Number]) -> Array:
    """Return all positions from the arguments' numbers."""
    robot = completion.robot
    every = [f"{key}[{i}]" for key in joint_variables(robot, "q") for i in range(robot.joint(key.name).type.nq)]
    guess: list[Number] = robot.neutral().tolist()
    if completion.takes_guess:
        guess = [values[f"{GUESS}{name.removeprefix('q')}"] for name in every]
    y = [values[every[i]] for i in completion.independent]
    return completion.positions(np.array(y, dtype=object), np.array(guess, dtype=object), lengths)


def _answers(q: Array, code: Code, values: Mapping[str, Scalar]) -> list[Number]:
    """Write code in all positions q and the arguments' other numbers."""
    given = {name: value for name, value in values.items() if not name.startswith("q:")}
    at = iter(q)
    return code.on([next(at) if name.startswith("q:") else given[name] for name in code.input_names])
