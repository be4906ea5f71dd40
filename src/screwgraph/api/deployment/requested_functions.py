"""From names on the command line, "mass_matrix" or "control=bias+jacobian:tool0", to functions of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from screwgraph.api.deployment.combine import together
from screwgraph.api.deployment.export import LONGEST, check_name
from screwgraph.api.deployment.function_registry import FUNCTIONS, Choice, Model, label_parameters
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.compiler import Exportable, Function
from screwgraph.compiler.backends.c import make_identifiers
from screwgraph.compiler.signature import PARAMETERS
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import Robot, make_unknown_name_error
from screwgraph.model.robot.parameters import parameters_of

PLAIN = Choice()
"""Nothing chosen."""
Working = Callable[[str], AbstractContextManager[None]]


@check_arguments
def asked_functions(
    model: Robot | Mechanism,
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
    found: dict[str, Exportable] = {}
    for item in names:
        own, parts = _parse_item(item)
        made: dict[str, Exportable] = {}
        for name, kind, frame in parts:
            with working(f"making {name} of {model.name}"):
                made[name] = label_parameters(FUNCTIONS[kind].make(model, frame, choice), model, choice)
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
    for field in ("external_wrenches", "accelerations", "actuators", "ordering"):
        if getattr(choice, field) != getattr(PLAIN, field) and field not in used:
            takers = ", ".join(name for name, kind in FUNCTIONS.items() if field in kind.uses)
            raise InputError(
                f"{field.replace('_', ' ')}: no function takes account of that",
                why=f"there are {', '.join(names)}",
                fix=f"leave it out, or name one of {takers}",
            )


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
        raise make_unknown_name_error("function", kind, FUNCTIONS)
    if FUNCTIONS[kind].of_frame and not frame:
        raise InputError(f"{kind} needs the name of a link or frame", fix=f"write {kind}:tool0, for example")
    if mark and not FUNCTIONS[kind].of_frame:
        raise InputError(f"{kind} is of no frame", why=f"{text.strip()!r} names one", fix=f"write {kind}")
    return (make_identifiers([f"{kind}_{frame}"[:LONGEST]])[0] if frame else kind), kind, frame


def _check_parameters(model: Model, choice: Choice, functions: dict[str, Exportable]) -> None:
    """Raise InputError where a live parameter of a robot is an argument of no function."""
    if isinstance(model, Mechanism):
        return
    known = [f for f in functions.values() if isinstance(f, Function)]
    taken = {name for f in known for a in f.arguments if a.name == PARAMETERS for name in a.names}
    for parameter in parameters_of(model, choice.parameters, choice.payload):
        if not taken & set(parameter.labels(model)):
            raise InputError(
                f"no function depends on {parameter.name!r}",
                why=f"there are {', '.join(functions)}",
                fix="leave the parameter out",
            )
