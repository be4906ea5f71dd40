"""A URDF of links with inertias and joints as SDF, for libraries that read URDF only through another program."""

from __future__ import annotations

from typing import Any

ORIGIN = "0 0 0"


def sdf_text(urdf: str, fixed: bool) -> str:
    """Return the robot as SDF 1.10, its base welded to the world where it is `fixed`.

    Shapes, limits and frames (massless links at the ends) are left out; a welded base without mass gets one.
    """
    import lxml.etree as etree

    robot = etree.fromstring(urdf.replace('"world"', '"ground"').encode())  # SDF's own word
    model = etree.Element("model", name=robot.get("name"))
    joints = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}
    parents = {joint.find("parent").get("link") for joint in joints.values()}
    links = [link for link in robot.findall("link") if link.find("inertial") is not None or link.get("name") in parents]
    kept = {link.get("name") for link in links}
    for link in links:
        _add_link(etree, model, link, joints.get(link.get("name")))
    for child, joint in joints.items():
        if child not in kept:
            continue
        kind = joint.get("type")
        added = etree.SubElement(model, "joint", name=joint.get("name"), type=_kind(kind))
        etree.SubElement(added, "parent").text = joint.find("parent").get("link")
        etree.SubElement(added, "child").text = child
        if kind != "fixed":
            axis = etree.SubElement(added, "axis")
            etree.SubElement(axis, "xyz").text = joint.find("axis").get("xyz")
    if fixed:
        base = next(link.get("name") for link in robot.findall("link") if link.get("name") not in joints)
        added = etree.SubElement(model, "joint", name="standing", type="fixed")
        etree.SubElement(added, "parent").text = "world"
        etree.SubElement(added, "child").text = base
    root = etree.Element("sdf", version="1.10")
    root.append(model)
    return etree.tostring(root, encoding="unicode")


def _kind(kind: str) -> str:
    return "revolute" if kind == "continuous" else kind


def _add_link(etree: Any, model: Any, link: Any, joint: Any) -> None:
    added = etree.SubElement(model, "link", name=link.get("name"))
    if joint is not None:  # a link stands where its joint does
        pose = etree.SubElement(added, "pose", relative_to=joint.find("parent").get("link"))
        pose.text = _pose(joint.find("origin"))
    inertial = link.find("inertial")
    body = etree.SubElement(added, "inertial")
    if inertial is None:
        etree.SubElement(body, "pose").text = _pose(None)
        etree.SubElement(body, "mass").text = "1"
        return
    etree.SubElement(body, "pose").text = _pose(inertial.find("origin"))
    etree.SubElement(body, "mass").text = inertial.find("mass").get("value")
    moments = etree.SubElement(body, "inertia")
    for name, value in inertial.find("inertia").items():
        etree.SubElement(moments, name).text = value


def _pose(origin: Any) -> str:
    if origin is None:
        return f"{ORIGIN} {ORIGIN}"
    return f"{origin.get('xyz', ORIGIN)} {origin.get('rpy', ORIGIN)}"
