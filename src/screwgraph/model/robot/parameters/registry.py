"""Parameters of a robot by name, and the robot with other values of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot.parameters.armature import Armature
from screwgraph.model.robot.parameters.base import Kind
from screwgraph.model.robot.parameters.damping import Damping
from screwgraph.model.robot.parameters.friction import Friction
from screwgraph.model.robot.parameters.gravity import Gravity
from screwgraph.model.robot.parameters.inertia import Inertia
from screwgraph.model.robot.parameters.loop_end import LoopEnd
from screwgraph.model.robot.parameters.mass import Mass
from screwgraph.model.robot.parameters.origin import Origin
from screwgraph.model.robot.parameters.payload import Payload
from screwgraph.model.robot.parameters.stiffness import Stiffness
from screwgraph.model.robot.robot import Robot, make_unknown_name_error
from screwgraph.spatial import Array, SpatialInertia

GEOMETRY = ("origin",)
"""Kinds of parameters that poses depend on."""
LOOPS = ("predecessor", "successor")
"""Kinds that only loops depend on."""
CLOSURE = (*GEOMETRY, *LOOPS)
"""Kinds that closed positions of closed chains depend on."""
MASSES = (*GEOMETRY, "inertia", "payload", "mass")
"""Kinds that the distribution of mass depends on."""
ROTORS = (*MASSES, "armature")
"""Kinds that the mass matrix depends on."""
WEIGHTS = (*MASSES, "gravity")
"""Kinds that potential energy depends on."""
LINEAR = ("inertia", "payload", "mass", "armature", "damping", "friction")
"""Kinds that joint torques are linear in."""
BODIES = ("inertia", "payload")
"""Kinds that are the ten numbers of a body."""
PAYLOAD = "payload"
INERTIA = "inertia"
GRAVITY = "gravity"
KINDS: Mapping[str, Kind] = {
    INERTIA: Inertia(),
    PAYLOAD: Payload(),
    "mass": Mass(),
    "armature": Armature(),
    "damping": Damping(),
    "friction": Friction(),
    "stiffness": Stiffness(),
    "origin": Origin(),
    "predecessor": LoopEnd("T_pf"),
    "successor": LoopEnd("T_sf"),
    GRAVITY: Gravity(),
}
"""Kinds of parameters: the inertia of a link is called as the link is, "gravity" is the robot's, others "part.kind"."""


@dataclass(frozen=True)
class Parameter:
    """Numbers of a robot that are inputs: `name` as people say it, a kind of `KINDS`, and the part that it is of."""

    name: str
    kind: str
    part: str

    def labels(self, robot: Robot) -> tuple[str, ...]:
        """Return a label for each number: "link7.hx"."""
        return tuple(f"{self._said}.{label}" for label in KINDS[self.kind].labels(robot, self.part))

    def link(self, robot: Robot) -> str:
        """Return the link that it is of, of a joint's the one that the joint moves."""
        if "joint" in KINDS[self.kind].of and self.part in robot.joint_names:
            return robot.joint(self.part).child
        if self.kind in LOOPS:
            return next(getattr(loop, self.kind) for loop in robot.loops if loop.name == self.part)
        return robot.frame(self.part).link

    @property
    def _said(self) -> str:
        return self.name.removesuffix(f".{self.kind}")

    def moves_loops(self, robot: Robot) -> bool:
        """Whether loops of a closed chain may depend on it: frames that are only named stand beside them."""
        return robot.is_closed and (self.kind in LOOPS or (self.kind in GEOMETRY and self.part in robot.joint_names))

    def nominal(self, robot: Robot) -> Float[np.ndarray, " k"]:
        """Return the file's values."""
        return np.asarray(KINDS[self.kind].nominal(robot, self.part), dtype=float)

    def near(self, robot: Robot, rng: np.random.Generator) -> Float[np.ndarray, " k"]:
        """Return random values that the robot may have."""
        return KINDS[self.kind].near(robot, self.part, rng)

    def assign_values(self, robot: Robot, values: Float[Array, " k"]) -> Robot:
        """Return the robot with these values, numbers of any kind."""
        return KINDS[self.kind].assign_values(robot, self.part, values)


