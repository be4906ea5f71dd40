"""URDF, and what we add to it.

Read are links, joints, and of these what dynamics needs, and shapes; everything else (transmissions, sensors, other
programs' elements) is passed over.

Additions, so that every robot can be saved and loaded again: the joint types `spherical` (or `ball`), `helical`
(or `screw`; `<axis xyz=".." pitch=".."/>`, m/rad) and `universal` (a second element `<axis2 xyz=".."/>`);
`armature` in `<dynamics>`; `<gravity xyz=".."/>` and `<base_pose xyz=".." rpy=".."/>` (in the world) in `<robot>`;
and `<neutral q="x y z qx qy qz qw"/>` in floating joints. Closed chains as the generalized_rbda package
writes them: `<loop name=".." type="..">` between `<predecessor link="..">` and `<successor link="..">` (each with an
`<origin>`; axes as of joints), `<coupling>` of two links with a `<ratio value=".."/>`, `independent="false"` on joints;
and, ours again, a `<coupling>` of any joints by `<term joint=".." coefficient=".."/>` and `<offset value=".."/>`. Of
Drake's additions joints, rotors with gears and ball constraints are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings, quote_text
from screwgraph.model.formats.drake import adopt_urdf
from screwgraph.model.formats.mimics import Mimic, make_mimic_couplings
from screwgraph.model.formats.model_checks import warn_of_parts
from screwgraph.model.formats.spanning_tree import chosen_joints
from screwgraph.model.formats.spelling import URDF, warn_of_spelling
from screwgraph.model.formats.text_sources import TEXT, model_name
from screwgraph.model.formats.urdf.loops import adopt_letters, read_coupling, read_independent, read_loop
from screwgraph.model.formats.urdf.parts import read_joint, read_link, read_mimic, read_origin, remark_on_version
from screwgraph.model.formats.xml import (
    UNDECLARED,
    Element,
    children,
    find_only_child,
    locate_element,
    parse_xml,
    read_vector,
)
from screwgraph.model.robot import STANDARD_GRAVITY, Coupling, Joint, Link, Loop, Robot, tree
from screwgraph.spatial import inverse

_XACRO = ("macro", "include", "property", "arg", "if", "unless")


def read_urdf(data: bytes, file: str) -> Robot:
    """Read a robot, fixed joints not yet merged, from the content of a URDF file; `file` is its name in messages.

    Raises:
        ModelError: no well-formed XML, no URDF, or no tree of links and joints.
    """
    warnings = Warnings()
    root = parse_xml(data, file, warnings)
    _check_root(root, file)
    remark_on_version(root, file, warnings)
    adopt_urdf(root, file, warnings)
    adopt_letters(root)
    warn_of_spelling(root, file, warnings, URDF)
    places: dict[object, Place] = {None: locate_element(root, file)}
    links: list[Link] = []
    for element in children(root, "link"):
        links.append(read_link(element, file, warnings))
        places[links[-1]] = locate_element(element, file)
    joints: list[Joint] = []
    read: list[Mimic | None] = []
    for element in children(root, "joint"):
        joints.append(read_joint(element, file, warnings))
        read.append(read_mimic(element, joints[-1].name, file, warnings))
        places[joints[-1]] = locate_element(element, file)
    joints, closing = split_closing(links, joints, lambda joint: places[joint], warnings)
    places |= {loop: places[joint] for joint, loop in closing.items()}
    mimics = [_of_tree(mimic, closing) for mimic in read if mimic is not None]
    loops, couplings = _closed_chains(root, joints, mimics, file, warnings, places)

    def where(part: object) -> object:
        return places.get(part, places[None])

    warn_of_parts(links, joints, where, warnings)
    gravity = read_vector(find_only_child(root, "gravity", file, warnings), "xyz", "gravity", file, STANDARD_GRAVITY)
    return tree(
        root.get("name", "").strip() or model_name(file),
        links,
        joints,
        gravity=(gravity[0], gravity[1], gravity[2]),
        T_wb=read_origin(root, "the robot", file, warnings, "base_pose"),
        warnings=warnings.lines,
        loops=[*closing.values(), *loops],
        couplings=couplings,
        independent=_independent(root, mimics, closing, file),
        where=where,
    )


def _check_root(root: Element, file: str) -> None:
    for element in root.iterchildren():
        prefix, _, local = element.tag.rpartition("}")
        if "xacro" in prefix and UNDECLARED not in prefix and local in _XACRO:
            raise ModelError(
                f"<xacro:{local}> stands in the file",
                at=locate_element(element, file),
                why="xacro is a language for writing URDF, not URDF",
                fix="give xacro_args={}, and the text is expanded"
                if file == TEXT
                else "call the file .xacro, and it is expanded",
            )
    if root.tag != "robot":
        raise ModelError(
            f"the outermost element is {quote_text(f'<{root.tag}>')}",
            at=locate_element(root, file),
            why="URDF has <robot> there",
        )


def _closed_chains(
    root: Element,
    joints: Sequence[Joint],
    mimics: Sequence[Mimic],
    file: str,
    warnings: Warnings,
    places: dict[object, Place],
) -> tuple[list[Loop], list[Coupling]]:
    loops, couplings = [], []
    for element in children(root, "loop"):
        loops.append(read_loop(element, file, warnings))
        places[loops[-1]] = locate_element(element, file)
    for element in children(root, "coupling"):
        couplings.append(read_coupling(element, joints, file, warnings))
        places[couplings[-1]] = locate_element(element, file)
    taken = [part.name for part in (*loops, *couplings)]
    return loops, couplings + make_mimic_couplings(mimics, joints, taken, warnings)


def _of_tree(mimic: Mimic, closing: Mapping[Joint, Loop]) -> Mimic:
    """Return a mimic of two joints of the tree. Raises ModelError where one of them closes a loop."""
    for joint in closing:
        if joint.name in (mimic.follower, mimic.leader):
            raise ModelError(
                f"joint {mimic.follower!r} mimics {mimic.leader!r}",
                at=mimic.at,
                why=f"joint {joint.name!r} closes a loop, and has no coordinate",
                fix="let joints of the tree mimic",
            )
    return mimic


def _independent(root: Element, mimics: Sequence[Mimic], closing: Mapping[Joint, Loop], file: str) -> list[str] | None:
    """A joint that mimics another, or closes a loop, is not independent, even where only others are marked so."""
    named = read_independent(children(root, "joint"), file)
    others = {mimic.follower for mimic in mimics} | {joint.name for joint in closing}
    return None if named is None else [name for name in named if name not in others]


# URDF whose link has two parents: the later joint closes a loop.
#
# Xie & Dellaert (2019) write parallel robots so ("amended URDF with extra loop closures").


def split_closing(
    links: Sequence[Link], joints: Sequence[Joint], where: Callable[[Joint], Place], warnings: Warnings
) -> tuple[list[Joint], dict[Joint, Loop]]:
    """Return the joints of the tree, and the loops that the others close where the file draws the robot (q = 0).

    Where no link is without a parent, the first is the base. What is no tree with loops is left as it is.
    """
    names = {link.name for link in links}
    moved = Counter(joint.child for joint in joints)
    bases = [link.name for link in links if link.name not in moved]
    sound = all(j.parent in names and j.child in names and j.parent != j.child for j in joints)
    if not links or not sound or (bases and max(moved.values(), default=0) < 2):
        return list(joints), {}
    base = bases[0] if bases else links[0].name
    chosen, closing = chosen_joints(base, joints)
    if max(Counter(joint.child for joint in chosen).values(), default=0) > 1:
        return list(joints), {}
    tree = sorted(chosen, key=joints.index)
    at = _make_drawn_poses(tree)
    loops = {}
    for joint in closing:
        T_wj = at(joint.parent) @ joint.origin
        loops[joint] = Loop(
            joint.name, joint.type, joint.parent, joint.child, joint.origin, inverse(at(joint.child)) @ T_wj
        )
        lost = [what for what in ("damping", "friction", "armature") if getattr(joint, what)]
        warnings.add(
            f"link {joint.child!r} has two parents: joint {joint.name!r} closes a loop",
            at=where(joint),
            why=f"its {' and '.join(lost)} {'is' if len(lost) == 1 else 'are'} not modelled" if lost else "",
        )
    return tree, loops


def _make_drawn_poses(joints: Sequence[Joint]) -> Callable[[str], Float[np.ndarray, "4 4"]]:
    """Return what gives the pose of a link where the file draws it, in its base's frame."""
    above: Mapping[str, Joint] = {joint.child: joint for joint in joints}

    def pose(link: str) -> Float[np.ndarray, "4 4"]:
        T = np.eye(4)
        while link in above:
            T, link = above[link].origin @ T, above[link].parent
        return T

    return pose
