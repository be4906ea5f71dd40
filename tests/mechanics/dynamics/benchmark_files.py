"""The 296 URDF files of the program that Chignoli et al. (2023) count instructions of, made anew, and what ties them.

Branches of sub-mechanisms on a floating base (Fig. 8) and two long branches with one loop (Fig. 10), each also as an
"approximate" tree: without rotors, couplers and loops. All joints turn about z.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

BRANCHES = (1, 2, 4, 6)
DEPTHS = {"rotor": range(1, 11), "pair": range(1, 8), "four_bar": range(1, 11)}
LOOPS_AT = {5: (1, 2, 3, 4, 5), 10: (1, 2, 4, 6, 8), 20: (1, 3, 6, 10, 15), 40: (1, 4, 8, 14, 20)}
"""Where loops are tied, counted from the base, by the depth of both branches."""
GEAR = 6.0

Place = tuple[float, float, float]
ORIGIN, AHEAD, UP = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


class Gear(NamedTuple):
    """Ratio x (angle of `predecessor` towards their nearest common ancestor) = the same angle of `successor`."""

    predecessor: str
    successor: str
    ratio: float


class Pin(NamedTuple):
    """A hinge about z that joins a place on one link to a place on another."""

    predecessor: str
    place: Place
    successor: str
    other_place: Place


class Body(NamedTuple):
    """Mass (kg), place of its centre (m), principal moments of inertia about it (kg m^2)."""

    mass: float
    centre: Place
    moments: Place


BASE = Body(5.0, ORIGIN, (0.1, 0.1, 0.1))
LINK = Body(1.0, (0.5, 0.0, 0.0), (1.0, 1.0, 1.0))
ROTOR = Body(0.0, ORIGIN, (1e-4, 1e-4, 1e-4))
BAR = Body(3.3, ORIGIN, (0.011253, 0.036203, 0.042673))
SLENDER = Body(0.25, (0.0, 0.5, 0.0), (0.01, 0.1, 0.01))


@dataclass
class Writer:
    """The text of a file so far, its gears and pins, and the `shapes` that close pins: angles, by a common one."""

    lines: list[str] = field(default_factory=list)
    ties: list[Gear | Pin] = field(default_factory=list)
    shapes: dict[str, float] = field(default_factory=dict)

    def link(self, name: str, body: Body | None = None) -> None:
        if body is None:
            self.lines.append(f'<link name="{name}"/>')
            return
        x, y, z = body.moments
        centre = " ".join(map(str, body.centre))
        inertia = f'<inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"/>'
        inertial = f'<inertial><mass value="{body.mass}"/><origin rpy="0 0 0" xyz="{centre}"/>{inertia}</inertial>'
        self.lines.append(f'<link name="{name}">{inertial}</link>')

    def hinge(self, parent: str, link: str, body: Body, at: Place, independent: str, shape: float = 0.0) -> str:
        """Add a link on a hinge; `shape` is its angle, by that of the others, where pins are closed."""
        joint = f"{link} hinge"
        self.link(link, body)
        self.shapes[joint] = shape
        self.lines += [
            f'<joint independent="{independent}" name="{joint}" type="revolute">',
            f'<parent link="{parent}"/><child link="{link}"/><origin xyz="{" ".join(map(str, at))}"/>',
            '<axis xyz="0 0 1"/><limit effort="30" lower="-10" upper="10" velocity="1"/></joint>',
        ]
        return link

    def gear(self, predecessor: str, successor: str, ratio: float) -> None:
        self.ties.append(Gear(predecessor, successor, ratio))
        ends = f'<predecessor link="{predecessor}"/><successor link="{successor}"/>'
        self.lines.append(f'<coupling name="gear of {successor}">{ends}<ratio value="{ratio}"/></coupling>')

    def pin(self, predecessor: str, place: Place, successor: str, other_place: Place) -> None:
        self.ties.append(Pin(predecessor, place, successor, other_place))
        self.lines.append(f'<loop name="pin of {successor}" type="revolute">')
        for role, link, at in (("predecessor", predecessor, place), ("successor", successor, other_place)):
            self.lines.append(f'<{role} link="{link}"><origin xyz="{" ".join(map(str, at))}"/></{role}>')
        self.lines.append('<axis xyz="0 0 1"/></loop>')


@dataclass(frozen=True)
class BenchmarkFile:
    """One file: `kind`, its `branches` (or the depth of two), and how deep they are (or where the loop is tied)."""

    kind: str
    first: int
    second: int
    approximate: bool

    def __str__(self) -> str:
        return f"{'approximate_' * self.approximate}{self.kind}_{self.first}_{self.second}"

    @property
    def ordering(self) -> str:
        """Constraint embedding for many four-bars, where trying all orders takes minutes; else the cheapest order."""
        return (
            "embedding" if self.kind == "four_bar" and not self.approximate and self.first * self.second > 4 else "auto"
        )

    def write(self) -> Writer:
        """Return the file's text and ties."""
        out = Writer()
        if self.kind in ("transmission", "rod"):
            _two_branches(out, self)
        else:
            out.link("ground")
            out.link("Floating Base", BASE)
            ends = '<parent link="ground"/><child link="Floating Base"/>'
            out.lines.append(f'<joint name="free" type="floating"><origin rpy="0 0 0" xyz="0 0 0"/>{ends}</joint>')
            for branch in range(1, self.first + 1):
                carrier = "Floating Base"
                for stage in range(1, self.second + 1):
                    carrier = _STAGES[self.kind](out, f"{branch} {stage}", carrier, self.approximate)
        return out

    @property
    def text(self) -> str:
        """The file."""
        return "\n".join([f'<?xml version="1.0" ?>\n<robot name="{self}">', *self.write().lines, "</robot>\n"])


