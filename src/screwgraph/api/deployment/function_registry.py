"""Functions of a model by name, "mass_matrix" or "control=bias+jacobian:tool0": one line each in `FUNCTIONS`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from screwgraph.api.deployment.combine import together
from screwgraph.api.deployment.export import LONGEST, check_name
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.familiar_names import find_familiar_name
from screwgraph.base.function_description import describe_parameters
from screwgraph.base.summary import one_line
from screwgraph.compiler import PARAMETERS, Exportable, Function, Order
from screwgraph.compiler.backends.c import make_identifiers
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
from screwgraph.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.robot.parameters import GEOMETRY, KINDS, LOOPS, MASSES, ROTORS, WEIGHTS, Parameter, parameters_of
from screwgraph.motion.simulation.contacts import find_live_names, make_contacts
from screwgraph.motion.simulation.contacts.geometry.contact import LIVE
from screwgraph.motion.simulation.contacts.live_contacts import lay_live_ground, split_parameters
from screwgraph.motion.simulation.contacts.touching_code import compile_touching_points
from screwgraph.motion.simulation.step_options import StepOptions
from screwgraph.tape import Routine

TYPICAL_STEP = 1e-3
"""The step (s) that a mechanism's time step is meant for; any other may be given."""
_FRAMES = ("frame", "frames", "targets")
"""Arguments of public functions that may be the name of a link or frame."""


@dataclass(frozen=True)
class Choice:
    """Options that functions of a model share: order, external wrenches, live parameters, actuators, contacts' file.

    Of steps `friction`, `stops` and `effort_limits` say which values of joints in the file act, as for `Simulator`;
    `springs` are of joints, by name.
    """

    __repr__ = one_line

    ordering: Order = "auto"
    external_wrenches: tuple[str, ...] = ()
    accelerations: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    payload: str | None = None
    actuators: bool = False
    contacts: str = ""
    friction: bool = False
    stops: bool = False
    effort_limits: bool = False
    springs: Mapping[str, float | Sequence[float]] = field(default_factory=dict)


PLAIN = Choice()
"""Nothing chosen."""
_LIVE = ("parameters", "payload")
Working = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True)
class Kind:
    """A function that a name stands for: what a public function returns, or its derivatives by some arguments.

    `kinds` are those of live parameters that it depends on; its options are read from its signature.
    """

    __repr__ = one_line

    query: Callable[..., Exportable]
    kinds: Collection[str] = ()
    by: tuple[str, ...] = ()
    words: str = ""

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """Names of the arguments of the public function."""
        return tuple(describe_parameters(self.query))

    @property
    def uses(self) -> tuple[str, ...]:
        """Fields of a `Choice` that matter, live parameters aside."""
        return tuple(f.name for f in fields(Choice) if f.name in self.takes and f.name not in _LIVE)

    @property
    def of_frame(self) -> bool:
        """Whether a link or frame is named."""
        return any(name in self.takes for name in _FRAMES)

    @property
    def about(self) -> str:
        """What it returns: the beginning of the public function's docstring."""
        first = (self.query.__doc__ or "").partition("\n")[0].removeprefix("Return ").removesuffix(".")
        return self.words or re.split(r"; |[:,] \(", first)[0].replace("`", "")

    def make(self, model: Model, frame: str, choice: Choice) -> Exportable:
        """Return the function of a model, or of a frame of it."""
        options = {name: getattr(choice, name) for name in self.uses}
        options |= {name: x for name, x in self._live(model, choice).items() if name in self.takes}
        made = self.query(model, *((frame,) if self.of_frame else ()), **options)
        if not isinstance(made, Function) or not self.by:
            return made
        return made.jacobian(*("effort" if choice.actuators and name == "tau" else name for name in self.by))

    def _live(self, model: Model, choice: Choice) -> dict[str, Any]:
        """Return live parameters of a robot that the function depends on, and all of a mechanism."""
        if not model.has_frames:
            return {"parameters": choice.parameters}
        own = [p.name for p in _list_parameters(model, choice) if p.kind in self.kinds]
        own += [name for name in choice.parameters if name in LIVE and "contacts" in self.takes]
        return {"parameters": tuple(own), "payload": choice.payload}


def _step(
    model: Model,
    *,
    external_wrenches: Sequence[str] = (),
    contacts: str = "",
    friction: bool = False,
    stops: bool = False,
    effort_limits: bool = False,
    springs: Mapping[str, float | Sequence[float]] | None = None,
    parameters: Sequence[str] = (),
    payload: str | None = None,
) -> Function:
    """Return a time step (q, qd)(q, qd, tau, dt); with contacts also of their numbers and last forces."""
    of_contacts, own = split_parameters(tuple(parameters))
    points, ground = make_contacts(model, contacts or (), None)
    options = StepOptions(
        friction=friction,
        stops=stops,
        effort_limits=effort_limits,
        springs=dict(springs or {}),
        parameters=own,
        payload=payload,
        contacts=points,
        ground=lay_live_ground(model, points, ground, of_contacts),
        external_wrenches=tuple(external_wrenches),
    )
    return options.step_of(model, TYPICAL_STEP)


