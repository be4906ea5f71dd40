"""Where tests find robot files: the package example-robot-data, `tests/robot_data/`, and `shared/` beside the checkout.

Files of `shared/` add robots and reference values; every kind of test runs without them. `SCREWGRAPH_SHARED` names
another place for that folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import files
from itertools import chain
from pathlib import Path

import pytest

import screwgraph as sg
from screwgraph import Robot

SHARED = Path(os.environ.get("SCREWGRAPH_SHARED", Path(__file__).resolve().parents[2] / "shared"))
OWN = Path(__file__).resolve().parent / "robot_data"
"""Small robots of every format that the package lacks."""

FAST = frozenset(
    {
        "TwoDofs", "a1", "allegro_left_hand", "borinot_flying_arm_2", "double_pendulum_continuous", "finger_edu",
        "panda", "quadrotor_base", "simple_humanoid", "so101", "ur5_robot", "z1",
    }
)  # fmt: skip
"""The package's URDFs that every run tests; `make suite` tests all."""

REFUSED = frozenset({"ur3", "alex_psyonic_hands"})
"""The package's URDFs that are no robots: one only includes another file, one mimics a joint that is not there."""


@cache
def built_in_robots() -> Mapping[str, Robot]:
    """Return the built-in robots by name, loaded once in a process."""
    return {name: sg.load(name) for name in sg.zoo_names()}


def closed_names() -> list[str]:
    """Return the names of the built-in robots that have loops or couplings."""
    return [name for name, robot in built_in_robots().items() if robot.is_closed]


def shared_file(*parts: str) -> Path:
    """Return a file of `shared/`, or skip the test where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not here")
    return path


def robot_file(name: str) -> Path:
    """Return the robot file of this name: of the package, `tests/robot_data/` or `shared/robots/`; else skip."""
    everywhere = chain(_package(), OWN.rglob("*.*"), sorted((SHARED / "robots").rglob("*.*")))
    path = next((path for path in everywhere if path.name == name), None)
    if path is None:
        pytest.skip(f"{name} is not here")
    return path


def robot_files(suffix: str) -> list[Path]:
    """List the robot files of one format that every run tests, each robot once."""
    package = [path for path in _package() if path.suffix == suffix and (suffix != ".urdf" or path.stem in FAST)]
    return _once([*package, *_other_files(suffix)])


def urdfs() -> list:
    """Return test parameters: a path each; those of the package that are not fast have the mark `suite`."""
    fast = [pytest.param(path, id=path.stem) for path in robot_files(".urdf")]
    slow = [path for path in package_urdfs() if path.stem not in FAST]
    return [*fast, *(pytest.param(path, marks=pytest.mark.suite, id=path.stem) for path in slow)]


def package_urdfs() -> list[Path]:
    """List the URDFs of the package."""
    return [path for path in _package() if path.suffix == ".urdf" and path.stem not in REFUSED]


def closed_chains() -> list[Path]:
    """List the URDFs with loops or couplings of `tests/robot_data/` and `shared/`."""
    return _files_of("closed_chain", ".urdf")


@cache
def _package() -> tuple[Path, ...]:
    """The two files called anymal.urdf are both listed."""
    found = (Path(str(file.locate())) for file in files("example-robot-data") or () if "/robots/" in str(file))
    return tuple(sorted(found))


def _other_files(suffix: str) -> list[Path]:
    """Trees: the benchmark's robots of `shared/` are those of the package without meshes, and three arms."""
    kind = suffix.removeprefix(".").replace("xml", "mjcf")
    found = _files_of(kind, suffix)
    if suffix == ".urdf":
        found += [path for path in _files_of("benchmark", suffix) if path.stem in ("iiwa", "panda7", "puma560")]
    names = {path.name for path in _package()}
    return [path for path in found if path.name not in names]


def _files_of(kind: str, suffix: str) -> list[Path]:
    return sorted(chain((OWN / kind).glob(f"*{suffix}"), (SHARED / "robots" / kind).glob(f"*{suffix}")))


def _once(paths: Iterable[Path]) -> list[Path]:
    return list({path.name: path for path in paths}.values())