def _rotor_stage(out: Writer, name: str, carrier: str, approximate: bool) -> str:
    """A link, and a rotor on the same carrier that turns faster."""
    link = out.hinge(carrier, f"link {name}", LINK, AHEAD, "true")
    if not approximate:
        out.gear(link, out.hinge(carrier, f"rotor {name}", ROTOR, AHEAD, "false"), GEAR)
    return link


def _pair_stage(out: Writer, name: str, carrier: str, approximate: bool) -> str:
    """Two links in series, both rotors on their carrier: the second turns with the sum of the angles."""
    first = out.hinge(carrier, f"link {name} a", LINK, AHEAD, "true")
    second = out.hinge(first, f"link {name} b", LINK, AHEAD, "true")
    for link, letter in ((first, "a"), (second, "b")) if not approximate else ():
        out.gear(link, out.hinge(carrier, f"rotor {name} {letter}", ROTOR, AHEAD, "false"), GEAR)
    return second


def _four_bar_stage(out: Writer, name: str, carrier: str, approximate: bool) -> str:
    """Crank, coupler and rocker of a parallelogram; the rocker carries the next stage, the crank where it is alone."""
    if approximate:
        return out.hinge(carrier, f"crank {name}", BAR, ORIGIN, "true")
    rocker = out.hinge(carrier, f"rocker {name}", BAR, AHEAD, "false", 1.0)
    crank = out.hinge(carrier, f"crank {name}", BAR, ORIGIN, "true", 1.0)
    coupler = out.hinge(crank, f"coupler {name}", BAR, (0.5, 0.0, 0.0), "false", -1.0)
    out.pin(rocker, (0.5, 0.0, 0.0), coupler, AHEAD)
    return rocker


_STAGES = {"rotor": _rotor_stage, "pair": _pair_stage, "four_bar": _four_bar_stage}


def _two_branches(out: Writer, file: BenchmarkFile) -> None:
    """Two branches of slender links, whose links number `second` a gear of ratio 1 or a rod ties."""
    out.link("base")
    carriers, by_rod = ["base", "base"], file.kind == "rod"
    for i in range(1, file.first + 1):
        for side, letter in enumerate("ab"):
            place = UP if i > 1 else (AHEAD if by_rod and side else ORIGIN)
            dependent = side and i == (1 if by_rod else file.second)
            marks = ("false", "true") if i == 1 and by_rod else ("False", "True")
            carriers[side] = out.hinge(carriers[side], f"{letter} {i}", SLENDER, place, marks[not dependent], 1.0)
        if i == file.second and not file.approximate:
            if by_rod:
                rod = out.hinge(carriers[0], "rod", SLENDER, UP, "false", -float(i))
                out.pin(rod, AHEAD, carriers[1], UP)
            else:
                out.gear(carriers[0], carriers[1], 1.0)


def benchmark_files() -> list[BenchmarkFile]:
    """Return all, those of a kind one after the other."""
    return [BenchmarkFile(*of, approximate) for approximate in (False, True) for of in (*_chains(), *_pairs())]


def _chains() -> Iterator[tuple[str, int, int]]:
    for kind, depths in DEPTHS.items():
        yield from ((kind, branches, depth) for branches in BRANCHES for depth in depths)


def _pairs() -> Iterable[tuple[str, int, int]]:
    return [(kind, depth, at) for kind in ("transmission", "rod") for depth, ats in LOOPS_AT.items() for at in ats]


def sum_by_kind(rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return one row for each kind of files: how many, how large, the worst errors of their rows."""
    found = list[dict[str, str]]()
    for kind in sorted({row["kind"] for row in rows}):
        of_kind = [row for row in rows if row["kind"] == kind]
        sizes = {name: [int(row[name]) for row in of_kind] for name in ("joints", "independent")}
        worst = {name: max(float(row[name]) for row in of_kind) for name in ("forward", "inverse", "mass")}
        found.append(
            {"files": kind, "count": str(len(of_kind))}
            | {name: f"{min(size)} to {max(size)}" for name, size in sizes.items()}
            | {name: f"{error:.1e}" for name, error in worst.items()}
        )
    return found
