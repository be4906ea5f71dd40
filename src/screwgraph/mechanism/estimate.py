"""States, torques and figures of mechanisms from measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.mechanism.estimation import Estimate, estimation
from screwgraph.mechanism.estimation_graph import FIGURES, Unknowns, estimation_graph
from screwgraph.mechanism.forward_graph import State
from screwgraph.mechanism.measurements import Measurements, measured
from screwgraph.mechanism.start import first_position, first_velocity
from screwgraph.mechanism.symbolic_parameters import varied
from screwgraph.mechanism.weights import ModelNoise
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.models.mechanism.read_sensors import told_sensors
from screwgraph.models.mechanism.sensors import columns
from screwgraph.optimize import Progress, Result, Status, solve
from screwgraph.robot import unknown
from screwgraph.simulation import Watch
from screwgraph.time import RK4, stepped

FIRST = 16
"""Samples that the search begins with; it goes on with twice as many, up to all."""
CAREFUL = 0.3
"""Standard deviation of figures, relative, as long as few samples are regarded."""
HELD = 1e-3
"""The same where they are held nearly as they are."""
ITERATIONS = 50


def estimate_motion(
    mechanism: Mechanism,
    measurements: Mapping[str, Any],
    parameters: Sequence[str] = (),
    *,
    inputs: Sequence[str] = (),
    sensors: Sequence[Mapping[str, Any]] | None = None,
    q0: Any = None,
    qd0: Any = None,
    noise: ModelNoise | None = None,
    watch: Watch | None = None,
) -> Estimate:
    """Estimate a motion, torques of motors and figures from what sensors measured: batch least squares.

    Hermite-Simpson integrators, constraints and dynamics of Blanco-Claraco et al. (2021), section 6, nearly exact;
    figures are unknowns that all samples share.

    Args:
        mechanism: what moves.
        measurements: {"t": (N,), column: (N,), ...}, times (s) at equal distances or not; columns are named by
            sensors, with _x and _y where they measure two numbers, and "tau:motor" for known torques (N m).
        parameters: names of parameters of the mechanism's file, and of figures by key and part, "mass:coupler".
        inputs: motors whose torques are unknown.
        sensors: by default those of the mechanism's file; else told like there, [{"sensor": "gyro", "gyroscope":
            "coupler", "sigma": 0.01}, ...].
        q0: roughly the position at the beginning (n,), on the branch that is meant, by default the assembled one.
        qd0: roughly the velocity at the beginning (n,), by default that of the file, or rest.
        noise: standard deviations of the model.
        watch: progress callback with the time (s) up to which samples are used; the search ends where it returns true.

    Raises:
        InputError: a bad argument, or a search that fails.
        ModelError: the mechanism cannot be assembled.
    """
    noise, figures = noise or ModelNoise(), varied(mechanism, _names(parameters, "parameters"))
    used = mechanism.sensors if sensors is None else told_sensors(mechanism, sensors)
    data = measured(measurements, used, columns, [mechanism.angles[i].name for i in mechanism.motors])
    chosen = _motors(mechanism, _names(inputs, "inputs"), data)
    q = first_position(mechanism, q0)
    start = (q, first_velocity(mechanism, q, qd0))
    values: dict[str, np.ndarray] = {FIGURES: (figures.values / figures.scale)[None, :]} if figures.names else {}
    for count in _horizons(len(data.t)):
        part, unknowns = _first(data, count), Unknowns(figures, chosen, count)
        values = _longer(unknowns, values, start, data.steps)
        believed = noise if count == len(data.t) else replace(noise, figures=min(CAREFUL, noise.figures))
        result = _solved(unknowns, part, start, believed, values, _looking(watch, part))
        if result.status is Status.INTERRUPTED and count == FIRST and not result.iterations:
            raise KeyboardInterrupt
        values = result.values
        if result.status.is_stopped:
            break
    else:
        _ = watch is not None and watch(float(data.t[-1] - data.t[0]))
    count = len(values["q"])
    return estimation(mechanism, _first(data, count), Unknowns(figures, chosen, count), noise, result)


def _looking(watch: Watch | None, data: Measurements) -> Callable[[Progress], Any] | None:
    """Return a callback that looks at the watch: told 0 during the first search, then what is regarded for sure."""
    known = 0.0 if len(data.t) <= FIRST else float(data.t[len(data.t) // 2] - data.t[0])
    return None if watch is None else lambda progress: watch(known)


def _names(given: Any, what: str) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, Sequence) or not all(isinstance(name, str) for name in listed):
        raise InputError(f"{what} = {given!r} is no list of names")
    return tuple(listed)


def _motors(mechanism: Mechanism, names: tuple[str, ...], data: Measurements) -> tuple[int, ...]:
    known = [mechanism.angles[i].name for i in mechanism.motors]
    for name in names:
        if name not in known:
            raise unknown("motor", name, known) if known else InputError(f"there is no motor {name!r}", fix="motors:")
        if data.torques[:, known.index(name)].any():
            raise InputError(f"the torque of {name} is both known and an unknown input", fix="leave out one")
    return tuple(sorted({known.index(name) for name in names}))


def _horizons(count: int) -> Iterator[int]:
    """Yield how many samples to regard, doubling up to all."""
    now = FIRST
    while now < count:
        yield now
        now *= 2
    yield count


def _first(data: Measurements, count: int) -> Measurements:
    samples = tuple(s[:count] for s in data.samples)
    return replace(data, t=data.t[:count], samples=samples, torques=data.torques[:count])


def _longer(
    unknowns: Unknowns, values: Mapping[str, np.ndarray], start: State, steps: np.ndarray
) -> dict[str, Float[np.ndarray, "N k"]]:
    """Return values of all samples: those found so far, and where the motion leads from the last of them."""
    found = dict(values)
    done = len(values["q"]) if "q" in values else 0
    q, v = (values["q"][-1], values["v"][-1]) if done else start
    path = _predicted(unknowns, values, (q, v), steps[max(done, 1) - 1 : unknowns.count - 1])
    for name, ahead in zip("qva", path, strict=True):
        found[name] = np.vstack([values[name], ahead[1:]]) if done else ahead
    if unknowns.inputs:
        torques = values["tau"] if done else np.zeros((1, len(unknowns.inputs)))
        more = unknowns.count - len(torques)
        found["tau"] = np.vstack([torques, np.tile(torques[-1], (more, 1))])
    return found


def _predicted(
    unknowns: Unknowns, values: Mapping[str, np.ndarray], state: State, steps: np.ndarray
) -> tuple[Float[np.ndarray, "steps+1 n"], ...]:
    """Let the motion go on, by Runge-Kutta steps, with the figures and torques that were found last."""
    figures = values[FIGURES][0] if FIGURES in values else np.zeros(0)
    force = np.zeros(len(state[0]))
    if unknowns.inputs and "tau" in values:
        force[list(unknowns.slots)] = values["tau"][-1]
    model = unknowns.varied

    def rate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return model.acceleration(q, v, force, figures)

    space, path = unknowns.state("q").manifold, [state]
    for dt in steps:
        path.append(stepped(RK4, space, lambda _, q, v: rate(q, v), dt, *path[-1]))
    q, v, a = (np.array(part) for part in zip(*((*state, rate(*state)) for state in path), strict=True))
    return q, v, a


def _solved(
    unknowns: Unknowns,
    data: Measurements,
    start: State,
    noise: ModelNoise,
    values: dict[str, np.ndarray],
    look: Callable[[Progress], Any] | None,
) -> Result:
    """Solve by full steps; where these fail, first for states with figures nearly as they are, at last by damped steps.

    Raises:
        InputError: nothing helps.
    """
    problem = estimation_graph(unknowns, data, start, noise)
    result = solve(problem, values, method="gauss_newton", iterations=ITERATIONS, callback=look)
    if FIGURES in values and not _ended(result):
        held = estimation_graph(unknowns, data, start, replace(noise, figures=HELD), values[FIGURES][0])
        result = solve(held, values, method="gauss_newton", iterations=ITERATIONS, callback=look)
        if not result.status.is_stopped:
            values = result.values if result.success else values
            result = solve(problem, values, method="gauss_newton", iterations=ITERATIONS, callback=look)
    if not _ended(result):
        result = solve(problem, values, method="levenberg_marquardt", iterations=4 * ITERATIONS, callback=look)
    if _ended(result):
        return result
    raise InputError(
        f"the estimate of the first {data.t[-1] - data.t[0]:g} s ends as {result.status.value}",
        why=result.reason,
        fix="check sensors and units, give q0 nearer to where the motion begins, fewer parameters, or more noise",
    )


def _ended(result: Result) -> bool:
    """Tell whether a search found what it looked for, or was told to stop."""
    return result.success or result.status.is_stopped
