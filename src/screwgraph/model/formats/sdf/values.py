"""Values in SDF elements: numbers, flags and poses stand as text between tags."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import parse_decimal, parse_number, parse_numbers, quote_text
from screwgraph.model.formats.xml import Element, children, locate_element
from screwgraph.spatial import from_xyz_rpy, quaternions, transform

_TRUE, _FALSE = ("true", "1"), ("false", "0")


def child_of(element: Element | None, tag: str) -> Element | None:
    """Return the first child of that name, None where there is none."""
    return None if element is None else next(children(element, tag), None)


def text_in(element: Element | None, tag: str) -> str:
    """Return the text of a child element, empty where there is none."""
    child = child_of(element, tag)
    return "" if child is None else (child.text or "").strip()


def required_text(element: Element, tag: str, who: str, file: str) -> str:
    """Return the text of a child element that must be there. Raises ModelError."""
    text = text_in(element, tag)
    if not text:
        raise ModelError(
            f"{who}: <{element.tag}> has no <{tag}>", at=locate_element(element, file), fix=f"add <{tag}>...</{tag}>"
        )
    return text


def number_in(element: Element | None, tag: str, who: str, file: str, default: float) -> float:
    """Read the number in a child element. Raises ModelError."""
    child = child_of(element, tag)
    text = "" if child is None else (child.text or "").strip()
    return parse_number(text, f"{who}: <{tag}>", locate_element(child, file)) if text else default


def flag_in(element: Element | None, tag: str, who: str, file: str, default: bool = False) -> bool:
    """Read a child element that says true or false. Raises ModelError."""
    child = child_of(element, tag)
    return default if child is None else _flag(child.text or "", f"{who}: <{tag}>", child, file, default)


def attribute_flag(element: Element, name: str, who: str, file: str) -> bool:
    """Read an attribute that says true or false, false where there is none. Raises ModelError."""
    return _flag(element.get(name, ""), f"{who}: {name!r} of <{element.tag}>", element, file, False)


def vector_in(element: Element | None, tag: str, who: str, file: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """Read as many numbers as the default has from a child element. Raises ModelError."""
    child = child_of(element, tag)
    text = "" if child is None else (child.text or "").strip()
    return parse_numbers(text, len(default), f"{who}: <{tag}>", locate_element(child, file)) if text else default


def limit_in(element: Element | None, tag: str, who: str, file: str) -> float | None:
    """Read a limit; None where there is none, and for the huge numbers and infinities that mean none."""
    text = text_in(element, tag).lower()
    if not text or text.lstrip("+-") in ("inf", "infinity"):
        return None
    value = parse_decimal(text)
    return None if value is not None and abs(value) >= _NO_BOUND else number_in(element, tag, who, file, 0.0)


def pose_of(element: Element | None, who: str, file: str) -> Float[np.ndarray, "4 4"]:
    """Read a <pose>: translation, then roll, pitch, yaw (rad or degrees) or a quaternion. Raises ModelError."""
    if element is None or not (element.text or "").strip():
        return np.eye(4)
    what, at = f"{who}: <pose>", locate_element(element, file)
    form = element.get("rotation_format", "euler_rpy")
    if form == "quat_xyzw":
        v = parse_numbers(element.text, 7, what, at)
        norm = math.hypot(*v[3:])
        if norm == 0.0:
            raise ModelError(f"{what} has a zero quaternion", at=at, why="a rotation has length 1")
        return transform(quaternions.to_rotation(np.array(v[3:]) / norm), np.array(v[:3]))
    if form != "euler_rpy":
        raise ModelError(f"{what}: 'rotation_format' is {quote_text(form)}", at=at, why="it is euler_rpy or quat_xyzw")
    v = parse_numbers(element.text, 6, what, at)
    degrees = attribute_flag(element, "degrees", who, file)
    return from_xyz_rpy(np.array(v[:3]), np.deg2rad(v[3:]) if degrees else np.array(v[3:]))


_NO_BOUND = 1e16
"""SDF up to 1.6 writes this where there is no limit."""


def _flag(text: str, what: str, element: Element, file: str, default: bool) -> bool:
    word = text.strip().lower()
    if word and word not in (*_TRUE, *_FALSE):
        raise ModelError(
            f"{what} is {quote_text(text)}", at=locate_element(element, file), why="it must be true or false"
        )
    return word in _TRUE if word else default
