"""Fixed-lag estimates of a robot in a loop of fixed rate: states, forces of contacts, torques, parameters, biases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.model.robot import Robot
from screwgraph.motion.estimation.base_contact_forces import BaseContactForces
from screwgraph.motion.estimation.mechanism_noise import ModelNoise
from screwgraph.motion.estimation.online_sensors import Known, Readings, make_sensor_inputs
from screwgraph.motion.estimation.online_window import OnlineWindow
from screwgraph.motion.estimation.parameters import find_parameters
from screwgraph.motion.estimation.robot_motion_graph import Motion, get_mechanics
from screwgraph.motion.estimation.sensors import list_contact_frames, parse_sensors
from screwgraph.motion.estimation.slip_detection import SlipTest
from screwgraph.motion.estimation.window_rules import choose_rule, find_rule
from screwgraph.motion.integration_rules import TRAPEZOIDAL
from screwgraph.motion.simulation import dynamics_of
from screwgraph.optimize import FixedLag, Status


class RobotSmoother:
    """Estimates positions, velocities, accelerations and forces of contacts of a robot, update by update.

    The factors are those of `sg.estimate`, at instants `dt` apart, with trapezoidal integration, or Radau's where
    dampers of joints are faster than `dt`; a window of the last `window` instants is kept, what is older is
    marginalised. The first window begins where its first readings say, and is solved; from then on an update takes one
    Gauss-Newton step, so that a state converges over the updates that it is in the window; where a contact seems to
    slip, the window is solved before it is judged.
    """

    @check_arguments
    def __init__(
        self,
        robot: Robot,
        sensors: Sequence[Mapping[str, Any]],
        dt: float,
        *,
        window: int = 4,
        parameters: Sequence[str] = (),
        inputs: Sequence[str] = (),
        q0: Any = None,
        qd0: Any = None,
        noise: ModelNoise | None = None,
        integrator: str | None = None,
    ) -> None:
        """Begin before the first update.

        Args:
            robot: tree, floating or closed chain.
            sensors: as for `sg.estimate`. A delay ends at the nearest instant, which must be in the window. A contact
                is judged slipping when it is read.
            dt: time between updates (s).
            window: instants that are estimated together.
            parameters: unknown "LINK.mass" (kg), "JOINT.damping", "JOINT.armature", that all instants share.
            inputs: joints whose torques are unknown.
            q0: position at the first update, roughly (nq,).
            qd0: velocity at the first update, roughly (nv,).
            noise: standard deviations of the model and of the beginning.
            integrator: "trapezoidal", or one with points inside the steps, which is more exact where motions are fast
                and takes several times as long: "hermite_simpson", as `sg.estimate` has it, or "radau". By default
                trapezoidal, or radau where dampers of joints are faster than `dt`.

        Raises:
            InputError: a bad argument.
        """
        if not dt > 0.0 or isinstance(window, bool) or not isinstance(window, int) or window < 2:
            raise InputError(
                f"dt = {dt!r}, window = {window!r}", fix="give a positive time (s), and 2 or more instants"
            )
        self.robot, self.dt, self.noise = robot, float(dt), noise or ModelNoise()
        mechanics = get_mechanics(robot)
        self.sensors = parse_sensors(mechanics, sensors)
        driven = tuple(sorted(set(mechanics.columns(tuple(inputs), "joint"))))
        shared, pushed = find_parameters(robot, tuple(parameters)), list_contact_frames(self.sensors)
        self._start = dynamics_of(robot).start(q0, qd0)
        rule = find_rule(integrator) or choose_rule(robot, self._start[0], self.dt, TRAPEZOIDAL)
        self._motion = Motion(mechanics, window, rule, driven, shared, is_window=True, pushed=pushed)
        self._readings = Readings.from_sensors(self._motion, self.sensors, self.dt)
        self._window = OnlineWindow(robot, self.dt, self.noise, self._motion, self._readings, self._start)
        self._slips = SlipTest(self._motion, [s for s in self._readings.contacts if s.slip])
        self._forces = BaseContactForces(self._motion, slice(window - 1, window))
        self._lag: FixedLag | None = None
        self._waiting: list[Known] = []
        self._read: list[Mapping[str, float]] = []
        self.converged = False
        """Whether the search for the first window converged; if not, first estimates may be wrong."""
        self._tau = np.zeros(robot.nv)
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
        return self._motion.count

    @property
    def columns(self) -> frozenset[str]:
        """Columns that readings may have."""
        return frozenset(self._readings.names)

    @property
    def torques(self) -> tuple[str, ...]:
        """Names of the coordinates that torques act on."""
        return self._motion.mechanics.labels

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
        return self._start[0].copy() if self._lag is None else self._lag.values["q"][-1]

    @property
    def qd(self) -> Float[np.ndarray, " nv"]:
        """Velocity now."""
        return self._start[1].copy() if self._lag is None else self._lag.values["qd"][-1]

    @property
    def qdd(self) -> Float[np.ndarray, " nv"]:
        """Acceleration now; zero before the window is full."""
        return np.zeros(self.robot.nv) if self._lag is None else self._lag.values["qdd"][-1]

    @property
    def tau(self) -> Float[np.ndarray, " nv"]:
        """Torques now, known and estimated ones (N m, N); unknown ones are zero before the window is full."""
        tau = self._tau.copy()
        if self._lag is not None and self._motion.inputs:
            tau[list(self._motion.inputs)] = self._lag.values["tau"][-1]
        return tau

    @property
    def forces(self) -> dict[str, Float[np.ndarray, "3"]]:
        """Forces of contacts now by frame (N), in the base's axes; none before the window is full."""
        if self._lag is None or not self._motion.pushed:
            return {}
        return {frame: force[0] for frame, force in self._forces(self._lag.values).items()}

    @property
    def offsets(self) -> dict[str, Float[np.ndarray, " m"]]:
        """Biases of sensors that have one, now; none before the window is full."""
        if self._lag is None:
            return {}
        return {name: self._lag.values[x.name][-1] for name, (_, x) in self._readings.biases.items()}

    @property
    def parameters(self) -> dict[str, float]:
        """Unknown parameters (SI units); those of the file before the window is full."""
        own = self._motion.parameters
        values = own.values if self._lag is None or not own.names else own.scale * self._lag.values["parameters"][0]
        return dict(zip(own.names, values.tolist(), strict=True))

    def sigma(self) -> dict[str, Float[np.ndarray, " n"]]:
        """Return standard deviations now by family: q (in velocity coordinates), qd, qdd, forces, tau, parameters.

        Those of torques are of unknown ones, those of forces in the base's axes, those of offsets are called
        "offset SENSOR".

        Raises:
            InputError: the window is not full yet, or something is not determined.
        """
        lag = self._full()
        found = {name: np.sqrt(np.diagonal(c[-1])) for name, c in lag.covariances().items()}
        if self._motion.pushed:
            joint, places = lag.covariance(), _directions(self._motion, lag)
            found["forces"] = np.concatenate(
                [sigma[0] for sigma in self._forces.sigma(lag.values, joint[None][:, places][:, :, places]).values()]
            )
        if self._motion.parameters.names:
            found["parameters"] = self._motion.parameters.scale * found["parameters"]
        return found

    def update(self, readings: Mapping[str, float], tau: Any = None) -> None:
        """Take what was read now, and estimate.

        Args:
            readings: by column, named as for `sg.estimate`; what is NaN or left out was not measured.
            tau: torques and forces of all coordinates (nv,), zero where they are unknown; by default none.

        Raises:
            InputError: no such column, torques of another shape, or of joints whose torques are unknown.
        """
        torques = np.zeros(self.robot.nv) if tau is None else np.asarray(tau, dtype=float)
        if torques.shape != (self.robot.nv,):
            raise InputError(f"tau has the shape {torques.shape}, expected ({self.robot.nv},)")
        if torques[list(self._motion.inputs)].any():
            raise InputError("tau has torques of inputs, which are unknown", fix="give zero for these")
        known = {**self._readings.read(readings), **self._motion.known(self._tau, torques)}
        self._tau = torques
        self.count += 1
        if self._lag is not None:
            self._lag.advance(parameters=known)
            weights = self._slips.weights(self._lag)
            self._lag.step()
            self._judge(self._lag, known, weights)
        else:
            self._waiting.append(known)
            self._read.append(dict(readings))
            if len(self._waiting) == self._motion.count:
                self._lag = self._window.begun(self._waiting, self._window.first_position(self.sensors, self._read))
                self.converged = self._lag.solve().status is Status.CONVERGED
                self._judge(self._lag, known, None)

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
        self._full().save(path, count=np.array(self.count), tau=self._tau, converged=np.array(self.converged))

    def loaded(self, path: str | Path) -> RobotSmoother:
        """Return a smoother of this one's robot, sensors and window that goes on where one was saved.

        Raises:
            InputError: the file cannot be read, is damaged, or is of another window.
        """
        still = np.zeros(self.robot.nv)
        blank = {**self._readings.read({}), **self._motion.known(still, still)}
        lag, found = self._window.begun([blank] * self._motion.count, self._start[0]), copy(self)
        found._lag, more = lag.loaded_with(path, "count", "tau", "converged")
        found.count, found._tau, found._waiting, found.slipping = int(more["count"]), more["tau"], [], ()
        found.converged = bool(more["converged"])
        return found

    def _full(self) -> FixedLag:
        if self._lag is None:
            raise InputError("nothing is estimated yet", why=f"the window has {self._motion.count} instants")
        return self._lag

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


def _directions(motion: Motion, lag: FixedLag) -> list[int]:
    """Return the places of a position's and of the forces' directions among those of a step."""
    found, start = list[int](), 0
    for family in (v for v in lag.problem.families if v.count > 1):
        dim = family.manifold.dim
        found += range(start, start + dim) if family.name in ("q", motion.forces.name) else []
        start += dim
    return found
