"""What may be asked of a model by name: one line each in `FUNCTIONS`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Exportable, Function, Order
from screwgraph.mechanics.dynamics import bias_forces, forward_dynamics, hybrid_dynamics, inverse_dynamics, mass_matrix
from screwgraph.mechanics.kinematics import (
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    center_of_mass_velocity,
    centroidal_momentum,
    centroidal_momentum_matrix,
    centroidal_momentum_rate,
    coriolis_matrix,
    forward_kinematics,
    frame_acceleration,
    frame_jacobian,
    frame_velocity,
    inverse_kinematics,
    kinetic_energy,
    potential_energy,
)
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import GEOMETRY, KINDS, LOOPS, MASSES, ROTORS, WEIGHTS, parameters_of
from screwgraph.motion.simulation.step_options import StepOptions

Model = Robot | Mechanism
TYPICAL_STEP = 1e-3
"""The step (s) that a mechanism's time step is meant for; any other may be given."""


@dataclass(frozen=True)
class Choice:
    """Options that all functions of a model share: the order, external wrenches, live parameters, actuators."""

    __repr__ = one_line

    ordering: Order = "auto"
    external_wrenches: tuple[str, ...] = ()
    accelerations: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    payload: str | None = None
    actuators: bool = False

    def live(self, model: Model, kinds: Collection[str]) -> dict[str, Any]:
        """Return those parameters that are of some kinds, as keyword arguments."""
        if isinstance(model, Mechanism):
            return {"parameters": self.parameters}
        found = parameters_of(model, self.parameters, self.payload)
        named = tuple(p.name for p in found if p.kind in kinds)
        return {"parameters": named, "payload": self.payload} if "payload" in kinds else {"parameters": named}


@dataclass(frozen=True)
class Kind:
    """A function that a name stands for: `make` takes the model, the frame that is named, and what was chosen.

    `uses` names the fields of a `Choice` that matter to it, live parameters aside.
    """

    __repr__ = one_line

    about: str
    make: Callable[[Any, str, Choice], Exportable]
    uses: tuple[str, ...] = ()
    of_frame: bool = False


def _dynamics(query: Callable[..., Function]) -> Callable[[Any, str, Choice], Function]:
    def make(model: Model, frame: str, c: Choice) -> Function:
        shared = {"ordering": c.ordering, "external_wrenches": c.external_wrenches, **c.live(model, KINDS)}
        return query(model, actuators=c.actuators, **shared)

    return make


def _hybrid(model: Model, frame: str, c: Choice) -> Function:
    live = c.live(model, KINDS)
    return hybrid_dynamics(model, c.accelerations, ordering=c.ordering, external_wrenches=c.external_wrenches, **live)


def _bias(model: Model, frame: str, c: Choice) -> Function:
    live = c.live(model, [kind for kind in KINDS if kind not in LOOPS])
    return bias_forces(model, ordering=c.ordering, external_wrenches=c.external_wrenches, **live)


def _of_frame(query: Callable[..., Function]) -> Callable[[Any, str, Choice], Function]:
    return lambda model, frame, c: query(model, frame, **c.live(model, GEOMETRY))


def _of_model(query: Callable[..., Function], kinds: Collection[str]) -> Callable[[Any, str, Choice], Function]:
    return lambda model, frame, c: query(model, **c.live(model, kinds))


def _derivatives(query: Callable[..., Function], third: str) -> Callable[[Any, str, Choice], Function]:
    def make(model: Model, frame: str, c: Choice) -> Function:
        f = _dynamics(query)(model, frame, c)
        by = "effort" if c.actuators and third == "tau" else third
        return f.jacobian("q", "qd", by)

    return make


def _step(model: Model, frame: str, c: Choice) -> Function:
    return StepOptions(parameters=c.parameters, payload=c.payload).step_of(model, TYPICAL_STEP)


_ORDERED = ("ordering", "external_wrenches")
_DRIVEN = (*_ORDERED, "actuators")


