"""Constraints of mechanisms, one template a file."""

from __future__ import annotations

from collections.abc import Mapping

from screwgraph.model.mechanism.constraints.absolute_angle import absolute_angle, cosine_equation, sine_equation
from screwgraph.model.mechanism.constraints.angle_about import angle_about
from screwgraph.model.mechanism.constraints.base import Constraint, Slot, Template, coordinate_value
from screwgraph.model.mechanism.constraints.body_line import body_line
from screwgraph.model.mechanism.constraints.body_point import body_point
from screwgraph.model.mechanism.constraints.constant_distance import constant_distance
from screwgraph.model.mechanism.constraints.fixed_slider import fixed_slider
from screwgraph.model.mechanism.constraints.gear import gear
from screwgraph.model.mechanism.constraints.mobile_slider import mobile_slider
from screwgraph.model.mechanism.constraints.relative_angle import relative_angle
from screwgraph.model.mechanism.constraints.scalar_product import scalar_product
from screwgraph.model.mechanism.constraints.spatial_slider import spatial_slider

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
    "scalar_product": scalar_product,
    "body_line": body_line,
    "spatial_slider": spatial_slider,
    "angle_about": angle_about,
}
"""The constraints by name."""

__all__ = [
    "TEMPLATES",
    "Constraint",
    "Slot",
    "Template",
    "absolute_angle",
    "angle_about",
    "body_line",
    "body_point",
    "constant_distance",
    "coordinate_value",
    "cosine_equation",
    "fixed_slider",
    "gear",
    "mobile_slider",
    "relative_angle",
    "scalar_product",
    "sine_equation",
    "spatial_slider",
]
