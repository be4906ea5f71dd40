"""States, torques and parameters of a model from measurements: batch least squares on its graph over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.formats import load_table, locate_names
from screwgraph.model.robot import check_moves
from screwgraph.motion.estimation.driven_coordinates import add_driven, hold_driven
from screwgraph.motion.estimation.estimate_search import search_estimate
from screwgraph.motion.estimation.initial_guess import UNKNOWNS, State, Unknowns, extend_guess
from screwgraph.motion.estimation.mechanism_noise import ModelNoise
from screwgraph.motion.estimation.observability import (
    compute_damped_covariances,
    contradiction,
    find_undetermined,
    find_unobserved,
    residuals_by_coordinate,
    rms_residual,
)
from screwgraph.motion.estimation.readings.measurements import Measurements, validate_measurements
from screwgraph.motion.estimation.readings.sensors import bias_unknown, list_walks
from screwgraph.motion.estimation.result import DOUBTFUL, Estimate
from screwgraph.motion.estimation.sensor_factors import make_prior, make_sensor_factors, random_walk_factors
from screwgraph.motion.estimation.slip_detection import can_slip, drop_slipping, find_slips, search_without_slips
from screwgraph.motion.simulation import Watch, coordinate_names, dynamics_of, simulate_dynamics
from screwgraph.optimize import (
    Manifold,
    Problem,
    Progress,
    Result,
    Status,
    soft,
)
from screwgraph.optimize.whitening import whiten_residual

FIRST = 16
"""Samples that the search begins with; it goes on with twice as many, up to all."""
CAREFUL = 0.3
"""Standard deviation of parameters, relative, as long as few samples are regarded."""
NORMAL = 2.0
"""Standard deviations within which 95 % of errors lie."""
BESIDES = ("sensor ", "prior ", "change ")
"""What names of factors begin with that are no laws of the model."""


@check_arguments
def estimate(
    model: Model,
    measurements: Mapping[str, Any] | str,
    parameters: Sequence[str] = (),
    *,
    inputs: Sequence[str] = (),
    sensors: Sequence[Mapping[str, Any]] | None = None,
    q0: Any = None,
    qd0: Any = None,
    noise: ModelNoise | None = None,
    watch: Watch | None = None,
) -> Estimate:
    """Estimate the motion of a robot or a mechanism, torques and parameters from measurements: batch least squares.

    Hermite-Simpson integration, loops and dynamics hold nearly exactly (`noise`); parameters are unknowns that all
    samples share. Of robots, the equations of motion are one factor an instant: compiled inverse dynamics.

    Args:
        model: a robot (tree, floating or closed chain), or a mechanism.
        measurements: {"t": (N,) s, column: (N,), ...}, or a .csv file of these columns. Columns are named by sensors,
            with _x, _y, ... where they measure several numbers; "tau:NAME" are known torques of a motor or joint. NaN,
            or an empty cell, is what was not measured. A sensor, or a torque, with times of its own has them as
            "t:NAME" (k,); states are estimated at all times, and within longer gaps.
        parameters: of robots "LINK.mass" (kg; centre of mass and inertia about it stay), "JOINT.damping",
            "JOINT.armature"; of mechanisms names of parameters of the file, and of values by key and part.
        inputs: motors or joints whose torques are unknown.
        sensors: by default those of the mechanism's file, or on robots of columns named KIND:TARGET;
            [{"sensor": name, kind: target, "sigma": 0.01}, ...]. Kinds on robots: "joint_position", "joint_velocity",
            "joint_torque" of a joint; "position", "pose" (x, y, z, qx, qy, qz, qw), "gyroscope", "accelerometer" of a
            link or frame, the last two in its axes; "height" (m) of a frame's origin, as the terrain under a foot tells
            it; "contact" (1 where a frame's origin stands still, 0 where nothing pushes on it) and "force" (of a
            contact, N, in the frame's axes), whose frames get unknown forces. So do
            points of mechanisms with a "force" (N, along the ground's axes). More entries of sensors on robots:
            "delay" (s; what was so before the first t is left out), "bias" (standard deviation of a constant that it is
            off by), "huber" (residuals beyond so many standard deviations weigh less), "slip" (of contacts: feet that
            are further from rest than so many standard deviations slip, see `Estimate.slips`).
        q0: roughly the initial position (nq,), by default the neutral or the assembled one.
        qd0: roughly the initial velocity (nv,), by default rest, or that of the file.
        noise: standard deviations of the model; of dynamics as accelerations.
        watch: progress callback with the time (s) up to which samples are used; the search ends where it returns true.

    Raises:
        InputError: a bad argument, or a search that fails.
        ModelError: the mechanism cannot be assembled.
    """
    check_moves(model)
    table = load_table(measurements, missing=True)
    options: dict[str, Any] = {"inputs": inputs, "sensors": sensors, "q0": q0, "qd0": qd0, "noise": noise}
    names = tuple(parameters)
    try:
        return _estimate_model(model, table, names, watch=watch, **options)
    except SearchError as failure:  # begin again with unknown dampings of dampers that are as fast as a step
        dt = float(np.median(np.diff(np.asarray(table["t"], dtype=float))))
        for stiffer in UNKNOWNS[model.kind].stiffer_models(model, names, q0, dt):
            with suppress(SearchError):
                found = _estimate_model(stiffer, table, names, watch=watch, **options)
                if all(size < DOUBTFUL for size in found.misfit.values()):
                    return replace(found, run=replace(found.run, model=model))
        raise failure from None


class SearchError(InputError):
    """A search that failed."""


def _estimate_model(
    model: Model,
    measurements: Mapping[str, Any],
    parameters: Sequence[str],
    *,
    inputs: Sequence[str],
    sensors: Sequence[Mapping[str, Any]] | None,
    q0: Any,
    qd0: Any,
    noise: ModelNoise | None,
    watch: Watch | None,
) -> Estimate:
    """Search once. Raises SearchError where that fails."""
    noise = noise or ModelNoise()
    unknowns: Unknowns = UNKNOWNS[model.kind].from_model(model, parameters)
    with locate_names(None if sensors is not None else measurements):
        found = unknowns.sensors(sensors, measurements)
    data = validate_measurements(measurements, found, unknowns.labels)
    data = add_driven(model, data, noise)
    driven = unknowns.inputs_of(tuple(inputs))
    _check_known(unknowns.labels, driven, data)
    start = unknowns.start(q0, qd0, hold_driven(model, float(data.t[0])))
    count, slipping = FIRST, dict[str, np.ndarray]()
    unknowns = unknowns.fit_to(data, start[0])
    begun = (unknowns.first_position(data.sensors, measurements, start[0], noise.position), start[1])
    shared, values, failure = unknowns.parameters, {}, None
    if shared.names:
        values["parameters"] = (shared.values / shared.scale)[None]
    constants = [bias_unknown(sensor, 1) for sensor in data.sensors if sensor.bias and not sensor.walk]
    values |= {x.name: np.zeros((1, x.manifold.dim)) for x in constants}
    for count in _horizons(len(data.t)):
        unknowns, part = replace(unknowns, inputs=driven, count=count), _first(data, count)
        try:
            guess = extend_guess(unknowns, values, begun, part, list_walks(unknowns, data.sensors, noise))
        except InputError as error:
            raise failure or error from None
        believed = noise if count == len(data.t) else replace(noise, parameters=min(CAREFUL, noise.parameters))
        search = partial(_search_estimate, unknowns, start, believed, _looking(watch, part))
        if can_slip(data.sensors):
            result, values, slipping = search_without_slips(unknowns, part, slipping, search, guess)
        else:
            result, values = search(part, guess)
        if result.status is Status.INTERRUPTED and count == FIRST and not result.iterations:
            raise KeyboardInterrupt
        if result.status.is_stopped:
            break
        failure = None
        if not result.success:
            failure = _failure(unknowns, part, start, believed, result, guess)
        if failure and values is guess:
            raise failure
    else:
        if failure:
            raise failure
        _ = watch is not None and watch(float(data.t[-1] - data.t[0]))
    return _estimation(unknowns, drop_slipping(_first(data, count), slipping), noise, result)


def _search_estimate(
    unknowns: Unknowns,
    start: State,
    noise: ModelNoise,
    look: Callable[[Progress], Any] | None,
    data: Measurements,
    values: Mapping[str, np.ndarray],
) -> tuple[Result, Mapping[str, np.ndarray]]:
    return search_estimate(partial(_problem, unknowns, data, start, noise), values, look)


def _check_known(labels: Sequence[str], inputs: tuple[int, ...], data: Measurements) -> None:
    for column in inputs:
        if data.torques[:, column].any():
            raise InputError(f"the torque of {labels[column]} is both known and an unknown input", fix="leave out one")


def _horizons(count: int) -> Iterator[int]:
    """Yield how many samples to regard, doubling up to all."""
    now = FIRST
    while now < count:
        yield now
        now *= 2
    yield count


def _first(data: Measurements, count: int) -> Measurements:
    samples = tuple(s.first_instants(count) for s in data.samples)
    return replace(data, t=data.t[:count], samples=samples, torques=data.torques[:count])


def _looking(watch: Watch | None, data: Measurements) -> Callable[[Progress], Any] | None:
    """Return a callback that looks at the watch: 0 during the first search, then what is regarded for sure."""
    known = 0.0 if len(data.t) <= FIRST else float(data.t[len(data.t) // 2] - data.t[0])
    return None if watch is None else lambda progress: watch(known)


@dataclass(frozen=True)
class PositionPrior:
    """Positions less their expected value, in velocity coordinates."""

    manifold: Manifold

    def __call__(self, q: Any, *, mean: Any) -> Any:
        """Residual (nv,)."""
        return self.manifold.defect(mean, q)


def _problem(unknowns: Unknowns, data: Measurements, start: State, noise: ModelNoise, factor: float) -> Problem:
    """Return the factors of the model, with standard deviations so many times larger, the sensors, and the priors."""
    q, qd, *_ = states = unknowns.states()
    walks = list_walks(unknowns, data.sensors, noise)
    families = {x.name: x for x in (*states, *(walk.variables for walk in walks))}
    found = unknowns.model_factors(data.steps, data.torques, start[0], noise.times(factor))
    found += [factors for walk in walks for factors in random_walk_factors(walk, data)]
    for sensor, samples in zip(data.sensors, data.samples, strict=True):
        if len(samples.at):
            found += make_sensor_factors(unknowns, sensor, families, samples, noise)
    found.append(soft(PositionPrior(q.manifold), q[0], mean=start[0], sigma=noise.position, name="prior q"))
    found.append(make_prior(qd, start[1], noise.velocity))
    if unknowns.parameters.names:
        nominal = unknowns.parameters.values / unknowns.parameters.scale
        found.append(make_prior(unknowns.shared, nominal, noise.parameters))
    return Problem(found, states)


def _failure(
    unknowns: Unknowns,
    data: Measurements,
    start: State,
    noise: ModelNoise,
    result: Result,
    guess: Mapping[str, np.ndarray],
) -> SearchError:
    """Say how a search failed: what contradicts the model, or else what hardly anything but priors determines."""
    what = f"the estimate of the first {data.t[-1] - data.t[0]:g} s ends as {result.status.value}"
    of = compute_damped_covariances(result, [*unknowns.states()[:2], *((unknowns.tau,) if unknowns.inputs else ())])
    shared = unknowns.parameters
    weak = list(_find_unobserved(unknowns, noise, of)) if of else []
    if of and shared.names:
        (covariance,) = compute_damped_covariances(result, [unknowns.shared]).values()
        scale = np.outer(shared.scale, shared.scale)
        weak += find_undetermined(shared, shared.values, scale * covariance[0], noise.parameters)
    hardly = f"the measurements hardly determine {', '.join(weak)}"
    off = _misfits(unknowns, data, result)
    worst = max(off, key=lambda name: off[name])
    if off[worst] > DOUBTFUL:

        def problem(factor: float) -> Problem:
            return _problem(unknowns, data, start, replace(noise, dynamics=factor * noise.dynamics), 1.0)

        found = contradiction(unknowns.model, problem, guess)
        parts = [f"{worst} is off by {off[worst]:.3g} of its standard deviations", *([found] if found else [])]
        parts += [hardly] if weak else []
        fix = (
            "check masses, lengths, dampings and payloads there, signs, units and names of sensors and torques, and q0"
        )
        return SearchError(what, why="; ".join(parts), fix=fix)
    if weak:
        fix = "add sensors that do, or smaller priors: noise=ModelNoise(position=0.1, ...)"
        return SearchError(what, why=hardly, fix=fix)
    fix = "check sensors and units, give q0 nearer to where the motion begins, fewer parameters, or more noise"
    return SearchError(what, why=result.reason, fix=fix)


def _estimation(unknowns: Unknowns, data: Measurements, noise: ModelNoise, result: Result) -> Estimate:
    """Return what a solved graph says. Raises InputError where it leaves something undetermined."""
    found, shared, model, left = result.values, unknowns.parameters, unknowns.model, result.residuals
    of = {family.name: result.covariances(family) for family in unknowns.states()[:3]}
    states = (found["q"], found["qd"])
    tau, tau_sigma, columns = data.torques.copy(), np.zeros_like(data.torques), list(unknowns.inputs)
    if columns:
        of["tau"] = result.covariances(unknowns.tau)
        tau[:, columns], tau_sigma[:, columns] = found["tau"], _sigma(of["tau"])
    run = simulate_dynamics(dynamics_of(model), "estimate", tau, data.t, *states, qdd=found["qdd"], check_balance=False)
    forces, forces_sigma, wrenches = unknowns.contact_forces(result)
    run = replace(run, external_wrenches=wrenches)
    offsets, offsets_sigma = dict[str, np.ndarray](), dict[str, np.ndarray]()
    for sensor in (sensor for sensor in data.sensors if sensor.bias):
        offset = bias_unknown(sensor, unknowns.count)
        at = slice(None) if sensor.walk else 0
        offsets[sensor.name] = found[offset.name][at]
        offsets_sigma[sensor.name] = _sigma(result.covariances(offset))[at]
    values, covariance = np.zeros(0), np.zeros((0, 0))
    if shared.names:
        values = shared.scale * found["parameters"][0]
        covariance = np.outer(shared.scale, shared.scale) * result.covariance(unknowns.shared)
    _check_positive(unknowns, values, covariance)
    laws = [f for f in result.problem.factors if not f.name.startswith(BESIDES)]
    measured = [
        (s, samples, left.get(f"sensor {s.name}")) for s, samples in zip(data.sensors, data.samples, strict=True)
    ]
    return Estimate(
        run,
        *(_sigma(of["q"]), _sigma(of["qd"]), _sigma(of["qdd"]), tau_sigma),
        parameters=dict(zip(shared.names, values.tolist(), strict=True)),
        covariance=covariance,
        residuals={
            name: values for _, samples, r in measured for name, values in samples.spread(r, len(data.t)).items()
        },
        misfit=_misfits(unknowns, data, result),
        undetermined=find_undetermined(shared, values, covariance, noise.parameters),
        unobserved=_find_unobserved(unknowns, noise, of),
        model_error=max(float(np.abs(whiten_residual(left[f.name], dict(f.shared))).max()) for f in laws),
        model_errors=residuals_by_coordinate(model, result),
        result=result,
        forces=forces,
        forces_sigma=forces_sigma,
        offsets=offsets,
        offsets_sigma=offsets_sigma,
        slips=find_slips(unknowns, data, result) if can_slip(data.sensors) and not result.status.is_stopped else (),
    )


def _check_positive(unknowns: Unknowns, values: np.ndarray, covariance: np.ndarray) -> None:
    """Refuse masses that are negative beyond doubt. Raises InputError."""
    sigma = np.sqrt(np.diag(covariance))
    negative = unknowns.negative(values + NORMAL * sigma)
    if negative:
        names = unknowns.parameters.names
        found = ", ".join(f"{n} = {x:.4g} +- {s:.2g}" for n, x, s in zip(names, values, sigma, strict=True))
        raise InputError(
            f"the mass or inertia of {', '.join(negative)} comes out negative: {found}",
            why="the measurements contradict the model, or parameters and torques make up for each other",
            fix="fewer parameters or inputs, or smaller priors: noise=ModelNoise(parameters=0.2)",
        )


def _misfits(unknowns: Unknowns, data: Measurements, result: Result) -> dict[str, float]:
    left = result.residuals
    pairs = [(s, samples) for s, samples in zip(data.sensors, data.samples, strict=True) if len(samples.at)]
    return {s.name: rms_residual(samples, left[f"sensor {s.name}"], s.spread) for s, samples in pairs}


def _find_unobserved(unknowns: Unknowns, noise: ModelNoise, covariances: Mapping[str, Any]) -> tuple[str, ...]:
    """Return columns of initial positions and velocities, and of unknown torques, that only priors determine."""
    names = coordinate_names(unknowns.model)
    found = find_unobserved(covariances["q"][0], noise.position, [f"q:{name}" for name in names["qd"]])
    found += find_unobserved(covariances["qd"][0], noise.velocity, [f"qd:{name}" for name in names["qd"]])
    if unknowns.inputs:
        inputs = [f"tau:{names['tau'][i]}" for i in unknowns.inputs]
        found += find_unobserved(covariances["tau"][0], noise.torque, inputs)
    return tuple(found)


def _sigma(covariances: Float[np.ndarray, "N n n"]) -> Float[np.ndarray, "N n"]:
    return np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
