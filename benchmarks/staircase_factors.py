"""The factors of GTSAM's smoother over the staircase data, for its optimisers and for Gauss-Newton steps on them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from jaxtyping import Float

from benchmarks.staircase import SENSOR, Event, at_least, events, helpers, start

Update = Callable[[Any, Any, dict[int, float]], Any]
"""From new factors, new values and times of keys to all values that are estimated."""


def positions(update: Update, count: int | None = None) -> Float[np.ndarray, "E 3"]:
    """Return positions (m) after each event, estimated by `update`."""
    gtsam = import_module("gtsam")
    graph = _Graph(gtsam)
    given = list(events())[:count]
    values = update(*graph.begun(given[0]))
    return np.array([graph.moved(event, update, values) for event in given[1:]])


class _Graph:
    """What is added at each event."""

    def __init__(self, gtsam: Any) -> None:
        self.gtsam, self.given = gtsam, helpers().make_legged_estimator_params()
        noise = gtsam.noiseModel
        self.contact = noise.Gaussian.Covariance(self.given.contactCovariance)
        self.height, self.touchdown = noise.Isotropic.Sigma(1, 0.02), noise.Isotropic.Sigma(3, 0.5)
        self.bias_key, self.step, self.now = gtsam.symbol("z", 0), 0, 0.0
        self.episodes, self.feet = [0] * 4, dict[int, int]()

    def begun(self, event: Event) -> tuple[Any, Any, dict[int, float]]:
        """Return the first factors and values."""
        gtsam, (state, spread) = self.gtsam, start()
        covariance = gtsam.noiseModel.Gaussian.Covariance
        self.base, self.bias = gtsam.NavState(state.rotation(), state.x(0), state.x(1)), gtsam.imuBias.ConstantBias()
        self.preintegrated = gtsam.PreintegratedImuMeasurements(self.given.preintegrationParams, self.bias)
        graph, values, first = gtsam.NonlinearFactorGraph(), gtsam.Values(), gtsam.symbol("x", 0)
        graph.add(gtsam.PriorFactorNavState(first, self.base, covariance(at_least(spread[:9, :9]))))
        tight = gtsam.noiseModel.Isotropic.Sigma(6, 1e-6)
        graph.add(gtsam.PriorFactorConstantBias(self.bias_key, self.bias, tight))
        values.insert(first, self.base)
        values.insert(self.bias_key, self.bias)
        for foot in event.contacts:
            i = 9 + 3 * foot
            key = self._stand(foot)
            graph.add(
                gtsam.PriorFactorPoint3(key, state.x(2 + foot), covariance(at_least(spread[i : i + 3, i : i + 3])))
            )
            values.insert(key, state.x(2 + foot))
        return graph, values, dict.fromkeys(values.keys(), 0.0)

    def moved(self, event: Event, update: Update, values: Any) -> np.ndarray:
        """Return the position after an event."""
        gtsam = self.gtsam
        for gyroscope, accelerometer, dt in event.readings:
            self.preintegrated.integrateMeasurement(accelerometer, gyroscope, dt)
            self.now += dt
        base = self.preintegrated.predict(self.base, self.bias)
        graph, values, self.step = gtsam.NonlinearFactorGraph(), gtsam.Values(), self.step + 1
        before, here = gtsam.symbol("x", self.step - 1), gtsam.symbol("x", self.step)
        graph.add(gtsam.ImuFactor2(before, here, self.bias_key, self.preintegrated))
        values.insert(here, base)
        self.feet = {foot: key for foot, key in self.feet.items() if foot in event.contacts}
        for foot, point in event.contacts.items():
            seen = point - SENSOR
            if foot not in self.feet or foot in event.touchdowns:
                key, where = self._stand(foot), base.attitude().matrix() @ seen + base.position()
                graph.add(gtsam.PriorFactorPoint3(key, where, self.touchdown))
                values.insert(key, where)
            key = self.feet[foot]
            graph.add(gtsam.CustomFactor(self.contact, [here, key], _contact(here, key, seen)))
            if event.height is not None:
                graph.add(gtsam.CustomFactor(self.height, [key], _height(key, event.height)))
        times = dict.fromkeys([self.bias_key, here, *self.feet.values()], self.now)
        found = update(graph, values, times)
        self.base, self.bias = found.atNavState(here), found.atConstantBias(self.bias_key)
        self.preintegrated.resetIntegrationAndSetBias(self.bias)
        return np.array(self.base.position())

    def _stand(self, foot: int) -> int:
        self.episodes[foot] += 1
        self.feet[foot] = self.gtsam.symbol("abcd"[foot], self.episodes[foot])
        return self.feet[foot]


def _contact(base: int, foot: int, seen: np.ndarray) -> Callable:
    def error(_: Any, values: Any, jacobians: list | None) -> np.ndarray:
        state = values.atNavState(base)
        R = state.attitude().matrix()
        q = R.T @ (values.atPoint3(foot) - state.position())
        if jacobians is not None:
            turned = np.array([[0.0, -q[2], q[1]], [q[2], 0.0, -q[0]], [-q[1], q[0], 0.0]])
            jacobians[0], jacobians[1] = np.hstack([turned, -np.eye(3), np.zeros((3, 3))]), R.T
        return q - seen

    return error


def _height(foot: int, height: float) -> Callable:
    def error(_: Any, values: Any, jacobians: list | None) -> np.ndarray:
        if jacobians is not None:
            jacobians[0] = np.array([[0.0, 0.0, 1.0]])
        return np.array([values.atPoint3(foot)[2] - height])

    return error


def batch_fixed_lag(lag: float, parameters: Any) -> Update:
    """Return GTSAM's `BatchFixedLagSmoother`."""
    smoother = import_module("gtsam").BatchFixedLagSmoother(lag, parameters)

    def update(graph: Any, values: Any, times: dict[int, float]) -> Any:
        smoother.update(graph, values, times)
        return smoother.calculateEstimate()

    return update


