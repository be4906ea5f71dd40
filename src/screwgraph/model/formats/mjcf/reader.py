"""MJCF, through MuJoCo's own compiler: names and numbers are those of the compiled model.

The robot's base is MuJoCo's world. Bodies with several joints get a massless link before each further joint, called
JOINT_link; a link's frame lies on its last joint, and where that is not the body's own, this stays as a frame
`BODY_origin`. Positions are MuJoCo's, but for quaternions (x, y, z, w here) and a free joint's velocity (here the twist
in the body's frame, there linear first and in the world's). A free body begins where the file draws it. Equality
constraints become loops and couplings; contacts, tendons, springs and actuators are passed over, but an actuator tells
that its joint has an effort limit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import LARGEST, Place, Warnings, quote_text
from screwgraph.model.formats.mjcf.bodies import read_bodies
from screwgraph.model.formats.mjcf.constraints import read_couplings, read_loops
from screwgraph.model.formats.mjcf.names import Names, import_mujoco
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


# What <flag> of an MJCF file switches off.

NOUGHT = {
    "GRAVITY": ("opt.gravity",),
    "DAMPER": ("dof_damping", "dof_dampingpoly", "actuator_damping", "actuator_dampingpoly"),
    "SPRING": ("jnt_stiffness", "jnt_stiffnesspoly"),
    "FRICTIONLOSS": ("dof_frictionloss",),
    "LIMIT": ("jnt_limited",),
    "EQUALITY": ("eq_active0",),
    "CONSTRAINT": ("dof_frictionloss", "jnt_limited", "eq_active0"),
    "CLAMPCTRL": ("actuator_ctrllimited",),
    "ACTUATION": ("actuator_biastype", "actuator_damping", "actuator_dampingpoly"),
}
"""Arrays of a compiled model that count for nothing where a flag is off.

The other flags are of contacts, sensors and integrators, which no robot is made of.
"""


def obey_flags(model: Any) -> None:
    """Set to zero what the flags of a compiled model switch off."""
    bits = import_mujoco().mjtDisableBit
    for name, arrays in NOUGHT.items():
        if model.opt.disableflags & getattr(bits, f"mjDSBL_{name}", 0):
            for array in arrays:
                _clear_array(model, array)


def _clear_array(model: Any, array: str) -> None:
    """Set an array to zero; older versions of MuJoCo lack some."""
    *path, last = array.split(".")
    for step in path:
        model = getattr(model, step)
    if hasattr(model, last):
        getattr(model, last)[:] = 0


# What a MuJoCo model has and the equations of motion lack.


def warn_of_model(model: Any, names: Names, warnings: Warnings, at: Place) -> None:
    """Warn of springs, tendons, gravity compensation and the like, each kind once."""
    springs = [names.joints[i] for i in np.flatnonzero(model.jnt_stiffness)]
    lifted = [names.bodies[i] for i in np.flatnonzero(model.body_gravcomp)]
    kinds = {"springs of joints": springs, "gravity compensation of bodies": lifted}
    kinds["actuators that brake by themselves"] = _braking(model, names)
    for what, found in kinds.items():
        if found:
            more = ", ..." if len(found) > 4 else ""
            warnings.add(f"{what} are not modelled: {', '.join(found[:4])}{more}", at=at)
    if model.ntendon:
        several = "1 tendon is" if model.ntendon == 1 else f"{model.ntendon} tendons are"
        warnings.add(f"{several} not modelled", at=at)
    for field, what in (
        ("dof_dampingpoly", "damping that is not linear"),
        ("actuator_armature", "inertia of actuators"),
    ):
        if np.any(getattr(model, field, 0.0)):
            warnings.add(f"{what} is not modelled", at=at)
    for count, what in (("nflex", "flexible bodies"), ("nplugin", "plugins")):
        if getattr(model, count, 0):
            warnings.add(f"{what} are not modelled", at=at)
    if model.opt.density or model.opt.viscosity:
        medium = f"density {model.opt.density:g} kg/m^3, viscosity {model.opt.viscosity:g} Pa s"
        warnings.add(f"the medium is not modelled: {medium}", at=at, why="bodies move without drag, wind and buoyancy")


def _braking(model: Any, names: Names) -> list[str]:
    """Return actuators with a force against the velocity that no command causes: kv, dampratio, damping, biasprm."""
    affine = model.actuator_biastype == import_mujoco().mjtBias.mjBIAS_AFFINE
    braking = affine & (model.actuator_biasprm[:, 2] != 0.0)
    for field in ("actuator_damping", "actuator_dampingpoly"):
        own = np.asarray(getattr(model, field, np.zeros(model.nu)), dtype=float)
        braking |= own.reshape(model.nu, -1).any(axis=1) if model.nu else False
    return [names.actuators[i] for i in np.flatnonzero(braking)]


# Numbers of MJCF files that are none: NaN, infinities, and what overflows.

READ = (
    *("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis"),
    *("dof_damping", "dof_armature", "dof_frictionloss", "eq_data", "qpos0"),
)
"""Arrays of a compiled model that a robot is made of; ranges may be infinite."""


def check_attributes(root: Element, file: str) -> None:
    """Refuse attributes that hold numbers, one of them not finite or too large. Raises ModelError, with the line."""
    named = {element.get("name") for element in root.iter()}
    for element in root.iter():
        for key, text in element.attrib.items():
            if key != "name" and "range" not in key and text not in named and _is_off(text):
                raise ModelError(
                    f"{key!r} of <{element.tag}> is {quote_text(text)}",
                    at=locate_element(element, file),
                    why=f"no parameter of a robot exceeds {LARGEST:g} in SI units",
                )


def check_model(model: Any, file: str) -> None:
    """Refuse compiled models with such numbers, which included files may bring. Raises ModelError."""
    for name in READ:
        values = np.asarray(getattr(model, name), dtype=float)
        if not (np.abs(values) <= LARGEST).all():
            raise ModelError(
                f"MuJoCo's {name} has the number {values[~(np.abs(values) <= LARGEST)].flat[0]:g}",
                at=Place(file),
                why=f"no parameter of a robot exceeds {LARGEST:g} in SI units",
            )


def _is_off(text: str) -> bool:
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        return False
    return not all(abs(value) <= LARGEST for value in values)


# MuJoCo's compiler in a process of its own: nothing in a file can end the user's process.

LONGEST = 120.0
"""Seconds that a file may take to compile."""
MODEL, SAID = "model.mjb", "said.json"
_CHILD = """
import json, sys
import mujoco
file, folder, model, said = sys.argv[1:]
warnings, error, text = [], None, sys.stdin.read()
mujoco.set_mju_user_warning(lambda line: warnings.append(str(line)))
try:
    made = mujoco.MjModel.from_xml_string(text) if text else mujoco.MjModel.from_xml_path(file)
    mujoco.mj_saveModel(made, folder + "/" + model, None)
