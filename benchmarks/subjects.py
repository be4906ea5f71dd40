"""The robots, and how many operations Pinocchio's algorithms take on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import screwgraph as sg

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "robots" / "benchmark"
SNAP = 1e-7
"""The peer's counts were taken with rotations rounded so."""


@dataclass(frozen=True)
class Counts:
    """Operations of an algorithm on CasADi scalars, common subexpressions removed; as many sines as cosines."""

    products: int
    sums: int
    quotients: int
    angles: int

    @property
    def total(self) -> int:
        """All together."""
        return self.products + self.sums + self.quotients + 2 * self.angles


@dataclass(frozen=True)
class Goal:
    """The largest ratio of operations to the peer's that is asked for."""

    operations: Mapping[str, float]


@dataclass(frozen=True)
class Subject:
    """A robot: a file of the benchmark folder, or a built-in one where that is absent."""

    name: str
    zoo: str | None
    base: str
    counts: Mapping[str, Counts]
    goal: Goal

    def load(self) -> sg.Robot | None:
        """Return the robot; None where it is not here."""
        path = FOLDER / f"{self.name}.urdf"
        if path.exists():
            return sg.load(path, base=self.base, snap=SNAP)
        return sg.load(self.zoo, base=self.base) if self.zoo else None


def _counts(angles: int, **counted: tuple[int, ...]) -> Mapping[str, Counts]:
    """Read the anchors' notation: products, sums and quotients by question."""
    return {name: Counts(c[0], c[1], c[2] if len(c) > 2 else 0, angles) for name, c in counted.items()}


PYTHON_GOAL = 1.2
"""One call from Python, against `pin`."""
PEER_GOAL = 1.3
"""One call, or a sample in a batch, against the fastest peer."""
ARM = Goal({"inverse": 0.66, "forward": 0.6})
QUADRUPED = Goal({"inverse": 0.66, "forward": 0.7})
HUMANOID = Goal({"inverse": 0.66, "forward": 0.7})

SUBJECTS = (
    Subject(
        "puma560",
        "puma560",
        "fixed",
        _counts(5, inverse=(331, 245), forward=(674, 519, 23), mass_matrix=(164, 150)),
        ARM,
    ),
    Subject("ur5", None, "fixed", _counts(5, inverse=(323, 233), forward=(716, 532, 21), mass_matrix=(136, 126)), ARM),
    Subject(
        "iiwa",
        "iiwa14",
        "fixed",
        _counts(6, inverse=(438, 336), forward=(893, 710, 30), mass_matrix=(247, 209)),
        ARM,
    ),
    Subject(
        "panda7",
        "panda",
        "fixed",
        _counts(6, inverse=(556, 451), forward=(1043, 857, 31), mass_matrix=(335, 307)),
        ARM,
    ),
    Subject(
        "a1",
        "a1",
        "floating",
        _counts(12, inverse=(1223, 1025), forward=(2587, 2235, 116), mass_matrix=(534, 535)),
        QUADRUPED,
    ),
    Subject(
        "simple_humanoid",
        None,
        "floating",
        _counts(29, inverse=(1815, 1541), forward=(5184, 4153, 216), mass_matrix=(2126, 1535)),
        HUMANOID,
    ),
    Subject(
        "icub",
        None,
        "floating",
        _counts(29, inverse=(3602, 3026), forward=(9293, 8009, 230), mass_matrix=(4239, 3616)),
        HUMANOID,
    ),
    Subject(
        "talos_reduced",
        None,
        "floating",
        _counts(32, inverse=(3269, 2749), forward=(7054, 6053, 234), mass_matrix=(2582, 2178)),
        HUMANOID,
    ),
)


def chosen(names: Iterable[str]) -> list[tuple[Subject, sg.Robot]]:
    """Return the subjects of these names (none: all) that are here, with their robots."""
    wanted = set(names)
    found = [(s, s.load()) for s in SUBJECTS if not wanted or s.name in wanted]
    return [(subject, robot) for subject, robot in found if robot is not None]
