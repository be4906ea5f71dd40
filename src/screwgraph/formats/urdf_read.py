"""URDF, and what we add to it.

Read are links, joints, and of these what dynamics needs; everything else (visuals, collisions, materials,
transmissions, sensors, other programs' elements) is passed over, and no mesh is ever looked for.

Additions, so that every robot can be saved and loaded again: the joint types `spherical` (or `ball`), `helical`
(or `screw`; `<axis xyz=".." pitch=".."/>`, m/rad) and `universal` (a second element `<axis2 xyz=".."/>`);
`armature` in `<dynamics>`; and `<gravity xyz=".."/>` in `<robot>`.
"""

from __future__ import annotations

from pathlib import PurePath

from screwgraph.errors import ModelError
from screwgraph.formats.checks import check_mimics, remark_on_parts
from screwgraph.formats.diagnostics import Place, Warnings, shown
from screwgraph.formats.urdf_parts import read_joint, read_link
from screwgraph.formats.xml import Element, children, only, parse_xml, place, vector_of
from screwgraph.robot import STANDARD_GRAVITY, Frame, Joint, Link, Robot, tree

_XACRO = ("macro", "include", "property", "arg", "if", "unless")


def read_urdf(data: bytes, file: str) -> Robot:
    """Read a robot, fixed joints not yet merged, from the content of a URDF file; `file` is its name in messages.

    Raises:
        ModelError: no well-formed XML, no URDF, or no tree of links and joints.
    """
    root = parse_xml(data, file)
    _check_root(root, file)
    _refuse_loops(root, file)
    warnings = Warnings()
    places: dict[object, Place] = {None: place(root, file)}
    links: list[Link] = []
    for element in children(root, "link"):
        links.append(read_link(element, file, warnings))
        places[links[-1]] = place(element, file)
    joints: list[Joint] = []
    for element in children(root, "joint"):
        joints.append(read_joint(element, file, warnings))
        places[joints[-1]] = place(element, file)

    def where(part: Link | Joint | Frame | None) -> object:
        return places[part]

    check_mimics(joints, where)
    remark_on_parts(links, joints, where, warnings)
    gravity = vector_of(only(root, "gravity", file, warnings), "xyz", "gravity", file, STANDARD_GRAVITY)
    return tree(
        root.get("name", "").strip() or PurePath(file).stem,
        links,
        joints,
        gravity=(gravity[0], gravity[1], gravity[2]),
        warnings=warnings.lines,
        where=where,
    )


def _check_root(root: Element, file: str) -> None:
    for element in root.iterchildren():
        prefix, _, local = element.tag.rpartition("}")
        if "xacro" in prefix and local in _XACRO:
            raise ModelError(
                f"<xacro:{local}> stands in the file",
                at=place(element, file),
                why="xacro is a language for writing URDF, not URDF",
                fix="expand it first: xacro in.xacro > out.urdf",
            )
    if root.tag != "robot":
        raise ModelError(
            f"the outermost element is {shown(f'<{root.tag}>')}", at=place(root, file), why="URDF has <robot> there"
        )


def _refuse_loops(root: Element, file: str) -> None:
    loops = [*children(root, "loop"), *children(root, "coupling")]
    loops += [joint for joint in children(root, "joint") if joint.get("independent", "true").strip() != "true"]
    if loops:
        first = min(loops, key=lambda element: element.sourceline)
        what = "independent=" if first.tag == "joint" else f"<{first.tag}>"
        raise ModelError(
            f"the file closes kinematic loops with {what}",
            at=place(first, file),
            why="only trees are read from URDF so far",
            fix=f"take out {what} to load the tree without its loops",
        )
