"""What a fresh process takes with functions of JAX, as JSON.

`python -m benchmarks.jax_probe ROBOT QUESTION LIBRARY SECONDS`, seconds for a figure.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

BATCH, CHECKED = 4096, 16
ROUNDS = 10
STEPS, SMALL = 1000, 1e-12
"""Dependent calls in a compiled loop, and what a sum of results changes the arguments of the next one by."""
WARM_UP = 10.0
"""Times the seconds of a figure."""


def main(arguments: list[str]) -> None:
    """Print times (s) to the first results and of calls, and answers, or why there are none."""
    import jax

    import screwgraph as sg
    from benchmarks.peers.jax_libraries import LIBRARIES, Case
    from benchmarks.subjects import chosen
    from screwgraph.ui.bench import NotMeasuredError

    jax.config.update("jax_enable_x64", True)
    name, question, library, seconds = arguments
    ((subject, robot),) = chosen([name])
    jax.block_until_ready(jax.jit(lambda x: x + 1.0)(0.0))  # what JAX itself takes to start is nobody's
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        fixed = replace(subject, base="fixed").load()
        assert fixed is not None
        sg.save(fixed, path)
        case = Case(robot, path, _states(robot, question))
        try:
            print(json.dumps(_measured(jax, lambda: LIBRARIES[library](case, question), float(seconds))))
        except NotMeasuredError as reason:
            print(json.dumps({"reason": str(reason)}))


def _states(robot: Any, question: str) -> Any:
    from screwgraph.ui.bench import random_states

    states = random_states(robot, BATCH)
    if question == "forward" and robot.nq > robot.nv:
        states.given[:, :6] = 0.0
    return states


def _measured(jax: Any, library: Callable[[], Any], seconds: float) -> dict[str, Any]:
    began = time.process_time()
    way = library()
    one = [jax.numpy.asarray(x[0]) for x in way.arguments]
    many = [jax.numpy.asarray(x) for x in way.arguments]
    single = jax.jit(way.function)
    jax.block_until_ready(single(*one))
    ready = time.process_time() - began
    batch = jax.jit(jax.vmap(way.function))
    found = np.asarray(batch(*many))
    batch_ready = time.process_time() - began
    _warm_up(jax, batch, many, WARM_UP * seconds)
    return {
        "ready": ready,
        "batch ready": batch_ready,
        "one": _least(jax, single, one, seconds),
        "floor": _least(jax, jax.jit(_hardly_anything), one, seconds),
        "step": _least(jax, jax.jit(_steps(jax, way.function)), one, seconds) / STEPS,
        "many": _least(jax, batch, many, seconds),
        "answers": way.read(found[:CHECKED].reshape(CHECKED, *found.shape[1:])).tolist(),
        "way": way.name,
    }


def _warm_up(jax: Any, function: Callable[..., Any], arguments: list[Any], seconds: float) -> None:
    """Call a function for some time: our fast code is made by a thread, on the same core, while a draft answers."""
    began = time.process_time()
    while time.process_time() - began < seconds:
        jax.block_until_ready(function(*arguments))


def _hardly_anything(*arguments: Any) -> Any:
    return arguments[0] + sum(x.ravel()[0] for x in arguments)


def _steps(jax: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loop of calls that wait for each other; all results change all arguments, so that none is left out."""

    def step(_: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        change = SMALL * jax.numpy.sum(function(*arguments))
        return tuple(x + change for x in arguments)

    return lambda *arguments: jax.lax.fori_loop(0, STEPS, step, arguments)


def _least(jax: Any, function: Callable[..., Any], arguments: list[Any], seconds: float) -> float:
    """Return the time (s) of a call that is waited for: the best of some rounds."""
    count, taken = 1, 0.0
    while taken < seconds / ROUNDS:
        count *= 2
        taken = _round(jax, function, arguments, count)
    return min(_round(jax, function, arguments, count) for _ in range(ROUNDS)) / count


def _round(jax: Any, function: Callable[..., Any], arguments: list[Any], count: int) -> float:
    began = time.process_time()
    for _ in range(count):
        jax.block_until_ready(function(*arguments))
    return time.process_time() - began


if __name__ == "__main__":
    main(sys.argv[1:])
