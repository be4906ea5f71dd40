"""Friction cones as templates: what must not be positive of a contact force or wrench in the axes of its surface."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

ROUNDED = 1e-3
"""Force (N) by which the tip of the round cone is rounded, to the safe side."""


@dataclass(frozen=True)
class Cone:
    """Tangential force less friction * normal force (N). Xie et al. (2020), section V-C."""

    def __call__(self, f: Any, *, friction: Any) -> Any:
        """Return it; f is (tangential, tangential, normal)."""
        from screwgraph.spatial import sqrt, vector

        return vector([sqrt(f[0] * f[0] + f[1] * f[1] + ROUNDED**2) - friction * f[2]])


@dataclass(frozen=True)
class Pyramid:
    """The same for a pyramid of so many faces whose edges lie on the round cone."""

    faces: int = 4

    def __call__(self, f: Any, *, friction: Any) -> Any:
        """Return one number for each face."""
        from screwgraph.spatial import vector

        steep = np.cos(np.pi / self.faces) * friction * f[2]
        angles = 2.0 * np.pi * np.arange(self.faces) / self.faces
        return vector([round(np.cos(a), 15) * f[0] + round(np.sin(a), 15) * f[1] - steep for a in angles])


@dataclass(frozen=True)
class SolePyramid:
    """The pyramid of wrenches (moment, force) that a rectangular sole passes on without tilting, slipping or turning.

    Caron, Pham and Nakamura (2015), "Stability of surface contacts for humanoid robots", eqs. (16)-(19).
    """

    def __call__(self, w: Any, *, friction: Any, half_length: Any, half_width: Any) -> Any:
        """Return sixteen numbers; w is in the axes of the sole, x along its length, at its centre."""
        from screwgraph.spatial import vector

        mu, X, Y = friction * np.cos(np.pi / 4), half_length, half_width
        mx, my, mz, fx, fy, fz = (w[i] for i in range(6))
        rows = [sign * f - limit * fz for f, limit in ((fx, mu), (fy, mu), (mx, Y), (my, X)) for sign in (1.0, -1.0)]
        for a, b in product((1.0, -1.0), repeat=2):
            rows.append(a * (Y * fx - mu * mx) + b * (X * fy - mu * my) - mu * (X + Y) * fz - mz)
            rows.append(a * (Y * fx + mu * mx) + b * (X * fy + mu * my) - mu * (X + Y) * fz + mz)
        return vector(rows)
