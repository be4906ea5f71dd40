"""What is to be planned."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.base.protocols import keeps
from screwgraph.base.summary import one_line
from screwgraph.model.robot import check_moves, make_unknown_name_error
from screwgraph.motion.planning.collocation import COLLOCATIONS
from screwgraph.motion.planning.exact_path import ExactPath
from screwgraph.motion.planning.items import Item
from screwgraph.motion.planning.models import as_robot, find_model_kind
from screwgraph.motion.planning.phases import Phase

GROUPS = ("goals", "costs", "limits", "obstacles", "contacts")
"""The fields of a task that hold items."""
GUESSES = ("linear", "stay")
FULL_GRAPH, CONDENSED = "graph", "condensed"
KINDS = (FULL_GRAPH, CONDENSED)
"""What dynamics may be, besides True and False."""
LARGEST = 4_000_000
"""Numbers of a motion up to which a plan is tried: its matrices take some kB for each state."""


@dataclass(frozen=True, eq=False)
class Task:
    """A robot, a horizon, and what its motion must and should be.

    Args:
        robot: any robot; or a mechanism, whose natural coordinates then count as joints, driven by its motors.
        phases: the horizon, see `horizon` for one of equal steps.
        start: the position at the beginning (nq,) or {joint: value}, others neutral; None leaves it free.
        start_velocity: the velocity there: 0, (nv,) or {joint: value}; None leaves it free.
        goals: what must hold at some time.
        costs: what is to be small.
        limits: what must be kept all the time: hard ones hold between points to a thousandth, or the status says so.
        obstacles: what must not be touched.
        contacts: what the robot stands on, and when.
        actuated: joints (or coordinates, `joint[2]`) with torques, or actuators with efforts; None for all actuators of
            a robot that has some, else for all joints but floating ones.
        collocation: what joins the steps, one of `COLLOCATIONS`; torques of "held" are constant over each step.
        guess: where the search begins: "linear" between the positions of start and goals, "stay" at the start, or
            values {"q": (K, nq), ...} by family of unknowns; see `Steps`.
        dynamics: False plans without torques; "graph" has the twists, accelerations and wrenches of all links as
            unknowns, for the same motion. "condensed" has neither torques nor, where these are differences of
            velocities (Euler's collocation), accelerations: smaller equations, larger expressions.
        accuracy: error of a step, relative to the whole way, up to which a plan is solved; see `StepErrors`.
        regularisation: acceleration (rad/s^2, m/s^2) of a joint that costs as much as the effort that holds the robot,
            where effort is the only cost of motion; infinite for effort alone. It is no part of `Plan.cost`.
        path: in the place of phases, start and goals: an exact path, whose fastest timing within hard limits is found.
        name: for titles and files.
        places: where in a file the start and items stand, for messages: pairs (thing, place).

    Raises:
        InputError: something is of the wrong kind.
    """

    __repr__ = one_line

    robot: Any
    phases: tuple[Phase, ...] = ()
    start: Any = None
    start_velocity: Any = 0.0
    goals: tuple[Item, ...] = ()
    costs: tuple[Item, ...] = ()
    limits: tuple[Item, ...] = ()
    obstacles: tuple[Item, ...] = ()
    contacts: tuple[Item, ...] = ()
    actuated: tuple[str, ...] | None = None
    collocation: str = "radau"
    guess: str | Mapping[str, Any] = "linear"
    dynamics: bool | str = True
    accuracy: float = 1e-3
    regularisation: float = 100.0
    path: ExactPath | None = None
    name: str = field(default="task", kw_only=True)
    places: tuple[tuple[Any, Any], ...] = field(default=(), kw_only=True, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "robot", as_robot(self.robot))
        find_model_kind(self.robot)
        check_moves(self.robot)
        if self.path is not None and not isinstance(self.path, ExactPath):
            raise InputError(f"expected an exact path, got {self.path!r}", fix="ExactPath(positions)")
        if self.path is not None and self.phases:
            raise InputError("the path's timing is found", why="a horizon gives it", fix="leave out the horizon")
        if self.path is not None and self.robot.driven:
            raise InputError(
                f"the path's timing is found, and {', '.join(self.robot.driven)} is driven",
                why="a function of time tells how fast it moves",
                fix="give a horizon and goals",
            )
        phases = self.phases if isinstance(self.phases, Sequence) else (self.phases,)
        if (not phases and self.path is None) or not all(isinstance(p, Phase) for p in phases):
            raise InputError("a task needs phases", fix="phases=horizon(steps, dt=...)")
        _check_size(self.phases, self.robot.nv)
        if self.collocation not in COLLOCATIONS:
            raise make_unknown_name_error("collocation", self.collocation, COLLOCATIONS)
        if isinstance(self.guess, str) and self.guess not in GUESSES:
            raise make_unknown_name_error("guess", self.guess, GUESSES)
        if (
            isinstance(self.accuracy, bool)
            or not isinstance(self.accuracy, int | float)
            or not 0.0 < self.accuracy < 1.0
        ):
            raise InputError(f"the accuracy is {self.accuracy!r}", fix="give a part of the way, such as 1e-3")
        if isinstance(self.regularisation, bool) or not isinstance(self.regularisation, int | float):
            raise InputError(
                f"the regularisation is {self.regularisation!r}", fix="give an acceleration, or inf for none"
            )
        if not self.regularisation > 0.0:
            raise InputError(
                f"the regularisation is {self.regularisation!r}", why="it is an acceleration", fix="give 100"
            )
        if not isinstance(self.dynamics, bool) and self.dynamics not in KINDS:
            raise InputError(f"dynamics {self.dynamics!r}", fix=f"True, False or one of {', '.join(KINDS)}")
        if self.dynamics == FULL_GRAPH and not self.robot.has_frames:
            raise InputError(
                "dynamics 'graph' is for robots",
                why="bodies of a planar mechanism have no twists and wrenches",
                fix="leave it out: natural coordinates and multipliers are unknowns then",
            )
        for group in GROUPS:
            _check_items(group, getattr(self, group))

    def items(self, *groups: str) -> Iterator[tuple[str, Item]]:
        """Return the items of some groups, "goals" or others, or all, with their names: `goal 1`, `cost 2`, ..."""
        for group in groups or GROUPS:
            for i, item in enumerate(getattr(self, group), start=1):
                yield f"{group.removesuffix('s')} {i}", item

    def place(self, name: str) -> Any:
        """Return where in a file the item of a name, or the start, stands; None where that is not known."""
        thing = self.start if name == "start" else dict(self.items()).get(name)
        return next((at for other, at in self.places if other is thing), None)


def replace_fields(task: Task, fields: Mapping[str, Any]) -> Task:
    """Return a task with other values of some fields. Raises InputError where there is no such field."""
    known = [f.name for f in dataclasses.fields(Task)]
    for name in fields:
        if name not in known:
            raise make_unknown_name_error("field of a task", name, known)
    return replace(task, **fields)


def _check_items(group: str, items: Any) -> None:
    """See that the items of a group are a list of such. Raises InputError."""
    if keeps(items, Item) or isinstance(items, str) or not isinstance(items, Sequence):
        raise InputError(f"{group}: expected several, got {items!r}", fix=f"{group}=(item, ...); (item,) is one alone")
    for item in items:
        if isinstance(item, type):
            raise InputError(f"{group}: {item.__name__} is a kind of item", fix=f"make one: {item.__name__}(...)")
        if not keeps(item, Item):
            raise InputError(f"expected one of {group}, got {item!r}")


def _check_size(phases: Sequence[Phase], velocities: int) -> None:
    """Raise InputError where a motion has more positions, velocities, accelerations and torques than can be kept."""
    steps = sum(phase.steps for phase in phases)
    most = LARGEST // (4 * max(velocities, 1))
    if steps > most:
        raise InputError(
            f"{steps} steps are too many unknowns",
            why=f"the model has {velocities} velocities",
            fix=f"at most {most} steps: longer ones, or several plans",
        )
