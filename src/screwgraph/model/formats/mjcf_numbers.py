"""Numbers of MJCF files that are none: NaN, infinities, and what overflows."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import LARGEST, Place, quote_text
from screwgraph.model.formats.xml import Element, locate_element

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
