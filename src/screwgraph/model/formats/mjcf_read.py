"""MJCF, through MuJoCo's own compiler: names and numbers are those of the compiled model.

The robot's base is MuJoCo's world. Bodies with several joints get a massless link before each further joint, called
JOINT_link; a link's frame lies on its last joint, and where that is not the body's own, this stays as a frame
`BODY_origin`. Positions are MuJoCo's, but for quaternions (x, y, z, w here) and a free joint's velocity (here the twist
in the body's frame, there linear first and in the world's). A free body begins where the file draws it. Equality
constraints become loops and couplings; contacts, tendons, springs and actuators are passed over, but an actuator tells
that its joint has an effort limit.
"""

from __future__ import annotations

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings
from screwgraph.model.formats.mjcf_bodies import read_bodies
from screwgraph.model.formats.mjcf_compile import compile_mjcf
from screwgraph.model.formats.mjcf_constraints import read_couplings, read_loops
from screwgraph.model.formats.mjcf_flags import obey_flags
from screwgraph.model.formats.mjcf_names import Names
from screwgraph.model.formats.mjcf_numbers import check_attributes, check_model
from screwgraph.model.formats.mjcf_warnings import warn_of_model
from screwgraph.model.formats.model_checks import warn_of_parts
from screwgraph.model.formats.text_sources import is_on_disk
from screwgraph.model.formats.xml import Element, children, locate_element, parse_xml, to_string
from screwgraph.model.robot import Robot, tree


def read_mjcf(data: bytes, file: str) -> Robot:
    """Read a robot, fixed joints not yet merged, from an MJCF file; meshes and includes are looked for beside it.

    Raises:
        ModelError: MuJoCo is not installed, or refuses the file, or the model is no tree with loops of our kinds.
    """
    warnings = Warnings()
    root = parse_xml(data, file, warnings)
    if root.tag != "mujoco":
        raise ModelError(f"the outermost element is <{root.tag}>", at=Place(file, 1), why="MJCF has <mujoco> there")
    check_attributes(root, file)
    text = _without_idle_inertials(root, file, warnings)
    if text is None and not is_on_disk(file):
        text = data.decode("utf-8", "replace")
    model = compile_mjcf(file, text, warnings)
    check_model(model, file)
    obey_flags(model)
    names = Names(model)
    links, joints, frames, placed = read_bodies(model, names)
    loops = read_loops(model, names, placed, warnings, Place(file))
    couplings = read_couplings(model, names, Place(file))
    warn_of_model(model, names, warnings, Place(file))
    warn_of_parts(links, joints, lambda _: Place(file), warnings)
    return tree(
        names.model,
        links,
        joints,
        frames=frames,
        gravity=names.gravity,
        warnings=warnings.lines,
        loops=loops,
        couplings=couplings,
        where=lambda _: Place(file),
    )


def _without_idle_inertials(root: Element, file: str, warnings: Warnings) -> str | None:
    """Return the text of a file without the <inertial> elements that today's MuJoCo refuses, None where it has none.

    Files of older versions leave out `pos` where inertias come from the shapes and <inertial> counts for nothing.
    """
    if not any(compiler.get("inertiafromgeom") == "true" for compiler in children(root, "compiler")):
        return None
    idle = [inertial for inertial in root.iter("inertial") if inertial.get("pos") is None]
    for inertial in idle:
        warnings.add("<inertial> has no 'pos'", at=locate_element(inertial, file), why="it is ignored, as shapes are")
        inertial.getparent().remove(inertial)
    return to_string(root) if idle else None
