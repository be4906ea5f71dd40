"""A time step as a function (q, qd, tau, dt) -> (q, qd): of single states and of batches, without branches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from screwgraph.compiler import Argument, Function, Result, compile_expression, make_numbered_argument
from screwgraph.motion.simulation.closure_code import ClosureParameters
from screwgraph.motion.simulation.step_code import SIZES, TracedSteps
from screwgraph.motion.simulation.step_law import StepLaw
from screwgraph.motion.simulation.step_rules import STEP_RULES
from screwgraph.motion.simulation.system import Dynamics
from screwgraph.motion.simulation.wrench_efforts import WrenchEfforts
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number

OPEN = 1e-4
"""Closure error (rad, m) at the end of a step from which on the motion counts as diverged."""
FAR = 1e3
"""The same for the motion of a coordinate within a step (rad, m)."""


def compile_step(
    dynamics: Dynamics,
    method: str,
    law: StepLaw,
    limits: Sequence[float] | None = None,
    parameters: Sequence[Argument] = (),
    lengths: ClosureParameters | None = None,
    wrenches: WrenchEfforts | None = None,
) -> Function:
    """Return a time step of a rule without loops; what diverges within it is NaN. Without motors, it takes no tau.

    Args:
        dynamics: the model in motion.
        method: one of `STEP_RULES`.
        law: the accelerations with which it goes on.
        limits: the largest efforts (N m, N) of all joints; larger ones are cut.
        parameters: the argument that holds those of the model, the last one, where some are inputs.
        lengths: those of them on which constraints depend; by default none.
        wrenches: efforts of external wrenches, an argument after tau; by default none.
    """
    rule, model = STEP_RULES[method], dynamics.model
    (nq,), nv, motors = model.manifold.shape, model.manifold.dim, len(model.drivers)
    sizes = {"q": nq, "qd": nv, "tau": motors, "dt": 1}
    # Nothing is believed of the first ones, as that quaternions are unit.
    present = {name: size for name, size in sizes.items() if size or name in ("q", "qd")}
    vectors = (replace(make_numbered_argument(name, size), size=SIZES.get(name, 1.0)) for name, size in present.items())
    units = {"q": model.manifold.quaternions}
    arguments = [*(replace(a, units=units.get(a.name, ())) for a in vectors), *parameters]
    if wrenches is not None:
        arguments.insert([a.name for a in arguments].index("dt"), wrenches.argument)
    closing = dynamics.step_closure(lengths or ClosureParameters())

    def expression(q: np.ndarray, qd: np.ndarray, *held: np.ndarray) -> list[Number]:
        space, tau, ((dt,), *values) = (
            TracedSteps(model.manifold),
            held[0] if motors else np.zeros(0),
            held[-1 - len(parameters) :],
        )
        own = values[0] if values else np.zeros(0)
        if limits is not None:
            tau = np.array(limit_efforts(tau, limits), dtype=object)

        def force_at(at: np.ndarray) -> np.ndarray:
            if wrenches is None:
                return dynamics.force(tau)
            return wrenches.dynamics.force(wrenches.add_to(tau, at, held[int(motors > 0)], own))

        ahead, velocity = rule(space, lambda at, v: law.accelerations(at, v, force_at(at), dt, own), dt, q, qd)
        size = sum(space.turns, start=relative_size([dt * v for v in velocity], FAR))
        if closing is not None:
            space.turns.clear()
            ahead, velocity, gaps = closing(space, ahead, velocity, own)
            size = sum(space.turns, start=size + relative_size(gaps, OPEN))
        sound = size < 1.0  # not so where it is no number
        return [*ahead, *(choose(sound, v, np.nan) for v in velocity)]

    question = (dynamics.question, law.question, method, limits, *parameters, wrenches and wrenches.question)
    return compile_expression(
        "step", question, tuple(arguments), expression, results=(Result("q", (nq,)), Result("qd", (nv,)))
    )


def limit_efforts(efforts: Iterable[Number], limits: Sequence[float]) -> list[Number]:
    """Return efforts (N m, N) within their limits, infinite where there is none."""
    bounds = zip(efforts, limits, strict=True)
    return [minimum(maximum(u, -most), most) if np.isfinite(most) else u for u, most in bounds]


def relative_size(values: Iterable[Number], bound: float) -> Number:
    """Return the sum of squares, relative to that of a bound."""
    return sum((value * value for value in values), start=0.0) * (1.0 / bound**2)
