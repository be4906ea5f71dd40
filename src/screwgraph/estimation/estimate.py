"""States, torques and parameters of robots from measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.dynamics import forward_dynamics, mass_matrix
from screwgraph.errors import InputError
from screwgraph.estimation.motion import Motion, Sigmas, mechanics_of
from screwgraph.estimation.parameters import parameters_of
from screwgraph.estimation.sensors import SENSORS, columns, sensors_of
from screwgraph.formats import described
from screwgraph.mechanism import Estimate, Measurements, ModelNoise, even_or_each, measured
from screwgraph.optimize import Factors, Manifold, Problem, Progress, Result, Status, each, soft, solve
from screwgraph.plan.mechanics import Mechanics
from screwgraph.robot import Robot, without_loops
from screwgraph.simulation import Watch, starting_state
from screwgraph.time import HERMITE_SIMPSON, RK4, stepped

FIRST = 16
"""Samples that the search begins with; it goes on with twice as many, up to all."""
CAREFUL = 0.3
"""Standard deviation of parameters, relative, as long as few samples are regarded."""
WEAK = 0.5
"""Part of the standard deviation beforehand that is left where measurements say little."""
ITERATIONS = 50


def estimate_robot(
    robot: Robot,
    measurements: Mapping[str, Any],
    parameters: Sequence[str] = (),
    *,
    inputs: Sequence[str] = (),
    sensors: Sequence[Mapping[str, Any]] = (),
    q0: Any = None,
    qd0: Any = None,
    noise: ModelNoise | None = None,
    watch: Watch | None = None,
) -> Estimate:
    """Estimate a motion, joint torques and parameters of a robot: batch least squares.

    The equations of motion are one factor an instant, inverse dynamics; Hermite-Simpson integration joins instants,
    with a point in the middle of each step. Arguments as for `queries.estimate`.

    Raises:
        InputError: a bad argument, or a search that fails.
    """
    mechanics, noise = mechanics_of(robot), noise or ModelNoise()
    unknown = parameters_of(robot, (parameters,) if isinstance(parameters, str) else tuple(parameters))
    driven = tuple(sorted(set(mechanics.columns((inputs,) if isinstance(inputs, str) else inputs, "joint"))))
    data = measured(measurements, sensors_of(mechanics, sensors), columns, mechanics.labels)
    _check_known(mechanics, driven, data)
    q, qd, _ = starting_state(robot, q0, qd0, None)
    inertia = np.diag(mass_matrix(without_loops(robot))(q))
    sigma = Sigmas(noise.integration, noise.constraints, noise.dynamics * np.maximum(inertia, 1e-9 * inertia.max()))
    motion = Motion(mechanics, len(data.t), HERMITE_SIMPSON, driven, unknown)
    values: dict[str, np.ndarray] = {"parameters": (unknown.values / unknown.scale)[None]} if unknown.names else {}
    for count in _horizons(len(data.t)):
        motion, part = replace(motion, count=count), _first(data, count)
        values = _longer(motion, values, (q, qd), part)
        believed = noise if count == len(data.t) else replace(noise, figures=min(CAREFUL, noise.figures))
        problem = Problem(_factors(motion, part, (q, qd), sigma, believed))
        result = _solved(problem, values, part, _looking(watch, part))
        if result.status is Status.INTERRUPTED and count == FIRST and not result.iterations:
            raise KeyboardInterrupt
        values = result.values
        if result.status.is_stopped:
            break
    else:
        _ = watch is not None and watch(float(data.t[-1] - data.t[0]))
    return _estimate(motion, _first(data, motion.count), sigma, noise, result)


def _check_known(mechanics: Mechanics, inputs: tuple[int, ...], data: Measurements) -> None:
    for column in inputs:
        if data.torques[:, column].any():
            name = mechanics.labels[column]
            raise InputError(f"the torque of {name} is both known and an unknown input", fix="leave out one")


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


def _looking(watch: Watch | None, data: Measurements) -> Callable[[Progress], Any] | None:
    known = 0.0 if len(data.t) <= FIRST else float(data.t[len(data.t) // 2] - data.t[0])
    return None if watch is None else lambda progress: watch(known)


@dataclass(frozen=True)
class PositionPrior:
    """Positions less their expected value, in velocity coordinates."""

    manifold: Manifold

    def __call__(self, q: Any, *, mean: Any) -> Any:
        """Residual (nv,)."""
        return self.manifold.defect(mean, q)


def _factors(
    motion: Motion, data: Measurements, start: tuple[np.ndarray, np.ndarray], sigma: Sigmas, noise: ModelNoise
) -> list[Factors]:
    """Return the factors of the model, the sensors, and what is believed beforehand."""
    q, qd, *_ = motion.states()
    found = motion.factors(even_or_each(data.steps), data.torques, sigma)
    for sensor, samples in zip(data.sensors, data.samples, strict=True):
        kind = SENSORS[sensor.kind]
        template = kind.template(motion.mechanics, sensor.target, motion.inputs)
        families = {v.name: v for v in (*motion.states(), *((motion.tau,) if motion.inputs else ()))}
        spread = np.array(sensor.sigma) if len(sensor.sigma) > 1 else sensor.sigma[0]
        of = [families[name] for name in kind.of]
        found.append(soft(template, *of, measured=each(samples), sigma=spread, name=f"sensor {sensor.name}"))
    found.append(soft(PositionPrior(q.manifold), q[0], mean=start[0], sigma=noise.position, name="prior q"))
    found.append(soft(_difference, qd[0], mean=start[1], sigma=noise.velocity, name="prior qd"))
    if motion.inputs:
        tau, mean = motion.tau, np.zeros(len(motion.inputs))
        spread = even_or_each(noise.torque_rate * np.sqrt(data.steps))
        found.append(soft(_difference, tau[0], mean=mean, sigma=noise.torque, name="prior tau"))
        found.append(soft(_change, tau[:-1], tau[1:], sigma=spread, name="change of tau"))
    if motion.parameters.names:
        mean = motion.parameters.values / motion.parameters.scale
        found.append(soft(_difference, motion.shared, mean=mean, sigma=noise.figures, name="prior parameters"))
    return found


def _difference(x: Any, *, mean: Any) -> Any:
    return x - mean


def _change(x: Any, ahead: Any) -> Any:
    return ahead - x


def _longer(
    motion: Motion, values: Mapping[str, np.ndarray], start: tuple[np.ndarray, np.ndarray], data: Measurements
) -> dict[str, np.ndarray]:
    """Return values of all samples: those found so far, and where the nominal robot moves from the last of them."""
    done = len(values["q"]) if "q" in values else 0
    q, v = (values["q"][-1], values["qd"][-1]) if done else start
    tau = data.torques.copy()
    if motion.inputs and done:
        tau[:, list(motion.inputs)] = values["tau"][-1]
    path = _predicted(motion, (q, v), data.steps[max(done, 1) - 1 :], tau[max(done, 1) - 1 :])
    found: dict[str, np.ndarray] = {"parameters": values["parameters"]} if motion.parameters.names else {}
    for node in (0, *motion.inner):
        for family, ahead in zip(motion.states(node), path[node], strict=False):
            new = ahead[1:] if done and not node else ahead
            found[family.name] = np.vstack([values[family.name], new]) if done else new
        for family in motion.states(node)[3:]:
            old = values.get(family.name, np.zeros((0, family.manifold.dim)))
            found[family.name] = np.vstack([old, np.zeros((family.count - len(old), family.manifold.dim))])
    if motion.inputs:
        old = values["tau"] if done else np.zeros((1, len(motion.inputs)))
        found["tau"] = np.vstack([old, np.tile(old[-1], (motion.count - len(old), 1))])
    return found


def _predicted(motion: Motion, state: tuple[np.ndarray, np.ndarray], steps: np.ndarray, tau: np.ndarray) -> list[Any]:
    """Return positions, velocities, accelerations at the instants and at each inner point of the steps."""
    moving, positions = forward_dynamics(motion.mechanics.robot), motion.mechanics.positions
    parts = motion.rule.nodes[1:]
    reached: list[list[Any]] = [[(*state, moving(*state, tau[0]))], *([] for _ in motion.inner)]
    for dt, force in zip(steps, tau, strict=False):
        for node, part in enumerate(parts, 1):
            q, v = stepped(RK4, positions, lambda _, q, v, force=force: moving(q, v, force), part * dt, *state)
            reached[node % len(parts)].append((q, v, moving(q, v, force)))
        state = (q, v)
    return [[np.array(x) for x in zip(*at, strict=True)] if at else [] for at in reached]


def _solved(
    problem: Problem, values: Mapping[str, np.ndarray], data: Measurements, look: Callable[[Progress], Any] | None
) -> Result:
    """Solve by full steps; where these fail, by damped ones. Raises InputError where nothing helps."""
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
    return result.success or result.status.is_stopped


def _estimate(motion: Motion, data: Measurements, sigma: Sigmas, noise: ModelNoise, result: Result) -> Estimate:
    """Return what a solved graph says. Raises InputError where it leaves something undetermined."""
    robot, found, unknown = motion.mechanics.robot, result.values, motion.parameters
    spreads = [_spread(result, family) for family in motion.states()[:3]]
    tau, tau_sigma = data.torques.copy(), np.zeros_like(data.torques)
    if motion.inputs:
        tau[:, list(motion.inputs)], tau_sigma[:, list(motion.inputs)] = found["tau"], _spread(result, motion.tau)
    values, covariance = np.zeros(0), np.zeros((0, 0))
    if unknown.names:
        values = unknown.scale * found["parameters"][0]
        covariance = np.outer(unknown.scale, unknown.scale) * result.covariance(motion.shared)
    weak = np.sqrt(np.diag(covariance)) > WEAK * noise.figures * unknown.scale
    left = result.residuals
    model = {name: _size(sigma, name) for name in left if name.split(".")[0] in ("dynamics", "closure", "integration")}
    labels = motion.mechanics.labels
    of_q = [j.name if j.type.nq == 1 else f"{j.name}[{i}]" for j in robot.joints for i in range(j.type.nq)]
    return Estimate(
        robot,
        data.t,
        *(found["q"], found["qd"], found["qdd"], tau),
        *(spreads[0], spreads[1], spreads[2], tau_sigma),
        parameters=dict(zip(unknown.names, values.tolist(), strict=True)),
        covariance=covariance,
        residuals={
            name: left[f"sensor {s.name}"][:, i]
            for s in data.sensors
            for i, name in enumerate(columns(s)[: left[f"sensor {s.name}"].shape[1]])
        },
        undetermined=tuple(name for name, is_weak in zip(unknown.names, weak, strict=True) if is_weak),
        model_error=max(float((np.abs(left[name]) / s).max()) for name, s in model.items()),
        result=result,
        names={"q": of_q, "qd": labels, "tau": labels},
        texts={"robot": described(robot)},
    )


def _spread(result: Result, family: Any) -> Float[np.ndarray, "N n"]:
    return np.sqrt(np.diagonal(result.covariances(family), axis1=1, axis2=2))


def _size(sigma: Sigmas, name: str) -> Any:
    return {"dynamics": sigma.dynamics, "closure": sigma.closure}.get(name.split(".")[0], sigma.integration)