def with_payload(names: Iterable[str], payload: str | None) -> tuple[str, ...]:
    """Return names of parameters; that of a payload comes last, where none is it."""
    names = tuple(names)
    return names if payload is None or PAYLOAD in names else (*names, PAYLOAD)


def parameters_of(robot: Robot, names: Sequence[str], payload: str | None = None) -> tuple[Parameter, ...]:
    """Return parameters by name; that of a `payload` at a link or frame comes last, where no name says otherwise.

    Raises:
        InputError: a name means nothing or is named twice, or a part has no such parameter.
    """
    names = with_payload(names, payload)
    found = tuple(_parameter(robot, name, payload) for name in names)
    for parameter in found:
        if names.count(parameter.name) > 1:
            raise InputError(f"parameter {parameter.name!r} is named twice", fix="name it once")
        whole = [p for p in found if p.kind == INERTIA and p.part == parameter.part]
        if parameter.kind == "mass" and whole:
            raise InputError(
                f"parameters {whole[0].name!r} and {parameter.name!r} are both inputs",
                why="the ten inertial parameters of a link have its mass",
                fix="name one of them",
            )
    return found


def checked_parameters(
    refused: str, kinds: Collection[str], robot: Robot, names: Sequence[str], payload: str | None = None
) -> tuple[Parameter, ...]:
    """Return parameters as `parameters_of` does, of some kinds only; others are `refused`. Raises InputError."""
    found = parameters_of(robot, names, payload)
    for parameter in found:
        if parameter.kind not in kinds:
            raise InputError(f"{refused} {parameter.name!r}", fix="leave it out")
    return found


def with_values(robot: Robot, values: Mapping[Parameter, Float[Array, " k"]]) -> Robot:
    """Return the robot with values of parameters, numbers of any kind; payloads come on top of inertias."""
    for parameter in sorted(values, key=lambda p: p.kind == PAYLOAD):
        robot = parameter.assign_values(robot, values[parameter])
    return robot


def _parameter(robot: Robot, name: str, payload: str | None) -> Parameter:
    links = [link.name for link in robot.links]
    if name == PAYLOAD and name not in links:
        if payload is None:
            raise InputError("no frame has the payload", fix='name its link or frame: payload="tool0"')
        return _of_part(robot, name, PAYLOAD, robot.frame(payload).name)
    if name == GRAVITY and name not in links:
        return _of_part(robot, name, GRAVITY, links[0])
    if payload is not None and name == PAYLOAD:
        raise InputError("a link is called 'payload'", fix="rename it, or name the link on which the payload is")
    part, _, kind = name.rpartition(".")
    if name not in links and part and kind in KINDS and kind not in (INERTIA, PAYLOAD, GRAVITY):
        return _of_part(robot, name, kind, part)
    if name not in links and name in {frame.name for frame in robot.frames}:
        link = robot.frame(name).link
        raise InputError(
            f"{name!r} has no inertia of its own",
            why=f"it is a frame on the link {link!r}, whose inertia holds what was welded to it",
            fix=f'name {link!r}, or add a body by payload="{name}"',
        )
    if name not in links:
        joint = robot.joint_names[0] if robot.joints else "joint1"
        of_joints = [kind for kind, own in KINDS.items() if "joint" in own.of]
        raise make_unknown_name_error(
            "parameter", name, [*links[1:], *(f"{joint}.{kind}" for kind in of_joints), GRAVITY]
        )
    return _of_part(robot, name, INERTIA, name)


def _of_part(robot: Robot, name: str, kind: str, part: str) -> Parameter:
    parts = list(KINDS[kind].parts(robot))
    if part in parts:
        return Parameter(name, kind, part)
    existing = {
        *(loop.name for loop in robot.loops),
        *robot.joint_names,
        *(link.name for link in robot.links),
        *(frame.name for frame in robot.frames),
    }
    if part not in existing:
        raise make_unknown_name_error(KINDS[kind].of, part, parts)
    raise InputError(
        f"{part!r} has no {kind} that could be an input",
        why=KINDS[kind].why,
        fix=f"name one of {', '.join(parts[:4])}, ...",
    )


def numbers(value: object) -> Float[np.ndarray, "... k"]:
    """Return the numbers of a parameter's value: an array, a number, or the inertia of a body."""
    array = value.parameters if isinstance(value, SpatialInertia) else validate_numbers("a parameter", value)
    return np.atleast_1d(array)