except (ValueError, TypeError, OSError, UnicodeError) as problem:
    error = str(problem)
with open(folder + "/" + said, "w", encoding="utf-8", errors="backslashreplace") as out:
    json.dump({"warnings": warnings, "error": error}, out)
"""
"""MuJoCo hands names of a file to printf: `class="%s%s%n"` is the end of the process that reads it."""


def compile_mjcf(file: str, text: str | None, warnings: Warnings) -> Any:
    """Compile a model file, or the text that stands for it; MuJoCo's own warnings join ours.

    Raises:
        ModelError: MuJoCo is not installed, refuses the file, fails, or takes more than `LONGEST`.
    """
    try:
        mujoco = import_mujoco()
    except ImportError as error:
        raise ModelError(
            "MuJoCo, which reads MJCF files, is not installed", at=Place(file), fix="pip install 'screwgraph[mjcf]'"
        ) from error
    with tempfile.TemporaryDirectory(prefix="screwgraph-") as folder:
        said = _said(file, text, folder)
        for line in said["warnings"]:
            warnings.add(line, at=Place(file))
        if said["error"] is not None:
            raise ModelError("MuJoCo rejects the file", at=Place(file), why=" ".join(said["error"].split())[:300])
        return mujoco.MjModel.from_binary_path(str(Path(folder, MODEL)))


def _said(file: str, text: str | None, folder: str) -> dict[str, Any]:
    """Run the compiler, and return what it said."""
    command = [sys.executable, "-P", "-c", _CHILD, file, folder, MODEL, SAID]
    beside = os.path.dirname(file) if text else ""  # files that a text names lie beside the one that it stands for
    try:
        done = subprocess.run(
            command,
            input=(text or "").encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=LONGEST,
            cwd=beside or None,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelError(
            f"MuJoCo takes more than {LONGEST:g} s to compile the file", at=Place(file), fix="give it smaller meshes"
        ) from error
    except OSError as error:
        raise ModelError("MuJoCo cannot be started", at=Place(file), why=error.strerror or str(error)) from error
    try:
        return json.loads(Path(folder, SAID).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"status {done.returncode}"]
        raise ModelError(
            "MuJoCo breaks down over the file", at=Place(file), why=last[0][:200], fix="rename what has a % in it"
        ) from error