def _touching_points(model: Model, *, contacts: str = "") -> Function:
    """Return ground(q): planes under contacts and points of pairs of boxes, which `step` takes."""
    return compile_touching_points(model, *make_contacts(model, contacts or (), None))


_REACHED = "q, errors, counts(target, start): a link or frame is there"
FUNCTIONS: Mapping[str, Kind] = {
    "forward": Kind(forward_dynamics, KINDS),
    "inverse": Kind(inverse_dynamics, KINDS),
    "hybrid": Kind(hybrid_dynamics, KINDS),
    "mass_matrix": Kind(mass_matrix, ROTORS),
    "bias": Kind(bias_forces, [kind for kind in KINDS if kind not in LOOPS]),
    "derivatives": Kind(forward_dynamics, KINDS, ("q", "qd", "tau"), "derivatives of qdd by q, qd, tau"),
    "inverse_derivatives": Kind(inverse_dynamics, KINDS, ("q", "qd", "qdd"), "derivatives of tau by q, qd, qdd"),
    "kinematics": Kind(forward_kinematics, GEOMETRY),
    "inverse_kinematics": Kind(inverse_kinematics, words=_REACHED),
    "jacobian": Kind(frame_jacobian, GEOMETRY),
    "velocity": Kind(frame_velocity, GEOMETRY),
    "acceleration": Kind(frame_acceleration, GEOMETRY),
    "center_of_mass": Kind(center_of_mass, MASSES),
    "center_of_mass_jacobian": Kind(center_of_mass_jacobian, MASSES),
    "center_of_mass_velocity": Kind(center_of_mass_velocity, MASSES),
    "center_of_mass_acceleration": Kind(center_of_mass_acceleration, MASSES),
    "centroidal_momentum": Kind(centroidal_momentum, MASSES),
    "centroidal_momentum_matrix": Kind(centroidal_momentum_matrix, MASSES),
    "centroidal_momentum_rate": Kind(centroidal_momentum_rate, MASSES),
    "coriolis_matrix": Kind(coriolis_matrix, MASSES),
    "kinetic_energy": Kind(kinetic_energy, ROTORS),
    "potential_energy": Kind(potential_energy, WEIGHTS),
    "step": Kind(_step, KINDS),
    "touching_points": Kind(_touching_points),
}
"""All functions by name."""


@check_arguments
def asked_functions(
    model: Model,
    names: Sequence[str],
    choice: Choice = PLAIN,
    working: Working = lambda what: nullcontext(),
) -> dict[str, Exportable]:
    """Return functions of a model by their names in code: `{"jacobian_tool0": ...}` for "jacobian:tool0".

    Functions with "+" between are one function of several results, which shares what they have in common; a name may
    stand before it: "control=mass_matrix+bias".

    Args:
        model: a robot or a mechanism.
        names: of `FUNCTIONS`, those of a frame with a colon and its name.
        choice: what they share.
        working: shows what takes its time.

    Raises:
        InputError: an unknown name, a frame that is missing, unknown or not wanted, a name twice, or a parameter that
            no function depends on.
        EliminationError: as the functions do.
    """
    check_names(names, choice)
    if choice.contacts:
        choice = replace(choice, parameters=find_live_names(model, choice.contacts, choice.parameters))
    found: dict[str, Exportable] = {}
    for item in names:
        own, parts = _parse_item(item)
        made: dict[str, Exportable] = {}
        for name, kind, frame in parts:
            with working(f"making {name} of {model.name}"):
                made[name] = _label_parameters(FUNCTIONS[kind].make(model, frame, choice), model, choice)
        found[own] = next(iter(made.values())) if len(made) == 1 else together(own, _functions(made))
    _check_parameters(model, choice, found)
    return found


@check_arguments
def check_names(names: Sequence[str], choice: Choice = PLAIN) -> None:
    """Check names of functions without a model.

    Raises:
        InputError: an unknown name, a frame that is missing or not wanted, a name twice, or a choice that matters to
            none of the functions.
    """
    if not names:
        raise InputError("no function is named", fix=f"name some of {', '.join(FUNCTIONS)}")
    owns: set[str] = set()
    used: set[str] = set()
    for item in names:
        own, parts = _parse_item(item)
        if own in owns:
            why, fix = f"{item!r} is one of them", f"name one: other={item.rpartition('=')[2]}"
            raise InputError(f"two functions are called {own!r}", why=why, fix=fix)
        check_name(own)
        owns.add(own)
        if len({name for name, _, _ in parts}) < len(parts):
            raise InputError(f"{item!r} names a function twice", fix="name it once")
        used |= {field for _, kind, _ in parts for field in FUNCTIONS[kind].uses}
        _check_hybrid({kind for _, kind, _ in parts}, choice)
    for option in (f.name for f in fields(Choice) if f.name not in _LIVE):
        if getattr(choice, option) != getattr(PLAIN, option) and option not in used:
            takers = ", ".join(name for name, kind in FUNCTIONS.items() if option in kind.uses)
            raise InputError(
                f"{option.replace('_', ' ')}: no function takes account of that",
                why=f"there are {', '.join(names)}",
                fix=f"leave it out, or name one of {takers}",
            )


