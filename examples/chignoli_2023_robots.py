"""The robots whose instructions Chignoli et al. (2023) count, and one that mixes local and long loops.

Chains of sub-mechanisms on a floating base (Fig. 8), two coupled branches (Fig. 10), and two mechanisms whose clusters
stand on several bodies of others (footnote 2). All joints turn about z.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from screwgraph.model.robot import Coupling, Joint, Link, Loop, Robot, tree, with_floating_base
from screwgraph.model.robot.joints import Prismatic, Revolute
from screwgraph.spatial import SpatialInertia, transform

GEAR = 6.0
"""Turns of a rotor for one of what it drives."""
BREADTH = 0.5
"""Distance (m) of the two branches' bases: other than the links' length, so that the rod closes no rhombus."""
BASE = SpatialInertia.of_body(5.0, np.zeros(3), 0.1 * np.eye(3))
LINK = SpatialInertia.of_body(1.0, np.array([0.5, 0.0, 0.0]), np.eye(3))
ROTOR = SpatialInertia.of_body(0.0, np.zeros(3), 1e-4 * np.eye(3))
BAR = SpatialInertia.of_body(3.3, np.zeros(3), np.diag([0.011253, 0.036203, 0.042673]))
SLENDER = SpatialInertia.of_body(0.25, np.array([0.0, 0.5, 0.0]), np.diag([0.01, 0.1, 0.01]))

Place = tuple[float, float, float]
Parts = tuple[list[Link], list[Joint], list[Loop], list[Coupling], list[str]]
"""Links, joints, loops, couplings, and the names of the joints that drive them."""


def chain(kind: str, depth: int, branches: int = 1, floating: bool = True) -> Robot:
    """Return branches of `depth` sub-mechanisms in series, on a base of 5 kg: "rotor", "belt" or "four_bar"."""
    parts: Parts = [], [], [], [], []
    for branch in range(branches):
        hangs_on = "base"
        for stage in range(depth):
            hangs_on = STAGES[kind](parts, f"{branch + 1}_{stage + 1}", hangs_on)
    return _robot(f"{kind}_{branches}x{depth}", parts, floating)


def branches(depth: int, at: int, kind: str) -> Robot:
    """Return two branches of `depth` slender links on a fixed base, tied at their `at`-th links, counted from 1.

    By a "coupling", the sums of the joint angles up to there are equal; or a "rod" as long as the base is broad joins
    the far ends of these links.
    """
    parts: Parts = [], [], [], [], []
    for side, x in (("a", 0.0), ("b", BREADTH)):
        for i in range(depth):
            parent, place = (f"{side}{i}", (0.0, 1.0, 0.0)) if i else ("base", (x, 0.0, 0.0))
            _body(parts, f"{side}{i + 1}", parent, SLENDER, place)
    if kind == "coupling":
        signs = (("a", 1.0), ("b", -1.0))
        terms = {f"{side}{i + 1}_joint": sign for side, sign in signs for i in range(at)}
        parts[3].append(Coupling("transmission", terms))
    else:
        _rod(parts, f"a{at}", f"b{at}", (0.0, 1.0, 0.0), (0.0, BREADTH, 0.0), SLENDER)
    return _robot(f"{kind}_{depth}_{at}", parts, floating=False, driven=False)


def mixed(stages: int, kind: str = "belt", floating: bool = False) -> Robot:
    """Return two branches of `stages` sub-mechanisms each, whose last links a rod of 1 m joins.

    Many local loops, and a long one around them all.
    """
    parts: Parts = [], [], [], [], []
    ends = []
    for side, shift in (("a", 0.0), ("b", 1.0)):
        hangs_on = f"{side}_0"
        _body(parts, hangs_on, "base", LINK, (0.0, shift, 0.0))
        parts[4].append(f"{hangs_on}_joint")
        for stage in range(stages):
            hangs_on = STAGES[kind](parts, f"{side}_{stage + 1}", hangs_on)
        ends.append(hangs_on)
    _rod(parts, ends[0], ends[1], (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), LINK)
    return _robot(f"mixed_{kind}_{stages}", parts, floating, driven=False)


def parallelograms(stages: int) -> Robot:
    """Return an arm whose links have a rod beside each, as palletisers do: its plates keep their direction.

    Each arm stands on the one before, its rod on the plate there: two output bodies.
    """
    parts: Parts = [], [], [], [], []
    arm = plate = "base"
    for i in range(1, stages + 1):
        at, over = ((1.0, 0.0, 0.0) if i > 1 else (0.0, 0.0, 0.0)), (0.0, 0.3, 0.0)
        arm, rod = _body(parts, f"arm{i}", arm, BAR, at), _body(parts, f"rod{i}", plate, BAR, over)
        plate = _body(parts, f"plate{i}", arm, BAR)
        _pin(parts, rod, (1.0, 0.0, 0.0), plate, over)
        parts[4].append(f"{arm}_joint")
    return _robot(f"parallelograms_{stages}", parts, floating=False)


def scissors(stages: int) -> Robot:
    """Return a lift of pairs of bars that cross at a pin, each pair on both bars of the one before; a slider drives."""
    parts: Parts = [], [], [], [], []
    parts[0].append(Link("slider", SLENDER))
    parts[1].append(Joint("slider_joint", Prismatic((1.0, 0.0, 0.0)), "base", "slider"))
    parts[4].append("slider_joint")
    start, end = (0.0, 0.2, 0.0), (1.0, 0.0, 0.0)  # the pivot is off the slider's line: bars do not fold onto another
    a, b = _body(parts, "a1", "base", BAR, start), _body(parts, "b1", "slider", BAR, (0.0, 0.0, 0.0))
    for i in range(1, stages + 1):
        if i > 1:
            a, b = _body(parts, f"a{i}", b, BAR, end), _body(parts, f"b{i}", a, BAR, end)
        _pin(parts, a, (0.5, 0.0, 0.0), b, (0.5, 0.0, 0.0))
    return _robot(f"scissors_{stages}", parts, floating=False)


def _rotor_stage(parts: Parts, name: str, hangs_on: str) -> str:
    """Link and rotor on the same body, the rotor geared to the link; the next stage hangs on the link."""
    link = _body(parts, f"link_{name}", hangs_on, LINK)
    _geared(parts, f"rotor_{name}", hangs_on, link)
    parts[4].append(f"{link}_joint")
    return link


def _belt_stage(parts: Parts, name: str, hangs_on: str) -> str:
    """Two links in series; both rotors on the body that carries them, the second turns with the sum of the angles."""
    first = _body(parts, f"link1_{name}", hangs_on, LINK)
    second = _body(parts, f"link2_{name}", first, LINK)
    _geared(parts, f"rotor1_{name}", hangs_on, first)
    _geared(parts, f"rotor2_{name}", hangs_on, first, second)
    parts[4].extend((f"{first}_joint", f"{second}_joint"))
    return second


def _four_bar_stage(parts: Parts, name: str, hangs_on: str) -> str:
    """Crank 2, coupler 3, rocker 1, a parallelogram; the next stage hangs on the rocker, the crank drives."""
    rocker = _body(parts, f"link1_{name}", hangs_on, BAR)
    crank = _body(parts, f"link2_{name}", hangs_on, BAR, (0.0, 0.0, 0.0))
    coupler = _body(parts, f"link3_{name}", crank, BAR, (0.5, 0.0, 0.0))
    _pin(parts, rocker, (0.5, 0.0, 0.0), coupler, (1.0, 0.0, 0.0), f"pin_{name}")
    parts[4].append(f"{crank}_joint")
    return rocker


Stage = Callable[[Parts, str, str], str]
STAGES: dict[str, Stage] = {"rotor": _rotor_stage, "belt": _belt_stage, "four_bar": _four_bar_stage}
"""Add a stage of some name to a body; they return the body that the next stage hangs on."""


def _geared(parts: Parts, rotor: str, hangs_on: str, *driven: str) -> None:
    _body(parts, rotor, hangs_on, ROTOR)
    parts[3].append(Coupling(f"{rotor}_gear", {f"{rotor}_joint": 1.0, **{f"{link}_joint": -GEAR for link in driven}}))


def _rod(parts: Parts, first: str, second: str, end: Place, length: Place, body: SpatialInertia) -> None:
    """Join two bodies at the place `end` of each by a rod, which hangs on the first and reaches to `length`."""
    rod = _body(parts, "rod", first, body, end)
    _pin(parts, rod, length, second, end, "rod_pin")


def _pin(parts: Parts, first: str, place: Place, second: str, other: Place, name: str = "") -> None:
    """Join a place on one body to a place on another by a hinge that closes a loop."""
    tips = [transform(np.eye(3), np.array(at)) for at in (place, other)]
    parts[2].append(Loop(name or f"{first}_{second}", Revolute(), first, second, *tips))


def _body(parts: Parts, name: str, parent: str, body: SpatialInertia, at: Place = (1.0, 0.0, 0.0)) -> str:
    parts[0].append(Link(name, body))
    parts[1].append(Joint(f"{name}_joint", Revolute(), parent, name, transform(np.eye(3), np.array(at))))
    return name


def _robot(name: str, parts: Parts, floating: bool, driven: bool = True) -> Robot:
    links, joints, loops, couplings, independent = parts
    base = Link("base", BASE if floating else SpatialInertia())
    made = tree(
        name, [base, *links], joints, loops=loops, couplings=couplings, independent=independent if driven else None
    )
    return with_floating_base(made) if floating else made
