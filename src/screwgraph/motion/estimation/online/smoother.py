"""Fixed-lag estimates of a model in a loop of fixed rate: states, forces of contacts, torques, parameters, biases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.base_contact_forces import BaseContactForces
from screwgraph.motion.estimation.driven_coordinates import hold_driven, make_driven_sensors, read_driven
from screwgraph.motion.estimation.initial_guess import UNKNOWNS, Unknowns
from screwgraph.motion.estimation.mechanism_noise import ModelNoise
from screwgraph.motion.estimation.online.misfit import DOUBTFUL, OnlineMisfit
from screwgraph.motion.estimation.online.update_inputs import CompiledUpdates, Known, Readings, make_sensor_inputs
from screwgraph.motion.estimation.online.window import OnlineWindow
from screwgraph.motion.estimation.slip_detection import SlipTest
from screwgraph.optimize import FixedLag


class OnlineSmoother:
    """Estimates positions, velocities, accelerations, torques and forces of a robot or mechanism, update by update.

    The factors are those of `sg.estimate`, at instants `dt` apart, with trapezoidal integration, or Radau's where
    dampers of joints are faster than `dt`; a window of the last `window` instants is kept, what is older is
    marginalised. The first window begins where its first readings say, and is solved; from then on an update takes one
    Gauss-Newton step, so that a state converges over the updates that it is in the window; where a contact seems to
    slip, the window is solved before it is judged. Updates of small windows are one piece of machine code.
    """

    @check_arguments
    def __init__(
        self,
        model: Model,
        sensors: Sequence[Mapping[str, Any]] | None,
        dt: float,
        *,
        window: int = 4,
        parameters: Sequence[str] = (),
        inputs: Sequence[str] = (),
        q0: Any = None,
        qd0: Any = None,
        noise: ModelNoise | None = None,
        integrator: str | None = None,
        coordinates: str | None = None,
        parameter_rates: Mapping[str, float] | None = None,
        timed: Sequence[str] = (),
        t0: float = 0.0,
    ) -> None:
        """Begin before the first update.

        Args:
            model: robot (tree, floating or closed chain), or planar mechanism.
            sensors: as for `sg.estimate`; None are those of a mechanism's file. A delay ends at the nearest instant,
                which must be in the window. A contact is judged slipping when it is read.
            dt: time between updates (s).
            window: instants that are estimated together.
            parameters: unknown parameters that all instants share, as for `sg.estimate`.
            inputs: joints or motors whose torques are unknown.
            q0: position at the first update, roughly (nq,).
            qd0: velocity at the first update, roughly (nv,).
            noise: standard deviations of the model and of the beginning; of mechanisms that of independent coordinates.
            integrator: "trapezoidal", or one with points inside the steps, which is more exact where motions are fast
                and takes several times as long: "hermite_simpson", as `sg.estimate` has it, or, of robots, "radau". By
                default trapezoidal, or radau where dampers of joints are faster than `dt`.
            coordinates: of mechanisms, which coordinates are integrated: all ("spanning"), or independent ones, which
                takes less time where they determine the others ("independent"); by default these where they are angles.
            parameter_rates: by how much unknown parameters that drift change at random in the root of a second (SI
                units), by name; by default none does.
            timed: sensors whose readings have a column "age:SENSOR": how long before the update they came (s), by
                default 0; their delay is then exact. A reading is of a state between two instants, and one an update.
            t0: time of the first update (s), of models with driven coordinates.

        Raises:
            InputError: a bad argument.
        """
        if not dt > 0.0 or isinstance(window, bool) or not isinstance(window, int) or window < 2:
            raise InputError(
                f"dt = {dt!r}, window = {window!r}", fix="give a positive time (s), and 2 or more instants"
            )
        self.model, self.dt, self.noise = model, float(dt), noise or ModelNoise()
        unknowns: Unknowns = UNKNOWNS[model.kind].from_model(model, tuple(parameters))
        self._t0, self._driven = float(t0), make_driven_sensors(model, self.noise)
        self.sensors = (*unknowns.sensors(sensors, None), *self._driven)
        self._start = unknowns.start(q0, qd0, hold_driven(model, t0))
        rates = _validate_rates(parameter_rates or {}, unknowns.parameters.names)
        unknowns = replace(unknowns, inputs=unknowns.inputs_of(tuple(inputs)), drifting=bool(rates))
        unknowns = unknowns.in_window(window, self.dt, self._start[0], self.sensors, integrator, coordinates)
        self._unknowns, self._readings = unknowns, Readings.from_sensors(unknowns, self.sensors, self.dt, timed)
        self._window = OnlineWindow(self.dt, self.noise, unknowns, self._readings, self._start, rates)
        self._slips = SlipTest(unknowns, [s for s in self._readings.contacts if s.slip])
        self._lag: FixedLag | None = None
        self._compiled: CompiledUpdates | None = None
        self._waiting: list[tuple[Mapping[str, float], Known, np.ndarray]] = []
        self.converged = False
        """Whether the search for the first window converged; if not, first estimates may be wrong."""
        self._tau = np.zeros(len(unknowns.labels))
        self.count = 0
        """Updates so far."""
        self.slipping: tuple[str, ...] = ()
        """Frames whose contact was reported by the last update, but which slip; see `sg.estimate`."""

    @property
    def t(self) -> float:
        """Time since the first update (s)."""
        return max(self.count - 1, 0) * self.dt

    @property
    def window(self) -> int:
        """Instants that are estimated together."""
        return self._unknowns.count

    @property
    def columns(self) -> frozenset[str]:
        """Columns that readings may have."""
        return frozenset(self._readings.names).difference(*(sensor.columns for sensor in self._driven))

    @property
    def families(self) -> tuple[str, ...]:
        """Names of the unknowns of each instant; independent coordinates are z, zd, zdd. None before a full window."""
        return () if self._lag is None else tuple(v.name for v in self._lag.problem.families if v.count > 1)

    @property
    def torques(self) -> tuple[str, ...]:
        """Names of the coordinates that torques act on."""
        return self._unknowns.labels

    @property
    def past(self) -> tuple[Float[np.ndarray, "W nq"], Float[np.ndarray, "W nv"], Float[np.ndarray, "W nv"]]:
        """Positions, velocities and accelerations of all instants of the window, the oldest first.

        Raises:
            InputError: the window is not full yet.
        """
        values = self._full().values
        return values["q"], values["qd"], values["qdd"]

    @property
    def q(self) -> Float[np.ndarray, " nq"]:
        """Position now."""
        return self._start[0].copy() if self._lag is None else self._now("q")

    @property
    def qd(self) -> Float[np.ndarray, " nv"]:
        """Velocity now."""
        return self._start[1].copy() if self._lag is None else self._now("qd")

    @property
    def qdd(self) -> Float[np.ndarray, " nv"]:
        """Acceleration now; zero before the window is full."""
        return np.zeros(self.model.nv) if self._lag is None else self._now("qdd")

    @property
    def tau(self) -> Float[np.ndarray, " nt"]:
        """Torques now, known and estimated ones (N m, N); unknown ones are zero before the window is full."""
        tau = self._tau.copy()
        if self._lag is not None and self._unknowns.inputs:
            tau[list(self._unknowns.inputs)] = self._now("tau")
        return tau

    @property
    def forces(self) -> dict[str, Float[np.ndarray, "3"]]:
        """Forces of contacts now by frame or point (N), in the base's axes; none before the window is full."""
        if self._lag is None or not self._unknowns.pushed:
            return {}
        return {frame: force[0] for frame, force in self._contact_forces(self._full().values).items()}

    @property
    def offsets(self) -> dict[str, Float[np.ndarray, " m"]]:
        """Biases of sensors that have one, now; none before the window is full."""
        if self._lag is None:
            return {}
        return {name: self._now(x.name) for name, (_, x) in self._readings.biases.items()}

    @property
    def parameters(self) -> dict[str, float]:
        """Unknown parameters (SI units); those of the file before the window is full."""
        own = self._unknowns.parameters
        values = own.values if self._lag is None or not own.names else own.scale * self._now("parameters")
        return dict(zip(own.names, values.tolist(), strict=True))

    @property
    def misfit(self) -> dict[str, float]:
        """Root mean square residual of each sensor in its standard deviations, the last some 200 updates' most.

        Residuals are those of readings as they leave the window: at most 1 where sensors, their units and the model are
        right. Sensors of joints of one kind count together. Of fewer than 50 readings, nothing is said.
        """
        return {} if self._lag is None else self._misfit.sizes

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why estimates may be wrong: a sentence each."""
        found = (
            []
            if self._lag is None or self.converged
            else ["the search for the first window did not converge: first estimates, and contacts, may be wrong"]
        )
        for name, size in self.misfit.items():
            if not size <= DOUBTFUL:
                found.append(
                    f"the residuals of {name} are {size:.3g} of its standard deviations: check unit and sigma, masses, "
                    "lengths and torques"
                )
        return tuple(found)

    def sigma(self) -> dict[str, Float[np.ndarray, " n"]]:
        """Return standard deviations now by family: q (in velocity coordinates), qd, qdd, forces, tau, parameters.

        Those of torques are of unknown ones, those of forces in the base's axes, those of offsets are called
        "offset SENSOR".

        Raises:
            InputError: the window is not full yet, or something is not determined.
        """
        lag, unknowns = self._full(), self._unknowns
        found = {name: np.sqrt(np.diagonal(c[-1])) for name, c in lag.covariances().items()}
        if unknowns.pushed:
            joint, places = lag.covariance(), lag.places_in_step(("q", "forces"))
            found["forces"] = np.concatenate(
                [
                    sigma[0]
                    for sigma in self._contact_forces.sigma(lag.values, joint[None][:, places][:, :, places]).values()
                ]
            )
        if unknowns.parameters.names:
            found["parameters"] = unknowns.parameters.scale * found["parameters"]
        return found

    def covariance(self, *families: str) -> Float[np.ndarray, "n n"]:
        """Return the joint covariance now of some of `families`, in their order there; q in velocity coordinates.

        Raises:
            InputError: the window is not full yet, no such family, or something is not determined.
        """
        lag = self._full()
        for name in families:
            if name not in self.families:
                raise make_unknown_name_error("family of unknowns", name, self.families)
        places = lag.places_in_step(families)
        return lag.covariance()[np.ix_(places, places)]

    def update(self, readings: Mapping[str, float], tau: Any = None) -> None:
        """Take what was read now, and estimate.

        Args:
            readings: by column, named as for `sg.estimate`; what is NaN or left out was not measured.
            tau: torques and forces of all coordinates or motors (nt,), zero where they are unknown; by default none.

        Raises:
            InputError: no such column, torques of another shape, or of joints whose torques are unknown.
        """
        unknowns = self._unknowns
        torques = np.zeros(len(unknowns.labels)) if tau is None else validate_numbers("tau", tau)
        if torques.shape != (len(unknowns.labels),):
            raise InputError(f"tau has the shape {torques.shape}, expected ({len(unknowns.labels)},)")
        if tau is not None and torques[list(unknowns.inputs)].any():
            raise InputError("tau has torques of inputs, which are unknown", fix="give zero for these")
        if self._driven:
            readings = {**readings, **read_driven(self.model, self._driven, self._t0 + self.count * self.dt)}
        if self._compiled is not None:
            read = self._readings.as_vector(readings)
            self._misfit.take(self._compiled.take(read, torques), read)
        elif self._lag is not None:
            known = {**self._readings.read(readings), **unknowns.make_torque_parameters(self._tau, torques)}
            self._misfit.take(self._lag.advance(parameters=known), self._readings.as_vector(readings))
            weights = self._slips.weights(self._lag)
            self._lag.step()
            self._judge(self._lag, known, weights)
        else:
            self._wait(readings, torques)
        self._tau = torques
        self.count += 1

    def _wait(self, readings: Mapping[str, float], torques: Float[np.ndarray, " nt"]) -> None:
        """Keep what was read until the window is full; then search for it."""
        known = self._readings.read(readings)
        self._waiting.append((dict(readings), known, torques))
        if len(self._waiting) < self.window:
            return
        read, every, pushing = zip(*self._waiting, strict=True)
        guess = self._window.first_position(self.sensors, read)
        begun = self._window.begun(list(every), np.array(pushing), guess)
        self._lag, self.converged = self._window.search(begun)
        self._judge(self._lag, known, None)
        self._go_on(torques)

    def _go_on(self, torques: Float[np.ndarray, " nt"]) -> None:
        """Compile updates where the window is small, and no contact is judged."""
        self._compiled = None
        lag = self._full()
        self._misfit = OnlineMisfit(self._readings, lag)
        if lag.is_small and not self._window.is_judged:
            front = replace(make_sensor_inputs(self._readings, torques), with_costs=True)
            free = [i for i in range(len(torques)) if i not in self._unknowns.inputs]
            self._compiled = CompiledUpdates(lag, lag.functions(front)["update"], free)

    def functions(self) -> dict[str, Function]:
        """Return `start` and `update` for other programs (`sg.export_library`), which go on where this one stands.

        `update` takes the state, readings by column (NaN where nothing was measured) and torques but those of inputs;
        it gives the next state, q, qd, qdd and other unknowns now, and the cost before its step.

        Raises:
            InputError: the window is not full yet, or too large for code without loops; contacts are judged slipping.
        """
        return self._full().functions(make_sensor_inputs(self._readings, self._tau))

    def save(self, path: str | Path) -> None:
        """Write where the smoother stands to a .npz file, for `loaded`: as a whole or not at all.

        Raises:
            InputError: the window is not full yet, numbers are not finite, or the file cannot be written.
        """
        self._full().save(path, **self._besides)

    @property
    def _besides(self) -> dict[str, np.ndarray]:
        """Return the entries of a file besides those of the window."""
        return {"count": np.array(self.count), "tau": self._tau, "converged": np.array(bool(self.converged))}

    def loaded(self, path: str | Path) -> OnlineSmoother:
        """Return a smoother of this one's model, sensors and window that goes on where one was saved.

        Raises:
            InputError: the file cannot be read, is damaged, or is of another window.
        """
        still, blank = np.zeros((self.window, len(self._unknowns.labels))), self._readings.read({})
        lag, found = self._window.begun([blank] * self.window, still, self._start[0]), copy(self)
        found._lag, more = lag.loaded_with(path, **self._besides)
        found.count, found._tau, found._waiting, found.slipping = int(more["count"]), more["tau"], [], ()
        found.converged = bool(more["converged"])
        found._go_on(found._tau)
        return found

    @cached_property
    def _contact_forces(self) -> BaseContactForces:
        return self._unknowns.told_forces(slice(self.window - 1, self.window))

    def _now(self, family: str) -> np.ndarray:
        """Return the values of a family at the last instant."""
        values = self._full().values if self._compiled is None else self._compiled.values
        return values[family][-1].copy()

    def _full(self) -> FixedLag:
        """Return the window where it stands. Raises InputError before it is full."""
        if self._lag is None:
            raise InputError("nothing is estimated yet", why=f"the window has {self.window} instants")
        return self._lag if self._compiled is None else self._compiled.lag

    def _judge(self, lag: FixedLag, known: Known, weights: Float[np.ndarray, " m"] | None) -> None:
        """Leave out contacts that were read now, where their feet slip: one after the other, the furthest first.

        `weights` are those of contacts in the step that was taken last.
        """
        self.slipping, test = (), self._slips
        left = [i for i, s in enumerate(test.contacts) if known[f"sensor {s.name}"]["measured"][0] > 0.0]
        if not left or (weights is not None and not test.suspicious(lag, weights, left)):
            return
        lag.solve()  # what one step left of the residuals is no slip
        while left and (away := test.deviations(lag, left)).max() > 1.0:
            sensor = test.contacts[left.pop(int(away.argmax()))]
            self.slipping = (*self.slipping, sensor.target)
            lag.revise({f"sensor {sensor.name}": {"measured": np.zeros(1)}})
            lag.solve()


def _validate_rates(rates: Mapping[str, float], names: Sequence[str]) -> Mapping[str, float]:
    for name, rate in rates.items():
        if name not in names:
            raise make_unknown_name_error("unknown parameter", name, names)
        if not 0.0 < rate < np.inf:
            raise InputError(f"the rate {rate!r} of {name} is not positive", fix="leave out what does not drift")
    return rates
