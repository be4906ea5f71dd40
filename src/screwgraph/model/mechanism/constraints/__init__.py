"""Constraints of planar mechanisms, one template a file."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.model.mechanism.constraints.absolute_angle import absolute_angle, cosine_equation, sine_equation
from screwgraph.model.mechanism.constraints.base import Constraint, Slot, Template, coordinate_value
from screwgraph.model.mechanism.constraints.body_point import body_point
from screwgraph.model.mechanism.constraints.constant_distance import constant_distance
from screwgraph.model.mechanism.constraints.fixed_slider import fixed_slider
from screwgraph.model.mechanism.constraints.gear import gear
from screwgraph.model.mechanism.constraints.mobile_slider import mobile_slider
from screwgraph.model.mechanism.constraints.relative_angle import relative_angle

TEMPLATES: Mapping[str, Template] = {
    "constant_distance": constant_distance,
    "body_point": body_point,
    "fixed_slider": fixed_slider,
    "mobile_slider": mobile_slider,
    "absolute_angle": absolute_angle,
    "cosine_equation": cosine_equation,
    "sine_equation": sine_equation,
    "relative_angle": relative_angle,
    "gear": gear,
}
"""The constraints by name."""

__all__ = [
    "TEMPLATES",
    "Constraint",
    "Slot",
    "Template",
    "absolute_angle",
    "body_point",
    "constant_distance",
    "coordinate_value",
    "cosine_equation",
    "fixed_slider",
    "gear",
    "mobile_slider",
    "relative_angle",
    "sine_equation",
]
