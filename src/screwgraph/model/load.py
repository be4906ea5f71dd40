"""From a file, its text or a name to the model that it means: a robot or a mechanism in natural coordinates."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.formats import from_text, is_text, is_xml, try_to_text, zoo_names
from screwgraph.model.formats import load as load_robot
from screwgraph.model.mechanism.load import CHAIN, load_mechanism, mechanism_names
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.serialisation import from_texts, to_texts
from screwgraph.model.robot import Robot, make_unknown_name_error

BuiltInMechanism: TypeAlias = Literal[
    "double_pendulum",
    "four_bar",
    "four_bar_angle",
    "gear_train",
    "parallel_robot",
    "rssr",
    "single_pendulum",
    "slider_crank",
]
"""Names of built-in mechanisms, for type checkers."""

_POINTS = re.compile(r"^points[ \t]*:", re.MULTILINE)


@overload
def load(source: BuiltInMechanism, *, values: Mapping[str, float] | None = None) -> Mechanism: ...
@overload
def load(source: str | os.PathLike[str], *, values: Mapping[str, float]) -> Mechanism: ...
@overload
def load(
    source: str | os.PathLike[str],
    *,
    base: str = "fixed",
    lock: Iterable[str] | Mapping[str, float] = (),
    model: str | None = None,
    gravity: Iterable[float] | None = None,
    damping: bool = True,
    strict: bool = False,
    snap: float = 0.0,
    xacro_args: Mapping[str, str | float | bool] | None = None,
    packages: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]] = (),
) -> Robot: ...
@check_arguments
def load(
    source: str | os.PathLike[str],
    *,
    base: str = "fixed",
    lock: Iterable[str] | Mapping[str, float] = (),
    model: str | None = None,
    gravity: Iterable[float] | None = None,
    damping: bool = True,
    strict: bool = False,
    snap: float = 0.0,
    xacro_args: Mapping[str, str | float | bool] | None = None,
    packages: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]] = (),
    values: Mapping[str, float] | None = None,
) -> Robot | Mechanism:
    """Load a robot, or a mechanism of points, from a file or its text, or a built-in one by name.

    Fixed joints of a robot are merged. A file or name of a mechanism, which has `points`, gives what
    `sg.load_mechanism` gives: a Mechanism. Type checkers take what a path names for a robot, unless `values` are given.

    Args:
        source: a path (.urdf, .sdf, .xml for MJCF, .yaml, .xacro), the text of such a file (the `robot_description` of
            ROS), or a name of `zoo_names()` or `mechanism_names()`.
        base: "fixed", or "floating" to let the base move freely (unless it already does), from where the file draws it.
        lock: joints to weld, at zero or at the positions (rad, m) that a mapping gives.
        model: of an SDF world with several robots, a model of the one that is meant.
        gravity: replaces that of the file, or (0, 0, -9.81) m/s^2 where it says nothing; in the file's world.
        damping: False leaves out the viscous damping of the file.
        strict: raise the first of the warnings instead of keeping them in `Robot.warnings`.
        snap: round rotation entries of joint frames that lie this close to 0 or +-1.
        xacro_args: values for the <xacro:arg> of a xacro file, `{"prefix": "left_"}`; a text is expanded only where
            they are given, `{}` for none.
        packages: where `package://NAME/...` and `$(find NAME)` are looked for first: {NAME: its folder}, or folders of
            packages. Then follow ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, and the folders above the file.
        values: of a mechanism, numbers for its parameters.

    Raises:
        ModelError: the file is missing, unreadable or describes no robot; with `strict`, a warning.
        InputError: an argument has a wrong value, an unknown joint or robot included, or does not go with the model.
    """
    if is_mechanism(source):
        robots = {
            "base": base != "fixed", "lock": bool(lock), "model": model is not None, "gravity": gravity is not None,
            "damping": not damping, "strict": strict, "snap": snap != 0.0, "xacro_args": bool(xacro_args),
            "packages": bool(packages),
        }  # fmt: skip
        given = [f"{name}=" for name, is_given in robots.items() if is_given]
        if given:
            raise InputError(f"{', '.join(given)} goes with robots", why="a mechanism's file says all of it")
        return load_mechanism(source, values)
    if values is not None:
        raise InputError("values= goes with mechanisms of points", why="a robot's file has no parameters")
    if isinstance(source, str) and source.isidentifier() and not os.path.exists(source) and source not in zoo_names():
        raise make_unknown_name_error(
            "built-in robot or mechanism", source, (*zoo_names(), *mechanism_names(), "pendulum_N")
        )
    return load_robot(
        source,
        base=base,
        lock=lock,
        model=model,
        gravity=gravity,
        damping=damping,
        strict=strict,
        snap=snap,
        xacro_args=xacro_args,
        packages=packages,
    )


def is_mechanism(source: str | os.PathLike[str]) -> bool:
    """Tell whether a file, its text or a name means a mechanism: it has points."""
    if isinstance(source, str) and is_text(source):
        return not is_xml(source) and bool(_POINTS.search(source))
    if isinstance(source, str) and (source in mechanism_names() or CHAIN.fullmatch(source)):
        return True
    try:
        path = Path(os.fsdecode(source))
        is_yaml = path.suffix.lower() in (".yaml", ".yml") and path.is_file()
        return is_yaml and bool(_POINTS.search(path.read_text("utf-8", "replace")))
    except (OSError, ValueError):
        return False


def _read_robot(texts: Mapping[str, str], file: str) -> Robot:
    if not texts["robot"].strip():
        raise InputError(
            "the file does not say which robot moves",
            at=file,
            why="it has a type of joint that our YAML has no word for",
            fix="use screwgraph.ui.view.export(robot, t, q, path)",
        )
    return from_text(texts["robot"], file)


class ModelTexts(NamedTuple):
    """How other files hold a kind of model: as texts by name, the first of the name of the kind, others `values`."""

    write: Callable[[Any], Mapping[str, str]]
    read: Callable[[Mapping[str, str], str], Model]


TEXTS: Mapping[str, ModelTexts] = {
    "mechanism": ModelTexts(
        to_texts, lambda texts, file: from_texts(texts["mechanism"], texts.get("values", "{}"), file)
    ),
    "robot": ModelTexts(lambda robot: {"robot": try_to_text(robot)}, _read_robot),
}
"""By kind of model; reading takes the texts, and the file that holds them, for messages. Raises InputError."""
