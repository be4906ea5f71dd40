"""A window as functions for other programs: where it stands, and an update, straight-line code of a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, Function, Result, compile_expression, make_numbered_argument
from screwgraph.optimize.smoothers.unrolled_problem import count_numbers
from screwgraph.optimize.smoothers.window import Window
from screwgraph.optimize.smoothers.window_file import WindowState
from screwgraph.spatial import Array, choose

LARGEST = 1e5
"""Up to so many operations a window becomes code without loops for other programs."""
EXAMPLES, SPREAD = 8, 0.01
"""Updates of the example, and by how much readings differ there from the last ones."""
Own = Mapping[tuple[str, str], Array]
"""A step's own parameters of factors, by factors and parameter."""
Read = Callable[..., Own]
"""From those of the last step and arguments to those of a new one."""


@dataclass(frozen=True, eq=False)
class UpdateInputs:
    """Inputs of an update: arguments, how they become own parameters of a new step, values for an example.

    Where `with_costs`, the last result are costs of the factors that leave, see `FixedLag.advance`.
    """

    arguments: tuple[Argument, ...]
    read: Read
    last: tuple[np.ndarray, ...]
    question: object
    """All that `read` and `shown` depend on."""
    shown: Callable[[Mapping[str, Array]], Mapping[str, Array]] = dict
    """From values of the last step by family to those of results."""
    with_costs: bool = False

    __repr__ = one_line


def make_update_inputs(window: Window, standing: WindowState) -> UpdateInputs:
    """Return a front with an argument for each parameter that steps have of their own."""
    arguments, last, own = [], [], window.expressions.parameter_places
    for (group, name), (start, shape) in own.items():
        size = int(np.prod(shape))
        arguments.append(make_numbered_argument(f"{group} {name}", *shape[1:]))
        last.append(standing.parameters[start : start + size].reshape(shape)[-1].ravel())
    return UpdateInputs(
        tuple(arguments), lambda before, *vectors: dict(zip(own, vectors, strict=True)), tuple(last), list(own)
    )


def export_window(window: Window, standing: WindowState, front: UpdateInputs) -> dict[str, Function]:
    """Return `start`, the state now, and `update`: (state, readings) -> next state, last values, cost.

    An update lets the first step go, adds one, and takes a Gauss-Newton step, as `FixedLag.advance` and `step` do. A
    step that is not finite is not taken.

    Raises:
        InputError: the window is too large.
    """
    if window.operations > LARGEST:
        raise InputError(
            f"a window of {window.steps} steps takes some {window.operations:.0e} operations",
            why=f"beyond {LARGEST:.0e} it is no code without loops",
            fix="give fewer steps, or fewer unknowns",
        )
    state = pack_state(window, standing)
    update = _update(window, standing.parameters, state, front)
    start = compile_expression(
        "start", ("window start", state.tolist()), (), lambda: state.tolist(), results=(Result("state", (len(state),)),)
    )
    return {"start": start, "update": update}


def pack_state(window: Window, standing: WindowState) -> Float[np.ndarray, " n"]:
    """Return the state that updates take: values, parameters that move on with the steps, the prior."""
    return np.concatenate([standing.values, standing.parameters[_moving(window)], standing.prior])


def unpack_state(window: Window, standing: WindowState, state: Float[np.ndarray, " n"]) -> WindowState:
    """Return where a window stands in a state; parameters that do not move are those of `standing`."""
    parameters, moving = standing.parameters.copy(), _moving(window)
    values, parameters[moving], prior = np.split(state, [len(standing.values), len(standing.values) + len(moving)])
    return WindowState(values, parameters, prior)


def _moving(window: Window) -> list[int]:
    """Return the places of parameters that move on with the steps."""
    own = window.expressions.parameter_places.values()
    return [i for start, shape in own for i in range(start, start + int(np.prod(shape)))]


def _update(window: Window, fixed: np.ndarray, state: np.ndarray, front: UpdateInputs) -> Function:
    moving, places, size = _moving(window), window.expressions.parameter_places, len(state)
    fixed = fixed.copy()
    fixed[moving] = 0.0  # which the state has
    nx = count_numbers(window.problem.layout)
    last = [(v.name, v.manifold.shape) for v in window.problem.families]

    def expression(state: Array, *given: Array) -> list:
        x, own, prior = (list(part) for part in np.split(state, [nx, nx + len(moving)]))
        parameters: list = fixed.tolist()
        for place, value in zip(moving, own, strict=True):
            parameters[place] = value
        found = window.advance_code.inline(*_some(x, parameters, prior))
        x, prior, left = found[:nx], found[nx : nx + window.prior_size], found[nx + window.prior_size :]
        before = dict[tuple[str, str], Array]()
        for key, (start, shape) in places.items():
            end = start + int(np.prod(shape))
            before[key] = np.array(parameters[end - int(np.prod(shape[1:])) : end]).reshape(shape[1:])
        for key, value in front.read(before, *given).items():
            start, shape = places[key]
            each = int(np.prod(shape[1:]))
            end = start + shape[0] * each
            parameters[start:end] = [*parameters[start + each : end], *np.ravel(np.asarray(value, dtype=object))]
        *moved, cost, step = window.newton_code.inline(*_some(x, parameters, prior), [0.0])
        x = [choose(step < np.inf, a, b) for a, b in zip(moved, x, strict=True)]
        layout = window.problem.layout.unpack(np.array(x, dtype=object))
        ends = front.shown({name: layout[name][-1] for name, _ in last})
        values = [entry for name, _ in last for entry in np.ravel(ends[name])]
        costs = left if front.with_costs else []
        return [*x, *(parameters[place] for place in moving), *prior, *values, cost, *costs]

    arguments = (make_numbered_argument("state", size), *front.arguments)
    results = [Result("next_state", (size,)), *(Result(name, shape) for name, shape in last), Result("cost", ())]
    results += [] if not front.with_costs else [Result("left_costs", (len(window.problem.factors),))]
    question = (
        "window update",
        window.question,
        fixed.tolist(),
        moving,
        list(places.items()),
        front.question,
        front.with_costs,
    )
    f = compile_expression("update", question, arguments, expression, results=tuple(results), branches=True)
    return replace(f, origin=replace(f.origin, examples=lambda: _examples(f, state, front.last)))


def _some(*vectors: list) -> list[list]:
    """Return the vectors that are not empty, which a window's code takes."""
    return [vector for vector in vectors if vector]


def _examples(f: Function, state: np.ndarray, last: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return states and readings of updates that follow each other."""
    rng, rows = np.random.default_rng(11), []
    for _ in range(EXAMPLES):
        given = [x + SPREAD * rng.standard_normal(len(x)) for x in last]
        rows.append([state, *given])
        shaped = [x.reshape(a.shape) for a, x in zip(f.arguments[1:], given, strict=True)]
        state = f.few(state, *shaped)[0]
    return [np.array(column) for column in zip(*rows, strict=True)]
