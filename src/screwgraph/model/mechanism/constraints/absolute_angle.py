"""The angle of a line from the x axis of the ground."""

from __future__ import annotations

from typing import Any

from screwgraph.spatial import cos, sin


def absolute_angle(xi: Any, yi: Any, xj: Any, yj: Any, theta: Any) -> list[Any]:
    """Cross product of the unit vector at theta and the line from i to j (m).

    cos(theta) times `sine_equation` less sin(theta) times `cosine_equation`, the two between which Blanco-Claraco et
    al. (2021) switches: the length cancels, and the derivative by theta is minus the length wherever it holds. So it
    never degenerates.
    """
    return [cos(theta) * (yj - yi) - sin(theta) * (xj - xi)]


def cosine_equation(xi: Any, yi: Any, xj: Any, yj: Any, theta: Any, *, length: Any) -> list[Any]:
    """Horizontal part of a line less that of its angle (m); degenerate at theta = 0 and pi.

    Blanco-Claraco et al. (2021), eq. (44a).
    """
    return [xj - xi - length * cos(theta)]


def sine_equation(xi: Any, yi: Any, xj: Any, yj: Any, theta: Any, *, length: Any) -> list[Any]:
    """Vertical part of a line less that of its angle (m); degenerate at theta = +-pi/2.

    Blanco-Claraco et al. (2021), eq. (45a).
    """
    return [yj - yi - length * sin(theta)]