def _inverse(model: Model, frame: str, c: Choice) -> Exportable:
    return inverse_kinematics(model, frame)


FUNCTIONS: Mapping[str, Kind] = {
    "forward": Kind("accelerations qdd(q, qd, tau)", _dynamics(forward_dynamics), _DRIVEN),
    "inverse": Kind("torques tau(q, qd, qdd)", _dynamics(inverse_dynamics), _DRIVEN),
    "hybrid": Kind("unknown(q, qd, given), with --accelerations", _hybrid, (*_ORDERED, "accelerations")),
    "mass_matrix": Kind("M(q)", _of_model(mass_matrix, ROTORS)),
    "bias": Kind("nonlinear effects h(q, qd)", _bias, _ORDERED),
    "derivatives": Kind("of qdd by q, qd, tau", _derivatives(forward_dynamics, "tau"), _DRIVEN),
    "inverse_derivatives": Kind("of tau by q, qd, qdd", _derivatives(inverse_dynamics, "qdd"), _DRIVEN),
    "kinematics": Kind("pose T(q) of a link or frame", _of_frame(forward_kinematics), of_frame=True),
    "inverse_kinematics": Kind("q, errors, counts(target, start): a link or frame is there", _inverse, of_frame=True),
    "jacobian": Kind("J(q) of a link or frame, in its axes", _of_frame(frame_jacobian), of_frame=True),
    "velocity": Kind("twist V(q, qd) of a link or frame", _of_frame(frame_velocity), of_frame=True),
    "acceleration": Kind("dV/dt(q, qd, qdd) of a link or frame", _of_frame(frame_acceleration), of_frame=True),
    "center_of_mass": Kind("c(q)", _of_model(center_of_mass, MASSES)),
    "center_of_mass_jacobian": Kind("J(q) of it", _of_model(center_of_mass_jacobian, MASSES)),
    "center_of_mass_velocity": Kind("dc/dt(q, qd)", _of_model(center_of_mass_velocity, MASSES)),
    "center_of_mass_acceleration": Kind("d2c/dt2(q, qd, qdd)", _of_model(center_of_mass_acceleration, MASSES)),
    "centroidal_momentum": Kind("h(q, qd)", _of_model(centroidal_momentum, MASSES)),
    "centroidal_momentum_matrix": Kind("A(q)", _of_model(centroidal_momentum_matrix, MASSES)),
    "centroidal_momentum_rate": Kind("dh/dt(q, qd, qdd)", _of_model(centroidal_momentum_rate, MASSES)),
    "coriolis_matrix": Kind("C(q, qd)", _of_model(coriolis_matrix, MASSES)),
    "kinetic_energy": Kind("(q, qd)", _of_model(kinetic_energy, ROTORS)),
    "potential_energy": Kind("(q)", _of_model(potential_energy, WEIGHTS)),
    "step": Kind("a time step (q, qd)(q, qd, tau, dt), as `Simulator` takes it", _step),
}
"""All functions by name."""


def label_parameters(f: Exportable, model: Model, choice: Choice) -> Exportable:
    """Return the function with parameters named as people name them: "link7.mass", "payload.hx"."""
    if not isinstance(f, Function):
        return f
    argument = next((a for a in f.arguments if a.name == PARAMETERS), None)
    if argument is None or isinstance(model, Mechanism):
        return f
    found = parameters_of(model, choice.parameters, choice.payload)
    labels = {
        old: label
        for p in found
        for old, label in zip(_numbers(p.name, len(p.labels(model))), p.labels(model), strict=True)
    }
    names = tuple(labels.get(name, name) for name in argument.names)
    arguments = tuple(replace(a, names=names) if a is argument else a for a in f.arguments)
    inputs = tuple(labels.get(name, name) for name in f.program.input_names)
    return replace(f, arguments=arguments, body=replace(f.program, input_names=inputs))


def _numbers(parameter: str, count: int) -> list[str]:
    return [f"parameter:{parameter}[{i}]" for i in range(count)]
