"""Loops and couplings of URDF, in the dialect of the generalized_rbda package: <loop>, <coupling>, independent=".."."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import joint_types
from screwgraph.model.formats.diagnostics import Warnings, quote_text
from screwgraph.model.formats.urdf.parts import read_origin, read_type, required_child
from screwgraph.model.formats.xml import (
    Element,
    children,
    find_only_child,
    locate_element,
    read_number,
    required_attribute,
)
from screwgraph.model.robot import Coupling, Joint, Loop


def adopt_letters(root: Element) -> None:
    """Write elements and attributes of this dialect in small letters: files have any."""
    for element in root:
        if element.tag.lower() in ("loop", "coupling"):
            for part in element.iter():
                part.tag = part.tag.lower()
                _lower(part, part.attrib)
        elif element.tag == "joint":
            _lower(element, [key for key in element.attrib if key.lower() == "independent"])


def _lower(element: Element, keys: Iterable[str]) -> None:
    for key in list(keys):
        if key != key.lower() and key.lower() not in element.attrib:
            element.set(key.lower(), element.attrib.pop(key))


def read_loop(element: Element, file: str, warnings: Warnings) -> Loop:
    """Read a <loop>. Raises ModelError."""
    name = required_attribute(element, "name", "a loop", file)
    who = f"loop {name!r}"
    kind = joint_types.type_name(
        required_attribute(element, "type", who, file).lower(), who, locate_element(element, file)
    )
    (predecessor, T_pf), (successor, T_sf) = (
        _end(element, role, who, file, warnings) for role in ("predecessor", "successor")
    )
    return Loop(name, read_type(kind, element, who, file, warnings), predecessor, successor, T_pf, T_sf)


def read_coupling(element: Element, joints: Sequence[Joint], file: str, warnings: Warnings) -> Coupling:
    """Read a <coupling>: ratio * (joints from the nearest common ancestor to the predecessor) = (to the successor).

    The successor's joints come first in its terms: they follow. With <term joint=".." coefficient=".."/> elements and
    an <offset value=".."/> it is any linear equation instead; this is ours.

    Raises:
        ModelError: unknown links, links that no joints lead to, or joints of several coordinates between them.
    """
    name = required_attribute(element, "name", "a coupling", file)
    who = f"coupling {name!r}"
    if next(children(element, "term"), None) is not None:
        return _sum_of_terms(element, name, who, file, warnings)
    links = [
        required_attribute(required_child(element, role, who, file, warnings), "link", who, file) for role in _ROLES
    ]
    ratio = read_number(required_child(element, "ratio", who, file, warnings), "value", who, file)
    paths = find_tree_paths(joints, *links)
    if paths is None:
        raise ModelError(
            f"{who} ties the links {links[0]!r} and {links[1]!r}",
            at=locate_element(element, file),
            why="no joints lead from one to the other",
            fix="name two links of the tree",
        )
    to_predecessor, to_successor = ([j for j in path if j.type.nq] for path in paths)
    for joint in (*to_predecessor, *to_successor):
        if joint.type.nq > 1:
            raise ModelError(
                f"{who} runs over joint {joint.name!r}",
                at=locate_element(element, file),
                why="a joint with several coordinates cannot be coupled",
            )
    terms = {joint.name: 1.0 for joint in to_successor} | {joint.name: -ratio for joint in to_predecessor}
    return Coupling(name, terms)


def read_independent(elements: Iterable[Element], file: str) -> list[str] | None:
    """Return the joints not marked independent="false"; None where no joint is marked. Raises ModelError."""
    marks = {}
    for element in elements:
        mark = element.get("independent")
        if mark is not None and mark.strip().lower() not in _MARKS:
            raise ModelError(
                f"joint {element.get('name')!r}: 'independent' is {quote_text(mark)}",
                at=locate_element(element, file),
                why="it must be true or false",
            )
        marks[element.get("name")] = None if mark is None else _MARKS[mark.strip().lower()]
    return None if all(m is None for m in marks.values()) else [name for name, m in marks.items() if m is not False]


def find_tree_paths(joints: Iterable[Joint], first: str, second: str) -> tuple[list[Joint], list[Joint]] | None:
    """Return the joints from the nearest common ancestor to each of two links; None where there is no such ancestor."""
    above = {joint.child: joint for joint in joints}
    to_first, to_second = (_list_joints_above(above, link) for link in (first, second))
    links_first = [first, *(joint.parent for joint in to_first)]
    links_second = [second, *(joint.parent for joint in to_second)]
    common = next((link for link in links_first if link in links_second), None)
    if common is None:
        return None
    return to_first[: links_first.index(common)][::-1], to_second[: links_second.index(common)][::-1]


def _sum_of_terms(element: Element, name: str, who: str, file: str, warnings: Warnings) -> Coupling:
    terms: dict[str, float] = {}
    for term in children(element, "term"):
        joint = required_attribute(term, "joint", who, file)
        if joint in terms:
            raise ModelError(
                f"{who} has two terms of joint {joint!r}", at=locate_element(term, file), fix="add them up"
            )
        terms[joint] = read_number(term, "coefficient", who, file)
    return Coupling(
        name, terms, read_number(find_only_child(element, "offset", file, warnings), "value", who, file, 0.0)
    )


_ROLES = ("predecessor", "successor")
_MARKS = {"true": True, "1": True, "false": False, "0": False}


def _list_joints_above(above: Mapping[str, Joint], link: str) -> list[Joint]:
    """Return the joints from a link up to where they end; a cycle is left for `tree` to complain about."""
    path: list[Joint] = []
    seen = {link}
    while link in above and above[link].parent not in seen:
        path.append(above[link])
        link = above[link].parent
        seen.add(link)
    return path


def _end(element: Element, role: str, who: str, file: str, warnings: Warnings) -> tuple[str, Float[np.ndarray, "4 4"]]:
    end = required_child(element, role, who, file, warnings)
    return required_attribute(end, "link", who, file), read_origin(end, who, file, warnings)