def _list_parameters(model: Any, choice: Choice) -> Sequence[Parameter]:
    """Return live parameters of a robot; none of a mechanism, in whose file numbers have names already."""
    own = tuple(name for name in choice.parameters if name not in LIVE)
    return parameters_of(model, own, choice.payload) if model.has_frames else ()


def _label_parameters(f: Exportable, model: Any, choice: Choice) -> Exportable:
    """Return the function with parameters named as people name them: "link7.mass", "payload.hx"."""
    if not isinstance(f, Function):
        return f
    argument = next((a for a in f.arguments if a.name == PARAMETERS), None)
    found = _list_parameters(model, choice)
    if argument is None or not found:
        return f
    labels = {
        old: label
        for p in found
        for old, label in zip(_numbers(p.name, len(p.labels(model))), p.labels(model), strict=True)
    }
    names = tuple(labels.get(name, name) for name in argument.names)
    arguments = tuple(replace(a, names=names) if a is argument else a for a in f.arguments)
    code = f.body if isinstance(f.body, Routine) else f.program
    inputs = tuple(labels.get(name, name) for name in code.input_names)
    return replace(f, arguments=arguments, body=replace(code, input_names=inputs))


def _numbers(parameter: str, count: int) -> list[str]:
    return [f"parameter:{parameter}[{i}]" for i in range(count)]


def _functions(made: dict[str, Exportable]) -> dict[str, Function]:
    """Return functions that can be one. Raises InputError where one is no straight-line code."""
    found = {name: f for name, f in made.items() if isinstance(f, Function)}
    loops = [name for name in made if name not in found]
    if loops:
        raise InputError(
            f"{loops[0]} cannot be one function with others", why="it is a loop", fix="ask for it by itself"
        )
    return found


def _check_hybrid(kinds: set[str], choice: Choice) -> None:
    if "hybrid" in kinds and not choice.accelerations:
        why = "they say for which joints qdd is given; for the others, tau is"
        raise InputError("hybrid needs accelerations", why=why, fix="name these joints")
    if "hybrid" in kinds and choice.actuators:
        why = "which efforts are given would not say which accelerations are"
        raise InputError("hybrid takes no efforts of actuators", why=why, fix="use inverse or forward")


def _parse_item(item: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Return the name in code of "control=mass_matrix+bias", and its parts: name in code, kind, frame."""
    given, mark, parts = item.rpartition("=")
    found = [_part(part) for part in parts.split("+")]
    return given.strip() if mark else "_".join(name for name, _, _ in found), found


def _part(text: str) -> tuple[str, str, str]:
    """Return the name in code, the kind and the frame of "jacobian:tool0". Raises InputError."""
    kind, mark, frame = (part.strip() for part in text.strip().partition(":"))
    if kind not in FUNCTIONS:
        public = find_familiar_name(kind) or kind
        known = [name for name, k in FUNCTIONS.items() if k.query.__name__ == public]
        if known:
            raise InputError(f"no function is called {kind!r}", fix=f"write {known[0]}")
        raise make_unknown_name_error("function", kind, FUNCTIONS)
    if FUNCTIONS[kind].of_frame and not frame:
        raise InputError(f"{kind} needs the name of a link or frame", fix=f"write {kind}:tool0, for example")
    if mark and not FUNCTIONS[kind].of_frame:
        raise InputError(f"{kind} is of no frame", why=f"{text.strip()!r} names one", fix=f"write {kind}")
    return (make_identifiers([f"{kind}_{frame}"[:LONGEST]])[0] if frame else kind), kind, frame


def _check_parameters(model: Any, choice: Choice, functions: dict[str, Exportable]) -> None:
    """Raise InputError where a live parameter of a robot, or of its contacts, is an argument of no function."""
    of_contacts = [name for name in choice.parameters if name in LIVE]
    if of_contacts and not choice.contacts and model.has_frames:
        raise InputError(f"parameters {', '.join(of_contacts)} of contacts that there are not", fix="give contacts")
    known = [f for f in functions.values() if isinstance(f, Function)]
    taken = {name for f in known for a in f.arguments if a.name == PARAMETERS for name in a.names}
    for parameter in _list_parameters(model, choice):
        if not taken & set(parameter.labels(model)):
            raise InputError(
                f"no function depends on {parameter.name!r}",
                why=f"there are {', '.join(functions)}",
                fix="leave the parameter out",
            )