def levenberg_marquardt(lambda_: float = 1e-8, tolerance: float = 1e-13) -> Any:
    """Return parameters of GTSAM's optimisers."""
    found = import_module("gtsam").LevenbergMarquardtParams()
    found.setlambdaInitial(lambda_)
    found.setMaxIterations(100)
    found.setRelativeErrorTol(tolerance)
    found.setAbsoluteErrorTol(tolerance)
    return found


class FirstEstimates:
    """Gauss-Newton steps until estimates stay; what was tied to what left the lag keeps its linearisation."""

    def __init__(self, lag: float, tolerance: float = 1e-9) -> None:
        self.gtsam, self.lag, self.tolerance = import_module("gtsam"), lag, tolerance
        self.factors, self.values, self.times = [], self.gtsam.Values(), dict[int, float]()
        self.kept = set[int]()

    def __call__(self, graph: Any, values: Any, times: dict[int, float]) -> Any:
        """Return estimates with new factors."""
        self.values.insert(values)
        self.times |= times
        self.factors += [graph.at(i) for i in range(graph.size())]
        for _ in range(60):
            linear = self._graph(self.factors).linearize(self.values)
            step = linear.optimize()
            free = [key for key in list(self.values.keys()) if key not in self.kept]
            self.values = self.values.retract(self._only(step, free))
            if max(np.abs(step.at(key)).max() for key in free) < self.tolerance:
                break
        found = self.values.retract(self._only(step, self.kept))
        self._leave([key for key, t in self.times.items() if t < max(self.times.values()) - self.lag])
        return found

    def _leave(self, keys: list[int]) -> None:
        """Marginalise."""
        if not keys:
            return
        leaving, order = set(keys), self.gtsam.Ordering()
        for key in keys:
            order.push_back(key)
        gone = [f for f in self.factors if leaving & set(f.keys())]
        left = self._graph(gone).linearize(self.values).eliminatePartialMultifrontal(order)[1]
        wrapped = self.gtsam.LinearContainerFactor.ConvertLinearGraph(left, self.values)
        more = [wrapped.at(i) for i in range(wrapped.size())]
        self.factors = [f for f in self.factors if not leaving & set(f.keys())] + more
        for key in keys:
            self.values.erase(key)
            del self.times[key]
        self.kept = (self.kept - leaving).union(*(f.keys() for f in more))

    def _graph(self, factors: list[Any]) -> Any:
        graph = self.gtsam.NonlinearFactorGraph()
        for factor in factors:
            graph.add(factor)
        return graph

    def _only(self, step: Any, keys: Any) -> Any:
        found = self.gtsam.VectorValues()
        for key in list(self.values.keys()):
            found.insert(key, step.at(key) if key in set(keys) else 0.0 * step.at(key))
        return found
